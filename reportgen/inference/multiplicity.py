"""Many comparisons at once: adjusted p-values and simultaneous intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from reportgen.inference.bands import sup_t_quantile
from reportgen.inference.intervals import (
    compute_basis_slope,
    compute_interval,
    decide_limits,
    transform_limits,
)
from reportgen.inference.resampled_intervals import (
    compute_influence_se,
    rescale_replicates,
    size_limits,
)
from reportgen.inference.sampling_distribution import Interval, Reason, SamplingDistribution
from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.records import record

Adjust = Literal["none", "bonferroni", "holm", "bh", "maxt"]


@record
class AdjustedComparison:
    """A member of the family: its adjusted p-value and its simultaneous limits.

    `level` is that of the limits by themselves. They hold zero if the test that goes with them does
    not reject it. With too few resamples for this level, a limit lies at the end of the range, or
    at infinity, and `reason` says so. `family_size` is how many comparisons the limits allow for.
    """

    p_value: float
    low: float
    high: float
    method: str
    level: float
    reason: Reason = ""
    family_size: int = 1


def adjust_family(
    family: Sequence[SamplingDistribution],
    p_values: Sequence[float],
    adjust: Adjust,
    method: str,
    level: float,
) -> list[AdjustedComparison]:
    """Adjust the p-values of a family, with simultaneous limits for each difference.

    bonferroni  limits at 1 − α/m, p-values times m; the limits hold together
    holm, bh    p-values of Holm, or of Benjamini and Hochberg; the limits are Bonferroni's
    maxt        Romano and Wolf's step-down p; limits from the largest studentized deviation
    none, or a family of one: as they are

    Limits hold zero where the test that goes with them does not reject it, also where they come
    from another method than the test. So one interval decides a comparison.
    """
    p = np.asarray(p_values, dtype=np.float64)
    single = [compute_interval(member, method, level) for member in family]
    members = sum(limits.is_defined for limits in single)
    if adjust == "none" or members <= 1:
        return _join_p_values(p, p, single, level)
    if adjust == "maxt":
        adjusted = _adjust_by_max_t(family, p, single, method, level)
        return [replace(each, family_size=members) for each in adjusted]
    strict = adjust_p_values(p, members, "bonferroni")
    stricter = 1 - (1 - level) / members
    limits = [
        _interval_at_level(member, own, method, stricter)
        for member, own in zip(family, single, strict=True)
    ]
    joined = _join_p_values(adjust_p_values(p, members, adjust), strict, limits, level)
    return [replace(each, family_size=members) for each in joined]


def transfer_adjustment(
    member: SamplingDistribution, strict: AdjustedComparison, method: str, level: float
) -> AdjustedComparison:
    """Transfer to a member what the family's adjustment says of the value that decides it."""
    if member.basis is None:
        return strict
    by = strict.low, strict.high
    if member.basis.line is not None:
        low, high = transform_limits(by, member.basis.line)
        return replace(strict, low=low, high=high)
    own = compute_interval(replace(member, basis=None), method, level)
    limits = _interval_at_level(replace(member, basis=None), own, method, strict.level)
    low, high = decide_limits(
        (limits.low, limits.high), by, compute_basis_slope(member.basis, member.value)
    )
    return replace(strict, low=low, high=high, reason=strict.reason or limits.reason)


def holm_p_values(p_values: Vector) -> Vector:
    """Holm's step-down adjustment, for any dependence.

    >>> holm_p_values(np.array([0.01, 0.04, 0.03])).round(6)
    array([0.03, 0.06, 0.06])
    """
    order, p = _ascending(p_values)
    raised = np.maximum.accumulate(p * np.arange(len(p), 0, -1))
    return _restore_order(np.minimum(raised, 1.0), order, len(p_values))


def benjamini_hochberg_p_values(p_values: Vector) -> Vector:
    """Benjamini and Hochberg's adjustment: the rate of false discoveries.

    >>> benjamini_hochberg_p_values(np.array([0.01, 0.04, 0.03])).round(6)
    array([0.03, 0.04, 0.04])
    """
    order, p = _ascending(p_values)
    scaled = p * len(p) / np.arange(1, len(p) + 1)
    raised = np.minimum.accumulate(scaled[::-1])[::-1]
    return _restore_order(np.minimum(raised, 1.0), order, len(p_values))


def adjust_p_values(p_values: Vector, members: int, adjust: Adjust) -> Vector:
    """Adjust p-values by a named method; by Bonferroni's where it has no formula of its own.

    >>> adjust_p_values(np.array([0.01, 0.4]), 3, "bonferroni").round(6)
    array([0.03, 1.  ])
    """
    if adjust == "holm":
        return holm_p_values(p_values)
    if adjust == "bh":
        return benjamini_hochberg_p_values(p_values)
    return np.asarray(np.minimum(p_values * members, 1.0))


def max_t_p_values(values: Vector, replicates: Matrix, se: Vector, df: float = inf) -> Vector:
    """Romano and Wolf's step-down p-values, shape (m,), from replicates (B, m) and fixed `se`.

    A replicate undefined for one member leaves it out of that member only. With finite `df` the
    values are brought from t to the Normal scale, as the replicates know nothing of few clusters.
    """
    scaled, use = _scale_deviations(values, replicates, se)
    observed = np.full(len(values), nan)
    observed[use] = _convert_to_normal(np.abs(values[use]) / se[use], df)
    order = np.argsort(-observed[use], kind="stable")
    # From the last step up, the largest deviation among the members not yet rejected.
    largest = np.fmax.accumulate(scaled[:, order[::-1]], axis=1)[:, ::-1]
    p = np.empty(len(order))
    for step, member in enumerate(order):
        drawn = largest[~np.isnan(largest[:, step]), step]
        as_far = np.sum(drawn >= observed[use][member] * (1 - 1e-12))
        p[step] = (as_far + 1) / (len(drawn) + 1)
    return _restore_order(np.maximum.accumulate(p), np.flatnonzero(use)[order], len(values))


