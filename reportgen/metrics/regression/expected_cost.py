"""Expected cost of a case, as scores are or once they are shifted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics import questions
from reportgen.metrics.influence import sums_without_each
from reportgen.metrics.lookup import check_exactly_one, check_range
from reportgen.metrics.losses.loss_functions import (
    LOSSES,
    Loss,
    LossName,
    compute_signed_costs,
    fit_row_cost_shift,
)
from reportgen.metrics.losses.shifts import TERMS, apply_fitted_shift, best_density_score
from reportgen.metrics.metric import LossSides, find_loss_sides, whole
from reportgen.metrics.monotone import (
    image_in_least_loss_units,
    image_in_loss_units,
    image_in_own_units,
)
from reportgen.metrics.regression.errors import RAW_IS_A_SUM, RROC, scale_if_raw
from reportgen.metrics.rows import Amounts
from reportgen.metrics.statistic import Function, adopt_parameters
from reportgen.metrics.traits import unit_at_scale
from reportgen.records import record


@record
class CostTerms:
    """A loss, its asymmetry (α, or c of an exponential), and the money one unit of it costs."""

    loss: Loss
    asymmetry: float
    price: float

    def costs(self, error: Vector) -> Vector:
        """Cost of each row, shape (n,); nan where it is too large for a number."""
        costs = self.price * self.loss.of(error, self.asymmetry)
        return np.where(np.isfinite(costs), costs, np.nan)

    def least_costs(self, error: Vector, weight: Vector) -> Vector:
        """Compute the same costs after adding the constant that is best under this weighting."""
        return self.costs(error + self.loss.best_shift(error, weight, self.asymmetry))


def make_cost_terms(
    y: Vector,
    *,
    loss: LossName,
    alpha: float | None,
    under: float | None,
    over: float | None,
    c: float | None,
    **_: Any,
) -> CostTerms:
    """Build the terms that the parameters of an expected cost mean on these rows."""
    price = 1.0
    if under is not None and over is not None:
        alpha, price = under / (under + over), (under + over) / LOSSES[loss].total
    if c is None:
        spread_of_y = float(np.std(y)) if len(y) else 0.0
        c = 1 / spread_of_y if spread_of_y > 0 else None
    asymmetry = c if LOSSES[loss].is_exponential else alpha
    return CostTerms(LOSSES[loss], np.nan if asymmetry is None else asymmetry, price)


def check_asymmetry(
    loss: LossName, alpha: float | None, under: float | None, over: float | None, c: float | None
) -> str | None:
    """Describe an invalid asymmetry of an expected cost, or return None."""
    if LOSSES[loss].is_exponential:
        if not alpha is under is over is None:
            return f"{loss} takes c, not alpha or unit costs"
        is_good = c is None or (c != 0 and abs(c) < inf)
        return None if is_good else f"c is {c}, but must be a number other than 0"
    if c is not None:
        return f"c belongs to linexp and quadexp; {loss} takes alpha, or under and over"
    if (under is None) != (over is None):
        return "under and over are a pair of unit costs; give both"
    pair = None if under is None else f"{under}, {over}"
    wrong = check_exactly_one({"alpha": alpha, "the pair of under and over": pair}, "alpha: 0.8")
    if wrong or under is None or over is None:
        return wrong or check_range("alpha", alpha, 0, 1)
    if under >= 0 and over >= 0 and 0 < under + over < inf:
        return None
    return f"under is {under} and over is {over}; costs are 0 or more, and not both are 0"


def cost_unit_fields(*, loss: LossName, under: float | None, **_: Any) -> dict[str, str]:
    """Money where unit costs are given; else the unit of the loss, which an exponential lacks."""
    if under is not None:
        return {"unit": "cost"}
    if LOSSES[loss].is_exponential:
        return {"unit": "1"}
    return {"unit": unit_at_scale(LOSSES[loss].unit, LOSSES[loss].total)}


def check_terms_of_a_sum(raw: bool, **params: Any) -> str | None:
    """Describe an invalid asymmetry of a cost that may be a sum, or return None."""
    return check_asymmetry(**params)


ZELLNER = (
    "Zellner (1986), Bayesian estimation and prediction using asymmetric loss functions, Journal "
    "of the American Statistical Association 81; doi:10.1080/01621459.1986.10478289"
)
EXPONENTIAL = "where an error is so large that its exponential is past exp(50)"
NO_UNIT_COSTS = "where no row says what its errors cost"
NO_SPREAD = "where every y is equal and c is not given"


def _cost(
    shift: str = "none", unit_costs: str = "same", **about: Any
) -> Callable[[Function], Function]:
    """Register a mean cost; all of them are asked for by one name."""
    return whole(
        kind="cost",
        task="regression",
        better="lower",
        bounds=(0.0, inf),
        unit="cost",
        cite=f"{RROC}; Lin-Exp: {ZELLNER}",
        estimand="mean",
        asked_as={"name": "expected_cost", "shift": shift, "unit_costs": unit_costs},
        answers=questions.COST,
        asks="what the errors of one case cost, on average",
        **{"needs": "amount", **about},
    )


def _mean(costs: Vector, weight: Vector) -> float:
    counted = weight > 0
    if not counted.any():
        return np.nan
    return float(weight[counted] @ costs[counted] / weight[counted].sum())


def _means(costs: Vector, batch: Batch) -> Vector:
    """Compute the mean cost under each weighting, (b,): as one product, unless a cost is nan."""
    if np.isnan(costs).any():
        return np.array([_mean(costs, weight) for weight in batch.weights.T], np.float64)
    return divide(batch.weights.T @ costs, batch.totals)


def _mean_without_each(costs: Vector, weight: Vector) -> Vector:
    values, is_lost = np.full(len(costs), np.nan), np.isnan(costs) & (weight > 0)
    sums = sums_without_each(weight * np.where(np.isnan(costs), 0.0, costs))
    totals = np.where(is_lost.sum() - is_lost.astype(int) > 0, 0.0, sums_without_each(weight))
    np.divide(sums, totals, out=values, where=totals > 0)
    return values


def _terms(rows: Amounts, params: dict[str, Any]) -> CostTerms:
    return make_cost_terms(rows.y.values, **params)


def _costs(rows: Amounts, **params: Any) -> Vector:
    """Compute the cost of each row as it is, (n,)."""
    return _terms(rows, params).costs(rows.error.values)


def _build_fast_forms(costs: Callable[..., Vector] = _costs) -> dict[str, Any]:
    """Build the fast and exact forms of a mean of row costs, f(rows, **params) -> (n,)."""

    def fast(rows: Amounts, batch: Batch, *, raw: bool = False, **params: Any) -> Vector:
        return _means(costs(rows, **params), batch) * scale_if_raw(batch.totals, raw=raw)

    def influence(rows: Amounts, weight: Vector, *, raw: bool = False, **params: Any) -> Vector:
        paid = costs(rows, **params)
        total = weight.sum(keepdims=True)
        return (paid - _mean(paid, weight)) * scale_if_raw(total, raw=raw)

    def leave_one_out(rows: Amounts, weight: Vector, *, raw: bool = False, **params: Any) -> Vector:
        means = _mean_without_each(costs(rows, **params), weight)
        return means * scale_if_raw(sums_without_each(weight), raw=raw)

    return {"fast": fast, "influence": influence, "leave_one_out": leave_one_out}


def _sides(rows: Amounts, *, loss: LossName, **params: Any) -> LossSides | None:
    """Return the sides of straight lines alone: a square or an exponential has its own tail."""
    if not LOSSES[loss].is_linear:
        return None
    return find_loss_sides(rows, alpha=_terms(rows, {"loss": loss, **params}).asymmetry)


def _explain_undefined(rows: Amounts, *, loss: LossName, c: float | None, **_: Any) -> str:
    return (
        NO_SPREAD
        if LOSSES[loss].is_exponential and c is None and np.ptp(rows.y.values) == 0
        else EXPONENTIAL
    )


def _at_agreed_terms(**about: Any) -> Callable[[Function], Function]:
    """Register f(error, weight, paid_by, **params), a mean cost at the terms of its parameters."""
    return partial(_register_at_terms, about)


def _register_at_terms(about: dict[str, Any], function: Function) -> Function:
    def value(
        y: Vector,
        score: Vector,
        weight: Vector,
        *,
        loss: LossName = "linlin",
        alpha: float | None = None,
        under: float | None = None,
        over: float | None = None,
        c: float | None = None,
        **own: Any,
    ) -> float:
        paid_by = make_cost_terms(y, loss=loss, alpha=alpha, under=under, over=over, c=c)
        raw = {"raw": own["raw"]} if "raw" in own else {}
        return float(function(score - y, weight, paid_by, **raw))

    adopt_parameters(value, function, value, function)
    shared = {
        "check": check_asymmetry,
        "fields_for": cost_unit_fields,
        "sides": _sides,
        "why": _explain_undefined,
    }
    _cost(**{**shared, **about})(value)
    return function


@_at_agreed_terms(
    reference="best constant",
    title="Expected cost",
    check=check_terms_of_a_sum,
    scale=scale_if_raw,
    exempt_from=RAW_IS_A_SUM,
    image=image_in_loss_units("expected_cost"),
    formula="Σ w l(ŷ − y), divided by Σ w unless raw",
    undefined=f"{EXPONENTIAL}, or c is not given and every y is equal",
    blind="whatever the declared unit costs leave out",
    **_build_fast_forms(),
)
def expected_cost(error: Vector, weight: Vector, paid_by: CostTerms, *, raw: bool = False) -> float:
    """Mean cost of a row under a named loss, the scores as they are; that of all rows if raw.

    With unit costs `under` and `over` it is money: under · (y − ŷ) where too low, over · (ŷ − y)
    where too high (squared for quadquad). With `alpha` alone it is the loss itself, in the unit
    of y. Lin-Exp and Quad-Exp take `c`, in 1/y, by default one over the standard deviation of y
    in these rows, each counted once.

    `shift` and `unit_costs` ask for the cost of other scores, or at other unit costs:
    `expected_cost_optimal`, `expected_cost_fitted`, `expected_cost_density`,
    `expected_cost_by_row` and `expected_cost_by_row_fitted` say what they are.
    """
    scale = float(scale_if_raw(np.array([weight.sum()]), raw=raw)[0])
    return _mean(paid_by.costs(error), weight) * scale


def _compute_optimal_costs(rows: Amounts, batch: Batch, **params: Any) -> Vector:
    """Each weighting has a best constant of its own."""
    paid_by, error = _terms(rows, params), rows.error.values
    least = (_mean(paid_by.least_costs(error, w), w) for w in batch.weights.T)
    return np.array(list(least), np.float64)


def _least_influence(rows: Amounts, weight: Vector, **params: Any) -> Vector:
    """Cost minus mean cost: that the best shift moves changes nothing to first order."""
    costs = _terms(rows, params).least_costs(rows.error.values, weight)
    return costs - _mean(costs, weight)


@_at_agreed_terms(
    reference="best constant",
    shift="optimal",
    title="Expected cost with the best constant",
    fast=_compute_optimal_costs,
    influence=_least_influence,
    image=image_in_least_loss_units("expected_cost_optimal"),
    formula="min over s of Σ w l(ŷ + s − y) / Σ w",
    undefined=f"{EXPONENTIAL}, or c is not given and every y is equal",
    blind="that nobody knows the best constant before what happens",
)
def expected_cost_optimal(error: Vector, weight: Vector, paid_by: CostTerms) -> float:
    """Mean cost of a row once the constant is added to every score that costs least here.

    The constant is best on these rows, so it knows the answers.
    """
    return _mean(paid_by.least_costs(error, weight), weight)


def _apply_fitted_shift(
    rows: Amounts, *, degree: int, with_alpha: bool, loss: LossName, **params: Any
) -> Amounts:
    """Return the rows with the shifted score that is put to use; nan without training rows."""
    if rows.fit is None:
        return Amounts(rows.y, np.full(len(rows), np.nan), rows.parts)
    agreed, score = _terms(rows, {"loss": loss, **params}), rows.score.values
    found = apply_fitted_shift(
        score, rows.fit, agreed.loss, agreed.asymmetry, degree, with_alpha=with_alpha
    )
    return Amounts(rows.y, found, rows.parts)


def check_fitted_shift(degree: int, with_alpha: bool, loss: LossName, **params: Any) -> str | None:
    """Describe invalid parameters of a fitted shift, or return None."""
    if with_alpha and not degree:
        return "with_alpha is for a polynomial of score and α together; give its degree, 1 to 5"
    if degree and (loss != "linlin" or not 0 < degree < TERMS):
        return f"degree is {degree}; it is 1 to {TERMS - 1}, with loss: linlin"
    return check_asymmetry(loss, **params)


def _why_not_fitted(rows: Amounts, *, degree: int, **params: Any) -> str:
    reason = _explain_undefined(rows, **params)
    if np.isfinite(rows.score.values).any() or reason == NO_SPREAD:
        return reason
    if degree:
        return "where a polynomial is asked for at α = 0 or 1"
    return "where no best score can be found"


@_at_agreed_terms(
    reference="best constant",
    shift="fitted",
    title="Expected cost with a fitted correction",
    check=check_fitted_shift,
    derive=_apply_fitted_shift,
    image=image_in_own_units("expected_cost_fitted"),
    why=_why_not_fitted,
    formula="Σ w l(ŷ + s(ŷ) − y) / Σ w, with s the constant or polynomial of least cost on the "
    "training rows",
    undefined=f"{EXPONENTIAL}, c is not given and every y is equal, a polynomial is asked for at "
    "α = 0 or 1, or there are no training rows",
    blind="how much the correction would be another one on other training rows",
    **_build_fast_forms(),
)
def expected_cost_fitted(
    error: Vector, weight: Vector, paid_by: CostTerms, *, degree: int = 0, with_alpha: bool = False
) -> float:
    """Mean cost of a row once a correction is added to its score that was fitted on other rows.

    The correction is the constant, or the polynomial of the score of this `degree`, that costs
    least on the rows of a dataset with `role: fit`; `with_alpha` the one polynomial of score and
    α together that costs least there on average over α.
    """
    return _mean(paid_by.costs(error), weight)


def _apply_best_score(rows: Amounts, **params: Any) -> Amounts:
    """Return the rows with the best score by each row's density."""
    agreed = _terms(rows, params)
    score = best_density_score(rows, agreed.loss, agreed.asymmetry)
    return Amounts(rows.y, score, rows.parts)


