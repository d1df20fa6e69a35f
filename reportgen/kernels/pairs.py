"""Sums over pairs of rows, and over products of midranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import (
    Batch,
    Column,
    Index,
    Matrix,
    Memo,
    Places,
    Scored,
    Vector,
    sort_by_group,
)
from reportgen.kernels.buffers import allocate_for_owner, borrow_buffer
from reportgen.kernels.row_pairs import Numbers, RowPairWeights, compute_row_pairs
from reportgen.kernels.ties import (
    BIGGEST,
    Groups,
    find_groups,
    number_groups,
    sum_cubed_weights,
    sum_differing_pairs,
    sum_squared_weights,
    sum_tie_powers,
    sum_weights,
)
from reportgen.kernels.weight_blocks import (
    WIDE,
    WeightBlock,
    cumulate_in_order,
    fits_bytes,
    largest_count,
    map_blocks,
    split_batch,
    sum_in_order,
)
from reportgen.records import record

PRODUCTS = "products of ranks"
FEW_ROWS = 512  # the most whose sums over pairs one call computes: FEW of kernels.c
FEW_TOTAL = 2**15  # totals of counts below this fit its 16-bit sums


@record
class RankSums:
    """Weighted sums over rows of products of centred midranks, each of shape (b,).

    Whole-number weights of a total below two million are exact to the last division; a spread is
    exactly 0 where all weight lies on one value.
    """

    score_y: Vector
    score_score: Vector
    y_y: Vector


def compute_rank_sums(rows: Scored, batch: Batch) -> RankSums:
    """Sxy, Sxx and Syy of the midranks of score (x) and y under each weighting.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    >>> sums = compute_rank_sums(rows, Batch.from_weights(np.ones(3)))
    >>> sums.score_y, sums.y_y
    (array([1.]), array([2.]))
    """
    return batch.once(rows, "rank sums", lambda: _rank_sums(rows, batch))


def _rank_sums(rows: Scored, batch: Batch) -> RankSums:
    if _are_few(batch):
        y, score = _rank_few(rows.y, batch), _rank_few(rows.score, batch)
        products = _sum_few_pairs(rows, batch).products
        return RankSums(products / 4, score.squares / 4, y.squares / 4)
    if batch.is_whole and (sum_weights(batch) < BIGGEST).all():
        score_y = batch.once(rows, PRODUCTS, lambda: _products(rows, batch)).astype(np.float64)
        return RankSums(score_y / 4, _whole_spread(rows.score, batch), _whole_spread(rows.y, batch))
    blocks = split_batch(batch, fewest=batch.size)  # in double precision
    parts = np.concatenate([_real_products(rows, block) for block in blocks], axis=1)
    return RankSums(*(parts[:, : batch.size] / 4))


@record
class _FewRanks:
    """Ranks of the groups of few rows, (blocks, groups, 64), doubled and centred.

    Under each weighting, (b,): the pairs of different groups, and the sum of weight * rank^2.
    """

    ranks: NDArray[np.int16]
    untied: Vector
    squares: Vector


@record
class _FewPairs:
    """Sums over pairs of few rows, each of shape (b,).

    `tied` is the sum of squared weights of groups tied in both columns, `products` that of
    weight * both ranks.
    """

    discordant: Vector
    tied: Vector
    products: Vector


def _are_few(batch: Batch) -> bool:
    """Tell whether compiled code finds all sums over pairs of the batch in one call."""
    n = len(batch.count)
    if not native.is_native() or not batch.is_whole or batch.count.dtype != np.uint8:
        return False
    return 0 < n <= FEW_ROWS and n * largest_count(batch) < FEW_TOTAL


def _rank_few(column: Column, batch: Batch) -> _FewRanks:
    def rank() -> _FewRanks:
        groups, blocks = find_groups(column), -(-batch.size // WIDE)
        ranks = np.empty((blocks, groups.number, WIDE), np.int16)
        untied, squares = np.empty((2, blocks * WIDE))
        where = (batch.count, batch.size, groups.order, groups.last, len(column))
        native.call_kernel("whole_few_ranks", *where, ranks, untied, squares)
        return _FewRanks(ranks, untied[: batch.size], squares[: batch.size])

    return batch.once(column, "ranks of few", rank)


def _sum_few_pairs(rows: Scored, batch: Batch) -> _FewPairs:
    def sum_pairs() -> _FewPairs:
        order = rows.once("by score and y", lambda: _order_by_both(rows.score, rows.y))
        score, y = _rank_few(rows.score, batch), _rank_few(rows.y, batch)
        sums = np.empty((3, score.ranks.shape[0] * WIDE))
        groups = (rows.score.group[order], rows.y.group[order])
        where = (batch.count, batch.size, order, *groups, len(rows))
        ranks = (score.ranks, rows.score.groups, y.ranks, rows.y.groups)
        native.call_kernel("whole_few_pairs", *where, *ranks, *sums)
        return _FewPairs(*sums[:, : batch.size])

    return batch.once(rows, "pairs of few", sum_pairs)


def store_rank_products(rows: Scored, batch: Batch, products: NDArray[np.int64]) -> None:
    """Leave with the batch what a walk has found: sums of weight * both ranks, (b,).

    Ranks are doubled and centred midranks.
    """
    batch.once(rows, PRODUCTS, lambda: products)


def _products(rows: Scored, batch: Batch) -> NDArray[np.int64]:
    """Compute the sums of rank products where no walk has found them."""
    parts = [_whole_products(rows, batch, block) for block in split_batch(batch)]
    return np.concatenate(parts)[: batch.size]


def _whole_spread(column: Column, batch: Batch) -> Vector:
    """Sum of count * midrank^2 = (W^3 - sum of the groups' cubes) / 12, in whole numbers."""
    total = sum_weights(batch).astype(np.int64)
    ties = sum_tie_powers(column, batch, find_groups(column))[1]
    groups = sum_cubed_weights(batch).astype(np.int64) + ties.astype(np.int64)
    return np.asarray((total**3 - groups) / 12)


def _whole_products(rows: Scored, batch: Batch, block: WeightBlock) -> NDArray[np.int64]:
    """Sum of count * rank by score * rank by y, both doubled and centred."""
    if not block.is_bytes:
        weight = block.weight.astype(np.int64)
        x, y = (_whole_ranks(weight, find_groups(column)) for column in (rows.score, rows.y))
        products: NDArray[np.int64] = (weight * x[rows.score.group] * y[rows.y.group]).sum(axis=0)
        return products
    score, totals = find_groups(rows.score), _totals_of(block, batch)
    table = batch.once(
        rows.y, f"ranks {block.first}", lambda: _byte_ranks(rows.y, batch, block, totals)
    )
    most = max(1, int(totals.max())) ** 2 * largest_count(batch)
    out = np.empty(block.width, dtype=np.int64)
    group = rows.once("y group by score", lambda: rows.y.group[score.order])
    where = (block.weight, score.order, score.last, group, len(rows), totals, table)
    native.call_kernel("whole_rank_products", *where, max(1, 2**53 // most), out)
    return out


def _totals_of(block: WeightBlock, batch: Batch) -> NDArray[np.uint64]:
    """Return the totals of these columns, 0 for columns that pad."""
    totals = np.zeros(block.width, dtype=np.uint64)
    here = sum_weights(batch)[block.first : block.first + block.width]
    totals[: len(here)] = here.astype(np.uint64)
    return totals


def _byte_ranks(
    y: Column, batch: Batch, block: WeightBlock, totals: NDArray[np.uint64]
) -> NDArray[np.float32]:
    """Doubled centred midranks by group; single precision holds them, being below 2^21."""
    groups = find_groups(y)
    table = allocate_for_owner(batch, (groups.number, block.width), np.float32)
    where = (block.weight, groups.order, groups.last, len(groups.order), totals)
    native.call_kernel("whole_centred_ranks", *where, table)
    return table


def _whole_ranks(weight: NDArray[np.int64], groups: Groups) -> NDArray[np.int64]:
    """Doubled centred midranks by group, in whole numbers."""
    running = np.zeros((len(weight) + 1, weight.shape[1]), dtype=np.int64)
    np.cumsum(weight[groups.order], axis=0, out=running[1:])
    ends = running[np.append(0, groups.end)]
    return np.asarray(ends[1:] + ends[:-1] - running[-1])


def _real_products(rows: Scored, block: WeightBlock) -> Matrix:
    """Sum w*x*y, w*x*x and w*y*y over doubled centred midranks, in row order: (3, width)."""
    score, y = find_groups(rows.score), find_groups(rows.y)
    if not native.is_native():
        a = _real_ranks(block, score)[rows.score.group]
        b = _real_ranks(block, y)[rows.y.group]
        wa, wb = block.weight * a, block.weight * b
        return np.stack([sum_in_order(wa * b), sum_in_order(wa * a), sum_in_order(wb * b)])
    out = np.empty((3, block.width))
    with borrow_buffer((score.number + y.number, block.width), np.float64) as tables:
        tables_of = (tables[: score.number], tables[score.number :])
        for groups, table in zip((score, y), tables_of, strict=True):
            ordered = (groups.order, groups.last)
            native.call_kernel("real_ranks", block.width, block.weight, *ordered, len(rows), table)
        numbers = (number_groups(rows.score), number_groups(rows.y))
        where = (block.weight, *numbers, len(rows), *tables_of, out)
        native.call_kernel("real_rank_products", block.width, *where)
    return out


def _real_ranks(block: WeightBlock, groups: Groups) -> Matrix:
    """Doubled centred midranks by group: weight up to its start plus weight up to its end."""
    running = cumulate_in_order(block.weight[groups.order])
    ends = running[np.append(0, groups.end)]
    return np.asarray((ends[:-1] + ends[1:]) - running[-1])


NODE_LEVELS = 6  # so many levels at the bottom the NumPy form replaces by matrix products,
NODE = 1 << NODE_LEVELS  # of nodes of so many ranks
IN_PAIRS = 4096  # rows above which compiled code takes levels in pairs: MANY of whole.h
BY_ROWS_FROM = 50_000  # rows from which sums over all rows come from those of each row


@record
class PairSums:
    """Sums over pairs of different rows of the product of their weights, each of shape (b,).

    tied_y and tied_score include tied_both. weight is the sum of weights W, squares that of their
    squares; total = (W^2 - squares) / 2, which is also concordant + discordant + tied_y +
    tied_score - tied_both. Exact where weights are whole numbers and W < 9e7; untied_y and
    untied_score are exactly 0 where no two rows with weight differ.
    """

    concordant: Vector
    discordant: Vector
    untied_y: Vector
    untied_score: Vector
    tied_both: Vector
    total: Vector
    weight: Vector
    squares: Vector

    @property
    def difference(self) -> Vector:
        """Concordant less discordant: the numerator of every Kendall tau."""
        return self.concordant - self.discordant

    @property
    def tied_y(self) -> Vector:
        """Pairs with equal y."""
        return self.total - self.untied_y

    @property
    def tied_score(self) -> Vector:
        """Pairs with equal score."""
        return self.total - self.untied_score

    @property
    def tied_score_only(self) -> Vector:
        """Pairs with equal score whose y differ: the half points of an AUC."""
        return self.untied_y - self.concordant - self.discordant


def compute_pair_sums(rows: Scored, batch: Batch) -> PairSums:
    """Concordant, discordant and tied pairs of y and score under each weighting.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 2.0, 2.0]), np.array([5.0, 4.0, 7.0]))
    >>> sums = compute_pair_sums(rows, Batch.from_weights(np.array([1.0, 2.0, 1.0])))
    >>> sums.concordant, sums.discordant, sums.tied_y
    (array([1.]), array([2.]), array([2.]))
    """
    return batch.once(rows, "pair sums", lambda: _pair_sums(rows, batch))


def _pair_sums(rows: Scored, batch: Batch) -> PairSums:
    if (
        batch.index is None
        and len(rows) >= BY_ROWS_FROM
        and (gaps := _find_left_out_rows(batch)) is not None
    ):
        return _sum_by_rows(rows, compute_row_pairs(rows, np.ones(len(rows))), gaps)
    weight, squares = sum_weights(batch), sum_squared_weights(batch)
    total = (weight * weight - squares) / 2
    if _are_few(batch):
        few = _sum_few_pairs(rows, batch)
        discordant = few.discordant
        y, score = _rank_few(rows.y, batch).untied, _rank_few(rows.score, batch).untied
        either = (weight * weight - few.tied) / 2
    else:
        y = sum_differing_pairs(rows.y, batch, find_groups(rows.y))
        score = sum_differing_pairs(rows.score, batch, find_groups(rows.score))
        groups = rows.once("pair groups", lambda: _pair_groups(rows))
        either = sum_differing_pairs(rows, batch, groups)
        discordant = compute_discordant_pairs(rows, batch)
    return PairSums(
        concordant=np.maximum(y + score - either - discordant, 0.0),
        discordant=discordant,
        untied_y=y,
        untied_score=score,
        tied_both=np.maximum(total - either, 0.0),
        total=total,
        weight=weight,
        squares=squares,
    )


def _find_left_out_rows(batch: Batch) -> list[Index] | None:
    """Find the rows that each weighting omits; None unless these are few and all counts 0 or 1."""
    if not batch.is_whole or not len(batch.count) or batch.count.max() > 1:
        return None
    n, left_out = len(batch.count), len(batch.count) - batch.count.sum(axis=0, dtype=np.intp)
    if left_out.sum() > n // 2:
        return None
    return [
        np.flatnonzero(column == 0) if gaps else np.empty(0, np.intp)
        for column, gaps in zip(batch.count.T, left_out, strict=True)
    ]


def _sum_by_rows(rows: Scored, pairs: RowPairWeights, gaps: Sequence[Index]) -> PairSums:
    """Compute the pair sums from the rows' shares of them: whole numbers, so exact in any order.

    Pairs of two rows that are left out are in the shares of both.
    """
    n = len(rows)
    weight = np.array([float(n - len(gap)) for gap in gaps])
    inner = [_sum_some_rows(rows, gap) for gap in gaps]

    def subtract_left_out(share: Numbers, within: str) -> Vector:
        own = (getattr(sums, within)[0] if sums else 0.0 for sums in inner)
        lost = np.array([share[gap].sum() for gap in gaps]) - np.fromiter(own, np.float64)
        return float(share.sum()) / 2 - lost

    return PairSums(
        concordant=subtract_left_out(pairs.concordant, "concordant"),
        discordant=subtract_left_out(pairs.discordant, "discordant"),
        untied_y=subtract_left_out(pairs.untied_y, "untied_y"),
        untied_score=subtract_left_out(pairs.untied_score, "untied_score"),
        tied_both=subtract_left_out(pairs.tied_both, "tied_both"),
        total=weight * (weight - 1) / 2,
        weight=weight,
        squares=weight.copy(),
    )


def _sum_some_rows(rows: Scored, some: Index) -> PairSums | None:
    """Sum over pairs of these rows alone; return None where there is no pair."""
    if len(some) < 2:
        return None
    return _pair_sums(_RowSubset(rows, some), Batch.from_weights(np.ones(len(some))))


class _RowSubset:
    """Some of the rows."""

    def __init__(self, rows: Scored, some: Index) -> None:
        self.y, self.score = Column(rows.y.values[some]), Column(rows.score.values[some])
        self.once = Memo()

    def __len__(self) -> int:
        return len(self.y)


def compute_discordant_pairs(rows: Scored, batch: Batch) -> Vector:
    """Sum over pairs that y and score put in opposite order, shape (b,)."""
    is_by_y = batch.is_whole and _count_largest_tie(rows.y) > _count_largest_tie(rows.score)
    name = f"parting {'y' if is_by_y else 'score'} {native.is_native()}"
    partition = rows.once(name, lambda: _build_partition(rows, is_by_y))
    most = largest_count(batch) if fits_bytes(batch) else 1
    sums: Vector = map_blocks(batch, lambda block: partition.discordant(block, most)[None])[0]
    return sums


def _pair_groups(rows: Scored) -> Groups:
    """Rows that are equal in both y and score."""
    order = _sort_by_y(rows)
    y, score = rows.y.group[order], rows.score.group[order]
    differs = (y[1:] != y[:-1]) | (score[1:] != score[:-1])
    return Groups.from_order(order, np.append(differs, True)[: len(order)])


def _sort_by_y(rows: Scored) -> Places:
    """Rows by y, and by score within equal y."""
    return rows.once("sequence", lambda: _order_by_both(rows.y, rows.score))


def _order_by_both(first: Column, second: Column) -> Places:
    """Rows by one column, and by the other where it is equal."""
    return second.order[sort_by_group(first.group[second.order])]


def _count_largest_tie(column: Column) -> int:
    """Return how many rows the largest group of equal values has."""

    def measure() -> int:
        return int(np.diff(find_groups(column).end, prepend=0).max(initial=0))

    return column.once("most tied", measure)


def _build_partition(rows: Scored, is_by_y: bool) -> RadixPartition:
    """Build the partition of rows in order of score, to be sorted by y, or the other way round."""
    sequence = _order_by_both(rows.score, rows.y) if is_by_y else _sort_by_y(rows)
    by = (rows.y if is_by_y else rows.score).group[sequence]
    rank = np.empty(len(rows), dtype=np.int32)
    rank[sort_by_group(by)] = np.arange(len(rows), dtype=np.int32)
    return RadixPartition(sequence, rank)


class RadixPartition:
    """Partition of rows in `sequence` by their ranks: which half each row goes to at each level.

    A node of level l holds the rows of 2^(depth - l) consecutive ranks, and lies where its ranks
    lie; line l of `bits`, eight rows a byte, is 1 where a row, in the order it has there, belongs
    to the upper half. For compiled code only, `ways` says how the rows of each four ranks stand to
    each other, and `sorted` whether those of each node stand by their ranks.
    """

    def __init__(self, sequence: Places, rank: Places) -> None:
        self.sequence = sequence
        self.depth = max(0, len(rank) - 1).bit_length()
        self.low_rank = np.empty(0, dtype=np.uint8)
        self.bits = np.zeros((self.depth, -(-len(rank) // 8)), dtype=np.uint8)
        self.ways = np.empty(len(rank) // 4, dtype=np.uint8)
        self.sorted = np.ones(1 << self.depth, dtype=np.uint8)
        if native.is_native():
            ranks, flags = np.stack([rank, rank]), (self.bits, self.ways, self.sorted)
            native.call_kernel("parting", *ranks, len(rank), self.depth, *flags)
            return
        for level in range(self.depth):
            if self.depth - level == NODE_LEVELS or level == 0:
                self.low_rank = (rank % NODE).astype(np.uint8)
            is_upper = (rank >> (self.depth - 1 - level)) & 1
            self.bits[level] = np.packbits(is_upper, bitorder="little")
            rank = rank[self._order_next_level(level)]

    def _order_next_level(self, level: int) -> NDArray[np.intp]:
        """Return which row of this level stands at each place of the next."""
        upper = self._is_upper(level)
        moved = np.empty(len(upper), dtype=np.intp)
        is_upper_place = self._is_upper_place(level)
        moved[is_upper_place] = np.flatnonzero(upper)
        moved[~is_upper_place] = np.flatnonzero(~upper)
        return moved

    def _is_upper(self, level: int) -> NDArray[np.bool_]:
        """Return whether each row of this level belongs to an upper half."""
        bits = np.unpackbits(self.bits[level], count=len(self.sequence), bitorder="little")
        return bits.view(np.bool_)

    def _is_upper_place(self, level: int) -> NDArray[np.bool_]:
        """Return whether a place of the next level belongs to an upper half of this one."""
        return np.asarray((np.arange(len(self.sequence)) >> (self.depth - 1 - level)) & 1 == 1)

    def discordant(self, block: WeightBlock, most: int) -> Vector:
        """Sum over discordant pairs for each column; `most` is the largest one-byte count."""
        n = len(self.sequence)
        if not native.is_native():
            return self._discordant_whole(block) if block.is_whole else self._discordant(block)
        out = np.empty(block.width, dtype=np.uint64 if block.is_bytes else np.float64)
        weights, sizes = (block.weight, self.sequence, self.bits), (n, self.depth)
        # The rows of one part of the first level, which compiled code takes in pairs of many rows.
        # Parts at the start that are sorted already are not kept.
        is_in_pairs = block.is_bytes and n > IN_PAIRS
        part = 1 << max(0, self.depth - (2 if is_in_pairs else 1))
        skip = part * int(np.argmin(self.sorted[4:8])) if is_in_pairs else 0
        with borrow_buffer((n - skip + part, block.width), block.weight.dtype) as rows:
            here, there = rows[: n - skip], rows[n - skip :]
            if block.is_bytes:
                flags = (self.ways, self.sorted)
                native.call_kernel(
                    "whole_discordant", *weights, *flags, *sizes, skip, most, here, there, out
                )
            else:
                native.call_kernel(
                    "real_discordant", block.width, *weights, *sizes, here, there, out
                )
        return out.astype(np.float64)

    def _discordant(self, block: WeightBlock) -> Vector:
        """Level by level, adding in row order as compiled code does."""
        weight: Matrix = np.take(block.weight, self.sequence, axis=0)
        total = np.zeros(block.width)
        for level in range(self.depth):
            moved = self._order_next_level(level)
            weight = np.take(weight, moved, axis=0)
            total += self._crossing(weight, moved, level)
        return total

    def _discordant_whole(self, block: WeightBlock) -> Vector:
        """Sum over discordant pairs of whole numbers: exact in any order, so it can be faster."""
        n, width = block.weight.shape
        total = np.zeros(width)
        with borrow_buffer((5, n + NODE + 1, width), np.float64) as (here, there, *spare):
            _take_rows(block.weight, self.sequence, here)
            for level in range(max(0, self.depth - NODE_LEVELS)):
                moved = self._order_next_level(level)
                after = _take_rows(here, moved, there)
                total += self._whole_crossing(after, moved, level, spare)
                here, there = there, here
            return total + self._count_within_nodes(here[:n])

    def _whole_crossing(
        self, after: Matrix, moved: NDArray[np.intp], level: int, spare: list[Matrix]
    ) -> Vector:
        """Compute `_crossing` from one running sum over the rows of all upper halves."""
        lower = np.flatnonzero(~self._is_upper_place(level))
        upper = np.flatnonzero(self._is_upper_place(level))
        running = _running_in_blocks(_take_rows(after, upper, spare[0][1:]), spare[0])
        before = np.append(0, np.cumsum(self._is_upper(level), dtype=np.intp))
        starts = lower >> (self.depth - level) << (self.depth - level)
        passed = _take_rows(running, before[moved[lower]], spare[1])
        passed -= _take_rows(running, before[starts], spare[2])
        return np.asarray(np.einsum("ij,ij->j", passed, _take_rows(after, lower, spare[2])))

    def _crossing(self, after: Matrix, moved: NDArray[np.intp], level: int) -> Vector:
        """Sum over pairs of one level whose row of the upper half came first, in row order."""
        n, half = len(after), 1 << (self.depth - 1 - level)
        full = n // (2 * half) * 2 * half
        terms = []
        for start, end, size in ((0, full, 2 * half), (full, n, n - full)):
            if end == start or size <= half:
                continue
            nodes = after[start:end].reshape(-1, size, after.shape[1])
            places = moved[start:end].reshape(-1, size)[:, :half]
            inside = places - np.arange(start, end, size)[:, None]
            passed = inside - np.arange(half)  # rows of the upper half before each of the lower
            running = _cumulate_nodes(nodes[:, half:])
            node = np.arange(len(nodes))[:, None]
            crossing = running[node, passed] * nodes[:, :half]
            terms.append(crossing.reshape(-1, after.shape[1]))
        return sum_in_order(np.concatenate(terms)) if terms else np.zeros(after.shape[1])

    def _count_within_nodes(self, weight: Matrix) -> Vector:
        """Sum over discordant pairs inside nodes of at most NODE ranks, of whole numbers."""
        n, width = weight.shape
        total = np.zeros(width)
        full = n // NODE * NODE
        is_small = weight.max(initial=0) * NODE < 2**24  # so that single precision is exact
        dtype = np.float32 if is_small else np.float64
        for start, end, size in ((0, full, NODE), (full, n, n - full)):
            for first in range(start, end, max(1, size * 32)):
                stop = min(end, first + size * 32)
                rank = self.low_rank[first:stop].reshape(-1, size)
                crossed = np.tril(rank[:, :, None] < rank[:, None, :]).astype(dtype)
                rows = weight[first:stop].reshape(-1, size, width)
                ahead = np.matmul(crossed, rows.astype(dtype)).astype(np.float64)
                total += np.einsum("kij,kij->j", ahead, rows)
        return total


def _take_rows(rows: Matrix, places: NDArray[Any], into: Matrix) -> Matrix:
    """Take the rows at these places into the head of `into`."""
    found: Matrix = np.take(rows, places, axis=0, out=into[: len(places)], mode="clip")
    return found


def _running_in_blocks(rows: Matrix, running: Matrix) -> Matrix:
    """Compute running sums from 0, (n + 1, width), of the whole numbers in `running[1:]`."""
    n, width = rows.shape
    blocks = -(-n // NODE)
    running[0], running[n + 1 : blocks * NODE + 1] = 0, 0
    inside = running[1 : blocks * NODE + 1].reshape(blocks, NODE, width)
    for i in range(1, NODE):
        inside[:, i] += inside[:, i - 1]
    inside[1:] += np.cumsum(inside[:-1, -1], axis=0)[:, None]
    return running[: n + 1]


def _cumulate_nodes(upper: Matrix) -> Matrix:
    """Cumulate sums within each node, from 0: (nodes, h, width) gives (nodes, h + 1, width)."""
    nodes, half, width = upper.shape
    running = np.zeros((nodes, half + 1, width))
    if nodes < half:
        np.cumsum(upper, axis=1, out=running[:, 1:])
        return running
    for i in range(half):
        np.add(running[:, i], upper[:, i], out=running[:, i + 1])
    return running
