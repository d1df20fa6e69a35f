"""Differences between groups: gaps, how a model changes them, and whether all groups agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import nan, sqrt

import numpy as np
from scipy import special

from reportgen.inference.bands import sup_t_quantile
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import FEWEST, Interval, SamplingDistribution
from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.records import record

NORMAL_DRAWS = 9_999
STEPS = 20  # of a bisection: an upper limit is found to a millionth of its range
MOST_PAIRS = 4_000_000  # pairs of pairs of groups held in memory at once
SHRINKAGE = 1.0
"""By how many of its standard errors a group between the extremes is moved to their middle."""


@record
class GapEstimate:
    """A gap, its limits, and the two-sided p-value of no gap; nan where unknown."""

    value: float
    low: float = nan
    high: float = nan
    p_value: float = nan


@record(eq=False)
class GroupValues:
    """A value in each of k groups, with what is known of its error.

    `method` and `level` are those of the limits of one group. `are_apart`: no unit is in several
    groups, so that their errors are independent.
    """

    members: Sequence[SamplingDistribution]
    method: str
    level: float
    are_apart: bool = True

    @cached_property
    def values(self) -> Vector:
        """The values, (k,)."""
        return np.array([member.value for member in self.members])

    @property
    def times(self) -> float:
        """How many Normal standard errors the limits of one group reach."""
        return float(special.ndtri(0.5 + self.level / 2))

    @cached_property
    def replicates(self) -> Matrix:
        """The values in shared resamples, (k, B), nan where undefined."""
        return np.array([member.replicates for member in self.members])

    @cached_property
    def noise(self) -> Matrix:
        """Deviations of the replicates from their mean, in their standard deviations, (k, B)."""
        known = np.where(np.isfinite(self.replicates), self.replicates, nan)
        counts = np.isfinite(known).sum(axis=1)
        means = np.nansum(known, axis=1) / np.maximum(counts, 1)
        apart = known - means[:, None]
        spread = np.sqrt(np.nansum(apart**2, axis=1) / np.maximum(counts - 1, 1))
        rounding = np.array([member.rounding for member in self.members])
        scale = np.where(spread > rounding, spread, np.inf)
        return np.asarray(apart / scale[:, None])

    @cached_property
    def correlation(self) -> Matrix:
        """Correlation of the errors, (k, k); nan where too few resamples have all values."""
        k = len(self.members)
        if self.are_apart:
            return np.eye(k)
        if int(np.isfinite(self.noise).all(axis=0).sum()) <= k:
            return np.full((k, k), nan)
        return _correlate(self.noise)

    @cached_property
    def intervals(self) -> list[Interval]:
        """The interval of each group by itself."""
        return [compute_interval(member, self.method, self.level) for member in self.members]

    @cached_property
    def errors(self) -> Vector:
        """Standard errors that the limits of each group amount to, (k,)."""
        below, above = self.find_reach(self.times)
        return np.asarray((below + above) / (2 * self.times))

    @cached_property
    def largest_deviations(self) -> Vector:
        """Each resample's largest studentized deviation of a difference of two groups, (B,)."""
        return _find_largest_deviations(self)

    @cached_property
    def possible_extremes(self) -> tuple[Index, Index]:
        """The ordered pairs of groups that may be the highest and the lowest, as indices."""
        return _find_possible_extremes(self)

    @cached_property
    def range_limits(self) -> tuple[float, float]:
        """Limits of the range that half of 1 − level lies beyond."""
        limits = estimate_range(replace(self, level=1 - (1 - self.level) / 2))
        return limits.low, limits.high

    def find_reach(self, times: float) -> tuple[Vector, Vector]:
        """Find how far limits at so many Normal standard errors lie below and above the values.

        Where the method of a group does not reach that level, its own limits are scaled. The
        difference of two models that have the same scores has no error.
        """
        level = self.level if times == self.times else float(2 * special.ndtr(times) - 1)
        below, above = [], []
        for member, own in zip(self.members, self.intervals, strict=True):
            if member.has_one_score:
                below.append(0.0)
                above.append(0.0)
                continue
            is_own = level == self.level
            more = own if is_own else compute_interval(member, self.method, level)
            if more.is_defined and more.method == own.method:
                low, high = more.low, more.high
            else:
                scale, (least, most) = times / self.times, member.bounds
                low = max(member.value + scale * (own.low - member.value), least)
                high = min(member.value + scale * (own.high - member.value), most)
            below.append(max(member.value - low, 0.0))
            above.append(max(high - member.value, 0.0))
        return np.array(below), np.array(above)


