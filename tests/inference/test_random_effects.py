"""Differences of data sets by random effects, against statsmodels and by hand."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from reportgen.inference.random_effects import between, random_effects


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
    found = random_effects(y, errors, 0.9)
    tau2 = max(theirs.tau2, 0.0)
    assert found.tau**2 == pytest.approx(tau2, rel=1e-5)
    assert found.mean == pytest.approx(theirs.mean_effect_re, rel=1e-5)
    se = theirs.sd_eff_w_re * np.sqrt(max(theirs.scale_hksj_re, 1.0))
    half = stats.t.ppf(0.95, n - 1) * se
    assert found.high - found.mean == pytest.approx(half, rel=1e-5)
    assert found.mean - found.low == pytest.approx(half, rel=1e-5)
    reach = stats.t.ppf(0.95, n - 2) * np.sqrt(tau2 + se**2)
    assert found.next_high - found.mean == pytest.approx(reach, rel=1e-5)
    assert found.mean - found.next_low == pytest.approx(reach, rel=1e-5)


def test_equal_errors_leave_the_plain_mean_and_the_rest_of_the_variance():
    y = np.array([1.0, 2.0, 6.0, 3.0])
    found = random_effects(y, np.full(4, 0.5), 0.95)
    assert found.mean == pytest.approx(3.0)
    assert found.tau**2 == pytest.approx(y.var(ddof=1) - 0.25)
    half = stats.t.ppf(0.975, 3) * np.sqrt(y.var(ddof=1) / 4)
    assert found.high - found.mean == pytest.approx(half)


def test_differences_closer_than_their_errors_have_no_spread_and_no_narrower_limits():
    y, errors = np.array([0.01, 0.011, 0.012]), np.full(3, 0.1)
    found = random_effects(y, errors, 0.95)
    assert found.tau == 0.0
    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, 2) * 0.1 / np.sqrt(3))


def test_equal_differences_have_no_spread():
    assert between(np.full(4, 0.3), np.array([0.1, 0.2, 0.3, 0.4])) == 0.0


@pytest.mark.parametrize("errors", [[0.1, 0.0, 0.1], [0.1, np.nan, 0.1], [0.1, 0.1]])
def test_without_a_standard_error_of_each_of_three_nothing_is_said(errors):
    y = np.array([1.0, 2.0, 3.0])[: len(errors)]
    assert random_effects(y, np.array(errors), 0.95) is None


def test_scale_and_sign_turn_with_the_differences():
    y, errors = drawn(1, 7, 0.1)
    one = random_effects(y, errors, 0.95)
    other = random_effects(-100 * y, 100 * errors, 0.95)
    assert other.low == pytest.approx(-100 * one.high)
    assert other.next_high == pytest.approx(-100 * one.next_low)
    assert other.tau == pytest.approx(100 * one.tau)
