"""Probability 0 given to what happened, where classes are many and where labels are."""

from math import log

import numpy as np
import pytest

from reportgen.metrics import METRICS
from reportgen.metrics.classification.probability import (
    CLIP,
    count_confident_mistakes,
    largest_clip,
)
from reportgen.metrics.rows import Classes, LabelSets

LEAST = -log(CLIP)


def test_a_class_that_had_no_chance_is_counted_by_its_row():
    p = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [1, 0, 0], [0.5, 0, 0.5]])
    rows = Classes(np.array([0, 0, 1, 1]), p, ("a", "b", "c"))
    count, share = count_confident_mistakes(rows, np.ones(4))
    assert (count, share) == (3, pytest.approx(3 * LEAST / (3 * LEAST + log(2))))
    assert count_confident_mistakes(rows, np.array([1.0, 0, 0, 0])) == (0, 0.0)


def test_labels_are_mistaken_where_one_is_there_at_0_or_missing_at_1():
    p = np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 0.5]])
    rows = LabelSets(np.array([[True, False], [True, False], [False, True]]), p, ("a", "b"))
    count, share = count_confident_mistakes(rows, np.ones(3))
    assert (count, share) == (2, pytest.approx(3 * LEAST / (3 * LEAST + 3 * log(2))))


def test_rows_below_a_clip_are_counted_and_hold_what_it_leaves_of_their_loss():
    p = np.array([0.0, 0.004, 0.01, 0.999])
    rows = Classes(np.array([1, 1, 1, 0]), p[:, None], ("0", "1"))
    count, share = count_confident_mistakes(rows, np.ones(4), 0.01)
    assert (count, share) == (3, pytest.approx(3 / 4))  # 0.01 itself is no less than the clip
    assert count_confident_mistakes(rows, np.ones(4))[0] == 1


def test_a_probability_that_is_all_but_zero_counts_as_one():
    p = np.array([[1e-13], [1e-11], [1 - 1e-13], [0.9]])
    rows = Classes(np.array([1, 1, 0, 0]), p, ("0", "1"))
    assert count_confident_mistakes(rows, np.ones(4))[0] == 2


def test_the_largest_clip_of_a_log_loss_that_is_asked_for_counts():
    asked = [METRICS["log_loss"].use(), METRICS["log_loss"].use(clip=1e-4)]
    assert largest_clip([*asked, METRICS["calibration_slope"].use(clip=0.1)]) == 1e-4
    assert largest_clip([METRICS["brier"].use()]) == CLIP


def test_one_probability_a_row_is_that_of_the_upper_class():
    rows = Classes(np.array([0, 0, 1, 1]), np.array([[0.1], [1.0], [0.0], [0.9]]), ("0", "1"))
    count, share = count_confident_mistakes(rows, np.ones(4))
    assert count == 2 and share > 0.9
