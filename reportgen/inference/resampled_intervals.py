"""Intervals from replicates: percentile, BCa, bootstrap-t and others."""

from __future__ import annotations

from dataclasses import replace
from math import atanh, ceil, exp, hypot, inf, isfinite, log, nan, sqrt, tanh

import numpy as np
from scipy import special

from reportgen.inference.sampling_distribution import DRAWS, Interval, SamplingDistribution
from reportgen.kernels.batch import Vector

# Standard errors past which a bootstrap-t has met resamples of hardly any different rows.
FARTHEST = 50.0


def clip_interval(
    evidence: SamplingDistribution, low: float, high: float, level: float, method: str, se: float
) -> Interval | None:
    """Clip an interval to the range of the value; None if it is not finite or has no width."""
    if not (isfinite(low) and isfinite(high)):
        return None
    low, high = max(low, evidence.bounds[0]), min(high, evidence.bounds[1])
    return Interval(low, high, level, method, se) if high - low > evidence.rounding else None


def critical_value(level: float, df: float = inf) -> float:
    """Return the two-sided critical value of the Normal, or of Student's t.

    >>> round(critical_value(0.95), 3), round(critical_value(0.95, 9), 3)
    (1.96, 2.262)
    """
    p = 0.5 + level / 2
    return float(special.ndtri(p) if df == inf else special.stdtrit(df, p))


def two_sided_quantiles(ascending: Vector, level: float) -> tuple[float, float] | None:
    """Return the lower and upper (1 − level)/2 quantiles; None if too few values reach so far."""
    tail = (1 - level) / 2
    if (len(ascending) + 1) * tail < 1 - 1e-9:
        return None
    return order_statistic_quantile(ascending, tail), order_statistic_quantile(ascending, 1 - tail)


def count_needed_replicates(tails: int, level: float) -> int:
    """Count the replicates that a quantile in each of so many tails needs at this level.

    >>> count_needed_replicates(2, 0.95), count_needed_replicates(1, 1 - 0.05 / 15)
    (39, 299)
    """
    return ceil(tails / (1 - level) * (1 - 1e-9)) - 1


def order_statistic_quantile(ascending: Vector, p: float) -> float:
    """Order statistic (B + 1)p, between neighbours by straight line, held within the sample.

    >>> order_statistic_quantile(np.array([1.0, 2.0, 3.0]), 0.5)
    2.0
    """
    position = min(max((len(ascending) + 1) * p, 1.0), float(len(ascending)))
    below = float(ascending[int(position) - 1])
    above = float(ascending[ceil(position) - 1])
    if above in (below, inf) or below == -inf:  # nothing to interpolate next to an infinite value
        return above if below > -inf else below
    return below + (above - below) * (position - int(position))


def percentile_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Return the quantiles of the replicates themselves."""
    ends = two_sided_quantiles(evidence.finite, level) if evidence.has_replicates else None
    if ends is None:
        return None
    return clip_interval(evidence, *ends, level, "percentile", evidence.bootstrap_se)


def basic_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Return the quantiles of the replicates, mirrored at the value."""
    ends = two_sided_quantiles(evidence.finite, level) if evidence.has_replicates else None
    if ends is None:
        return None
    low, high = 2 * evidence.value - ends[1], 2 * evidence.value - ends[0]
    return clip_interval(evidence, low, high, level, "basic", evidence.bootstrap_se)


def symmetric_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """θ ± the quantile of |θ* − θ|: the limits that go with the null-centred bootstrap."""
    if not evidence.has_replicates or (len(evidence.existing) + 1) * (1 - level) < 1 - 1e-9:
        return None
    half = order_statistic_quantile(np.sort(np.abs(evidence.finite - evidence.value)), level)
    low, high = evidence.value - half, evidence.value + half
    return clip_interval(evidence, low, high, level, "symmetric", evidence.bootstrap_se)


