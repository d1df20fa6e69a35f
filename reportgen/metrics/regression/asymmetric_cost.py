"""Pinball loss, asymmetric cost, interval scores, CRPS."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf, pi, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_alpha, check_open_range
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.losses.shifts import normal_quantiles
from reportgen.metrics.metric import LossSides, find_loss_sides, rowwise, whole
from reportgen.metrics.monotone import image_at_mean_asymmetry, image_of_linlin, image_of_one_side
from reportgen.metrics.regression.errors import RAW_IS_A_SUM, RROC, scale_if_raw
from reportgen.metrics.rows import Amounts, parse_quantile_levels
from reportgen.metrics.traits import unit_at_scale

KOENKER = "Koenker & Bassett (1978), Regression quantiles, Econometrica 46; doi:10.2307/1913643"


_quantile_metric = partial(
    rowwise,
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    estimand="mean",
    answers=questions.QUANTILE,
)


@_quantile_metric(
    reference="quantile",
    kind="cost",
    title="Pinball loss",
    unit="y",
    cite=KOENKER,
    needs="amount",
    check=check_alpha,
    image=image_of_linlin,
    sides=find_loss_sides,
    formula="mean of α(y − ŷ) if ŷ < y, else (1 − α)(ŷ − y)",
    asks=questions.UNEVEN_COST,
    blind="whether the score is a good guess of anything but this quantile",
)
def pinball(y: Vector, score: Vector, *, alpha: float) -> Vector:
    """Mean loss of a score meant as the α-quantile of y, in the unit of y; the true one has least.

    Half of `asymmetric_cost`.
    """
    found = linlin(score - y, alpha)
    found /= 2
    return found


def check_one_alpha(alpha: float, raw: bool) -> str | None:
    """Describe an invalid asymmetry of a cost that may be a sum, or return None."""
    return check_alpha(alpha)


@_quantile_metric(
    reference="quantile",
    kind="cost",
    title="Asymmetric cost",
    unit=unit_at_scale("y", 2),
    cite=RROC,
    needs="amount",
    check=check_one_alpha,
    scale=scale_if_raw,
    exempt_from=RAW_IS_A_SUM,
    image=image_of_one_side,
    sides=find_loss_sides,
    formula="mean, or sum if raw, of 2α(y − ŷ) if ŷ < y, else 2(1 − α)(ŷ − y)",
    answers=questions.COST,
    asks=questions.UNEVEN_COST,
    blind="costs that do not grow in a straight line, or differ from row to row",
)
def asymmetric_cost(y: Vector, score: Vector, *, alpha: float, raw: bool = False) -> Vector:
    """Mean Lin-Lin loss, in the unit of y: α weighs too low, 1 − α too high; MAE at α = 0.5.

    Raw is the sum over all rows, as the paper prints it.
    What one too low and one too high cost is 2 together. Costs `under` and `over` of
    `expected_cost` with α = under/(under + over) are (under + over)/2 times as much.
    """
    return linlin(score - y, alpha)


Weighting = Literal["uniform", "beta"]
Shift = Literal["none", "optimal"]
MOST = 4_000_000  # numbers in one table of sums


def check_mean_cost(weighting: Weighting, a: float, b: float, shift: Shift) -> str | None:
    """Describe an invalid weight over asymmetries, or return None."""
    for name, value in (("a", a), ("b", b)):
        if not 0.01 <= value <= 1000:
            return f"{name} is {value}, but must be between 0.01 and 1000"
    return None


def mean_asymmetry(weighting: Weighting, a: float, b: float) -> float:
    """Compute the mean of α under the weight.

    >>> mean_asymmetry("uniform", 8.0, 2.0), mean_asymmetry("beta", 8.0, 2.0)
    (0.5, 0.8)
    """
    return 0.5 if weighting == "uniform" else a / (a + b)


def _weights(weighting: Weighting, a: float, b: float, at: Matrix) -> tuple[Matrix, Matrix]:
    """Up to each α the weight, and the weight times α."""
    if weighting == "uniform":
        return at, at**2 / 2
    mean = mean_asymmetry(weighting, a, b)
    from scipy.special import betainc  # here, since a list of metrics must not wait for it

    return betainc(a, b, at), mean * betainc(a + 1, b, at)


def _compute_minimum_costs(
    need: Vector, weights: Matrix, weighting: Weighting, a: float, b: float
) -> Vector:
    """Compute the mean minimum cost under each weighting, (b,), from y − ŷ in ascending order.

    The slope of the least cost at α is twice the mean of y − ŷ less its α-quantile.
    """
    totals = weights.sum(axis=0)
    up_to = np.cumsum(weights, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        at = np.minimum(up_to / totals, 1.0)
        mass, moment = _weights(weighting, a, b, at)
        beyond = at * (1.0 - mass) + moment
        steps = np.diff(beyond, axis=0, prepend=0.0)
        mean = need @ weights / totals
        found = 2 * (mean_asymmetry(weighting, a, b) * mean - need @ steps)
    return np.where(totals > 0, np.maximum(found, 0.0), np.nan)


def _sort_centred_errors(error: Vector) -> tuple[NDArray[np.intp], Vector]:
    """Sort rows by y − ŷ; return the order, and y − ŷ about its middle to lose no digits."""
    need = -error
    order = np.argsort(need, kind="stable")
    return order, need[order] - (np.median(need) if len(need) else 0.0)


def _sides(error: Vector, weighting: Weighting, a: float, b: float) -> Vector:
    """Compute the cost of each row as it is, averaged over α."""
    alpha = mean_asymmetry(weighting, a, b)
    return np.where(error < 0, -2 * alpha * error, 2 * (1 - alpha) * error)


def _mean_cost_of_many(
    rows: Amounts, batch: Batch, *, weighting: Weighting, a: float, b: float, shift: Shift
) -> Vector:
    """One product for scores as they are; else one order of the errors for all weightings."""
    if shift == "none":
        costs = batch.weights.T @ _sides(rows.error.values, weighting, a, b)
        return divide(costs, batch.totals)
    order, need = _sort_centred_errors(rows.error.values)
    wide = max(MOST // max(len(rows), 1), 1)
    parts = [
        _compute_minimum_costs(
            need, batch.weights[order, k : k + wide].astype(np.float64), weighting, a, b
        )
        for k in range(0, batch.size, wide)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _mean_cost_influence(
    rows: Amounts, weight: Vector, *, weighting: Weighting, a: float, b: float, shift: Shift
) -> Vector:
    """Compute a row's average cost minus the mean; moves of best constants are of second order."""
    if shift == "none":
        costs = _sides(rows.error.values, weighting, a, b)
        return np.asarray(costs - weight @ costs / weight.sum())
    order, need = _sort_centred_errors(rows.error.values)
    at = np.minimum(np.cumsum(weight[order]) / weight.sum(), 1.0)
    mass, moment = _weights(weighting, a, b, at[:, None])
    mass, moment = mass[:, 0], moment[:, 0]
    by_mass, by_moment = np.diff(mass, prepend=0.0), np.diff(moment, prepend=0.0)
    end = mean_asymmetry(weighting, a, b)
    under = need * moment - np.cumsum(need * by_moment)
    rest = np.cumsum((need * (by_mass - by_moment))[::-1])[::-1]
    above = np.append(rest[1:], 0.0)
    over = above - need * ((1.0 - mass) - (end - moment))
    costs = np.empty(len(need))
    costs[order] = 2 * (under + over)
    return np.asarray(costs - weight @ costs / weight.sum())


