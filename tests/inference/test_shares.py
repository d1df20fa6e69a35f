"""Differences on few units: exact limits of shares, the sign test, and too few units at all."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.intervals import compute_interval, compute_second_opinion
from reportgen.inference.proportion_intervals import (
    clopper_pearson_upper,
    compute_sign_shares,
    tango_interval,
)
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import assess_significance
from reportgen.metrics.traits import ESTIMANDS


def differing(each: list[float], bounds: tuple[float, float] = (-1.0, 1.0)) -> SamplingDistribution:
    """A mean of paired differences, one a query."""
    d = np.array(each)
    n = len(d)
    return SamplingDistribution(
        value=float(d.mean()),
        replicates=np.full(99, nan),
        estimand=ESTIMANDS["mean"],
        bounds=bounds,
        n=n,
        units=n,
        influence=(d - d.mean()) / n,
        contributions=d / n,
        shares=np.full(n, 1 / n),
        is_difference=True,
        units_are="queries",
    )


def test_few_that_differ_have_the_exact_limits_of_the_shares_that_do() -> None:
    found = compute_interval(differing([0.3, 0.2, -0.1] + [0.0] * 57), "auto", 0.95)
    assert found.method == "exact-share"
    assert found.high == pytest.approx(stats.beta.ppf(0.975, 3, 58))  # 2 of 60 ahead
    assert found.low == pytest.approx(-stats.beta.ppf(0.975, 2, 59))  # 1 of 60 behind


@pytest.mark.parametrize(("count", "method"), [(9, "exact-share"), (10, "t"), (30, "t")])
def test_t_needs_ten_that_differ(count: int, method: str) -> None:
    each = list(np.linspace(0.1, 0.5, count)) + [0.0] * (60 - count)
    assert compute_interval(differing(each), "auto", 0.95).method == method


def test_of_a_small_sample_a_third_is_enough() -> None:
    assert compute_interval(differing([0.2, 0.1, 0.3, 0.4] + [0.0] * 8), "auto", 0.95).method == "t"
    assert (
        compute_interval(differing([0.2, 0.1, 0.3] + [0.0] * 9), "auto", 0.95).method
        == "exact-share"
    )


def test_it_names_no_winner_and_has_no_p_value() -> None:
    found = differing([0.9] * 8 + [0.0] * 992)
    limits = compute_interval(found, "auto", 0.95)
    assert limits.low < 0 < limits.high and np.isnan(assess_significance(found).p_value)
    assert compute_second_opinion(found, "auto", 0.95) is None


def test_it_holds_whatever_the_size_of_the_differences() -> None:
    # One query in fifty differs, by 1: the mean is 0.02, and t knows nothing of it.
    rng, held = np.random.default_rng(3), 0
    for _ in range(400):
        each = (rng.random(60) < 0.02).astype(float)
        if each.any():
            found = compute_interval(differing(list(each)), "auto", 0.95)
            held += found.low <= 0.02 <= found.high
        else:
            held += 1
    assert held >= 380


def test_a_measure_without_a_largest_value_has_no_interval_then() -> None:
    found = compute_interval(differing([3.0] + [0.0] * 59, (-inf, inf)), "auto", 0.95)
    assert not found.is_defined and found.reason == "few-differ"


def test_elsewhere_nothing_changes() -> None:
    rows = replace(differing([0.3] + [0.0] * 59), units_are="")
    assert compute_interval(rows, "auto", 0.95).method == "t"


def test_shares_are_those_of_the_weight() -> None:
    heavy = replace(
        differing([0.5, -0.5, 0.0, 0.0]),
        contributions=np.array([0.5, -0.5, 0, 0]) * [0.4, 0.2, 0.2, 0.2],
        shares=np.array([0.4, 0.2, 0.2, 0.2]),
    )
    found = compute_sign_shares(heavy)
    assert found is not None
    assert (found.up, found.down) == (0.4, 0.2)
    assert found.n == pytest.approx(1 / (0.16 + 3 * 0.04))


def test_the_upper_limit_is_clopper_and_pearsons() -> None:
    assert clopper_pearson_upper(0.3, 50, 0.975) == pytest.approx(stats.beta.ppf(0.975, 16, 35))
    assert clopper_pearson_upper(1.0, 50, 0.975) == 1.0


def test_the_sign_test_is_the_exact_binomial_one() -> None:
    each = [0.5] * 15 + [-0.1] * 4 + [0.0] * 20
    found = assess_significance(differing(each), "sign")
    assert found.test == "sign"
    assert found.p_value == pytest.approx(stats.binomtest(15, 19).pvalue)


def test_under_ten_queries_nothing_is_tested() -> None:
    found = differing([0.4, 0.5, 0.6, 0.5, 0.4, 0.5, 0.6, 0.5, 0.4])
    assert np.isnan(assess_significance(found, "t").p_value) and found.lacks == "queries"
    assert compute_interval(found, "auto", 0.95).is_defined
    assert not differing([0.5] * 10).lacks


def counted(gained: int, lost: int, n: int) -> SamplingDistribution:
    """A difference of shares of n rows of which so many changed."""
    change = np.repeat([1.0, -1.0, 0.0], [gained, lost, n - gained - lost])
    return SamplingDistribution(
        value=float(change.mean()),
        replicates=np.full(99, nan),
        estimand=ESTIMANDS["proportion"],
        bounds=(-1.0, 1.0),
        n=n,
        units=n,
        contributions=change / n,
        shares=np.full(n, 1 / n),
        is_difference=True,
    )


def limits_of(gained: int, lost: int, n: int) -> tuple[float, float]:
    found = tango_interval(counted(gained, lost, n), 0.95)
    assert found is not None
    return found.low, found.high


@pytest.mark.parametrize(("gained", "lost", "n"), [(7, 2, 30), (3, 0, 4), (12, 12, 80)])
def test_at_tangos_limits_the_score_is_that_of_the_level(gained: int, lost: int, n: int) -> None:
    """The most likely shares with that difference by search, not by their formula."""
    for limit in limits_of(gained, lost, n):
        if abs(limit) == 1:
            continue
        down = np.linspace(max(0, -limit), (1 - limit) / 2, 200_001)[1:-1]
        up = down + limit
        logs = np.log(np.maximum([up, down, 1 - up - down], 1e-300))
        best = down[np.argmax(np.array([gained, lost, n - gained - lost]) @ logs)]
        se = np.sqrt((2 * best + limit - limit**2) / n)
        score = abs((gained - lost) / n - limit) / se
        assert score == pytest.approx(stats.norm.ppf(0.975), rel=1e-3)


def test_tangos_limits_leave_zero_out_where_mcnemars_chi_square_does() -> None:
    for gained in range(16):
        for lost in range(16):
            if 0 < gained + lost <= 25:
                low, high = limits_of(gained, lost, 25)
                is_far = (gained - lost) ** 2 / (gained + lost) > stats.chi2.ppf(0.95, 1)
                assert (low > 0 or high < 0) == is_far, (gained, lost)


def test_of_few_rows_that_changed_the_limits_hold() -> None:
    """Over all numbers of Poisson rows either way, where Normal limits hold in 90%."""
    held, up, down, n = 0.0, 4.0, 1.0, 100_000
    for gained in range(16):
        for lost in range(9):
            chance = stats.poisson.pmf(gained, up) * stats.poisson.pmf(lost, down)
            low, high = (-1.0, 1.0) if not gained + lost else short_limits(gained, lost, n)
            held += chance * (low <= (up - down) / n <= high)
    assert 0.935 < held < 0.965


def short_limits(gained: int, lost: int, n: int) -> tuple[float, float]:
    found = tango_interval(replace(counted(gained, lost, 50), changed=(gained, lost, n)), 0.95)
    assert found is not None
    return found.low, found.high


@pytest.mark.parametrize("n", [4, 20, 5000])
def test_where_no_row_changed_the_limits_are_those_at_which_the_score_is_that_of_the_level(
    n: int,
) -> None:
    low, high = limits_of(0, 0, n)
    assert low == -high
    assert high / np.sqrt(high * (1 - high) / n) == pytest.approx(stats.norm.ppf(0.975))


def test_there_are_no_limits_of_tango_where_no_row_can_change() -> None:
    assert tango_interval(replace(counted(0, 0, 20), has_one_score=True), 0.95) is None
    assert tango_interval(replace(counted(3, 1, 20), is_weighted=True), 0.95) is None
    assert limits_of(20, 0, 20)[1] == 1.0 > limits_of(20, 0, 20)[0] > 0.6
