"""Errors whose unit costs differ by row: u(−e) where the score is too low, o·e where too high.

u and o are those of each row, so there is no asymmetry of all rows and no axis of it. The constant
that, added to every score, costs least is a quantile of y − score under the weights w(u + o), at
the level Σwu / Σw(u + o): there what is paid for a little more equals what it saves.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.kernels.weighted_quantile import quantile_interval
from reportgen.rows import Amounts


def signed_costs(error: Vector, costs: UnitCosts | None) -> Vector:
    """What each error costs, above 0 where too high and below where too low, (n,) or (n, b).

    nan where nobody knows the unit costs.

    >>> signed_costs(np.array([-2.0, 3.0]), UnitCosts(np.array([5.0, 1.0]), np.array([1.0, 2.0])))
    array([-10.,   6.])
    """
    if costs is None:
        return np.full(error.shape, np.nan)
    under, over = (side if error.ndim == 1 else side[:, None] for side in (costs.under, costs.over))
    return np.where(error < 0, under * error, over * error)


def mean_unit_costs(costs: UnitCosts, weight: Vector) -> tuple[float, float]:
    """Mean cost of one unit too low and of one too high; their share is the level of the shift."""
    total = weight.sum()
    return float(weight @ costs.under / total), float(weight @ costs.over / total)


def best_shift(error: Vector, costs: UnitCosts, weight: Vector) -> float:
    """The constant that costs least; of an interval of them, the end nearest zero.

    nan where no row that weighs costs anything.

    >>> one, under = np.ones(3), np.array([1.0, 1.0, 7.0])
    >>> best_shift(np.array([-1.0, -2.0, -9.0]), UnitCosts(under, one), one)
    9.0
    """
    mass = weight * (costs.under + costs.over)
    total = mass.sum()
    if not total > 0:
        return np.nan
    level = float(weight @ costs.under / total)
    return float(min(quantile_interval(-error, mass, min(level, 1.0)), key=abs))


def best_shifts(rows: Amounts, batch: Batch) -> Vector:
    """The best constant under each weighting, (b,)."""
    costs = rows.unit_costs
    if costs is None:
        return np.full(batch.size, np.nan)
    order = rows.error.order[::-1].astype(
        np.intp
    )  # sorted once: each search among them is then quick
    error, given = rows.error.values[order], costs.take(order)
    return np.array([best_shift(error, given, weight[order]) for weight in batch.weights.T])


def fitted_shift(rows: Amounts) -> float:
    """The best constant of the training rows as they are; nan where there are none."""
    if rows.fit is None or rows.fit.rows.unit_costs is None:
        return np.nan
    return best_shift(rows.fit.rows.error.values, rows.fit.rows.unit_costs, rows.fit.weight)


def mean_costs(rows: Amounts, batch: Batch, shift: float | Vector = 0.0) -> Vector:
    """Mean cost under each weighting once a constant, or one of each weighting, is added, (b,)."""
    error = rows.error.values
    if isinstance(shift, float):
        moved = np.abs(signed_costs(error + shift, rows.unit_costs))
        return ratio(moved @ batch.weights, batch.totals)
    paid: Matrix = np.abs(signed_costs(error[:, None] + shift, rows.unit_costs))
    return ratio(np.sum(batch.weights * paid, axis=0), batch.totals)
