"""Precision by recall: the measures of that name, and every order of ties."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from tests.metrics import retrieval_definitions as definitions
from tests.metrics.curves.samples import resamples
from tests.metrics.curves.test_by_depth import queries


@pytest.mark.parametrize("params", [{}, {"relevant": 2.0, "no_relevant": "zero"}])
def test_heights_are_interpolated_precision_and_their_mean_is_that_of_eleven_points(params):
    rows, weight = queries(most=7, deepest=7), np.random.default_rng(2).exponential(1, 40)
    bound = CURVES["interpolated_precision"].use(**params).bind(rows, weight)
    for recall, height in zip(bound.grid, bound.estimate, strict=True):
        metric = METRICS["iprec"].use(recall=float(recall), **params).bind(rows)
        assert height == pytest.approx(metric.define(weight), rel=1e-12)
    whole = METRICS["eleven_point"].use(**params).bind(rows).define(weight)
    assert bound.trace(weight).marks["mean"] == pytest.approx(whole, rel=1e-12)


def test_raw_precision_is_the_mean_over_all_orders_of_tied_documents():
    rows = queries(n=12, most=6, deepest=6)
    found = CURVES["raw_precision"].use(levels=5)
    for k in range(12):
        lists = rows.lists.take(np.array([k]))
        judged = lists.judgements.grade.tolist()
        total = sum(g >= 1 for g in judged)
        if not total:
            continue
        grades = [None if np.isnan(g) else g for g in lists.grade]
        for at, recall in enumerate(np.arange(5) / 4):
            need = max(1, int(np.ceil(recall * total - 1e-9)))

            def raw(order, judged, need=need):
                places = [n for n, g in enumerate(order, 1) if g is not None and g >= 1]
                return need / places[need - 1] if len(places) >= need else 0.0

            want = definitions.expected(raw, grades, lists.score.tolist(), judged)
            own = found.bind(rows.take(np.array([k])), np.ones(1)).estimate[at]
            assert own == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("name", ["interpolated_precision", "raw_precision"])
def test_many_weightings_at_once_are_each_alone_and_in_bounds(name):
    rows = queries()
    bound, batch = CURVES[name].bind(rows, np.ones(40)), resamples(40)
    alone = [bound(Batch.from_weights(lane.astype(float)))[0] for lane in batch.weights.T]
    np.testing.assert_allclose(bound(batch), alone, rtol=0, atol=1e-13)
    assert bound(batch).min() >= 0 and bound(batch).max() <= 1
    assert name == "raw_precision" or (np.diff(bound.estimate) <= 1e-12).all()


def test_interpolation_only_adds():
    rows, weight = queries(), np.ones(40)
    marks = CURVES["interpolated_precision"].bind(rows, weight).trace(weight).marks
    assert 0 < marks["added"] < marks["mean"]


@pytest.mark.parametrize("levels", [1, 102])
def test_too_few_or_too_many_recalls_are_refused(levels):
    curve = CURVES["raw_precision"]
    assert "must be between 2 and 101" in curve.check(**{**curve.params, "levels": levels})
