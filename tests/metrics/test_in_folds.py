"""Metrics on rows of several folds: what is a mean over folds, and what is not."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.folds import FoldMetric, bind_metric, is_metric_within_folds
from reportgen.metrics.rows import Amounts, Classes, LabelSets

DRAW = np.random.default_rng(15)
N = 60
FOLD = np.arange(N) % 3
Y = (DRAW.random(N) < 0.4).astype(np.intp)
P = np.clip(0.3 * Y + DRAW.random(N) * 0.6, 0.01, 0.99)
WEIGHT = 0.5 + DRAW.random(N)
ORDERS = [m for m in METRICS.values() if m.task == "binary" and is_metric_within_folds(m)]
BY_RANK = [m for m in ORDERS if m.needs == "order"]
COUNTS = [m for m in METRICS.values() if m.task == "binary" and not is_metric_within_folds(m)]


def two_classes(p=P, fold=FOLD):
    rows = Classes(Y, p[:, None], ("0", "1"))
    rows.fold = fold
    return rows


def test_auc_is_the_mean_of_the_folds_by_their_weight():
    # Fold 0: 3 of 4 pairs in order. Fold 1: 1 of 1, with half the rows.
    rows = Classes(
        np.array([0, 0, 1, 1, 0, 1]), np.array([[0.1, 0.4, 0.3, 0.9, 0.2, 0.8]]).T, ("0", "1")
    )
    rows.fold = np.array([0, 0, 0, 0, 1, 1])
    bound = bind_metric(METRICS["roc_auc"], rows)
    assert bound(Batch.from_weights(np.ones(6)))[0] == pytest.approx((4 * 3 / 4 + 2 * 1) / 6)


@pytest.mark.parametrize("metric", BY_RANK, ids=lambda m: m.name)
def test_no_order_goes_across_folds(metric):
    raised = two_classes(P + 10.0 * FOLD)
    plain = bind_metric(metric, two_classes())(Batch.from_weights(WEIGHT))
    assert bind_metric(metric, raised)(Batch.from_weights(WEIGHT)) == pytest.approx(
        plain, nan_ok=True
    )


@pytest.mark.parametrize("metric", COUNTS, ids=lambda m: m.name)
def test_counts_and_means_are_found_of_all_rows(metric):
    alone = two_classes(fold=None)
    expected = metric.bind(alone)(Batch.from_weights(WEIGHT))
    assert bind_metric(metric, two_classes())(Batch.from_weights(WEIGHT)) == pytest.approx(
        expected, nan_ok=True
    )


def test_order_and_the_fit_of_probabilities_are_means_over_folds():
    assert {"roc_auc", "average_precision", "calibration_slope"} <= {m.name for m in ORDERS}
    assert {"log_loss", "brier", "f", "accuracy"} <= {m.name for m in COUNTS}
    assert is_metric_within_folds(METRICS["kendall"]) and is_metric_within_folds(METRICS["pearson"])
    assert not is_metric_within_folds(METRICS["mae"]) and not is_metric_within_folds(
        METRICS["rmse"]
    )


@pytest.mark.parametrize("metric", ORDERS, ids=lambda m: m.name)
def test_values_of_many_weightings_are_those_of_the_definition(metric):
    bound = bind_metric(metric, two_classes())
    count = DRAW.multinomial(N, np.full(N, 1 / N), size=3).T.astype(np.uint8)
    found = bound(Batch(count, WEIGHT))
    expected = [bound.define(count[:, k] * WEIGHT) for k in range(3)]
    assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "calibration_slope", "gini"])
def test_influence_is_the_slope_in_each_weight(name):
    bound = bind_metric(METRICS[name], two_classes())
    phi, step = bound.influence(WEIGHT), 1e-6
    for row in (0, 7, 31):
        moved = WEIGHT.copy()
        moved[row] += step
        slope = (bound(Batch.from_weights(moved))[0] - bound(Batch.from_weights(WEIGHT))[0]) / step
        assert phi[row] == pytest.approx(slope * WEIGHT.sum(), rel=1e-3, abs=1e-3)


def test_a_fold_without_a_value_is_left_out_of_value_and_influence():
    y = np.array([0, 1, 0, 1, 0, 0], np.intp)
    rows = Classes(y, np.array([[0.1, 0.8, 0.6, 0.4, 0.3, 0.2]]).T, ("0", "1"))
    rows.fold = np.array([0, 0, 1, 1, 2, 2])
    bound = bind_metric(METRICS["roc_auc"], rows)
    assert bound(Batch.from_weights(np.ones(6)))[0] == pytest.approx((2 * 1 + 2 * 0) / 4)
    assert np.all(bound.influence(np.ones(6))[4:] == 0)


def test_a_value_without_a_row_is_found_again_in_its_folds():
    rows = two_classes()
    some = rows.take(np.arange(1, N))
    assert np.array_equal(some.fold, FOLD[1:])
    zero = WEIGHT.copy()
    zero[0] = 0
    without = bind_metric(METRICS["roc_auc"], some)(Batch.from_weights(WEIGHT[1:]))
    assert without == pytest.approx(bind_metric(METRICS["roc_auc"], rows)(Batch.from_weights(zero)))


def test_amounts_of_two_fits_are_not_ranked_together():
    y = DRAW.normal(size=N)
    rows = Amounts(y, y + DRAW.normal(size=N))
    raised = Amounts(y, rows.score.values + 5.0 * FOLD)
    rows.fold = raised.fold = FOLD
    for name in ("kendall", "spearman", "pearson"):
        values = [
            bind_metric(METRICS[name], each)(Batch.from_weights(WEIGHT))[0]
            for each in (rows, raised)
        ]
        assert values[0] == pytest.approx(values[1])
    assert isinstance(bind_metric(METRICS["kendall"], rows), FoldMetric)


def test_other_folds_are_other_replicates_in_the_cache():
    other = two_classes(fold=(FOLD + 1) % 2)
    names = {bind_metric(METRICS["roc_auc"], each).identity for each in (two_classes(), other)}
    assert len(names) == 2


def test_of_one_label_the_classes_are_those_of_the_label():
    carried = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]], dtype=bool)
    scores = np.array([[0.9, 0.2], [0.3, 0.8], [0.7, 0.6], [0.4, 0.1], [0.6, 0.3], [0.2, 0.7]])
    fold = np.array([0, 0, 0, 1, 1, 1])
    rows = LabelSets(carried, scores, ("a", "b"))
    rows.fold = fold
    bound = bind_metric(METRICS["multilabel_roc_auc"].use(of="b"), rows)
    assert isinstance(bound, FoldMetric)
    assert bound.classes().tolist() == carried[:, 1].tolist()
