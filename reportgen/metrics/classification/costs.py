"""Misclassification cost and the H measure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.calibration_fits import fit_isotonic_blocks
from reportgen.kernels.cumulative import divide
from reportgen.kernels.score_cells import (
    ClassWeights,
    ScoreCells,
    compute_over_cells,
    make_score_cells,
)
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.thresholds import CELLS, FN, FP, TN, TP, sum_flagged
from reportgen.metrics import questions
from reportgen.metrics.classification.confusion import (
    POINT_PARAMETERS,
    THRESHOLD,
    build_threshold_table,
    check_threshold,
    find_threshold_needs,
    flag_at_point,
)
from reportgen.metrics.classification.decomposition import (
    draw_outcomes,
    isotonic_shares,
    outcome_cells,
    positives_by_cell,
    weight_by_cell,
)
from reportgen.metrics.classification.roc import ONE_CLASS, positive_mask
from reportgen.metrics.count_tables import CallTable
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import rowwise, whole
from reportgen.metrics.rows import Classes
from reportgen.metrics.statistic import Scalar
from reportgen.metrics.traits import ESTIMANDS

ELKAN = "Elkan (2001), The foundations of cost-sensitive learning, IJCAI"


def check_error_costs(
    threshold: float,
    at: str,
    moves: bool,
    fp: float | None,
    fn: float | None,
    tp: float,
    tn: float,
    **_: Scalar,
) -> str | None:
    """Describe what is wrong with the costs of flags or where they begin, or return None."""
    if (fp is None) != (fn is None):
        return "fp and fn are a pair of costs; give both"
    if fp is None and (tp, tn) != (0, 0):
        return "tp and tn go with fp and fn; give all of them"
    return check_threshold(threshold, at, moves)


Constant = Literal["", "everyone", "nobody"]
"""Whom to flag whatever the score, as that with which the cost is compared."""


def _costs(
    rows: Classes,
    *,
    fp: float | None,
    fn: float | None,
    tp: float,
    tn: float,
    against: Constant,
    **_: Scalar,
) -> Matrix:
    """Return the cost of each cell of the matrix on each row, (n, 4); nan where none is given."""
    if fp is not None and fn is not None:
        own = np.tile(list_cell_costs(tp, fp, fn, tn), (len(rows), 1))
    elif rows.cell_costs is None:
        own = np.full((len(rows), CELLS), np.nan)
    else:
        own = rows.cell_costs
    return compare_with_constant(own, against)


def compare_with_constant(costs: Matrix, against: Constant) -> Matrix:
    """Return by how much cells (n, 4) cost more than where everyone, or nobody, is flagged.

    >>> compare_with_constant(list_cell_costs(tp=0, fp=10, fn=200, tn=0)[None, :], "everyone")
    array([[-10.,   0., 200.,   0.]])
    """
    if not against:
        return costs
    of_everyone, of_nobody = [FP, FP, TP, TP], [TN, TN, FN, FN]  # beside TN, FP, FN, TP
    return np.asarray(costs - costs[:, of_everyone if against == "everyone" else of_nobody])


def list_cell_costs(tp: float, fp: float, fn: float, tn: float) -> Vector:
    """Return the costs of the cells in their order, (4,)."""
    found = np.empty(CELLS)
    found[[TP, FP, FN, TN]] = tp, fp, fn, tn
    return found


def _call_inputs(rows: Classes, *, at: str, moves: bool, **prices: Any) -> Any:
    """Y, the score or whether a row is flagged, and the costs; or all, where the calls move."""
    if moves:
        return (rows,)
    called = flag_at_point(rows, at) if at else rows.score.values
    return rows.y.values, called, _costs(rows, **prices)


def costs_by_flag(y: Vector, costs: Matrix) -> tuple[Vector, Vector]:
    """Return the cost of each row if it is flagged, and if it is not, (n,) each."""
    is_positive = y > 0
    return (
        np.where(is_positive, costs[:, TP], costs[:, FP]),
        np.where(is_positive, costs[:, FN], costs[:, TN]),
    )


def do_errors_cost_more(tn: float, fp: float, fn: float, tp: float) -> bool:
    """Return whether both errors cost more than being right.

    Where one alone does, the same decision for all rows costs least; where none does, low
    probabilities pay.
    """
    return bool(fp > tn and fn > tp)


def break_even_probability(tn: float, fp: float, fn: float, tp: float) -> float:
    """Return the probability from which on a flag costs no more than it saves (Elkan 2001).

    >>> round(break_even_probability(tn=0, fp=10, fn=200, tp=0), 4)
    0.0476
    """
    return (fp - tn) / ((fp - tn) + (fn - tp))


def _build_call_table(rows: Classes, weight: Vector, **prices: Any) -> CallTable | None:
    """Build the table of flagged rows, with each cell's mean cost on the rows of its class."""
    costs, y = _costs(rows, **prices), rows.y.values
    each = np.stack([np.where(y > 0, 0.0, weight), np.where(y > 0, weight, 0.0)])
    means = each @ costs / np.maximum(each.sum(axis=1, keepdims=True), 1e-300)
    of_cells = np.append(means[0, [TN, FP]], means[1, [FN, TP]])

    def finish(table: Matrix) -> Vector:
        return np.asarray(table @ of_cells)

    return build_threshold_table(
        finish, rows, weight, **{name: prices[name] for name in POINT_PARAMETERS}
    )


