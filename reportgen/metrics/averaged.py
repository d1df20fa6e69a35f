"""The Lin-Lin cost averaged over asymmetries, for a model that must serve many unit costs.

With scores as they are the cost is a straight line in α, so that its average is the cost at the
average α. With the best constant for each α it bends, and its average is a weighted sum of the
ordered errors. Both are exact, not sums over a grid.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.images import at_the_mean_asymmetry
from reportgen.metrics.residual import RROC
from reportgen.metrics.spec import whole
from reportgen.metrics.units import at_scale
from reportgen.rows import Amounts

Weighting = Literal["uniform", "beta"]
Shift = Literal["none", "optimal"]
MOST = 4_000_000  # numbers in one table of sums


def mean_cost_limits(weighting: Weighting, a: float, b: float, shift: Shift) -> str | None:
    """What is wrong with the weight over asymmetries, or None."""
    for name, value in (("a", a), ("b", b)):
        if not 0.01 <= value <= 1000:
            return f"{name} is {value}, but must be between 0.01 and 1000"
    return None


def mean_asymmetry(weighting: Weighting, a: float, b: float) -> float:
    """The mean of α under the weight.

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


def _least_of_many(
    need: Vector, weights: Matrix, weighting: Weighting, a: float, b: float
) -> Vector:
    """The average least cost under each weighting, (b,), from what scores lack, ascending.

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


def _centred(error: Vector) -> tuple[NDArray[np.intp], Vector]:
    """The order of the rows by y − ŷ, and that ascending, about its middle: no digits are lost."""
    need = -error
    order = np.argsort(need, kind="stable")
    return order, need[order] - (np.median(need) if len(need) else 0.0)


def _sides(error: Vector, weighting: Weighting, a: float, b: float) -> Vector:
    """The cost of each row as it is, averaged over α."""
    alpha = mean_asymmetry(weighting, a, b)
    return np.where(error < 0, -2 * alpha * error, 2 * (1 - alpha) * error)


def _mean_cost_of_many(
    rows: Amounts, batch: Batch, *, weighting: Weighting, a: float, b: float, shift: Shift
) -> Vector:
    """One product for scores as they are; else one order of the errors for all weightings."""
    if shift == "none":
        values = np.full(batch.size, np.nan)
        costs = batch.weights.T @ _sides(rows.error.values, weighting, a, b)
        np.divide(costs, batch.totals, out=values, where=batch.totals > 0)
        return values
    order, need = _centred(rows.error.values)
    wide = max(MOST // max(len(rows), 1), 1)
    parts = [
        _least_of_many(need, batch.weights[order, k : k + wide].astype(np.float64), weighting, a, b)
        for k in range(0, batch.size, wide)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _mean_cost_influence(
    rows: Amounts, weight: Vector, *, weighting: Weighting, a: float, b: float, shift: Shift
) -> Vector:
    """What a row costs on average less the mean: that best constants move is of second order."""
    if shift == "none":
        costs = _sides(rows.error.values, weighting, a, b)
        return np.asarray(costs - weight @ costs / weight.sum())
    order, need = _centred(rows.error.values)
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
    kind="cost",
    title="Mean cost over asymmetries",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit=at_scale("y", 2),
    cite=RROC,
    estimand="mean",
    needs="amount",
    check=mean_cost_limits,
    fast=_mean_cost_of_many,
    influence=_mean_cost_influence,
    image=at_the_mean_asymmetry,
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
    order, need = _centred(error)
    return float(_least_of_many(need, weight[order][:, None], weighting, a, b)[0])
