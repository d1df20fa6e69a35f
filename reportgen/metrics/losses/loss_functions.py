"""Losses of an error, each with its best constant shift."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Matrix, UnitCosts, Vector
from reportgen.kernels.cumulative import divide
from reportgen.kernels.quantiles import quantile_interval
from reportgen.metrics.rows import Amounts
from reportgen.records import record

Numbers = NDArray[np.float64]
NEAR = 0.5  # in size; beyond it a difference keeps its digits
TERMS = 16  # of each series: what follows is below one rounding


def exp_minus_linear(x: Numbers) -> Numbers:
    """exp(x) − 1 − x, of any shape.

    >>> [f"{x:.9g}" for x in exp_minus_linear(np.array([0.0, 1e-9, 1.0]))]
    ['0', '5e-19', '0.718281828']
    """
    is_near = np.abs(x) < NEAR
    small = np.where(is_near, x, 0.0)
    return np.where(is_near, small**2 * _sum_exp_series(small), np.expm1(x) - x)


def exp_remainder(x: Numbers) -> Numbers:
    """(exp(x) − 1 − x)/x², and its limit ½ at 0.

    >>> exp_remainder(np.array([0.0, 1.0])).round(12).tolist()
    [0.5, 0.718281828459]
    """
    is_near = np.abs(x) < NEAR
    far = np.where(is_near, 1.0, x)
    return np.where(
        is_near, _sum_exp_series(np.where(is_near, x, 0.0)), (np.expm1(far) - far) / far**2
    )


def log_minus_linear(x: Numbers) -> Numbers:
    """log(1 + x) − x for x above −1, of any shape.

    >>> log_minus_linear(np.array([0.0, 1e-9])).round(25).tolist()
    [0.0, -5e-19]
    """
    is_near = np.abs(x) < NEAR
    small = np.where(is_near, x, 0.0)
    ratio = small / (2 + small)  # log(1 + x) = 2(r + r³/3 + r⁵/5 + …)
    square, rest = ratio**2, np.zeros_like(small)
    for term in range(2 * TERMS + 1, 1, -2):
        rest = square * (1 / term + rest)
    return np.where(is_near, ratio * (2 * rest - small), np.log1p(x) - x)


def _sum_exp_series(x: Numbers) -> Numbers:
    """Compute the sum of 1/2!, x/3!, x²/4! and so on."""
    rest = np.ones_like(x)
    for term in range(TERMS + 2, 2, -1):
        rest = 1 + x / term * rest
    return np.asarray(rest / 2)


STEEPEST = 50.0  # the power of e up to which an exponential loss is a number
LARGEST = 1e100  # and how large its other side may be: squares and cubes must still be numbers
LossName = Literal["linlin", "pinball", "quadquad", "linexp", "quadexp"]


@record
class Loss:
    """Cost of an error, and the constant that makes it least when added to every score.

    `of(error, asymmetry)` is the loss of each row, `best_shift(error, weight, asymmetry)` the
    constant, nan where nothing weighs. `unit` is in powers of y. Losses that differ by a factor
    have one `plain` form; `total` is what one unit too low and one too high cost together.
    """

    name: LossName
    title: str
    formula: str
    parameter: Literal["alpha", "c"]
    of: Callable[[Vector, float], Vector]
    best_shift: Callable[[Vector, Vector, float], float]
    plain: LossName
    unit: Literal["y", "y²", "1"]
    total: Literal[1, 2] = 2

    @property
    def is_linear(self) -> bool:
        """True if both sides are straight lines."""
        return self.plain == "linlin"

    @property
    def is_exponential(self) -> bool:
        """True if its asymmetry is c, in 1/y, and not α."""
        return self.parameter == "c"

    @property
    def scale(self) -> float:
        """The share of its plain form that it is."""
        return self.total / 2

    @property
    def power(self) -> Literal[1, 2]:
        """The power of errors that it weighs on either side."""
        return 2 if self.unit == "y²" else 1

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
    low = -2 * alpha * error
    return np.maximum(low, 2 * (1 - alpha) * error, out=low)


def half_linlin(error: Vector, alpha: float) -> Vector:
    """Compute the pinball loss: half of Lin-Lin."""
    return linlin(error, alpha) / 2


def linlin_shift(error: Vector, weight: Vector, alpha: float) -> float:
    """Compute the α-quantile of y − score; of an interval of them, the end nearest zero."""
    ends = quantile_interval(-error, weight, alpha)
    return min(ends, key=abs)


def quadquad(error: Vector, alpha: float) -> Vector:
    """2αe² where the score is too low, 2(1 − α)e² where too high; at α = ½ the squared error."""
    side = np.where(error < 0, 2 * alpha, 2 * (1 - alpha))
    return np.asarray(side * error**2)


def quadquad_shift(error: Vector, weight: Vector, alpha: float) -> float:
    """Compute the α-expectile of y − score: α of the pull from above is 1 − α of that from below.

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
    cost = exp_minus_linear(np.clip(power, -LARGEST, STEEPEST))
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
    """Find where the mean loss has slope zero: between the shifts that leave one side empty."""
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
            plain="linlin",
            unit="y",
        ),
        Loss(
            "pinball",
            "Pinball",
            "α(y − ŷ) if ŷ < y, else (1 − α)(ŷ − y)",
            "alpha",
            half_linlin,
            linlin_shift,
            plain="linlin",
            unit="y",
            total=1,
        ),
        Loss(
            "quadquad",
            "Quad-Quad",
            "2α(y − ŷ)² if ŷ < y, else 2(1 − α)(ŷ − y)²",
            "alpha",
            quadquad,
            quadquad_shift,
            plain="quadquad",
            unit="y²",
        ),
        Loss(
            "linexp",
            "Lin-Exp",
            "exp(ce) − ce − 1, e = ŷ − y",
            "c",
            linexp,
            linexp_shift,
            plain="linexp",
            unit="1",
        ),
        Loss(
            "quadexp",
            "Quad-Exp",
            "exp(ce) − ce − 1 if ce > 0, else (ce)²/2, e = ŷ − y",
            "c",
            quadexp,
            quadexp_shift,
            plain="quadexp",
            unit="1",
        ),
    )
}


