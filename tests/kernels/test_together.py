"""Columns that are summed along one walk have the sums that each has alone, to the last bit."""

import numpy as np
import pytest

from reportgen.inference.resampling.design import Design
from reportgen.inference.resampling.replicates import RowSlice, compute_replicates
from reportgen.kernels import cumulative, native
from reportgen.kernels.batch import Batch
from reportgen.kernels.cumulative import (
    MOST,
    CumulativeReads,
    bin_edges,
    cumulate_to_shares,
    group_reads,
    read_together,
)
from reportgen.kernels.resample_counts import draw_multinomial_counts
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import KINDS, TIES, data, on_path

compiled = pytest.mark.skipif(not native.list_kinds(), reason="the kernels were not built")


def reads_of(rows, columns):
    """Several columns by the score, at shares that coincide in part."""
    draw = np.random.default_rng(1)
    values = [rows.y.values, *draw.normal(size=(columns - 1, len(rows)))]
    return [
        CumulativeReads(rows.score, each, bin_edges(5 + k))
        for k, each in enumerate([*values, rows.y.values])
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 64, 1000])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [1, 2, MOST + 1])
def test_sums_together_are_the_sums_alone(n, ties, kind, columns):
    rows = data(n, ties)
    reads, count = reads_of(rows, columns), draw_multinomial_counts(n, 64, 1, 0)
    with on_path(kind):
        for size in (64, 7, 1):
            walked, alone = Batch(count[:, :size]), Batch(count[:, :size])
            read_together(walked, reads)
            for read in reads:
                found, plain = (
                    cumulate_to_shares(read.shares, read.column, read.values, batch)
                    for batch in (walked, alone)
                )
                assert np.array_equal(found, plain)


@compiled
def test_a_walk_is_made_once_and_read_by_all(monkeypatch):
    signed, made = data(500, "some"), []
    rows = Amounts(np.abs(signed.y.values), signed.score.values)  # shares of a total are of sizes
    plain = cumulative.cumulate_columns_to_cuts
    monkeypatch.setattr(
        cumulative, "cumulate_columns_to_cuts", lambda *a: made.append(1) or plain(*a)
    )
    curves = [CURVES[name].bind(rows, np.ones(500)) for name in SHARED]
    assert all(curve.reads is not None for curve in curves)
    monkeypatch.setattr("reportgen.kernels.cumulative.cumulate_to_targets", None)
    found = compute_replicates(
        Design("rows", 500, 64, 1), {None: RowSlice(None, dict(zip(NAMED, curves, strict=True)))}
    )
    assert len(made) == 1 and len(found) == len(SHARED)


SHARED = ("gain", "lift", "concentration", "error_by_rank", "ranking", "bucket_calibration")
NAMED = [(name, "model") for name in SHARED]


def test_shares_that_nobody_asked_for_are_found_alone():
    rows = data(100, "some")
    batch = Batch(draw_multinomial_counts(100, 64, 1, 0))
    read_together(batch, reads_of(rows, 2))
    shares = np.array([0.123, 0.4])
    alone = cumulate_to_shares(shares, rows.score, rows.y.values, Batch(batch.count))
    assert np.array_equal(cumulate_to_shares(shares, rows.score, rows.y.values, batch), alone)


def test_curves_that_read_nothing_together_are_left_out():
    rows = data(100, "some")
    one = CumulativeReads(rows.score, rows.y.values, bin_edges(4))
    other = CumulativeReads(rows.y, rows.y.values, bin_edges(4))
    assert group_reads([None, one, other]) == []
    assert group_reads([one, None, other, one]) == [[one, one]]
