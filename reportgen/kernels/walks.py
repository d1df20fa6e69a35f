"""Heights of lines along sorted rows, where each weighting has walked a given share of them.

A line has a corner where a group of equal values ends, so no height depends on the order of tied
rows, and runs straight between two corners. What is a step along the line, and what it adds to
the height, differs from walk to walk. Nothing is kept but the heights asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Index, Matrix, Places, Scored, Vector
from reportgen.kernels.buffers import room
from reportgen.kernels.cutoffs import can_walk_wide, walked_wide
from reportgen.kernels.lanes import FEW_TO_WALK, Lanes, lanes_of, ordered_running
from reportgen.kernels.quantiles import SLACK, upto_cuts_by_row
from reportgen.kernels.signsums import sign_sums
from reportgen.kernels.ties import Groups, groups_of, weight_totals

SLICE = 16  # lanes that compiled code walks at a time
MOST_SHORT = 1 << 16  # bins whose numbers fit two bytes
MADE = 1 << 15  # rows whose places between bins are found at a time
Short = NDArray[np.uint16]  # numbers of bins in two bytes
Between = Callable[[slice], tuple[Places, Vector]]
Corners = tuple[Matrix, Matrix, Vector | float]  # along, height, and what a share is a share of


@dataclass(frozen=True)
class Walk:
    """Heights at the shares asked for, (b, s); the whole length and the last height, (b,)."""

    height: Matrix
    length: Vector
    end: Vector


def sums_at(column: Column, values: Vector, batch: Batch, targets: Matrix) -> Matrix:
    """Weighted sum of `values` over the first rows of the column that weigh as much as `targets`.

    Targets and sums have shape (b, s); targets rise from left to right.

    >>> column, batch = Column(np.array([3.0, 1.0, 1.0])), Batch.of(np.ones(3))
    >>> sums_at(column, np.array([10.0, 4.0, 6.0]), batch, np.array([[1.0, 2.0, 3.0]]))
    array([[ 5., 10., 20.]])
    """
    cuts = np.zeros((targets.shape[1] + 2, batch.size))
    cuts[1:-1], cuts[-1] = targets.T, weight_totals(batch)
    parts = [upto_cuts_by_row(column, values, lanes, cuts) for lanes in lanes_of(batch)]
    sums = np.concatenate(parts, axis=1)[1:, : batch.size]
    # All the weight, whatever the rounding of its sum in another order says.
    return np.where(cuts[1:-1] >= cuts[-1] * (1 - SLACK), sums[-1], sums[:-1]).T


def ranks_along(by: Column, ranked: Column, batch: Batch, shares: Vector) -> Walk:
    """Along the weight of the rows by one column: the weighted sum of another's midranks.

    A midrank is the weight below and half the weight tied.
    """

    def corners(lanes: Lanes) -> Corners:
        weight, midrank = lanes.weight[groups.order], _midranks(lanes, ranked)
        ends = np.append(0, groups.end)
        along, total = ordered_running(weight)[ends], midrank[1]
        product = ordered_running(weight * midrank[0][group])[ends]
        return along, (product + total * along) * 0.5, total

    groups, group = groups_of(by), _groups_along(by, ranked)
    return _walk("ranks_along", _Ranked(groups, group, groups_of(ranked)), batch, shares, corners)


def concordance_along(rows: Scored, batch: Batch, shares: Vector) -> Walk:
    """Along the sum of w·(W − w), rows by score: of w times the weight each row agrees with.

    A row agrees with the other rows that y and score put on the same side of it, and half with
    those tied in either.
    """

    def corners(lanes: Lanes) -> Corners:
        total = _midranks(lanes, rows.y)[1]
        weight, ends = lanes.weight[groups.order], np.append(0, groups.end)
        others = total - weight
        signs = sign_sums(rows.y, rows.score, lanes.weight)[groups.order]
        length = ordered_running(weight * others)
        return length[ends], ordered_running(weight * ((others + signs) / 2))[ends], length[-1]

    groups, group = groups_of(rows.score), _groups_along(rows.score, rows.y)
    ranked = _Ranked(groups, group, groups_of(rows.y), has_tree=True)
    return _walk("concordance", ranked, batch, shares, corners)


def cutoffs_along(rows: Scored, batch: Batch, shares: Vector) -> Walk:
    """Along the cuts between distinct y, low to high: pairs across a cut that the score has right.

    A cut with the weight A above and B below it is g·A·B long, g the mean weight of the two groups
    of y beside it that weigh anything; its height is g times the weight of those pairs, ties half.
    """

    def corners(lanes: Lanes) -> Corners:
        rank, total = _midranks(lanes, rows.score)
        weight = lanes.weight[groups.order]
        here = _grouped(weight, groups)
        below, product = _before(here), _before(_grouped(weight * rank[group], groups))
        sides = (total - below) * below
        gap = (_last_filled(here) + here) * 0.5
        pairs = np.minimum(np.maximum((sides - product) * 0.5, 0.0), sides)
        along = ordered_running(np.where(here > 0, gap * sides, 0.0))
        return along, ordered_running(np.where(here > 0, gap * pairs, 0.0)), along[-1]

    if can_walk_wide(batch):
        found = walked_wide(rows, batch, np.ascontiguousarray(shares, dtype=np.float64))
        return Walk(np.ascontiguousarray(found[:-2].T), found[-2], found[-1])
    groups, group = groups_of(rows.y), _groups_along(rows.y, rows.score)
    ranked = _Ranked(groups, group, groups_of(rows.score))
    return _walk("cutoffs", ranked, batch, shares, corners)


def unders_along(error: Column, batch: Batch, overs: Vector, is_raw: bool = False) -> Walk:
    """Along OVER, the sum of the errors above 0: UNDER, of those below, while a constant falls.

    `overs` are per unit of weight unless `is_raw`; heights are sums, at most 0.
    """
    values = error.values - (np.median(error.values) if len(error) else 0.0)  # no digits lost
    down = Groups.of(error.order[::-1], _starts(error)[::-1])
    values = values[down.order]

    def corners(lanes: Lanes) -> Corners:
        weight, starts = lanes.weight[down.order], np.append(0, down.end)[:-1]
        above, held = ordered_running(weight), ordered_running(weight * values[:, None])
        value = values[starts][:, None]
        over = held[starts] - value * above[starts]
        under = (held[-1] - value * above[-1]) - over
        along = np.maximum.accumulate(_with_zero(over))
        height = _with_zero(np.where(under < 0, under, 0.0))
        return along, height, 1.0 if is_raw else above[-1]

    where = _Plain(down, values, is_raw)
    return _walk("overs", where, batch, overs, corners)


def short(bins: Index | Places, size: int) -> Places | Short:
    """Numbers of `size` bins in as little room as `sums_by_bin` reads them from."""
    return bins.astype(np.uint16) if size <= MOST_SHORT else bins.astype(np.int32)


def sums_by_bin(
    batch: Batch, bins: Index | Places | Short, size: int, values: Vector | None = None
) -> Matrix:
    """Weight, or weighted sum of `values`, of the rows in each bin, shape (b, size).

    >>> sums_by_bin(Batch.of(np.array([1.0, 2.0, 4.0])), np.array([1, 0, 1]), 3)
    array([[2., 5., 0.]])
    """
    parts = lane_sums_by_bin(batch, bins, size, values)
    together = np.concatenate(parts, axis=1)[:, : batch.size]
    return np.ascontiguousarray(together.T, dtype=np.float64)


def lane_sums_by_bin(
    batch: Batch, bins: Index | Places | Short, size: int, values: Vector | None = None
) -> list[NDArray[np.uint32 | np.float64]]:
    """The same with lanes side by side as compiled code takes them, (size, width) each.

    Whole numbers are u32 where rows are single bytes; lanes past the batch are 0.
    """
    numbers: Places | Short
    if batch.is_whole and values is None and size <= MOST_SHORT:
        numbers = np.ascontiguousarray(bins, dtype=np.uint16)
    else:
        numbers = np.ascontiguousarray(bins, dtype=np.int32)
    return [_binned(lanes, numbers, size, values) for lanes in lanes_of(batch)]


def sums_between(batch: Batch, between: Between, size: int) -> Matrix:
    """Weight in each of `size` bins, where rows share theirs between two of them, shape (b, size).

    `between` gives for some rows `left` and `to_right`: a row gives `to_right` of its weight to bin
    left + 2, the rest to left + 1. Many rows are asked for in parts, so that neither is kept.
    """
    parts = [_between(lanes, between, size) for lanes in lanes_of(batch)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1)[:, : batch.size].T)


@dataclass(frozen=True)
class _Ranked:
    """What compiled code reads in a walk that needs midranks of another column."""

    groups: Groups
    group: NDArray[np.int32]
    ranked: Groups
    has_tree: bool = False

    def run(self, name: str, lanes: Lanes, shares: Vector, out: Matrix, ends: Matrix) -> None:
        width, size = min(SLICE, lanes.width), self.ranked.number
        rank, total = (np.int32, np.uint32) if lanes.is_bytes else (np.float64, np.float64)
        along = (self.groups.order, self.groups.last, self.group)
        ranked = (self.ranked.order, self.ranked.last, len(self.group))
        with room((size, width), rank) as table:
            if not self.has_tree:
                _run(name, lanes, *along, *ranked, shares, len(shares), table, out, ends)
                return
            with room((size + 1, width), total) as tree:
                where = (*along, *ranked, size, shares, len(shares), table, tree)
                _run(name, lanes, *where, out, ends)


@dataclass(frozen=True)
class _Plain:
    """What compiled code reads in a walk over values alone."""

    groups: Groups
    values: Vector
    is_raw: bool

    def run(self, name: str, lanes: Lanes, shares: Vector, out: Matrix, ends: Matrix) -> None:
        order = (self.groups.order, self.groups.last, self.values, len(self.values))
        _run(name, lanes, *order, shares, len(shares), int(self.is_raw), out, ends)


def _walk(
    name: str,
    where: _Ranked | _Plain,
    batch: Batch,
    shares: Vector,
    corners: Callable[[Lanes], Corners],
) -> Walk:
    """Every lane's heights, by compiled code or from all corners at once."""
    shares = np.ascontiguousarray(shares, dtype=np.float64)
    found = []
    for lanes in lanes_of(_bounded(batch), FEW_TO_WALK):
        if native.is_native():
            out, ends = np.empty((len(shares), lanes.width)), np.empty((2, lanes.width))
            where.run(name, lanes, shares, out, ends)
        else:
            out, ends = _heights(*corners(lanes), shares)
        found.append(np.concatenate([out, ends]))
    together = np.concatenate(found, axis=1)[:, : batch.size]
    return Walk(np.ascontiguousarray(together[:-2].T), together[-2], together[-1])