def compute_signed_costs(error: Vector, costs: UnitCosts | None) -> Vector:
    """Compute what each error costs, above 0 if too high and below if too low, (n,) or (n, b).

    nan where nobody knows the unit costs.

    >>> compute_signed_costs(np.array([-2.0, 3.0]), UnitCosts(np.array([5.0, 1.0]), np.array([1.0,
    ...     2.0])))
    array([-10.,   6.])
    """
    if costs is None:
        return np.full(error.shape, np.nan)
    under, over = (side if error.ndim == 1 else side[:, None] for side in (costs.under, costs.over))
    return np.where(error < 0, under * error, over * error)


def average_unit_costs(costs: UnitCosts, weight: Vector) -> tuple[float, float]:
    """Mean cost of one unit too low and of one too high; their share is the level of the shift."""
    total = weight.sum()
    return float(weight @ costs.under / total), float(weight @ costs.over / total)


def best_row_cost_shift(error: Vector, costs: UnitCosts, weight: Vector) -> float:
    """Find the constant of minimum cost; of an interval of them, the end nearest zero.

    nan where no row that weighs costs anything.

    >>> one, under = np.ones(3), np.array([1.0, 1.0, 7.0])
    >>> best_row_cost_shift(np.array([-1.0, -2.0, -9.0]), UnitCosts(under, one), one)
    9.0
    """
    mass = weight * (costs.under + costs.over)
    total = mass.sum()
    if not total > 0:
        return np.nan
    level = float(weight @ costs.under / total)
    return float(min(quantile_interval(-error, mass, min(level, 1.0)), key=abs))


def best_row_cost_shifts(rows: Amounts, batch: Batch) -> Vector:
    """Find the best constant under each weighting, (b,)."""
    costs = rows.unit_costs
    if costs is None:
        return np.full(batch.size, np.nan)
    order = rows.error.order[::-1].astype(
        np.intp
    )  # sorted once: each search among them is then quick
    error, given = rows.error.values[order], costs.take(order)
    return np.array(
        [best_row_cost_shift(error, given, weight[order]) for weight in batch.weights.T]
    )


def fit_row_cost_shift(rows: Amounts) -> float:
    """Fit the best constant on the training rows as they are; nan where there are none."""
    if rows.fit is None or rows.fit.rows.unit_costs is None:
        return np.nan
    return best_row_cost_shift(
        rows.fit.rows.error.values, rows.fit.rows.unit_costs, rows.fit.weight
    )


def average_row_costs(rows: Amounts, batch: Batch, shift: float | Vector = 0.0) -> Vector:
    """Mean cost under each weighting once a constant, or one of each weighting, is added, (b,)."""
    error = rows.error.values
    if isinstance(shift, float):
        moved = np.abs(compute_signed_costs(error + shift, rows.unit_costs))
        return divide(moved @ batch.weights, batch.totals)
    paid: Matrix = np.abs(compute_signed_costs(error[:, None] + shift, rows.unit_costs))
    return divide(np.sum(batch.weights * paid, axis=0), batch.totals)
