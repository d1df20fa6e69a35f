"""Sums over pairs of a positive and a negative row, and average precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Index, Matrix, Scored, Vector
from reportgen.kernels.ties import Groups, find_groups
from reportgen.kernels.weight_blocks import (
    WeightBlock,
    cumulate_in_order,
    fits_bytes,
    largest_count,
    map_blocks,
    sum_in_order,
)
from reportgen.records import record


@record
class AucSums:
    """Sums over pairs of a positive and a negative row of the product of their weights, (b,).

    won: the positive scores higher; lost: lower. positive and negative are the classes' weights.
    """

    won: Vector
    lost: Vector
    positive: Vector
    negative: Vector

    @property
    def tied(self) -> Vector:
        """Pairs of equal score."""
        return np.maximum(self.positive * self.negative - self.won - self.lost, 0.0)

    @property
    def auc(self) -> Vector:
        """Share of pairs won, ties counting one half; nan where a class has no weight."""
        pairs = self.positive * self.negative
        value = np.full(pairs.shape, np.nan)
        np.divide(pairs + self.won - self.lost, 2 * pairs, out=value, where=pairs > 0)
        return value


def compute_auc_sums(rows: Scored, batch: Batch) -> AucSums:
    """Pairs won and lost under each weighting.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([0.0, 1.0, 1.0]), np.array([0.2, 0.1, 0.2]))
    >>> compute_auc_sums(rows, Batch.from_weights(np.ones(3))).auc
    array([0.25])
    """
    return batch.once(rows, "auc sums", lambda: AucSums(*_auc_sums(rows, batch)))


def compute_average_precision(rows: Scored, batch: Batch) -> Vector:
    """Mean over positives of the precision at their score; nan where no positive has weight.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.8, 0.7]))
    >>> compute_average_precision(rows, Batch.from_weights(np.ones(3)))  # (1 / 1 + 2 / 3) / 2
    array([0.83333333])
    """
    return batch.once(rows, "average precision", lambda: _average_precision(rows, batch))


def _auc_sums(rows: Scored, batch: Batch) -> Matrix:
    groups, label = find_groups(rows.score), _labels(rows)
    if not batch.is_whole:
        return map_blocks(batch, lambda block: _auc_of(block, groups, label))
    parted = rows.once("positives first", lambda: _sort_positives_first(groups, label))
    most = largest_count(batch) if fits_bytes(batch) else 1
    return map_blocks(batch, lambda block: _whole_auc_of(block, groups, label, parted, most))


def _labels(rows: Scored) -> NDArray[np.uint8]:
    """Return whether each row is positive, in ascending order of the score."""

    def labels() -> NDArray[np.uint8]:
        return (rows.y.values[find_groups(rows.score).order] > 0.5).astype(np.uint8)

    return rows.once("labels by score", labels)


def _sort_positives_first(groups: Groups, label: NDArray[np.uint8]) -> PartitionedRows:
    """Within equal scores positives come first, so that a running sum takes no tie for a win."""
    order = np.lexsort((1 - label, groups.start))
    return PartitionedRows(groups.order[order], label[order], label[groups.is_tied])


@record
class PartitionedRows:
    """Rows by score, positives first among equals; and the labels of the rows in `Groups.tied`."""

    order: NDArray[np.int32]
    label: NDArray[np.uint8]
    tied_label: NDArray[np.uint8]


def _whole_auc_of(
    block: WeightBlock, groups: Groups, label: NDArray[np.uint8], parted: PartitionedRows, most: int
) -> NDArray[np.float64]:
    """won, lost, positive and negative of whole-number weights: exact in any order."""
    if not block.is_bytes:
        return _auc_of(block, groups, label)
    n = len(label)
    out = np.empty((4, block.width), dtype=np.uint64)  # won, tied, positive, negative
    native.call_kernel("whole_auc", block.weight, parted.order, parted.label, n, most, out)
    ties = (groups.tied.order, groups.tied.last, parted.tied_label, len(parted.tied_label))
    native.call_kernel("whole_label_ties", block.weight, *ties, out[1])
    won, tied, positive, negative = out.astype(np.float64)
    return np.stack([won, positive * negative - won - tied, positive, negative])


def _auc_of(block: WeightBlock, groups: Groups, label: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Each row times the running weight of the other class in lower groups."""
    if native.is_native():
        out = np.empty((4, block.width))
        where = (block.weight, groups.order, groups.last, label, len(label))
        native.call_kernel("real_auc", block.width, *where, out)
        return out
    weight = block.weight[groups.order]
    is_positive: Matrix = label[:, None].astype(np.float64)
    positive, negative = weight * is_positive, weight * (1 - is_positive)
    below, above = cumulate_in_order(positive), cumulate_in_order(negative)
    won = sum_in_order(positive * above[groups.start])
    lost = sum_in_order(negative * below[groups.start])
    return np.stack([won, lost, below[-1], above[-1]])


