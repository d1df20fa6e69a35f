"""Tests of no difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, nan, sqrt

import numpy as np
from scipy import special

from reportgen.inference import differences
from reportgen.inference.intervals import TEST_RULES, has_few_of_a_class, select_methods
from reportgen.inference.long_run import LongRunEstimate, estimate_long_run_error
from reportgen.inference.proportion_intervals import (
    compute_sign_shares,
    count_changed_rows,
    has_few_differing,
    is_same_score,
)
from reportgen.inference.resampled_intervals import (
    compute_multiplier_sums,
    list_signed_forms,
)
from reportgen.inference.sampling_distribution import (
    Reason,
    SamplingDistribution,
    sign_flip_p_value,
)
from reportgen.inference.sequential import Arrivals
from reportgen.inference.unit_values import read_units
from reportgen.kernels.batch import Vector
from reportgen.metrics.traits import Better
from reportgen.records import record

FEWEST_CLUSTERS = 10
LEAST_P = 5e-324  # a tail too thin for a float is still not nothing


@record
class Significance:
    """A two-sided p-value, nan where `reason` says why, and the test that gave it."""

    p_value: float
    test: str
    statistic: float = nan
    reason: Reason = ""


SignificanceTest = Callable[[SamplingDistribution], "Significance | None"]


def assess_significance(
    evidence: SamplingDistribution, method: str = "auto", seed: int = 0
) -> Significance:
    """Test that the value is zero: by a named test, by `auto`, or by a formula (`analytic`).

    `seed` draws sign flips. A difference that is zero where another one is, is tested as that.
    """
    if not isfinite(evidence.value):
        return Significance(nan, "", reason="undefined-value")
    if is_same_score(evidence):
        return Significance(nan, "", reason="no-variation")
    if evidence.basis is not None:
        return assess_significance(evidence.basis.evidence, method, seed)
    if evidence.arrivals is not None:
        return e_value_test(evidence.arrivals)
    evidence = evidence.nearest_zero
    if evidence.folds is not None:
        is_short = len(evidence.folds.finite_values) < differences.FEWEST_FOR_TEST
        reason: Reason = "few-folds" if is_short else "no-variation"
        return corrected_t_test(evidence) or Significance(nan, "", reason=reason)
    if evidence.is_clustered and evidence.units < FEWEST_CLUSTERS:
        return Significance(nan, "", reason="few-clusters")
    if evidence.lacks or (method == "auto" and evidence.portions):
        return Significance(nan, "", reason="few-units")
    if evidence.is_of_few_in_a_class:
        return Significance(nan, "", reason="few-of-a-class")
    if method == "auto" and has_few_differing(evidence):
        return Significance(nan, "", reason="few-differ")
    if evidence.balance is not None and evidence.df < 1:
        return Significance(nan, "", reason="uneven-weights")
    for name in _list_tests_to_try(evidence, method):
        found = (
            sign_flip_test(evidence, seed)
            if name == "sign-flip"
            else SIGNIFICANCE_TESTS[name](evidence)
        )
        if found is not None:
            return found
    is_short = not evidence.has_replicates and evidence.influence is None
    return Significance(nan, "", reason="few-replicates" if is_short else "no-variation")


def e_value_test(arrivals: Arrivals) -> Significance:
    """Return the anytime-valid p-value: one over the e-value, at most 1."""
    if arrivals.reason:
        return Significance(nan, "", reason=arrivals.reason)
    return Significance(1 / max(arrivals.e_value, 1.0), "e-value", arrivals.e_value)


def bootstrap_test(evidence: SamplingDistribution) -> Significance | None:
    """Compute the share of replicates as far from the value as it is from zero, (b + 1)/(B + 1).

    Measured in standard errors, each replicate in its own, where these are known.
    """
    if not (evidence.has_replicates and evidence.bootstrap_se > 0):
        return None
    in_errors = bootstrap_t_test(evidence)
    if in_errors is not None:
        return in_errors
    distances = np.abs(evidence.existing - evidence.value)
    return _count_as_far(distances, abs(evidence.value), "null-bootstrap")


def bootstrap_t_test(evidence: SamplingDistribution) -> Significance | None:
    """Run the null-centred bootstrap with each replicate measured in its own standard error."""
    distances = evidence.ascending_distances if evidence.has_replicates else None
    if distances is None or evidence.bootstrap_se == 0:
        return None
    return _count_as_far(distances, abs(evidence.value), "null-bootstrap-t")


def gaussian_test(evidence: SamplingDistribution) -> Significance | None:
    """Run the Normal test with the bootstrap standard error: 2Φ(−|d|/se)."""
    return _run_normal_test(evidence.value, evidence.bootstrap_se, inf, "gaussian", evidence)


def bootstrap_z_test(evidence: SamplingDistribution) -> Significance | None:
    """As `gaussian_test`, but t(G − H) with clusters: the test that goes with the `se` interval."""
    name = "bootstrap z" if evidence.df == inf else "bootstrap t"
    return _run_normal_test(evidence.value, evidence.bootstrap_se, evidence.df, name, evidence)


def size_z_test(evidence: SamplingDistribution) -> Significance | None:
    """Run the test that goes with the `size-se` interval of |candidate| − |baseline|."""
    forms = list_signed_forms(evidence)
    if forms is None:
        return None
    return _two_sided_test(
        max(min(value / se for value, se in row) for row in forms), evidence.df, "size z"
    )


def influence_z_test(evidence: SamplingDistribution) -> Significance | None:
    """Run the Normal test with the influence standard error; with clusters t(G − H), H strata."""
    return _run_normal_test(
        evidence.value,
        evidence.influence_se,
        evidence.df,
        "influence z" if evidence.df == inf else "influence t",
        evidence,
    )


def delong_test(evidence: SamplingDistribution) -> Significance | None:
    """DeLong, DeLong and Clarke-Pearson's test of two areas, rows of two classes."""
    if evidence.positives is None or evidence.is_clustered:
        return None
    return _run_normal_test(evidence.value, evidence.influence_se, inf, "delong", evidence)


