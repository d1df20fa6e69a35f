"""How far a judge agrees with a human, and means of its scores corrected by the human's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from reportgen.inference.analytic_intervals import ROUNDING, wilson_limits
from reportgen.inference.resampled_intervals import critical_value
from reportgen.records import record

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
STEP = 1e-30  # of a derivative along the imaginary axis, which loses no digits


@record
class ClusteredValue:
    """A value with its limits; nan where there are none, for the `reason` given."""

    value: float = nan
    low: float = nan
    high: float = nan
    se: float = nan
    reason: str = ""


@record(eq=False)
class LabelledItems:
    """What a human and a judge made of the labelled samples of each item, (items,) each.

    Counts of samples by cell: both pass, the judge alone does, the human alone, neither.
    `judge` and `human` are sums of their scores, `labelled` counts samples; `cluster` numbers the
    items that belong together, each its own where nothing does.
    """

    both: Vector
    judge_alone: Vector
    human_alone: Vector
    neither: Vector
    judge: Vector
    human: Vector
    labelled: Vector
    cluster: Index

    @property
    def table(self) -> Vector:
        """The counts of each item, (items, 4)."""
        return np.stack([self.both, self.judge_alone, self.human_alone, self.neither], axis=1)


def compute_kappa(table: Vector) -> Vector:
    """Compute Cohen's κ of counts (…, 4): both pass, the first alone, the second alone, neither.

    Cohen (1960), A coefficient of agreement for nominal scales. It is nan where one of the two
    passes all or none: it would be 0 whatever the other does.

    >>> float(compute_kappa(np.array([20.0, 5, 10, 15])).round(6))
    0.4
    """
    first, second, same = _shares(table)
    chance = first * second + (1 - first) * (1 - second)
    varies = first * (1 - first) * second * (1 - second) != 0
    return np.asarray(np.where(varies, (same - chance) / (1 - chance), np.nan))


def compute_ac1(table: Vector) -> Vector:
    """Compute Gwet's AC1 of such counts, in which chance agreement is 2π(1 − π).

    Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement.
    """
    first, second, same = _shares(table)
    share = (first + second) / 2
    chance = 2 * share * (1 - share)
    return np.asarray((same - chance) / (1 - chance))


def compute_sensitivity(table: Vector) -> Vector:
    """Compute how often the judge passes what the human passes."""
    return np.asarray(table[..., 0] / (table[..., 0] + table[..., 2]))


def compute_specificity(table: Vector) -> Vector:
    """Compute how often the judge fails what the human fails."""
    return np.asarray(table[..., 3] / (table[..., 1] + table[..., 3]))


def _shares(table: Vector) -> tuple[Vector, Vector, Vector]:
    total = table.sum(axis=-1)
    first, second = table[..., 0] + table[..., 1], table[..., 0] + table[..., 2]
    return first / total, second / total, (table[..., 0] + table[..., 3]) / total


def estimate_agreement(
    items: LabelledItems, measure: Callable[[Vector], Vector], level: float, *, is_share: bool
) -> ClusteredValue:
    """Estimate a measure of agreement with limits that treat items of a cluster as one.

    The standard error is that of the linearised measure, summed by cluster. Limits of a share are
    Wilson's with as many samples as have that error.
    """
    used = items.labelled > 0
    counts, cluster = items.table[used], items.cluster[used]
    total = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(measure(total))
    if not np.isfinite(value):
        return ClusteredValue(reason="the judge or the human passes all, or none")
    units = len(np.unique(cluster))
    if units < 2:
        return ClusteredValue(value, reason="it needs labels of two clusters or more")
    steps = total + 1j * STEP * np.eye(4)
    slope = measure(steps).imag / STEP
    se = _drop_rounding(_compute_clustered_se(counts @ slope, cluster), 1.0)
    if is_share:
        return _limit_share(value, se, units, level)
    if se == 0:
        return ClusteredValue(_drop_rounding(value, 1.0), reason="agreement does not vary")
    wide = _build_limits(value, se, critical_value(level, units - 1), 1.0)
    return replace(wide, low=max(wide.low, -1.0), high=min(wide.high, 1.0))


def _drop_rounding(number: float, size: float) -> float:
    """Return 0 for a number that is rounding alone, next to numbers of a size."""
    return 0.0 if abs(number) <= ROUNDING * size else number


def _build_limits(value: float, se: float, times: float, size: float) -> ClusteredValue:
    """Build a value with limits; what is rounding alone next to numbers of a size is 0."""
    value, se = _drop_rounding(value, size), _drop_rounding(se, size)
    return ClusteredValue(value, value - times * se, value + times * se, se)


def _limit_share(value: float, se: float, units: int, level: float) -> ClusteredValue:
    """Compute Wilson's limits with the number of samples that the standard error stands for."""
    trials = value * (1 - value) / se**2 if se > 0 else float(units)
    return ClusteredValue(value, *wilson_limits(value, trials, level, units - 1), se)


def _compute_clustered_se(influence: Vector, cluster: Index) -> float:
    """Compute a standard error from each item's share of an estimate, summed by cluster."""
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], influence)
    return sqrt(len(sums) / (len(sums) - 1) * float(sums @ sums)) if len(sums) > 1 else nan


