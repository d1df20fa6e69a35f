"""Tests against other libraries and by hand; every branch of the verdict."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.significance import (
    RESAMPLED_TESTS,
    SIGNIFICANCE_TESTS,
    assess_significance,
    diebold_mariano_test,
    mcnemar_mid_p,
    probability_better,
)
from reportgen.metrics.traits import find_estimand
from tests.inference.evidence_samples import mean_of, plain

DRAW = np.random.default_rng(11)
OLD = DRAW.exponential(size=40)
NEW = OLD + DRAW.normal(-0.15, 0.5, size=40)


def difference(new=NEW, old=OLD, **more):
    return build_contrast(mean_of(new, **more)[0], mean_of(old, **more)[0], "lower")


def test_auto_tests_a_mean_by_the_paired_t_of_scipy():
    found = assess_significance(difference())
    assert found.test == "paired t"
    assert found.p_value == pytest.approx(stats.ttest_rel(NEW, OLD).pvalue)


def test_sign_flips_of_few_units_are_all_counted():
    new, old = NEW[:9], OLD[:9]
    exact = stats.permutation_test(
        (new, old), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )
    found = assess_significance(difference(new, old), "sign-flip")
    assert found.test == "exact sign flip"
    assert found.p_value == pytest.approx(exact.pvalue)


def test_sign_flips_of_many_units_are_drawn_and_near_the_t_test():
    found = assess_significance(difference(), "sign-flip", seed=5)
    assert found == assess_significance(difference(), "sign-flip", seed=5)
    assert found.test == "sign flip"
    assert found.p_value == pytest.approx(stats.ttest_rel(NEW, OLD).pvalue, abs=0.02)


def unresampled(evidence):
    """The same evidence without one replicate."""
    signed = evidence.signed and tuple(map(unresampled, evidence.signed))
    return replace(evidence, replicates=np.full_like(evidence.replicates, np.nan), signed=signed)


@pytest.mark.parametrize("name", SIGNIFICANCE_TESTS)
def test_the_tests_made_from_replicates_are_those_that_do_not_exist_without(name):
    told = [difference(), replace(difference(), estimand=find_estimand("smooth"))]
    told.append(replace(told[1], is_clustered=True))  # t in place of the Normal
    told.append(build_contrast(mean_of(NEW)[0], mean_of(OLD)[0], "zero"))
    told.append(
        replace(told[0], replicate_se=mean_of(NEW - OLD)[1], estimand=find_estimand("log mean"))
    )
    for each in told:
        made = assess_significance(each, name).test
        without = assess_significance(unresampled(each), name).test
        assert (made in RESAMPLED_TESTS) == (without != made)
        assert without not in RESAMPLED_TESTS


def test_wilcoxon_is_that_of_scipy():
    found = assess_significance(difference(), "wilcoxon")
    assert found.p_value == pytest.approx(stats.wilcoxon(NEW - OLD).pvalue)


@pytest.mark.parametrize("gained, lost", [(12, 3), (3, 12), (1, 0), (5, 5), (40, 61)])
def test_mcnemars_mid_p_is_the_exact_p_less_half_of_what_was_seen(gained, lost):
    exact = their_mcnemar([[0, gained], [lost, 0]], exact=True).pvalue
    point = stats.binom.pmf(min(gained, lost), gained + lost, 0.5)
    # For equal numbers there is one middle point and not two (Fagerland et al. 2013).
    expected = 1 - point / 2 if gained == lost else exact - point
    assert mcnemar_mid_p(gained, lost).p_value == pytest.approx(expected)


def hits(share, seed, n=200):
    return (np.random.default_rng(seed).random(n) < share).astype(float)


def test_auto_tests_right_and_wrong_rows_by_mcnemar():
    new, old = hits(0.8, 1), hits(0.7, 2)
    evidence = difference(new, old, estimand="proportion", bounds=(0.0, 1.0))
    gained, lost = int(np.sum(new > old)), int(np.sum(new < old))
    assert assess_significance(evidence) == mcnemar_mid_p(gained, lost)
    weighted = replace(evidence, is_weighted=True)
    assert assess_significance(weighted).test == "null-bootstrap"


def test_shares_of_the_same_rows_are_tested_by_mcnemar_and_of_others_are_not():
    new, old = hits(0.8, 1), hits(0.7, 2)
    among = np.where(np.arange(200) < 120, 1.0, np.nan)
    kind = {"estimand": "proportion of some rows", "bounds": (0.0, 1.0)}
    draws = np.random.default_rng(4).normal(0.1, 0.05, 99)
    influence = np.full(200, 0.05 / np.sqrt(200))
    one, other = (
        plain(0.7, draws * k, hits=each * among, influence=k * influence, **kind)
        for k, each in ((2, new), (1, old))
    )
    changed = (new - old)[:120]
    expected = mcnemar_mid_p(int(np.sum(changed > 0)), int(np.sum(changed < 0)))
    assert assess_significance(build_contrast(one, other, "higher")) == expected
    elsewhere = replace(other, hits=old * among[::-1], value=0.6)
    assert assess_significance(build_contrast(one, elsewhere, "higher")).test == "influence z"


def test_the_null_centred_p_counts_replicates_as_far_as_zero():
    evidence = plain(3.0, np.arange(-20.0, 27.0), is_difference=True)
    # |replicate - 3| >= 3: all 47 but the five from 1 to 5.
    assert assess_significance(evidence).p_value == (42 + 1) / (47 + 1)


def test_a_bootstrap_p_is_never_zero():
    evidence = plain(100.0, 100 + np.linspace(-1, 1, 999), is_difference=True)
    assert assess_significance(evidence).p_value == 1 / 1000
    assert assess_significance(evidence, "gaussian").p_value > 0


def test_the_null_centred_p_is_studentized_where_errors_are_known():
    losses = NEW - OLD
    evidence, errors = mean_of(losses, bounds=(-9.0, 9.0), estimand="smooth")
    evidence = replace(evidence, replicate_se=errors, is_difference=True)
    se = losses.std() / np.sqrt(40)
    t = np.abs(evidence.replicates - evidence.value) / errors
    expected = (np.sum(t >= abs(evidence.value) / se) + 1) / 2000
    found = assess_significance(evidence)
    assert found.test == "null-bootstrap-t" and found.p_value == pytest.approx(expected)


def test_gaussian_is_the_normal_test_of_the_bootstrap_error():
    evidence = plain(0.2, 0.2 + np.array([-0.1, 0.1] * 50), is_difference=True)
    z = 0.2 / (0.1 * np.sqrt(100 / 99))
    assert assess_significance(evidence, "gaussian").p_value == pytest.approx(2 * stats.norm.sf(z))


def test_a_pearson_difference_without_errors_of_replicates_is_tested_by_their_spread():
    replicates = 0.2 + np.array([-0.1, 0.1] * 50)
    rows = plain(0.2, replicates, "correlation of numbers", n=25, is_difference=True)
    assert assess_significance(rows).p_value == assess_significance(rows, "gaussian").p_value
    clustered = replace(rows, is_clustered=True)
    t = 0.2 / clustered.bootstrap_se
    assert assess_significance(clustered).p_value == pytest.approx(2 * stats.t.sf(t, 24))


@pytest.mark.parametrize(
    "estimand", ["share of an area", "best of many", "share of a cut that moves", "quantile"]
)
def test_an_area_in_clusters_is_tested_as_its_limits_are_made(estimand):
    replicates = 0.2 + 0.1 * stats.norm.ppf((np.arange(499) + 0.5) / 499)
    rows = plain(0.2, replicates, estimand, n=20, is_difference=True)
    assert assess_significance(rows).test == "null-bootstrap"
    clustered = replace(rows, is_clustered=True)
    found = assess_significance(clustered)
    expected = 2 * stats.t.sf(0.2 / clustered.bootstrap_se, 19)
    assert (found.test, found.p_value) == ("bootstrap t", pytest.approx(expected))
    assert compute_interval(clustered, "auto", 1 - found.p_value).low == pytest.approx(
        0.0, abs=1e-9
    )


def test_influence_is_normal_for_rows_and_t_for_clusters():
    rows = plain(
        0.5, [], "correlation of pairs", influence=np.full(25, 0.05), n=25, is_difference=True
    )
    assert assess_significance(rows).p_value == pytest.approx(2 * stats.norm.sf(2))
    clustered = replace(rows, is_clustered=True)
    t = 2 / np.sqrt(25 / 24)
    assert assess_significance(clustered).p_value == pytest.approx(2 * stats.t.sf(t, 24))


def test_under_ten_clusters_there_is_no_p():
    evidence = plain(
        0.5, [], "correlation of pairs", influence=np.full(9, 0.1), units=9, is_clustered=True
    )
    found = assess_significance(evidence)
    assert found.reason == "few-clusters" and np.isnan(found.p_value)


def test_the_same_model_twice_has_no_p():
    found = assess_significance(difference(OLD, OLD))
    assert found.reason == "no-variation" and np.isnan(found.p_value)


def test_diebold_and_mariano_at_horizon_one_is_the_paired_t():
    found = diebold_mariano_test(difference())
    assert found.p_value == pytest.approx(stats.ttest_rel(NEW, OLD).pvalue)


def test_diebold_and_mariano_without_time_is_the_paired_t_test():
    found, paired = diebold_mariano_test(difference()), stats.ttest_1samp(NEW - OLD, 0)
    assert (found.statistic, found.p_value) == pytest.approx((paired.statistic, paired.pvalue))


def test_where_zero_is_best_sizes_are_compared():
    candidate = plain(-0.5, [-0.6, -0.4], "mean", influence=np.array([0.1, -0.1]))
    baseline = plain(0.2, [0.1, 0.3], "mean", influence=np.array([0.1, -0.1]))
    found = build_contrast(candidate, baseline, "zero")
    assert found.value == pytest.approx(0.3)
    assert found.replicates == pytest.approx([0.5, 0.1])
    assert found.influence == pytest.approx([-0.2, 0.2])


def test_the_probability_of_being_better_counts_ties_one_half():
    evidence = plain(0.0, [-1.0, 0.0, 0.0, 2.0, 3.0, np.nan])
    assert probability_better(evidence, "higher") == pytest.approx(3 / 5)
    assert probability_better(evidence, "lower") == pytest.approx(2 / 5)


def sizes(candidate, baseline, runs=400):
    """The difference of the sizes of two means that share most of their noise."""
    draw = np.random.default_rng(3)
    shared, own = draw.normal(size=runs), draw.normal(size=runs) / 10
    first = plain(candidate, candidate + shared, "mean", (-np.inf, np.inf))
    second = plain(baseline, baseline + shared + own, "mean", (-np.inf, np.inf))
    return build_contrast(first, second, "zero")


@pytest.mark.parametrize("candidate, baseline", [(9.0, 7.0), (-9.0, -7.0), (9.0, -7.0)])
def test_far_from_zero_sizes_are_compared_like_the_values_themselves(candidate, baseline):
    found = sizes(candidate, baseline)
    assert compute_interval(found, "auto", 0.95).low == pytest.approx(
        compute_interval(found, "se", 0.95).low
    )
    assert assess_significance(found).test == "size z"


def test_near_zero_the_other_sign_keeps_its_say():
    found = sizes(-0.1, -0.5)
    limits, folded = compute_interval(found, "auto", 0.95), compute_interval(found, "se", 0.95)
    assert limits.method == "size-bootstrap-se"
    # Were the candidate really a little above zero, their difference could be as large as this.
    assert limits.high > folded.high and limits.high == pytest.approx(0.4 + 0.2, abs=0.05)


@pytest.mark.parametrize("candidate, baseline", [(0.1, 0.5), (3.0, 0.2), (-2.5, 0.1)])
def test_the_test_of_sizes_rejects_where_its_interval_leaves_zero_out(candidate, baseline):
    found = sizes(candidate, baseline)
    limits, p = compute_interval(found, "auto", 0.95), assess_significance(found).p_value
    assert (p < 0.05) == (limits.low > 0 or limits.high < 0)


def test_no_p_value_is_nothing():
    assert mcnemar_mid_p(2000, 0).p_value > 0
    assert assess_significance(difference(OLD + 1, OLD), "wilcoxon").p_value > 0
    all_better = plain(
        -1.0, [], "mean", (-np.inf, np.inf), contributions=np.full(5000, -1 / 5000), n=5000
    )
    assert assess_significance(all_better, "wilcoxon").p_value > 0


def test_within_strata_diebold_and_mariano_have_no_test():
    assert diebold_mariano_test(replace(difference(), strata=2)) is None


@pytest.mark.parametrize(("positives", "test"), [(49, "bootstrap z"), (50, "influence")])
def test_few_of_a_class_are_tested_by_the_spread_of_resamples_as_their_limits_are(positives, test):
    drawn = np.random.default_rng(3).normal(0.1, 0.05, 199)
    classes = np.arange(200) < positives
    influence = np.random.default_rng(4).normal(size=200) / 4000
    known = plain(
        0.1,
        drawn,
        "share of cells",
        (-1.0, 1.0),
        n=200,
        is_difference=True,
        positives=classes,
        influence=influence,
    )
    assert assess_significance(known, "auto").test.startswith(test)
