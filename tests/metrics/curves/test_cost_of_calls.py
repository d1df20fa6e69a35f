"""Curves of errors and of what they cost, against every threshold and scikit-learn's corners."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes

NAMES = ("det", "cumulative_cost", "cost_lines", "cost_of_one_call", "brier_curve")
N = 200
TN, FP, FN, TP = -1.0, 10.0, 70.0, 4.0


def drawn(seed=3):
    draw = np.random.default_rng(seed)
    y = (draw.random(N) < 0.3).astype(int)
    p = np.round(np.clip(0.25 * y + 0.75 * draw.random(N), 0, 1), 2)
    return y, p, draw.choice([0.0, 1.0, 2.0, 1.3], N)


def rows_of(y, p, costs=True):
    each = np.tile([TN, FP, FN, TP], (len(y), 1))
    each[:, 2] += np.arange(len(y)) % 5  # what is missed costs more on some rows
    costs = each if costs else None
    return Classes(y.astype(int), p[:, None], ("0", "1"), cell_costs=costs), each


@pytest.mark.parametrize("weighted", [False, True])
def test_det_is_what_scikit_learn_says_at_each_of_its_corners(weighted):
    y, p, weight = drawn()
    weight = weight if weighted else np.ones(N)
    fpr, fnr, _ = sk.det_curve(y, p, sample_weight=weight)
    bound = CURVES["det"].bind(rows_of(y, p)[0], weight)
    order = np.lexsort((-fnr, fpr))
    inside = (bound.grid > fpr.min()) & (bound.grid < fpr.max())
    expected = np.interp(bound.grid, fpr[order], fnr[order])
    np.testing.assert_allclose(bound.estimate[inside], expected[inside], atol=1e-9)
    trace = bound.trace(weight)
    corners = np.column_stack([fpr, fnr])
    drawn_at = np.column_stack([trace.x, trace.y])
    away = np.abs(corners[:, None] - drawn_at).max(axis=2).min(axis=1)
    assert away.max() < 1e-12


@pytest.mark.parametrize("weighted", [False, True])
def test_cost_lines_are_the_lowest_of_the_lines_of_all_thresholds(weighted):
    y, p, weight = drawn()
    weight = weight if weighted else np.ones(N)
    bound = CURVES["cost_lines"].bind(rows_of(y, p)[0], weight)
    lowest = np.full(len(bound.grid), np.inf)
    for t in [*np.unique(p), np.inf]:
        called = p >= t
        fnr = weight @ (~called & (y == 1)) / (weight @ y)
        fpr = weight @ (called & (y == 0)) / (weight @ (1 - y))
        lowest = np.minimum(lowest, fnr * bound.grid + fpr * (1 - bound.grid))
    np.testing.assert_allclose(bound.estimate, lowest, atol=1e-12)
    one = CURVES["cost_of_one_call"].bind(rows_of(y, p)[0], weight).estimate
    assert (bound.estimate <= one + 1e-12).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_cumulative_cost_is_that_of_the_calls_at_each_corner(weighted):
    y, p, weight = drawn()
    weight = weight if weighted else np.ones(N)
    rows, costs = rows_of(y, p)
    at, expected = [0.0], [weight @ np.where(y == 1, costs[:, 2], costs[:, 0])]
    for t in np.unique(p)[::-1]:
        cell = 2 * y + (p >= t)  # TN, FP, FN, TP
        at.append(weight @ (p >= t) / weight.sum())
        expected.append(weight @ costs[np.arange(N), cell])
    bound = CURVES["cumulative_cost"].bind(rows, weight)
    between = np.interp(bound.grid, at, np.array(expected) / weight.sum())
    np.testing.assert_allclose(bound.estimate, between, atol=1e-9)
    marks = bound.trace(weight).marks
    assert marks["nobody"] == pytest.approx(expected[0] / weight.sum())
    assert marks["everybody"] == pytest.approx(expected[-1] / weight.sum())


def test_without_costs_there_is_no_cumulative_cost():
    y, p, weight = drawn()
    bound = CURVES["cumulative_cost"].bind(rows_of(y, p, costs=False)[0], weight)
    assert np.isnan(bound.estimate).all() and not bound.trace(weight).marks


def test_the_area_below_the_brier_curve_is_the_brier_score():
    y, p, weight = drawn()
    rows = rows_of(y, p)[0]
    fine = (np.arange(20_000) + 0.5) / 20_000
    area = CURVES["brier_curve"].function(rows, Batch.from_weights(weight), fine)[0].mean()
    expected = sk.brier_score_loss(y, p, sample_weight=weight)
    assert area == pytest.approx(expected, abs=1e-4)
    assert CURVES["brier_curve"].bind(rows, weight).trace(weight).marks["area"] == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_weightings_gives_what_each_gives_alone(name):
    y, p, weight = drawn()
    bound = CURVES[name].bind(rows_of(y, p)[0], weight)
    count = np.random.default_rng(1).multinomial(N, np.full(N, 1 / N), size=5)
    together = bound(Batch(count.T.astype(np.uint8), weight))
    for k, each in enumerate(count):
        np.testing.assert_allclose(
            together[k], bound(Batch.from_weights(each * weight))[0], atol=1e-12
        )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("y", [np.zeros(5), np.ones(5), np.array([1.0])])
def test_one_class_stops_nothing(name, y):
    bound = CURVES[name].bind(rows_of(y, np.linspace(0, 1, len(y)))[0], np.ones(len(y)))
    assert bound.estimate.shape == bound.grid.shape
    assert bound.trace(np.ones(len(y))).y is not None


@pytest.mark.parametrize("positive", [0.0, 1.0])
def test_a_class_that_no_row_has_leaves_its_price_open_not_unknown(positive):
    n = 10
    costs = np.tile([0.0, 10.0, 200.0, 5.0], (n, 1))  # TN, FP, FN, TP
    y = np.full(n, positive)
    rows = Classes(
        y.astype(np.intp),
        np.linspace(0, 1, n)[:, None],
        ("0", "1"),
        cell_costs=costs,
    )
    bound = CURVES["cumulative_cost"].bind(rows, np.ones(n))
    found = CURVES["cumulative_cost"].unseen(rows, np.ones(n), bound.grid)
    assert all(np.isfinite(each).all() for each in (found.error, found.below, found.above))
    # Nobody is called: rows of the class at hand cost 0 or 200, and two rows more of each price.
    own = 200.0 * positive
    above = sum(max(price - own, 0.0) for price in (5.0, 200.0, 10.0, 0.0))
    assert found.above[0] == pytest.approx(2 / (n + 8) * above)
