"""Models over data sets, on the ROC areas of five models on sixteen data sets, and by hand.

`auc_5fold_16x5.csv` holds the mean over five folds of each model's area on data sets of R
packages. Where scipy has no such number, what is expected was found before, by other code.
"""

import csv
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.across_datasets import (
    compute_differences,
    friedman_test,
    hodges_lehmann,
    hodges_lehmann_limits,
    rank_models,
    signed_rank_posterior,
    walsh_averages,
    wilcoxon_p_value,
)
from reportgen.inference.multiplicity import holm_p_values

MODELS = ("logreg", "gnb", "tree", "rf", "hgb")
with (Path(__file__).parent / "data" / "auc_5fold_16x5.csv").open(encoding="utf-8") as file:
    AREAS = np.array([[float(row[m]) for m in MODELS] for row in csv.DictReader(file)])
PAIRS = list(combinations(range(5), 2))
LOGREG_HGB = AREAS[:, 0] - AREAS[:, 4]


def test_friedman_and_iman_davenport_on_sixteen_data_sets():
    found = friedman_test(AREAS, True)
    assert found.mean_ranks.tolist() == [1.25, 3.4375, 4.375, 3.0, 2.9375]
    assert found.chi_squared == pytest.approx(32.95)
    assert found.p_chi_squared == pytest.approx(1.222969e-6, rel=1e-6)
    assert found.f == pytest.approx(15.917874, abs=1e-6)
    assert found.p_f == pytest.approx(6.201419e-9, rel=1e-6)


def test_friedman_is_that_of_scipy_with_ties_too():
    values = np.round(AREAS, 1)
    theirs = stats.friedmanchisquare(*values.T)
    assert friedman_test(values, True).chi_squared == pytest.approx(theirs.statistic)
    assert friedman_test(values, True).p_chi_squared == pytest.approx(theirs.pvalue)


def test_models_that_are_all_alike_have_no_test():
    found = friedman_test(np.ones((7, 3)), True)
    assert found.mean_ranks.tolist() == [2, 2, 2] and np.isnan(found.p_f)


def test_models_in_the_same_order_everywhere_differ_beyond_doubt():
    found = friedman_test(np.tile([1.0, 2.0, 3.0], (6, 1)), True)
    assert (found.chi_squared, found.f, found.p_f) == (12.0, np.inf, 0.0)


def test_ranks_turn_with_what_is_better():
    values = np.array([[0.3, 0.1, 0.1]])
    assert rank_models(values, True).tolist() == [[1.0, 2.5, 2.5]]
    assert rank_models(values, False).tolist() == [[3.0, 1.5, 1.5]]


def test_signed_ranks_of_sixteen_data_sets():
    assert wilcoxon_p_value(LOGREG_HGB) == pytest.approx(6 / 2**16)
    assert wilcoxon_p_value(AREAS[:, 3] - AREAS[:, 4]) == pytest.approx(0.743560791)
    raised = holm_p_values(
        np.array([wilcoxon_p_value(AREAS[:, a] - AREAS[:, b]) for a, b in PAIRS])
    )
    assert raised[PAIRS.index((0, 4))] == pytest.approx(8.239746e-4)


@pytest.mark.parametrize("pair", PAIRS)
def test_signed_ranks_are_those_of_scipy_without_ties(pair):
    a, b = pair
    d = AREAS[:, a] - AREAS[:, b]
    assert wilcoxon_p_value(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)


@pytest.mark.parametrize("seed", range(5))
def test_signed_ranks_with_ties_and_zeros_count_every_sign(seed):
    d = np.random.default_rng(seed).integers(-3, 4, 8).astype(float)
    size = stats.rankdata(np.abs(d))

    def above(signs):
        return sum(r for r, s in zip(size, signs, strict=True) if s > 0)

    others = [k for k in range(8) if d[k] != 0]
    sums = [
        above(np.array([s[others.index(k)] if k in others else 0 for k in range(8)]))
        for s in product((-1, 1), repeat=len(others))
    ]
    seen = above(np.sign(d))
    tails = np.mean(np.array(sums) <= seen), np.mean(np.array(sums) >= seen)
    assert wilcoxon_p_value(d) == pytest.approx(min(1.0, 2 * min(tails)))


def test_under_six_data_sets_there_is_no_p_value():
    assert np.isnan(wilcoxon_p_value(np.arange(1.0, 6.0)))
    assert wilcoxon_p_value(np.arange(1.0, 7.0)) == 2 / 2**6
    assert wilcoxon_p_value(np.zeros(6)) == 1.0


def test_the_centre_is_the_median_of_the_means_of_pairs():
    assert hodges_lehmann(LOGREG_HGB) == pytest.approx(0.02004725)
    assert walsh_averages(np.array([1.0, 3.0])).tolist() == [1.0, 2.0, 3.0]


def test_limits_are_the_centres_that_the_test_does_not_reject():
    low, high = hodges_lehmann_limits(LOGREG_HGB, 0.95)
    for inside in (low + 1e-9, high - 1e-9):
        assert wilcoxon_p_value(LOGREG_HGB - inside) > 0.05
    for outside in (low - 1e-9, high + 1e-9):
        assert wilcoxon_p_value(LOGREG_HGB - outside) <= 0.05


def test_too_few_data_sets_have_no_limits():
    assert hodges_lehmann_limits(np.arange(5.0), 0.95) == (-np.inf, np.inf)
    assert hodges_lehmann_limits(np.arange(6.0), 0.95) == (0.0, 5.0)


def test_limits_hold_at_their_level():
    draw = np.random.default_rng(1)
    held = [
        low <= 0 <= high
        for low, high in (hodges_lehmann_limits(draw.standard_t(3, 9), 0.95) for _ in range(2000))
    ]
    assert 0.94 <= np.mean(held) <= 0.98


def test_the_posterior_on_sixteen_data_sets():
    found = signed_rank_posterior(LOGREG_HGB, 0.01, 1)
    assert found.above == pytest.approx(0.998, abs=0.005)
    assert found.within == pytest.approx(0.002, abs=0.005)
    assert found.below == 0.0
    assert found == signed_rank_posterior(LOGREG_HGB, 0.01, 1)


@pytest.mark.full
def test_decimals_tie_as_the_whole_numbers_of_hundredths_do():
    draw = np.random.default_rng(3)
    for _ in range(40):
        whole = draw.integers(70, 99, (12, 2))
        each = compute_differences(whole[:, 0] / 100, whole[:, 1] / 100)
        exact = (whole[:, 0] - whole[:, 1]).astype(float)
        assert wilcoxon_p_value(each) == wilcoxon_p_value(exact)
        assert [round(100 * limit, 9) for limit in hodges_lehmann_limits(each, 0.95)] == list(
            hodges_lehmann_limits(exact, 0.95)
        )
        assert (walsh_averages(each) > 0.01).sum() == (walsh_averages(exact) > 1).sum()
        assert (walsh_averages(each) == 0).sum() == (walsh_averages(exact) == 0).sum()
        assert signed_rank_posterior(each, 0.01, 1) == signed_rank_posterior(exact, 1.0, 1)


def test_a_difference_has_as_many_digits_as_its_own_data_set():
    first, second = np.array([1e12, 1e-12, 0.0, 1e-300]), np.array([2e12, 3e-12, 0.0, 3e-300])
    assert compute_differences(first, second) == pytest.approx(
        [-1e12, -2e-12, 0.0, -2e-300], rel=1e-9
    )
