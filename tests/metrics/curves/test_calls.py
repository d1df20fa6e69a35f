"""Curves of calls from each threshold on, and of the first calls: counts, ties, weights, bands."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes
from tests.metrics.curves.test_classes import drawn, rows_of

SWEPT = ("precision_by_threshold", "recall_by_threshold", "f_by_threshold")
ALL = (
    *SWEPT,
    "cost_by_threshold",
    "flagged_by_threshold",
    "decision_curve",
    "cumulative_gains",
    "cumulative_lift",
    "net_benefit_of_all",
)


@pytest.mark.parametrize("at", [0.01, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("digits", [1, 2, 8])
def test_calls_from_a_threshold_are_those_of_scikit_learn(digits, at):
    y, p, weight = drawn(digits=digits)
    grid = np.array([at])
    want = sk.precision_recall_fscore_support(
        y, p >= at, average="binary", sample_weight=weight, zero_division=np.nan
    )
    for name, value in zip(SWEPT, want, strict=False):
        found = CURVES[name].function(rows_of(y, p), Batch.from_weights(weight), grid)[0, 0]
        assert found == pytest.approx(value, rel=1e-12, nan_ok=True)


def test_the_decision_curve_is_the_net_benefit_at_each_threshold():
    y, p, weight = drawn(digits=2)
    rows = rows_of(y, p)
    bound = CURVES["decision_curve"].bind(rows, weight)
    each = [METRICS["net_benefit"].use(threshold=t).bind(rows).define(weight) for t in bound.grid]
    np.testing.assert_allclose(bound.estimate, each, rtol=1e-12, atol=1e-14)


def test_the_share_called_is_that_of_the_rows_from_each_threshold_on():
    y, p, weight = drawn(digits=2)
    bound = CURVES["flagged_by_threshold"].bind(rows_of(y, p), weight)
    each = [weight @ (p >= t) / weight.sum() for t in bound.grid]
    np.testing.assert_allclose(bound.estimate, each, rtol=1e-12)


def own_unit(seed=3, n=400, digits=1, costs=True):
    """Rows with a score of a unit of its own, most of it low, some weighing nothing."""
    draw = np.random.default_rng(seed)
    y = draw.random(n) < 0.3
    score = np.round(100 * np.exp(draw.normal(size=n) + y), digits)
    each = draw.random((n, 4)) * [1, 10, 50, 4]
    costs = each if costs else None
    rows = Classes(y.astype(int), score[:, None], ("0", "1"), "score", cell_costs=costs)
    return rows, draw.choice([0.0, 1.0, 2.5], n), each


def test_a_score_of_few_values_is_cut_at_each_that_weighs():
    rows, weight, _ = own_unit(digits=-2)
    bound = CURVES["recall_by_threshold"].bind(rows, weight)
    assert bound.grid.tolist() == sorted(set(rows.score.values[weight > 0]))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_score_of_many_values_is_cut_at_even_steps_and_at_hundredths_of_the_weight(seed):
    rows, weight, _ = own_unit(seed, 3000, 8)
    grid = CURVES["recall_by_threshold"].bind(rows, weight).grid
    held = np.sort(rows.score.values[weight > 0])
    assert len(grid) <= 200 and (grid[0], grid[-1]) == (held[0], held[-1])
    called = CURVES["flagged_by_threshold"].bind(rows, weight).estimate
    assert np.abs(np.diff(called)).max() < 0.011  # so that no stretch of rows is skipped
    for other in (7 * weight, weight / 3):
        np.testing.assert_array_equal(CURVES["f_by_threshold"].bind(rows, other).grid, grid)
    order = np.random.default_rng(0).permutation(3000)
    moved = Classes(rows.code[order], rows.scores[order], rows.labels, "score")
    np.testing.assert_array_equal(CURVES["f_by_threshold"].bind(moved, weight[order]).grid, grid)


def test_weight_two_cuts_a_score_as_the_row_twice():
    rows, _, _ = own_unit(5, 600, 8)
    count = np.random.default_rng(6).integers(0, 4, 600)
    twice = np.repeat(np.arange(600), count)
    doubled = Classes(rows.code[twice], rows.scores[twice], rows.labels, "score")
    one = CURVES["precision_by_threshold"].bind(rows, count.astype(float))
    other = CURVES["precision_by_threshold"].bind(doubled, np.ones(len(twice)))
    np.testing.assert_array_equal(one.grid, other.grid)
    np.testing.assert_allclose(one.estimate, other.estimate, rtol=1e-12)


@pytest.mark.parametrize("digits", [-2, 0, 8])
def test_calls_at_each_cut_of_a_score_are_those_of_scikit_learn(digits):
    rows, weight, _ = own_unit(4, 500, digits)
    for name, place in zip(SWEPT, range(3), strict=True):
        bound = CURVES[name].bind(rows, weight)
        want = [
            sk.precision_recall_fscore_support(
                rows.y.values,
                rows.score.values >= at,
                average="binary",
                sample_weight=weight,
                zero_division=np.nan,
            )[place]
            for at in bound.grid[::20]
        ]
        np.testing.assert_allclose(bound.estimate[::20], want, rtol=1e-12)


@pytest.mark.parametrize("digits", [-2, 8])
def test_the_cost_at_each_threshold_is_that_of_its_calls_row_by_row(digits):
    rows, weight, costs = own_unit(4, 300, digits)
    bound = CURVES["cost_by_threshold"].bind(rows, weight)
    y = rows.y.values.astype(int)
    for at, found in zip(bound.grid, bound.estimate, strict=True):
        cell = 2 * y + (rows.score.values >= at)  # TN, FP, FN, TP
        assert found == pytest.approx(weight @ costs[np.arange(300), cell] / weight.sum())


def test_without_costs_there_is_no_cost_at_a_threshold():
    rows, weight, _ = own_unit(costs=False)
    assert np.isnan(CURVES["cost_by_threshold"].bind(rows, weight).estimate).all()


@pytest.mark.parametrize("buckets", [2, 7, 10])
def test_positives_by_bucket_are_what_all_orders_of_tied_rows_give(buckets):
    y, p, weight = drawn(digits=1)
    bound = CURVES["positives_by_bucket"].use(buckets=buckets).bind(rows_of(y, p), weight)
    scores = np.unique(p)
    mass = np.append(0, np.cumsum([weight[p == s].sum() for s in scores]))
    held = np.append(0, np.cumsum([(weight * y)[p == s].sum() for s in scores]))
    edges = np.linspace(0, mass[-1], buckets + 1)
    each = np.diff(np.interp(edges, mass, held)) / np.diff(edges)
    np.testing.assert_allclose(bound.estimate, each, rtol=1e-9)
    marks = bound.trace(weight).marks
    assert marks["random"] == pytest.approx(weight @ y / weight.sum())
    rows = rows_of(y, p)
    slope = METRICS["binary_ranking_slope"].use(buckets=buckets).bind(rows).define(weight)
    assert slope == pytest.approx(np.polyfit(np.arange(buckets), each, 1)[0], rel=1e-9)


def test_calling_everybody_is_a_threshold_that_no_score_misses():
    y, p, weight = drawn()
    of_all = CURVES["net_benefit_of_all"].bind(rows_of(y, p), weight)
    sure = CURVES["decision_curve"].bind(rows_of(y, np.ones(len(y))), weight)
    np.testing.assert_allclose(of_all.estimate, sure.estimate, rtol=1e-12, atol=1e-14)
    shown = of_all.trace(weight)
    assert shown.y[0] == of_all.estimate[0] and len(shown.x) < len(of_all.grid)


@pytest.mark.parametrize("digits", [1, 8])
def test_cumulative_gains_catch_what_metrics_of_the_top_catch(digits):
    y, p, weight = drawn(digits=digits)
    rows = rows_of(y, p)
    bound = CURVES["cumulative_gains"].bind(rows, weight)
    area = bound.trace(weight).marks["area"]
    share = weight @ y / weight.sum()
    auc = METRICS["roc_auc"].bind(rows).define(weight)
    assert area == pytest.approx(share / 2 + (1 - share) * auc, rel=1e-12)
    order = np.argsort(-p, kind="stable")
    top = order[: round(0.2 * len(y))]
    if digits == 8:
        plain = CURVES["cumulative_gains"].bind(rows, np.ones(len(y)))
        assert plain.estimate[20] == pytest.approx(y[top].sum() / y.sum(), rel=1e-12)
    best = CURVES["best_cumulative_gains"].bind(rows, weight).estimate
    assert (best >= bound.estimate - 1e-12).all()
    np.testing.assert_allclose(best, np.minimum(bound.grid / share, 1), atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_a_batch_of_weightings_gives_what_each_gives_alone(name):
    y, p, weight = drawn()
    bound = CURVES[name].bind(rows_of(y, p), weight)
    count = np.random.default_rng(1).multinomial(len(y), np.full(len(y), 1 / len(y)), size=5)
    together = bound(Batch(count.T.astype(np.uint8), weight))
    for k, each in enumerate(count):
        np.testing.assert_allclose(
            together[k], bound(Batch.from_weights(each * weight))[0], atol=1e-12
        )


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("y", [np.zeros(5), np.ones(5), np.array([1.0])])
def test_one_class_stops_nothing(name, y):
    bound = CURVES[name].bind(rows_of(y, np.linspace(0, 1, len(y))), np.ones(len(y)))
    assert bound.estimate.shape == bound.grid.shape
    assert bound.trace(np.ones(len(y))).y is not None


@pytest.mark.parametrize("every, step", [(4, 0.01), (50, 0.001), (1000, 0.0001)])
def test_thresholds_are_fine_where_positives_are_rare(every, step):
    y = np.zeros(2000)
    y[::every] = 1.0
    grid = CURVES["decision_curve"].bind(rows_of(y, np.full(2000, 0.5)), np.ones(2000)).grid
    assert np.diff(grid).min() == pytest.approx(step)
    assert set(np.arange(1, 100) / 100) <= set(grid) and len(grid) <= 200
    assert step <= y.mean() / 5


def test_a_curve_is_drawn_as_far_as_calls_reach():
    y = np.zeros(4000)
    y[:40] = 1.0
    score = np.where(y > 0, 0.02, 0.001)
    score[:1] = 0.9  # one positive in 40 is called from there on
    score[50:53] = 0.6  # and three negatives, at odds of 1.5 to 1 worth four and a half positives
    for name in ("decision_curve", "brier_curve", "recall_by_threshold"):
        bound = CURVES[name].bind(rows_of(y, score), np.ones(4000))
        assert bound.trace(np.ones(4000)).marks["drawn_to"] == pytest.approx(0.61)
    calm = np.minimum(score, np.where(y > 0, 1.0, 0.001))
    bound = CURVES["brier_curve"].bind(rows_of(y, calm), np.ones(4000))
    assert bound.trace(np.ones(4000)).marks["drawn_to"] == pytest.approx(0.021)
