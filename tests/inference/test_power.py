"""The smallest difference that a sample shows, and the number of units that detects a given one."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy import stats

from benchmarks.plans import change_plan
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.power import (
    DifferencePrecision,
    count_units_to_detect,
    power_of_shift,
    smallest_detectable,
)
from reportgen.terms import Margin
from tests.analysis.asked import question

MARGIN = Margin(0.1)


def test_the_smallest_detectable_difference_is_shown_four_times_in_five():
    se = 0.7
    found = smallest_detectable(DifferencePrecision(se, 100), 0.95)
    assert found == pytest.approx((1.959964 + 0.841621) * se)
    assert stats.norm.sf(1.959964 - found / se) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("df", [1, 2.5, 4, 9, 49, 299, 301, 2000])
def test_with_few_degrees_of_freedom_it_is_that_of_the_noncentral_t(df):
    found = smallest_detectable(DifferencePrecision(1.0, 10, df), 0.95)
    assert stats.nct.sf(stats.t.ppf(0.975, df), df, found) == pytest.approx(0.8, abs=2e-6)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999, 0.99999])
@pytest.mark.parametrize("df", [0.5, 1, 7.3, 299, 301, inf])
def test_more_degrees_of_freedom_show_smaller_differences(df, level):
    few, more = (smallest_detectable(DifferencePrecision(1.0, 9, d), level) for d in (df, df + 1))
    assert 0 < more <= few < inf


def test_without_degrees_of_freedom_nothing_is_detectable():
    assert np.isnan(smallest_detectable(DifferencePrecision(1.0, 1, 0), 0.95))
    assert np.isnan(smallest_detectable(DifferencePrecision(np.nan, 10, 9), 0.95))


@pytest.mark.parametrize("level", [1.0, np.nan])
def test_at_a_level_that_has_no_quantile_nothing_is_detectable(level):
    assert np.isnan(smallest_detectable(DifferencePrecision(1.0, 10, 9), level))


@pytest.mark.parametrize("clusters", [2, 5, 10, 50])
def test_clusters_show_the_stated_size_as_often_as_stated(clusters):
    rng = np.random.default_rng(clusters)
    size = smallest_detectable(
        DifferencePrecision(1 / np.sqrt(clusters), clusters, clusters - 1), 0.95
    )
    draws = size + rng.normal(size=(20_000, clusters))
    t = draws.mean(axis=1) / draws.std(axis=1, ddof=1) * np.sqrt(clusters)
    power = np.mean(t > stats.t.ppf(0.975, clusters - 1))
    assert power == pytest.approx(0.8, abs=0.012)  # four Monte-Carlo errors


def test_the_units_that_detect_a_gain_are_by_the_normal_those_of_the_text_books():
    """(1.96 + 0.84)² (se / gain)² n, at a level for two comparisons (2.24 + 0.84)² of it."""
    known = DifferencePrecision(0.02, 1_000)
    assert count_units_to_detect(0.01, known, 0.95).about == 31_396
    of_two = (stats.norm.ppf(1 - 0.05 / 4) + stats.norm.ppf(0.8)) ** 2 * 4_000
    assert count_units_to_detect(0.01, known, 0.975).about == int(np.ceil(of_two))


def test_a_large_gain_takes_fewer_units_than_there_are():
    assert count_units_to_detect(0.1, DifferencePrecision(0.02, 1_000), 0.95).about == 314


@pytest.mark.parametrize("df", [3.0, 9.0, 29.0])
def test_few_clusters_give_the_range_of_their_standard_error(df):
    units = int(df) + 1
    known = DifferencePrecision(1.0, units, df, error_df=df)
    found = count_units_to_detect(1.0, known, 0.95)
    ends = df / stats.chi2.ppf([0.975, 0.025], df)  # how far off a variance may be
    for count, factor in zip(
        (found.low, found.about, found.high), (ends[0], 1, ends[1]), strict=True
    ):
        shift, rest = 1 / np.sqrt(factor * units / np.array([count, count - 1])), count - 1
        power = stats.nct.sf(stats.t.ppf(0.975, [rest, rest - 1]), [rest, rest - 1], shift)
        assert power[0] >= 0.8 - 1e-6 and not power[1] >= 0.8 + 1e-6
    assert found.low < found.about < found.high


def test_units_whose_error_is_known_give_one_number():
    found = count_units_to_detect(1.0, DifferencePrecision(1.0, 31, 30.0, error_df=30.0), 0.95)
    assert (found.low, found.high) == (None, None) and found.about > 31


@pytest.mark.parametrize("change", [{"se": 0.0}, {"se": np.nan}, {"df": 0.0}, {"grows": False}])
def test_no_number_where_none_would_do(change):
    known = replace(DifferencePrecision(1.0, 100), **change)
    assert count_units_to_detect(1.0, known, 0.95) is None
    assert count_units_to_detect(0.0, DifferencePrecision(1.0, 100), 0.95) is None


def _compare_shifted(shift, **more):
    """Compare two models whose losses differ by noise and by `shift`, with a margin of 0.1."""
    draw = np.random.default_rng(3)
    y, noise = np.zeros(60), draw.normal(size=(2, 60))
    asked = question(data=(y, [1000 + noise[0], 1000 + noise[1] + shift]), names=("mae",), **more)
    (use,) = asked.statistics.metrics
    asked = change_plan(asked, metrics=(replace(use, margin=MARGIN),))
    (found,) = analyze_dataset(asked).comparisons
    return found


@pytest.mark.parametrize("shift", [-2.0, 0.02, 2.0])
def test_the_difference_that_was_found_moves_no_number(shift):
    """Only the margin and the spread of the differences do."""
    found, moved = _compare_shifted(0.0), _compare_shifted(shift)
    assert found.difference != moved.difference
    assert found.units_to_detect == moved.units_to_detect > 60
    lam = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert found.units_to_detect == pytest.approx(60 * (lam * found.se / 0.1) ** 2, rel=2e-3)
    assert (found.units_to_detect_low, found.units_to_detect_high) == (None, None)


def test_few_clusters_count_clusters_in_a_range():
    found = _compare_shifted(0.02, unit=np.arange(60) // 10)
    low, high = found.units_to_detect_low, found.units_to_detect_high
    assert 6 < low < found.units_to_detect < high
    assert high / low > 5


def test_a_comparison_of_clusters_counts_clusters():
    asked = question(n=60, names=("mae",), unit=np.arange(60) // 10)
    (found,) = analyze_dataset(asked).comparisons
    assert (found.units, found.counted, found.n) == (6, "cluster", 60)
    lam = found.smallest_detectable / found.se
    assert stats.nct.sf(stats.t.ppf(0.975, 5), 5, lam) == pytest.approx(0.8, abs=1e-6)


def test_a_comparison_of_queries_counts_queries():
    asked = question(n=60, names=("mae",), unit=np.arange(60) // 2)
    asked = change_plan(asked, design=replace(asked.sampling.design, together="query"))
    (found,) = analyze_dataset(asked).comparisons
    assert (found.units, found.counted) == (30, "query")


def test_a_comparison_of_few_rows_by_t_uses_their_degrees_of_freedom():
    (found,) = analyze_dataset(question(n=10, names=("mae",))).comparisons
    assert found.method == "t"
    lam = found.smallest_detectable / found.se
    assert stats.nct.sf(stats.t.ppf(0.975, 9), 9, lam) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("level", "df"), [(1 - 1e-16, 3.0), (0.95, 1e-3)])
def test_limits_without_an_end_show_no_difference(level, df):
    """A level that rounds to one, as of a wide family, or hardly any degree of freedom."""
    assert np.isnan(smallest_detectable(DifferencePrecision(1.0, 2, df), level))


@pytest.mark.parametrize("df", [1.0, 2.0, 40.0, inf])
def test_lying_above_zero_at_all_depends_on_no_standard_error(df):
    for shift in (0.0, 0.3, 2.0):
        assert power_of_shift(shift, df, 0.0) == pytest.approx(stats.norm.cdf(shift))
    assert np.isfinite(smallest_detectable(DifferencePrecision(1.0, 3, df), 1e-17))
