"""Models without error, or without error where they are certain."""

import numpy as np
from scipy.special import expit

from reportgen.checks.leaks import (
    Errors,
    count_errors_at_best,
    find_certain_part,
    find_too_good,
    measure_certainty,
)
from reportgen.kernels.batch import Column


def too_good(*errors, **named):
    return find_too_good(Errors(*errors, **named)) is not None


def test_errors_are_counted_at_the_threshold_that_divides_best():
    def count(y, score):
        return count_errors_at_best(Column(np.array(y, float)), Column(np.array(score, float)))

    assert count([0, 0, 1, 1], [1, 2, 3, 4]) == 0
    assert count([0, 1, 0, 1], [1, 2, 3, 4]) == 1
    assert count([1, 1, 0], [1, 2, 3]) == 1, "all are flagged"
    assert count([0, 1, 1, 0], [1, 1, 2, 2]) == 2, "equal scores cannot be divided"


def test_many_rows_without_error_are_too_good():
    assert too_good(2000, 400, 30, auc=0.9991) and not too_good(2000, 400, 30, auc=0.999)
    assert not too_good(2000, 399, 30, auc=0.9991)
    assert too_good(600, 100, 1, auc=0.99) and not too_good(600, 100, 2, auc=0.99)
    assert not too_good(600, 99, 0, auc=1.0)
    assert too_good(400, 90, 0) and not too_good(400, 90, 1) and not too_good(399, 90, 0)


def draw_model(n=600, share=0.3, apart=1.5):
    draw = np.random.default_rng(6)
    code = (draw.random(n) < share).astype(int)
    x = apart * (code - 0.5) + draw.normal(size=n)
    return code, expit(apart * x + np.log(share / (1 - share)))


def certain_part(code, p):
    found = find_certain_part(measure_certainty(code, p))
    return found and found.numbers


def test_a_model_that_knows_a_quarter_of_the_rows_is_found():
    code, p = draw_model()
    assert certain_part(code, p[:, None]) is None
    known = np.arange(600) % 4 == 0
    leaked = np.where(known, np.where(code > 0, 0.998, 0.002), p)
    found = certain_part(code, leaked[:, None])
    assert found["certain"] == np.count_nonzero(known & (code > 0)) and found["mistakes"] == 0
    assert 0.25 <= found["share"] < 0.3
    swapped = certain_part(1 - code, 1 - leaked[:, None])
    assert swapped["certain"] == found["certain"], "the rarer class is looked at"


def test_one_that_is_certain_and_wrong_is_not():
    code, p = draw_model()
    certain = np.where(np.arange(600) % 4 == 0, np.where(code > 0, 0.998, 0.002), p)
    certain[np.flatnonzero(code == 0)[:3]] = 0.998
    assert certain_part(code, certain[:, None]) is None


def test_a_strong_model_is_not_and_several_classes_are_looked_at():
    for apart in (2, 3, 4, 6):
        code, p = draw_model(3000, 0.3, apart)
        assert certain_part(code, p[:, None]) is None
    code, p = draw_model(share=0.5, apart=1)
    both = np.where(np.arange(600) % 4 == 0, np.where(code > 0, 0.998, 0.002), p)
    assert certain_part(code, np.stack([1 - both, both], axis=1))["share"] >= 0.25