def paired_t_test(evidence: SamplingDistribution) -> Significance | None:
    """Student's paired test of a mean difference; degrees of freedom: units less strata."""
    if not evidence.estimand.is_mean:
        return None
    return _run_normal_test(
        evidence.value, evidence.mean_se, evidence.unit_df, "paired t", evidence
    )


def corrected_t_test(evidence: SamplingDistribution) -> Significance | None:
    """Run the t test over folds with their corrected variance; None for fewer than five values."""
    of = evidence.folds
    if (
        of is None
        or len(of.finite_values) < differences.FEWEST_FOR_TEST
        or not of.se > evidence.rounding
    ):
        return None
    return _two_sided_test(evidence.value / of.se, of.df, "corrected t")


def sign_flip_test(evidence: SamplingDistribution, seed: int = 0) -> Significance | None:
    """How often random signs of the units' contributions give as large a sum: a test of symmetry.

    All 2^units patterns up to 14 units, else 9,999 drawn ones and (b + 1)/(B + 1).
    """
    each = _select_contributions_to_flip(evidence)
    if each is None:
        return None
    share, is_exact = sign_flip_p_value(each, seed)
    return Significance(share, "exact " * is_exact + "sign flip", abs(float(each.sum())))


def multiplier_test(evidence: SamplingDistribution) -> Significance | None:
    """How often the units' smoothed shares of the error, under random signs, reach the value."""
    sums = compute_multiplier_sums(evidence)
    if sums is None:
        return None
    return _count_as_far(sums, abs(evidence.value), "multiplier")


def mcnemar_test(evidence: SamplingDistribution) -> Significance | None:
    """McNemar's test, mid-p, where every row is right or wrong and counts alike.

    A proportion of some rows has it where both models have the same rows among them.
    """
    found = count_changed_rows(evidence)
    return None if found is None else mcnemar_mid_p(*found[:2])


def mcnemar_mid_p(gained: int, lost: int) -> Significance | None:
    """McNemar's mid-p from the numbers of rows that changed either way; None if none did."""
    changed = gained + lost
    if changed == 0:
        return None
    fewer = min(gained, lost)
    upto = float(special.bdtr(fewer, changed, 0.5))  # `scipy.stats` takes half a second to import
    below = float(special.bdtr(fewer - 1, changed, 0.5)) if fewer else 0.0
    # Half the chance of what was seen, which has one side only if as many changed either way.
    p = 1 - (upto - below) / 2 if gained == lost else upto + below
    return Significance(max(p, LEAST_P), "mcnemar", float(gained - lost))


