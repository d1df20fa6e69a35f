"""Losses of an error that may cost more on one side, each with its best constant shift.

An error is e = score − y: above 0 the score was too high. A `Loss` gives the loss of each error,
and the constant that, added to every score, makes the mean loss least. `asymmetry` is α in
[0, 1] for Lin-Lin, pinball and Quad-Quad (α is what under-estimation weighs; 0: too low costs
nothing), and c in 1/y for Lin-Exp and Quad-Exp (above 0 they are exponential where the score is
too high).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.weighted_quantile import quantile_interval
from reportgen.losses.series import exp_less_line

STEEPEST = 50.0  # the power of e up to which an exponential loss is a number
LARGEST = 1e100  # and how large its other side may be: squares and cubes must still be numbers
LossName = Literal["linlin", "pinball", "quadquad", "linexp", "quadexp"]


@dataclass(frozen=True)
class Loss:
    """What an error costs, and which constant added to every score makes it cost least.

    `of(error, asymmetry)` is the loss of each row, `best_shift(error, weight, asymmetry)` the
    constant, nan where nothing weighs.
    """

    name: LossName
    title: str
    formula: str
    parameter: Literal["alpha", "c"]
    of: Callable[[Vector, float], Vector]
    best_shift: Callable[[Vector, Vector, float], float]

    def mean(self, error: Vector, weight: Vector, asymmetry: float, shift: float = 0.0) -> float:
        """Weighted mean loss once `shift` is added to every score; nan where it does not exist."""
        counted = weight > 0
        if not counted.any():
            return np.nan
        total = weight[counted] @ self.of(error[counted] + shift, asymmetry)
        return float(total / weight[counted].sum()) if np.isfinite(total) else np.nan


def linlin(error: Vector, alpha: float) -> Vector:
    """2α|e| where the score is too low, 2(1 − α)|e| where too high; at α = ½ the absolute error.

    >>> linlin(np.array([-1.0, 1.0]), 0.8).round(12)
    array([1.6, 0.4])
    """
    return np.where(error < 0, -2 * alpha * error, 2 * (1 - alpha) * error)


def half_linlin(error: Vector, alpha: float) -> Vector:
    """The pinball loss: half of Lin-Lin."""
    return linlin(error, alpha) / 2


def linlin_shift(error: Vector, weight: Vector, alpha: float) -> float:
    """The α-quantile of y − score; of an interval of them, the end nearest zero."""
    ends = quantile_interval(-error, weight, alpha)
    return min(ends, key=abs)


def quadquad(error: Vector, alpha: float) -> Vector:
    """2αe² where the score is too low, 2(1 − α)e² where too high; at α = ½ the squared error."""
    side = np.where(error < 0, 2 * alpha, 2 * (1 - alpha))
    return np.asarray(side * error**2)


def quadquad_shift(error: Vector, weight: Vector, alpha: float) -> float:
    """The α-expectile of y − score: α of the pull from above it equals 1 − α of that from below.

    The pull is linear between neighbouring rows, so the crossing is found among the sorted rows
    and then solved exactly. At α = 0 or 1 it is the lowest or the highest row.
    """
    counted = weight > 0
    if not counted.any():
        return np.nan
    order = np.argsort(-error[counted], kind="stable")
    need, weight = -error[counted][order], weight[counted][order]
    mass, moment = np.cumsum(weight), np.cumsum(weight * need)
    pull_up = alpha * (moment[-1] - moment - (mass[-1] - mass) * need)
    pull_down = (1 - alpha) * (mass * need - moment)
    k = int(np.argmax(pull_up <= pull_down))
    if k == 0:
        return float(need[0])
    above, below = mass[-1] - mass[k - 1], mass[k - 1]
    top = alpha * (moment[-1] - moment[k - 1]) + (1 - alpha) * moment[k - 1]
    bottom = alpha * above + (1 - alpha) * below
    return float(np.clip(top / bottom, need[k - 1], need[k]) if bottom > 0 else need[k])


def linexp(error: Vector, c: float) -> Vector:
    """exp(c e) − c e − 1: exponential on one side, nearly linear on the other.

    inf above exp(50), and above 1e100 on the other side: beyond that one row alone makes any mean,
    and its square soon is no number.
    """
    power = c * error
    cost = exp_less_line(np.clip(power, -LARGEST, STEEPEST))
    return np.where((power > STEEPEST) | (power < -LARGEST), np.inf, cost)


def linexp_shift(error: Vector, weight: Vector, c: float) -> float:
    """−(1/c) log of the mean of exp(c e), found without overflow."""
    counted = weight > 0
    if not counted.any():
        return np.nan
    if c == 0:  # the limit, where the loss is all but a square
        return -float(weight @ error) / float(weight.sum())
    power, weight = c * error[counted], weight[counted]
    top = power.max()
    return float(-(top + np.log(weight @ np.exp(power - top) / weight.sum())) / c)


def quadexp(error: Vector, c: float) -> Vector:
    """exp(c e) − c e − 1 where c e is above 0, (c e)²/2 where below: alike near zero.

    A form of this project: the two sides meet with equal slope and equal curvature. inf above
    exp(50) on the one side, and above 1e100 on the other.
    """
    power = c * error
    low: Vector = np.clip(power, -LARGEST, 0.0) ** 2 / 2
    return linexp(np.maximum(power, 0.0), 1.0) + np.where(low > LARGEST, np.inf, low)


def quadexp_shift(error: Vector, weight: Vector, c: float) -> float:
    """Where the slope of the mean loss is zero: between the shifts that leave one side empty."""
    from scipy.optimize import bisect  # here, since a list of metrics must not wait for it

    counted = weight > 0
    if not counted.any() or np.isnan(c):
        return np.nan
    if c == 0:  # the limit, where the loss is all but a square
        return -float(weight @ error) / float(weight.sum())
    power, weight = c * error[counted], weight[counted] / weight[counted].sum()

    def slope(shift: float) -> float:
        moved = power + shift
        # Beyond 600 only the sign matters, and it is certain.
        return float(weight @ np.where(moved > 0, np.expm1(np.clip(moved, 0, 600)), moved))

    low, high = -power.max(), -power.min()
    if slope(low) >= 0:
        return float(low / c)
    return float(bisect(slope, low, high, xtol=1e-14 * max(1.0, high - low), maxiter=200) / c)


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss(
            "linlin",
            "Lin-Lin",
            "2α(y − ŷ) if ŷ < y, else 2(1 − α)(ŷ − y)",
            "alpha",
            linlin,
            linlin_shift,
        ),
        Loss(
            "pinball",
            "Pinball",
            "α(y − ŷ) if ŷ < y, else (1 − α)(ŷ − y)",
            "alpha",
            half_linlin,
            linlin_shift,
        ),
        Loss(
            "quadquad",
            "Quad-Quad",
            "2α(y − ŷ)² if ŷ < y, else 2(1 − α)(ŷ − y)²",
            "alpha",
            quadquad,
            quadquad_shift,
        ),
        Loss("linexp", "Lin-Exp", "exp(ce) − ce − 1, e = ŷ − y", "c", linexp, linexp_shift),
        Loss(
            "quadexp",
            "Quad-Exp",
            "exp(ce) − ce − 1 if ce > 0, else (ce)²/2, e = ŷ − y",
            "c",
            quadexp,
            quadexp_shift,
        ),
    )
}
