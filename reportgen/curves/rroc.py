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
from reportgen.curves.moved import fitted_costs
from reportgen.curves.spec import CURVES, Curve, Trace, curve, thinned
from reportgen.kernels.batch import Batch, Matrix, Rows, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.walks import unders_along

CITE = "doi:10.1016/j.patcog.2013.06.014"
FEW_ROWS = 100
MIDDLE = (0.05, 0.95)  # the shares over-estimated between which the curve of more rows is drawn
Shift = Literal["none", "optimal", "fitted"]


def points(rows: Rows, batch: Batch, *, power: int = 1) -> tuple[Vector, Vector]:
    """Mean over- and under-estimation under each weighting, shapes (b,).

    With `power=2` errors count squared: in that plane the isometrics of Quad-Quad are straight.
    """
    size = np.abs(rows.error.values) ** power
    sides = np.stack([size * (rows.error.values > 0), -size * (rows.error.values < 0)], axis=1)
    over, under = ratio(weighted_sums(batch, sides), batch.totals[:, None]).T
    return over, under


def vertices(rows: Rows, batch: Batch) -> tuple[Matrix, Matrix]:
    """OVER and UNDER at every corner of the RROC curve, low OVER first; shapes (groups, b).

    A corner stands where the shift makes the error of a row zero; equal errors share one.
    """
    values = rows.error.values
    centred = values - (np.median(values) if len(values) else 0.0)  # no digits lost to a bias
    weight, sums = weight_up_to(batch, rows.error), sum_up_to(batch, rows.error, centred)
    ends = centred[rows.error.order][rows.error.is_last][:, None]
    over = (sums[-1] - sums[1:]) - ends * (weight[-1] - weight[1:])
    under = sums[:-1] - ends * weight[:-1]
    over, under = (ratio(side, batch.totals[None, :])[::-1] for side in (over, under))
    return np.maximum(over, 0.0), np.minimum(under, 0.0) + 0.0  # no −0 at the end


