"""Bands around curves: what they cover, and what they do at the ends."""

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.bands import (
    compute_share_band,
    interpolate_limits,
    is_rising,
    pointwise_limits,
    simultaneous_band,
    tighten_monotone,
)
from reportgen.inference.multiplicity import max_t_critical

DRAWN = np.random.default_rng(8).normal(size=(1999, 30)).cumsum(axis=1)
THETA = np.zeros(30)


def test_the_band_holds_whole_replicates_at_its_level():
    band = simultaneous_band(THETA, DRAWN, 0.95)
    inside = np.all((band.low <= DRAWN) & (band.high >= DRAWN), axis=1)
    assert inside.mean() == pytest.approx(0.95, abs=0.001)


def test_the_pointwise_band_lies_inside_the_simultaneous_one():
    low, high = pointwise_limits(DRAWN, 0.95)
    band = simultaneous_band(THETA, DRAWN, 0.95)
    assert np.all(band.low < low) and np.all(high < band.high)


def test_the_critical_value_is_that_of_the_largest_deviation():
    se = DRAWN.std(axis=0, ddof=1)
    expected = max_t_critical(THETA, DRAWN, se, 0.95)
    assert simultaneous_band(THETA, DRAWN, 0.95).critical == pytest.approx(expected)


def test_points_with_few_rows_on_a_side_take_no_part():
    support = np.where(np.arange(30) < 5, 9, 10)
    band = simultaneous_band(THETA, DRAWN, 0.95, support)
    assert np.all(np.isnan(band.low[:5])) and np.all(np.isfinite(band.low[5:]))
    assert band.points == 25


def test_a_point_that_never_varies_is_its_own_limit():
    values = np.column_stack([np.zeros(1999), DRAWN])
    band = simultaneous_band(np.zeros(31), values, 0.95)
    assert (band.low[0], band.high[0]) == (0.0, 0.0)


def test_limits_without_end_of_few_clusters_leave_a_point_that_never_varies_its_own():
    # nearly alike, and far from the estimate
    values = np.tile([[100.0, 2.0], [100.001, 2.0]], (10, 1))
    band = simultaneous_band(np.array([0.0, 2.0]), values, 0.95, clusters=3)
    assert (band.low.tolist(), band.high.tolist()) == ([-np.inf, 2.0], [np.inf, 2.0])


def test_no_limits_are_read_from_fewer_than_twenty_replicates():
    for few in (DRAWN[:3], DRAWN[:19]):
        assert np.isnan(simultaneous_band(THETA, few, 0.95).low).all()
        assert np.isnan(pointwise_limits(few, 0.95)).all()
    assert np.isfinite(simultaneous_band(THETA, DRAWN[:20], 0.95).low).all()


def test_undefined_replicates_of_a_point_are_left_out_of_it_only():
    gaps = DRAWN.copy()
    gaps[:100, 0] = np.nan
    band = simultaneous_band(THETA, gaps, 0.95)
    assert np.all(np.isfinite(band.low))
    gaps[:1500, 0] = np.nan
    assert np.isnan(simultaneous_band(THETA, gaps, 0.95).low[0])
    assert np.isnan(pointwise_limits(gaps, 0.95)[0][0])


def test_limits_of_points_are_quantiles_of_what_is_finite_there():
    gaps = DRAWN.copy()
    gaps[::7, ::3] = np.nan
    gaps[5::11, 4] = np.inf
    finite = np.where(np.isfinite(gaps), gaps, np.nan)
    tails = [(1 - 0.95) / 2, 1 - (1 - 0.95) / 2]
    expected = np.nanquantile(finite, tails, axis=0, method="weibull")
    assert np.allclose(pointwise_limits(gaps, 0.95), expected, rtol=1e-14, atol=0)


def test_the_band_stays_within_the_range():
    band = simultaneous_band(THETA, DRAWN, 0.95, bounds=(-1.0, 2.0))
    assert band.low.min() == -1 and band.high.max() == 2


@pytest.mark.parametrize("sign", [1, -1])
def test_the_band_of_a_monotone_curve_is_monotone_and_no_wider(sign):
    theta = sign * np.linspace(0, 5, 30)
    free = simultaneous_band(theta, theta + DRAWN, 0.95)
    bound = simultaneous_band(theta, theta + DRAWN, 0.95, is_monotone=True)
    assert np.all(sign * np.diff(bound.low) >= 0) and np.all(sign * np.diff(bound.high) >= 0)
    assert np.all(bound.low >= free.low) and np.all(bound.high <= free.high)
    assert is_rising(theta) == (sign == 1)


def test_gaps_stay_gaps_in_a_monotone_band():
    low, high = tighten_monotone(np.array([0.0, np.nan, 1.0]), np.array([2.0, np.nan, 3.0]), True)
    assert np.isnan(low[1]) and np.isnan(high[1]) and low[2] == 1


def test_between_points_a_rising_curve_keeps_the_low_left_and_the_high_right():
    grid, low, high = np.array([0.0, 1.0]), np.array([0.0, 2.0]), np.array([1.0, 3.0])
    x = np.array([0.0, 0.5, 1.0, 1.5])
    below, above = interpolate_limits(x, grid, low, high, is_monotone=True)
    assert below == pytest.approx([0, 0, 2, np.nan], nan_ok=True)
    assert above == pytest.approx([1, 3, 3, np.nan], nan_ok=True)
    below, above = interpolate_limits(x, grid, -high, -low, is_monotone=True, rising=False)
    assert below[1] == -3 and above[1] == 0