def _bounded(batch: Batch) -> Batch:
    """The batch, as doubles where its totals would not fit the whole numbers of a walk."""
    is_bytes = batch.count.dtype == np.uint8 and batch.weight is None
    is_heavy = is_bytes and weight_totals(batch).max(initial=0.0) >= 2**31
    return Batch(batch.weights) if is_heavy else batch


def _run(name: str, lanes: Lanes, *arguments: NDArray[Any] | int | None) -> None:
    if lanes.is_bytes:
        native.run(f"whole_{name}", lanes.weight, *arguments)
    else:
        native.run(f"real_{name}", lanes.width, lanes.weight, *arguments)


def _heights(
    along: Matrix, height: Matrix, of: Vector | float, shares: Vector
) -> tuple[Matrix, Matrix]:
    """From the corners of all lanes, (corners, width), as compiled code finds them on its way."""
    out = np.empty((len(shares), along.shape[1]))
    of = np.broadcast_to(of, along.shape[1])
    for lane in range(along.shape[1]):
        x, y = along[:, lane], height[:, lane]
        target = shares * of[lane]
        right = np.searchsorted(x[1:], target, side="left")
        right = 1 + np.maximum(right, np.searchsorted(x[1:], 0.0, side="right"))
        inside = np.minimum(right, max(len(x) - 1, 0))
        left = np.maximum(inside - 1, 0)
        width = x[inside] - x[left]
        share = np.divide(target - x[left], width, out=np.zeros_like(target), where=width > 0)
        between = y[left] + share * (y[inside] - y[left])
        out[:, lane] = np.where(right < len(x), between, y[-1])
    return out, np.stack([along[-1], height[-1]])