@whole(
    reference="best constant",
    kind="cost",
    title="Mean cost over asymmetries",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit=unit_at_scale("y", 2),
    cite=RROC,
    estimand="mean",
    needs="amount",
    check=check_mean_cost,
    fast=_mean_cost_of_many,
    influence=_mean_cost_influence,
    image=image_at_mean_asymmetry,
    formula="∫ C(α) dB(α), with C(α) the mean of 2α(y − ŷ − s) if ŷ + s < y, else "
    "2(1 − α)(ŷ + s − y), and s = 0 or the constant that makes it least at this α",
    answers=questions.COST,
    asks="what errors cost on average over how much worse too low may be than too high",
    blind="the asymmetry of the day, and costs that do not grow in a straight line",
)
def mean_cost(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    weighting: Weighting = "uniform",
    a: float = 2.0,
    b: float = 2.0,
    shift: Shift = "none",
) -> float:
    """Mean Lin-Lin loss of a row averaged over asymmetries, in the unit of y.

    For who does not know the unit costs, or has them change: α is spread evenly over 0 to 1, or by
    `weighting: beta` with `a` and `b`, whose mean is a/(a + b). As they are, scores cost on average
    what they cost at the mean α: the mean absolute error if α is spread evenly. `shift: optimal`
    adds at each α the constant that is best on these rows, which knows the answers: what is left is
    the spread of the errors, evenly half their mean distance from each other.
    """
    total = weight.sum()
    if not total > 0:
        return np.nan
    error = score - y
    if shift == "none":
        return float(weight @ _sides(error, weighting, a, b) / total)
    order, need = _sort_centred_errors(error)
    return float(_compute_minimum_costs(need, weight[order][:, None], weighting, a, b)[0])