def estimate_difference(groups: GroupValues) -> GapEstimate:
    """Estimate the first of two groups minus the second.

    Limits from those of each group (MOVER; Zou and Donner 2008, doi:10.1002/sim.3095); for two
    proportions with Wilson's limits they are Newcombe's.
    """
    below, above = groups.find_reach(groups.times)
    value = float(groups.values[0] - groups.values[1])
    down = _find_pair_reach(below, above, groups.correlation)[0, 1]
    up = _find_pair_reach(above, below, groups.correlation)[0, 1]
    toward_zero = down if value > 0 else up
    p = 2 * special.ndtr(-abs(value) * groups.times / toward_zero) if toward_zero > 0 else nan
    return GapEstimate(value, value - down, value + up, float(p))


def estimate_range(groups: GroupValues) -> GapEstimate:
    """Estimate the largest value minus the smallest.

    The lower limit is the largest of the simultaneous lower limits of all pairs: their critical
    value is the quantile of the largest studentized difference of two groups over the resamples, as
    in Tukey's studentized range. The p-value is that of the same statistic, so that limits above
    zero and a p-value below 1 − level go together.

    The upper limit inverts a one-sided test: the largest true range at which resamples show a range
    as small as this one more than (1 − level)/2 times as often as resamples of equal groups do
    (CLs; Read 2002, doi:10.1088/0954-3899/28/10/313). Without this division, no true range would
    pass where the measured one is smaller than most ranges of equal groups. The true values of the
    test have the shape of these, stretched to the range; groups between the extremes are first
    moved to the middle by a standard error, as noise has spread them. It is at most the largest
    upper limit of one pair, which holds whatever the true values are, since one of the pairs has
    the true range.
    """
    values, k = groups.values, len(groups.members)
    between = values[:, None] - values[None, :]
    top, bottom = int(values.argmax()), int(values.argmin())
    value = float(values[top] - values[bottom])
    if not np.all(np.isfinite(groups.correlation)):
        return GapEstimate(value)
    largest = groups.largest_deviations
    times = sup_t_quantile(largest, groups.level)
    if not np.isfinite(times) or np.isfinite(largest).sum() < FEWEST:
        return GapEstimate(value)
    below, above = groups.find_reach(times)
    down = _find_pair_reach(below, above, groups.correlation)
    low = max(float((between - down).max()), 0.0)
    scaled = np.divide(between * times, down, out=np.zeros((k, k)), where=down > 0)
    simulated = largest[np.isfinite(largest)]
    p = (float(np.sum(simulated >= scaled.max() * (1 - 1e-12))) + 1) / (len(simulated) + 1)
    below, above = groups.find_reach(groups.times)
    up = _find_pair_reach(above, below, groups.correlation)
    most = float((between + up).max())
    high = max(min(_invert_range(groups, below, above, most), most), value)
    return GapEstimate(value, low, high, p)


def estimate_range_change(
    candidate: GroupValues, baseline: GroupValues, differences: GroupValues
) -> GapEstimate:
    """Estimate the gap of one model minus that of another on the same groups.

    `differences` are candidate minus baseline in each group. If a pair of groups has the true gap
    of the candidate, the change is at most that gap minus the baseline's on any pair: on the same
    one, whose errors largely cancel, and on that which has the baseline's gap. The upper limit is
    the largest, over the pairs that may have the candidate's gap, of the smaller of two limits:
    that of the same pair, and the largest over the pairs that may have the baseline's gap. The
    lower limit is its mirror image. Limits of one contrast are unadjusted, as the true pairs are
    two. On its side of zero, no limit is farther out than the limits of the two gaps are apart,
    which have half of 1 − level.
    """
    value = float(np.ptp(candidate.values) - np.ptp(baseline.values))
    contrasts = _collect_contrasts(candidate, baseline, differences)
    if contrasts is None:
        return GapEstimate(value)
    times = differences.times
    low, high = contrasts.find_limits(times)
    distance = contrasts.find_distance()
    own, theirs = candidate.range_limits, baseline.range_limits
    low = max(low, min(own[0] - theirs[1], 0.0))
    high = min(high, max(own[1] - theirs[0], 0.0))
    return GapEstimate(value, min(low, value), max(high, value), float(2 * special.ndtr(-distance)))


