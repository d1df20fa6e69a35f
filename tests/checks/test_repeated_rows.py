"""Rows that repeat each other, or hold the sum of all others, and copies of the target."""

import numpy as np

from reportgen.checks.leaks import (
    ScoreColumns,
    count_repeats,
    find_copies,
    find_doubled,
    find_target_copy,
    identify_rows,
)
from reportgen.kernels.batch import Column

DRAW = np.random.default_rng(3)
Y = np.round(DRAW.gamma(1, 50, 60), 2)
SCORE = Y * np.exp(0.3 * DRAW.normal(size=60))


def doubled(*columns):
    found = find_doubled(count_repeats(identify_rows(columns)))
    return found and found.numbers


def test_equal_rows_have_one_number_and_the_order_of_columns_counts():
    a, b = np.array([1.0, 1, 2, -0.0]), np.array([2.0, 2, 1, 0])
    found = identify_rows([a, b])
    assert found[0] == found[1] and len(set(found)) == 3
    assert identify_rows([np.array([0.0])]) == identify_rows([np.array([-0.0])])


def test_rows_that_all_occur_twice_or_three_times_are_doubled():
    assert doubled(Y, SCORE) is None
    for times in (2, 3):
        found = doubled(np.tile(Y, times), np.tile(SCORE, times))
        assert found == {"times": times, "distinct": 60, "rows": 60 * times}
    assert doubled(np.r_[Y, Y, Y[:1]], np.r_[SCORE, SCORE, SCORE[:1]]) is None
    assert doubled(np.tile(Y[:19], 2), np.tile(SCORE[:19], 2)) is None, "too few that differ"


def copies(y, *scores):
    found = find_copies(ScoreColumns(Column(y), scores, len(y)))
    return found and found.numbers


def test_copied_rows_are_found_where_the_target_is_rare():
    again = np.r_[Y, Y[:20]], np.r_[SCORE, SCORE[:20]]
    assert copies(*again) == {"copied": 40, "rare": 80, "share": 0.5}
    assert copies(Y, SCORE) is None
    assert copies(np.round(again[0] / 100), again[1]) is None, "no rare target"
    coarse = np.round(again[1] / 50)
    assert copies(again[0], coarse) is None, "scores that are equal on most rows say nothing"


def target_copy(y, score):
    found = find_target_copy(Column(y), Column(score))
    return found and found.numbers


def test_the_target_or_its_exact_order_is_found():
    assert target_copy(Y, Y) == {"equal": 58, "others": 58}
    assert target_copy(Y, np.log1p(Y)) == {"equal": 0, "others": 58}
    assert target_copy(Y, -Y) == {"equal": 0, "others": 58}
    assert target_copy(Y, SCORE) is None
    assert target_copy(np.arange(19.0), np.arange(19.0)) is None, "too few values"


def test_a_copy_is_one_where_only_the_commonest_value_differs():
    y = np.r_[np.zeros(100), Y]
    score = np.r_[np.arange(100.0), Y]
    assert target_copy(y, score) == {"equal": 60, "others": 60}
    score[100:102] += 1
    assert target_copy(y, score) is None, "58 of 60 are under 99%"