def _cost_of_moving_calls(rows: Classes, batch: Batch, *, at: str, **prices: Any) -> Vector:
    """Compute the mean cost under each weighting, with the flags recomputed under each."""
    if_flagged, if_not = costs_by_flag(rows.y.values, _costs(rows, **prices))
    changed = sum_flagged(rows.find_rule(at), rows, batch, (if_flagged - if_not)[:, None])[:, 0]
    total = weighted_sums(batch, if_not[:, None])[:, 0] + changed
    return divide(total, batch.totals)


def _compute_moving_cost(rows: Classes, weight: Vector, **params: Any) -> float:
    """Mean cost of a row, by what each cell of the confusion matrix costs."""
    return float(_cost_of_moving_calls(rows, Batch.from_weights(weight), **params)[0])


def _fields(*, at: str, moves: bool, against: Constant = "", **prices: Any) -> Mapping[str, Any]:
    """Its shape, by whether flags move; its range, where the costs are those of all rows."""
    each: dict[str, Any] = {"bounds": (-inf, inf), "estimand": ESTIMANDS["mean of costs"]}
    if prices.get("fp") is not None and prices.get("fn") is not None:
        own = list_cell_costs(*(float(prices[cell] or 0) for cell in ("tp", "fp", "fn", "tn")))
        cells = compare_with_constant(own[None, :], against)[0].tolist()
        each = {"bounds": (min(cells), max(cells)), "estimand": ESTIMANDS["mean of prices"]}
    resting = {"shape": "rowwise", "function": misclassification_cost, "fast": None}
    moving = {
        "shape": "whole",
        "function": _compute_moving_cost,
        "fast": _cost_of_moving_calls,
        "estimand": ESTIMANDS["share of a cut that moves"],
    }
    return {"needs": find_threshold_needs(at), **each, **(moving if moves else resting)}


_cost_of_calls = partial(
    rowwise,
    aliases=("expected_cost", "total_cost", "average_cost", "cost_of_calls", "classification_cost"),
    kind="cost",
    title="Misclassification cost",
    better="lower",
    bounds=(-inf, inf),
    unit="cost",
    cite=ELKAN,
    undefined="where nothing says what errors cost",
    blind="whatever the declared costs leave out",
)


@_cost_of_calls(
    reference="everyone or nobody",
    task="binary",
    estimand="mean of costs",
    needs="call",
    check=check_error_costs,
    inputs=_call_inputs,
    calls=_build_call_table,
    fields_for=_fields,
    formula="Σ w c(flagged, y) / Σ w, c what the cell of the confusion matrix costs",
    caveat="It rests on the declared costs, and on the threshold: a better threshold may be worth "
    "more than a better model.",
    answers=questions.CAUGHT,
    asks="what the decision on one case costs, on average",
)
def misclassification_cost(
    y: Vector,
    score: Vector,
    costs: Matrix,
    *,
    threshold: float = THRESHOLD,
    at: str = "",
    moves: bool = False,
    fp: float | None = None,
    fn: float | None = None,
    tp: float = 0.0,
    tn: float = 0.0,
    against: Constant = "",
) -> Vector:
    """Mean cost of a row, by what each cell of the confusion matrix costs.

    `fp` and `fn` are the costs of a false positive and of a missed positive, `tp` and `tn` those of
    right decisions; a gain is below 0. Without them `costs: {fp: …, fn: …}` gives them, a
    number or a column each. With `against: everyone` or `nobody` it is the cost beyond that of
    flagging everyone, or nobody: below 0 the threshold is cheaper.
    """
    called = score > 0 if at else score >= threshold
    if_flagged, if_not = costs_by_flag(y, costs)
    return np.where(called, if_flagged, if_not)


