"""Checks of a value and its interval, of every model on every metric."""

from __future__ import annotations

from math import isinf, sqrt

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, Subject, check
from reportgen.checks.heavy_tails import ManyTails, UnitTails, describe_heavy_tail
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.kernels.batch import Column, Vector
from reportgen.results.types import Counted

LAGS = 10
SHARE_METHODS = ("wilson", "clopper-pearson", "newcombe")
"""Intervals that have a width where no resample varies."""
CENTERED_METHODS = ("bca", "debiased-se", *SHARE_METHODS)
"""Intervals whose limits allow for resamples to one side of the value, or need not."""


class ValueSubject(Subject):
    """The value of a model on a metric.

    `pairs` is the value again if it is about two classes, `weighted` if it also has weights.
    `payers` counts the units that pay the larger side of a loss, then all units. `losses` are in
    the order of the ids, and `measures` is how many metrics have such losses.
    """

    evidence: SamplingDistribution
    interval: Interval
    tail: Read[UnitTails | ManyTails] = UNSEEN
    payers: tuple[int, int] | None = None
    unit_kind: Counted = "row"
    pairs: SamplingDistribution | None = None
    weighted: SamplingDistribution | None = None
    losses: Read[Vector] = UNSEEN
    measures: int = 1


@check("W103", ValueSubject)
def find_heavy_tail(tail: UnitTails | ManyTails) -> Numbers | None:
    """Find few units that hold much of what makes a measure vary, so that its spread is unknown."""
    return describe_heavy_tail(tail)


@check("W140", ValueSubject)
def find_few_costly_errors(
    payers: tuple[int, int], unit_kind: Counted, *, fewest: int
) -> Numbers | None:
    """Find few units that pay the larger side of a loss."""
    count, units = payers
    if count >= fewest:
        return None
    return {"payers": count, "units": units, "few": fewest, "counted": unit_kind}


@check("W127", ValueSubject)
def find_skew_by_weights(
    weighted: SamplingDistribution, interval: Interval, *, leans: float
) -> Numbers | None:
    """Find resamples that lie to one side of a value of two classes under weights.

    Few rows of the class with more weight then decide. Take 200 positives of 400 rows, and limits
    of the average precision. Weighted to 1%, they held in 50 of 100 samples, and the resamples
    leant by half a standard error. Weighted to 20%, they held in 95 and leant by a tenth.
    """
    if interval.method in CENTERED_METHODS:
        return None
    if not weighted.has_replicates or not weighted.bootstrap_se > 0:
        return None
    skew = abs(float(np.mean(weighted.finite) - weighted.value) / weighted.bootstrap_se)
    return {"leans": skew} if skew > max(leans, 2 / sqrt(len(weighted.existing))) else None


@check("W124", ValueSubject)
def find_value_below_chance(
    pairs: SamplingDistribution, interval: Interval, *, chance: float
) -> Numbers | None:
    """Find a share of pairs of two classes whose whole interval is below chance."""
    kind = pairs.estimand
    if (kind.of, kind.scale) != ("pairs", "share"):
        return None
    if not interval.is_defined or not interval.high < chance:
        return None
    return {"value": pairs.value, "high": interval.high}


@check("W105", ValueSubject)
def find_degenerate_replicates(
    evidence: SamplingDistribution, interval: Interval, *, share: float
) -> Numbers | None:
    """Find many undefined replicates among defined ones.

    If all are undefined, there is no interval to doubt and the estimate says why. Nor is there an
    interval to doubt if a class has few rows.
    """
    count = len(evidence.replicates)
    missing = count - len(evidence.existing)
    if missing == count or missing / count <= share or evidence.is_of_few_in_a_class:
        return None
    return {"missing": missing, "replicates": count, "share": missing / count}


