"""What measures of classes are of each other, under weights and ties."""

import numpy as np
import pytest

from reportgen import metrics
from reportgen.metrics.curves import CURVES
from reportgen.metrics.lookup import find_metric
from reportgen.metrics.rows import Classes

SEEDS = pytest.mark.parametrize("seed", range(5))


def drawn(seed, n=120, classes=2):
    """Classes, tied probabilities of each, and weights of which some are 0."""
    draw = np.random.default_rng(seed)
    code = draw.integers(0, classes, n)
    raw = np.round(draw.random((n, classes)) + 0.6 * np.eye(classes)[code], 1) + 0.1
    return code, raw / raw.sum(axis=1, keepdims=True), draw.choice([0.0, 1.0, 2.0, 1.3], n)


@SEEDS
def test_f_is_twice_the_jaccard_index_over_one_more_than_that(seed):
    y, p, weight = drawn(seed)
    j = metrics.jaccard(y, p[:, 1], weight)
    assert metrics.f(y, p[:, 1], weight) == pytest.approx(2 * j / (1 + j), rel=1e-12)


@SEEDS
def test_the_micro_mean_of_f_is_the_accuracy(seed):
    code, p, weight = drawn(seed, classes=4)
    rows = Classes(code, p, tuple("abcd"))
    micro, accuracy = (
        find_metric(name, "multiclass", **how).bind(rows).define(weight)
        for name, how in (("f", {"average": "micro"}), ("accuracy", {}))
    )
    assert micro == pytest.approx(accuracy, rel=1e-12)


@SEEDS
@pytest.mark.parametrize("loss", ["brier", "log_loss"])
def test_a_loss_is_what_is_miscalibrated_less_what_is_told_apart_plus_that_of_a_constant(
    seed, loss
):
    y, p, weight = drawn(seed)
    wrong, told = (
        metrics.make_array_function(name)(y, p[:, 1], weight, loss=loss)
        for name in ("miscalibration", "discrimination")
    )
    of_loss = metrics.make_array_function(loss)
    constant = of_loss(y, np.full(len(y), np.average(y, weights=weight)), weight)
    assert wrong - told + constant == pytest.approx(of_loss(y, p[:, 1], weight), rel=1e-12)


@SEEDS
def test_no_place_of_the_roc_curve_lies_above_the_hull_that_costs_see(seed):
    y, p, weight = drawn(seed)
    rows = Classes(y, p, ("0", "1"))
    roc = CURVES["roc"].bind(rows, weight).trace(weight)
    lines = CURVES["cost_lines"].bind(rows, weight)
    for x, least in zip(lines.grid, lines.estimate, strict=True):
        costs = x * (1 - roc.y) + (1 - x) * roc.x
        assert least == pytest.approx(costs.min(), abs=1e-9)
