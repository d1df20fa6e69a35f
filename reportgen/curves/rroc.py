"""Over- against under-estimation: RROC points and curves, and what they cost at each asymmetry.

An error is e = score − y. OVER is the sum of the errors above zero, UNDER (≤ 0) of those below,
here over the total weight unless `raw`. At the asymmetry α, the weight of under-estimation in
[0, 1], the expected Lin-Lin loss of a point is 2(1 − α)·OVER − 2α·UNDER; at α = ½ it is the mean
absolute error. Adding a constant to every score moves a model along its RROC curve, whose segments
have the slope (W − W_k)/W_k, W_k the weight over-estimated there: it is concave.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.curves.cumulative import at_shares, ratio, sum_up_to, weight_up_to
from reportgen.curves.spec import CURVES, Curve, Trace, curve, thinned
from reportgen.curves.squares import squared_curve, squares_along
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.quantiles import quantile_interval
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.walks import unders_along
from reportgen.metrics.quantile import weighted_quantile
from reportgen.rows import Amounts

Plane = Literal["linlin", "quadquad"]
CITE = "doi:10.1016/j.patcog.2013.06.014"
FEW_ROWS = 100
MIDDLE = (0.05, 0.95)  # the shares over-estimated between which the curve of more rows is drawn


def points(rows: Amounts, batch: Batch, *, power: int = 1) -> tuple[Vector, Vector]:
    """Mean over- and under-estimation under each weighting, shapes (b,).

    With `power=2` errors count squared: in that plane the isometrics of Quad-Quad are straight.
    """
    size = np.abs(rows.error.values) ** power
    sides = np.stack([size * (rows.error.values > 0), -size * (rows.error.values < 0)], axis=1)
    over, under = ratio(weighted_sums(batch, sides), batch.totals[:, None]).T
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


def _corners(rows: Amounts, weight: Vector) -> tuple[Vector, Vector, Vector]:
    """OVER, UNDER and the share over-estimated up to each corner that weighs something.

    Errors that differ by rounding alone are one corner.
    """
    batch = Batch.of(weight)
    over, under = (side[:, 0] for side in vertices(rows, batch))
    mass = np.diff(weight_up_to(batch, rows.error)[:, 0])[::-1]
    kept = mass > 0
    over, under, share = over[kept], under[kept], np.cumsum(mass[kept]) / mass.sum()
    if len(over) > 1:
        kept = np.append(True, np.diff(over) > 1e-14 * over[-1])
        over, under, share = over[kept], under[kept], share[kept]
    return over, under, share


def _drawn(rows: Amounts, weight: Vector) -> tuple[Vector, Vector, float]:
    """The corners that hold the shape of the curve, at most 200, and the area over all of it.

    Few rows have all their corners. Of many, shifts that put nearly all of them on one side would
    hide everything else. Found once: grid and trace of the same weights ask for the same.
    """
    key = f"rroc corners drawn {hash(weight.tobytes())}"
    return rows.once(key, lambda: _shape(rows, weight))


def _shape(rows: Amounts, weight: Vector) -> tuple[Vector, Vector, float]:
    over, under, share = _corners(rows, weight)
    area = float(-np.diff(over) @ (under[1:] + under[:-1]) / 2) if len(over) else np.nan
    if len(over) > FEW_ROWS:
        own = weight @ (rows.error.values > 0) / weight.sum()
        inside = (share >= min(MIDDLE[0], own)) & (share <= max(MIDDLE[1], own))
        over, under = over[inside], under[inside]
    return *thinned(over, under, 200), area


def _cost_of_shifted(*, raw: bool, loss: Plane) -> Curve:
    """The support function of the curve: its band keeps the shape of a concave curve."""
    return CURVES["cost"].use(shift="optimal", loss=loss, raw=raw)


def _plane_limits(alphas: Vector, low: Vector, high: Vector, over: Vector) -> tuple[Vector, Vector]:
    """The higher the cost, the lower the curve; nan where no α with limits touches the curve."""
    inside = (alphas > 0) & (alphas < 1) & np.isfinite(low) & np.isfinite(high)
    alpha = alphas[inside]
    if len(alpha) < 3:
        return np.full(len(over), np.nan), np.full(len(over), np.nan)
    # Where the lowest tangent is the outermost one, one beyond it may be lower still.
    slopes, intercepts = (1 - alpha) / alpha, -high[inside] / (2 * alpha)
    touched = np.argmin(slopes[:, None] * over + intercepts[:, None], axis=0)
    is_held = (touched > 0) & (touched < len(alpha) - 1)
    limits = (plane_band(alpha, costs[inside], over) for costs in (high, low))
    lower, upper = (np.where(is_held, limit, np.nan) for limit in limits)
    return lower, upper


def _squared_drawn(rows: Amounts, weight: Vector) -> tuple[Vector, Vector]:
    """The curve of squares over the stretch in which that of sums is drawn."""
    counted = np.unique(rows.error.values[weight > 0])
    if not len(counted):
        return np.zeros(1), np.full(1, np.nan)
    ends = float(counted[0]), float(counted[-1])
    if len(counted) > FEW_ROWS:
        at = [weighted_quantile(rows.error.values, weight, 1 - share) for share in MIDDLE[::-1]]
        ends = min(at[0], 0.0), max(at[1], 0.0)
    return squared_curve(rows.error, weight, ends)


def _overs(rows: Amounts, weight: Vector, *, raw: bool, loss: Plane) -> Vector:
    drawn = _drawn(rows, weight) if loss == "linlin" else _squared_drawn(rows, weight)
    overs = drawn[0]
    return overs * float(weight.sum()) if raw else overs


def raw_limits(raw: bool, loss: Plane) -> str | None:
    """What is wrong with the parameters of the curve, or None."""
    return "raw sums are drawn for linlin only" if raw and loss == "quadquad" else None


def _rroc_trace(rows: Amounts, weight: Vector, *, raw: bool, loss: Plane) -> Trace:
    """The corners of the grid, so that the curve and its band share their places."""
    power = 1 if loss == "linlin" else 2
    over, under = (float(side[0]) for side in points(rows, Batch.of(weight), power=power))
    scale = float(weight.sum()) if raw else 1.0
    marks = {"over": over * scale, "under": under * scale}
    if loss == "quadquad":
        return Trace(*_squared_drawn(rows, weight), marks=marks)
    x, y, area = _drawn(rows, weight)
    return Trace(x * scale, y * scale, marks={**marks, "aoc": area * scale**2})


def _units(*, raw: bool, loss: Plane) -> tuple[str, str]:
    return ("y", "y") if loss == "linlin" else ("y²", "y²")


@curve(
    title="RROC curve",
    task="regression",
    needs="amount",
    x_label="Over-estimation",
    y_label="Under-estimation",
    x_unit="y",
    y_unit="y",
    bounds=(-np.inf, 0.0),
    is_monotone=True,
    cite=CITE,
    grid=_overs,
    trace=_rroc_trace,
    dual=_cost_of_shifted,
    dual_band=_plane_limits,
    check=raw_limits,
    units=_units,
)
def rroc(
    rows: Amounts, batch: Batch, grid: Vector, *, raw: bool = False, loss: Plane = "linlin"
) -> Matrix:
    """Under-estimation against over-estimation while a constant is added to every score.

    `over` and `under` are the model as it is. The area over the curve, `aoc`, is half the variance
    of the errors (W²/2 times it if `raw`, when sums take the place of means). Of more than 100
    rows the stretch is drawn in which 5 to 95 % are over-estimated; `aoc` is that of all. With
    `loss: quadquad` errors count squared: in that plane equal Quad-Quad costs are straight lines.
    """
    if loss == "quadquad":
        return squares_along(rows.error, batch, grid)
    unders = unders_along(rows.error, batch, grid, is_raw=raw).height
    per_weight = ratio(unders, batch.totals[:, None])
    return per_weight * batch.totals[:, None] if raw else per_weight
