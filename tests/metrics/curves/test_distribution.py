"""Histogram shares: bins a reader can name, zeros apart."""

import numpy as np
import pytest

from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.distribution import choose_bins
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import resamples, tied_rows, uneven

NAMES = ["distribution_y", "distribution_score", "distribution_error"]


def trace_of(y, name="distribution_y"):
    rows = Amounts(y, np.zeros(len(y)))
    return CURVES[name].bind(rows, np.ones(len(y))).trace(np.ones(len(y)))


def test_zeros_have_a_bin_of_their_own():
    trace = trace_of(np.array([0.0, 0, 0, 1, 2, -1]))
    assert trace.y[trace.labels.index("0")] == pytest.approx(3 / 6)
    assert trace.marks["zeros"] == pytest.approx(3 / 6)


def test_a_long_tail_gets_bins_even_in_ratio():
    trace = trace_of(np.append(np.zeros(5), 10.0 ** np.arange(-1, 6)))
    assert trace.marks["is_log"] == 1
    assert "100 to 200" in trace.labels or "100 to 150" in trace.labels
    assert np.all(np.diff(trace.x) > 0)


def test_both_tails_mirror_each_other():
    tail = np.exp(np.linspace(-3, 8, 50))
    bins = choose_bins(np.concatenate([-tail, tail]))
    assert bins.low == pytest.approx(-bins.high[::-1])
    assert not bins.has_zeros


def test_bins_hold_the_values_that_their_labels_say():
    values = np.concatenate([np.zeros(3), np.linspace(-7, 11, 90)])
    bins = choose_bins(values)
    number = bins.number_bins(values)
    inside = values != 0
    assert np.all(bins.low[number][inside] <= values[inside])
    assert np.all(values[inside] < bins.high[number][inside])
    assert {bins.labels[k] for k in number[~inside]} == {"0"}


@pytest.mark.parametrize("values", [[0.0], [0.0, 0.0], [5.0], [-5.0, -5.0], [1e-300, 1e300]])
def test_odd_data_has_bins_too(values):
    trace = trace_of(np.array(values))
    assert trace.y.sum() == pytest.approx(1)
    assert len(trace.x) == len(trace.labels) <= 200


@pytest.mark.parametrize("name", NAMES)
def test_shares_of_every_resample_sum_to_one(name):
    rows = tied_rows()
    values = CURVES[name].bind(rows, uneven(60))(resamples(60, weight=uneven(60)))
    assert values.sum(axis=1) == pytest.approx(np.ones(5))


def test_a_share_is_the_weight_in_the_bin():
    rows = Amounts(np.array([1.0, 1, 3]), np.zeros(3))
    trace = CURVES["distribution_y"].bind(rows, np.ones(3)).trace(np.array([1.0, 2, 5]))
    assert trace.y[trace.y > 0] == pytest.approx([3 / 8, 5 / 8])


def test_the_density_of_errors_integrates_to_nearly_one():
    rows = Amounts(np.zeros(500), np.random.default_rng(1).normal(size=500))
    bound = CURVES["error_density"].bind(rows, np.ones(500))
    values = bound(resamples(500))
    step = bound.grid[1] - bound.grid[0]
    assert values.sum(axis=1) * step == pytest.approx(np.ones(5), abs=0.02)


def test_the_density_is_that_of_the_kernels():
    rows = Amounts(np.zeros(40), np.random.default_rng(2).normal(size=40))
    weight = uneven(40)
    trace = CURVES["error_density"].bind(rows, weight).trace(weight)
    width = 2 * (trace.x[1] - trace.x[0])
    distance = (trace.x[:, None] - rows.error.values) / width
    slow = np.exp(-(distance**2) / 2) @ weight / weight.sum() / width / np.sqrt(2 * np.pi)
    assert trace.y == pytest.approx(slow, abs=2e-3 * slow.max())


def test_a_spread_that_is_only_rounding_has_no_density():
    scores = 1e12 + np.spacing(1e12) * (np.arange(20) % 2)
    bound = CURVES["error_density"].bind(Amounts(np.zeros(20), scores), np.ones(20))
    assert bound(resamples(20)).size == 0