@record(eq=False)
class _Contrasts:
    """Changes over pairs of groups, with their reach in one Normal standard error.

    `own` and `other` are changes over the pairs (p,) that may have the candidate's gap: on the
    same pair (p,), and from each of the baseline's pairs (p, q), None where these are very many.
    `theirs` are those on the same pair of the baseline (q,). Each has its value, and its reach
    below and above.
    """

    own: tuple[Vector, Vector, Vector]
    theirs: tuple[Vector, Vector, Vector]
    other: tuple[Matrix, Matrix] | None

    def find_limits(self, times: float) -> tuple[float, float]:
        """Find the limits at so many standard errors."""
        change, _, up = self.own
        high = change + times * up
        change, down, _ = self.theirs
        low = change - times * down
        if self.other is not None:
            change, reach = self.other
            high = np.minimum(high, (change + times * reach).max(axis=1))
            low = np.maximum(low, (change - times * reach).min(axis=0))
        return float(low.min()), float(high.max())

    def find_distance(self) -> float:
        """Return how many standard errors away zero is; 0 if the limits always hold it."""
        change, _, up = self.own
        below = _divide_reach(-change, up)
        change, down, _ = self.theirs
        above = _divide_reach(change, down)
        if self.other is not None:
            change, reach = self.other
            below = np.maximum(below, _divide_reach(-change, reach).min(axis=1))
            above = np.maximum(above, _divide_reach(change, reach).min(axis=0))
        return max(float(below.min()), float(above.min()), 0.0)


def _divide_reach(change: Vector, reach: Vector) -> Vector:
    """Divide changes by their reach; without reach, one above zero is infinitely far away."""
    return np.divide(change, reach, out=np.where(change > 0, np.inf, -np.inf), where=reach > 0)


def _collect_contrasts(
    candidate: GroupValues, baseline: GroupValues, differences: GroupValues
) -> _Contrasts | None:
    """Collect the changes over the pairs that may have the gaps; None where too little is known."""
    known = candidate.correlation, baseline.correlation, differences.correlation
    if not all(np.all(np.isfinite(each)) for each in known):
        return None
    times = differences.times
    below, above = differences.find_reach(times)
    if not np.all(np.isfinite(below + above)):
        return None
    change = differences.values[:, None] - differences.values[None, :]
    down = _find_pair_reach(below, above, differences.correlation) / times
    up = _find_pair_reach(above, below, differences.correlation) / times
    ours, theirs = candidate.possible_extremes, baseline.possible_extremes
    other = None
    if len(ours[0]) * len(theirs[0]) <= MOST_PAIRS:
        other = _find_other_changes(candidate, baseline, ours, theirs)
    return _Contrasts(
        (change[ours], down[ours], up[ours]), (change[theirs], down[theirs], up[theirs]), other
    )


def _find_other_changes(
    candidate: GroupValues,
    baseline: GroupValues,
    ours: tuple[Index, Index],
    theirs: tuple[Index, Index],
) -> tuple[Matrix, Matrix]:
    """Find the changes from each of the baseline's pairs, and their standard errors, (p, q)."""
    first, second = (
        each.values[pairs[0]] - each.values[pairs[1]]
        for each, pairs in ((candidate, ours), (baseline, theirs))
    )
    reach = _find_reach_between(candidate, baseline, ours, theirs)
    return first[:, None] - second[None, :], reach


