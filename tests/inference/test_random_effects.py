"""Differences of data sets by random effects, against statsmodels and by hand."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from reportgen.inference.across_datasets import (
    fit_random_effects,
    paule_mandel,
    prediction_limits,
    profile_tau2,
)


def drawn(seed, n, spread):
    draw = np.random.default_rng(seed)
    errors = draw.uniform(0.005, 0.05, n)
    return draw.normal(0.02, spread, n) + errors * draw.normal(size=n), errors


@pytest.mark.parametrize("n", [3, 6, 16])
@pytest.mark.parametrize("spread", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_mean_spread_and_limits_are_those_of_statsmodels(seed, n, spread):
    y, errors = drawn(seed, n, spread)
    theirs = combine_effects(y, errors**2, method_re="iterated", use_t=True, atol=1e-6)
    found = fit_random_effects(y, errors, 0.9)
    tau2 = max(theirs.tau2, 0.0)
    assert found.tau**2 == pytest.approx(tau2, rel=1e-5)
    assert found.mean == pytest.approx(theirs.mean_effect_re, rel=1e-5)
    se = theirs.sd_eff_w_re * np.sqrt(max(theirs.scale_hksj_re, 1.0))
    half = stats.t.ppf(0.95, n - 1) * se
    assert found.high - found.mean == pytest.approx(half, rel=1e-5)
    assert found.mean - found.low == pytest.approx(half, rel=1e-5)


def test_limits_of_the_spread_are_those_of_the_package_metafor():
    # Its tests give 0.0723 and 2.2027 for log odds ratios of nine trials (Viechtbauer 2007).
    had, of = (
        np.array([14, 21, 14, 6, 12, 138, 15, 6, 65]),
        np.array([131, 385, 57, 38, 1011, 1370, 506, 108, 153]),
    )
    had_not = np.array([14, 17, 24, 18, 35, 175, 20, 2, 40])
    of_not = np.array([136, 134, 48, 40, 760, 1336, 524, 103, 102])
    y = np.log(had / (of - had)) - np.log(had_not / (of_not - had_not))
    variances = 1 / had + 1 / (of - had) + 1 / had_not + 1 / (of_not - had_not)
    low, high = profile_tau2(y, variances, np.array([0.975, 0.025]))
    assert (round(low, 4), round(high, 4)) == (0.0723, 2.2027)


@pytest.mark.parametrize("n", [3, 8])
@pytest.mark.parametrize("spread", [0.01, 0.1])
def test_the_next_is_foretold_as_by_drawing_spread_mean_and_difference(n, spread):
    y, errors = drawn(2, n, spread)
    draw = np.random.default_rng(7)
    squared = profile_tau2(y, errors**2, draw.random(40_000))
    weight = 1 / (errors**2 + squared[:, None])
    total = weight.sum(axis=1)
    means = weight @ y / total + draw.normal(size=40_000) / np.sqrt(total)
    low, high = prediction_limits(y, errors**2, 0.9)
    nexts = means + np.sqrt(squared) * draw.normal(size=40_000)
    assert np.mean(nexts < low) == pytest.approx(0.05, abs=0.005)
    assert np.mean(nexts > high) == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize("n", [3, 5, 10])
def test_the_next_is_no_surer_than_the_mean_and_held_as_often_as_told(n):
    held = 0
    for seed in range(300):
        draw = np.random.default_rng([n, seed])
        true = draw.normal(size=n + 1)
        found = fit_random_effects(true[:n] + draw.normal(size=n), np.ones(n), 0.95)
        assert found.next_low <= found.low and found.high <= found.next_high
        held += found.next_low <= true[n] <= found.next_high
    assert held >= 0.92 * 300


def test_equal_errors_leave_the_plain_mean_and_the_rest_of_the_variance():
    y = np.array([1.0, 2.0, 6.0, 3.0])
    found = fit_random_effects(y, np.full(4, 0.5), 0.95)
    assert found.mean == pytest.approx(3.0)
    assert found.tau**2 == pytest.approx(y.var(ddof=1) - 0.25)
    half = stats.t.ppf(0.975, 3) * np.sqrt(y.var(ddof=1) / 4)
    assert found.high - found.mean == pytest.approx(half)


def test_differences_closer_than_their_errors_have_no_spread_and_no_narrower_limits():
    y, errors = np.array([0.01, 0.011, 0.012]), np.full(3, 0.1)
    found = fit_random_effects(y, errors, 0.95)
    assert found.tau == 0.0
    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, 2) * 0.1 / np.sqrt(3))


def test_equal_differences_have_no_spread():
    assert paule_mandel(np.full(4, 0.3), np.array([0.1, 0.2, 0.3, 0.4])) == 0.0


@pytest.mark.parametrize("errors", [[0.1, 0.0, 0.1], [0.1, np.nan, 0.1], [0.1, 0.1]])
def test_without_a_standard_error_of_each_of_three_nothing_is_said(errors):
    y = np.array([1.0, 2.0, 3.0])[: len(errors)]
    assert fit_random_effects(y, np.array(errors), 0.95) is None


def test_scale_and_sign_turn_with_the_differences():
    y, errors = drawn(1, 7, 0.1)
    one = fit_random_effects(y, errors, 0.95)
    other = fit_random_effects(-100 * y, 100 * errors, 0.95)
    assert other.low == pytest.approx(-100 * one.high)
    assert other.next_high == pytest.approx(-100 * one.next_low)
    assert other.tau == pytest.approx(100 * one.tau)
