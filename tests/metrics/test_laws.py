"""Laws that every metric obeys, over the whole registry; a metric says what it is exempt from."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts
from tests.metrics.cases import CASES, rows_of, suited

LAWS = ("scale", "duplicate", "zero")
USES = list({str(case): case for case in CASES}.values())


def samples():
    """Rows of every awkward kind, by name: y, score and real weights."""
    rng = np.random.default_rng(20261121)
    y = rng.normal(10, 3, 50)
    yield "smooth", y, y + rng.normal(0, 2, 50), rng.exponential(1, 50) + 0.05
    y = np.round(rng.exponential(3, 40))
    yield "ties", y, np.round(y + rng.normal(0, 2, 40)), rng.exponential(1, 40) + 0.05
    y = np.where(rng.random(60) < 0.7, 0.0, np.exp(rng.normal(3, 1.5, 60)))
    yield "zeros", y, np.round(np.log1p(y) + rng.normal(5, 2, 60)), rng.exponential(1, 60) + 0.05
    yield "one row", np.array([2.0]), np.array([3.0]), np.array([0.7])
    yield "two rows", np.array([0.1, 0.7]), np.array([3.1, 1.7]), np.array([0.7, 1.9])
    yield "three rows", np.array([1.0, 4.0, 2.5]), np.array([3.0, 3.0, 9.0]), np.array([1, 2, 0.3])
    yield "y all equal", np.full(6, 0.1), np.arange(6.0), np.linspace(0.3, 2, 6)
    yield "scores all equal", np.arange(6.0), np.full(6, 0.1), np.linspace(0.3, 2, 6)
    yield "all equal", np.full(4, 0.3), np.full(4, 0.7), np.linspace(0.3, 2, 4)


SAMPLES = {name: rows for name, *rows in samples()}


def bound(case, y, score):
    parts = {"mean": score, "sd": 1 + np.abs(score) / 4}
    rows = rows_of(case.metric, *suited(case.metric, y, score), parts)
    return METRICS[case.metric].use(**case.params).bind(rows)


def value(case, y, score, weight):
    return bound(case, y, score).define(weight)


def close(left, right, sample, slack=1e-11):
    scale = np.nanmax(np.abs(np.append(right, 1.0)))
    np.testing.assert_allclose(left, right, rtol=slack, atol=slack * scale, err_msg=sample)


def under(law):
    """The metrics that the law holds for."""

    def holds(case):
        waived = law in METRICS[case.metric].exempt_from and law not in case.insists
        return not waived and law not in case.exempt_from

    assert law in LAWS
    return pytest.mark.parametrize("case", list(filter(holds, USES)), ids=str)


def with_form(form):
    """The metrics that give influence values, or values without each row, in closed form."""
    given = [
        case for case in USES if getattr(bound(case, *SAMPLES["ties"][:2]), form)(SOME) is not None
    ]
    return pytest.mark.parametrize("case", given, ids=str)


SOME = SAMPLES["ties"][2]
for_each = pytest.mark.parametrize("case", USES, ids=str)


@pytest.mark.guard
def test_every_metric_has_a_case():
    lacking = sorted(set(METRICS) - {case.metric for case in CASES})
    assert not lacking, f"{', '.join(lacking)} has no case: add it to tests/metrics/cases.py"


@for_each
def test_the_value_lies_within_its_bounds(case):
    low, high = METRICS[case.metric].use(**case.params).bounds
    for sample, rows in SAMPLES.items():
        found = value(case, *rows)
        assert np.isnan(found) or low - 1e-15 <= found <= high + 1e-15, sample


@under("scale")
def test_all_weights_times_seven_change_nothing(case):
    for sample, (y, score, weight) in SAMPLES.items():
        close(value(case, y, score, 7 * weight), value(case, y, score, weight), sample)


@under("duplicate")
def test_weight_two_is_the_row_twice(case):
    for sample, (y, score, weight) in SAMPLES.items():
        times = 1 + np.arange(len(y)) % 2
        twice = value(case, y.repeat(times), score.repeat(times), weight.repeat(times))
        close(value(case, y, score, times * weight), twice, sample)


@under("zero")
def test_weight_zero_is_the_row_gone(case):
    for sample, (y, score, weight) in SAMPLES.items():
        kept = np.arange(len(y)) % 3 != 1
        gone = value(case, y[kept], score[kept], weight[kept])
        close(value(case, y, score, weight * kept), gone, sample)


@for_each
def test_row_order_changes_nothing(case):
    for sample, (y, score, weight) in SAMPLES.items():
        order = np.random.default_rng(5).permutation(len(y))
        again = value(case, y[order], score[order], weight[order])
        close(again, value(case, y, score, weight), sample)


@for_each
def test_no_weight_at_all_is_undefined(case):
    for sample, (y, score, weight) in SAMPLES.items():
        assert np.isnan(value(case, y, score, 0 * weight)), sample
        assert np.isnan(bound(case, y, score)(Batch.from_weights(0 * weight))).all(), sample
        assert bound(case, y, score).influence(np.zeros(len(y))) is None, sample


@for_each
def test_fast_is_the_definition(case):
    for sample, (y, score, weight) in SAMPLES.items():
        counts = np.random.default_rng(3).poisson(1.0, (len(y), 9)).astype(np.uint8)
        batch, metric = Batch(counts, weight), bound(case, y, score)
        close(metric(batch), [metric.define(w) for w in batch.weights.T], sample, 1e-12)


@with_form("influence")
def test_influence_sums_to_zero_and_is_the_slope_in_each_weight(case):
    for sample, (y, score, weight) in SAMPLES.items():
        metric, step = bound(case, y, score), 1e-5 * weight.mean()
        size = abs(metric.define(weight))
        if np.isnan(size):
            continue
        influence, shifts = metric.influence(weight), step * np.eye(len(y))
        slope = [metric.define(weight + e) - metric.define(weight - e) for e in shifts]
        slope = np.array(slope) * weight.sum() / (2 * step)
        # A raw sum grows with the total weight; influence is what is left with that held fixed.
        slope -= slope @ weight / weight.sum()
        largest = np.abs(influence).max()
        assert abs(influence @ weight) <= 1e-9 * weight.sum() * max(1.0, largest), sample
        assert np.abs(influence - slope).max() <= 1e-6 * max(1.0, largest, size), sample


@with_form("leave_one_out")
def test_leave_one_out_is_the_value_without_the_row(case):
    for sample, rows in SAMPLES.items():
        again = [value(case, *(np.delete(v, i) for v in rows)) for i in range(len(rows[0]))]
        close(bound(case, *rows[:2]).leave_one_out(rows[2]), again, sample, 1e-12)


@pytest.mark.parametrize("name", ["kendall", "spearman", "pearson", "regression_auc", "r2"])
def test_rows_left_tied_are_undefined_whatever_the_rounding(name):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 10))
        other, weight = rng.normal(size=n), rng.exponential(1, n)
        lone = np.where(np.arange(n) == n // 2, 0.3, 0.1)
        metric = METRICS[name].bind(Amounts(lone, other))
        assert np.isnan(metric.leave_one_out(weight)[n // 2]), seed
        halves = np.where(np.arange(n) < n // 2, 0.1, 0.7)
        metric = METRICS[name].bind(Amounts(halves, other))
        assert np.isnan(metric.define(weight * (halves == 0.1))), seed
        if name not in ("regression_auc", "r2"):  # these two ask nothing of the scores
            metric = METRICS[name].bind(Amounts(other, lone))
            assert np.isnan(metric.leave_one_out(weight)[n // 2]), seed


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_exempt_only_from_laws_that_exist_and_says_why(name):
    exempt_from = METRICS[name].exempt_from
    assert set(exempt_from) <= set(LAWS) and all(exempt_from.values())


def test_pair_and_rowwise_metrics_have_both_closed_forms():
    """All but means of buckets and of the top: their edges bend, and no slope is theirs."""
    exact = [n for n, m in METRICS.items() if m.shape != "whole" or m.leave_one_out]
    assert {"kendall", "kendall_a", "regression_auc", "spearman", "pearson", "mae"} <= set(exact)
    bent = {n for n in exact if METRICS[n].shape == "whole" and not METRICS[n].influence}
    buckets = {f"ranking_{each}" for each in ("first", "last", "difference", "slope")}
    assert bent == {*buckets, *(f"binary_{each}" for each in buckets), "topk_capture"}


def test_there_is_no_influence_where_a_small_step_leaves_the_value_undefined():
    # One row holds all the weight but 1e-9 of it: the variance is hardly more than its rounding.
    y = np.array([29.0, 21.0, 39.0, 19.0, 25.0])
    weight = np.array([1e12, 1.0, 1.0, 1.0, 1.0])
    bound = METRICS["pearson"].bind(Amounts(y, y[[0, 2, 1, 3, 4]]))
    assert np.isfinite(bound(Batch.from_weights(weight))).all()
    assert bound.influence(weight) is None
