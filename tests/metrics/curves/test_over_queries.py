"""The ROC curve over queries: scikit-learn's of each query, and the area that a metric has."""

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from tests.metrics.curves.samples import resamples
from tests.metrics.curves.test_by_depth import queries


def test_heights_are_means_of_the_curves_of_scikit_learn():
    """With ties, and as the upper end where a curve rises straight up."""
    rows = queries(n=30)
    bound, heights = CURVES["query_roc"].bind(rows, np.ones(30)), []
    for k in range(30):
        lists = rows.lists.take(np.array([k]))
        known = ~np.isnan(lists.grade)
        is_right = lists.grade[known] >= 1
        if 0 < is_right.sum() < len(is_right):
            x, y, _ = roc_curve(is_right, lists.score[known], drop_intermediate=False)
            heights.append(np.interp(bound.grid + 1e-9, x, y))
    assert len(heights) > 15
    np.testing.assert_allclose(bound.estimate, np.mean(heights, axis=0), rtol=0, atol=1e-6)


@pytest.mark.parametrize("params", [{}, {"relevant": 2.0, "no_relevant": "zero"}, {"ties": "trec"}])
def test_the_area_is_the_mean_auc_of_a_query(params):
    rows, weight = queries(), np.random.default_rng(2).exponential(1, 40)
    bound = CURVES["query_roc"].use(**params).bind(rows, weight)
    area = bound.trace(weight).marks["area"]
    mean = METRICS["query_auc"].use(**params).bind(rows).define(weight)
    assert area == pytest.approx(mean, rel=1e-12)
    fine = np.linspace(0, 1, 5001)
    height = bound.statistic.function(
        rows, Batch.from_weights(weight), fine, **bound.statistic.params
    )[0]
    assert np.trapezoid(height, fine) == pytest.approx(mean, abs=5e-4)


def test_many_weightings_at_once_are_each_alone_and_rise_to_one():
    rows = queries()
    bound, batch = CURVES["query_roc"].bind(rows, np.ones(40)), resamples(40)
    alone = [bound(Batch.from_weights(lane.astype(float)))[0] for lane in batch.weights.T]
    np.testing.assert_allclose(bound(batch), alone, rtol=0, atol=1e-13)
    assert (np.diff(bound.estimate) >= -1e-12).all() and bound.estimate[-1] == pytest.approx(1)


def test_without_two_kinds_of_documents_there_is_no_curve():
    rows = queries(n=1)  # the first query has no relevant document
    bound = CURVES["query_roc"].bind(rows, np.ones(1))
    assert np.isnan(bound.estimate).all() and np.isnan(bound.trace(np.ones(1)).marks["area"])