def _class_inputs(rows: Classes, *, calls: str) -> tuple[NDArray[Any], ...]:
    """Return the class of each row, its predicted class, and the cost of each pair."""
    prices = rows.prices
    if prices is None:
        k = len(rows.labels)
        return rows.code, rows.prediction, np.full((k, k), np.nan)
    is_chosen = calls == "cheapest" and rows.scale == "probability"
    return (
        rows.code,
        choose_cheapest_class(rows.scores, prices) if is_chosen else rows.prediction,
        prices,
    )


def choose_cheapest_class(scores: Matrix, prices: Matrix) -> Index:
    """Choose the class of minimum expected cost by the probabilities, (n,); of several the first.

    `scores` (n, k) are probabilities, `prices` (k, k) what a class costs, a row, if it is called
    another, a column.

    >>> choose_cheapest_class(np.array([[0.9, 0.1]]), np.array([[0.0, 1.0], [50.0, 0.0]]))
    array([1])
    """
    return np.asarray(np.argmin(scores @ prices, axis=1), dtype=np.intp)


@_cost_of_calls(
    reference="best class",
    name="multiclass_misclassification_cost",
    asked_as={"name": "misclassification_cost"},
    task="multiclass",
    estimand="mean of prices",
    needs="label",
    inputs=_class_inputs,
    formula="Σ w c(y, predicted) / Σ w, c the price of the pair",
    caveat="It rests on the declared costs. By probabilities it is judged what the cheapest class "
    "costs, which asks that they be right.",
    answers=questions.CALLS,
    asks="what the decision on one case costs, on average",
)
def multiclass_misclassification_cost(
    code: Index,
    called: Index,
    prices: Matrix,
    *,
    calls: Literal["cheapest", "largest"] = "cheapest",
) -> Vector:
    """Mean cost of a row, by what its class costs if it is called as it is.

    `costs: {matrix: …}` says what. A model with probabilities calls the class that costs least by
    them, or with `calls: largest` the most probable one, as all other metrics have it; a model
    without probabilities calls what it calls.
    """
    return np.asarray(prices[code, called])


HAND = (
    "Hand (2009), Measuring classifier performance: a coherent alternative to the area under the "
    "ROC curve, Machine Learning 77; doi:10.1007/s10994-009-5119-5; Hand & Anagnostopoulos (2014), "
    "A better Beta for the H measure of classification performance, Pattern Recognition Letters "
    "40; doi:10.1016/j.patrec.2013.12.011"
)
Severity = Literal["beta_pi", "ratio"]
Shape = tuple[float, float]
DRAWS, SEED = 199, 15_072
STEP = 1e-6  # in the share of positives, of a slope that is measured


def beta_shape(severity: str, ratio: float | None, share: float) -> Shape:
    """Return the weight over costs as a Beta distribution, by the share of positives.

    >>> beta_shape("beta_pi", None, 0.2), beta_shape("ratio", 0.25, 0.5)
    ((1.2, 1.8), (2.0, 5.0))
    """
    if severity == "beta_pi":
        return share + 1, 2 - share
    return 2.0, 1 + 1 / (share / (1 - share) if ratio is None else ratio)


def losses_at_cost(q: Vector, shape: Shape) -> tuple[Vector, Vector]:
    """Compute the mean loss of a negative and a positive row, flagged as is best for q."""
    from scipy.special import betainc  # here, since a list of metrics must not wait for it

    a, b = shape
    mean = a / (a + b)
    false_alarm = mean * betainc(a + 1, b, q)
    return false_alarm, 1 - mean - (betainc(a, b, q) - false_alarm)


def _mean_loss(q: Vector, share: Vector, shape: Shape) -> float:
    """Compute the mean of the losses where a share q of each cell is positive, (c,)."""
    negative, positive = losses_at_cost(q, shape)
    return float(share @ ((1 - q) * negative + q * positive))


def _h_measure_of_blocks(upper: Vector, lower: Vector, severity: str, ratio: float | None) -> float:
    """Compute the H-measure from the weights of both classes in the rising fit's blocks, (m,)."""
    both = (upper + lower)[upper + lower > 0]
    total, positive = float(both.sum()), float(upper.sum())
    if not 0 < positive < total:
        return np.nan
    fit, constant = upper[: len(both)] / both, np.array([positive / total])
    shape = beta_shape(severity, ratio, positive / total)
    found = 1 - _mean_loss(fit, both / total, shape) / _mean_loss(constant, np.ones(1), shape)
    return float(np.clip(found, 0.0, 1.0))


