"""Deviances: errors judged as if the spread of y grew with its mean, as for counts and amounts."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Vector
from reportgen.losses.series import NEAR, exp_rest, log_less_line
from reportgen.metrics import questions
from reportgen.metrics.spec import rowwise
from reportgen.rows import Amounts

JORGENSEN = (
    "Jørgensen (1987), Exponential dispersion models, Journal of the Royal Statistical Society B "
    "49; doi:10.1111/j.2517-6161.1987.tb01685.x"
)


def is_allowed(y: Vector, score: Vector, power: float) -> NDArray[np.bool_]:
    """Which rows a deviance of this power exists for, shape (n,).

    Power 0 allows all, below 0 the score must be above 0; from 1 to 2 no y may be below 0 either,
    from 2 on none may be 0.
    """
    if power == 0:
        return np.isfinite(y) & np.isfinite(score)
    allowed = score > 0
    if power < 0:
        return allowed
    return allowed & (y >= 0) if power < 2 else allowed & (y > 0)


def unit_deviance(y: Vector, score: Vector, power: float) -> Vector:
    """The deviance of each row, shape (n,): 0 where score is y; nan where it does not exist.

    >>> unit_deviance(np.array([1.0, 0.0]), np.array([1.0, 3.0]), 1.0)
    array([0., 6.])
    """
    allowed = is_allowed(y, score, power)
    y, score = np.where(allowed, y, 1.0), np.where(allowed, score, 1.0)
    return np.where(allowed, np.maximum(_deviance(y, score, power), 0.0), np.nan)


def _deviance(y: Vector, score: Vector, power: float) -> Vector:
    """The deviance where it exists, as written where y and score lie apart, else by series."""
    if power == 0:
        return np.asarray((score - y) ** 2)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        is_some = y > 0
        some = np.where(is_some, y, score)
        is_apart = (np.abs(some - score) > NEAR * np.minimum(some, score)) & (
            min(abs(1 - power), abs(2 - power)) > NEAR / 5
        )
        near = _of_ratio(some, score, power)
        return np.where(is_apart | ~is_some, _as_written(y, score, power), near)


def _as_written(y: Vector, score: Vector, power: float) -> Vector:
    """The usual formula; where y is 0 or less the terms with y alone are 0."""
    above, rest = np.maximum(y, 0.0), 2 - power
    if power == 1:
        return np.asarray(2 * (score - y))  # is asked where y is 0
    own = above**rest / (1 - power) / rest if rest else np.zeros_like(y)
    last = score**rest / rest if rest else np.zeros_like(y)
    return np.asarray(2 * (own - y * score ** (1 - power) / (1 - power) + last))


def _of_ratio(y: Vector, score: Vector, power: float) -> Vector:
    """The deviance in r = y/ŷ and L = log r, every difference by its series.

    Nothing is divided by the distance of the power from 1 or 2, whichever is nearer. With
    q(x) = (exp(x) − 1 − x)/x², a = 1 − p and b = 2 − p: 2ŷᵇ/b·(rL − (r − 1) + a·r·L²·q(aL)), and
    the same as 2ŷᵇ/a·(L − (r − 1) + b·L²·q(bL)).
    """
    a, b = 1 - power, 2 - power
    log = np.where(y < score, -1.0, 1.0) * np.abs(
        np.log1p(np.abs(y - score) / np.minimum(y, score))
    )
    if abs(a) < abs(b):
        line = -y * _log_less_line((score - y) / y, -log)  # ŷ(rL − (r − 1))
        return np.asarray(2 * score**a / b * (line + a * y * log**2 * exp_rest(a * log)))
    line = _log_less_line((y - score) / score, log)
    return np.asarray(2 * score**b / a * (line + b * log**2 * exp_rest(b * log)))


def _log_less_line(x: Vector, log: Vector) -> Vector:
    """log(1 + x) − x, where its logarithm is known: also where 1 + x rounds to 0."""
    return np.where(np.abs(x) < NEAR, log_less_line(np.maximum(x, -NEAR)), log - x)


def power_limits(power: float) -> str | None:
    """What is wrong with a power, or None: between 0 and 1 there is no such distribution."""
    if power == 0:
        return "power: 0 is the mean squared error; use mse"
    if not abs(power) <= 10:
        return f"power is {power}, but must be between -10 and 10"
    if 0 < power < 1:
        return f"power is {power}, but no distribution has one strictly between 0 and 1"
    return None


def _unit(*, power: float) -> dict[str, str]:
    """That of y to the power 2 − p."""
    named = {0.0: "y²", 1.0: "y", 2.0: "1"}
    return {"unit": named.get(float(power), f"y^{2 - power:g}")}


def why_not_allowed(rows: Amounts, *, power: float, **_: Any) -> str:
    """Which rows the power does not allow, as it goes on after "it is undefined"."""
    y, score = rows.y.values, rows.score.values
    if not (score > 0).all():
        return "where a score is 0 or lower"
    if power >= 2 and (y == 0).any():
        return f"where a y is 0 (power: {power:g} asks for amounts above 0)"
    return "where a y is below 0" if (y < 0).any() else "where the deviance is no finite number"


@rowwise(
    title="Deviance",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=JORGENSEN,
    estimand="mean",
    needs="amount",
    check=power_limits,
    fields_for=_unit,
    why=why_not_allowed,
    formula="Σ w d(y, ŷ) / Σ w; p = 1: 2(y log(y/ŷ) − y + ŷ); p = 2: 2(log(ŷ/y) + y/ŷ − 1); else "
    "2(max(y, 0)^(2−p)/((1−p)(2−p)) − y ŷ^(1−p)/(1−p) + ŷ^(2−p)/(2−p))",
    undefined="where a score is 0 or lower, a y is below 0 (power from 1 on) or 0 "
    "(power from 2 on)",
    caveat="Values of different powers cannot be compared. It rewards scores that are means; a "
    "median or an order that is right is not enough.",
    answers=questions.RATIO,
    asks="how far off the scores are, where large amounts may err by more than small",
    blind="what an error costs: it weighs errors by the variance that its power assumes",
)
def deviance(y: Vector, score: Vector, *, power: float) -> Vector:
    """Mean deviance, as if the variance of y grew as its mean to this power.

    `power: 1` is Poisson (counts), between 1 and 2 Tweedie (amounts of which many are 0), 2
    Gamma (amounts above 0, judged by ratios), 3 inverse Gaussian.
    """
    found = unit_deviance(y, score, power)
    return np.where(np.isfinite(found), found, np.nan)
