"""What scores cost once a constant was added that was fitted on other rows, or a resample of them.

`shifts` are the same constants for every weighting, (1, g), or its own for each, (b, g).
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio, sum_up_to, weight_up_to
from reportgen.losses.expected import mean_costs
from reportgen.losses.losses import LOSSES, LossName
from reportgen.rows import Amounts


def shifted_points(rows: Amounts, batch: Batch, shifts: Matrix) -> tuple[Matrix, Matrix]:
    """Mean over- and under-estimation once each constant is added, both (b, g)."""
    values = rows.error.values
    centre = float(np.median(values)) if len(values) else 0.0  # no digits lost to a bias
    weight, sums = weight_up_to(batch, rows.error), sum_up_to(batch, rows.error, values - centre)
    ends = values[rows.error.order][rows.error.is_last]
    shifts = np.broadcast_to(shifts, (batch.size, shifts.shape[1]))
    place = np.searchsorted(ends, -shifts, side="right")
    lane = np.arange(batch.size)[:, None]
    below, part, added = weight[place, lane], sums[place, lane], centre + shifts
    total, whole = weight[-1][:, None], sums[-1][:, None]
    over = ratio(whole - part + (total - below) * added, total)
    under = ratio(part + below * added, total)
    return np.maximum(over, 0.0), np.minimum(under, 0.0) + 0.0  # no −0


def shifted_costs(
    rows: Amounts, batch: Batch, shifts: Matrix, grid: Vector, loss: LossName = "linlin"
) -> Matrix:
    """Expected loss at each asymmetry with the constant that is chosen for it, (b, g)."""
    if loss == "linlin":
        over, under = shifted_points(rows, batch, shifts)
        return np.asarray(2 * (1 - grid) * over - 2 * grid * under)
    of, error = LOSSES[loss].of, rows.error.values[:, None]
    costs = np.empty((batch.size, len(grid)))
    for k, asymmetry in enumerate(grid.tolist()):
        costs[:, [k]] = mean_costs([of(error + shifts[:, k], asymmetry)], batch)
    return costs


def fitted_shifts(rows: Amounts, grid: Vector, loss: LossName = "linlin") -> Vector:
    """The constants of the training rows as they are, (g,); nan where there are none."""
    if rows.fit is None:
        return np.full(len(grid), np.nan)
    error, best = rows.fit.rows.error, LOSSES[loss].best_shift
    order = error.order[::-1]  # sorted once: each search among them is then quick
    values, weight = error.values[order], rows.fit.weight[order]
    return np.array([best(values, weight, asymmetry) for asymmetry in grid.tolist()])


def fitted_costs(rows: Amounts, batch: Batch, grid: Vector, loss: LossName = "linlin") -> Matrix:
    """Expected loss with the constants of the training rows, which are given; (b, g)."""
    if rows.fit is None:
        return np.full((batch.size, len(grid)), np.nan)
    name = f"{loss} fitted at {grid.tobytes().hex()}"
    shifts = rows.once(name, lambda: fitted_shifts(rows, grid, loss))
    return shifted_costs(rows, batch, shifts[None, :], grid, loss)
