"""Sums over pairs of rows, a pair weighing the product of its rows' weights.

All sums run over unordered pairs of two different data rows. A row drawn c times is c rows of a
resample, tied with each other in y and in score: those pairs change neither the concordant, nor
the discordant, nor the pairs that differ in y or in score, so tau-b and AUC are those of the
resample written out. Only a count of all its pairs, N(N - 1)/2, needs `weight` instead of `total`.

Method: rows stand in the order of y, and within equal y in that of the score, and are then sorted
by score, most significant bit of the rank first. Each step parts rows into a lower and an upper
half; a pair that a step puts the other way round is discordant. Who goes where does not depend on
the weights, so those bits are found once, and each batch only streams its weights through them
(Knight 1966, turned upside down). Of whole-number weights, whose sums are exact in any order, rows
stand by the one of the two that has fewer ties and are sorted by the other: ties of that one are in
order as they stand, so that compiled code need not sort them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import (
    Batch,
    Column,
    Index,
    Kept,
    Matrix,
    Places,
    Scored,
    Vector,
    by_group,
)
from reportgen.kernels.buffers import room
from reportgen.kernels.lanes import Lanes, fits_bytes, largest_count, ordered_sum, over_lanes
from reportgen.kernels.rowpairs import Numbers, RowPairs, row_pairs
from reportgen.kernels.ties import Groups, differing_pairs, groups_of, weight_squares, weight_totals

NODE_LEVELS = 6  # so many levels at the bottom the NumPy form replaces by matrix products,
NODE = 1 << NODE_LEVELS  # of nodes of so many ranks
IN_PAIRS = 4096  # rows above which compiled code takes levels in pairs: MANY of whole.h
BY_ROWS_FROM = 50_000  # rows from which sums over all rows come from those of each row


@dataclass(frozen=True)
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


def pair_sums(rows: Scored, batch: Batch) -> PairSums:
    """Concordant, discordant and tied pairs of y and score under each weighting.

    >>> from reportgen.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 2.0, 2.0]), np.array([5.0, 4.0, 7.0]))
    >>> sums = pair_sums(rows, Batch.of(np.array([1.0, 2.0, 1.0])))
    >>> sums.concordant, sums.discordant, sums.tied_y
    (array([1.]), array([2.]), array([2.]))
    """
    return batch.once(rows, "pair sums", lambda: _pair_sums(rows, batch))


def _pair_sums(rows: Scored, batch: Batch) -> PairSums:
    if batch.index is None and len(rows) >= BY_ROWS_FROM and (gaps := _gaps(batch)) is not None:
        return _by_rows(rows, row_pairs(rows, np.ones(len(rows))), gaps)
    weight, squares = weight_totals(batch), weight_squares(batch)
    total = (weight * weight - squares) / 2
    y = differing_pairs(rows.y, batch, groups_of(rows.y))
    score = differing_pairs(rows.score, batch, groups_of(rows.score))
    either = differing_pairs(rows, batch, rows.once("pair groups", lambda: _pair_groups(rows)))
    discordant = discordant_pairs(rows, batch)
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


def _gaps(batch: Batch) -> list[Index] | None:
    """The rows that each weighting leaves out; None unless these are few and others weigh one."""
    if not batch.is_whole or not len(batch.count) or batch.count.max() > 1:
        return None
    n, left_out = len(batch.count), len(batch.count) - batch.count.sum(axis=0, dtype=np.intp)
    if left_out.sum() > n // 2:
        return None
    return [np.flatnonzero(lane == 0) if gaps else np.empty(0, np.intp)
            for lane, gaps in zip(batch.count.T, left_out, strict=True)]  # fmt: skip


def _by_rows(rows: Scored, pairs: RowPairs, gaps: Sequence[Index]) -> PairSums:
    """The same sums from the rows' shares of them: whole numbers, so exact in any order.

    Pairs of two rows that are left out are in the shares of both.
    """
    n = len(rows)
    weight = np.array([float(n - len(gap)) for gap in gaps])
    inner = [_of_some(rows, gap) for gap in gaps]

    def without(share: Numbers, within: str) -> Vector:
        own = (getattr(sums, within)[0] if sums else 0.0 for sums in inner)
        lost = np.array([share[gap].sum() for gap in gaps]) - np.fromiter(own, np.float64)
        return float(share.sum()) / 2 - lost

    return PairSums(
        concordant=without(pairs.concordant, "concordant"),
        discordant=without(pairs.discordant, "discordant"),
        untied_y=without(pairs.untied_y, "untied_y"),
        untied_score=without(pairs.untied_score, "untied_score"),
        tied_both=without(pairs.tied_both, "tied_both"),
        total=weight * (weight - 1) / 2,
        weight=weight,
        squares=weight.copy(),
    )


def _of_some(rows: Scored, some: Index) -> PairSums | None:
    """The sums over pairs of these rows alone; None where there is no pair."""
    if len(some) < 2:
        return None
    return _pair_sums(_Some(rows, some), Batch.of(np.ones(len(some))))


class _Some:
    """Some of the rows."""

    def __init__(self, rows: Scored, some: Index) -> None:
        self.y, self.score = Column(rows.y.values[some]), Column(rows.score.values[some])
        self.once = Kept()

    def __len__(self) -> int:
        return len(self.y)


def discordant_pairs(rows: Scored, batch: Batch) -> Vector:
    """Sum over pairs that y and score put in opposite order, shape (b,)."""
    is_by_y = batch.is_whole and _most_tied(rows.y) > _most_tied(rows.score)
    name = f"parting {'y' if is_by_y else 'score'} {native.is_native()}"
    parting = rows.once(name, lambda: _parting(rows, is_by_y))
    most = largest_count(batch) if fits_bytes(batch) else 1
    sums: Vector = over_lanes(batch, lambda lanes: parting.discordant(lanes, most)[None])[0]
    return sums


def _pair_groups(rows: Scored) -> Groups:
    """Rows that are equal in both y and score."""
    order = _sequence(rows)
    y, score = rows.y.group[order], rows.score.group[order]
    differs = (y[1:] != y[:-1]) | (score[1:] != score[:-1])
    return Groups.of(order, np.append(differs, True)[: len(order)])


def _sequence(rows: Scored) -> Places:
    """Rows by y, and by score within equal y."""
    return rows.once("sequence", lambda: _by_both(rows.y, rows.score))


def _by_both(first: Column, second: Column) -> Places:
    """Rows by one column, and by the other where it is equal."""
    return second.order[by_group(first.group[second.order])]


def _most_tied(column: Column) -> int:
    """How many rows the largest group of equal values has."""
    ends = groups_of(column).end
    return column.once("most tied", lambda: int(np.diff(ends, prepend=0).max(initial=0)))


def _parting(rows: Scored, is_by_y: bool) -> Parting:
    """Of rows in the order of the score, to be sorted by y, or the other way round."""
    sequence = _by_both(rows.score, rows.y) if is_by_y else _sequence(rows)
    by = (rows.y if is_by_y else rows.score).group[sequence]
    rank = np.empty(len(rows), dtype=np.int32)
    rank[by_group(by)] = np.arange(len(rows), dtype=np.int32)
    return Parting(sequence, rank)


class Parting:
    """Which half each row goes to at each level, for rows in `sequence` with their ranks.

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
            native.run("parting", *ranks, len(rank), self.depth, *flags)
            return
        for level in range(self.depth):
            if self.depth - level == NODE_LEVELS or level == 0:
                self.low_rank = (rank % NODE).astype(np.uint8)
            is_upper = (rank >> (self.depth - 1 - level)) & 1
            self.bits[level] = np.packbits(is_upper, bitorder="little")
            rank = rank[self._moved(level)]

    def _moved(self, level: int) -> NDArray[np.intp]:
        """Which row of this level stands at each place of the next."""
        upper = self._is_upper(level)
        moved = np.empty(len(upper), dtype=np.intp)
        is_upper_place = self._is_upper_place(level)
        moved[is_upper_place] = np.flatnonzero(upper)
        moved[~is_upper_place] = np.flatnonzero(~upper)
        return moved

    def _is_upper(self, level: int) -> NDArray[np.bool_]:
        """Whether each row of this level belongs to an upper half."""
        bits = np.unpackbits(self.bits[level], count=len(self.sequence), bitorder="little")
        return bits.view(np.bool_)

    def _is_upper_place(self, level: int) -> NDArray[np.bool_]:
        """Whether a place of the next level belongs to an upper half of this one."""
        return np.asarray((np.arange(len(self.sequence)) >> (self.depth - 1 - level)) & 1 == 1)

    def discordant(self, lanes: Lanes, most: int) -> Vector:
        """Sum over discordant pairs for each lane; `most` is the largest one-byte count."""
        n = len(self.sequence)
        if not native.is_native():
            return self._discordant_whole(lanes) if lanes.is_whole else self._discordant(lanes)
        out = np.empty(lanes.width, dtype=np.uint64 if lanes.is_bytes else np.float64)
        weights, sizes = (lanes.weight, self.sequence, self.bits), (n, self.depth)
        # The rows of one part of the first level, which compiled code takes in pairs of many rows.
        part = 1 << max(0, self.depth - (2 if lanes.is_bytes and n > IN_PAIRS else 1))
        with room((n + part, lanes.width), lanes.weight.dtype) as rows:
            here, there = rows[:n], rows[n:]
            if lanes.is_bytes:
                flags = (self.ways, self.sorted)
                native.run("whole_discordant", *weights, *flags, *sizes, most, here, there, out)
            else:
                native.run("real_discordant", lanes.width, *weights, *sizes, here, there, out)
        return out.astype(np.float64)

    def _discordant(self, lanes: Lanes) -> Vector:
        """Level by level, adding in row order as compiled code does."""
        weight: Matrix = np.take(lanes.weight, self.sequence, axis=0)
        total = np.zeros(lanes.width)
        for level in range(self.depth):
            moved = self._moved(level)
            weight = np.take(weight, moved, axis=0)
            total += self._crossing(weight, moved, level)
        return total

    def _discordant_whole(self, lanes: Lanes) -> Vector:
        """The same for whole numbers, which are exact in any order and so allow short cuts."""
        n, width = lanes.weight.shape
        total = np.zeros(width)
        with room((5, n + NODE + 1, width), np.float64) as (here, there, *spare):
            _taken(lanes.weight, self.sequence, here)
            for level in range(max(0, self.depth - NODE_LEVELS)):
                moved = self._moved(level)
                after = _taken(here, moved, there)
                total += self._whole_crossing(after, moved, level, spare)
                here, there = there, here
            return total + self._of_nodes(here[:n])

    def _whole_crossing(
        self, after: Matrix, moved: NDArray[np.intp], level: int, spare: list[Matrix]
    ) -> Vector:
        """The same as `_crossing` from one running sum over the rows of all upper halves."""
        lower = np.flatnonzero(~self._is_upper_place(level))
        upper = np.flatnonzero(self._is_upper_place(level))
        running = _running_in_blocks(_taken(after, upper, spare[0][1:]), spare[0])
        before = np.append(0, np.cumsum(self._is_upper(level), dtype=np.intp))
        starts = lower >> (self.depth - level) << (self.depth - level)
        passed = _taken(running, before[moved[lower]], spare[1])
        passed -= _taken(running, before[starts], spare[2])
        return np.asarray(np.einsum("ij,ij->j", passed, _taken(after, lower, spare[2])))

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
            running = _running(nodes[:, half:])
            node = np.arange(len(nodes))[:, None]
            crossing = running[node, passed] * nodes[:, :half]
            terms.append(crossing.reshape(-1, after.shape[1]))
        return ordered_sum(np.concatenate(terms)) if terms else np.zeros(after.shape[1])

    def _of_nodes(self, weight: Matrix) -> Vector:
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


