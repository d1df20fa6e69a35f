"""Sums of columns that are made a few rows at a time have the bits of those that lie there."""

import numpy as np
import pytest

from reportgen.kernels import curve_heights
from reportgen.kernels.batch import Batch
from reportgen.kernels.curve_heights import compute_bin_sums, compute_sums_between, shorten_bins
from reportgen.kernels.resample_counts import draw_multinomial_counts
from reportgen.kernels.sums import (
    MADE,
    AbsoluteColumn,
    column_sums,
    sum_generated_columns,
    term_sums,
)
from tests.kernels.conftest import BATCHES, batch_of, data


@pytest.mark.parametrize("n", [0, 1, 65, MADE - 1, MADE, 2 * MADE + 3])
@pytest.mark.parametrize("kind", ["counts", "many lanes", "weights", "one weighting"])
def test_columns_made_block_by_block_have_the_sums_of_whole_ones(path, n, kind):
    rows, batch = data(n, "none"), batch_of(n, kind)
    columns = [rows.y.values, rows.score.values, rows.y.values * rows.score.values]
    whole = column_sums(batch, columns)
    assert np.array_equal(
        sum_generated_columns(batch, lambda part: [c[part] for c in columns]), whole
    )
    terms = [columns[0], columns[1], (columns[0], columns[1])]
    assert np.array_equal(term_sums(batch, terms), whole)


@pytest.mark.parametrize("kind", ["counts", "weights"])
def test_columns_with_gaps_have_the_sums_of_those_without(path, kind):
    n = 2 * MADE + 3
    both, batch = np.random.default_rng(2).random((n, 2)), batch_of(n, kind)
    one, other = both.T
    terms = [one, np.ascontiguousarray(other), (one, other), AbsoluteColumn(other)]
    without = [one.copy(), other.copy(), one * other, np.abs(other)]
    assert np.array_equal(term_sums(batch, terms), column_sums(batch, without))


@pytest.mark.parametrize("kind", BATCHES)
def test_weight_is_shared_between_two_bins(path, kind, monkeypatch):
    monkeypatch.setattr(curve_heights, "MADE", 128)
    n, size = 300, 9
    draw = np.random.default_rng(1)
    left, to_right = draw.integers(-1, size - 2, n).astype(np.int32), draw.random(n)
    batch = batch_of(n, kind)
    apart = compute_bin_sums(batch, left + 1, size, 1.0 - to_right)
    apart += compute_bin_sums(batch, left + 2, size, to_right)
    found = compute_sums_between(batch, lambda rows: (left[rows], to_right[rows]), size)
    assert np.array_equal(found, apart)


@pytest.mark.parametrize("kind", ["counts", "weights"])
def test_there_may_be_more_bins_than_two_bytes_number(path, kind):
    n, size = 500, 70_000
    bins = np.random.default_rng(2).integers(0, size, n)
    bins[:2] = 0, size - 1
    batch = batch_of(n, kind)
    assert shorten_bins(bins, size).dtype == np.int32
    expected = np.stack([np.bincount(bins, w, size) for w in batch.weights.T])
    assert np.array_equal(compute_bin_sums(batch, bins, size), expected)


def test_a_column_is_asked_for_a_few_rows_at_a_time():
    n, asked = 3 * MADE, []
    batch = Batch(draw_multinomial_counts(n, 64, 1, 0))
    sum_generated_columns(
        batch, lambda part: asked.append(part) or [np.ones(part.stop - part.start)]
    )
    assert max(part.stop - part.start for part in asked) in (MADE, n)  # all at once in NumPy