def _fast(rows: Classes, batch: Batch, *, severity: str, ratio: float | None) -> Vector:
    def fits(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        sides = zip(*fit_isotonic_blocks(weights), strict=True)
        return np.array(
            [[_h_measure_of_blocks(upper, lower, severity, ratio)] for upper, lower in sides]
        )

    return np.asarray(compute_over_cells(rows, batch, f"H, {severity} {ratio}", fits)[:, 0])


def _influence(
    rows: Classes, weight: Vector, *, severity: str, ratio: float | None
) -> Vector | None:
    """With the fit held, whose moving is of second order; where costs follow the classes, both."""
    cells, y = make_score_cells(rows), rows.y.values
    both, upper = weight_by_cell(cells, weight), positives_by_cell(rows, cells, weight)
    total, positive = float(both.sum()), float(upper.sum())
    if not 0 < positive < total:
        return None
    pi, fit = positive / total, isotonic_shares(upper, both)[cells.number]
    fit, share = np.where(np.isfinite(fit), fit, pi), weight / total

    def means(prior: float) -> tuple[Vector, Vector, float, float]:
        shape = beta_shape(severity, ratio, prior)
        own, plain = (losses_at_cost(np.broadcast_to(q, y.shape), shape) for q in (fit, pi))
        each = [np.where(y > 0, positive_, negative) for negative, positive_ in (own, plain)]
        return each[0], each[1], float(share @ each[0]), float(share @ each[1])

    own, plain, loss, most = means(pi)
    phi = (loss * (plain - most) / most - (own - loss)) / most
    ends = [1 - of[2] / of[3] for of in (means(pi + STEP), means(pi - STEP))]
    phi = phi + (ends[0] - ends[1]) / (2 * STEP) * (y - pi)
    return np.asarray(phi - share @ phi)


def _bias(rows: Classes, weight: Vector, *, severity: str, ratio: float | None) -> float:
    """Estimate what chance adds where the rising fit is true: best thresholds are of these rows.

    Of each draw from the fit another one is fitted; the draws' mean stands against the fit's value.
    """
    cells = outcome_cells(rows)
    both, upper = weight_by_cell(cells, weight), positives_by_cell(rows, cells, weight)
    use = both > 0
    chances = np.where(use, np.nan_to_num(isotonic_shares(upper, both)), 0.0)
    true = _h_measure_of_cells(chances[use] * both[use], both[use], severity, ratio)
    found = [
        _h_measure_of_cells(one[use], both[use], severity, ratio)
        for several in draw_outcomes(rows, weight, chances, DRAWS, SEED)
        for one in several
    ]
    known = [value for value in found if np.isfinite(value)]
    return float(np.mean(known)) - true if known else np.nan


def _h_measure_of_cells(upper: Vector, both: Vector, severity: str, ratio: float | None) -> float:
    """Compute the H-measure of the rising fit to cells with weights of positives and all rows."""
    fitted = isotonic_shares(upper, both) * both
    return _h_measure_of_blocks(fitted, both - fitted, severity, ratio)


def _check_severity(severity: Severity, ratio: float | None) -> str | None:
    if ratio is not None and severity != "ratio":
        return "ratio goes with severity: ratio"
    return check_range("ratio", ratio, 1e-3, 1e3)


@whole(
    chance=0.0,
    aliases=("h", "hand_h"),
    title="H measure",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=HAND,
    estimand="fitted",
    needs="order",
    check=_check_severity,
    fast=_fast,
    influence=_influence,
    bias=_bias,
    classes=positive_mask,
    formula="1 − L/L_max, L the least mean cost over thresholds, averaged over the cost c of a "
    "false positive beside 1 − c of a positive missed by a Beta weight: (π₁ + 1, π₀ + 1), or with "
    "severity: ratio (2, 1 + 1/r), r = π₁/π₀ unless given",
    undefined=ONE_CLASS,
    caveat="The weight over costs is a choice, the same for all models; name it beside the number. "
    "The thresholds are the best of these rows, which flatters it on few of them.",
    answers=questions.CLASSES,
    asks="how much of the cost of errors the order of the scores can save, over what they may cost",
    blind="whether the probabilities are calibrated, and which threshold is used",
)
def h_measure(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    severity: Severity = "beta_pi",
    ratio: float | None = None,
) -> float:
    """Share of the least cost of a constant that the best calls save, over a weight of costs."""
    code = (y > 0).astype(np.intp)
    rows = Classes(code, score[:, None], ("0", "1"), "score")
    return float(_fast(rows, Batch.from_weights(weight), severity=severity, ratio=ratio)[0])