def max_t_critical(
    values: Vector, replicates: Matrix, se: Vector, level: float, df: float = inf
) -> float:
    """Compute how many standard errors hold all members at once; nan if there are none."""
    return max_deviation_quantile(largest_deviations(values, replicates, se), level, df)


def largest_deviations(values: Vector, replicates: Matrix, se: Vector) -> Vector:
    """Compute how many standard errors each replicate's farthest member is off, (B,); else nan."""
    scaled, use = _scale_deviations(values, replicates, se)
    if not use.any():
        return np.full(len(replicates), nan)
    return np.asarray(np.fmax.reduce(scaled, axis=1))


def max_deviation_quantile(largest: Vector, level: float, df: float = inf) -> float:
    """Compute how many standard errors hold this share of the largest deviations; else nan."""
    times = sup_t_quantile(largest, level)
    return times if df == inf else float(-special.stdtrit(df, float(special.ndtr(-times))))


def _join_p_values(
    raised: Vector, decisive: Vector, limits: Sequence[Interval], level: float
) -> list[AdjustedComparison]:
    """Join limits and adjusted p-values; limits hold zero unless `decisive` rejects it."""
    return [
        AdjustedComparison(
            float(p),
            *_agree_with_p_value(interval.low, interval.high, float(own), 1 - level),
            interval.method,
            interval.level,
            interval.reason,
        )
        for p, own, interval in zip(raised, decisive, limits, strict=True)
    ]


def _interval_at_level(
    member: SamplingDistribution, own: Interval, method: str, level: float
) -> Interval:
    """Limits of a member at another level than its own, by the method of its own.

    Another method in its place says that it does not reach that level, most often for want of
    replicates. That one may know less of what makes these limits wide, and nothing rests on it: the
    limits then lie at the ends of the range.
    """
    found = compute_interval(member, method, level)
    if not (found.is_defined and own.is_defined) or found.method == own.method:
        return found
    low, high = member.bounds
    return replace(found, low=low, high=high, method=own.method, reason="few-for-family")


def _agree_with_p_value(low: float, high: float, p: float, alpha: float) -> tuple[float, float]:
    """Extend the limits to include zero, unless the p-value rejects it."""
    return (min(low, 0.0), max(high, 0.0)) if p > alpha else (low, high)


def _adjust_by_max_t(
    family: Sequence[SamplingDistribution],
    p: Vector,
    single: Sequence[Interval],
    method: str,
    level: float,
) -> list[AdjustedComparison]:
    values = np.array([member.value for member in family])
    replicates, se = _collect_replicates(family, single)
    # A mean alone has a t interval: resamples with a fixed standard error know nothing of it.
    df = min(float(member.unit_df) if member.estimand.is_mean else member.df for member in family)
    # A member's own test may know more than the replicates: adjusting never lowers its p.
    raised = np.where(np.isfinite(p), np.fmax(max_t_p_values(values, replicates, se, df), p), nan)
    times = max_t_critical(values, replicates, se, level, df)
    alone = (
        float(2 * special.ndtr(times) - 1)
        if df == inf
        else 1 - 2 * float(special.stdtr(df, -times))
    )
    return [
        AdjustedComparison(
            float(q),
            *_agree_with_p_value(
                *_limit_inwards(member, times * error, times, limits), float(q), 1 - level
            ),
            "max-t",
            alone,
        )
        for member, limits, error, q in zip(family, single, se, raised, strict=True)
    ]


def _collect_replicates(
    family: Sequence[SamplingDistribution], single: Sequence[Interval]
) -> tuple[Matrix, Vector]:
    """Replicates (B, m) and standard errors (m,) on which the members' plain limits rest.

    Replicates known in their own standard errors are read in them.
    """
    columns, errors = [], []
    for member, limits in zip(family, single, strict=True):
        own = rescale_replicates(member)
        columns.append(member.replicates if own is None else own)
        errors.append(limits.se if own is None else compute_influence_se(member))
    return np.column_stack(columns), np.array(errors)


def _limit_inwards(
    member: SamplingDistribution, half: float, times: float, alone: Interval
) -> tuple[float, float]:
    """Limits of a member, never inside those it has alone; of sizes by their signed forms."""
    low, high = size_limits(member, times) or (member.value - half, member.value + half)
    if alone.is_defined:
        low, high = min(low, alone.low), max(high, alone.high)
    return max(low, member.bounds[0]), min(high, member.bounds[1])


def _scale_deviations(
    values: Vector, replicates: Matrix, se: Vector
) -> tuple[Matrix, NDArray[np.bool_]]:
    """Size of each replicate's deviation in standard errors, of the members that take part."""
    use = np.isfinite(values) & np.isfinite(se) & (se > 0)
    deviation = np.abs(replicates[:, use] - values[use]) / se[use]
    return deviation, use


def _convert_to_normal(statistic: Vector, df: float) -> Vector:
    if df == inf:
        return statistic
    return np.asarray(-special.ndtri(special.stdtr(df, -statistic)))


def _ascending(p_values: Vector) -> tuple[Index, Vector]:
    use = np.flatnonzero(np.isfinite(p_values))
    order = use[np.argsort(p_values[use], kind="stable")]
    return order, p_values[order]


def _restore_order(p: Vector, order: Index, size: int) -> Vector:
    result = np.full(size, nan)
    result[order] = p
    return result
