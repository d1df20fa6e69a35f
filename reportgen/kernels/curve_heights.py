"""Heights of curves along sorted rows at given shares of the weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Index, Matrix, Places, Scored, Vector
from reportgen.kernels.buffers import borrow_buffer
from reportgen.kernels.pairs import store_rank_products
from reportgen.kernels.quantiles import QUANTILE_SLACK, cumulate_rows_to_cuts
from reportgen.kernels.ties import BIGGEST, Groups, find_groups, sum_weights
from reportgen.kernels.weight_blocks import (
    FEW_TO_WALK,
    WIDE,
    WeightBlock,
    cumulate_in_order,
    fits_bytes,
    largest_count,
    slice_byte_columns,
    split_batch,
)
from reportgen.records import record


def compute_sign_sums(y: Column, score: Column, weights: Matrix) -> Matrix:
    """Sign sum of each row under each weighting, shape (n, b). O(n log n) a weighting.

    >>> compute_sign_sums(Column(np.array([1.0, 2, 3])), Column(np.array([5.0, 7, 6])), np.ones((3,
    ...     1))).T
    array([[2., 0., 0.]])
    """
    # With "<" for below, "≤" for below or tied, in y and then in score, the sum is
    # N(<,<) + N(≤,≤) + N(<,≤) + N(≤,<) + W − N(y<) − N(y≤) − N(s<) − N(s≤).
    weightings = np.ascontiguousarray(weights.T)
    y_below, y_tied = _sum_below_and_tied(y, weightings)
    score_below, score_tied = _sum_below_and_tied(score, weightings)
    sums = 4 * _weight_below(y, score, weightings)
    sums += weightings.sum(axis=1)[:, None] - 2 * (y_below + score_below) - y_tied - score_tied
    if y.groups == len(y) and score.groups == len(score):
        return np.asarray((sums + weightings).T)
    before, tied = _sum_below_and_tied(_build_tied_column(y, score), weightings)
    other_before, _ = _sum_below_and_tied(_build_tied_column(score, y), weightings)
    sums += 2 * (before - y_below) + 2 * (other_before - score_below) + tied
    return np.asarray(sums.T)


def _sum_below_and_tied(column: Column, weightings: Matrix) -> tuple[Matrix, Matrix]:
    """For each row, the weight of the rows with a lower value, and with the same (its own too)."""
    below, tied = np.empty(weightings.shape), np.empty(weightings.shape)
    for b, weight in enumerate(weightings):
        ends = np.append(0.0, np.cumsum(weight[column.order])[column.is_last])
        below[b] = ends[:-1][column.group]
        tied[b] = np.diff(ends)[column.group]
    return below, tied


def _weight_below(y: Column, score: Column, weightings: Matrix) -> Matrix:
    """For each row, the weight of the rows strictly below it in both y and score, shape (b, n).

    The rows stand in order of score and are parted by the bits of their place in y, highest
    first. A row's bit 1 meets every row below it exactly once: in the part where their places
    first differ, as a bit 0 that stands before it. Ties are ordered so that they never count.
    """
    n = len(y)
    place = np.empty(n, dtype=np.intp)
    place[np.lexsort((-score.group, y.group))] = np.arange(n)
    rows: Index = np.lexsort((-place, score.group))
    below = np.zeros(weightings.shape)
    for bit in reversed(range(max(n - 1, 0).bit_length())):
        now = place[rows]
        is_high = (now >> bit & 1).astype(bool)
        start = now >> (bit + 1) << (bit + 1)  # places have no gaps, so a part begins here
        before = np.append(0, np.cumsum(~is_high))
        low, high = rows[~is_high], rows[is_high]
        until, since = before[:-1][is_high], before[start[is_high]]
        for weight, gained in zip(weightings, below, strict=True):
            running = np.append(0.0, np.cumsum(weight[low]))
            gained[high] += running[until] - running[since]
        low_rank = before[:-1] - before[start]
        high_rank = np.arange(n) - start - low_rank
        parted = np.empty_like(rows)
        parted[start + np.where(is_high, (1 << bit) + high_rank, low_rank)] = rows
        rows = parted
    return below


def _build_tied_column(first: Column, second: Column) -> Column:
    """Rows in order of the first column, then of the second; tied where both are."""
    return Column(first.group.astype(np.float64) * second.groups + second.group)


BLOCK = 512  # rows of a block of groups, unless it is one group;
MOST = 63  # times counts up to this, twice, stays below 2^16
HALF = 32  # columns at once; all 64 where their ranks take no more memory than the counts,
LARGE = 0.2  # share of the rows from which a group of y is summed up beside the ranks,
MOST_INSIDE = 2**26  # where totals stay below this, so that its sums are exact


@record
class _LargestGroup:
    """The largest group of equal y, where it is summed up apart from the others.

    `inside` flags its rows in the order of the score; it is None where no group is summed up apart.
    In the order of y, the group runs from `start` to `past`. For each row in that order, `place` is
    the place of its score group among the `place_count` groups that have rows of other groups of y,
    and `block` is the block of its score group.
    """

    inside: NDArray[np.uint8] | None
    start: int
    past: int
    place: Places
    block: Places
    place_count: int


def can_compute_wide(batch: Batch) -> bool:
    """Return whether compiled code can take these weightings so."""
    is_quick = native.is_native() and batch.is_whole and fits_bytes(batch)
    return is_quick and batch.size > FEW_TO_WALK and largest_count(batch) <= MOST


def compute_cutoff_heights_wide(rows: Scored, batch: Batch, shares: Vector) -> Matrix:
    """Heights at the shares, the length and the last height: (s + 2, b)."""
    parts, products = [], []
    for first in range(0, batch.size, WIDE):
        found, product = _compute_wide_block(rows, batch, first, shares)
        parts.append(found)
        products.append(product)
    if sum_weights(batch).max(initial=0.0) < BIGGEST:
        store_rank_products(rows, batch, np.concatenate(products)[: batch.size])
    return np.concatenate(parts, axis=1)[:, : batch.size]


def _compute_wide_block(
    rows: Scored, batch: Batch, first: int, shares: Vector
) -> tuple[Matrix, NDArray[np.int64]]:
    """Compute 64 columns of heights, and products of ranks where no sum of them is too large."""
    count, n, k = slice_byte_columns(batch, first), len(rows), len(shares)
    by_y, by_score, blocks = find_groups(rows.y), find_groups(rows.score), _blocks(rows.score)
    totals = np.zeros(WIDE, np.uint64)
    here = sum_weights(batch)[first : first + WIDE]
    totals[: len(here)] = here.astype(np.uint64)
    name = f"cut-off lengths {first}"
    lengths = batch.once(rows.y, name, lambda: _lengths(rows.y, count, totals))
    found, products = np.empty((k + 2, WIDE)), np.zeros(WIDE, np.int64)
    most = int(totals.max(initial=0))
    large = _get_largest_group(rows, most < MOST_INSIDE)
    along = (by_y.order, by_y.last, large.place, large.block, by_score.order, by_score.last, blocks)
    inside = (large.inside, large.start, large.past)
    width = WIDE if 2 * large.place_count <= n else HALF  # as many bytes as counts, at most
    sizes = (int(blocks.max(initial=0)) + 1, width), (large.place_count + 1, width)
    with borrow_buffer(sizes[0], np.int32) as base, borrow_buffer(sizes[1], np.uint16) as off:
        where = (n, by_score.number, largest_count(batch), lengths, shares, k, base, off)
        ends = (found[:k], found[k:], products if most < BIGGEST else None)
        native.call_kernel("whole_cutoffs_wide", width, count, *along, *inside, *where, *ends)
    return found, products


def _lengths(y: Column, count: NDArray[np.uint8], totals: NDArray[np.uint64]) -> Vector:
    """Compute the length of the walk of each column, (64,): the same for every score."""
    groups, lengths = find_groups(y), np.empty(WIDE)
    native.call_kernel(
        "whole_cutoff_lengths", count, groups.order, groups.last, len(y), totals, lengths
    )
    return lengths


def _get_largest_group(rows: Scored, may_be_apart: bool) -> _LargestGroup:
    """Return the largest group of equal y if it is large and may be summed up apart."""
    name = f"large group of y {may_be_apart}"
    return rows.once(name, lambda: _find_largest_group(rows, may_be_apart))


def _find_largest_group(rows: Scored, may_be_apart: bool) -> _LargestGroup:
    ends, groups = find_groups(rows.y).end, find_groups(rows.score)
    starts = np.append(0, ends[:-1])[: len(ends)]
    largest = int(np.argmax(ends - starts)) if len(ends) else 0
    group = rows.score.group[rows.y.order]
    block = _blocks(rows.score)[group]
    if not may_be_apart or not len(ends) or ends[largest] - starts[largest] < LARGE * len(rows):
        return _LargestGroup(None, 0, 0, group, block, groups.number)
    inside = rows.y.group[rows.score.order] == largest
    start, past = int(starts[largest]), int(ends[largest])
    is_read = np.zeros(groups.number, np.bool_)
    is_read[np.delete(group, slice(start, past))] = True
    places = np.cumsum(is_read, dtype=np.int32)
    return _LargestGroup(
        inside.view(np.uint8), start, past, (places - 1)[group], block, int(is_read.sum())
    )


def _blocks(column: Column) -> NDArray[np.int32]:
    """Return the block of each group of equal values: at most 512 rows, or a single group."""
    return column.once("blocks of groups", lambda: _find_blocks(find_groups(column).end))


def _find_blocks(ends: NDArray[np.intp]) -> NDArray[np.int32]:
    starts = np.append(0, ends[:-1])[: len(ends)]
    block, number, group = np.empty(len(ends), np.int32), 0, 0
    while group < len(ends):
        past = max(int(np.searchsorted(ends, starts[group] + BLOCK, side="right")), group + 1)
        block[group:past] = number
        number, group = number + 1, past
    return block


MOST_TOTAL = 2**31  # weights of this total overflow integers of 32 bits
MOST_SHORT = 1 << 16  # bins whose numbers fit two bytes
MADE = 1 << 15  # rows whose places between bins are found at a time
Short = NDArray[np.uint16]  # numbers of bins in two bytes
Between = Callable[[slice], tuple[Places, Vector]]
Corners = tuple[Matrix, Matrix, Vector | float]  # along, height, and what a share is a share of


@record
class CurveHeights:
    """Heights at the shares asked for, (b, s); the whole length and the last height, (b,)."""

    height: Matrix
    length: Vector
    end: Vector


def cumulate_to_targets(column: Column, values: Vector, batch: Batch, targets: Matrix) -> Matrix:
    """Weighted sum of `values` over the first rows of the column that weigh as much as `targets`.

    Targets and sums have shape (b, s); targets rise from left to right.

    >>> column, batch = Column(np.array([3.0, 1.0, 1.0])), Batch.from_weights(np.ones(3))
    >>> cumulate_to_targets(column, np.array([10.0, 4.0, 6.0]), batch, np.array([[1.0, 2.0, 3.0]]))
    array([[ 5., 10., 20.]])
    """
    cuts = np.zeros((targets.shape[1] + 2, batch.size))
    cuts[1:-1], cuts[-1] = targets.T, sum_weights(batch)
    parts = [cumulate_rows_to_cuts(column, values, block, cuts) for block in split_batch(batch)]
    sums = np.concatenate(parts, axis=1)[1:, : batch.size]
    # All the weight, whatever the rounding of its sum in another order says.
    return np.where(cuts[1:-1] >= cuts[-1] * (1 - QUANTILE_SLACK), sums[-1], sums[:-1]).T


def cumulate_ranks(by: Column, ranked: Column, batch: Batch, shares: Vector) -> CurveHeights:
    """Along the weight of the rows by one column: the weighted sum of another's midranks.

    A midrank is the weight below and half the weight tied.
    """

    def corners(block: WeightBlock) -> Corners:
        weight, midrank = block.weight[groups.order], _midranks(block, ranked)
        ends = np.append(0, groups.end)
        along, total = cumulate_in_order(weight)[ends], midrank[1]
        product = cumulate_in_order(weight * midrank[0][group])[ends]
        return along, (product + total * along) * 0.5, total

    groups, group = find_groups(by), _groups_along(by, ranked)
    return _walk(
        "ranks_along", _RankedWalk(groups, group, find_groups(ranked)), batch, shares, corners
    )


def compute_concordance_heights(rows: Scored, batch: Batch, shares: Vector) -> CurveHeights:
    """Along the sum of w·(W − w), rows by score: of w times the weight each row agrees with.

    A row agrees with the other rows that y and score put on the same side of it, and half with
    those tied in either.
    """

    def corners(block: WeightBlock) -> Corners:
        total = _midranks(block, rows.y)[1]
        weight, ends = block.weight[groups.order], np.append(0, groups.end)
        others = total - weight
        signs = compute_sign_sums(rows.y, rows.score, block.weight)[groups.order]
        length = cumulate_in_order(weight * others)
        return length[ends], cumulate_in_order(weight * ((others + signs) / 2))[ends], length[-1]

    groups, group = find_groups(rows.score), _groups_along(rows.score, rows.y)
    ranked = _RankedWalk(groups, group, find_groups(rows.y), has_tree=True)
    return _walk("concordance", ranked, batch, shares, corners)


def compute_cutoff_heights(rows: Scored, batch: Batch, shares: Vector) -> CurveHeights:
    """Along the cuts between distinct y, low to high: pairs across a cut that the score has right.

    A cut with the weight A above and B below it is g·A·B long, g the mean weight of the two groups
    of y beside it that weigh anything; its height is g times the weight of those pairs, ties half.
    """

    def corners(block: WeightBlock) -> Corners:
        rank, total = _midranks(block, rows.score)
        weight = block.weight[groups.order]
        here = _sum_by_group(weight, groups)
        below, product = (
            _cumulate_before(here),
            _cumulate_before(_sum_by_group(weight * rank[group], groups)),
        )
        sides = (total - below) * below
        gap = (_find_last_positive(here) + here) * 0.5
        pairs = np.minimum(np.maximum((sides - product) * 0.5, 0.0), sides)
        along = cumulate_in_order(np.where(here > 0, gap * sides, 0.0))
        return along, cumulate_in_order(np.where(here > 0, gap * pairs, 0.0)), along[-1]

    if can_compute_wide(batch):
        found = compute_cutoff_heights_wide(
            rows, batch, np.ascontiguousarray(shares, dtype=np.float64)
        )
        return CurveHeights(np.ascontiguousarray(found[:-2].T), found[-2], found[-1])
    groups, group = find_groups(rows.y), _groups_along(rows.y, rows.score)
    ranked = _RankedWalk(groups, group, find_groups(rows.score))
    return _walk("cutoffs", ranked, batch, shares, corners)


def compute_under_heights(
    error: Column, batch: Batch, overs: Vector, is_raw: bool = False
) -> CurveHeights:
    """Along OVER, the sum of the errors above 0: UNDER, of those below, while a constant falls.

    `overs` are per unit of weight unless `is_raw`; heights are sums, at most 0.
    """
    values = error.values - (np.median(error.values) if len(error) else 0.0)  # no digits lost
    down = Groups.from_order(error.order[::-1], _starts(error)[::-1])
    values = values[down.order]

    def corners(block: WeightBlock) -> Corners:
        weight, starts = block.weight[down.order], np.append(0, down.end)[:-1]
        above, held = cumulate_in_order(weight), cumulate_in_order(weight * values[:, None])
        value = values[starts][:, None]
        over = held[starts] - value * above[starts]
        under = (held[-1] - value * above[-1]) - over
        along = np.maximum.accumulate(_prepend_zero(over))
        height = _prepend_zero(np.where(under < 0, under, 0.0))
        return along, height, 1.0 if is_raw else above[-1]

    where = _PlainWalk(down, values, is_raw)
    return _walk("overs", where, batch, overs, corners)


def shorten_bins(bins: Index | Places, size: int) -> Places | Short:
    """Numbers of `size` bins in as little room as `compute_bin_sums` reads them from."""
    return bins.astype(np.uint16) if size <= MOST_SHORT else bins.astype(np.int32)


def compute_bin_sums(
    batch: Batch, bins: Index | Places | Short, size: int, values: Vector | None = None
) -> Matrix:
    """Weight, or weighted sum of `values`, of the rows in each bin, shape (b, size).

    >>> compute_bin_sums(Batch.from_weights(np.array([1.0, 2.0, 4.0])), np.array([1, 0, 1]), 3)
    array([[2., 5., 0.]])
    """
    parts = compute_block_bin_sums(batch, bins, size, values)
    together = np.concatenate(parts, axis=1)[:, : batch.size]
    return np.ascontiguousarray(together.T, dtype=np.float64)


def compute_block_bin_sums(
    batch: Batch, bins: Index | Places | Short, size: int, values: Vector | None = None
) -> list[NDArray[np.uint32 | np.float64]]:
    """Sum weight or values by bin, with columns as compiled code takes them, (size, width) each.

    Whole numbers are u32 where rows are single bytes; columns past the batch are 0.
    """
    numbers: Places | Short
    if batch.is_whole and values is None and size <= MOST_SHORT:
        numbers = np.ascontiguousarray(bins, dtype=np.uint16)
    else:
        numbers = np.ascontiguousarray(bins, dtype=np.int32)
    return [_sum_by_bin(batch, block, numbers, size, values) for block in split_batch(batch)]


def compute_sums_between(batch: Batch, between: Between, size: int) -> Matrix:
    """Weight in each of `size` bins, where rows share theirs between two of them, shape (b, size).

    `between` gives for some rows `left` and `to_right`: a row gives `to_right` of its weight to bin
    left + 2, the rest to left + 1. Many rows are asked for in parts, so that neither is kept.
    """
    parts = [_sum_between(block, between, size) for block in split_batch(batch)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1)[:, : batch.size].T)


@record
class _RankedWalk:
    """Input of compiled code for a walk that needs midranks of another column."""

    groups: Groups
    group: NDArray[np.int32]
    ranked: Groups
    has_tree: bool = False

    @property
    def most(self) -> int:
        """The total from which the integer sums overflow."""
        return 2**16 if self.has_tree else MOST_TOTAL

    def run(self, name: str, block: WeightBlock, shares: Vector, out: Matrix, ends: Matrix) -> None:
        width, size = min(HALF, block.width), self.ranked.number
        rank, total = (np.int32, np.uint16) if block.is_bytes else (np.float64, np.float64)
        along = (self.groups.order, self.groups.last, self.group)
        ranked = (self.ranked.order, self.ranked.last, len(self.group))
        with borrow_buffer((size, width), rank) as table:
            if not self.has_tree:
                _run_walk(name, block, *along, *ranked, shares, len(shares), table, out, ends)
                return
            with borrow_buffer((size + 1, width), total) as tree:
                where = (*along, *ranked, size, shares, len(shares), table, tree)
                _run_walk(name, block, *where, out, ends)


@record
class _PlainWalk:
    """Input of compiled code for a walk over values alone."""

    groups: Groups
    values: Vector
    is_raw: bool
    most: int = MOST_TOTAL

    def run(self, name: str, block: WeightBlock, shares: Vector, out: Matrix, ends: Matrix) -> None:
        order = (self.groups.order, self.groups.last, self.values, len(self.values))
        _run_walk(name, block, *order, shares, len(shares), int(self.is_raw), out, ends)


def _walk(
    name: str,
    where: _RankedWalk | _PlainWalk,
    batch: Batch,
    shares: Vector,
    corners: Callable[[WeightBlock], Corners],
) -> CurveHeights:
    """Every column's heights, by compiled code or from all corners at once."""
    shares = np.ascontiguousarray(shares, dtype=np.float64)
    found = []
    for block in split_batch(_widen_heavy_batch(batch, where.most), FEW_TO_WALK):
        if native.is_native():
            out, ends = np.empty((len(shares), block.width)), np.empty((2, block.width))
            where.run(name, block, shares, out, ends)
        else:
            out, ends = _heights(*corners(block), shares)
        found.append(np.concatenate([out, ends]))
    together = np.concatenate(found, axis=1)[:, : batch.size]
    return CurveHeights(np.ascontiguousarray(together[:-2].T), together[-2], together[-1])