def standard_error_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Return the value ± a multiple of the replicates' standard deviation: Normal, or t(G − 1)."""
    half = critical_value(level, evidence.df) * evidence.bootstrap_se
    low, high = evidence.value - half, evidence.value + half
    return clip_interval(evidence, low, high, level, "bootstrap-se", evidence.bootstrap_se)


def bias_corrected_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """As `standard_error_interval`, around the value minus its (bootstrap) bias.

    For a value that is the best of many, which the rows at hand flatter as resamples flatter it.
    A bias that is known from a fit to these rows may fall short of the true one, by 10 to 30% in
    trials: that doubt is added to the standard error.
    """
    if not evidence.has_replicates:
        return None
    bias, se = evidence.bias, evidence.bootstrap_se
    if bias is None:
        bias = float(np.mean(evidence.finite)) - evidence.value
    se = hypot(se, evidence.estimand.doubt * bias)
    half, middle = critical_value(level, evidence.df) * se, evidence.value - bias
    low, high = middle - half, middle + half
    return clip_interval(evidence, low, high, level, "debiased-bootstrap-se", se)


def size_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Limits of |candidate| − |baseline| from those of its four signed forms.

    It is the larger, over the candidate's sign, of the smaller, over the baseline's, of
    ±candidate ∓ baseline; so are its limits. Near zero, where the size bends, its own replicates
    would miss what the other sign allows.
    """
    found = size_limits(evidence, critical_value(level, evidence.df))
    if found is None:
        return None
    return clip_interval(evidence, *found, level, "size-bootstrap-se", evidence.bootstrap_se)


def size_limits(evidence: SamplingDistribution, times: float) -> tuple[float, float] | None:
    """Limits of a difference of sizes, so many standard errors of each signed form away."""
    forms = list_signed_forms(evidence)
    if forms is None:
        return None
    ends = (
        max(min(value + side * se for value, se in row) for row in forms)
        for side in (-times, times)
    )
    low, high = ends
    return low, high


def list_signed_forms(
    evidence: SamplingDistribution,
) -> tuple[tuple[tuple[float, float], ...], ...] | None:
    """Value and standard error of ±candidate ∓ baseline: a row for each sign of the candidate.

    None where the difference is not one of sizes, or where a form has no spread.
    """
    if evidence.signed is None:
        return None
    candidate, baseline = evidence.signed
    rows = tuple(
        tuple(
            (
                a * candidate.value - b * baseline.value,
                replace(
                    evidence, replicates=a * candidate.replicates - b * baseline.replicates
                ).bootstrap_se,
            )
            for b in (1.0, -1.0)
        )
        for a in (1.0, -1.0)
    )
    is_spread = all(isfinite(se) and se > evidence.rounding for row in rows for _, se in row)
    return rows if is_spread else None


def bca_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Quantiles corrected for bias and skewness (Efron 1987)."""
    if not evidence.has_replicates or two_sided_quantiles(evidence.finite, level) is None:
        return None
    places = bca_quantile_levels(evidence, level)
    if places is None:
        return None
    low, high = (order_statistic_quantile(evidence.finite, p) for p in places)
    method = "bc" if bca_acceleration(evidence) is None else "bca"
    return clip_interval(evidence, low, high, level, method, evidence.bootstrap_se)


def bca_quantile_levels(evidence: SamplingDistribution, level: float) -> tuple[float, float] | None:
    """Return which quantiles BCa takes; None where its corrections do not exist."""
    z0, a = bca_bias_correction(evidence), bca_acceleration(evidence) or 0.0
    places = []
    for z in (-critical_value(level), critical_value(level)):
        shifted = z0 + z
        # Past this the map is no longer increasing: the correction has broken down.
        if not np.isfinite(shifted) or a * shifted >= 1:
            return None
        places.append(float(special.ndtr(z0 + shifted / (1 - a * shifted))))
    return (places[0], places[1]) if places[0] < places[1] else None