def sign_test(evidence: SamplingDistribution) -> Significance | None:
    """Run the exact binomial test that a unit is as often above zero as below: not of a mean."""
    found = compute_sign_shares(evidence)
    return (
        sign_test_from_counts(found.above, found.below)
        if found is not None and found.differing
        else None
    )


def sign_test_from_counts(above: int, below: int) -> Significance:
    """Run the sign test on the numbers of units above and below zero, which count alike.

    >>> round(sign_test_from_counts(8, 1).p_value, 6)  # 2 (1 + 9) / 2^9
    0.039062
    """
    # Both tails of a fair coin are alike.
    tail = float(special.bdtr(min(above, below), above + below, 0.5))
    return Significance(min(max(2 * tail, LEAST_P), 1.0), "sign", float(above - below))


def sign_test_from_sums(sums: Vector, seed: int = 0) -> Significance:
    """Run the sign test where rows have weights or clusters: each sum flips its sign as one.

    `sums` are the weighted signs added up over each unit; those of 0 say nothing.
    """
    each = sums[sums != 0]
    share, _ = sign_flip_p_value(each, seed)
    return Significance(share, "sign", float(each.sum()))


def wilcoxon_test(evidence: SamplingDistribution) -> Significance | None:
    """Wilcoxon's signed ranks of the units' contributions: a test of symmetry, not of a mean."""
    each = _select_contributions_to_flip(evidence)
    if each is None:
        return None
    from scipy import stats

    found = stats.wilcoxon(each)
    return Significance(max(float(found.pvalue), LEAST_P), "wilcoxon", float(found.statistic))


def diebold_mariano_test(evidence: SamplingDistribution) -> Significance | None:
    """Diebold and Mariano's test of equal mean loss, with the long-run error of cosine terms.

    The contributions are in time order, and t has as many degrees of freedom as there are terms
    (Coroneo and Iacone 2020). Without `time` it is the paired t-test of the losses. Units of
    unequal weight count by their share of it, and t has no more degrees of freedom than effective
    units less one. Within strata, which it does not know, there is none.
    """
    if evidence.contributions is None or evidence.strata > 1 or evidence.units < 2:
        return None
    mean = float(evidence.contributions.sum())
    expected = mean / evidence.units if evidence.shares is None else mean * evidence.shares
    apart, n = read_units(evidence.contributions) - expected, evidence.units
    if evidence.block is None:
        known = LongRunEstimate(sqrt(float(apart @ apart) * n / (n - 1)), n - 1.0, float(n))
    else:
        known = estimate_long_run_error(apart)
    df = known.df if evidence.balance is None else min(known.df, evidence.unit_df)
    return _run_normal_test(mean, known.se, df, "diebold-mariano", evidence)


SIGNIFICANCE_TESTS: Mapping[str, SignificanceTest] = {
    "bootstrap": bootstrap_test,
    "bootstrap-t": bootstrap_t_test,
    "gaussian": gaussian_test,
    "bootstrap-z": bootstrap_z_test,
    "size-z": size_z_test,
    "influence": influence_z_test,
    "delong": delong_test,
    "t": paired_t_test,
    "sign-flip": sign_flip_test,
    "multiplier": multiplier_test,
    "mcnemar": mcnemar_test,
    "sign": sign_test,
    "wilcoxon": wilcoxon_test,
    "diebold-mariano": diebold_mariano_test,
    "corrected-t": corrected_t_test,
}
UNIT_COUNTING_TESTS = ("t", "influence", "size-z", "bootstrap-z", "diebold-mariano")
FORMULA_TESTS = ("mcnemar", "t", "diebold-mariano", "influence")
# What `Significance.test` calls those that are made from replicates; the others do without.
RESAMPLED_TESTS = (
    "null-bootstrap",
    "null-bootstrap-t",
    "gaussian",
    "bootstrap z",
    "bootstrap t",
    "size z",
)