def _widen_heavy_batch(batch: Batch, most: int) -> Batch:
    """Return the batch, as doubles where its totals do not fit the whole numbers of a walk."""
    is_bytes = batch.count.dtype == np.uint8 and batch.weight is None
    is_heavy = is_bytes and sum_weights(batch).max(initial=0.0) >= most
    return Batch(batch.weights) if is_heavy else batch


def _run_walk(name: str, block: WeightBlock, *arguments: NDArray[Any] | int | None) -> None:
    if block.is_bytes:
        native.call_kernel(f"whole_{name}", block.weight, *arguments)
    else:
        native.call_kernel(f"real_{name}", block.width, block.weight, *arguments)


def _heights(
    along: Matrix, height: Matrix, of: Vector | float, shares: Vector
) -> tuple[Matrix, Matrix]:
    """Compute heights from all corners, (corners, width), as compiled code does on its way."""
    out = np.empty((len(shares), along.shape[1]))
    of = np.broadcast_to(of, along.shape[1])
    for column in range(along.shape[1]):
        x, y = along[:, column], height[:, column]
        target = shares * of[column]
        right = np.searchsorted(x[1:], target, side="left")
        right = 1 + np.maximum(right, np.searchsorted(x[1:], 0.0, side="right"))
        inside = np.minimum(right, max(len(x) - 1, 0))
        left = np.maximum(inside - 1, 0)
        width = x[inside] - x[left]
        share = np.divide(target - x[left], width, out=np.zeros_like(target), where=width > 0)
        between = y[left] + share * (y[inside] - y[left])
        out[:, column] = np.where(right < len(x), between, y[-1])
    return out, np.stack([along[-1], height[-1]])


