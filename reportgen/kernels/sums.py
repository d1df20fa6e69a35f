"""Weighted sums of columns: all that a mean needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.columns import Index, Matrix, Vector, Weightings
from reportgen.kernels.weight_blocks import (
    WIDE,
    WeightBlock,
    fits_bytes,
    slice_byte_columns,
    split_batch,
    sum_in_order,
)
from reportgen.records import record

BLOCK = 64
MADE = 8192  # rows of which columns are made at a time: they are summed while the cache has them
Term: TypeAlias = (
    "Vector | AbsoluteColumn | tuple[Term, Term]"  # a column, its size, or a product of two
)
ColumnMaker = Callable[[slice], Sequence[Vector]]


class CountsByRow(Protocol):
    """One-byte counts of some rows, (rows, 64)."""

    def __getitem__(self, rows: slice, /) -> NDArray[np.uint8]: ...


@record(eq=False)
class AbsoluteColumn:
    """The absolute values of a column, which are not kept."""

    of: Vector


def weighted_sums(batch: Weightings, columns: Matrix) -> Matrix:
    """Sum over rows of weight * column: (n, m) columns give shape (b, m).

    >>> weighted_sums(Weightings(np.array([[1, 0], [2, 1]], np.uint8)), np.array([[1.0], [10.0]]))
    array([[21.],
           [10.]])
    """
    return column_sums(batch, list(np.asarray(columns, dtype=np.float64).T))


def column_sums(batch: Weightings, columns: Sequence[Vector]) -> Matrix:
    """Compute weighted sums of m columns that may be stored separately: shape (b, m)."""
    columns = [np.asarray(column, dtype=np.float64) for column in columns]
    if len({column.strides for column in columns}) > 1:
        columns = [np.ascontiguousarray(column) for column in columns]
    if native.is_native() and batch.size > 1 and fits_bytes(batch):
        return _sum_from_bytes(batch, columns)
    parts = [_sum_block(block, columns)[: batch.size - block.first] for block in split_batch(batch)]
    return np.concatenate(parts)


def term_sums(batch: Weightings, terms: Sequence[Term]) -> Matrix:
    """Compute weighted sums of columns and of products, which are not kept: (b, m)."""
    return sum_generated_columns(batch, lambda rows: [_term(term, rows) for term in terms])


def sum_generated_columns(batch: Weightings, make: ColumnMaker) -> Matrix:
    """Compute weighted sums of columns that `make` gives, contiguous, for some of the rows: (b, m).

    Compiled code asks for a few rows at a time, so that no column is kept.
    """
    n = len(batch.count)
    if not (native.is_native() and batch.size > 1 and fits_bytes(batch)):
        return column_sums(batch, make(slice(0, n)))
    blocks = [slice_byte_columns(batch, first) for first in range(0, batch.size, WIDE)]
    return _join_blocks(_sum_pieces(n, batch.weight, blocks, make), batch.size)


def sum_terms_by_row(
    n: int, weight: Vector | None, draws: Sequence[CountsByRow], terms: Sequence[Term]
) -> tuple[Matrix, Vector]:
    """Compute weighted sums of terms of n rows, (b, m), and the totals, (b,), compiled.

    Each of `draws` gives counts of some rows, 64 columns of them, which are held only while these
    rows are summed: the sums are those of a batch of all rows.
    """
    ones = np.ones(MADE)

    def make(rows: slice) -> list[Vector]:
        return [*(_term(term, rows) for term in terms), ones[: rows.stop - rows.start]]

    sums = _join_blocks(_sum_pieces(n, weight, draws, make), WIDE * len(draws))
    return sums[:, :-1], sums[:, -1]


def _sum_pieces(
    n: int, weight: Vector | None, counts: Sequence[CountsByRow], make: ColumnMaker
) -> list[Matrix]:
    """Return the sums of generated columns under each 64 counts, (m, 64) each."""
    sums: list[Matrix] = []
    for start in range(0, max(n, 1), MADE):
        rows = slice(start, min(start + MADE, n))
        columns = make(rows)
        sums = sums or [np.zeros((len(columns), WIDE)) for _ in counts]
        own = None if weight is None else weight[rows]
        where = _locate(columns)
        for count, each in zip(counts, sums, strict=True):
            _add(count[rows], own, where, each, is_more=True)
    return sums


def exact_sums(columns: Matrix, which: Index, count: NDArray[np.uint8]) -> Matrix:
    """Sum some of the columns (m, n) under 64 counts a row, (n, 64): (len(which), 64).

    All are whole numbers, and their products add up to less than 2^53, so that they are exact in
    any order: compiled code takes several columns at once.
    """
    if not native.is_native():
        return np.asarray(columns[which] @ count.astype(np.float64))
    _, n = columns.shape
    if not columns.flags.c_contiguous or count.shape != (n, WIDE):
        raise ValueError("columns have no gaps, and counts are 64 a row")
    where = which.astype(np.uintp) * np.uintp(8 * n) + np.uintp(columns.ctypes.data)
    sums = np.empty((len(which), WIDE))
    native.call_kernel("whole_exact_sums", count, where, n, len(which), sums)
    return sums


def _sum_from_bytes(batch: Weightings, columns: Sequence[Vector]) -> Matrix:
    """Compiled code multiplies one-byte counts and weights itself."""
    parts, where = [], _locate(columns)
    for first in range(0, batch.size, WIDE):
        parts.append(np.empty((len(columns), WIDE)))
        _add(slice_byte_columns(batch, first), batch.weight, where, parts[-1], is_more=False)
    return _join_blocks(parts, batch.size)


def _add(
    count: NDArray[np.uint8],
    weight: Vector | None,
    where: tuple[NDArray[np.uintp], int],
    sums: Matrix,
    *,
    is_more: bool,
) -> None:
    """Put the sums of m columns, which lie at `where`, or add them to what is there; (m, 64)."""
    sizes = (len(count), len(sums))
    native.call_kernel("whole_weighted_sums", count, weight, *where, *sizes, int(is_more), sums)


def _locate(columns: Sequence[Vector]) -> tuple[NDArray[np.uintp], int]:
    """Find where columns start and how far apart their numbers are; the caller keeps them alive."""
    return native.get_addresses(columns), _step(columns)


def _term(term: Term, rows: slice) -> Vector:
    """Return a part of a column or of a product, contiguous."""
    if isinstance(term, tuple):
        return _term(term[0], rows) * _term(term[1], rows)
    if isinstance(term, AbsoluteColumn):
        return np.abs(term.of[rows])
    return np.ascontiguousarray(term[rows])


def _join_blocks(parts: Sequence[Matrix], size: int) -> Matrix:
    """Join the sums of the first `size` columns, (b, m)."""
    return np.ascontiguousarray(np.concatenate(parts, axis=1)[:, :size].T)


def _sum_block(block: WeightBlock, columns: Sequence[Vector]) -> Matrix:
    """Compute the weighted sums of a few columns, shape (width, m)."""
    n, m = len(block.weight), len(columns)
    if not native.is_native():
        return _sum_in_blocks(block.weight, np.stack(columns, axis=1) if m else np.empty((n, 0)))
    sums, where = np.empty((m, block.width)), _locate(columns)
    native.call_kernel("real_weighted_sums", block.width, block.weight, *where, n, m, sums)
    return sums.T


def _step(columns: Sequence[Vector]) -> int:
    """Return how many numbers lie from one row of a column to the next."""
    return columns[0].strides[0] // 8 if columns else 1


def _sum_in_blocks(weight: Matrix, columns: Matrix) -> Matrix:
    """Return all blocks at once, one of their rows after the other; then the rows left over."""
    (n, m), width = columns.shape, weight.shape[1]
    whole = n // BLOCK
    rows = weight[: whole * BLOCK].reshape(whole, BLOCK, width)
    values = columns[: whole * BLOCK].reshape(whole, BLOCK, m)
    blocks = np.zeros((whole + 1, m, width))
    for i in range(BLOCK if whole else 0):
        blocks[:whole] += values[:, i, :, None] * rows[:, i, None, :]
    for i in range(whole * BLOCK, n):
        blocks[whole] += columns[i, :, None] * weight[i]
    return sum_in_order(blocks).T
