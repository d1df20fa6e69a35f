"""How far distributions are apart: against SciPy, by hand, and how often limits hold."""

from math import log

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.distribution_shift import (
    bound_distance,
    compare_means,
    compare_means_relatively,
    compare_shares,
    compute_grid_distance,
    compute_stability_index,
    group_by_earlier,
)
from reportgen.kernels.quantiles import summarise_quantiles

DRAW = np.random.default_rng(5)
SAMPLES = {
    "normal": (DRAW.normal(0, 1, 700), DRAW.normal(0.4, 1.3, 450)),
    "zeros": (DRAW.exponential(1, 900) * (DRAW.random(900) < 0.3), DRAW.exponential(2, 333)),
    "whole": (DRAW.integers(0, 4, 2000) * 1.0, DRAW.integers(1, 5, 61) * 1.0),
    "equal": (np.ones(40), np.ones(30)),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_distance_is_scipys_to_within_the_resolution(name):
    first, second = SAMPLES[name]
    found, off = compute_grid_distance(*(summarise_quantiles(np.sort(x)) for x in (first, second)))
    assert abs(found - stats.ks_2samp(first, second).statistic) <= off + 1e-12
    assert off <= 0.5 / min(100, len(first) // 5) + 0.5 / min(100, len(second) // 5) + 1e-12


def test_no_more_than_a_value_of_five_rows_is_kept():
    assert [len(summarise_quantiles(np.arange(n * 1.0))) for n in (4, 5, 49, 500, 9999)] == [
        0,
        1,
        9,
        100,
        100,
    ]


def test_the_change_of_a_mean_is_welchs():
    first, second = SAMPLES["normal"]
    each = [(x.mean(), x.std(ddof=1), len(x)) for x in (first, second)]
    found = compare_means(*each, 0.95)
    known = stats.ttest_ind(second, first, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=1e-12)


def test_a_relative_change_is_that_of_logarithms():
    found = compare_means_relatively((10.0, 2.0, 100), (12.0, 3.0, 400), 0.95)
    half = 1.959963984540054 * np.sqrt(0.02**2 + (0.25 / 20) ** 2)
    assert (found.value, found.low) == pytest.approx((0.2, 1.2 * np.exp(-half) - 1))
    assert compare_means_relatively((0.1, 2.0, 100), (12.0, 3.0, 400), 0.95) is None
    assert compare_means_relatively((-10.0, 2.0, 100), (12.0, 3.0, 400), 0.95) is None


def test_limits_of_a_constant_column_are_its_change():
    assert compare_means((1.0, 0.0, 9), (3.0, 0.0, 9), 0.95).high == 2.0


def test_total_variation_and_its_limits_by_hand():
    found = compare_shares([10, 20, 70], [30, 20, 50], (100, 100), 0.95)
    assert found.value == pytest.approx(0.2)
    reach = np.sqrt(stats.chi2.ppf(0.95, 2) * 2 / 100) / 2
    assert (found.low, found.high) == pytest.approx((0.2 - reach, 0.2 + reach))


def test_the_stability_index_by_hand():
    assert compute_stability_index([50, 50], [40, 60]) == pytest.approx(
        (0.4 - 0.5) * log(0.4 / 0.5) + (0.6 - 0.5) * log(0.6 / 0.5)
    )
    grid = np.arange(100.0)
    assert group_by_earlier(grid, grid + 10)[1] == pytest.approx([0] + [10] * 8 + [20])


def test_limits_leave_zero_out_where_the_test_rejects():
    draw = np.random.default_rng(3)
    for shift in np.linspace(0, 0.8, 9):
        x, y = np.sort(draw.normal(0, 1, 500)), np.sort(draw.normal(shift, 1, 700))
        test = stats.ks_2samp(x, y, method="asymp")
        if abs(test.pvalue - 0.05) > 0.02:
            assert (bound_distance(test.statistic, (500, 700), 0.95).low > 0) == (
                test.pvalue < 0.05
            )


def test_limits_hold_the_true_distances():
    draw, held, level = np.random.default_rng(11), np.zeros(2), 0.95
    true = 2 * stats.norm.cdf(0.15) - 1  # of N(0, 1) and N(0.3, 1)
    for _ in range(300):
        x, y = np.sort(draw.normal(0, 1, 200)), np.sort(draw.normal(0.3, 1, 300))
        distance, off = compute_grid_distance(summarise_quantiles(x), summarise_quantiles(y))
        found = bound_distance(distance, (200, 300), level, off)
        held[0] += found.low <= true <= found.high
        counts = draw.multinomial(200, [0.2, 0.3, 0.5]), draw.multinomial(300, [0.3, 0.3, 0.4])
        shares = compare_shares(*counts, (200, 300), level)
        held[1] += shares.low <= 0.1 <= shares.high
    assert (held >= 0.95 * 300).all()