def count_by_cell(
    batch: Batch, count: NDArray[np.uint8], cell: Places | Short, counts: NDArray[np.uint32]
) -> None:
    """Put the counts of 64 columns of the batch by cell, (cells, 64), compiled."""
    size = len(counts)
    with borrow_buffer((size, WIDE + 1), np.uint8) as spare:
        sizes = len(cell), size, largest_count(batch)
        native.call_kernel("whole_cells", count, cell, *sizes, spare, counts)


def _sum_by_bin(
    batch: Batch, block: WeightBlock, bins: Places | Short, size: int, values: Vector | None
) -> NDArray[np.uint32 | np.float64]:
    if block.is_bytes and bins.dtype == np.uint16:
        counts = np.empty((size, block.width), np.uint32)
        count_by_cell(batch, block.weight, bins, counts)
        return counts
    if native.is_native():
        sums = np.zeros((size, block.width))
        _run_walk("bins", block, bins.astype(np.int32, copy=False), values, len(bins), sums)
        return sums.astype(np.uint32) if block.is_bytes and values is None else sums
    terms = block.weight if values is None else block.weight * values[:, None]
    return _sum_by_number(terms, bins, size)


def _sum_between(block: WeightBlock, between: Between, size: int) -> Matrix:
    n = len(block.weight)
    if native.is_native():
        with borrow_buffer((2, size, block.width), np.float64) as (lower, upper):
            lower[:], upper[:] = 0, 0
            for first in range(0, n, MADE):
                rows = slice(first, min(first + MADE, n))
                left, to_right = between(rows)
                some = replace(block, weight=block.weight[rows])
                _run_walk("between", some, left, to_right, len(left), lower, upper)
            return np.asarray(lower + upper)
    left, to_right = between(slice(0, n))
    near, far = (block.weight * share[:, None] for share in (1.0 - to_right, to_right))
    return _sum_by_number(near, left + 1, size) + _sum_by_number(far, left + 2, size)


