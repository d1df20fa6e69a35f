"""Cost space: the expected loss of a model against the asymmetry of the loss."""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.rroc import CITE
from reportgen.curves.spec import Trace, curve
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.losses.expected import expected, least, per_square
from reportgen.losses.losses import LOSSES, LossName
from reportgen.losses.rroc import minimal_cost_line
from reportgen.losses.shifted import fitted_costs
from reportgen.rows import Amounts

Shift = Literal["none", "optimal", "fitted"]
FINE, COARSE = 101, 41  # places over α and over c


def cost_limits(shift: Shift, loss: LossName, c: float | None, raw: bool) -> str | None:
    """What is wrong with the parameters of the curve, or None."""
    if shift == "fitted" and LOSSES[loss].parameter == "c":
        return f"shift: fitted is drawn over α, and {loss} has none; take linlin or quadquad"
    if c is None:
        return None
    if LOSSES[loss].parameter == "alpha":
        return f"c belongs to linexp and quadexp; {loss} is drawn over all α"
    return None if 0 < c < np.inf else f"c is {c}, but must be above 0: how far the axis reaches"


def _grid(
    rows: Amounts, weight: Vector, *, shift: Shift, loss: LossName, c: float | None, raw: bool
) -> Vector:
    """All α, or c to both sides of 0: as far as said, else twice one over the spread of y."""
    if LOSSES[loss].parameter == "alpha":
        return np.linspace(0.0, 1.0, FINE)
    if c is None:
        total, y = weight.sum(), rows.y.values
        centre = weight @ y / total if total > 0 else 0.0
        spread = np.sqrt(weight @ (y - centre) ** 2 / total) if total > 0 else 0.0
        c = 2.0 / float(spread) if spread > 0 else 1.0
    return np.linspace(-c, c, COARSE)


def _rows_beside(
    rows: Amounts,
    weight: Vector,
    grid: Vector,
    *,
    shift: Shift,
    loss: LossName,
    c: float | None,
    raw: bool,
) -> Vector:
    """The best shift for α leaves this many rows on its thinner side; scores as they are, all."""
    squares = float(weight @ weight)
    worth = float(weight.sum()) ** 2 / squares if squares > 0 else 0.0
    is_cut = shift != "none" and LOSSES[loss].parameter == "alpha"
    share = np.minimum(grid, 1.0 - grid) if is_cut else np.ones(len(grid))
    return np.round(worth * share, 6)  # 100 rows at 0.9 leave ten, not a rounding less


def _units(*, shift: Shift, loss: LossName, c: float | None, raw: bool) -> dict[str, str]:
    """An α is a share and c one over y; squares and exponentials cost squares."""
    is_linear = loss in ("linlin", "pinball")
    of_x = "share" if LOSSES[loss].parameter == "alpha" else "1"
    return {"x_unit": of_x, "y_unit": "y" if is_linear else "y²"}


def _trace(
    rows: Amounts, weight: Vector, *, shift: Shift, loss: LossName, c: float | None, raw: bool
) -> Trace:
    """The area is the mean cost where every α is as likely."""
    grid = _grid(rows, weight, shift=shift, loss=loss, c=c, raw=raw)
    y = cost(rows, Batch.of(weight), grid, shift=shift, loss=loss, c=c, raw=raw)[0]
    if LOSSES[loss].parameter == "c":
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
    check=cost_limits,
    grid=_grid,
    trace=_trace,
    thin=_rows_beside,
    fields_for=_units,
    shown=Presentation(
        topic="costs",
        place=40,
        title="Expected cost over asymmetry, {shift}",
        x_label="{asymmetry}",
        y_label="mean cost of the errors of a row ({loss}){cost_unit}",
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
    """
    costs = (fitted_costs(rows, batch, grid, loss) if shift == "fitted"
             else (expected if shift == "none" else least)(loss, rows, batch, grid))  # fmt: skip
    if raw:
        costs = costs * batch.totals[:, None]
    if LOSSES[loss].parameter == "alpha":
        return costs
    squares = _squares(rows, batch, shift) * (batch.totals[:, None] if raw else 1.0)
    return per_square(loss, costs, squares, grid)


def _squares(rows: Amounts, batch: Batch, shift: Shift) -> Matrix:
    """The mean squared error, or the variance of the error where a constant takes the rest."""
    error = rows.error.values - (np.median(rows.error.values) if len(rows) else 0.0)
    if shift == "none":
        error = rows.error.values
    mean, square = (ratio(error**power @ batch.weights, batch.totals) for power in (1, 2))
    found = square if shift == "none" else np.maximum(square - mean**2, 0.0)
    return np.asarray(found[:, None])
