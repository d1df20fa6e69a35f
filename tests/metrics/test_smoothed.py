"""The smoothed influence against what repeated samples really do."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch, Column
from reportgen.metrics import METRICS
from reportgen.metrics.classification.roc import make_two_class_rows
from reportgen.metrics.influence import (
    NEIGHBOURS,
    smoothed_bucket_influence,
    smoothed_median_influence,
)
from reportgen.metrics.rows import Amounts

USES = [
    METRICS["ranking_last"].use(),
    METRICS["ranking_first"].use(buckets=4),
    METRICS["ranking_difference"].use(buckets=5),
    METRICS["ranking_slope"].use(),
    METRICS["topk_capture"].use(share=0.2),
    METRICS["median_ae"].use(),
]


def named(metric):
    return f"{metric.name} {dict(metric.params)}"


def drawn(seed, n=240, weighted=False):
    """Rows of exponential y, two scores that know some of it, and weights."""
    draw = np.random.default_rng(seed)
    latent = draw.normal(size=n)
    y = np.exp(0.4 * latent + 0.3 * draw.normal(size=n))
    scores = [np.exp(0.4 * latent + 0.2 * draw.normal(size=n)) for _ in range(2)]
    return y, scores, draw.uniform(0.5, 1.5, size=n) if weighted else np.ones(n)


def value(metric, y, score, weight):
    return float(metric.bind(Amounts(y, score))(Batch.from_weights(weight))[0])


@pytest.mark.full
@pytest.mark.parametrize("weighted", [False, True], ids=["alike", "weighted"])
@pytest.mark.parametrize("metric", USES, ids=named)
def test_its_error_of_a_difference_is_that_of_fresh_samples(metric, weighted):
    differences, errors = [], []
    for seed in range(600):
        y, scores, weight = drawn(seed, weighted=weighted)
        ends = [value(metric, y, score, weight) for score in scores]
        first, second = (
            metric.bind(Amounts(y, score)).smoothed_influence(weight) for score in scores
        )
        differences.append(ends[0] - ends[1])
        errors.append(np.sum((weight / weight.sum() * (first - second)) ** 2))
    # 600 samples know a standard deviation to 3 %; the rest is room for smoothing.
    assert np.sqrt(np.mean(errors)) == pytest.approx(np.std(differences), rel=0.1)


@pytest.mark.parametrize("metric", USES, ids=named)
def test_it_sums_to_zero_and_knows_no_row_order(metric):
    y, (score, _), weight = drawn(1, weighted=True)
    score = np.round(score, 1)  # ties
    phi = metric.bind(Amounts(y, score)).smoothed_influence(weight)
    assert abs(weight @ phi) < 1e-9 * (weight @ np.abs(phi))
    order = np.random.default_rng(2).permutation(len(y))
    moved = metric.bind(Amounts(y[order], score[order])).smoothed_influence(weight[order])
    assert moved == pytest.approx(phi[order], rel=1e-9)


@pytest.mark.parametrize("metric", USES, ids=named)
def test_it_has_the_unit_of_the_value(metric):
    y, (score, _), weight = drawn(3)
    phi = metric.bind(Amounts(y, score)).smoothed_influence(weight)
    ten = metric.bind(Amounts(10 * y, 10 * score)).smoothed_influence(weight)
    factor = 10 if metric.unit == "y" else 1
    assert ten == pytest.approx(factor * phi)


def test_inside_a_tie_it_is_the_derivative_itself():
    y = np.random.default_rng(4).normal(size=100)
    score = np.repeat([1.0, 2, 3], [20, 60, 20])  # the edge of two buckets lies in the middle tie
    phi = smoothed_bucket_influence(Amounts(y, score), np.ones(100), np.array([0.0, 1.0]))
    metric, step = METRICS["ranking_last"].use(buckets=2), 1e-6
    for row in (3, 50, 95):
        more, less = np.ones(100), np.ones(100)
        more[row], less[row] = 1 + step, 1 - step
        slope = (value(metric, y, score, more) - value(metric, y, score, less)) / (2 * step)
        assert phi[row] == pytest.approx(100 * slope, rel=1e-6)


def test_a_median_of_few_different_values_has_none():
    sizes = np.repeat([1.0, 2, 3], 30)
    assert smoothed_median_influence(Column(sizes), np.ones(90), 2.0) is None
    many = np.arange(400.0)
    assert smoothed_median_influence(Column(many), np.ones(400), 199.5) is not None
    assert smoothed_median_influence(Column(many // NEIGHBOURS), np.ones(400), 9.0) is None


@pytest.mark.parametrize(
    "params", [{"statistic": "median"}, {"quantile": 0.9}, {"edges": "integer"}], ids=str
)
def test_other_buckets_have_none(params):
    y, (score, _), weight = drawn(5)
    bound = METRICS["ranking_last"].use(**params).bind(Amounts(y, score))
    assert bound.smoothed_influence(weight) is None


def test_buckets_of_few_rows_and_medians_of_uneven_weights_have_none():
    y, (score, _), _ = drawn(6, n=49)
    assert (
        METRICS["ranking_last"].use().bind(Amounts(y, score)).smoothed_influence(np.ones(49))
        is None
    )
    uneven = np.random.default_rng(6).exponential(size=49)
    assert METRICS["median_ae"].use().bind(Amounts(y, score)).smoothed_influence(uneven) is None


def test_a_capture_inside_a_tie_has_the_derivative_itself():
    y = np.random.default_rng(8).exponential(size=100)
    score = np.repeat([1.0, 2, 3], [20, 60, 20])
    metric, step = METRICS["topk_capture"].use(share=0.5), 1e-6
    phi = metric.bind(Amounts(y, score)).smoothed_influence(np.ones(100))
    for row in (3, 50, 95):
        more, less = np.ones(100), np.ones(100)
        more[row], less[row] = 1 + step, 1 - step
        slope = (value(metric, y, score, more) - value(metric, y, score, less)) / (2 * step)
        assert phi[row] == pytest.approx(100 * slope, rel=1e-6)


@pytest.mark.parametrize("params", [{"share": 1.0}, {"share": 0.04}, {"k": 4}], ids=str)
def test_a_top_of_few_rows_or_of_all_has_none(params):
    y, (score, _), weight = drawn(9, n=100)
    bound = METRICS["topk_capture"].use(**params).bind(Amounts(y, score))
    assert bound.smoothed_influence(weight) is None


@pytest.mark.parametrize(
    ("name", "params", "df"),
    [
        ("ranking_last", {}, 9),
        ("ranking_difference", {}, 18),
        ("ranking_slope", {"buckets": 4}, 96),
        ("topk_capture", {"share": 0.25}, 24),
    ],
)
def test_rows_at_the_ends_leave_one_degree_of_freedom_less_for_each(name, params, df):
    y, (score, _), weight = drawn(10, n=100)
    bound = METRICS[name].use(**params).bind(Amounts(y, score))
    assert bound.edge_df(weight) == pytest.approx(df)


def flagged(seed, n, positives=0.02):
    """Rows of two classes, of which a tenth is flagged, with few positive ones at the edge."""
    draw = np.random.default_rng(seed)
    y = (draw.random(n) < positives).astype(float)
    return (
        METRICS["capture"].use(share=0.1).bind(make_two_class_rows(y, 2 * y + draw.normal(size=n)))
    )


@pytest.mark.full
def test_the_rows_that_a_found_share_is_worth_are_those_of_fresh_samples():
    values, variances = [], []
    for seed in range(600):
        bound, weight = flagged(seed, 2000), np.ones(2000)
        values.append(float(bound(Batch.from_weights(weight))[0]))
        variances += [p * (1 - p) / trials for p, trials in bound.portions(weight / 2000)]
    assert len(variances) > 500
    assert np.sqrt(np.mean(variances)) == pytest.approx(np.std(values), rel=0.1)


def test_where_no_row_at_the_edge_is_positive_a_found_share_is_a_plain_proportion():
    y = np.r_[np.ones(6), np.zeros(84), np.ones(4), np.zeros(6)]
    score = -np.arange(100.0)
    bound = METRICS["capture"].use(share=0.2).bind(make_two_class_rows(y, score))
    ((p, trials),) = bound.portions(np.full(100, 0.01))
    assert (p, trials) == (pytest.approx(0.6), pytest.approx(10))  # 6 of 10 positives


def test_a_found_share_is_none_of_its_own_where_positives_stand_at_the_edge():
    assert flagged(1, 2000).portions(np.full(2000, 1 / 2000))
    assert not flagged(1, 400, positives=0.3).portions(np.full(400, 1 / 400))