def _find_reach_between(
    candidate: GroupValues,
    baseline: GroupValues,
    ours: tuple[Index, Index],
    theirs: tuple[Index, Index],
) -> Matrix:
    """Find the standard errors of one model's differences minus those of another, (p, q)."""
    k = len(candidate.members)
    both = np.concatenate([candidate.errors, baseline.errors])
    noise = np.vstack([candidate.noise, baseline.noise])
    shared = _correlate(noise)
    if candidate.are_apart:
        shared = shared * np.tile(np.eye(k), (2, 2))
    spread = both[:, None] * shared * both
    one, other = np.zeros((len(ours[0]), 2 * k)), np.zeros((len(theirs[0]), 2 * k))
    for contrast, (first, second), start in ((one, ours, 0), (other, theirs, k)):
        rows = np.arange(len(first))
        contrast[rows, start + first] = 1.0
        contrast[rows, start + second] = -1.0
    own = np.einsum("pi,ij,pj->p", one, spread, one)
    their = np.einsum("qi,ij,qj->q", other, spread, other)
    squares = own[:, None] + their[None, :] - 2 * (one @ spread @ other.T)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _correlate(noise: Matrix) -> Matrix:
    """Correlate rows of noise, each pair where both have a value; 0 where one never varies."""
    known = np.isfinite(noise)
    filled = np.where(known, noise, 0.0)
    squares = filled**2 @ known.T
    size = np.sqrt(squares * squares.T)
    products = np.divide(filled @ filled.T, size, out=np.zeros_like(size), where=size > 0)
    np.fill_diagonal(products, 1.0)
    return np.asarray(np.clip(products, -1.0, 1.0))


def _find_pair_reach(first: Vector, second: Vector, correlation: Matrix) -> Matrix:
    """Combine the reach of group i and the opposite one of group j to that of i minus j, (k, k)."""
    squares = first[:, None] ** 2 + second[None, :] ** 2
    shared = correlation - np.eye(len(first))
    return np.sqrt(np.maximum(squares - 2 * shared * np.outer(first, second), 0.0))


def _find_largest_deviations(groups: GroupValues) -> Vector:
    """Find each resample's largest studentized deviation of a difference of two groups, (B,).

    A group without a value in a resample is left out of it. One that never varies, as a share of 1,
    adds no deviation; where none varies, the deviations are Normal ones of as many groups.
    """
    varies = np.nanmax(np.abs(groups.noise), axis=1, initial=0.0) > 0
    if not varies.any():
        size = len(groups.members), NORMAL_DRAWS
        noise = np.random.default_rng(0).standard_normal(size)
        return np.asarray((noise.max(axis=0) - noise.min(axis=0)) / sqrt(2))
    errors = np.where(varies, groups.errors, 0.0)
    scaled = groups.noise * errors[:, None]
    largest = np.full(scaled.shape[1], nan)
    for i in range(len(errors) - 1):
        rest = slice(i + 1, None)
        squares = errors[i] ** 2 + errors[rest] ** 2
        shared = groups.correlation[i, rest]
        spread = np.sqrt(np.maximum(squares - 2 * shared * errors[i] * errors[rest], 0.0))
        spread = np.where(spread > 0, spread, nan)
        each = np.abs(scaled[i] - scaled[rest]) / spread[:, None]
        largest = np.fmax(largest, np.fmax.reduce(each, axis=0))
    return largest


def _invert_range(groups: GroupValues, below: Vector, above: Vector, most: float) -> float:
    """Find the largest true range, up to `most`, that the test of the upper limit accepts."""
    values, alpha = groups.values, (1 - groups.level) / 2
    top, bottom = int(values.argmax()), int(values.argmin())
    value = float(values[top] - values[bottom])
    if not value > 0:
        return most
    apart = values - (values[top] + values[bottom]) / 2
    errors = np.where(apart >= 0, above, below) / groups.times
    shape = np.sign(apart) * np.maximum(np.abs(apart) - SHRINKAGE * errors, 0.0)
    shape[[top, bottom]] = apart[[top, bottom]]
    noise = groups.noise * errors[:, None]

    def find_share(stretch: float) -> float:
        """Find the share of resamples with a range as small as this one."""
        simulated = stretch * shape[:, None] + noise
        ranges = np.fmax.reduce(simulated, axis=0) - np.fmin.reduce(simulated, axis=0)
        return float(np.mean(ranges <= value))

    low, high, least = 0.0, most / value, alpha * find_share(0.0)
    if not least or find_share(high) > least:
        return most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if find_share(middle) > least else (low, middle)
    return high * value


def _find_possible_extremes(groups: GroupValues) -> tuple[Index, Index]:
    """Find the ordered pairs of groups that may be the highest and the lowest, as indices.

    Those whose simultaneous upper limit reaches the lower limit of the range.
    """
    values, k = groups.values, len(groups.members)
    between = values[:, None] - values[None, :]
    times = sup_t_quantile(groups.largest_deviations, groups.level)
    times = times if np.isfinite(times) else groups.times
    below, above = groups.find_reach(times)
    low = (between - _find_pair_reach(below, above, groups.correlation)).max()
    high = between + _find_pair_reach(above, below, groups.correlation)
    first, second = np.nonzero((high >= max(float(low), 0.0)) & ~np.eye(k, dtype=bool))
    return first, second


