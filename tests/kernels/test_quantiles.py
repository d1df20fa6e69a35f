"""Quantiles and bucket means = those of the resample written out, or of their definition."""

from itertools import pairwise

import numpy as np
import pytest

from reportgen.kernels.batch import Batch, Column
from reportgen.kernels.quantiles import (
    compute_bucket_means,
    compute_quantile_intervals,
    compute_quantiles,
)
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import BATCHES, SIZES, TIES, batch_of, data


def interval_by_definition(values, weight, q):
    """Among values with weight: the lowest whose share at or below reaches q, and passes it."""
    order = np.argsort(values[weight > 0], kind="stable")
    values, share = values[weight > 0][order], np.cumsum(weight[weight > 0][order]) / weight.sum()
    low = values[np.flatnonzero(share >= q - 1e-12)[0]]
    above = np.flatnonzero(share > q + 1e-12)
    return low, values[above[0]] if len(above) else low


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_a_quantile_is_where_the_weight_passes_its_share(path, kind, ties):
    for n in SIZES:
        rows, batch = data(n, ties), batch_of(n, kind)
        for q in (0.0, 0.1, 0.5, 0.9, 1.0):
            low, high = compute_quantile_intervals(rows.score, batch, q)
            assert low.shape == high.shape == (batch.size,)
            for lane in range(0, batch.size, 17):
                weight = batch.weights[:, lane]
                if weight.sum() == 0:
                    assert np.isnan(low[lane]) and np.isnan(high[lane])
                else:
                    expected = interval_by_definition(rows.score.values, weight, q)
                    assert (low[lane], high[lane]) == expected


def test_the_median_is_that_of_the_resample_written_out(path):
    for n in SIZES:
        column, batch = data(n, "some").error, batch_of(n, "counts")
        got = compute_quantiles(column, batch, 0.5)
        for lane in range(64):
            values = np.repeat(column.values, batch.count[:, lane])
            if len(values):
                assert got[lane] == np.median(values)


def test_half_the_weight_on_each_side_gives_the_middle(path):
    batch = Batch.from_weights(np.array([0.1, 0.2, 0.3]))  # 0.1 + 0.2 is not 0.3 in doubles
    assert compute_quantiles(Column(np.array([1.0, 2.0, 4.0])), batch, 0.5)[0] == 3.0


def buckets_by_definition(rows, weight, cuts):
    """Units in score order, tied ones all alike, poured into buckets one group at a time."""
    sums = np.zeros(len(cuts) - 1)
    start = 0.0
    for score in np.unique(rows.score.values):
        tied = rows.score.values == score
        size = weight[tied].sum()
        if size > 0:
            mean = (weight[tied] * rows.y.values[tied]).sum() / size
            shared = np.minimum(cuts[1:], start + size) - np.maximum(cuts[:-1], start)
            sums += mean * np.maximum(shared, 0)
        start += size
    return sums


@pytest.mark.parametrize("edges", ["fractional", "integer"])
@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_bucket_means_are_those_of_the_poured_units(path, ties, kind, edges):
    for n in SIZES:
        rows, batch = data(n, ties), batch_of(n, kind)
        for buckets in (1, 2, 7):
            got = compute_bucket_means(rows, batch, buckets, edges)
            assert got.shape == (batch.size, buckets)
            for lane in range(0, batch.size, 17):
                weight = batch.weights[:, lane]
                cuts = np.linspace(0, weight.sum(), buckets + 1)
                cuts = np.trunc(cuts) if edges == "integer" else cuts
                size = np.diff(cuts)
                sums = np.where(size > 0, got[lane], 0) * size
                assert np.isnan(got[lane][size == 0]).all()
                if edges == "fractional" or batch.is_whole:
                    expected = buckets_by_definition(rows, weight, cuts)
                    scale = 1e-300 + weight @ np.abs(rows.y.values)
                    assert np.abs(sums - expected)[size > 0].max(initial=0) <= 1e-12 * scale


def test_integer_edges_without_ties_are_plain_slices(path):
    rows, batch = data(130, "none"), batch_of(130, "counts")
    got = compute_bucket_means(rows, batch, 8, "integer")
    for lane in range(64):
        copies = np.repeat(rows.score.order, batch.count[rows.score.order, lane])
        y = rows.y.values[copies]
        cuts = np.linspace(0, len(y), 9).astype(int)
        expected = [y[a:b].mean() for a, b in pairwise(cuts)]
        assert np.allclose(got[lane], expected, rtol=0, atol=1e-12)


def test_a_row_on_an_edge_is_shared(path):
    rows = Amounts(np.array([1.0, 2.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    got = compute_bucket_means(rows, Batch.from_weights(np.ones(3)), 2)
    assert got[0].tolist() == pytest.approx([(1 + 2 / 2) / 1.5, (2 / 2 + 6) / 1.5])


def test_tied_scores_are_spread_evenly(path):
    rows = Amounts(np.array([0.0, 1.0, 2.0, 9.0]), np.array([5.0, 5.0, 5.0, 5.0]))
    assert compute_bucket_means(rows, Batch.from_weights(np.ones(4)), 2)[0].tolist() == [3.0, 3.0]
