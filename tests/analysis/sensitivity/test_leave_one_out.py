"""What a value is without single rows: exact forms against computing it again, and short lists."""

import numpy as np
import pytest

from reportgen.analysis.sensitivity.case_deletion import (
    MOST_LISTED,
    MOST_RECOMPUTED,
    compute_leave_one_out,
    compute_row_effects,
    select_influential_rows,
)
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts
from tests.metrics.cases import rows_of, suited

NAMES = [name for name, m in METRICS.items() if not any(p.is_required for p in m.parameters)]
BY_COUNT = METRICS["topk_capture"].use(k=7)


def sample(n, seed=3):
    """Half the outcomes zero, rounded scores, and weights that differ."""
    draw = np.random.default_rng(seed)
    y = np.where(draw.random(n) < 0.5, 0.0, np.round(draw.gamma(2.0, 5.0, n)) + 1)
    return y, np.abs(np.round(y + draw.normal(3, 4, n))) + 1, draw.uniform(0.5, 2.0, n)


def again(metric, y, score, weight, row):
    bound = metric.bind(
        rows_of(metric.name, np.delete(y, row, axis=0), np.delete(score, row, axis=0))
    )
    return bound(Batch.from_weights(np.delete(weight, row)))[0]


@pytest.mark.parametrize(
    "metric", [*(METRICS[name].use() for name in NAMES), BY_COUNT], ids=[*NAMES, "by count"]
)
def test_each_value_is_the_metric_of_the_other_rows(metric):
    y, score, weight = sample(70)
    y, score = suited(metric.name, y, score)
    found = compute_leave_one_out(metric.bind(rows_of(metric.name, y, score)), weight)
    expected = [again(metric, y, score, weight, row) for row in found.rows]
    assert found.search == "every row" and len(found.rows) == 70
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-12)


def test_the_row_that_moves_a_value_most_is_named():
    y, score, weight = sample(200)
    score[17] += 1e4
    found = compute_leave_one_out(METRICS["rmse"].bind(Amounts(y, score)), weight)
    assert (
        found.farthest(METRICS["rmse"].bind(Amounts(y, score))(Batch.from_weights(weight))[0])[0]
        == 17
    )


def test_a_short_list_of_a_median_holds_a_row_that_moves_it_most():
    y, score, weight = sample(MOST_RECOMPUTED + 1)
    bound = METRICS["median_ae"].bind(Amounts(y, score + np.random.default_rng(4).random(len(y))))
    value = bound(Batch.from_weights(weight))[0]
    listed = compute_leave_one_out(bound, weight)
    errors = bound.rows.absolute_error.order
    near = errors[
        np.searchsorted(bound.rows.absolute_error.values[errors], value) + np.arange(-9, 9)
    ]
    everyone = [
        again(bound.statistic, bound.rows.y.values, bound.rows.score.values, weight, row)
        for row in near
    ]
    assert listed.search == f"a short list of the {len(listed.rows)} most likely"
    assert len(listed.rows) <= MOST_LISTED
    far = abs(listed.farthest(value)[1] - value)
    assert far > 0 and far >= 0.5 * np.max(np.abs(np.array(everyone) - value))


def test_a_pull_is_the_value_without_the_row_less_the_value():
    y, score, weight = sample(50)
    for name in ("kendall", "median_ae", "rmse"):
        bound = METRICS[name].bind(Amounts(y, score))
        value = bound(Batch.from_weights(weight))[0]
        lost = [again(bound.statistic, y, score, weight, row) - value for row in range(50)]
        np.testing.assert_allclose(compute_row_effects(bound, weight), lost, atol=1e-12)


def test_a_short_list_of_influence_holds_the_largest():
    y, score, weight = sample(500)
    score[[3, 44]] += 500.0
    bound = METRICS["ranking_slope"].bind(Amounts(y, score))
    assert len(select_influential_rows(bound, weight)) <= MOST_LISTED
    bound = METRICS["mae"].bind(Amounts(y, score))
    assert {3, 44} <= set(select_influential_rows(bound, weight).tolist())
