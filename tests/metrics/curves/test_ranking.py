"""The ranking curve, held to the article that describes it and to sums a reader can do."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.ranking import (
    compute_bucket_cuts,
    compute_bucket_quantiles,
)
from reportgen.metrics.regression.buckets import compute_bucket_values
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import article_scores, resamples, tied_rows, uneven

# Printed in "Ranking metrics for regression" (first, last, difference, slope of each score).
PRINTED = [
    (-1.76345, 1.79617, 3.55962, 0.34367),
    (-1.70674, 1.70048, 3.40723, 0.32808),
    (0.07232, 0.12308, 0.05076, 0.00722),
]
# All ten points of the first score, by the article's own code.
FIRST_CURVE = [
    -1.7634522514469464,
    -1.0742296252811832,
    -0.650933566957754,
    -0.3707435578248054,
    -0.10227372170017852,
    0.1793368120017153,
    0.43808868780087556,
    0.7139692239835334,
    1.088049985005749,
    1.7961658254059605,
]


def ranking(rows, weight=None, **params):
    weight = np.ones(len(rows)) if weight is None else weight
    return CURVES["ranking"].use(**params).bind(rows, weight)


@pytest.mark.parametrize("edges", ["fractional", "integer"])
@pytest.mark.parametrize("number", range(3))
def test_the_articles_printed_numbers_come_out(number, edges):
    y, scores = article_scores()
    marks = ranking(Amounts(y, scores[number]), edges=edges).trace(np.ones(1000)).marks
    found = [marks[name] for name in ("first", "last", "difference", "slope")]
    assert found == pytest.approx(PRINTED[number], abs=5e-6)


def test_the_articles_ten_points_come_out():
    y, scores = article_scores()
    trace = ranking(Amounts(y, scores[0])).trace(np.ones(1000))
    assert trace.y == pytest.approx(FIRST_CURVE, abs=1e-12)
    assert trace.marks["random"] == pytest.approx(y.mean())


def test_a_row_on_a_fractional_edge_is_split_between_its_buckets():
    trace = ranking(Amounts(np.array([1.0, 2, 6]), np.arange(3.0)), buckets=2).trace(np.ones(3))
    assert trace.y == pytest.approx([(1 + 2 / 2) / 1.5, (2 / 2 + 6) / 1.5])


def test_integer_edges_move_down_to_a_whole_row():
    rows = Amounts(np.array([1.0, 2, 6]), np.arange(3.0))
    trace = ranking(rows, buckets=2, edges="integer").trace(np.ones(3))
    assert trace.y == pytest.approx([1, (2 + 6) / 2])


def test_a_bucket_of_no_rows_is_undefined():
    rows = Amounts(np.array([1.0, 2]), np.arange(2.0))
    trace = ranking(rows, buckets=4, edges="integer").trace(np.ones(2))
    assert np.isnan(trace.y).tolist() == [True, False, True, False]


def test_tied_rows_are_spread_as_the_mean_over_their_orders():
    rows = Amounts(np.array([0.0, 1, 5, 9]), np.array([1.0, 1, 1, 2]))
    trace = ranking(rows, buckets=2).trace(np.ones(4))
    assert trace.y == pytest.approx([(0 + 1 + 5) / 3, ((0 + 1 + 5) / 3 + 9) / 2])


def test_a_constant_score_gives_the_flat_line_of_a_random_order():
    y = np.array([3.0, 1, 4, 1, 5])
    trace = ranking(Amounts(y, np.zeros(5)), buckets=3).trace(uneven(5))
    assert trace.y == pytest.approx([trace.marks["random"]] * 3)


def test_the_median_of_a_bucket_is_the_usual_median():
    y, scores = article_scores()
    found = ranking(Amounts(y, scores[1]), statistic="median").trace(np.ones(1000)).y
    blocks = y[np.argsort(scores[1])].reshape(10, 100)
    assert found == pytest.approx(np.median(blocks, axis=1), abs=1e-14)


def test_the_quantile_of_a_bucket_is_that_of_its_rows():
    rows = Amounts(np.arange(20.0), np.arange(20.0))
    found = ranking(rows, buckets=2, quantile=0.75).trace(np.ones(20)).y
    # Three quarters of ten rows are 7.5 rows: the eighth row takes them there.
    assert found.tolist() == [7.0, 17.0]


def test_a_tie_over_an_edge_weighs_in_both_medians():
    rows = Amounts(np.array([0.0, 1, 2, 9]), np.array([1.0, 2, 2, 3]))
    found = ranking(rows, buckets=2, statistic="median").trace(np.array([1.0, 1, 1, 1])).y
    # Below: 0 whole, 1 and 2 half each; above: 1 and 2 half each, 9 whole.
    assert found.tolist() == [0.5, 5.5]


@pytest.mark.parametrize("how", [{}, {"statistic": "median"}, {"quantile": 0.9}])
def test_a_resample_is_the_curve_of_the_drawn_rows(how):
    rows, batch = tied_rows(), resamples(60, weight=uneven(60))
    bound = ranking(rows, buckets=7, **how)
    for values, count in zip(bound(batch), batch.count.T, strict=True):
        drawn = np.repeat(np.arange(60), count)
        alone = ranking(
            Amounts(rows.y.values[drawn], rows.score.values[drawn]),
            buckets=7,
            **how,
        )
        assert values == pytest.approx(alone(Batch.from_weights(uneven(60)[drawn]))[0], abs=1e-12)


@pytest.mark.parametrize("edges", ["fractional", "integer"])
@pytest.mark.parametrize("buckets", [3, 49, 50, 200])
def test_quantiles_of_many_buckets_have_the_bits_of_single_ones(buckets, edges):
    rows, batch = tied_rows(), resamples(60)
    cuts = compute_bucket_cuts(batch, buckets, edges)
    for q in (0.5, 0.9):
        found = compute_bucket_quantiles(rows, batch, cuts, q)
        single = [
            compute_bucket_quantiles(rows, batch, cuts[:, b : b + 2], q) for b in range(buckets)
        ]
        np.testing.assert_array_equal(found, np.hstack(single))
        drawn = batch.weights[:, 0]
        how = {"quantile": q, "edges": edges}
        by_rows = compute_bucket_values(rows.y.values, rows.score.values, drawn, buckets, **how)
        np.testing.assert_array_equal(found[0], by_rows)


def test_many_buckets_are_not_sought_one_by_one(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "reportgen.metrics.curves.ranking._quantile_between", lambda *of: asked.append(of)
    )
    ranking(tied_rows(), buckets=200, statistic="median")(resamples(60))
    assert asked == []


def test_wrong_numbers_of_buckets_are_named():
    assert "buckets is 0" in CURVES["ranking"].check(buckets=0)
    assert "quantile is 1" in CURVES["ranking"].check(quantile=1.0)
    assert "give one of them" in CURVES["ranking"].check(statistic="median", quantile=0.9)
    assert CURVES["ranking"].check(buckets=10) is None