def bca_bias_correction(evidence: SamplingDistribution) -> float:
    """Compute the Normal quantile of the share of replicates below the value, ties counted half.

    0 for statistics of buckets, known by their groups: a row drawn twice shifts the edges of a
    resample's buckets, which the sample's own edges do not suffer, and z0 would mostly be that.
    """
    if evidence.influence is None and evidence.grouped is not None:
        return 0.0
    distance = evidence.finite - evidence.value
    below = np.sum(distance < -evidence.rounding)
    tied = np.sum(np.abs(distance) <= evidence.rounding)
    return float(special.ndtri((below + tied / 2) / max(len(distance), 1)))


def bca_acceleration(evidence: SamplingDistribution) -> float | None:
    """Compute a sixth of the influence's skewness; 0 for quantiles; None where none is known.

    Sums over groups of rows have the same third moments as the rows, so groups do in its place.
    """
    if not evidence.estimand.is_smooth:
        return 0.0
    sums = evidence.squares_and_cubes
    if sums is None:
        return None
    squares, cubes = sums
    return float(cubes / (6 * squares**1.5)) if squares else 0.0


def studentized_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute the bootstrap-t interval: each replicate is measured in its own standard error."""
    ends = _find_studentized_quantiles(evidence, level)
    if ends is None:
        return None
    low, high = (evidence.value - t * compute_influence_se(evidence) for t in ends)
    return clip_interval(evidence, low, high, level, "studentized", evidence.influence_se)


def log_studentized_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute the bootstrap-t of log θ, or log(1 − θ) for one minus a ratio; not of differences."""
    sized = _transform_to_size(evidence)
    if sized is None or sized.value <= 0 or not np.all(sized.existing > 0):
        return None
    ends = _find_studentized_quantiles(_transform_to_log(sized), level)
    if ends is None:
        return None
    low, high = (
        _times_exp(sized.value, -t * compute_influence_se(sized) / sized.value) for t in ends
    )
    return _transform_from_size(
        evidence, low, high, level, "log-studentized", evidence.influence_se
    )


def log_standard_error_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute Normal limits for log θ or log(1 − θ), from the replicates' spread on that scale."""
    sized = _transform_to_size(evidence)
    if sized is None or sized.value <= 0 or not np.all(sized.existing > 0):
        return None
    se = _transform_to_log(sized).bootstrap_se
    half = critical_value(level, evidence.df) * se
    low, high = (_times_exp(sized.value, step) for step in (-half, half))
    return _transform_from_size(evidence, low, high, level, "log-bootstrap-se", se * sized.value)


def fisher_z_standard_error_interval(
    evidence: SamplingDistribution, level: float
) -> Interval | None:
    """Limits for a product-moment correlation on Fisher's z, with the replicates' spread there."""
    r = evidence.value
    if evidence.is_difference or not evidence.estimand.is_correlation_of_means or not -1 < r < 1:
        return None
    on_z = _transform_to_fisher_z(evidence)
    half = critical_value(level, evidence.df) * on_z.bootstrap_se
    low, high = (tanh(atanh(r) + step) for step in (-half, half))
    se = on_z.bootstrap_se * (1 - r**2)
    return clip_interval(evidence, low, high, level, "fisher-z-bootstrap-se", se)


def symmetric_studentized_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """θ ± the quantile of |θ* − θ|, each replicate measured in its own standard error.

    Where a few wild rows rule, the equal tails of the bootstrap-t miss on both sides; the two tails
    taken together do not. A correlation has its limits on Fisher's z. The standard error is the
    half width over the Normal quantile: the formula's own would promise more.
    """
    is_on_z = evidence.estimand.is_correlation_of_means and not evidence.is_difference
    if is_on_z and not -1 < evidence.value < 1:
        return None
    on_scale = _transform_to_fisher_z(evidence) if is_on_z else evidence
    distances, centre = on_scale.ascending_distances, on_scale.value
    if distances is None or (len(distances) + 1) * (1 - level) < 1 - 1e-9:
        return None
    half = order_statistic_quantile(distances, level)
    if half > FARTHEST * compute_influence_se(evidence):
        return None
    low, high = centre - half, centre + half
    if is_on_z:
        low, high = tanh(low), tanh(high)
    name = "fisher-z-studentized" if is_on_z else "symmetric-studentized"
    wide = critical_value(level)  # 0 at a level of 0, where a family has given all of it away
    se = (high - low) / 2 / wide if wide > 0 else nan
    return clip_interval(evidence, low, high, level, name, se)


