"""Cumulative sums along a sorted column, for all weightings of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.columns import Weightings
from reportgen.kernels.curve_heights import CurveHeights, cumulate_to_targets
from reportgen.kernels.quantiles import QUANTILE_SLACK, SLACK, cumulate_columns_to_cuts
from reportgen.kernels.ties import sum_weights
from reportgen.kernels.weight_blocks import WIDE, fits_bytes, pad_columns, slice_byte_columns
from reportgen.records import record

MOST = 4  # columns that compiled code sums in one walk
Known = dict[int, tuple[Vector, Vector, Matrix]]


@record(eq=False)
class CumulativeReads:
    """Sums of `values`, (n,), over the first `shares` of the weight by a column; shares rise."""

    column: Column
    values: Vector
    shares: Vector

    @cached_property
    def ordered_values(self) -> Vector:
        """The values in the order of the column, (n,)."""
        return self.values[self.column.order]


def read_together(batch: Weightings, reads: Sequence[CumulativeReads]) -> None:
    """Find all that is read along one column, and keep it with the batch for `get_known_sums`.

    Compiled code does so for one-byte counts; elsewhere each is found when it is asked for.
    """
    is_quick = native.is_native() and batch.is_whole and fits_bytes(batch) and batch.size > 1
    if not is_quick or len(reads) < 2:
        return
    column = reads[0].column
    shares = np.unique(np.concatenate([read.shares for read in reads]))
    known = _recall_walk(batch, column)
    # reversed: the first read of each array stays
    distinct = list({id(read.values): read for read in reads[::-1]}.values())
    for first in range(0, len(distinct), MOST):
        some = distinct[first : first + MOST]
        every = _sums(batch, column, [read.ordered_values for read in some], shares)
        for read, sums in zip(some, every, strict=True):
            known[id(read.values)] = read.values, shares, sums


def get_known_sums(
    batch: Weightings, column: Column, values: Vector, shares: Vector
) -> Matrix | None:
    """Return what an earlier walk found of these values at these shares, (b, s); None if none."""
    found = _recall_walk(batch, column).get(id(values))
    if found is None:
        return None
    _, reached, sums = found
    place = np.minimum(np.searchsorted(reached, shares), len(reached) - 1)
    return sums[:, place] if np.array_equal(reached[place], shares) else None


def group_reads(reads: Iterable[CumulativeReads | None]) -> list[list[CumulativeReads]]:
    """Group the reads by column, for those columns along which there are several."""
    groups: dict[int, list[CumulativeReads]] = {}
    for read in reads:
        if read is not None:
            groups.setdefault(id(read.column), []).append(read)
    return [group for group in groups.values() if len(group) > 1]


def _recall_walk(batch: Weightings, column: Column) -> Known:
    known: Known = batch.once(column, "walk together", dict)
    return known


def _sums(
    batch: Weightings, column: Column, values: Sequence[Vector], shares: Vector
) -> list[Matrix]:
    """Compute the sums of each of `values`, in the column's order, at all shares, (b, s)."""
    totals = sum_weights(batch)
    cuts = np.zeros((len(shares) + 2, batch.size))
    cuts[1:-1], cuts[-1] = (shares[None, :] * totals[:, None]).T, totals
    parts = []
    for first in range(0, batch.size, WIDE):
        some = pad_columns(cuts[:, first : first + WIDE], WIDE)
        found = cumulate_columns_to_cuts(column, values, slice_byte_columns(batch, first), some)
        parts.append(found[:, :, : batch.size - first])
    sums = np.concatenate(parts, axis=2)[:, 1:]
    is_all = cuts[1:-1] >= cuts[-1] * (1 - QUANTILE_SLACK)
    return [np.ascontiguousarray(np.where(is_all, each[-1], each[:-1]).T) for each in sums]


# Prefix sums are kept with their batch up to this many numbers, so that many rows fit in memory.
MOST_KEPT = 4_000_000
CHUNK = 1024  # rows whose weights stay in the cache while they are summed