FEWEST_IN_A_GROUP = 10
"""Fewest units with which a group's spread is known well enough to compare groups."""


@record(eq=False)
class GroupDifferences:
    """The difference of two models in each of k groups of rows.

    `values`, `errors` (k,) are the differences and their standard errors, `units` the independent
    units of each group and `df` (k,) the degrees of freedom of each error. `correlation` (k, k)
    is that of the differences where groups share units; None where they share none.
    """

    values: Vector
    errors: Vector
    units: Vector
    df: Vector
    correlation: Matrix | None = None

    @property
    def safe_errors(self) -> Vector:
        """Standard errors that no group with few units understates, (k,).

        The variance of a unit in a group is at least the mean of its own and that of all groups:
        where differences are skewed, a group with a small mean also shows a small spread.
        """
        own = self.errors**2 * self.units
        pooled = float(self.df @ own / self.df.sum())
        return np.asarray(np.sqrt(np.maximum(own, (own + pooled) / 2) / self.units))


@record
class Heterogeneity:
    """A test that k differences are equal: an F statistic, its degrees of freedom, its p-value."""

    statistic: float
    df: float
    error_df: float
    p_value: float


@record
class ContrastEstimate:
    """A weighted sum of differences, its standard error and degrees of freedom."""

    value: float
    se: float
    df: float

    @property
    def p_value(self) -> float:
        """The two-sided p-value of zero by Student's t; nan without an error."""
        if not self.se > 0:
            return nan
        return float(2 * special.stdtr(self.df, -abs(self.value) / self.se))

    def compute_limits(self, level: float) -> tuple[float, float]:
        """Compute the limits at `level`; nan without an error."""
        half = float(special.stdtrit(self.df, 0.5 + level / 2)) * self.se if self.se > 0 else nan
        return self.value - half, self.value + half


def compare_groups(groups: GroupDifferences) -> Heterogeneity | None:
    """Test that the differences of all groups are equal; None where too little is known.

    Groups that share no unit have Welch's test (1951), Cochran's Q (1937) with a correction for
    few units. Groups that share units have Hotelling's, with the smallest degrees of freedom.
    """
    k, errors = len(groups.values), groups.safe_errors
    if k < 2 or not np.all(errors > 0):
        return None
    if groups.correlation is not None and not np.all(np.isfinite(groups.correlation)):
        return None
    if groups.correlation is None:
        weight = 1 / errors**2
        share = weight / weight.sum()
        apart = groups.values - share @ groups.values
        lost = float(((1 - share) ** 2 / groups.df).sum())
        statistic = float(weight @ apart**2) / (k - 1)
        statistic /= 1 + 2 * (k - 2) / (k**2 - 1) * lost
        error_df = (k**2 - 1) / (3 * lost)
    else:
        step = np.diff(np.eye(k), axis=0)
        spread = step @ (errors[:, None] * groups.correlation * errors) @ step.T
        df = float(groups.df.min())
        error_df = df - k + 2
        if error_df < 1 or np.linalg.matrix_rank(spread) < k - 1:
            return None
        apart = step @ groups.values
        statistic = float(apart @ np.linalg.solve(spread, apart)) / (k - 1) * error_df / df
    p = float(special.fdtrc(k - 1, error_df, statistic))
    return Heterogeneity(statistic, k - 1.0, error_df, p)


def estimate_contrast(groups: GroupDifferences, weights: Vector) -> ContrastEstimate:
    """Estimate a weighted sum of the differences, with Satterthwaite's degrees of freedom."""
    parts = weights * groups.errors
    value = float(weights @ groups.values)
    if groups.correlation is not None:
        square = float(parts @ groups.correlation @ parts)
        return ContrastEstimate(value, sqrt(max(square, 0.0)), float(groups.df.min()))
    square = float(parts @ parts)
    spread = float((parts**4 / groups.df).sum())
    return ContrastEstimate(value, sqrt(square), square**2 / spread if spread > 0 else nan)