def check_density_loss(loss: LossName, **params: Any) -> str | None:
    """Describe invalid parameters of a cost by a density, or return None."""
    if loss == "quadexp":
        return "shift: soft knows no best score for quadexp; take linlin, quadquad or linexp"
    return check_asymmetry(loss, **params)


def _why_no_density(rows: Amounts, *, loss: LossName, **params: Any) -> str:
    reason = _explain_undefined(rows, loss=loss, **params)
    if np.isfinite(rows.score.values).any() or reason == NO_SPREAD:
        return reason
    if "sd" not in rows.parts and loss != "linlin":
        return f"where quantile columns are all that is known and the loss is {loss}"
    if not LOSSES[loss].is_exponential:
        return "where a density is asked for at α = 0 or 1"
    return "where no best score can be found"


@_at_agreed_terms(
    reference="best constant",
    shift="soft",
    title="Expected cost by a predictive density",
    needs="density",
    check=check_density_loss,
    derive=_apply_best_score,
    image=image_in_own_units("expected_cost_density"),
    why=_why_no_density,
    formula="Σ w l(ŝ − y) / Σ w, with ŝ the score of least expected cost under each row's density",
    undefined=f"{EXPONENTIAL}, c is not given and every y is equal, α is 0 or 1, or quantile "
    "columns are all that is known and the loss is not linlin",
    blind="the score itself: only what the density says is judged",
    **_build_fast_forms(),
)
def expected_cost_density(error: Vector, weight: Vector, paid_by: CostTerms) -> float:
    """Mean cost of a row where each row's own predictive density says which score costs least."""
    return _mean(paid_by.costs(error), weight)


