"""RROC curves and cost curves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import cumulate_weight, divide
from reportgen.kernels.curve_heights import compute_under_heights
from reportgen.kernels.quantiles import weighted_quantile
from reportgen.metrics.curves.curve import (
    CURVES,
    BorrowedBand,
    Presentation,
    Trace,
    curve,
    thin_line,
)
from reportgen.metrics.losses.expected_cost import (
    costs_of_fitted_shifts,
    expected_loss,
    least_expected_loss,
    scale_by_square,
)
from reportgen.metrics.losses.loss_functions import LOSSES, LossName
from reportgen.metrics.losses.rroc_geometry import (
    compute_squared_heights,
    minimal_cost_line,
    rroc_band,
    rroc_points,
    rroc_vertices,
    trace_squared_curve,
)
from reportgen.metrics.rows import Amounts

PlaneFunction = Literal["linlin", "quadquad"]
CITE = "doi:10.1016/j.patcog.2013.06.014"
FEW_ROWS = 100
MIDDLE = (0.05, 0.95)  # the shares over-estimated between which the curve of more rows is drawn


def _corners(rows: Amounts, weight: Vector) -> tuple[Vector, Vector, Vector]:
    """OVER, UNDER and the share over-estimated up to each corner that weighs something.

    Errors that differ by rounding alone are one corner.
    """
    batch = Batch.from_weights(weight)
    over, under = (side[:, 0] for side in rroc_vertices(rows, batch))
    mass = np.diff(cumulate_weight(batch, rows.error)[:, 0])[::-1]
    kept = mass > 0
    over, under, share = over[kept], under[kept], np.cumsum(mass[kept]) / mass.sum()
    if len(over) > 1:
        kept = np.append(True, np.diff(over) > 1e-14 * over[-1])
        over, under, share = over[kept], under[kept], share[kept]
    return over, under, share


def _compute_drawn_corners(rows: Amounts, weight: Vector) -> tuple[Vector, Vector, float]:
    """Compute the corners that hold the curve's shape, at most 200, and the area over all of it.

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
    return *thin_line(over, under, 200), area


def _make_cost_band(*, raw: bool, loss: PlaneFunction) -> BorrowedBand:
    """Return the band of the support function, which keeps the shape of a concave curve."""
    return BorrowedBand(CURVES["cost"].use(shift="optimal", loss=loss, raw=raw), _plane_limits)


def _plane_limits(alphas: Vector, low: Vector, high: Vector, over: Vector) -> tuple[Vector, Vector]:
    """Return limits of the curve, low where costs are high; nan where no α with limits meets it."""
    inside = (alphas > 0) & (alphas < 1) & np.isfinite(low) & np.isfinite(high)
    alpha = alphas[inside]
    if len(alpha) < 3:
        return np.full(len(over), np.nan), np.full(len(over), np.nan)
    # Where the lowest tangent is the outermost one, one beyond it may be lower still.
    slopes, intercepts = (1 - alpha) / alpha, -high[inside] / (2 * alpha)
    touched = np.argmin(slopes[:, None] * over + intercepts[:, None], axis=0)
    is_held = (touched > 0) & (touched < len(alpha) - 1)
    limits = (rroc_band(alpha, costs[inside], over) for costs in (high, low))
    lower, upper = (np.where(is_held, limit, np.nan) for limit in limits)
    return lower, upper


def _compute_squared_corners(rows: Amounts, weight: Vector) -> tuple[Vector, Vector]:
    """Compute the curve of squares over the stretch in which that of sums is drawn."""
    counted = np.unique(rows.error.values[weight > 0])
    if not len(counted):
        return np.zeros(1), np.full(1, np.nan)
    ends = float(counted[0]), float(counted[-1])
    if len(counted) > FEW_ROWS:
        at = [weighted_quantile(rows.error.values, weight, 1 - share) for share in MIDDLE[::-1]]
        ends = min(at[0], 0.0), max(at[1], 0.0)
    return trace_squared_curve(rows.error, weight, ends)