def _sum_by_number(terms: Matrix, number: Places | Short, size: int) -> Matrix:
    """Sum the rows with each number, row by row as compiled code adds: (size, width)."""
    sums = np.zeros((size, terms.shape[1]))
    for column in range(terms.shape[1]):
        sums[:, column] = np.bincount(number, terms[:, column], minlength=size)
    return sums


def _sum_by_group(terms: Matrix, groups: Groups) -> Matrix:
    """Sum each group, of terms in the order of the groups."""
    size = np.diff(np.append(0, groups.end))
    number = np.repeat(np.arange(groups.number, dtype=np.int32), size)
    return _sum_by_number(terms, number, groups.number)


def _midranks(block: WeightBlock, column: Column) -> tuple[Matrix, Vector]:
    """Twice the centred midrank of each group, (groups, width), and the totals."""
    groups = find_groups(column)
    running = cumulate_in_order(block.weight[groups.order])
    ends = running[np.append(0, groups.end)]
    return (ends[:-1] + ends[1:]) - running[-1], running[-1]


def _groups_along(by: Column, ranked: Column) -> NDArray[np.int32]:
    """Return the group of each row in `ranked`, in the order of `by`."""
    return ranked.group[by.order]


def _starts(column: Column) -> NDArray[np.bool_]:
    """In ascending order: whether a row is the first of its group."""
    return np.append(True, column.is_last[:-1])[: len(column)]


def _cumulate_before(terms: Matrix) -> Matrix:
    """Compute running sums over the first axis up to each row, without that row."""
    return cumulate_in_order(terms)[:-1]


def _prepend_zero(terms: Matrix) -> Matrix:
    return np.concatenate([np.zeros((1, terms.shape[1])), terms])


def _find_last_positive(here: Matrix) -> Matrix:
    """Find the nearest earlier number above zero in each column, 0 where there is none."""
    place = np.where(here > 0, np.arange(1, len(here) + 1)[:, None], 0)
    latest = np.maximum.accumulate(_prepend_zero(place), axis=0)[:-1].astype(np.intp)
    return np.take_along_axis(_prepend_zero(here), latest, axis=0)