def cumulate_weight(batch: Batch, column: Column) -> Matrix:
    """Weight of the rows in the first g groups of the column, shape (groups + 1, b)."""
    if batch.count.size > MOST_KEPT:
        return _cumulate_in_chunks(batch, column, None)
    return batch.once(column, "weight up to", lambda: _cumulate_in_chunks(batch, column, None))


def cumulate_values(batch: Batch, column: Column, values: Vector | Matrix) -> Matrix:
    """Weighted sum of `values` over the first g groups of the column, shape (groups + 1, b).

    Values have shape (n,), or (n, b) where they differ between weightings.
    """
    return _cumulate_in_chunks(batch, column, values if values.ndim == 2 else values[:, None])


def compute_midranks(batch: Batch, column: Column) -> Matrix:
    """Weight of the rows below each row, and half of those tied with it, shape (n, b)."""
    up = cumulate_weight(batch, column)
    return ((up[1:] + up[:-1]) / 2)[column.group]


def average_by_part(walk: CurveHeights) -> Matrix:
    """Mean height gained in each of equal shares of a walk, from its start to its end, (b, parts).

    The mean of the result is the last height over the length. nan where there is no length.
    """
    parts = walk.height.shape[1] - 1
    return divide(np.diff(walk.height, axis=1), walk.length[:, None] / parts)


def bin_edges(bins: int) -> Vector:
    """Return the edges of `bins` equal parts of [0, 1]."""
    return np.linspace(0.0, 1.0, bins + 1)


def bin_middles(bins: int) -> Vector:
    """Return the middles of `bins` equal parts of [0, 1]."""
    return (np.arange(bins) + 0.5) / bins


def cumulate_to_shares(shares: Vector, column: Column, values: Vector, batch: Batch) -> Matrix:
    """Weighted sum of `values` over the first shares of the weight by the column, shape (b, s).

    Shares rise.
    """
    known = get_known_sums(batch, column, values, shares)
    if known is not None:
        return known
    return cumulate_to_targets(column, values, batch, shares[None, :] * batch.totals[:, None])


def divide(top: Matrix, bottom: Matrix) -> Matrix:
    """Top over bottom, nan where the bottom is not above zero."""
    top, bottom = np.broadcast_arrays(top, bottom)
    quotient = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=quotient, where=bottom > 0)
    return quotient


def compute_column_quantiles(ascending: Vector, weights: Matrix, q: float) -> Vector:
    """Compute the q-quantile of ascending values under each weighting, shape (b,); 0 < q < 1.

    The middle of the interval of all q-quantiles, so the usual median; nan where nothing weighs.
    """
    totals = weights.sum(axis=0)
    shares = divide(np.cumsum(weights, axis=0), totals[None, :])
    if not len(ascending):
        return np.full(len(totals), np.nan)
    low = ascending[np.argmax(shares >= q - SLACK, axis=0)]
    high = ascending[np.argmax(shares > q + SLACK, axis=0)]
    return np.where(totals > 0, low + (high - low) / 2, np.nan)


def _cumulate_in_chunks(batch: Batch, column: Column, values: Matrix | None) -> Matrix:
    """Prefix sums where groups end, a chunk of rows at a time, each on top of the one before."""
    sums = np.zeros((column.groups + 1, batch.size))
    if batch.size == 1:  # one line of numbers, which needs no chunks to stay in the cache
        is_plain = batch.weight is None and bool(np.all(batch.count == 1))
        if values is None and is_plain:
            sums[1:, 0] = np.flatnonzero(column.is_last) + 1
            return sums
        terms = np.ones(len(column)) if values is None else values[:, 0]
        terms = terms if is_plain else batch.weights[:, 0] * terms
        sums[1:, 0] = np.cumsum(terms[column.order])[column.is_last]
        return sums
    filled, carried = 1, np.zeros(batch.size)
    for start in range(0, len(column), CHUNK):
        rows = column.order[start : start + CHUNK]
        running = batch.weights[rows]
        if values is not None:
            running *= values[rows]
        running[0] += carried
        np.cumsum(running, axis=0, out=running)
        carried = running[-1]
        ends = running[column.is_last[start : start + CHUNK]]
        sums[filled : filled + len(ends)] = ends
        filled += len(ends)
    return sums
