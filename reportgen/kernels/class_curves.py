"""Weights of two classes by falling score: heights and areas of ROC and PR curves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.auc import group_by_descending_score
from reportgen.kernels.batch import Batch, Column, Index, Matrix, Places, Result, Scored, Vector
from reportgen.kernels.cumulative import MOST_KEPT, cumulate_values, divide
from reportgen.kernels.curve_heights import compute_block_bin_sums
from reportgen.kernels.native import Argument
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.thresholds import sort_descending
from reportgen.kernels.ties import Groups
from reportgen.kernels.weight_blocks import (
    WeightBlock,
    cumulate_in_order,
    map_blocks,
    pad_columns,
    sum_in_order,
)
from reportgen.records import record

SLACK = 1e-12  # of the weight: sums that round apart stand at one place


def compute_class_sums(rows: Scored, batch: Batch) -> tuple[Matrix, Matrix]:
    """Weight of the positives and of the negatives in the first g groups, (groups + 1, b) each."""
    if batch.count.size > MOST_KEPT:
        return _class_sums(rows, batch)
    return batch.once(rows, "classes up to", lambda: _class_sums(rows, batch))


def interpolate_other_class(
    of: Matrix, other: Matrix, targets: Matrix, *, is_fewest: bool
) -> Matrix:
    """Interpolate the other class's weight where the first one's reaches targets (s, b); (s, b).

    Where the other comes in alone its weight before that is taken if `is_fewest`, else after it.
    """
    found = np.empty(targets.shape)
    for column in range(targets.shape[1]):
        x, y = of[:, column], other[:, column]
        slack = SLACK * x[-1]
        if is_fewest:
            at = targets[:, column] - slack
            after = np.minimum(np.searchsorted(x, at, side="left"), len(x) - 1)
            before = np.maximum(after - 1, 0)
        else:
            at = targets[:, column] + slack
            before = np.maximum(np.searchsorted(x, at, side="right") - 1, 0)
            after = np.minimum(before + 1, len(x) - 1)
        step, share = x[after] - x[before], np.zeros(len(at))
        np.divide(at - x[before], step, out=share, where=step > 0)
        found[:, column] = y[before] + np.clip(share, 0.0, 1.0) * (y[after] - y[before])
    return found


def spread_to_rows(rows: Scored, by_group: Vector) -> Vector:
    """Spread a number of each group, highest scores first, to the rows of the group."""
    group: Index = sort_descending(rows).group.astype(np.intp)
    return np.asarray(by_group[group])


def _class_sums(rows: Scored, batch: Batch) -> tuple[Matrix, Matrix]:
    column = sort_descending(rows)
    is_positive = (rows.y.values > 0).astype(np.float64)
    # Each on its own: a difference of sums would move where only the other class comes in.
    return cumulate_values(batch, column, is_positive), cumulate_values(
        batch, column, 1.0 - is_positive
    )


SHARE_SLACK = 1e-12  # of the weight: sums that round apart stand at one place; classes.h has it too
Labels = NDArray[np.uint8]
Sides = tuple[Matrix, Matrix]


def compute_class_heights(
    rows: Scored, batch: Batch, shares: Vector, *, of_positives: bool, is_fewest: bool
) -> tuple[Matrix, Vector, Vector]:
    """Compute the other class's weight at shares of one class's own, (s, b); both totals, (b,).

    Shares rise. Where the other class comes in alone its weight before that is taken if
    `is_fewest`, else after it.
    """
    groups, label = _order_by_class(rows, of_positives)
    shares = np.ascontiguousarray(shares, dtype=np.float64)

    def evaluate_block(block: WeightBlock) -> Matrix:
        if native.is_native():
            out, ends = np.empty((len(shares), block.width)), np.empty((2, block.width))
            known = _sum_class_weights(rows, batch, block, of_positives)
            _run_class_walk(
                "classes_along",
                block,
                groups,
                label,
                known,
                shares,
                len(shares),
                int(is_fewest),
                out,
                ends,
            )
            return np.concatenate([out, ends])
        one, other = _corners(block, groups, label)
        return np.concatenate([_heights(one, other, shares, is_fewest), [one[-1], other[-1]]])

    together = map_blocks(batch, evaluate_block)
    return together[:-2], together[-2], together[-1]


def compute_window_area(
    rows: Scored, batch: Batch, low: float, high: float, *, of_positives: bool
) -> Vector:
    """Mean share of the other class over a window of shares of one class, times its width, (b,).

    nan where a class has no weight.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.8, 0.7]))
    >>> compute_window_area(rows, Batch.from_weights(np.ones(3)), 0.0, 1.0, of_positives=False)
    array([0.5])
    """
    groups, label = _order_by_class(rows, of_positives)
    window = np.array([low, high])

    def evaluate_block(block: WeightBlock) -> Matrix:
        if native.is_native():
            out = np.empty((3, block.width))
            known = _sum_class_weights(rows, batch, block, of_positives)
            _run_class_walk("class_window", block, groups, label, known, window, out)
            return out
        one, other = _corners(block, groups, label)
        return np.stack([_area_in_window(one, other, window), one[-1], other[-1]])

    area, one, other = map_blocks(batch, evaluate_block)
    return divide(area, one * other)


def compute_largest_gap(rows: Scored, batch: Batch) -> Vector:
    """Compute the maximum lead of the share of positives found over that of negatives, (b,).

    nan where a class has no weight.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.8, 0.7]))
    >>> compute_largest_gap(rows, Batch.from_weights(np.ones(3)))
    array([0.5])
    """
    groups, label = _order_by_class(rows, True)

    def evaluate_block(block: WeightBlock) -> Matrix:
        if native.is_native():
            out = np.empty((3, block.width))
            _run_class_walk(
                "class_gap", block, groups, label, _sum_class_weights(rows, batch, block, True), out
            )
            return out
        one, other = _corners(block, groups, label)
        gap = one * other[-1] - other * one[-1]
        return np.stack([gap.max(axis=0), one[-1], other[-1]])

    gap, one, other = map_blocks(batch, evaluate_block)
    return divide(gap, one * other)


def compute_pr_area(rows: Scored, batch: Batch) -> Vector:
    """Area under precision along recall, a hyperbola within equal scores, (b,).

    nan where no positive has weight. Logarithms of compiled code and of NumPy may round apart.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.5, 0.5]))
    >>> compute_pr_area(rows, Batch.from_weights(np.ones(4)))
    array([0.5])
    """
    groups, label = _order_by_class(rows, True)

    def evaluate_block(block: WeightBlock) -> Matrix:
        if native.is_native():
            out = np.empty((2, block.width))
            _run_class_walk("hyperbolas", block, groups, label, out)
            return out
        one, other = _corners(block, groups, label)
        return np.stack([_integrate_hyperbolas(one, other), one[-1]])

    area, one = map_blocks(batch, evaluate_block)
    return divide(area, one)


def _order_by_class(rows: Scored, of_positives: bool) -> tuple[Groups, Labels]:
    """Rows from the highest score down, and 1 for those of the class that is walked along."""
    groups, label = group_by_descending_score(rows)
    if of_positives:
        return groups, label
    return groups, rows.once("negatives descending", lambda: (1 - label).astype(np.uint8))


def _sum_class_weights(
    rows: Scored, batch: Batch, block: WeightBlock, of_positives: bool
) -> Matrix | None:
    """Sum the whole weight of the class that is walked along and of the other, (2, width).

    Of whole numbers alone, whose sums are the same in any order.
    """
    if not block.is_bytes:
        return None

    def both() -> Matrix:
        is_positive = rows.y.once("is positive", lambda: (rows.y.values > 0.5).astype(np.float64))
        positive = weighted_sums(batch, is_positive[:, None])[:, 0]
        return np.stack([positive, batch.totals - positive])

    found = batch.once(rows.y, "weights of classes", both)
    some = found[:, block.first : block.first + block.width]
    return pad_columns(some if of_positives else some[::-1], block.width)


def _run_class_walk(
    name: str, block: WeightBlock, groups: Groups, label: Labels, *more: Argument
) -> None:
    where = (block.weight, groups.order, groups.last, label, len(label), *more)
    if block.is_bytes:
        native.call_kernel(f"whole_{name}", *where)
    else:
        native.call_kernel(f"real_{name}", block.width, *where)


def _corners(block: WeightBlock, groups: Groups, label: Labels) -> Sides:
    """Weight of both classes up to each corner, (corners, width), the first of them 0."""
    weight, ends = block.weight[groups.order], np.append(0, groups.end)
    is_one = label[:, None].astype(np.float64)
    return cumulate_in_order(weight * is_one)[ends], cumulate_in_order(weight * (1 - is_one))[ends]


def _heights(one: Matrix, other: Matrix, shares: Vector, is_fewest: bool) -> Matrix:
    found = np.empty((len(shares), one.shape[1]))
    for column in range(one.shape[1]):
        x, y = one[:, column], other[:, column]
        at = shares * x[-1] + (-SHARE_SLACK if is_fewest else SHARE_SLACK) * x[-1]
        if is_fewest:
            after = np.searchsorted(x, at, side="left")
        else:
            after = np.searchsorted(x, at, side="right")
        is_inside = after < len(x)
        after = np.minimum(after, len(x) - 1)
        before = np.maximum(after - 1, 0)
        step, share = x[after] - x[before], np.zeros(len(at))
        np.divide(at - x[before], step, out=share, where=step > 0)
        between = y[before] + share * (y[after] - y[before])
        found[:, column] = np.where(is_inside, np.where(after > 0, between, 0.0), y[-1])
    return found


def _area_in_window(one: Matrix, other: Matrix, window: Vector) -> Vector:
    low, high = window[:, None] * one[-1]
    x0, x1, y0 = one[:-1], one[1:], other[:-1]
    left, right = (np.where(x < low, low, np.where(x > high, high, x)) for x in (x0, x1))
    step, rise = x1 - x0, np.diff(other, axis=0)
    slope = np.zeros(step.shape)
    np.divide(rise, step, out=slope, where=step > 0)
    return sum_in_order((right - left) * (y0 + slope * ((left + right) / 2 - x0)))


def _integrate_hyperbolas(one: Matrix, other: Matrix) -> Vector:
    a, b, p, more = one[:-1], other[:-1], np.diff(one, axis=0), np.diff(other, axis=0)
    size = np.where(p > 0, p + more, 1.0)
    twist = np.where(p > 0, (b * p - more * a) * p / (size * size), 0.0)
    log = np.zeros(p.shape)
    np.divide(size, a + b, out=log, where=twist != 0)
    return sum_in_order(p * p / size - twist * np.log1p(log))


ALONE, SHARED = 500, 2000  # rows with a cell each, and cells of the others


def compute_cell_class_heights(
    rows: Scored, batch: Batch, shares: Vector, *, of_positives: bool, is_fewest: bool
) -> tuple[Matrix, Vector, Vector]:
    """Compute `compute_class_heights` with the rows of a cell tied: heights (s, b), totals (b,)."""
    cells, place = rows.once("cells from the top", lambda: _cells(rows))
    sums = batch.once(
        rows, "cells from the top", lambda: _sum_cell_weights(batch, place, len(cells))
    )
    return compute_class_heights(
        cells, sums, shares, of_positives=of_positives, is_fewest=is_fewest
    )


@record(eq=False)
class _Cells:
    """Each cell as two tied rows: its negatives, and its positives."""

    y: Column
    score: Column

    @classmethod
    def from_count(cls, number: int) -> _Cells:
        """So many, from the top."""
        score = -np.repeat(np.arange(number, dtype=np.float64), 2)
        return cls(Column(np.tile([0.0, 1.0], number)), Column(score))

    def __len__(self) -> int:
        return len(self.y)

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time."""
        return self.score.once(name, compute)


def _cells(rows: Scored) -> tuple[_Cells, Places]:
    """Build the cells, and the index of the cell row that each row falls in, (n,)."""
    column = sort_descending(rows)
    size = np.bincount(column.group, minlength=column.groups)
    before = np.append(0, np.cumsum(size)[:-1])
    rest = np.maximum(before - ALONE, 0) * SHARED // max(len(rows) - ALONE, 1)
    cell = np.minimum(before, ALONE) + rest
    place = 2 * cell[column.group] + (rows.y.values > 0)
    return _Cells.from_count(int(cell[-1]) + 1), place.astype(np.int32)


def _sum_cell_weights(batch: Batch, place: Places, size: int) -> Batch:
    """Sum the weights into the rows of the cells, under the same weightings."""
    sums = np.concatenate(compute_block_bin_sums(batch, place, size), axis=1)
    return Batch(sums[:, : batch.size].astype(np.float64))
