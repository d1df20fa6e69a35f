"""Amounts in another unit, and probabilities that are labels."""

import numpy as np
import pytest

from reportgen.checks.scales import find_hard_labels, find_scale
from reportgen.kernels.batch import Column

DRAW = np.random.default_rng(8)
X, E = DRAW.normal(size=(2, 200))
PRICE, SCORE = np.exp(11.9 + 0.45 * X + 0.3 * E), 1.04 * np.exp(11.9 + 0.45 * X)


def scale(y, score):
    found = find_scale(Column(y), Column(score))
    return found and found.numbers


@pytest.mark.parametrize(
    ("change", "transform"),
    [
        (np.log, "exp"),
        (lambda v: 100 * v, "{times: 0.01}"),
        (lambda v: v / 1000, "{times: 1000}"),
        (lambda v: (v - v.mean()) / v.std(), None),
    ],
)
def test_another_unit_is_found_and_its_transform_named(change, transform):
    found = scale(PRICE, change(SCORE))
    assert found["transform"] == (transform or "")
    assert found["y_median"] == pytest.approx(np.median(PRICE))
    if transform:
        assert found["median"] == pytest.approx(np.median(SCORE), rel=1e-3)


def test_amounts_with_zeros_have_a_logarithm_of_one_more():
    y = np.where(X > -1, PRICE, 0)
    assert scale(y, np.log1p(np.where(X > -1, SCORE, 0)))["transform"] == "expm1"


def test_degrees_of_another_scale_are_found_without_a_transform():
    celsius = 15 + 8 * X
    found = scale(celsius + 2 * E, 1.8 * celsius + 32)
    assert found["transform"] == "" and found["median"] is None


@pytest.mark.parametrize("factor", [0.75, 1, 1.3, 2])
def test_a_level_that_is_only_off_is_no_other_scale(factor):
    assert scale(PRICE, factor * SCORE) is None


def test_of_a_weak_model_amounts_that_are_too_large_are_found_and_small_ones_are_not():
    weak = np.exp(11.9 + 0.1 * (0.3 * X + DRAW.normal(size=200)))
    assert scale(PRICE, weak) is None
    assert scale(PRICE, 100 * weak)["spearman"] < 0.35
    assert scale(PRICE, weak / 100) is None, "a weak model may predict amounts near 0"


def test_without_correlation_nothing_is_said():
    assert scale(PRICE, 100 * PRICE[::-1]) is None
    assert scale(PRICE[:19], 100 * SCORE[:19]) is None, "too few rows"


def test_probabilities_of_zero_and_one_alone_are_labels():
    hard = np.array([0.0, 1.0] * 10)[:, None]
    assert find_hard_labels(hard).numbers["ones"] == 10
    assert find_hard_labels(hard[:19]) is None
    assert find_hard_labels(np.ones((20, 1))) is None
    soft = np.tile(hard, (3, 1))
    soft[-1] = 0.5
    assert find_hard_labels(soft) is None