def _overs(rows: Amounts, weight: Vector, *, raw: bool, loss: PlaneFunction) -> Vector:
    drawn = (
        _compute_drawn_corners(rows, weight)
        if loss == "linlin"
        else _compute_squared_corners(rows, weight)
    )
    overs = drawn[0]
    return overs * float(weight.sum()) if raw else overs


def check_raw(raw: bool, loss: PlaneFunction) -> str | None:
    """Describe invalid parameters of the curve, or return None."""
    return "raw sums are drawn for linlin only" if raw and loss == "quadquad" else None


def _rroc_trace(rows: Amounts, weight: Vector, *, raw: bool, loss: PlaneFunction) -> Trace:
    """Return the corners of the grid, so that the curve and its band share their positions."""
    power = LOSSES[loss].power
    over, under = (
        float(side[0]) for side in rroc_points(rows, Batch.from_weights(weight), power=power)
    )
    scale = float(weight.sum()) if raw else 1.0
    marks = {"over": over * scale, "under": under * scale}
    if loss == "quadquad":
        return Trace(*_compute_squared_corners(rows, weight), marks=marks)
    x, y, area = _compute_drawn_corners(rows, weight)
    return Trace(x * scale, y * scale, marks={**marks, "aoc": area * scale**2})


def _plane_units(*, raw: bool, loss: PlaneFunction) -> dict[str, str]:
    return {"x_unit": LOSSES[loss].unit, "y_unit": LOSSES[loss].unit}


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
    band_from=_make_cost_band,
    check=check_raw,
    fields_for=_plane_units,
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
    rows: Amounts, batch: Batch, grid: Vector, *, raw: bool = False, loss: PlaneFunction = "linlin"
) -> Matrix:
    """Under-estimation against over-estimation while a constant is added to every score.

    `over` and `under` are the model as it is. The area over the curve, `aoc`, is half the variance
    of the errors (W²/2 times it if `raw`, when sums take the place of means). Of more than 100
    rows the stretch is drawn in which 5 to 95 % are over-estimated; `aoc` is that of all. With
    `loss: quadquad` errors count squared: in that plane equal Quad-Quad costs are straight lines.
    """
    if loss == "quadquad":
        return compute_squared_heights(rows.error, batch, grid)
    unders = compute_under_heights(rows.error, batch, grid, is_raw=raw).height
    per_weight = divide(unders, batch.totals[:, None])
    return per_weight * batch.totals[:, None] if raw else per_weight


Shift = Literal["none", "optimal", "fitted"]
FINE, COARSE = 101, 41  # places over α and over c


def check_cost_parameters(shift: Shift, loss: LossName, c: float | None, raw: bool) -> str | None:
    """Describe invalid parameters of the curve, or return None."""
    if shift == "fitted" and LOSSES[loss].is_exponential:
        return f"shift: fitted is drawn over α, and {loss} has none; take linlin or quadquad"
    if c is None:
        return None
    if not LOSSES[loss].is_exponential:
        return f"c belongs to linexp and quadexp; {loss} is drawn over all α"
    return None if 0 < c < np.inf else f"c is {c}, but must be above 0: how far the axis reaches"


def _grid(
    rows: Amounts, weight: Vector, *, shift: Shift, loss: LossName, c: float | None, raw: bool
) -> Vector:
    """Return all α, or c to both sides of 0: as far as given, else twice one over y's spread."""
    if not LOSSES[loss].is_exponential:
        return np.linspace(0.0, 1.0, FINE)
    if c is None:
        total, y = weight.sum(), rows.y.values
        centre = weight @ y / total if total > 0 else 0.0
        spread = np.sqrt(weight @ (y - centre) ** 2 / total) if total > 0 else 0.0
        c = 2.0 / float(spread) if spread > 0 else 1.0
    return np.linspace(-c, c, COARSE)


def _count_thinner_side(
    rows: Amounts,
    weight: Vector,
    grid: Vector,
    *,
    shift: Shift,
    loss: LossName,
    c: float | None,
    raw: bool,
) -> Vector:
    """Count the rows on the thinner side of the best shift for α; all, for scores as they are."""
    squares = float(weight @ weight)
    worth = float(weight.sum()) ** 2 / squares if squares > 0 else 0.0
    is_cut = shift != "none" and not LOSSES[loss].is_exponential
    share = np.minimum(grid, 1.0 - grid) if is_cut else np.ones(len(grid))
    return np.round(worth * share, 6)  # 100 rows at 0.9 leave ten, not a rounding less