@check("W108", ValueSubject)
def find_estimate_at_bound(evidence: SamplingDistribution, interval: Interval) -> Numbers | None:
    """Find an estimate at an end of its range, unless it was cut off there.

    `exact_low` or `exact_high` is the limit on the other side, `rule_of_three` is 3/n, the
    classic answer for a share of n independent rows or clusters.
    """
    if evidence.is_difference or evidence.value not in evidence.bounds or isinf(evidence.value):
        return None
    if evidence.estimand.is_cut_off:
        return None  # chance alone puts half of the right models there
    if interval.method in SHARE_METHODS and interval.width > 0 and evidence.estimand.of != "mean":
        return None  # its limits are those of a share, which say what chance leaves
    is_low = evidence.value == evidence.bounds[0]
    limit = interval.high if is_low else interval.low
    name = "exact_high" if is_low else "exact_low"
    exact = {name: limit} if interval.method in ("exact-bound", "wilson") else {}
    n = min(evidence.trials or evidence.n, evidence.independent)
    three = min(3 / n, 1.0) if n else None
    return {"bound": evidence.value, "rule_of_three": three, **exact}


@check("W112", ValueSubject)
def find_imprecise_limits(
    evidence: SamplingDistribution, interval: Interval, *, share: float
) -> Numbers | None:
    """Find limits whose Monte-Carlo error is a large share of the interval's width."""
    # Imported here, since the names of warnings must not wait for SciPy.
    from reportgen.inference.intervals import monte_carlo_error

    error = monte_carlo_error(evidence, interval)
    if not interval.is_defined or error <= share * interval.width:
        return None
    numbers = {"share": error / interval.width, "error": error, "width": interval.width}
    return {**numbers, "replicates": len(evidence.existing)}


@check("W104", ValueSubject)
def find_unusable_bca(
    evidence: SamplingDistribution, interval: Interval, *, bias: float, acceleration: float
) -> Numbers | None:
    """Find a BCa interval that is corrected too much, or past the last replicate."""
    if interval.method != "bca" or not evidence.has_replicates:
        return None
    from reportgen.inference.resampled_intervals import (
        bca_acceleration,
        bca_bias_correction,
        bca_quantile_levels,
    )

    z0, a = bca_bias_correction(evidence), bca_acceleration(evidence) or 0.0
    levels, count = bca_quantile_levels(evidence, interval.level), len(evidence.existing)
    is_past = levels is None or levels[0] * (count + 1) < 1 or levels[1] * (count + 1) > count
    if abs(z0) <= bias and abs(a) <= acceleration and not is_past:
        return None
    finite = z0 if np.isfinite(z0) else None
    return {"z0": finite, "acceleration": a, "is_past_replicates": is_past}


@check("W111", ValueSubject)
def find_autocorrelation(
    losses: Vector, measures: int, *, correlation: float, chance: float, chance_of_all: float
) -> Numbers | None:
    """Find losses that resemble those up to ten rows before, in their given order.

    An autocorrelation is notable, and that of the ranks at the same lag is, among ten lags, due to
    chance once in a thousand, or so seldom that all `measures` together are in 5 %. Chance does the
    same to the ranks of every distribution; two wild losses near each other say little.
    """
    n = len(losses)
    if n <= 3 * LAGS or float(np.ptp(losses)) <= 1e-12 * float(np.max(np.abs(losses))):
        return None
    lagged = _compute_autocorrelations(losses)
    if not np.any(np.abs(lagged) > correlation):
        return None  # whatever their ranks say, which take a sort of all
    of_ranks = _compute_autocorrelations(_compute_mid_ranks(losses))
    level = min(chance, chance_of_all / measures)
    from scipy import special  # here, since the names of warnings must not wait for it

    limit = float(special.ndtri(1 - level / (2 * LAGS))) / sqrt(n)
    is_notable = (np.abs(lagged) > correlation) & (np.abs(of_ranks) > limit)
    if not is_notable.any():
        return None
    lag = int(np.argmax(np.where(is_notable, np.abs(lagged), 0.0)))
    return {"lag": lag + 1, "autocorrelation": float(lagged[lag]), "n": n}


def _compute_autocorrelations(values: Vector) -> Vector:
    """Compute the autocorrelations at lags of one to ten rows, shape (10,)."""
    centred = values - values.mean()
    own = float(centred @ centred)
    return np.array([float(centred[k:] @ centred[:-k]) / own for k in range(1, LAGS + 1)])


def _compute_mid_ranks(values: Vector) -> Vector:
    """Compute the rank of each value; tied values share the mean of their ranks."""
    column = Column(values)
    ends = np.flatnonzero(column.is_last) + 1.0
    middle: Vector = (np.append(0.0, ends[:-1]) + ends) / 2
    return middle[column.group]
