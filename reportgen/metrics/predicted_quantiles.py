"""Predicted quantiles of each row, judged as such: what they cover, and how wide they are.

A quantile comes from a column of that level (`columns: {q5: …, q95: …}`), or from a mean and a
standard deviation as that of a Normal distribution.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.losses.shifts import normal_quantiles
from reportgen.metrics import questions
from reportgen.metrics.limits import not_inside
from reportgen.metrics.sides import Sides
from reportgen.metrics.spec import rowwise
from reportgen.rows import Amounts, quantile_levels

RAFTERY = (
    "Gneiting & Raftery (2007), Strictly proper scoring rules, prediction, and estimation, Journal "
    "of the American Statistical Association 102; doi:10.1198/016214506000001437"
)
CLOSE = 1e-9  # levels read from names of columns and from parameters differ by rounding


def predicted(parts: Mapping[str, Vector], level: float, n: int) -> Vector:
    """Each row's predicted quantile at a level, shape (n,); nan where the model says none."""
    for name, each in quantile_levels(parts).items():
        if abs(each - level) < CLOSE:
            return parts[name]
    if {"mean", "sd"} <= parts.keys():
        found: Vector = normal_quantiles(parts["mean"], parts["sd"], np.array([level]))[0]
        return found
    return np.full(n, np.nan)


def why_not_predicted(*levels: float) -> str:
    """That columns are missing, by the names that they would have."""
    named = " and ".join(f"q{round(100 * level, 9):g}" for level in levels)
    return f"where the model has no {'columns' if len(levels) > 1 else 'column'} {named}"


def _ends(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


def _interval(rows: Amounts, *, level: float) -> tuple[Vector, ...]:
    ends = (predicted(rows.parts, each, len(rows)) for each in _ends(level))
    return rows.y.values, *ends


def _outside(rows: Amounts, *, level: float) -> Sides | None:
    """Each y from the middle of its interval; who is outside pays by the distance."""
    y, low, high = _interval(rows, level=level)
    return Sides(y - (low + high) / 2, (y < low) | (y > high))


def _why_no_interval(rows: Amounts, *, level: float) -> str:
    return why_not_predicted(*_ends(level))


def level_limits(level: float) -> str | None:
    """What is wrong with the level of an interval: it is a share of the rows."""
    return not_inside("level", level, 0, 1)


@rowwise(
    title="Interval score",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=RAFTERY,
    estimand="mean",
    needs="density",
    check=level_limits,
    inputs=_interval,
    sides=_outside,
    why=_why_no_interval,
    formula="mean of u − l + 2/α · (max(l − y, 0) + max(y − u, 0)), with α = 1 − level and l, u "
    "the predicted quantiles at α/2 and 1 − α/2",
    undefined="where the model has no columns of these two quantiles, nor a mean and sd",
    answers=questions.QUANTILE,
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
    return rows.y.values, predicted(rows.parts, quantile, len(rows))


def _why_no_quantile(rows: Amounts, *, quantile: float) -> str:
    return why_not_predicted(quantile)


def quantile_limits(quantile: float) -> str | None:
    """What is wrong with the level of a quantile."""
    return not_inside("quantile", quantile, 0, 1)


def _range(*, quantile: float) -> dict[str, tuple[float, float]]:
    return {"bounds": (-quantile, 1 - quantile)}


def excess(means: Matrix) -> Vector:
    """The first mean less the second."""
    over: Vector = means[:, 0] - means[:, 1]
    return over


@rowwise(
    title="Coverage error of a quantile",
    task="regression",
    better="zero",
    bounds=(-1.0, 1.0),
    unit="share",
    cite=RAFTERY,
    estimand="proportion",
    needs="density",
    check=quantile_limits,
    inputs=_quantile,
    fields_for=_range,
    why=_why_no_quantile,
    finish=excess,
    formula="Σ w 1{y ≤ q̂} / Σ w − quantile",
    undefined="where the model has no column of this quantile, nor a mean and sd",
    caveat="Right on average is not right for each row: one constant can cover exactly. Read it "
    "beside the pinball loss or the interval score.",
    answers=questions.QUANTILE,
    asks="how many more or fewer rows lie below a predicted quantile than it says",
    blind="how wide the prediction is: one constant can cover exactly",
)
def quantile_coverage(y: Vector, predicted: Vector, *, quantile: float) -> Matrix:
    """Share of the rows at or below their predicted quantile, less the share claimed; 0 is right.

    Above 0 the quantile is too high: more rows lie below it than it says.
    """
    covered = np.where(np.isnan(predicted), np.nan, y <= predicted)
    return np.stack([covered, np.full(len(y), quantile)], axis=1)