def rescale_replicates(evidence: SamplingDistribution) -> Vector | None:
    """Replicates at the distance they would have with the sample's standard error; or None.

    θ + (θ* − θ)·se/se*, so that whoever measures them in se measures each in its own. nan where a
    replicate has none.
    """
    t = evidence.studentized
    return None if t is None else evidence.value + t * compute_influence_se(evidence)


def compute_influence_se(evidence: SamplingDistribution) -> float:
    """Compute the influence standard error without small-sample factor, as in each replicate."""
    return sqrt(evidence.squared_influence)


def _find_studentized_quantiles(
    evidence: SamplingDistribution, level: float
) -> tuple[float, float] | None:
    """Return the upper and the lower quantile of the studentized replicates, in this order."""
    t = evidence.ascending_studentized
    ends = None if t is None else two_sided_quantiles(t, level)
    if ends is None or max(map(abs, ends)) > FARTHEST:
        return None
    return ends[1], ends[0]


def _transform_to_fisher_z(evidence: SamplingDistribution) -> SamplingDistribution:
    """Transform the evidence to Fisher's z, with its standard errors left as they are."""
    with np.errstate(divide="ignore"):
        # A replicate of few different rows may lie on a line: its z does not exist.
        z = np.arctanh(evidence.replicates)
    return replace(evidence, value=atanh(evidence.value), replicates=z)


def _transform_to_size(evidence: SamplingDistribution) -> SamplingDistribution | None:
    """θ or 1 − θ as evidence of a positive size; None where a logarithm is out of place."""
    if evidence.is_difference or not evidence.estimand.is_logged:
        return None
    if evidence.estimand.scale == "positive":
        return evidence
    return replace(evidence, value=1 - evidence.value, replicates=1 - evidence.replicates)


def _transform_to_log(sized: SamplingDistribution) -> SamplingDistribution:
    """Transform the evidence to the logarithm of the size."""
    size = np.where(np.isfinite(sized.replicates), sized.replicates, nan)
    spread = None if sized.replicate_se is None else sized.replicate_se / size
    influence = None if sized.influence is None else sized.influence / sized.value
    return replace(
        sized,
        value=log(sized.value),
        replicates=np.log(size),
        replicate_se=spread,
        influence=influence,
    )


def _transform_from_size(
    evidence: SamplingDistribution, low: float, high: float, level: float, method: str, se: float
) -> Interval | None:
    if evidence.estimand.scale == "one minus positive":
        low, high = 1 - high, 1 - low
    return clip_interval(evidence, low, high, level, method, se)


def _times_exp(size: float, step: float) -> float:
    return size * exp(step) if step < 700 else inf


def compute_multiplier_sums(evidence: SamplingDistribution) -> Vector | None:
    """|Σ ± u| of the smoothed shares u; None where there are none, or clusters or blocks."""
    is_dependent = evidence.is_clustered or evidence.block is not None
    if evidence.smoothed is None or is_dependent or evidence.unit_df < 1:
        return None
    size = float(np.abs(evidence.smoothed).sum())
    return evidence.smoothed_sums if np.isfinite(size) and size > evidence.rounding else None


def multiplier_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """θ ± the quantile of |Σ ± u|."""
    sums = compute_multiplier_sums(evidence)
    if sums is None or not evidence.is_difference:
        return None
    half = order_statistic_quantile(sums, level)
    if (DRAWS + 1) * (1 - level) < 1:
        # Further out than the draws reach, where a Normal tail may lie beyond the last of them.
        half = max(half, critical_value(level) * evidence.smoothed_se)
    low, high = evidence.value - half, evidence.value + half
    return clip_interval(evidence, low, high, level, "multiplier", evidence.smoothed_se)