def compare_judge_errors(
    candidate: LabelledItems, baseline: LabelledItems, level: float
) -> ClusteredValue:
    """Compare by how much a judge scores above the human, for two models: above 0 it favours one.

    Each is a mean over labelled samples; both are of the same items, or of the same clusters.
    """
    shares, value, size = [], 0.0, 0.0
    for sign, items in ((1.0, candidate), (-1.0, baseline)):
        total = items.labelled.sum()
        if not total:
            return ClusteredValue(reason="one of the models has no labels")
        error = items.judge - items.human
        mean = float(error.sum() / total)
        value += sign * mean
        size = max(size, float(np.abs(items.judge).max()), float(np.abs(items.human).max()))
        shares.append(sign * (error - mean * items.labelled) / total)
    used = (candidate.labelled > 0) | (baseline.labelled > 0)
    cluster = candidate.cluster[used]
    units = len(np.unique(cluster))
    if units < 2:
        return ClusteredValue(value, reason="it needs labels of two clusters or more")
    se = _compute_clustered_se((shares[0] + shares[1])[used], cluster)
    return _build_limits(value, se, critical_value(level, units - 1), size)


@record
class CorrectedMean:
    """A mean of human scores that is estimated with a judge's, and what it is made of.

    `weight` is how far the judge is trusted, from 0 to 1; `labelled` items have both scores,
    `others` the judge's alone. `human` is the mean of the labelled items, `judge` that of all.
    """

    corrected: ClusteredValue
    human: ClusteredValue
    judge: float
    weight: float
    labelled: int
    others: int


def correct_mean(
    judge: Vector, human: Vector, is_labelled: NDArray[np.bool_], cluster: Index, level: float
) -> CorrectedMean:
    """Estimate the mean of human scores by PPI++: from labelled items, and a judge's on others.

    θ = λ mean_U f + mean_L (h − λ f), with λ = Cov_L(h, f) / ((1 + n/N) Var f), limited to 0…1.
    Labelled items must be a random sample. With clusters, both terms are summed by cluster, so
    that a cluster with items of both kinds adds their covariance. Angelopoulos, Duchi and Zrnic
    (2023), PPI++: efficient prediction-powered inference.
    """
    f, h, rest = judge[is_labelled], human[is_labelled], judge[~is_labelled]
    n, others = len(f), len(rest)
    mean = float(judge.mean()) if len(judge) else nan
    if n < 2 or others < 2:
        why = "it needs two labelled items and two others, or more"
        return CorrectedMean(
            ClusteredValue(reason=why), ClusteredValue(reason=why), mean, 0, n, others
        )
    spread = float(np.var(judge, ddof=1))
    weight = 0.0
    if spread > 0:
        weight = float(np.cov(h, f)[0, 1] / ((1 + n / others) * spread))
    weight = min(max(weight, 0.0), 1.0)
    gap = h - weight * f
    value = weight * float(rest.mean()) + float(gap.mean())
    has_clusters = len(np.unique(cluster)) < len(cluster)
    units = len(np.unique(cluster[is_labelled]))
    if units < 2:
        why = "it needs labels of two clusters or more"
        none = ClusteredValue(value, reason=why)
        return CorrectedMean(
            none, ClusteredValue(float(h.mean()), reason=why), mean, weight, n, others
        )
    if has_clusters:
        share = np.empty(len(judge))
        share[is_labelled] = (gap - gap.mean()) / n
        share[~is_labelled] = weight * (rest - rest.mean()) / others
        se = _compute_clustered_se(share, cluster)
        own = _compute_clustered_se((h - h.mean()) / n, cluster[is_labelled])
    else:
        se = sqrt(weight**2 * np.var(rest, ddof=1) / others + np.var(gap, ddof=1) / n)
        own = sqrt(np.var(h, ddof=1) / n)
    times = critical_value(level, units - 1)
    size = max(float(np.abs(judge).max()), float(np.abs(h).max()))
    return CorrectedMean(
        _build_limits(value, se, times, size),
        _build_limits(float(h.mean()), own, times, size),
        mean,
        weight,
        n,
        others,
    )


def find_unlike_score(
    judge: Vector, is_labelled: NDArray[np.bool_], cluster: Index
) -> float | None:
    """Compute the p-value that labelled items have the judge's scores of others; None if unknown.

    A Welch test on the means; clusters count as one item each.
    """
    groups = []
    for chosen in (is_labelled, ~is_labelled):
        codes = np.unique(cluster[chosen], return_inverse=True)[1]
        groups.append(np.bincount(codes, judge[chosen]) / np.bincount(codes))
    if min(map(len, groups)) < 2:
        return None
    variance = sum(float(np.var(each, ddof=1)) / len(each) for each in groups)
    if variance <= 0:
        return 0.0 if groups[0][0] != groups[1][0] else None
    shift = abs(float(groups[0].mean() - groups[1].mean())) / sqrt(variance)
    return float(2 * special.ndtr(-shift))


def find_unlike_groups(code: Index, is_labelled: NDArray[np.bool_]) -> float | None:
    """Compute the p-value that labelled items are in the groups as others are; None if unknown.

    Pearson's χ² test of groups of which five items or more are expected.
    """
    counts = np.stack(
        [np.bincount(code[c], minlength=code.max() + 1) for c in (is_labelled, ~is_labelled)]
    )
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    kept = (expected >= 5).all(axis=0)
    if kept.sum() < 2:
        return None
    squares = ((counts - expected) ** 2 / expected)[:, kept].sum()
    return float(special.chdtrc(kept.sum() - 1, squares))
