"""What each row does to a function of means: the chain rule, with slopes that are measured."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.kernels.batch import Matrix, Vector

STEP = 1e-6  # of a slope that is measured, against the size of its column
Finish = Callable[[Matrix], Vector]


def influence_of_means(
    columns: Matrix, weight: Vector, finish: Finish, scale: Callable[[Vector], Vector]
) -> Vector | None:
    """phi_i of `finish` of the weighted means of `columns`, (n, k), times `scale` of the total.

    The slope of `finish` in each mean, times the row's distance from that mean; None where the
    value exists but a small step away it does not.
    """
    total = weight.sum(keepdims=True)
    columns = np.ascontiguousarray(columns)  # products by row: the bits of their sums
    means = (weight @ columns) / total
    centred: Matrix = columns - means
    slopes = _slopes(columns, means, weight, finish)
    if np.isfinite(means).all() and not np.isfinite(slopes).all():
        return None
    influence: Vector = centred @ (slopes * scale(total))
    return influence


def _slopes(columns: Matrix, means: Vector, weight: Vector, finish: Finish) -> Vector:
    """Central differences of `finish`, each step small against the size of its column."""
    steps = STEP * np.sqrt((weight @ columns**2) / weight.sum())
    # A mean of sizes that few rows make stays a mean of sizes.
    is_past = (columns >= 0).all(axis=0) & (steps > means / 1000)
    slopes = np.zeros(len(means))
    for k, step in enumerate(np.where(is_past, STEP * means, steps)):
        if step > 0:  # a column of zeros moves nothing
            low, high = means.copy(), means.copy()
            low[k], high[k] = means[k] - step, means[k] + step
            ends = finish(np.stack([low, high]))
            slopes[k] = (ends[1] - ends[0]) / (high[k] - low[k])
    return slopes
