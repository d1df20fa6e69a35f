"""Statistics of all models at once: who is lowest, and where limits cross zero."""

import numpy as np
import pytest

from reportgen.analysis.curves import compute_ever_win_shares, compute_win_shares, find_sign_ranges


def test_shares_of_the_lowest_add_up_to_one():
    drawn = np.random.default_rng(0).normal(size=(4, 500))
    assert compute_win_shares(drawn).sum() == pytest.approx(1)


def test_a_tie_is_divided():
    assert compute_win_shares(np.zeros((2, 10))) == pytest.approx([0.5, 0.5])


def test_replicates_that_one_model_lacks_are_left_out():
    drawn = np.array([[1.0, np.nan, 1.0], [2.0, 0.0, 2.0]])
    assert compute_win_shares(drawn) == pytest.approx([1, 0])
    assert np.isnan(compute_win_shares(np.full((2, 3), np.nan))).all()


def test_a_model_is_ever_lowest_where_it_is_so_at_one_point():
    curves = [np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])]
    assert compute_ever_win_shares(lambda k: curves[k], 2) == pytest.approx([1, 0.5])


def test_limits_that_hold_zero_everywhere_give_one_range():
    x = np.linspace(0, 1, 5)
    (found,) = find_sign_ranges(x, np.full(5, -1.0), np.full(5, 1.0))
    assert (found.low, found.high, found.sign) == (0.0, 1.0, 0)


def test_a_difference_may_leave_zero_and_come_back():
    x = np.linspace(0, 1, 101)
    centre = (x - 0.3) * (x - 0.7)
    found = find_sign_ranges(x, centre - 0.01, centre + 0.01)
    assert [r.sign for r in found] == [1, 0, -1, 0, 1]
    assert found[1].low < 0.3 < found[1].high and found[3].low < 0.7 < found[3].high


def test_points_with_few_rows_take_no_part():
    x = np.linspace(0, 1, 11)
    found = find_sign_ranges(
        x, np.ones(11), np.full(11, 2.0), np.minimum(np.arange(11), np.arange(11)[::-1]) * 10
    )
    assert [(r.low, r.high, r.sign) for r in found] == [(pytest.approx(0.1), pytest.approx(0.9), 1)]


def test_no_limits_give_no_range():
    x = np.linspace(0, 1, 4)
    assert find_sign_ranges(x, np.full(4, np.nan), np.full(4, np.nan)) == []


def test_limits_that_are_zero_themselves_say_nothing():
    x = np.linspace(0, 1, 4)
    assert [r.sign for r in find_sign_ranges(x, np.zeros(4), np.zeros(4))] == [0]