def minimal_costs(rows: Rows, batch: Batch, alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss once the best constant for each α is added, shape (b, g); α rises.

    2(Σ of the errors among the α·W of the weight with the largest − α·Σ of all)/W.
    """
    shares = np.append(1.0 - alphas[::-1], 1.0)
    sums = at_shares(shares, rows.error, rows.error.values, batch)
    total = sums[:, -1:]
    spare = 2 * (total - sums[:, -2::-1] - alphas[None, :] * total)
    return np.maximum(ratio(spare, batch.totals[:, None]), 0.0)


def minimal_cost_line(rows: Rows, weight: Vector) -> tuple[Vector, Vector]:
    """The exact corners of the minimal cost against α, from (0, 0) to (1, 0)."""
    batch = Batch.of(weight)
    if not batch.totals[0] > 0:
        return np.array([0.0, 1.0]), np.full(2, np.nan)
    up = weight_up_to(batch, rows.error)[:, 0]
    alphas = np.unique(1.0 - up / up[-1])
    return alphas, minimal_costs(rows, batch, alphas)[0]


def plain_costs(rows: Rows, batch: Batch, alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss of the scores as they are at each α, shape (b, g)."""
    over, under = points(rows, batch)
    costs: Matrix = 2 * (1 - alphas) * over[:, None] - 2 * alphas * under[:, None]
    return costs


def chosen_costs(y: Vector, scores: Matrix, batch: Batch, alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss where row k of `scores` (g, n) is what is said at the k-th α, (b, g).

    For shifts that were fitted elsewhere, polynomial shifts and soft models alike.
    """
    error = scores - y
    high, low = 2 * (1 - alphas)[:, None], -2 * alphas[:, None]
    losses = error * np.where(error > 0, high, low)
    return ratio((losses @ batch.weights).T, batch.totals[:, None])


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


def _corners(rows: Rows, weight: Vector) -> tuple[Vector, Vector, Vector]:
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


def _drawn(rows: Rows, weight: Vector) -> tuple[Vector, Vector]:
    """The corners that hold the shape of the curve, at most 200: few rows have all of theirs.

    Of many rows, shifts that put nearly all of them on one side would hide everything else.
    """
    over, under, share = _corners(rows, weight)
    if len(over) > FEW_ROWS:
        own = weight @ (rows.error.values > 0) / weight.sum()
        inside = (share >= min(MIDDLE[0], own)) & (share <= max(MIDDLE[1], own))
        over, under = over[inside], under[inside]
    return thinned(over, under, 200)


def _cost_of_shifted(*, raw: bool) -> Curve | None:
    """The support function of the curve: its band keeps the shape of a concave curve."""
    return None if raw else CURVES["cost"].use(shift="optimal")


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


def _overs(rows: Rows, weight: Vector, *, raw: bool) -> Vector:
    overs = _drawn(rows, weight)[0]
    return overs * float(weight.sum()) if raw else overs


def _rroc_trace(rows: Rows, weight: Vector, *, raw: bool) -> Trace:
    """The corners of the grid, so that the curve and its band share their places."""
    over, under, _ = _corners(rows, weight)
    point = [float(side[0]) for side in points(rows, Batch.of(weight))]
    area = float(-np.diff(over) @ (under[1:] + under[:-1]) / 2) if len(over) else np.nan
    scale = float(weight.sum()) if raw else 1.0
    marks = {"over": point[0] * scale, "under": point[1] * scale, "aoc": area * scale**2}
    x, y = _drawn(rows, weight)
    return Trace(x * scale, y * scale, marks=marks)


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
)
def rroc(rows: Rows, batch: Batch, grid: Vector, *, raw: bool = False) -> Matrix:
    """Under-estimation against over-estimation while a constant is added to every score.

    `over` and `under` are the model as it is. The area over the curve, `aoc`, is half the variance
    of the errors (W²/2 times it if `raw`, when sums take the place of means). Of more than 100
    rows the stretch is drawn in which 5 to 95 % are over-estimated; `aoc` is that of all.
    """
    unders = unders_along(rows.error, batch, grid, is_raw=raw).height
    per_weight = ratio(unders, batch.totals[:, None])
    return per_weight * batch.totals[:, None] if raw else per_weight


def _alphas(rows: Rows, weight: Vector, *, shift: Shift) -> Vector:
    return np.linspace(0.0, 1.0, 101)


def _rows_beside(rows: Rows, weight: Vector, grid: Vector, *, shift: Shift) -> Vector:
    """The best shift for α leaves this many rows on its thinner side; scores as they are, all."""
    squares = float(weight @ weight)
    worth = float(weight.sum()) ** 2 / squares if squares > 0 else 0.0
    share = np.ones(len(grid)) if shift == "none" else np.minimum(grid, 1.0 - grid)
    return np.round(worth * share, 6)  # 100 rows at 0.9 leave ten, not a rounding less


def _cost_trace(rows: Rows, weight: Vector, *, shift: Shift) -> Trace:
    """The area is the mean cost where every α is as likely."""
    grid = _alphas(rows, weight, shift=shift)
    y = cost(rows, Batch.of(weight), grid, shift=shift)[0]
    exact = minimal_cost_line(rows, weight) if shift == "optimal" else (grid, y)
    return Trace(grid, y, marks={"area": float(np.trapezoid(exact[1], exact[0]))})


@curve(
    title="Expected cost by asymmetry",
    task="regression",
    needs="amount",
    x_label="Asymmetry α: the weight of under-estimation",
    y_label="Expected Lin-Lin loss",
    x_unit="share",
    y_unit="y",
    bounds=(0.0, np.inf),
    is_monotone=False,
    cite=CITE,
    grid=_alphas,
    trace=_cost_trace,
    thin=_rows_beside,
)
def cost(rows: Rows, batch: Batch, grid: Vector, *, shift: Shift = "none") -> Matrix:
    """Expected Lin-Lin loss at every asymmetry: the scores as they are, or best shifted.

    At α = ½ it is the mean absolute error. `shift: optimal` adds, for each α and each resample,
    the constant that costs least on the same rows: what a perfect choice of shift could reach.
    `shift: fitted` adds the constant that costs least on the rows of a dataset with `role: fit`.
    """
    if shift == "fitted":
        return fitted_costs(rows, batch, grid)
    return (plain_costs if shift == "none" else minimal_costs)(rows, batch, grid)
