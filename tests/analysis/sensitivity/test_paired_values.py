"""What is drawn of single queries: both values, their differences, grades by rank."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.analysis.sensitivity.robustness import iter_grades_by_rank, iter_pools
from reportgen.analysis.sensitivity.wins import BARS, BOXES, bin_points, iter_row_pairs
from reportgen.kernels.ranked_lists import Judgements, Lists, summarize_pool
from tests.analysis.sensitivity.lists import analysis, lists

A = [2] * 12 + [2] * 6 + [1] * 12
B = [1] * 12 + [4] * 6 + [1] * 12


def test_both_values_of_each_query_are_kept_and_level_ones_are_in_no_bar() -> None:
    [found] = iter_row_pairs(analysis(lists(A), lists(B)))
    assert (found.candidate, found.baseline, found.n, found.width) == ("b", "a", 30, 0)
    assert found.x == tuple(1 / rank for rank in A) and found.y == tuple(1 / rank for rank in B)
    assert len(found.bars) == BARS and len(found.edges) == BARS + 1
    assert sum(found.bars) == 18 and found.edges[0] == -0.5 and found.edges[-1] == 0.5
    at = {round(edge, 6): count for edge, count in zip(found.edges, found.bars, strict=False)}
    assert at[-0.25] == 6 and found.bars[-1] == 12  # by a quarter less, by a half more


def test_no_pair_is_drawn_without_a_query() -> None:
    assert not list(iter_row_pairs(analysis(lists(A), lists(B), weight=np.zeros(30))))


def test_many_points_are_boxes_that_hold_all_of_them() -> None:
    draw = np.random.default_rng(1)
    x, y = draw.random(3000), draw.beta(2, 5, 3000)
    across, up, count, width = bin_points(x, y)
    assert count.sum() == 3000 and len(across) <= BOXES**2 and width < 1.01 / BOXES
    near = np.abs(across - x[0]) + np.abs(up - y[0])
    assert np.abs(across - x[0])[near.argmin()] <= width / 2 + 1e-12
    for k in range(0, len(across), 50):
        inside = (np.abs(x - across[k]) <= width / 2) & (np.abs(y - up[k]) <= width / 2)
        assert inside.sum() == count[k]
    assert bin_points(np.ones(500), np.ones(500))[2].tolist() == [500]


def test_grades_by_rank_are_means_over_the_orders_of_ties() -> None:
    grade = np.array([2.0, np.nan, 0.0, 1.0, 0.0])
    score = np.array([5.0, 5.0, 4.0, 9.0, 1.0])
    start = np.array([0, 3, 5])
    of = Judgements.from_grades(np.array([0, 2, 4]), np.array([2.0, 0.0, 1.0, 0.0]))
    one = Lists(start, grade, score, of, np.arange(5))
    [found, _] = iter_grades_by_rank(analysis(one, one))
    assert found.grades == (2.0, 1.0, 0.0, None)
    best, lower, none, unknown = (shares[:3] for shares in found.shares)
    assert best == (0.25, 0.25, 0.0)  # tied with the unjudged one, in one query of two
    assert lower == (0.5, 0.0, 0.0)
    assert none == (0.0, 0.5, 0.5)
    assert unknown == (0.25, 0.25, 0.0)
    assert found.shares[0][3:] == (0.0,) * 7


def test_shares_judged_count_queries_by_weight_and_none_without() -> None:
    judged, half = lists([1] * 10 + [3] * 10), lists([1] * 20, judged=5)
    weight = np.array([3.0] * 10 + [1.0] * 10)
    some = Lists(half.start, half.grade, half.score, half.judgements, half.name)
    some.grade[: 10 * 10] = judged.grade[: 10 * 10]  # all of the first ten queries were judged
    assert summarize_pool(some, 10)["judged"] == pytest.approx((10 * 1 + 10 * 0.5) / 20)
    [*of_weights] = iter_pools(analysis(some, judged, weight=weight))
    assert of_weights[0].judged == pytest.approx((30 * 1 + 10 * 0.5) / 40)
    [*of_some] = iter_pools(analysis(some, judged, weight=np.repeat([0.0, 1.0], 10)))
    assert (of_some[0].judged, of_some[0].documents) == (pytest.approx(0.5), 100)