def _binned(
    lanes: Lanes, bins: Places | Short, size: int, values: Vector | None
) -> NDArray[np.uint32 | np.float64]:
    if lanes.is_bytes and bins.dtype == np.uint16:
        counts = np.zeros((size, lanes.width), np.uint32)
        native.run("whole_cells", lanes.weight, bins, len(bins), counts)
        return counts
    if native.is_native():
        sums = np.zeros((size, lanes.width))
        _run("bins", lanes, bins.astype(np.int32, copy=False), values, len(bins), sums)
        return sums.astype(np.uint32) if lanes.is_bytes and values is None else sums
    terms = lanes.weight if values is None else lanes.weight * values[:, None]
    return _by_number(terms, bins, size)


def _between(lanes: Lanes, between: Between, size: int) -> Matrix:
    n = len(lanes.weight)
    if native.is_native():
        with room((2, size, lanes.width), np.float64) as (lower, upper):
            lower[:], upper[:] = 0, 0
            for first in range(0, n, MADE):
                rows = slice(first, min(first + MADE, n))
                left, to_right = between(rows)
                some = replace(lanes, weight=lanes.weight[rows])
                _run("between", some, left, to_right, len(left), lower, upper)
            return np.asarray(lower + upper)
    left, to_right = between(slice(0, n))
    near, far = (lanes.weight * share[:, None] for share in (1.0 - to_right, to_right))
    return _by_number(near, left + 1, size) + _by_number(far, left + 2, size)


