"""Columns that are summed along one walk have the sums that each has alone, to the last bit."""

import numpy as np
import pytest

from reportgen.curves import CURVES
from reportgen.kernels import native, together
from reportgen.kernels.batch import Batch
from reportgen.kernels.counts import multinomial
from reportgen.kernels.cumulative import at_shares, edges_of
from reportgen.kernels.together import MOST, Reads, by_column, walk_together
from reportgen.resampling.design import Design
from reportgen.resampling.replicates import Slice, replicate
from tests.kernels.conftest import KINDS, TIES, data, on_path

compiled = pytest.mark.skipif(not native.kinds(), reason="the kernels were not built")


def reads_of(rows, columns):
    """Several columns by the score, at shares that coincide in part."""
    draw = np.random.default_rng(1)
    values = [rows.y.values, *draw.normal(size=(columns - 1, len(rows)))]
    return [
        Reads(rows.score, each, edges_of(5 + k)) for k, each in enumerate([*values, rows.y.values])
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 64, 1000])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [1, 2, MOST + 1])
def test_sums_together_are_the_sums_alone(n, ties, kind, columns):
    rows = data(n, ties)
    reads, count = reads_of(rows, columns), multinomial(n, 64, 1, 0)
    with on_path(kind):
        for size in (64, 7, 1):
            walked, alone = Batch(count[:, :size]), Batch(count[:, :size])
            walk_together(walked, reads)
            for read in reads:
                found, plain = (
                    at_shares(read.shares, read.column, read.values, batch)
                    for batch in (walked, alone)
                )
                assert np.array_equal(found, plain)


@compiled
def test_a_walk_is_made_once_and_read_by_all(monkeypatch):
    rows, made = data(500, "some"), []
    plain = together.upto_cuts_of
    monkeypatch.setattr(together, "upto_cuts_of", lambda *a: made.append(1) or plain(*a))
    curves = [CURVES[name].bind(rows, np.ones(500)) for name in SHARED]
    assert all(curve.reads is not None for curve in curves)
    monkeypatch.setattr("reportgen.kernels.cumulative.sums_at", None)
    found = replicate(
        Design("rows", 500, 64, 1), {None: Slice(None, dict(zip(NAMED, curves, strict=True)))}
    )
    assert len(made) == 1 and len(found) == len(SHARED)


SHARED = ("gain", "lift", "concentration", "error_by_rank", "ranking", "bucket_calibration")
NAMED = [(name, "model") for name in SHARED]


def test_shares_that_nobody_asked_for_are_found_alone():
    rows = data(100, "some")
    batch = Batch(multinomial(100, 64, 1, 0))
    walk_together(batch, reads_of(rows, 2))
    shares = np.array([0.123, 0.4])
    alone = at_shares(shares, rows.score, rows.y.values, Batch(batch.count))
    assert np.array_equal(at_shares(shares, rows.score, rows.y.values, batch), alone)


def test_curves_that_read_nothing_together_are_left_out():
    rows = data(100, "some")
    one = Reads(rows.score, rows.y.values, edges_of(4))
    other = Reads(rows.y, rows.y.values, edges_of(4))
    assert by_column([None, one, other]) == []
    assert by_column([one, None, other, one]) == [[one, one]]