def _average_precision(rows: Scored, batch: Batch) -> Vector:
    groups, label = group_by_descending_score(rows)
    sums = map_blocks(batch, lambda block: _precision_of(block, groups, label))
    value = np.full(batch.size, np.nan)
    np.divide(sums[0], sums[1], out=value, where=sums[1] > 0)
    return value


def group_by_descending_score(rows: Scored) -> tuple[Groups, NDArray[np.uint8]]:
    """Return the groups of equal scores from highest to lowest, and the labels in that order."""

    def descending() -> tuple[Groups, NDArray[np.uint8]]:
        up = find_groups(rows.score)
        starts = np.append(1, up.last[:-1])[: len(up.last)]
        down = Groups(up.order[::-1].copy(), starts[::-1].astype(np.uint8))
        return down, np.ascontiguousarray(_labels(rows)[::-1])

    return rows.once("descending", descending)


def _precision_of(
    block: WeightBlock, groups: Groups, label: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Over groups: positives in it * positives so far / rows so far; and all positives."""
    if native.is_native():
        out = np.empty((2, block.width))
        where = (block.weight, groups.order, groups.last, label, len(label), out)
        if block.is_bytes:
            native.call_kernel("whole_precision", *where)
        else:
            native.call_kernel("real_precision", block.width, *where)
        return out
    weight = block.weight[groups.order]
    ends = np.append(0, groups.end)
    positive = cumulate_in_order(weight * label[:, None])[ends]
    all_rows = cumulate_in_order(weight)[ends[1:]]
    terms = (positive[1:] - positive[:-1]) * positive[1:] / np.where(all_rows == 0, 1, all_rows)
    return np.stack([sum_in_order(terms), positive[-1]])


Codes = NDArray[np.int32]


def iter_class_pairs(code: Codes, scores: Sequence[Column], batch: Batch) -> Iterator[AucSums]:
    """Yield, by each class's score, the pairs of its rows and those of every class, (k, b) each.

    `code` (n,) is the place of each row's class among the `scores`. What stands at the place of the
    class itself says nothing.

    >>> score = Column(np.array([0.2, 0.1, 0.3]))
    >>> code = np.array([1, 0, 0], dtype=np.int32)
    >>> first, _ = iter_class_pairs(code, [score, score], Batch.from_weights(np.ones(3)))
    >>> first.won[1], first.lost[1], first.positive[1], first.negative[1]
    (array([1.]), array([1.]), array([2.]), array([1.]))
    """
    classes = len(scores)
    for along, column in enumerate(scores):
        groups = find_groups(column)

        def evaluate_block(
            block: WeightBlock, along: int = along, groups: Groups = groups
        ) -> Matrix:
            if native.is_native():
                return _count_pairs_compiled(block, groups, code, classes, along)
            return np.concatenate(_count_pairs_numpy(block, groups, code, classes, along))

        total, won, lost = map_blocks(batch, evaluate_block).reshape(3, classes, -1)
        yield AucSums(won, lost, np.broadcast_to(total[along], total.shape), total)


def _count_pairs_compiled(
    block: WeightBlock, groups: Groups, code: Codes, classes: int, along: int
) -> Matrix:
    total, won, lost = out = np.empty((3, classes, block.width))
    where = (block.weight, groups.order, groups.last, code, len(code), classes, along)
    if block.is_bytes:
        native.call_kernel("whole_class_pairs", *where, total, won, lost)
    else:
        native.call_kernel("real_class_pairs", block.width, *where, total, won, lost)
    return out.reshape(3 * classes, block.width)


def _count_pairs_numpy(
    block: WeightBlock, groups: Groups, code: Codes, classes: int, along: int
) -> tuple[Matrix, Matrix, Matrix]:
    """Compute each class's total weight, and the pairs that rows of `along` win and lose to it."""
    weight, start = block.weight[groups.order], groups.start
    places = _list_class_rows(code[groups.order], classes)
    running = [cumulate_in_order(weight[at]) for at in places]
    mine = places[along]

    def count_wins(those: Index, low: Index, below: Matrix) -> Matrix:
        """Each of some rows times the weight of others in groups before its own."""
        return sum_in_order(weight[those] * below[np.searchsorted(low, start[those])])

    return (
        np.stack([each[-1] for each in running]),
        np.stack([count_wins(mine, *other) for other in zip(places, running, strict=True)]),
        np.stack([count_wins(other, mine, running[along]) for other in places]),
    )


def _list_class_rows(code: Codes, classes: int) -> list[Index]:
    """Return where the rows of each class stand."""
    ends = np.cumsum(np.bincount(code, minlength=classes))[:-1]
    return np.split(np.argsort(code, kind="stable").astype(np.intp), ends)