def test_between_points_of_any_other_curve_limits_run_straight():
    grid, low = np.array([0.0, 1.0]), np.array([0.0, 2.0])
    below, above = interpolate_limits(np.array([0.5]), grid, low, low + 1, is_monotone=False)
    assert (below[0], above[0]) == (1.0, 2.0)


@pytest.mark.full
def test_the_band_holds_a_whole_true_curve_as_often_as_it_says():
    held = 0
    for run in range(300):
        rows = np.random.default_rng([23, run]).normal(size=(120, 15)).cumsum(axis=1)
        count = np.random.default_rng([29, run]).multinomial(120, np.full(120, 1 / 120), size=399)
        band = simultaneous_band(rows.mean(axis=0), count @ rows / 120, 0.95)
        held += bool(np.all((band.low <= 0) & (band.high >= 0)))
    # 93 % is asked for; three standard errors of 300 runs below it would be a failure.
    assert held / 300 >= 0.93 - 3 * np.sqrt(0.07 * 0.93 / 300)


def test_levels_of_amounts_have_as_wide_a_band_up_as_down_on_the_log_scale():
    theta, drawn = np.array([1.0, 8.0, 0.0]), np.array([0.9, 1.1] * 50)
    values = np.column_stack([drawn, 8 * drawn, np.zeros(100)])
    band = simultaneous_band(theta, values, 0.95, bounds=(-np.inf, np.inf), is_of_amounts=True)
    plain = simultaneous_band(theta, values, 0.95)
    assert band.low[:2] * band.high[:2] == pytest.approx(theta[:2] ** 2)
    assert np.log(band.high[:2] / theta[:2]) == pytest.approx(plain.high[:2] / theta[:2] - 1)
    assert np.isnan(band.low[2]) and np.isnan(band.high[2])


def test_a_level_of_zero_that_varies_has_plain_limits():
    values = np.column_stack([np.arange(100.0), 5 + np.arange(100.0) / 100])
    band = simultaneous_band(np.array([0.0, 5.5]), values, 0.95, is_of_amounts=True)
    assert band.low[0] == 0 and np.isfinite(band.high[0]) and band.high[0] > 0


def test_a_level_that_a_single_row_makes_has_no_band_past_a_thousandfold():
    values = np.random.default_rng(2).normal(0, 40, size=(999, 1)) + 1.0
    band = simultaneous_band(
        np.array([1.0]), values, 0.95, bounds=(-np.inf, np.inf), is_of_amounts=True
    )
    assert 0 <= band.low[0] < 1 and 50 < band.high[0] < 200


def test_a_point_of_few_rows_has_no_limits_though_it_never_varies():
    values = np.random.default_rng(4).normal(size=(199, 3))
    values[:, 1:] = 0.0
    band = simultaneous_band(np.zeros(3), values, 0.95, support=np.array([30.0, 9.0, 30.0]))
    assert np.isnan(band.low[1]) and np.isnan(band.high[1])
    assert band.low[2] == band.high[2] == 0


def test_a_share_that_no_replicate_has_takes_no_part_in_its_band():
    theta, drawn = np.array([0.2, 0.4, 0.6]), np.full((50, 3), np.nan)
    rows = np.array([30.0, 30.0, 30.0])
    none = compute_share_band(theta, drawn, 0.95, rows, rows, is_monotone=True)
    assert none.points == 0 and np.isnan(none.low).all()
    drawn[:, 1] = np.linspace(0.3, 0.5, 50)
    one = compute_share_band(theta, drawn, 0.95, rows, rows, is_monotone=True)
    assert one.points == 1 and one.low[1] < 0.4 < one.high[1]


def test_few_clusters_widen_a_band():
    many, few = (
        simultaneous_band(THETA, DRAWN, 0.95),
        simultaneous_band(THETA, DRAWN, 0.95, clusters=12),
    )
    tail = stats.norm.sf(many.critical)
    assert few.critical == pytest.approx(stats.t.isf(tail, 11) * (12 / 11) ** 0.5)


def test_rows_like_none_at_hand_widen_a_band():
    none, ones = np.zeros(len(THETA)), np.ones(len(THETA))
    plain = simultaneous_band(THETA, DRAWN, 0.95)
    apart = simultaneous_band(THETA, DRAWN, 0.95, unseen=(none, 0.02 * ones, 0.03 * ones))
    np.testing.assert_allclose(apart.low, plain.low - 0.02)
    np.testing.assert_allclose(apart.high, plain.high + 0.03)
    wide = simultaneous_band(THETA, DRAWN, 0.95, unseen=(9 * ones, none, none))
    np.testing.assert_allclose(wide.high - THETA, stats.norm.isf(0.025) * 9)


def test_a_band_that_varies_in_no_resample_has_the_least_error():
    still, none = np.tile(THETA, (99, 1)), np.zeros(len(THETA))
    band = simultaneous_band(THETA, still, 0.95, unseen=(np.full(len(THETA), 0.1), none, none))
    np.testing.assert_allclose(band.high - THETA, stats.norm.isf(0.025) * 0.1)
    np.testing.assert_allclose(THETA - band.low, stats.norm.isf(0.025) * 0.1)
