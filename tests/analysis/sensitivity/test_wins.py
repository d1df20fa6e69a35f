"""Wins by query, what the worst-hit lose, shares that lose more than a size."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from reportgen.analysis.sensitivity.wins import (
    compute_mean_limits,
    iter_extreme_rows,
    iter_harms,
    iter_row_values,
    iter_wins,
)
from reportgen.inference.analytic_intervals import proportion_limits
from tests.analysis.sensitivity.lists import analysis, lists

# Reciprocal ranks 1, 1/2, 1/4: b is ahead on 12 of 30 queries by 1/2, behind on 6 by 1/4.
A = [2] * 12 + [2] * 6 + [1] * 12
B = [1] * 12 + [4] * 6 + [1] * 12


def test_queries_ahead_level_and_behind_are_counted() -> None:
    [row] = iter_wins(analysis(lists(A), lists(B)))
    assert (row.candidate, row.ahead, row.level, row.behind, row.n) == ("b", 12, 12, 6, 30)
    assert row.share_ahead == pytest.approx(12 / 30)
    low, high = proportion_limits(12 / 30, 30, 0.95)
    assert (row.ahead_low, row.ahead_high) == (pytest.approx(low), pytest.approx(high))
    assert row.p_value == pytest.approx(stats.binomtest(12, 18).pvalue)


def test_gain_where_ahead_loss_where_behind_and_the_worst_twentieth() -> None:
    [row] = iter_wins(analysis(lists(A), lists(B)))
    assert (row.gain, row.loss) == (pytest.approx(1 / 2), pytest.approx(-1 / 4))
    assert (row.worst_of, row.worst) == (2, pytest.approx(-1 / 4))  # ceil(30 / 20)


def test_risk_counts_losses_twice() -> None:
    [row] = iter_wins(analysis(lists(A), lists(B)))
    each = np.array([0.5] * 12 + [-2 * 0.25] * 6 + [0.0] * 12)
    half = stats.t.ppf(0.975, 29) * each.std(ddof=1) / np.sqrt(30)
    assert row.risk == pytest.approx(each.mean())
    assert row.risk_high == pytest.approx(each.mean() + half)


def test_weights_count_in_shares_and_means() -> None:
    weight = np.array([2.0] * 12 + [1.0] * 18)
    [row] = iter_wins(analysis(lists(A), lists(B), weight=weight))
    assert (row.ahead, row.share_ahead) == (12, pytest.approx(24 / 42))


def test_of_clusters_the_limits_are_students() -> None:
    unit = np.arange(30) % 15
    [row] = iter_wins(analysis(lists(A), lists(B), unit=unit))
    hits = np.array([1.0] * 12 + [0.0] * 18)
    sums = np.bincount(unit, hits / 30 - (12 / 30) / 30)
    half = stats.t.ppf(0.975, 14) * np.sqrt(sums @ sums * 15 / 14)
    assert row.ahead_high == pytest.approx(0.4 + half)


def test_few_clusters_with_a_loss_do_not_make_the_limits_narrow() -> None:
    """Where no query, or those of few clusters, lose much, t over clusters would say 0 to 0."""
    unit, asked = np.arange(30) % 15, (("rr", "b", "a", 0.2, None),)
    a, b = [1] * 30, [1] * 28 + [2] * 2
    [none] = iter_harms(analysis(lists(a), lists([*a[:29], 1]), unit=unit, harms=asked))
    assert (none.share, none.low) == (0, 0)
    assert none.high == pytest.approx(proportion_limits(0.0, 15, 0.95)[1])
    [two] = iter_harms(analysis(lists(a), lists(b), unit=unit, harms=asked))
    assert (two.low, two.high) == pytest.approx(proportion_limits(2 / 30, 15, 0.95))


def test_a_measure_that_is_best_low_is_turned() -> None:
    # Judged to rank 2 and to rank 10: less is left open where more was judged.
    found = analysis(lists([1] * 12, judged=2), lists([1] * 12), names=("rbp_residual",))
    [row] = iter_wins(found)
    assert (row.ahead, row.behind) == (12, 0) and row.gain > 0


def test_a_share_harmed_counts_losses_above_the_drop() -> None:
    asked = (("rr", "b", "a", 0.2, None), ("rr", "b", "a", 0.25, None))
    first, second = iter_harms(analysis(lists(A), lists(B), harms=asked))
    assert first.share == pytest.approx(6 / 30)
    assert first.high == pytest.approx(proportion_limits(6 / 30, 30, 0.95)[1])
    assert second.share == 0  # no more than a quarter


def test_queries_are_named_only_where_they_may_be() -> None:
    names = tuple(f"q{k}" for k in range(30))
    assert not list(iter_extreme_rows(analysis(lists(A), lists(B))))
    found = list(iter_extreme_rows(analysis(lists(A), lists(B), shown=names)))
    assert len(found) == 10 + 6 and {row.row.id for row in found[10:]} == set(names[12:18])
    assert found[0].difference == 0.5 and (found[0].value, found[0].baseline_value) == (1.0, 0.5)


def test_values_of_queries_are_kept_where_asked_for() -> None:
    names = tuple(f"q{k}" for k in range(30))
    assert not list(iter_row_values(analysis(lists(A), lists(B))))
    first, second = iter_row_values(analysis(lists(A), lists(B), kept=names))
    assert (first.model, second.model) == ("a", "b") and first.ids == names
    assert first.values == tuple(1 / rank for rank in A)


def flipped(sums: np.ndarray) -> float:
    """The share of all patterns of signs under which these sums are as far from zero."""
    patterns = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
    return float(np.mean(np.abs(patterns @ sums) >= abs(sums.sum()) - 1e-9))


def test_the_sign_test_flips_whole_clusters() -> None:
    unit = np.repeat(np.arange(10), 3)  # 4 clusters are ahead, 2 behind, 4 level
    [row] = iter_wins(analysis(lists(A), lists(B), unit=unit))
    assert row.p_value == pytest.approx(flipped(np.array([3.0] * 4 + [-3.0] * 2)))
    assert row.p_value > stats.binomtest(12, 18).pvalue
    [few] = iter_wins(analysis(lists(A), lists(B), unit=np.arange(30) % 9))
    assert few.p_value is None


def test_the_sign_test_counts_weights() -> None:
    weight = np.array([1.0] * 12 + [5.0] * 6 + [1.0] * 12)
    a, b = A[:4] + A[12:15] + A[18:23], B[:4] + B[12:15] + B[18:23]  # 4 ahead, 3 behind
    [row] = iter_wins(
        analysis(lists(a), lists(b), weight=np.r_[weight[:4], weight[12:15], [1.0] * 5])
    )
    assert row.p_value == pytest.approx(flipped(np.array([1.0] * 4 + [-5.0] * 3)))


def test_clusters_that_no_judged_row_is_of_are_no_clusters() -> None:
    each, weight = np.array([1.0, 2.0, 4.0]), np.ones(3)
    skipped, dense = (
        compute_mean_limits(each, weight, np.array(u), 0.95) for u in ([0, 5, 9], [0, 1, 2])
    )
    assert skipped == dense
