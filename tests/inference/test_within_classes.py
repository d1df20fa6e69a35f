"""What a class of few rows, none of which differs from another, leaves unknown."""

import numpy as np
import pytest

from reportgen.inference.sampling_distribution import estimate_unseen_variance
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes


def bound(code, called, name="multiclass_balanced_accuracy"):
    scores = np.eye(3)[called]
    rows = Classes(np.array(code), scores, ("a", "b", "c"))
    return METRICS[name].bind(rows)


@pytest.mark.parametrize("called", [0, 2])
def test_one_row_of_a_class_moves_its_share_of_the_mean_over_classes(called):
    code = [0] * 40 + [1] * 40 + [2] * 4
    found = bound(code, [0] * 40 + [1] * 40 + [called] * 4)
    np.testing.assert_allclose(found.one_row_more(np.ones(84)), [1 / 120, 1 / 120, 1 / 12])


@pytest.mark.parametrize("called", [0, 1])
def test_one_call_moves_its_share_of_the_mean_precision(called):
    code = [0] * 38 + [1] * 2 + [2] * 40
    found = bound(code, [0] * 38 + [called] * 2 + [2] * 40, "multiclass_precision")
    moves = found.one_row_more(np.ones(80), by_call=True)
    # Each class has a third of the mean, and loses half of its precision: of two calls, or none.
    assert moves[1] == pytest.approx(1 / 6 if called else 0.0)


def test_the_last_row_of_a_class_is_not_taken_from_it():
    found = bound([0] * 5 + [1], [0] * 5 + [1], "multiclass_precision")
    assert found.one_row_more(np.ones(6), by_call=True)[1] == 0.0


def test_a_class_that_no_row_is_of_stays_out_of_the_mean():
    found = bound([0] * 5 + [1] * 5, [0] * 4 + [2] + [1] * 4 + [2], "multiclass_f")
    assert found.one_row_more(np.ones(10), by_call=True)[2] == 0.0


def test_weights_and_squares_of_cells_say_what_those_of_rows_say():
    draw = np.random.default_rng(5)
    code, called, weight = draw.integers(0, 3, 60), draw.integers(0, 3, 60), draw.gamma(2, 1, 60)
    cell = 3 * code + called
    was, of = np.divmod(np.arange(9), 3)
    sums = [np.bincount(cell, each, 9) for each in (weight, weight**2)]
    for by_call in (False, True):
        np.testing.assert_allclose(
            bound(was, of).one_row_more(*sums, by_call=by_call),
            bound(code, called).one_row_more(weight, by_call=by_call),
        )


def test_a_group_that_shows_as_much_itself_adds_nothing():
    group, moves = np.array([0, 0, 1, 1]), np.array([0.1, 0.1])
    assert (
        estimate_unseen_variance(group, np.array([0.1, -0.1, 0.2, -0.2]), np.ones(4), moves) == 0.0
    )
    silent = np.array([0.1, -0.1, 0.0, 0.0])
    assert estimate_unseen_variance(group, silent, np.ones(4), moves) == pytest.approx(0.01)
    # What differs by its weight alone differs by no more than rounding.
    weight = np.array([1.0, 1.0, 1.0, 3.0])
    assert estimate_unseen_variance(group, 0.2 * weight, weight, moves) == pytest.approx(0.02)
