"""What a class of few rows, none of which differs from another, leaves unknown."""

import numpy as np
import pytest

from reportgen.inference.within_classes import unseen
from reportgen.metrics import METRICS
from reportgen.rows import Classes


def bound(code, called, name="multiclass_balanced_accuracy"):
    scores = np.eye(3)[called]
    rows = Classes(np.array(code), scores, ("a", "b", "c"))
    return METRICS[name].bind(rows)


@pytest.mark.parametrize("called", [0, 2])
def test_one_row_of_a_class_moves_its_share_of_the_mean_over_classes(called):
    code = [0] * 40 + [1] * 40 + [2] * 4
    found = bound(code, [0] * 40 + [1] * 40 + [called] * 4)
    np.testing.assert_allclose(found.one_row_more(np.ones(84)), [1 / 120, 1 / 120, 1 / 12])


def test_a_class_that_shows_as_much_itself_adds_nothing():
    code, moves = np.array([0, 0, 1, 1]), np.array([0.1, 0.1])
    assert OneRowMore(code, moves).unseen(np.array([0.1, -0.1, 0.2, -0.2])) == 0.0
    silent = OneRowMore(code, moves).unseen(np.array([0.1, -0.1, 0.0, 0.0]))
    assert silent == pytest.approx(0.01)
    wider = OneRowMore(code, moves).beside(OneRowMore(code, np.array([0.0, 0.3])))
    assert wider.moves.tolist() == [0.1, 0.3]
