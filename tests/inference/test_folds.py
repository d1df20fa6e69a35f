"""What folds tell: Nadeau and Bengio's corrected variance, by hand and against scipy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.differences import (
    build_contrast,
    distribution_over_folds,
    draw_fold_errors,
    probability_ahead,
    simulate_replicates,
)
from reportgen.inference.intervals import compute_interval, compute_second_opinion
from reportgen.inference.power import count_units_to_detect, measure_precision
from reportgen.inference.sampling_distribution import FoldValues
from reportgen.inference.significance import assess_significance, probability_better
from tests.inference.evidence_samples import mean_of

DRAW = np.random.default_rng(4)
D = np.array([0.1, 0.3, 0.2, -0.1, 0.25])
RATIO = 1 / 4  # of five folds each is a fifth, and the rest is four fifths


def told(values, ratio=RATIO, value=None):
    losses = mean_of(DRAW.normal(size=50))[0]
    folds = FoldValues(np.asarray(values), ratio)
    mean = float(np.nanmean(values)) if value is None else value
    evidence = replace(losses, value=mean, bounds=(-np.inf, np.inf), is_difference=True)
    drawn = draw_fold_errors(len(values), 4_000, 1)
    return distribution_over_folds(
        replace(evidence, replicates=simulate_replicates(mean, folds, drawn)), folds
    )


def test_the_variance_is_that_of_the_folds_times_one_over_their_number_plus_the_ratio():
    se = np.sqrt(D.var(ddof=1) * (1 / 5 + 1 / 4))
    found = compute_interval(told(D), "auto", 0.95)
    half = stats.t.ppf(0.975, 4) * se
    assert (found.low, found.high) == pytest.approx((D.mean() - half, D.mean() + half))
    assert (found.method, found.se) == ("corrected-t", pytest.approx(se))


def test_the_test_is_students_with_one_less_than_the_folds():
    se = np.sqrt(D.var(ddof=1) * (1 / 5 + 1 / 4))
    found = assess_significance(told(D))
    assert found.p_value == pytest.approx(2 * stats.t.sf(D.mean() / se, 4))
    assert found.test == "corrected t"


def test_it_is_wider_than_a_t_interval_over_folds_taken_for_independent():
    own = compute_interval(told(D), "auto", 0.95).width
    assert own / (2 * stats.sem(D) * stats.t.ppf(0.975, 4)) == pytest.approx(1.5)  # √(1 + 5/4)


def test_no_method_or_test_of_rows_is_used_in_its_place():
    for method in ("bca", "t", "percentile"):
        assert compute_interval(told(D), method, 0.95).method == "corrected-t"
    for test in ("t", "sign-flip", "mcnemar", "bootstrap"):
        assert assess_significance(told(D), test).test == "corrected t"
    assert compute_second_opinion(told(D), "auto", 0.95) is None


def test_under_five_folds_there_is_no_p_value_and_under_two_no_interval():
    four = told(D[:4])
    assert np.isnan(assess_significance(four).p_value)
    assert compute_interval(four, "auto", 0.95).is_defined
    assert compute_interval(told(D[:1]), "auto", 0.95).reason == "few-folds"


def test_nothing_is_decided_by_fewer_than_three_folds_that_have_a_value():
    assert told([0.068, 0.062]).lacks == told([0.068, 0.062, np.nan]).lacks == "folds"
    assert compute_interval(told([0.068, 0.062]), "auto", 0.95).is_defined
    three = told(D[:3])
    assert not three.lacks
    pair = build_contrast(told([0.86, 0.87]), told([0.8, 0.8]), "higher", None)
    assert pair.lacks == "folds"


def test_a_fold_without_a_value_counts_for_nothing():
    found = told(np.append(D, np.nan))
    assert compute_interval(found, "auto", 0.9) == compute_interval(told(D), "auto", 0.9)


def test_folds_that_are_all_alike_show_no_variation():
    assert compute_interval(told(np.full(5, 0.2)), "auto", 0.95).reason == "no-variation"


def test_replicates_of_two_models_have_the_error_of_their_difference():
    a, b = DRAW.normal(size=10), DRAW.normal(size=10)
    drawn = draw_fold_errors(10, 50_000, 7)
    made = [simulate_replicates(v.mean(), FoldValues(v, 0.25), drawn) for v in (a, b)]
    se = FoldValues(a - b, 0.25).se
    assert np.std(made[0] - made[1]) == pytest.approx(se, rel=0.02)


def test_a_difference_has_the_paired_differences_of_the_folds():
    first, second = told(D), told(D[::-1].copy())
    found = build_contrast(first, second, "higher")
    assert found.folds is not None
    assert found.folds.values == pytest.approx(D - D[::-1])


def test_a_difference_of_sizes_turns_the_folds_with_the_sign():
    first, second = told(-D), told(0.1 * D)
    found = build_contrast(first, second, "zero")
    assert found.folds is not None
    assert found.folds.values == pytest.approx(D - 0.1 * D)


def test_the_probability_ahead_is_the_correlated_t_posterior():
    se = np.sqrt(D.var(ddof=1) * (1 / 5 + 1 / 4))
    assert probability_ahead(told(D)) == pytest.approx(stats.t.cdf(D.mean() / se, 4))
    assert probability_better(told(D), "lower") == pytest.approx(stats.t.sf(D.mean() / se, 4))


def test_no_number_of_folds_detects_a_gain():
    found = told(D)
    known = measure_precision(found, compute_interval(found, "auto", 0.95))
    assert count_units_to_detect(0.01, known, 0.95) is None
