"""What errors cost when too high and too low do not cost the same.

α is what under-estimation weighs, from 0 (too low costs nothing) to 1 (too high costs nothing).
A pair of unit costs, `under` and `over`, is α = under / (under + over) in money.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Vector
from reportgen.losses.by_row import signed_costs, taught_shift
from reportgen.losses.losses import LOSSES, Loss, LossName, linlin
from reportgen.losses.shifts import TERMS, fitted, soft_score
from reportgen.metrics import questions
from reportgen.metrics.images import (
    as_one_side_or_both,
    as_units_of_the_loss,
    half_of_linlin,
)
from reportgen.metrics.left_out import without_each
from reportgen.metrics.limits import alpha_limits, not_one_of, outside
from reportgen.metrics.residual import RROC
from reportgen.metrics.sides import Sides, sides_of
from reportgen.metrics.spec import rowwise, whole
from reportgen.metrics.units import at_scale
from reportgen.rows import Amounts

KOENKER = (
    "Koenker & Bassett (1978), Regression quantiles, Econometrica 46; doi:10.2307/1913643"
)  # fmt: skip
ZELLNER = (
    "Zellner (1986), Bayesian estimation and prediction using asymmetric loss functions, Journal "
    "of the American Statistical Association 81; doi:10.1080/01621459.1986.10478289"
)
Shift = Literal["none", "optimal", "fitted", "soft"]
UnitCosts = Literal["same", "by row"]


@rowwise(
    kind="cost",
    title="Pinball loss",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=KOENKER,
    estimand="mean",
    needs="amount",
    check=alpha_limits,
    image=half_of_linlin,
    sides=sides_of,
    formula="mean of α(y − ŷ) if ŷ < y, else (1 − α)(ŷ − y)",
    answers=questions.QUANTILE,
    asks=questions.UNEVEN_COST,
    blind="whether the score is a good guess of anything but this quantile",
)
def pinball(y: Vector, score: Vector, *, alpha: float) -> Vector:
    """Mean loss of a score meant as the α-quantile of y, in the unit of y; the true one has least.

    Half of `asymmetric_cost`.
    """
    return linlin(score - y, alpha) / 2


@rowwise(
    kind="cost",
    title="Asymmetric cost",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit=at_scale("y", 2),
    cite=RROC,
    estimand="mean",
    needs="amount",
    check=alpha_limits,
    image=as_one_side_or_both,
    sides=sides_of,
    formula="mean of 2α(y − ŷ) if ŷ < y, else 2(1 − α)(ŷ − y)",
    answers=questions.COST,
    asks=questions.UNEVEN_COST,
    blind="costs that do not grow in a straight line, or differ from row to row",
)
def asymmetric_cost(y: Vector, score: Vector, *, alpha: float) -> Vector:
    """Mean Lin-Lin loss, in the unit of y: α weighs too low, 1 − α too high; MAE at α = 0.5."""
    return linlin(score - y, alpha)


def expected_cost_limits(
    loss: LossName,
    alpha: float | None,
    under: float | None,
    over: float | None,
    c: float | None,
    shift: Shift,
    degree: int,
    with_alpha: bool,
    unit_costs: UnitCosts,
) -> str | None:
    """What is wrong with the parameters of an expected cost, or None."""
    if unit_costs == "by row":
        return _by_row_limits(loss, shift, degree, {alpha, under, over, c} == {None})
    if with_alpha and not degree:
        return "with_alpha is for a polynomial of score and α together; give its degree, 1 to 5"
    if shift == "soft" and loss == "quadexp":
        return "shift: soft knows no best score for quadexp; take linlin, quadquad or linexp"
    if degree and (shift != "fitted" or loss != "linlin" or not 0 < degree < TERMS):
        return f"degree is {degree}; it is 1 to {TERMS - 1}, with loss: linlin and shift: fitted"
    return _asymmetry_limits(loss, alpha, under, over, c)


def _by_row_limits(loss: LossName, shift: Shift, degree: int, is_bare: bool) -> str | None:
    if not is_bare:
        return "unit_costs: by row takes no alpha, under, over or c; each row has its own costs"
    if loss != "linlin":
        return f"loss is {loss}; unit_costs: by row are of linlin"
    if shift not in ("none", "fitted") or degree:
        return "shift is none or fitted, a constant, where unit_costs: by row"
    return None


def _asymmetry_limits(
    loss: LossName, alpha: float | None, under: float | None, over: float | None, c: float | None
) -> str | None:
    if LOSSES[loss].parameter == "c":
        if not alpha is under is over is None:
            return f"{loss} takes c, not alpha or unit costs"
        is_good = c is None or (c != 0 and abs(c) < inf)
        return None if is_good else f"c is {c}, but must be a number other than 0"
    if c is not None:
        return f"c belongs to linexp and quadexp; {loss} takes alpha, or under and over"
    if (under is None) != (over is None):
        return "under and over are a pair of unit costs; give both"
    pair = None if under is None else f"{under}, {over}"
    wrong = not_one_of({"alpha": alpha, "the pair of under and over": pair}, "alpha: 0.8")
    if wrong or under is None or over is None:
        return wrong or outside("alpha", alpha, 0, 1)
    if under >= 0 and over >= 0 and 0 < under + over < inf:
        return None
    return f"under is {under} and over is {over}; costs are 0 or more, and not both are 0"


@dataclass(frozen=True)
class Terms:
    """What is paid: a loss, its asymmetry, the money one unit of it costs, and the best shift."""

    loss: Loss
    asymmetry: float
    price: float
    is_shifted: bool

    def costs(self, error: Vector, weight: Vector) -> Vector:
        """Cost of each row, shape (n,); nan where it is too large for a number."""
        if self.is_shifted:
            error = error + self.loss.best_shift(error, weight, self.asymmetry)
        costs = self.price * self.loss.of(error, self.asymmetry)
        return np.where(np.isfinite(costs), costs, np.nan)


def terms(
    y: Vector,
    *,
    loss: LossName,
    alpha: float | None,
    under: float | None,
    over: float | None,
    c: float | None,
    shift: Shift,
    degree: int = 0,
    with_alpha: bool = False,
    unit_costs: UnitCosts = "same",
) -> Terms:
    """The terms that the parameters of an expected cost mean on these rows."""
    price = 1.0
    if unit_costs == "by row":
        alpha = 0.5  # the errors themselves are costs by then
    if under is not None and over is not None:
        alpha, price = under / (under + over), (under + over) / (1 if loss == "pinball" else 2)
    if c is None:
        spread_of_y = float(np.std(y)) if len(y) else 0.0
        c = 1 / spread_of_y if spread_of_y > 0 else None
    asymmetry = c if LOSSES[loss].parameter == "c" else alpha
    return Terms(
        LOSSES[loss], np.nan if asymmetry is None else asymmetry, price, shift == "optimal"
    )


def _moved(
    rows: Amounts,
    *,
    shift: Shift,
    degree: int,
    with_alpha: bool,
    unit_costs: UnitCosts,
    **params: Any,
) -> Amounts:
    """The rows with the scores that are put to use, where the shift was found elsewhere."""
    if unit_costs == "by row":
        return _in_money(rows, taught_shift(rows) if shift == "fitted" else 0.0)
    if shift in ("none", "optimal"):
        return rows
    agreed, score = terms(rows.y.values, shift=shift, **params), rows.score.values
    if shift == "soft":
        score = soft_score(rows, agreed.loss, agreed.asymmetry)
    elif rows.fit is None:
        score = np.full(len(rows), np.nan)
    else:
        asymmetry = agreed.asymmetry
        score = fitted(score, rows.fit, agreed.loss, asymmetry, degree, with_alpha=with_alpha)
    return Amounts(rows.y, score, rows.parts)


def _in_money(rows: Amounts, constant: float) -> Amounts:
    """Rows whose error is what the error costs, above zero where the score is too high."""
    money = signed_costs(rows.error.values + constant, rows.unit_costs)
    return Amounts(np.zeros(len(rows)), money)


def _fields(*, shift: Shift, **params: Any) -> dict[str, str]:
    return {"needs": "density" if shift == "soft" else "amount", "unit": _unit(**params)}


def _unit(*, loss: LossName, under: float | None, unit_costs: UnitCosts, **_: Any) -> str:
    """Money where unit costs are given; else the unit of the loss, which an exponential lacks."""
    if under is not None or unit_costs == "by row":
        return "cost"
    if LOSSES[loss].parameter == "c":
        return "1"
    return at_scale("y²" if loss == "quadquad" else "y", 1 if loss == "pinball" else 2)


def _why_undefined(
    rows: Amounts,
    *,
    loss: LossName,
    c: float | None,
    shift: Shift,
    degree: int,
    unit_costs: UnitCosts,
    **_: Any,
) -> str:
    """Which cause it is that there is no cost: no asymmetry, no shifted score, or no number."""
    has_c = LOSSES[loss].parameter == "c"
    if unit_costs == "by row":
        return "where no row says what its errors cost"
    if has_c and c is None and np.ptp(rows.y.values) == 0:
        return "where every y is equal and c is not given"
    if shift in ("fitted", "soft") and not np.isfinite(rows.score.values).any():
        if shift == "soft" and "sd" not in rows.parts and loss != "linlin":
            return f"where quantile columns are all that is known and the loss is {loss}"
        if not has_c and (degree or shift == "soft"):
            return f"where a {'polynomial' if degree else 'density'} is asked for at α = 0 or 1"
        return "where no best score can be found"
    return "where an error is so large that its exponential is past exp(50)"


def _cost_of_many(rows: Amounts, batch: Batch, **params: Any) -> Vector:
    """One product for all weightings, unless each has a best shift of its own."""
    agreed = terms(rows.y.values, **params)
    error = rows.error.values
    costs = np.full(1, np.nan) if agreed.is_shifted else agreed.costs(error, error)
    if np.isnan(costs).any():
        return np.array([_mean(agreed.costs(error, w), w) for w in batch.weights.T], np.float64)
    values = np.full(batch.size, np.nan)
    np.divide(batch.weights.T @ costs, batch.totals, out=values, where=batch.totals > 0)
    return values


def _cost_influence(rows: Amounts, weight: Vector, **params: Any) -> Vector:
    """Cost minus mean cost: that the best shift moves changes nothing to first order."""
    costs = terms(rows.y.values, **params).costs(rows.error.values, weight)
    return costs - _mean(costs, weight)


def _cost_without_each(rows: Amounts, weight: Vector, **params: Any) -> Vector | None:
    """Exact while the scores stay as they are; each best shift would need its own search."""
    agreed = terms(rows.y.values, **params)
    if agreed.is_shifted:
        return None
    costs, values = agreed.costs(rows.error.values, weight), np.full(len(rows), np.nan)
    is_lost = np.isnan(costs) & (weight > 0)
    sums = without_each(weight * np.where(np.isnan(costs), 0.0, costs))
    totals = np.where(is_lost.sum() - is_lost.astype(int) > 0, 0.0, without_each(weight))
    np.divide(sums, totals, out=values, where=totals > 0)
    return values


def _sides_of_cost(rows: Amounts, *, loss: LossName, **params: Any) -> Sides | None:
    """Of straight lines alone: a square or an exponential has a tail of its own."""
    if loss not in ("linlin", "pinball"):
        return None
    asked = ("alpha", "under", "over", "c", "shift", "unit_costs")
    found = terms(rows.y.values, loss=loss, **{name: params[name] for name in asked})
    return sides_of(rows, alpha=found.asymmetry)


def _mean(costs: Vector, weight: Vector) -> float:
    counted = weight > 0
    if not counted.any():
        return np.nan
    return float(weight[counted] @ costs[counted] / weight[counted].sum())


@whole(
    kind="cost",
    title="Expected cost",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="cost",
    cite=f"{RROC}; Lin-Exp: {ZELLNER}",
    estimand="mean",
    needs="amount",
    check=expected_cost_limits,
    fast=_cost_of_many,
    influence=_cost_influence,
    leave_one_out=_cost_without_each,
    derive=_moved,
    fields_for=_fields,
    image=as_units_of_the_loss,
    sides=_sides_of_cost,
    why=_why_undefined,
    formula="Σ w l(ŷ + s − y) / Σ w, with s = 0, the constant that makes it least, a constant or "
    "polynomial of ŷ fitted on other rows, or what a density of each row says",
    undefined="where an error is so large that its exponential is past exp(50), c is not given and "
    "every y is equal, a polynomial or density is asked for at α = 0 or 1, or quantile columns "
    "for a loss other than linlin",
    answers=questions.COST,
    asks="what the errors of one case cost, on average",
    blind="whatever the declared unit costs leave out",
)
def expected_cost(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    loss: LossName = "linlin",
    alpha: float | None = None,
    under: float | None = None,
    over: float | None = None,
    c: float | None = None,
    shift: Shift = "none",
    degree: int = 0,
    with_alpha: bool = False,
    unit_costs: UnitCosts = "same",
) -> float:
    """Mean cost of a row under a named loss, the scores as they are or shifted for it.

    `shift: optimal` adds the constant that is best on these rows, which knows the answers;
    `fitted` the constant, or the polynomial of the score of this `degree`, that is best on the
    rows of a dataset with `role: fit` (`with_alpha` the one polynomial of score and α together that
    is best there on average over α); `soft` says what is best by each row's own density. The
    last two come with the score, which is judged here as it is: the rows that taught a shift are
    given, and are not resampled.

    With unit costs `under` and `over` it is money: under · (y − ŷ) where too low, over · (ŷ − y)
    where too high (squared for quadquad). With `alpha` alone it is the loss itself, in the unit
    of y. With `unit_costs: by row` each row has its own, which `costs: {under: {column: …}}` names;
    the best constant for them is found in the section on costs alone. Lin-Exp and Quad-Exp take
    `c`, in 1/y, by default one over the standard deviation of y in these rows, each counted once.
    """
    agreed = terms(y, loss=loss, alpha=alpha, under=under, over=over, c=c, shift=shift,
                   unit_costs=unit_costs)  # fmt: skip
    return _mean(agreed.costs(score - y, weight), weight)
