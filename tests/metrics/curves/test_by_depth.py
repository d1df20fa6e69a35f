"""Measures by depth: the metric at every rank, its weights, how far down they go."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Queries
from tests.metrics.curves.samples import resamples

OF = {
    "ndcg_at_k": (
        "ndcg",
        {},
        {"gain": "exp2"},
        {"ideal": "retrieved"},
        {"base": 3.0},
        {"discount": "original", "base": 4.0},
    ),
    "recall_at_k": ("recall_at", {}, {"relevant": 2.0}),
    "precision_at_k": ("precision_at", {}, {"relevant": 2.0}),
    "f_at_k": ("f_at", {}, {"beta": 2.0}),
    "fap_at_k": ("fap", {}, {"beta": 2.0}),
    "success_at_k": ("success_at", {}, {"relevant": 2.0}),
    "judged_at_k": ("judged_at", {}),
}
USES = [(name, params) for name, (_, *each) in OF.items() for params in each]
BY_DEPTH = list(OF)


def queries(n=40, most=15, seed=1, deepest=15):
    """Lists of up to 15 documents with ties, unjudged ones, and queries without relevant ones."""
    rng = np.random.default_rng(seed)
    size = rng.integers(0, most + 1, n)
    start = np.append(0, np.cumsum(size))
    grade = rng.integers(-1, 4, start[-1]).astype(float)
    grade[grade < 0] = np.nan
    grade[np.repeat(np.arange(n) % 8 == 0, size)] = 0
    known = ~np.isnan(grade)
    judged = Judgements.from_grades(np.append(0, np.cumsum(known))[start], grade[known], deepest)
    lists = Lists(start, grade, rng.integers(0, 5, start[-1]).astype(float), judged)
    return Queries(lists)


@pytest.mark.parametrize("no_relevant", ["skip", "zero", "one"])
@pytest.mark.parametrize(("name", "params"), USES)
def test_the_height_at_a_rank_is_the_metric_at_that_rank(name, params, no_relevant):
    rows, weight = queries(), np.random.default_rng(2).exponential(1, 40)
    if name != "judged_at_k":
        params = {**params, "no_relevant": no_relevant}
    bound = CURVES[name].use(**params).bind(rows, weight)
    assert bound.grid.tolist() == [*range(1, 11), 12, 15]
    for k, height in zip(bound.grid, bound.estimate, strict=True):
        metric = METRICS[OF[name][0]].use(k=int(k), **params).bind(rows)
        assert height == pytest.approx(metric.define(weight), rel=1e-12)


@pytest.mark.parametrize("name", BY_DEPTH)
def test_many_weightings_at_once_are_each_alone(name):
    rows = queries()
    bound, batch = CURVES[name].bind(rows, np.ones(40)), resamples(40)
    alone = [bound(Batch.from_weights(lane.astype(float)))[0] for lane in batch.weights.T]
    np.testing.assert_allclose(bound(batch), alone, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", BY_DEPTH)
def test_a_query_twice_is_one_of_weight_two(name):
    rows = queries()
    twice = np.append(np.arange(40), np.arange(5))
    weight = np.ones(40)
    weight[:5] = 2
    one = CURVES[name].bind(rows, weight)
    two = CURVES[name].bind(rows.take(twice), np.ones(45))
    np.testing.assert_allclose(one.estimate, two.estimate, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", BY_DEPTH)
def test_heights_stay_in_bounds_and_rise_where_that_is_said(name):
    curve = CURVES[name]
    found = curve.bind(queries(), np.ones(40))(resamples(40, lanes=20))
    assert found.min() >= 0 and found.max() <= 1 + 1e-12
    assert not curve.is_monotone or (np.diff(found, axis=1) >= -1e-12).all()


def test_ranks_end_with_the_longest_list_of_any_model_or_where_the_config_says():
    assert CURVES["ndcg_at_k"].bind(queries(), np.ones(40)).grid[-1] == 15
    assert CURVES["ndcg_at_k"].bind(queries(deepest=None), np.ones(40)).grid[-1] == 50
    cut = CURVES["ndcg_at_k"].use(k=7).bind(queries(), np.ones(40))
    assert cut.grid.tolist() == [1, 2, 3, 4, 5, 6, 7]
    some = queries().take(np.arange(3))
    assert CURVES["ndcg_at_k"].bind(some, np.ones(3)).grid[-1] == 15


def test_ranks_that_few_lists_reach_are_counted():
    rows = queries()
    weight = np.ones(40)
    weight[::2] = 0
    bound = CURVES["recall_at_k"].bind(rows, weight)
    size = np.diff(rows.lists.start)[1::2]
    assert bound.count_thinner_rows(weight).tolist() == [np.sum(size >= k) for k in bound.grid]


def test_queries_without_weight_or_relevant_documents_give_no_number_and_no_error():
    for rows in (queries(), queries().take(np.array([0, 8]))):
        weight = np.zeros(len(rows)) if len(rows) == 40 else np.ones(2)
        for name in set(BY_DEPTH) - {"judged_at_k"}:
            bound = CURVES[name].bind(rows, weight)
            assert np.isnan(bound.trace(weight).y).all(), name


def test_the_best_cut_off_is_where_f_is_highest():
    rows, weight = queries(), np.ones(40)
    trace = CURVES["f_at_k"].bind(rows, weight).trace(weight)
    assert trace.marks["peak"] == trace.x[np.argmax(trace.y)]


@pytest.mark.parametrize("name", sorted(n for n, c in CURVES.items() if c.task == "ranking"))
def test_a_curve_says_how_many_queries_its_mean_is_of(name):
    """As many as the measure of its height judges; all of them where none is left out."""
    rows, curve = queries(), CURVES[name]
    of = {**dict.fromkeys(BY_DEPTH), **{n: m[0] for n, m in OF.items()}, "query_roc": "query_auc"}
    metric = METRICS[of.get(name) or "ap"]
    for params in ({}, {"relevant": 3.0}, {"no_relevant": "zero"}):
        known = {p.name for p in metric.parameters} & {p.name for p in curve.parameters}
        given = {key: value for key, value in params.items() if key in known}
        bound = metric.use(**given).bind(rows)
        judged = len(rows) if bound.is_counted is None else int(bound.is_counted.sum())
        used = curve.use(**given)
        assert (len(rows) if used.judges is None else used.judges(rows, **used.params)) == judged


@pytest.mark.parametrize("k", [0, 1001])
def test_a_last_rank_that_cannot_be_is_refused(k):
    curve = CURVES["ndcg_at_k"]
    assert "must be between 1 and 1000" in curve.check(**{**curve.params, "k": k})
