"""The smallest difference that a sample shows, and the number of units that would settle it."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy import stats

from benchmarks.plans import change_plan
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.power import (
    DifferencePrecision,
    compute_required_units,
    power_of_shift,
    smallest_detectable,
)
from tests.analysis.asked import question


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


@pytest.mark.parametrize(
    "d, margin, room",
    [(0.5, None, 0.5 / 2.801585), (0.0, 2.0, 2.0 / 2.801585), (1.5, 2.0, 3.5 / 2.801585)],
)
def test_the_n_that_would_settle_brings_the_limit_home(d, margin, room):
    needed = compute_required_units(d, DifferencePrecision(1.5, 100), margin)
    assert needed == int(np.ceil(max(100 * (1.5 / room) ** 2, 101)))


def test_two_sided_equivalence_needs_both_limits():
    needed = compute_required_units(0.5, DifferencePrecision(1.5, 100), 2.0, level=0.95)
    se = 1.5 * np.sqrt(100 / needed)
    both = stats.norm.cdf(1.5 / se - 1.644854) + stats.norm.cdf(2.5 / se - 1.644854) - 1
    one = stats.norm.cdf(2.5 / se - 1.959964)
    assert max(both, one) >= 0.8


def test_few_clusters_need_more_of_them_than_many_rows_of_the_same_error():
    by_rows = compute_required_units(1.0, DifferencePrecision(1.0, 4), None)
    by_clusters = compute_required_units(1.0, DifferencePrecision(1.0, 4, 3), None)
    assert by_clusters > by_rows > 4
    se = np.sqrt(4 / by_clusters)
    assert power_of_shift(1 / se, by_clusters - 1, stats.t.ppf(0.975, by_clusters - 1)) >= 0.8


def test_no_n_settles_a_difference_of_nothing_without_margin():
    assert compute_required_units(0.0, DifferencePrecision(1.0, 100), None) is None


def test_a_bad_difference_needs_as_many_rows_as_the_good_one_turned():
    turned = compute_required_units(1.0, DifferencePrecision(1.0, 50), 2.0, better="higher")
    assert compute_required_units(-1.0, DifferencePrecision(1.0, 50), 2.0, better="lower") == turned


def test_a_comparison_of_clusters_counts_clusters():
    asked = question(n=60, names=("mae",), unit=np.arange(60) // 10)
    (found,) = analyze_dataset(asked).comparisons
    assert (found.units, found.counted, found.n) == (6, "cluster", 60)
    lam = found.smallest_detectable / found.se
    assert stats.nct.sf(stats.t.ppf(0.975, 5), 5, lam) == pytest.approx(0.8, abs=1e-6)
    assert found.n_to_settle is None or found.n_to_settle > 6


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
