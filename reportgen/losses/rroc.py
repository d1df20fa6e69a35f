"""RROC points and lines as numbers: over- against under-estimation, and what they cost at each α.

An error is e = score − y. OVER is the sum of the errors above zero, UNDER (≤ 0) of those below,
here over the total weight. At the asymmetry α, the weight of under-estimation in [0, 1], the
expected Lin-Lin loss of a point is 2(1 − α)·OVER − 2α·UNDER; at α = ½ it is the mean absolute
error.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import at_shares, ratio, sum_up_to, weight_up_to
from reportgen.kernels.quantiles import quantile_interval
from reportgen.kernels.sums import made_sums
from reportgen.rows import Amounts


def points(rows: Amounts, batch: Batch, *, power: int = 1) -> tuple[Vector, Vector]:
    """Mean over- and under-estimation under each weighting, shapes (b,).

    With `power=2` errors count squared: in that plane the isometrics of Quad-Quad are straight.
    """
    error = rows.error.values

    def sides(some: slice) -> tuple[Vector, Vector]:
        over, under = np.maximum(error[some], 0.0), np.minimum(error[some], 0.0)
        return (over, under) if power == 1 else (over**power, -(np.abs(under) ** power))

    over, under = ratio(made_sums(batch, sides), batch.totals[:, None]).T
    return over, under


def vertices(rows: Amounts, batch: Batch) -> tuple[Matrix, Matrix]:
    """OVER and UNDER at every corner of the RROC curve, low OVER first; shapes (groups, b).

    A corner stands where the shift makes the error of a row zero; equal errors share one.
    """
    values = rows.error.values
    centred = values - (np.median(values) if len(values) else 0.0)  # no digits lost to a bias
    weight, sums = weight_up_to(batch, rows.error), sum_up_to(batch, rows.error, centred)
    ends = centred[rows.error.order][rows.error.is_last][:, None]
    over = (sums[-1] - sums[1:]) - ends * (weight[-1] - weight[1:])
    under = sums[:-1] - ends * weight[:-1]
    over, under = (ratio(side, batch.totals[None, :])[::-1] for side in (over, -under))
    # What only rounding leaves at both ends is nothing.
    over, under = (
        np.where(side <= 1e-14 * side.max(axis=0, initial=0.0), 0.0, side) for side in (over, under)
    )
    return over, 0.0 - under


def minimal_costs(rows: Amounts, batch: Batch, alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss once the best constant for each α is added, shape (b, g); α rises.

    2(Σ of the errors among the α·W of the weight with the largest − α·Σ of all)/W.
    """
    shares = np.append(1.0 - alphas[::-1], 1.0)
    sums = at_shares(shares, rows.error, rows.error.values, batch)
    total = sums[:, -1:]
    spare = 2 * (total - sums[:, -2::-1] - alphas[None, :] * total)
    return np.maximum(ratio(spare, batch.totals[:, None]), 0.0)


def minimal_cost_line(rows: Amounts, weight: Vector) -> tuple[Vector, Vector]:
    """The exact corners of the minimal cost against α, from (0, 0) to (1, 0)."""
    batch = Batch.of(weight)
    if not batch.totals[0] > 0:
        return np.array([0.0, 1.0]), np.full(2, np.nan)
    up = weight_up_to(batch, rows.error)[:, 0]
    alphas = np.unique(1.0 - up / up[-1])
    return alphas, minimal_costs(rows, batch, alphas)[0]


def plain_costs(rows: Amounts, batch: Batch, alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss of the scores as they are at each α, shape (b, g)."""
    over, under = points(rows, batch)
    costs: Matrix = 2 * (1 - alphas) * over[:, None] - 2 * alphas * under[:, None]
    return costs


def best_shifts(rows: Amounts, batch: Batch, alphas: Vector) -> Matrix:
    """The α-quantile of y − score under each weighting, of an interval the end nearest zero."""
    found = np.empty((batch.size, len(alphas)))
    for k, alpha in enumerate(alphas.tolist()):
        low, high = quantile_interval(rows.error, batch, 1.0 - alpha)
        found[:, k] = np.where(np.abs(low) < np.abs(high), -low, -high)
    return found


def plane_band(alphas: Vector, costs: Vector, over: Vector) -> Vector:
    """UNDER at each OVER, of the curve whose minimal cost against α is given.

    Applied to the lower bound of a band of the minimal cost it gives the upper bound in the
    plane, and to the upper bound the lower one: a concave curve is the least of its tangents.
    """
    inside = (alphas > 0) & np.isfinite(costs)
    if not inside.any():
        return np.full(len(over), np.nan)
    alpha, cost = alphas[inside, None], costs[inside, None]
    tangents = (1 - alpha) * over[None, :] / alpha - cost / (2 * alpha)
    return np.asarray(np.minimum(tangents.min(axis=0), 0.0))