def _cost_units(*, shift: Shift, loss: LossName, c: float | None, raw: bool) -> dict[str, str]:
    """Return the units: α is a share and c one over y; squares and exponentials cost squares."""
    of_x = "1" if LOSSES[loss].is_exponential else "share"
    return {"x_unit": of_x, "y_unit": "y" if LOSSES[loss].is_linear else "y²"}


def _trace(
    rows: Amounts, weight: Vector, *, shift: Shift, loss: LossName, c: float | None, raw: bool
) -> Trace:
    """Return the curve and its area, which is the mean cost where every α is equally likely."""
    grid = _grid(rows, weight, shift=shift, loss=loss, c=c, raw=raw)
    y = cost(rows, Batch.from_weights(weight), grid, shift=shift, loss=loss, c=c, raw=raw)[0]
    if LOSSES[loss].is_exponential:
        return Trace(grid, y)
    is_broken = (shift, loss) == ("optimal", "linlin")
    exact = minimal_cost_line(rows, weight) if is_broken and not raw else (grid, y)
    return Trace(grid, y, marks={"area": float(np.trapezoid(exact[1], exact[0]))})


@curve(
    title="Expected cost by asymmetry",
    task="regression",
    needs="amount",
    x_label="Asymmetry α: the weight of under-estimation; or c",
    y_label="Expected loss",
    x_unit="share",
    y_unit="y",
    bounds=(0.0, np.inf),
    is_monotone=False,
    cite=CITE,
    check=check_cost_parameters,
    grid=_grid,
    trace=_trace,
    thin=_count_thinner_side,
    fields_for=_cost_units,
    shown=Presentation(
        topic="costs",
        place=40,
        title="Expected cost over asymmetry, {shift}",
        x_label="{asymmetry}",
        y_label="mean cost of errors per row ({loss}){cost_unit}",
        reading="The lowest line is the cheapest model there; {middle}.",
        reading_of_one="The line is what errors cost at each of them; {middle}.",
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
    ),
)
def cost(
    rows: Amounts,
    batch: Batch,
    grid: Vector,
    *,
    shift: Shift = "none",
    loss: LossName = "linlin",
    c: float | None = None,
    raw: bool = False,
) -> Matrix:
    """Expected loss at every asymmetry: the scores as they are, or best shifted.

    For Lin-Lin at α = ½ it is the mean absolute error. `shift: optimal` adds, for each asymmetry
    and each resample, the constant that costs least on the same rows: what a perfect choice of
    shift could reach; `shift: fitted` adds the constant that costs least on the rows of a dataset
    with `role: fit`. Lin-Exp and Quad-Exp are drawn over their `c`, times 2/c², so that c = 0 is
    the squared error; `c` says how far. Raw is the sum over all rows.
    """  # noqa: D401
    costs = (
        costs_of_fitted_shifts(rows, batch, grid, loss)
        if shift == "fitted"
        else (expected_loss if shift == "none" else least_expected_loss)(loss, rows, batch, grid)
    )
    if raw:
        costs = costs * batch.totals[:, None]
    if not LOSSES[loss].is_exponential:
        return costs
    squares = _compute_squared_costs(rows, batch, shift) * (batch.totals[:, None] if raw else 1.0)
    return scale_by_square(loss, costs, squares, grid)


def _compute_squared_costs(rows: Amounts, batch: Batch, shift: Shift) -> Matrix:
    """Compute the mean squared error, or the error variance where a constant takes the rest."""
    error = rows.error.values - (np.median(rows.error.values) if len(rows) else 0.0)
    if shift == "none":
        error = rows.error.values
    mean, square = (divide(error**power @ batch.weights, batch.totals) for power in (1, 2))
    found = square if shift == "none" else np.maximum(square - mean**2, 0.0)
    return np.asarray(found[:, None])