def _by_number(terms: Matrix, number: Places | Short, size: int) -> Matrix:
    """Sums of the rows with each number, row by row as compiled code adds: (size, width)."""
    sums = np.zeros((size, terms.shape[1]))
    for lane in range(terms.shape[1]):
        sums[:, lane] = np.bincount(number, terms[:, lane], minlength=size)
    return sums


def _grouped(terms: Matrix, groups: Groups) -> Matrix:
    """Sums of each group, of terms in the order of the groups."""
    size = np.diff(np.append(0, groups.end))
    number = np.repeat(np.arange(groups.number, dtype=np.int32), size)
    return _by_number(terms, number, groups.number)


def _midranks(lanes: Lanes, column: Column) -> tuple[Matrix, Vector]:
    """Twice the centred midrank of each group, (groups, width), and the totals."""
    groups = groups_of(column)
    running = ordered_running(lanes.weight[groups.order])
    ends = running[np.append(0, groups.end)]
    return (ends[:-1] + ends[1:]) - running[-1], running[-1]


def _groups_along(by: Column, ranked: Column) -> NDArray[np.int32]:
    """The group that each row has in one column, in the order of another."""
    return ranked.group[by.order]


def _starts(column: Column) -> NDArray[np.bool_]:
    """In ascending order: whether a row is the first of its group."""
    return np.append(True, column.is_last[:-1])[: len(column)]


def _before(terms: Matrix) -> Matrix:
    """Running sums over the first axis up to each row, without it."""
    return ordered_running(terms)[:-1]


def _with_zero(terms: Matrix) -> Matrix:
    return np.concatenate([np.zeros((1, terms.shape[1])), terms])


def _last_filled(here: Matrix) -> Matrix:
    """The nearest earlier number above zero in each lane, 0 where there is none."""
    place = np.where(here > 0, np.arange(1, len(here) + 1)[:, None], 0)
    latest = np.maximum.accumulate(_with_zero(place), axis=0)[:-1].astype(np.intp)
    return np.take_along_axis(_with_zero(here), latest, axis=0)