TESTS_OF_INTERVALS: Mapping[str, tuple[str, ...]] = {
    "t": ("paired t",),
    "influence": ("influence z", "influence t", "delong"),
    "bootstrap-se": ("bootstrap z", "bootstrap t"),
    "size-bootstrap-se": ("size z",),
    "symmetric": ("null-bootstrap",),
    "symmetric-studentized": ("null-bootstrap-t",),
    "multiplier": ("multiplier",),
    "corrected-t": ("corrected t",),
    "anytime": ("e-value",),
}
"""By the name that an interval carries, the tests that reject what it does not hold."""


def is_test_of_interval(test: str, interval: str) -> bool:
    """Return whether a test rejects zero exactly where an interval does not hold it.

    >>> is_test_of_interval("paired t", "t"), is_test_of_interval("mcnemar", "tango")
    (True, False)
    """
    return test in TESTS_OF_INTERVALS.get(interval, ())


def probability_better(evidence: SamplingDistribution, better: Better) -> float:
    """Share of the replicates in which the candidate is ahead, ties one half; nan if none.

    nan too where it would tell of the units alone: they are few, of a class or at all, or nothing
    varies.
    """
    if evidence.folds is not None:
        above = differences.probability_ahead(evidence)
        return above if better == "higher" else 1 - above
    if evidence.is_few or evidence.is_of_few_in_a_class or not evidence.varies:
        return nan
    tie = 1e-12 * float(np.max(np.abs(evidence.existing)))
    above = float(np.mean(evidence.existing > tie))
    below = float(np.mean(evidence.existing < -tie))
    ahead, behind = (above, below) if better == "higher" else (below, above)
    return ahead + (1 - ahead - behind) / 2


def _list_tests_to_try(evidence: SamplingDistribution, method: str) -> tuple[str, ...]:
    """Return the tests to try, in order: the requested one, those of `auto`, and last resorts."""
    suited = select_methods(evidence.estimand, TEST_RULES)
    if evidence.is_clustered and evidence.estimand.of in ("weights", "order"):
        # As for its limits: counts of replicates do not know how few the clusters are.
        suited = ("bootstrap-z",)
    if evidence.signed is not None:
        suited = ("size-z",)
    if evidence.estimand.of in ("cells", "classes") and has_few_of_a_class(evidence):
        # As for its limits: the slope at a count of next to none says little of the others.
        suited = tuple("bootstrap-z" if name == "influence" else name for name in suited)
    if evidence.block is not None and evidence.signed is None:
        # Of a function of a mean, as RMSE, a wild row moves its influence less than the mean.
        of_losses = () if evidence.estimand.is_mean else ("diebold-mariano",)
        suited = (*of_losses, "influence", "bootstrap-z")
    if evidence.balance is not None:
        # Counts of replicates do not know how few the effective units are; these do.
        suited = (*(name for name in suited if name in UNIT_COUNTING_TESTS), "bootstrap-z")
    first: tuple[str, ...] = () if method == "auto" else (method,)
    if method == "analytic":
        # A formula of last resort comes before any resampling: that is what was asked for.
        first = (*(name for name in suited if name in FORMULA_TESTS), "influence")
    return tuple(dict.fromkeys((*first, *suited, "bootstrap", "influence")))


def _run_normal_test(
    value: float, se: float, df: float, name: str, evidence: SamplingDistribution
) -> Significance | None:
    if not (isfinite(se) and se > evidence.rounding and df > 0):
        return None
    return _two_sided_test(
        value / se, min(df, max(evidence.unit_df, 1)) if evidence.is_few else df, name
    )


def _two_sided_test(statistic: float, df: float, name: str) -> Significance:
    """Both tails of the Normal, or of Student's t."""
    tail = special.ndtr(-abs(statistic)) if df == inf else special.stdtr(df, -abs(statistic))
    return Significance(max(2 * float(tail), LEAST_P), name, statistic)


def _count_as_far(distances: Vector, observed: float, name: str) -> Significance:
    as_far = int(np.sum(distances >= observed * (1 - 1e-12)))
    return Significance((as_far + 1) / (len(distances) + 1), name, observed)


def _select_contributions_to_flip(evidence: SamplingDistribution) -> Vector | None:
    """Return the contributions of independent units; None if there are none, or all are zero."""
    each = evidence.contributions if evidence.block is None else None
    return each if each is not None and np.any(each) else None
