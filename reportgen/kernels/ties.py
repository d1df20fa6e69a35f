"""Groups of equal values, and pairs of rows in different groups."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.columns import Column, Index, Matrix, Places, Vector, Weightings
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.weight_blocks import (
    WeightBlock,
    cumulate_in_order,
    largest_count,
    map_blocks,
    sum_in_order,
)
from reportgen.records import record

BIGGEST = 2**21  # cubes of totals below this fit 63 bits


@record
class Groups:
    """Rows in an order that keeps equal ones together; `last` marks the last of each group.

    What is quickly found from them is not kept: it would take more room than they do.
    """

    order: NDArray[np.int32]
    last: NDArray[np.uint8]

    @classmethod
    def from_order(cls, order: Index | Places, is_last: NDArray[np.bool_]) -> Groups:
        """Build the groups from an order of the rows and the flags of each group's last row."""
        return cls(
            np.ascontiguousarray(order, dtype=np.int32),
            np.ascontiguousarray(is_last).view(np.uint8),
        )

    @cached_property
    def number(self) -> int:
        """The number of groups."""
        return int(self.last.sum())

    @property
    def start(self) -> Index:
        """In this order: the place where each row's group starts."""
        group = np.cumsum(np.append(0, self.last[:-1])[: len(self.last)])
        starts = np.append(0, self.end)
        return np.asarray(starts[group], dtype=np.intp)

    @property
    def end(self) -> Index:
        """In this order: one past the place where each group ends, by group."""
        return np.flatnonzero(self.last.view(np.bool_)) + 1

    @property
    def is_tied(self) -> NDArray[np.bool_]:
        """In this order: whether the row's group has several rows."""
        size = np.diff(np.append(0, self.end))
        return np.repeat(size > 1, size)

    @cached_property
    def tied(self) -> Groups:
        """Only the groups of several rows."""
        is_tied = self.is_tied
        return Groups(self.order[is_tied], self.last[is_tied])


def find_groups(column: Column) -> Groups:
    """Find the column's groups of equal values, ascending."""
    return column.once("ordered groups", lambda: Groups.from_order(column.order, column.is_last))


def number_groups(column: Column) -> NDArray[np.int32]:
    """Return the number of each row's group, ascending; in row order."""
    return column.group


def sum_weights(batch: Weightings) -> Vector:
    """Sum of the weights of each weighting, shape (b,)."""
    if batch.is_whole:
        return _power_sums(batch)[0, :]
    ones = np.ones((len(batch.count), 1))
    return batch.once(None, "totals", lambda: weighted_sums(batch, ones)[:, 0])


def sum_squared_weights(batch: Weightings) -> Vector:
    """Sum of the squares of the weights of each weighting, shape (b,)."""
    return _power_sums(batch)[1, :]


def sum_cubed_weights(batch: Weightings) -> Vector:
    """Sum of the cubes of the weights of each weighting, shape (b,)."""
    return _power_sums(batch)[2, :]


def sum_differing_pairs(owner: object, batch: Weightings, groups: Groups) -> Vector:
    """Sum over pairs of rows in different groups of the product of their weights, shape (b,).

    Exactly 0 where all weight lies in one group. `owner` is whom the groups belong to.
    """
    return batch.once(owner, "differing pairs", lambda: _differing_pairs(owner, batch, groups))


def sum_tie_powers(owner: object, batch: Weightings, groups: Groups) -> Matrix:
    """For whole-number weights: the groups' squares and cubes, less those of their rows, (2, b)."""
    if len(groups.tied.order) == 0:
        return np.zeros((2, batch.size))
    return batch.once(
        owner,
        "tie powers",
        lambda: map_blocks(batch, lambda block: _tie_powers(batch, block, groups.tied)),
    )


def _power_sums(batch: Weightings) -> Matrix:
    return batch.once(
        None, "power sums", lambda: map_blocks(batch, lambda block: _powers_of(batch, block))
    )


def _sum_byte_powers(
    batch: Weightings, block: WeightBlock, tied: Groups | None
) -> NDArray[np.float64]:
    """Sum counts, their squares and cubes: of rows, or of groups less those of rows, (3, w)."""
    order, last = (None, None) if tied is None else (tied.order, tied.last)
    n = len(block.weight) if tied is None else len(tied.order)
    out = np.empty((3, block.width), dtype=np.uint64)
    where = (block.weight, order, last, n, largest_count(batch))
    native.call_kernel("whole_power_sums", *where, *out)
    return out.astype(np.float64)


def _powers_of(batch: Weightings, block: WeightBlock) -> NDArray[np.float64]:
    if block.is_bytes:
        return _sum_byte_powers(batch, block, None)
    weight = block.weight
    square = weight * weight
    if block.is_whole:
        cubes, squares = np.einsum("ij,ij->j", square, weight), np.einsum("ij->j", square)
        return np.stack([np.einsum("ij->j", weight), squares, cubes])
    return np.stack([sum_in_order(weight), sum_in_order(square), sum_in_order(square * weight)])


def _differing_pairs(owner: object, batch: Weightings, groups: Groups) -> Vector:
    if batch.is_whole:
        weight = sum_weights(batch)
        tied: Vector = sum_tie_powers(owner, batch, groups)[0]
        return np.asarray((weight * weight - sum_squared_weights(batch) - tied) / 2)
    sums: Vector = map_blocks(batch, lambda block: _sum_differing(block, groups)[None])[0]
    return sums


def _sum_differing(block: WeightBlock, groups: Groups) -> Vector:
    """Each row times the running sum of the rows in lower groups; no difference is taken."""
    n = len(groups.order)
    if native.is_native():
        out = np.empty(block.width)
        native.call_kernel(
            "real_differing", block.width, block.weight, groups.order, groups.last, n, out
        )
        return out
    weight = block.weight[groups.order]
    return sum_in_order(weight * cumulate_in_order(weight)[groups.start])


def _tie_powers(batch: Weightings, block: WeightBlock, tied: Groups) -> NDArray[np.float64]:
    """Sum powers of weights over groups of ties, in whole numbers: exact in any order."""
    if block.is_bytes:
        return _sum_byte_powers(batch, block, tied)[1:]
    rows = np.take(block.weight, tied.order, axis=0)
    group = np.add.reduceat(rows, np.append(0, tied.end[:-1]), axis=0)
    of_groups, of_rows = group * group, rows * rows
    return np.stack(
        [
            of_groups.sum(axis=0) - of_rows.sum(axis=0),
            np.einsum("ij,ij->j", of_groups, group) - np.einsum("ij,ij->j", of_rows, rows),
        ]
    )
