"""Limits of a mean that hold at every analysis of rows that keep coming, and their e-value."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from math import exp, log, sqrt
from typing import Literal

import numpy as np

from reportgen.inference.long_run import estimate_first_correlation
from reportgen.kernels.batch import Vector
from reportgen.records import record

TUNED_AT = 0.05  # the α at which bets are best; any other gives valid limits too, if wider ones
MOST_BET = 0.75  # of what a bet can lose
STEPS = 40  # halvings of the range in which a limit lies
LARGEST = log(1e300)  # of a logarithm that is told as a number
LIKENESS = 2.0  # standard errors of a correlation between neighbours from which on rows depend

ArrivalReason = Literal["", "past-bound", "alike-rows", "other-rows"]


@record(eq=False)
class Arrivals:
    """Differences of rows in the order in which they came, (n,), none outside `low` and `high`.

    The hedged capital of Waudby-Smith and Ramdas (2024, Estimating means of bounded random
    variables by betting, Journal of the Royal Statistical Society B 86, section 4,
    doi:10.1093/jrsssb/qkad009). Of each candidate mean somebody bets on its being too small, and
    somebody on its being too large, each with half of the capital. A bet depends on earlier rows
    alone, by their spread. A mean is held while neither half has grown to 1/α. That the true mean
    is held at every n has at least the probability 1 − α, whatever the distribution (Ville's
    inequality).
    Rows are to have the same mean given those before them, such as independent ones have.
    """

    values: Vector
    low: float
    high: float
    is_on_same_rows: bool = True
    _limits: dict[float, tuple[float, float]] = field(default_factory=dict)

    @cached_property
    def reason(self) -> ArrivalReason:
        """Why nothing is concluded from these rows, as a code; empty where something is."""
        if not self.is_on_same_rows:
            return "other-rows"
        slack = 1e-9 * (self.high - self.low)
        is_within = (self.values >= self.low - slack) & (self.values <= self.high + slack)
        if not is_within.all():
            return "past-bound"
        likeness = estimate_first_correlation(self.values) * sqrt(len(self.values))
        return "alike-rows" if likeness > LIKENESS else ""

    def compute_limits(self, level: float) -> tuple[float, float]:
        """Compute the limits that hold the mean at every n together with this probability."""
        if level not in self._limits:
            least = log(2 / (1 - level))  # of each bettor, who has half of the capital
            below = _find_lowest(self._scaled, self._bets, least)
            above = _find_lowest(1 - self._scaled, self._bets, least)
            width = self.high - self.low
            self._limits[level] = self.low + width * below, self.high - width * above
        return self._limits[level]

    @cached_property
    def e_value(self) -> float:
        """The capital of whoever bets against a mean of zero, the luckier bettor's half; ≥ 0.

        An e-value: if the mean is zero, it is 20 or more with a probability of at most 1/20, at
        whichever n somebody looks. Limits at 1 − α hold zero unless it is 1/α or more.
        """
        at = -self.low / (self.high - self.low)
        up = _compute_log_capital(self._scaled, self._bets, at)
        down = _compute_log_capital(1 - self._scaled, self._bets, 1 - at)
        return exp(min(max(up, down), LARGEST)) / 2

    @cached_property
    def _scaled(self) -> Vector:
        """The differences as places between the least and the largest, 0 to 1."""
        return np.clip((self.values - self.low) / (self.high - self.low), 0.0, 1.0)

    @cached_property
    def _bets(self) -> Vector:
        """What is bet on each row, (n,), by the spread of those before it (equation 26)."""
        count = np.arange(1.0, len(self.values) + 1)
        mean = (0.5 + np.cumsum(self._scaled)) / (count + 1)
        spread = (0.25 + np.cumsum((self._scaled - mean) ** 2)) / (count + 1)
        before = np.append(0.25, spread[:-1])
        return np.asarray(np.sqrt(2 * log(2 / TUNED_AT) / (before * count * np.log(count + 1))))


def _compute_log_capital(scaled: Vector, bets: Vector, mean: float) -> float:
    """Compute the logarithm of what bets on a larger mean than this multiply a capital by."""
    if mean <= 0:
        return float("inf") if scaled.any() else 0.0
    return float(np.log1p(np.minimum(bets, MOST_BET / mean) * (scaled - mean)).sum())


def _find_lowest(scaled: Vector, bets: Vector, least: float) -> float:
    """Find the lowest mean against which bets have not multiplied the capital enough.

    The capital falls as the mean rises, so halving the range leads there.
    """
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _compute_log_capital(scaled, bets, middle) >= least:
            low = middle
        else:
            high = middle
    return low
