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

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import CURVES, LentBand, Trace, curve, thinned
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio, weight_up_to
from reportgen.kernels.walks import unders_along
from reportgen.kernels.weighted_quantile import weighted_quantile
from reportgen.losses.rroc import plane_band, points, vertices
from reportgen.losses.squares import squared_curve, squares_along
from reportgen.rows import Amounts

Plane = Literal["linlin", "quadquad"]
CITE = "doi:10.1016/j.patcog.2013.06.014"
FEW_ROWS = 100
MIDDLE = (0.05, 0.95)  # the shares over-estimated between which the curve of more rows is drawn


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


def _cost_of_shifted(*, raw: bool, loss: Plane) -> LentBand:
    """The support function of the curve: its band keeps the shape of a concave curve."""
    return LentBand(CURVES["cost"].use(shift="optimal", loss=loss, raw=raw), _plane_limits)


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


def _units(*, raw: bool, loss: Plane) -> dict[str, str]:
    unit = "y" if loss == "linlin" else "y²"
    return {"x_unit": unit, "y_unit": unit}


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
    band_from=_cost_of_shifted,
    check=raw_limits,
    fields_for=_units,
    shown=Presentation(
        topic="costs",
        place=10,
        is_detail=True,
        title="RROC curve{sums}",
        x_label="{mean}over-estimation{of_rows}{cost_unit}",
        y_label="{mean}under-estimation{of_rows}{cost_unit}",
        reading="Each line is a model while one constant after the other is added to all its "
        "scores; the nearer the upper left, the better. Any constant in place of a score "
        "runs along the grey line: a model that is not above it knows nothing. The band "
        "is found against the asymmetry of costs and drawn back.",
        noted={
            "over": "over-estimation as it is",
            "under": "under-estimation as it is",
            "aoc": "area over the curve",
        },
    ),
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
