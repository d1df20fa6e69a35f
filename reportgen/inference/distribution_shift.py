"""How far two distributions are apart, from summaries of both: means, quantiles, shares."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, isfinite, log, sqrt

import numpy as np
from scipy import special

from reportgen.inference.resampled_intervals import critical_value
from reportgen.kernels.batch import Vector
from reportgen.records import record

GROUPS = 10  # of equal size, that the stability index compares
LEAST_SHARE = 1e-4  # that a group counts as having in the logarithm of a stability index


@record
class LimitedValue:
    """A value with its limits."""

    value: float
    low: float
    high: float


def compute_grid_distance(before: Vector, now: Vector) -> tuple[float, float]:
    """Compute the Kolmogorov–Smirnov distance of two summaries, and by how much it may be off.

    >>> compute_grid_distance(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    (0.5, 0.5)
    """
    places = np.concatenate([before, now])
    shares = (np.searchsorted(each, places, side="right") / len(each) for each in (before, now))
    first, second = shares
    return float(np.abs(first - second).max()), 0.5 / len(before) + 0.5 / len(now)


def bound_distance(
    distance: float, rows: tuple[float, float], level: float, off: float = 0.0
) -> LimitedValue:
    """Bound the distance of two distribution functions from that of their samples.

    By Smirnov's limit law (1939): the difference of both sample functions from the true ones is
    rarely larger anywhere than where the two are equal, and least often where they are not. So the
    lower limit is above 0 where the test of Kolmogorov and Smirnov rejects. `off` is how far the
    distance itself may be off.

    >>> round(bound_distance(0.3, (100, 100), 0.95).low, 3)
    0.108
    """
    reach = sqrt(log(2 / (1 - level)) / 2 * sum(1 / n for n in rows)) + off
    return LimitedValue(distance, max(distance - reach, 0.0), min(distance + reach, 1.0))


def compare_shares(
    before: Sequence[float], now: Sequence[float], rows: tuple[float, float], level: float
) -> LimitedValue:
    """Compute the total variation of two lists of counts of the same k groups, with its limits.

    It is the largest change of the share of any set of groups. By Scheffé's method, all of these
    together are off by no more than the root of the quantile of chi-squared with k − 1 degrees of
    freedom, times their standard error, which is largest for a share of one half.

    >>> compare_shares([30, 70], [50, 50], (100, 100), 0.95).value
    0.2
    """
    first, second = (np.asarray(each, np.float64) / sum(each) for each in (before, now))
    distance = round(float(np.abs(first - second).sum()) / 2, 12)
    quantile = float(special.chdtri(max(len(first) - 1, 1), 1 - level))
    reach = sqrt(quantile * sum(1 / n for n in rows)) / 2
    return LimitedValue(distance, max(distance - reach, 0.0), min(distance + reach, 1.0))


def compare_means(
    before: tuple[float, float, float], now: tuple[float, float, float], level: float
) -> LimitedValue:
    """Compute the change of a mean with Welch's interval, from (mean, sd, rows) of both.

    >>> compare_means((1.0, 2.0, 50), (2.0, 2.0, 50), 0.95).value
    1.0
    """
    change = now[0] - before[0]
    each = [sd**2 / n for _, sd, n in (before, now)]
    squares = sum(v**2 / (n - 1) for v, (_, _, n) in zip(each, (before, now), strict=True))
    if not squares > 0:
        return LimitedValue(change, change, change)
    half = critical_value(level, sum(each) ** 2 / squares) * sqrt(sum(each))
    return LimitedValue(change, change - half, change + half)


def compare_means_relatively(
    before: tuple[float, float, float], now: tuple[float, float, float], level: float
) -> LimitedValue | None:
    """Compute the change of a positive mean as a share of the earlier one, on the log scale.

    None unless both means are positive by far: over three standard errors.
    """
    if any(not mean > 3 * sd / sqrt(n) for mean, sd, n in (before, now)):
        return None
    ratio = now[0] / before[0]
    error = sqrt(sum((sd / mean) ** 2 / n for mean, sd, n in (before, now)))
    half = critical_value(level) * error
    if not isfinite(half):
        return None
    return LimitedValue(ratio - 1, ratio * exp(-half) - 1, ratio * exp(half) - 1)


def compute_stability_index(before: Sequence[float], now: Sequence[float]) -> float:
    """Compute the population stability index of two lists of counts: Σ (q − p) ln(q/p).

    >>> round(compute_stability_index([50, 50], [40, 60]), 6)
    0.040547
    """
    first, second = (
        np.maximum(np.asarray(each, np.float64) / sum(each), LEAST_SHARE) for each in (before, now)
    )
    return float(((second - first) * np.log(second / first)).sum())


def group_by_earlier(before: Vector, now: Vector) -> tuple[list[float], list[float]]:
    """Group two summaries by tenths of the earlier one; equal values stand in one group."""
    edges = np.unique(before[(np.arange(1, GROUPS) * len(before)) // GROUPS])
    ends = np.concatenate([[-inf], edges, [inf]])
    counts = (np.histogram(each, ends)[0].astype(float).tolist() for each in (before, now))
    first, second = counts
    return first, second
