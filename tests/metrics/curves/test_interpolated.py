"""Precision over recall, raw and interpolated: by hand, by scikit-learn, in folds, without rows."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.analysis.curves import iter_curve_infos
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.folds import bind_curve_in_folds
from tests.metrics.curves.samples import resamples
from tests.metrics.curves.test_classes import drawn, rows_of

CURVE = CURVES["interpolated_precision_recall"]


def test_four_positives_by_hand():
    """Called from the top: +, -, +, +, -, -, +: precisions 1, 2/3, 3/4 and 4/7 of the positives."""
    rows, weight = rows_of(np.array([1, 0, 1, 1, 0, 0, 1]), np.linspace(0.9, 0.3, 7)), np.ones(7)
    trace = CURVE.bind(rows, weight).trace(weight)
    assert trace.x == pytest.approx([0, 1 / 4, 1 / 4, 2 / 4, 2 / 4, 3 / 4, 3 / 4, 1])
    assert trace.base == pytest.approx([1, 1, 2 / 3, 2 / 3, 3 / 4, 3 / 4, 4 / 7, 4 / 7])
    assert trace.y == pytest.approx([1, 1, 3 / 4, 3 / 4, 3 / 4, 3 / 4, 4 / 7, 4 / 7])
    assert trace.marks["added"] == pytest.approx((3 / 4 - 2 / 3) / 4)


@pytest.mark.parametrize("digits", [1, 2, 8])
def test_areas_are_those_of_scikit_learn_and_of_the_metric_of_that_name(digits):
    y, p, weight = drawn(digits=digits)
    weight[::7] = 0
    marks = CURVE.bind(rows_of(y, p), weight).trace(weight).marks
    precision, recall, _ = sk.precision_recall_curve(y, p, sample_weight=weight)
    best = np.maximum.accumulate(precision)  # it goes from many calls to few
    assert marks["raw"] == pytest.approx(sk.average_precision_score(y, p, sample_weight=weight))
    assert marks["interpolated"] == pytest.approx(-np.diff(recall) @ best[:-1], rel=1e-12)
    highest = METRICS["pr_auc"].use(interpolation="max").bind(rows_of(y, p)).define(weight)
    assert marks["interpolated"] == pytest.approx(highest, rel=1e-12)
    assert marks["added"] == pytest.approx(marks["interpolated"] - marks["raw"], abs=1e-15)


@pytest.mark.parametrize("digits", [1, 8])
def test_heights_are_the_highest_precision_of_as_many_calls_or_more(digits):
    y, p, weight = drawn(digits=digits)
    bound = CURVE.bind(rows_of(y, p), weight)
    cuts = np.unique(p)[::-1]
    called = p >= cuts[:, None]
    recall = called @ (weight * y) / (weight @ y)
    precision = called @ (weight * y) / (called @ weight)
    raw = CURVE.base(bound.rows, Batch.from_weights(weight), bound.grid)[0]
    for at, own, low in zip(bound.grid, bound.estimate, raw, strict=True):
        reached = recall >= at - 1e-12
        assert own == pytest.approx(precision[reached].max(), rel=1e-12)
        assert low == pytest.approx(precision[reached][0], rel=1e-12)


def test_a_long_curve_keeps_four_hundred_points_and_interpolation_only_adds():
    y, p, weight = drawn(n=20_000, digits=8)
    trace = CURVE.bind(rows_of(y, p), weight).trace(weight)
    assert len(trace.x) == len(trace.y) == len(trace.base) == 400
    assert np.all(trace.y >= trace.base) and np.all(np.diff(trace.y) <= 0)


def test_many_weightings_are_each_alone_and_seven_times_all_weights_changes_nothing():
    y, p, weight = drawn()
    bound, batch = CURVE.bind(rows_of(y, p), weight), resamples(len(y), weight=weight)
    alone = [bound(Batch.from_weights(lane))[0] for lane in batch.weights.T]
    assert bound(batch) == pytest.approx(np.array(alone), abs=1e-12)
    assert bound(Batch.from_weights(7 * weight))[0] == pytest.approx(bound.estimate, abs=1e-12)


@pytest.mark.parametrize("y", [np.zeros(5), np.array([0.0]), np.empty(0)])
def test_without_positives_there_is_none(y):
    weight = np.ones(len(y))
    bound = CURVE.bind(rows_of(y, np.linspace(0, 1, len(y))), weight)
    assert not np.isfinite(bound.estimate).any()
    assert not np.isfinite(bound.trace(weight).y).any()
    assert CURVE.undefined == "where no row is positive"


def test_of_folds_both_lines_are_means_of_the_folds():
    y, p, weight = drawn()
    fold = np.arange(len(y)) % 3
    rows = rows_of(y, p + fold)
    rows.fold = fold
    found = bind_curve_in_folds(CURVE, rows, weight).trace(weight)
    parts = [
        (CURVE.bind(rows_of(y[k], p[k]), weight[k]), weight[k])
        for k in (np.flatnonzero(fold == f) for f in range(3))
    ]
    share = np.array([each.sum() for _, each in parts]) / weight.sum()
    raw = [CURVE.base(bound.rows, Batch.from_weights(w), found.x)[0] for bound, w in parts]
    assert found.base == pytest.approx(share @ np.array(raw), abs=1e-12)
    assert found.y == pytest.approx(share @ np.array([b.estimate for b, _ in parts]), abs=1e-12)
    added = [bound.trace(w).marks["added"] for bound, w in parts]
    assert found.marks["added"] == pytest.approx(share @ np.array(added), abs=1e-12)


def test_it_is_drawn_on_request_without_a_band_each_model_by_itself():
    [info] = iter_curve_infos([CURVE])
    assert CURVE.is_on_request and not CURVE.has_band
    assert info.is_apart and info.base == "raw" and not info.is_compared
