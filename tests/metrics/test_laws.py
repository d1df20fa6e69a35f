"""Laws that every metric obeys, over the whole registry; a metric declares those it waives."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch, Rows
from reportgen.metrics import METRICS

from .cases import CASES

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
    yield "two rows", np.array([1.0, 2.0]), np.array([3.0, 1.5]), np.array([0.7, 1.9])
    yield "three rows", np.array([1.0, 4.0, 2.5]), np.array([3.0, 3.0, 9.0]), np.array([1, 2, 0.3])
    yield "y all equal", np.full(6, 0.1), np.arange(6.0), np.linspace(0.3, 2, 6)
    yield "scores all equal", np.arange(6.0), np.full(6, 0.1), np.linspace(0.3, 2, 6)
    yield "all equal", np.full(4, 0.3), np.full(4, 0.7), np.linspace(0.3, 2, 4)


SAMPLES = {name: rows for name, *rows in samples()}
over_all = pytest.mark.parametrize("sample", SAMPLES)
for_each = pytest.mark.parametrize("case", USES, ids=str)


def bound(case, y, score):
    return METRICS[case.metric].use(**case.params).bind(Rows(y, score))


def value(case, y, score, weight):
    return bound(case, y, score).define(weight)


def close(left, right, slack=1e-11):
    scale = np.nanmax(np.abs(np.append(right, 1.0)))
    np.testing.assert_allclose(left, right, rtol=slack, atol=slack * scale)


def skip_if_waived(case, law):
    assert law in LAWS
    if law in case.waives or (law in METRICS[case.metric].waives and law not in case.insists):
        pytest.skip(METRICS[case.metric].waives.get(law, "not for these parameters"))


@over_all
@for_each
def test_the_value_lies_within_its_bounds(case, sample):
    low, high = METRICS[case.metric].bounds
    found = value(case, *SAMPLES[sample])
    assert np.isnan(found) or low <= found <= high


@over_all
@for_each
def test_all_weights_times_seven_change_nothing(case, sample):
    skip_if_waived(case, "scale")
    y, score, weight = SAMPLES[sample]
    close(value(case, y, score, 7 * weight), value(case, y, score, weight))


@over_all
@for_each
def test_weight_two_is_the_row_twice(case, sample):
    skip_if_waived(case, "duplicate")
    y, score, weight = SAMPLES[sample]
    times = 1 + np.arange(len(y)) % 2
    twice = value(case, y.repeat(times), score.repeat(times), weight.repeat(times))
    close(value(case, y, score, times * weight), twice)


@over_all
@for_each
def test_weight_zero_is_the_row_gone(case, sample):
    skip_if_waived(case, "zero")
    y, score, weight = SAMPLES[sample]
    kept = np.arange(len(y)) % 3 != 1
    gone = value(case, y[kept], score[kept], weight[kept])
    close(value(case, y, score, weight * kept), gone)


@over_all
@for_each
def test_row_order_changes_nothing(case, sample):
    y, score, weight = SAMPLES[sample]
    order = np.random.default_rng(5).permutation(len(y))
    close(value(case, y[order], score[order], weight[order]), value(case, y, score, weight))


@for_each
def test_no_weight_at_all_is_undefined(case):
    y, score, weight = SAMPLES["ties"]
    assert np.isnan(value(case, y, score, 0 * weight))
    assert np.isnan(bound(case, y, score)(Batch.of(0 * weight))).all()


@over_all
@for_each
def test_fast_is_the_definition(case, sample):
    y, score, weight = SAMPLES[sample]
    counts = np.random.default_rng(3).poisson(1.0, (len(y), 9)).astype(np.uint8)
    batch, metric = Batch(counts, weight), bound(case, y, score)
    close(metric(batch), [metric.define(w) for w in batch.weights.T], 1e-12)


@over_all
@for_each
def test_influence_sums_to_zero_and_is_the_slope_in_each_weight(case, sample):
    y, score, weight = SAMPLES[sample]
    metric = bound(case, y, score)
    influence = metric.influence(weight)
    if influence is None or not np.isfinite(metric.define(weight)):
        pytest.skip("no influence here")
    step = 1e-5 * weight.mean()
    shifts = step * np.eye(len(y))
    slope = np.array([metric.define(weight + e) - metric.define(weight - e) for e in shifts])
    slope *= weight.sum() / (2 * step)
    close(influence @ weight / weight.sum(), 0.0, 1e-9 * max(1.0, np.abs(influence).max()))
    # A raw sum grows with the total weight; its influence is what is left with that held fixed.
    close(influence, slope - slope @ weight / weight.sum(), 1e-6)


@over_all
@for_each
def test_leave_one_out_is_the_value_without_the_row(case, sample):
    y, score, weight = SAMPLES[sample]
    found = bound(case, y, score).leave_one_out(weight)
    if found is None:
        pytest.skip("no leave-one-out here")
    rows = range(len(y))
    again = [value(case, *(np.delete(v, i) for v in (y, score, weight))) for i in rows]
    close(found, again, 1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_waives_only_laws_that_exist_and_says_why(name):
    waives = METRICS[name].waives
    assert set(waives) <= set(LAWS) and all(waives.values())