RAFTERY = (
    "Gneiting & Raftery (2007), Strictly proper scoring rules, prediction, and estimation, Journal "
    "of the American Statistical Association 102; doi:10.1198/016214506000001437"
)
CLOSE = 1e-9  # levels read from names of columns and from parameters differ by rounding


def predicted_quantile(parts: Mapping[str, Vector], level: float, n: int) -> Vector:
    """Each row's predicted quantile at a level, shape (n,); nan where the model says none."""
    for name, each in parse_quantile_levels(parts).items():
        if abs(each - level) < CLOSE:
            return parts[name]
    if {"mean", "sd"} <= parts.keys():
        found: Vector = normal_quantiles(parts["mean"], parts["sd"], np.array([level]))[0]
        return found
    return np.full(n, np.nan)


def explain_missing_quantiles(*levels: float) -> str:
    """Explain that columns are missing, by the names that they would have."""
    named = " and ".join(f"q{round(100 * level, 9):g}" for level in levels)
    return f"where the model has no {'columns' if len(levels) > 1 else 'column'} {named}"


def _ends(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


def _interval(rows: Amounts, *, level: float) -> tuple[Vector, ...]:
    ends = (predicted_quantile(rows.parts, each, len(rows)) for each in _ends(level))
    return rows.y.values, *ends


def _outside(rows: Amounts, *, level: float) -> LossSides | None:
    """Each y from the middle of its interval; who is outside pays by the distance."""
    y, low, high = _interval(rows, level=level)
    return LossSides(y - (low + high) / 2, (y < low) | (y > high))


def _why_no_interval(rows: Amounts, *, level: float) -> str:
    return explain_missing_quantiles(*_ends(level))


def check_level(level: float) -> str | None:
    """Describe an invalid level of an interval, which is a share of the rows, or return None."""
    return check_open_range("level", level, 0, 1)


@_quantile_metric(
    reference="distribution",
    title="Interval score",
    unit="y",
    cite=RAFTERY,
    needs="density",
    check=check_level,
    inputs=_interval,
    sides=_outside,
    why=_why_no_interval,
    formula="mean of u − l + 2/α · (max(l − y, 0) + max(y − u, 0)), with α = 1 − level and l, u "
    "the predicted quantiles at α/2 and 1 − α/2",
    undefined="where the model has no columns of these two quantiles, nor a mean and sd",
    asks="how wide the predicted intervals are, and how far they miss",
    blind="the middle of the prediction, and everything between its two limits",
)
def interval_score(y: Vector, low: Vector, high: Vector, *, level: float) -> Vector:
    """Mean width of the predicted intervals plus the penalty for what they miss, in the unit of y.

    Narrow is good, and each unit that y lies outside costs 2/α: the true quantiles have the least.

    >>> interval_score(np.array([5.0, 9.0]), np.array([4.0, 4.0]), np.array([7.0, 7.0]), level=0.8)
    array([ 3., 23.])
    """
    outside = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
    return np.asarray(high - low + 2 / (1 - level) * outside)


def _quantile(rows: Amounts, *, quantile: float) -> tuple[Vector, ...]:
    return rows.y.values, predicted_quantile(rows.parts, quantile, len(rows))


def _why_no_quantile(rows: Amounts, *, quantile: float) -> str:
    return explain_missing_quantiles(quantile)


def check_quantile(quantile: float) -> str | None:
    """Describe an invalid level of a quantile, or return None."""
    return check_open_range("quantile", quantile, 0, 1)


def _range(*, quantile: float) -> dict[str, tuple[float, float]]:
    return {"bounds": (-quantile, 1 - quantile)}


def mean_excess(means: Matrix) -> Vector:
    """Return the first mean minus the second."""
    over: Vector = means[:, 0] - means[:, 1]
    return over


@_quantile_metric(
    no_reference="a constant attains the best value",
    title="Coverage error of a quantile",
    better="zero",
    bounds=(-1.0, 1.0),
    unit="share",
    cite=RAFTERY,
    estimand="proportion",
    needs="density",
    check=check_quantile,
    inputs=_quantile,
    fields_for=_range,
    why=_why_no_quantile,
    finish=mean_excess,
    formula="Σ w 1{y ≤ q̂} / Σ w − quantile",
    undefined="where the model has no column of this quantile, nor a mean and sd",
    caveat="Right on average is not right for each row: one constant can cover exactly. Read it "
    "beside the pinball loss or the interval score.",
    asks="how many more or fewer rows lie below a predicted quantile than it says",
    blind="how wide the prediction is: one constant can cover exactly",
)
def quantile_coverage(y: Vector, predicted: Vector, *, quantile: float) -> Matrix:
    """Share of the rows at or below their predicted quantile, less the share claimed; 0 is right.

    Above 0 the quantile is too high: more rows lie below it than it says.
    """
    covered = np.where(np.isnan(predicted), np.nan, y <= predicted)
    return np.stack([covered, np.full(len(y), quantile)], axis=1)


BRACHER = (
    "Bracher, Ray, Gneiting & Reich (2021), Evaluating epidemic forecasts in an interval format, "
    "PLOS Computational Biology 17; doi:10.1371/journal.pcbi.1008618"
)


def parse_levels(text: str) -> tuple[float, ...]:
    """Parse the levels of central intervals from a text such as "0.5, 0.95".

    >>> parse_levels("0.5, 0.95")
    (0.5, 0.95)
    """
    return tuple(float(part) for part in text.split(","))


def check_levels(levels: str) -> str | None:
    """Describe an invalid list of levels, or return None."""
    try:
        parsed = parse_levels(levels)
    except ValueError:
        return f"levels is {levels!r}, but must be levels of intervals, such as '0.5, 0.95'"
    if len(set(parsed)) < len(parsed):
        return f"levels is {levels!r}, but must not name a level twice"
    return next((why for level in parsed if (why := check_level(level)) is not None), None)


def find_quantile_levels(levels: str) -> tuple[float, ...]:
    """Find the median and the ends of all central intervals, ascending."""
    return tuple(sorted({0.5, *(end for level in parse_levels(levels) for end in _ends(level))}))


def _all_quantiles(rows: Amounts, *, levels: str) -> tuple[NDArray[np.float64], ...]:
    columns = [
        predicted_quantile(rows.parts, level, len(rows)) for level in find_quantile_levels(levels)
    ]
    return rows.y.values, np.stack(columns, axis=1)


def _why_no_quantiles(rows: Amounts, *, levels: str) -> str:
    return explain_missing_quantiles(*find_quantile_levels(levels))


@_quantile_metric(
    reference="distribution",
    title="Weighted interval score",
    unit="y",
    cite=BRACHER,
    needs="density",
    check=check_levels,
    inputs=_all_quantiles,
    why=_why_no_quantiles,
    formula="mean of (abs(y − m)/2 + Σ α_k/2 · S_k) / (K + 1/2) over K levels, with m the "
    "predicted median, S_k the interval score at level 1 − α_k",
    undefined="where the model lacks a column of one of these quantiles, and a mean and sd",
    asks="how close the predicted quantiles are to the target, taken together",
    blind="which of the quantiles misses",
)
def weighted_interval_score(
    y: Vector, quantiles: Matrix, *, levels: str = "0.5, 0.8, 0.95"
) -> Vector:
    """Mean of twice the pinball loss over the median and the ends of all intervals, in units of y.

    `quantiles` (n, 2K + 1) ascend by level. With many levels it comes near the CRPS.

    >>> weighted_interval_score(np.array([5.0]), np.array([[4.0, 6.0, 7.0]]), levels="0.8")
    array([0.53333333])
    """
    alphas = np.array(find_quantile_levels(levels))
    over = quantiles - y[:, None]
    return np.asarray(2 * np.mean(np.where(over > 0, (1 - alphas) * over, -alphas * over), axis=1))


def _normal(rows: Amounts) -> tuple[Vector, ...]:
    missing = np.full(len(rows), np.nan)
    return rows.y.values, rows.parts.get("mean", missing), rows.parts.get("sd", missing)


def _why_no_density(rows: Amounts) -> str:
    return "where the model has no columns mean and sd"


@_quantile_metric(
    reference="normal",
    title="Continuous ranked probability score",
    unit="y",
    cite=RAFTERY,
    needs="density",
    inputs=_normal,
    why=_why_no_density,
    formula="mean of sd · (z(2Φ(z) − 1) + 2φ(z) − 1/√π), with z = (y − mean)/sd",
    undefined="where the model has no columns mean and sd",
    asks="how close the predicted distributions are to the target",
    blind="whether it is the mean or the sd that misses",
)
def crps(y: Vector, mean: Vector, sd: Vector) -> Vector:
    """Mean squared distance of a Normal distribution function from that of y, in the unit of y.

    Of an sd of 0 it is the absolute error.

    >>> crps(np.array([1.0, 1.0]), np.array([0.0, 0.0]), np.array([1.0, 0.0])).round(6)
    array([0.602441, 1.      ])
    """
    from scipy.special import ndtr

    z = np.divide(y - mean, sd, out=np.zeros_like(y), where=sd > 0)
    density = np.exp(-(z**2) / 2) / sqrt(2 * pi)
    scores = sd * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / sqrt(pi))
    return np.asarray(np.where(sd > 0, scores, np.where(sd == 0, np.abs(y - mean), np.nan)))
