"""What shifts cost, written out row by row: the truth that the quick forms are held against."""

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics.losses.loss_functions import linlin_shift
from reportgen.metrics.rows import Amounts


def chosen_costs(y: Vector, scores: Matrix, batch: Batch, alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss where row k of `scores` (g, n) is what is said at the k-th α, (b, g).

    For shifts that were fitted elsewhere, polynomial shifts and soft models alike.
    """
    error = scores - y
    high, low = 2 * (1 - alphas)[:, None], -2 * alphas[:, None]
    losses = error * np.where(error > 0, high, low)
    return divide((losses @ batch.weights).T, batch.totals[:, None])


def constant_shifts(fit: Amounts, weight: Vector, alphas: Vector) -> Vector:
    """The best constant to add at each α, by Lin-Lin on the rows to fit, shape (g,)."""
    return np.array([linlin_shift(fit.error.values, weight, float(alpha)) for alpha in alphas])


def shifted(score: Vector, shifts: Vector) -> Matrix:
    """The score with each constant added, shape (g, n)."""
    moved: Matrix = score[None, :] + shifts[:, None]
    return moved
