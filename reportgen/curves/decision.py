"""What a decision on costs rests on, model by model: statistics of several numbers each.

They are bound, weighted and replicated as curves are, but are no curves of the catalogue: their
positions are the asymmetries that somebody asked for, or stand for different quantities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from reportgen.curves.cumulative import ratio, weight_up_to
from reportgen.curves.rroc import CITE, minimal_costs, plain_costs, points
from reportgen.curves.spec import Curve
from reportgen.kernels.batch import Batch, Matrix, Rows, Vector
from reportgen.metrics.quantile import SLACK

POSITION = ("over", "under", "bias", "variance", "mse")
Shift = Literal["none", "optimal"]


def position() -> Curve:
    """Where a model stands: mean over- and under-estimation, mean error, its variance, both."""
    return _statistic(
        "position", np.arange(float(len(POSITION))), position_values, (-np.inf, np.inf)
    )


def costs_at(alphas: tuple[float, ...], shift: Shift) -> Curve:
    """Expected Lin-Lin loss at these asymmetries, as the scores are or with the best constant."""
    of = plain_costs if shift == "none" else minimal_costs
    return _statistic(f"costs at {alphas}, shift {shift}", np.array(alphas), of, (0.0, np.inf))


def shifts_at(alphas: tuple[float, ...]) -> Curve:
    """The constant that, added to every score, costs least at each of these asymmetries."""
    return _statistic(f"shifts at {alphas}", np.array(alphas), best_shifts, (-np.inf, np.inf))


def position_values(rows: Rows, batch: Batch, grid: Vector) -> Matrix:
    """The five numbers of `POSITION` under each weighting, shape (b, 5)."""
    over, under = points(rows, batch)
    error = rows.error.values
    centre = float(np.median(error)) if len(error) else 0.0  # no digits lost to a bias
    about = ratio((error - centre) ** 2 @ batch.weights, batch.totals)
    bias = over + under
    variance = np.maximum(about - (bias - centre) ** 2, 0.0)
    return np.stack([over, under, bias, variance, bias**2 + variance], axis=1)


def best_shifts(rows: Rows, batch: Batch, alphas: Vector) -> Matrix:
    """The α-quantile of y − score under each weighting, of an interval the end nearest zero."""
    ends = rows.error.values[rows.error.order][rows.error.is_last]
    weight = weight_up_to(batch, rows.error)
    found = np.full((batch.size, len(alphas)), np.nan)
    for lane in range(batch.size):
        total = weight[-1, lane]
        if total > 0:
            found[lane] = _lane_shifts(ends, weight[1:, lane] / total, 1.0 - alphas)
    return found


def _lane_shifts(ends: Vector, shares: Vector, q: Vector) -> Vector:
    """Minus the q-quantile of the errors, from their distinct values and the shares up to each."""
    first = np.searchsorted(shares, 0.0, side="right")
    last = np.searchsorted(shares, 1.0 - SLACK, side="left")
    low = np.clip(np.searchsorted(shares, q - SLACK, side="left"), first, last)
    high = np.clip(np.searchsorted(shares, q + SLACK, side="right"), first, last)
    at_low, at_high = -ends[low], -ends[high]
    return np.where(np.abs(at_low) < np.abs(at_high), at_low, at_high)


def _statistic(
    name: str,
    places: Vector,
    values: Callable[[Rows, Batch, Vector], Matrix],
    bounds: tuple[float, float],
) -> Curve:
    return Curve(
        name=name,
        title=name,
        task="regression",
        needs="amount",
        x_label="",
        y_label="",
        x_unit="1",
        y_unit="y",
        bounds=bounds,
        is_monotone=False,
        cite=CITE,
        grid=lambda rows, weight: places,
        values=values,
        trace=None,
        parameters=(),
        description=name,
    )
