"""Probability 0 given to what happened, where classes are many and where labels are."""

from math import log

import numpy as np
import pytest

from reportgen.metrics.classes.sure_mistakes import sure_mistakes
from reportgen.metrics.probability import CLIP
from reportgen.rows import Classes, LabelSets

LEAST = -log(CLIP)


def test_a_class_that_had_no_chance_is_counted_by_its_row():
    p = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [1, 0, 0], [0.5, 0, 0.5]])
    rows = Classes(np.array([0, 0, 1, 1]), p, ("a", "b", "c"))
    count, share = sure_mistakes(rows, np.ones(4))
    assert (count, share) == (3, pytest.approx(3 * LEAST / (3 * LEAST + log(2))))
    assert sure_mistakes(rows, np.array([1.0, 0, 0, 0])) == (0, 0.0)


def test_labels_are_mistaken_where_one_is_there_at_0_or_missing_at_1():
    p = np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 0.5]])
    rows = LabelSets(np.array([[True, False], [True, False], [False, True]]), p, ("a", "b"))
    count, share = sure_mistakes(rows, np.ones(3))
    assert (count, share) == (2, pytest.approx(3 * LEAST / (3 * LEAST + 3 * log(2))))