def _taken(rows: Matrix, places: NDArray[Any], into: Matrix) -> Matrix:
    """The rows at these places, put into the head of `into`."""
    found: Matrix = np.take(rows, places, axis=0, out=into[: len(places)], mode="clip")
    return found


def _running_in_blocks(rows: Matrix, running: Matrix) -> Matrix:
    """Running sums from 0, (n + 1, width), of the whole numbers that stand in `running[1:]`."""
    n, width = rows.shape
    blocks = -(-n // NODE)
    running[0], running[n + 1 : blocks * NODE + 1] = 0, 0
    inside = running[1 : blocks * NODE + 1].reshape(blocks, NODE, width)
    for i in range(1, NODE):
        inside[:, i] += inside[:, i - 1]
    inside[1:] += np.cumsum(inside[:-1, -1], axis=0)[:, None]
    return running[: n + 1]


def _running(upper: Matrix) -> Matrix:
    """Running sums within each node, from 0: (nodes, h, width) gives (nodes, h + 1, width)."""
    nodes, half, width = upper.shape
    running = np.zeros((nodes, half + 1, width))
    if nodes < half:
        np.cumsum(upper, axis=1, out=running[:, 1:])
        return running
    for i in range(half):
        np.add(running[:, i], upper[:, i], out=running[:, i + 1])
    return running