def _convert_to_money(rows: Amounts, constant: float = 0.0) -> Amounts:
    """Rows whose error is what the error costs, above zero where the score is too high."""
    money = compute_signed_costs(rows.error.values + constant, rows.unit_costs)
    return Amounts(np.zeros(len(rows)), money)


def _convert_fitted_to_money(rows: Amounts) -> Amounts:
    return _convert_to_money(rows, fit_row_cost_shift(rows))


def _compute_finite_costs(rows: Amounts) -> Vector:
    paid = np.abs(rows.error.values)
    return np.where(np.isfinite(paid), paid, np.nan)


_by_row = partial(
    _cost,
    unit_costs="by row",
    why=lambda rows: NO_UNIT_COSTS,
    **_build_fast_forms(_compute_finite_costs),
)


@_by_row(
    reference="best constant",
    title="Expected cost at each row's unit costs",
    derive=_convert_to_money,
    formula="Σ w (u(y − ŷ)⁺ + o(ŷ − y)⁺) / Σ w, with u and o those of each row",
    undefined=NO_UNIT_COSTS,
    blind="whatever the declared unit costs leave out",
)
def expected_cost_by_row(y: Vector, score: Vector, weight: Vector) -> float:
    """Mean cost of a row at the unit costs of each, which `costs: {under: {column: …}}` names."""
    return _mean(np.abs(score - y), weight)


@_by_row(
    reference="best constant",
    shift="fitted",
    title="Expected cost at each row's unit costs with a fitted constant",
    derive=_convert_fitted_to_money,
    formula="Σ w (u(y − ŷ − s)⁺ + o(ŷ + s − y)⁺) / Σ w, with u and o those of each row and s the "
    "constant of least cost on the training rows",
    undefined=f"{NO_UNIT_COSTS}, or there are no training rows",
    blind="how much the constant would be another one on other training rows",
)
def expected_cost_by_row_fitted(y: Vector, score: Vector, weight: Vector) -> float:
    """Mean cost of a row at the unit costs of each, once a constant is added to every score.

    The constant is the one that costs least on the rows of a dataset with `role: fit`.
    """
    return _mean(np.abs(score - y), weight)
