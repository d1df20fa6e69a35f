"""Sums that do not depend on the order of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import BATCH_SIZE, Batch, Index, Matrix, Vector
from reportgen.kernels.curve_heights import compute_bin_sums
from reportgen.kernels.sums import CountsByRow, exact_sums

KeyedSums = NDArray[np.uint64]

WEIGHT_BITS = 30


def weight_grain(heaviest: float) -> float:
    """The power of two that weights are multiples of; 1 where each weighs 1.

    >>> weight_grain(1.0) == 2.0**-29
    True
    """
    return float(np.ldexp(1.0, int(np.frexp(heaviest)[1]) - WEIGHT_BITS))


def to_weights(table: KeyedSums, grain: float) -> Matrix:
    """Return the weights that the whole numbers of a table by key stand for, (g, s)."""
    return np.asarray(table[:, 1:].view(np.int64).astype(np.float64) * grain)


BITS = 38
NARROW = 128  # rows of which products of small whole numbers with 2^38 add up likewise
BLOCK = 2_048  # rows of which 2^38 times a count of at most 12 adds up to less than 2^53
_HALF = np.int64(32)
WholeSums = NDArray[np.int64]
Parts = NDArray[np.float64]  # (2, m, n): whole multiples of grains, and what is left of them


def column_grains(largest: Vector) -> Vector:
    """The power of two that each column is a multiple of, by its largest size, (m,)."""
    size = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.ldexp(1.0, np.frexp(size)[1] - BITS))


def iter_blocks(rows: int) -> Iterator[slice]:
    """So many rows, a block at a time."""
    return (slice(start, min(start + BLOCK, rows)) for start in range(0, rows, BLOCK))


def split_to_grain(columns: Matrix, grain: Vector) -> Parts:
    """Columns (m, n) as whole multiples of their grain, and what is left in 2^-38 of it."""
    parts = np.empty((2, *columns.shape))
    high, low = parts
    np.multiply(columns, 1 / grain[:, None], out=low)
    np.rint(low, out=high)
    low -= high
    low *= 2.0**BITS
    np.rint(low, out=low)
    return parts


def sum_own(parts: Parts) -> WholeSums:
    """The sums of both parts of at most a block of rows, (2, m)."""
    return np.asarray(parts.sum(axis=2).astype(np.int64))


def sum_products(columns: Matrix, whole: Vector) -> WholeSums:
    """Sums of whole weights times every two columns of small whole numbers, (k (k + 1) / 2,)."""
    k, n = columns.shape
    if not k:
        return np.zeros(0, np.int64)
    found = np.zeros((k, k), np.int64)
    for start in range(0, n, NARROW):
        part = columns[:, start : start + NARROW]
        found += ((part * whole[start : start + NARROW]) @ part.T).astype(np.int64)
    return found[np.triu_indices(k)]


def sum_resampled(
    parts: Parts,
    own: WholeSums,
    columns: Index,
    draws: Sequence[CountsByRow],
    tables: Sequence[tuple[Index, int]] = (),
    weight: int = 0,
) -> WholeSums:
    """Sums of some columns of at most a block of rows under each resample, and those of tables.

    For both parts, (2, draws, m, 64): blocks add up, and `reshape_by_resample` puts them in
    order. `own` are the parts' plain sums. A table is the cell of each row, and how many cells
    there are; what is added up in each is the column `weight`.
    """
    m = len(columns)
    if not m and not tables:
        return np.zeros((2, len(draws), 0, BATCH_SIZE), np.int64)
    found = np.zeros((2, len(draws), m + sum(cells for _, cells in tables), BATCH_SIZE), np.int64)
    either = parts.reshape(-1, parts.shape[2])  # both parts of all columns, one after the other
    which = _find_first_equal(either, own, np.concatenate([columns, parts.shape[1] + columns]))
    first, place = np.unique(which, return_inverse=True)
    for index, draw in enumerate(draws):
        count = draw[:]
        found[:, index, :m] = exact_sums(either, first, count)[place].reshape(2, m, BATCH_SIZE)
        begin = m
        for cell, cells in tables:
            for each, part in zip(found[:, index], parts, strict=True):
                if part[weight].any():
                    each[begin : begin + cells] = _sum_weights_by_cell(
                        cell, part[weight], count, cells
                    )
            begin += cells
    return found


def _find_first_equal(rows: Matrix, sums: WholeSums, which: Index) -> Index:
    """Find the first row that equals each: many hold zeros, and others repeat."""
    _, place, group = np.unique(sums.reshape(-1)[which], return_index=True, return_inverse=True)
    found = which[place[group]]
    for k in np.flatnonzero(found != which):
        if not np.array_equal(rows[found[k]], rows[which[k]]):
            found[k] = which[k]
    return found


def reshape_by_resample(sums: WholeSums) -> WholeSums:
    """Sums (2, batches, m, 64) as (2, 64 · batches, m)."""
    parts, batches, m, lanes = sums.shape
    return np.asarray(sums.transpose(0, 1, 3, 2).reshape(parts, batches * lanes, m))


def _sum_weights_by_cell(
    cell: Index, weight: Vector, count: NDArray[np.uint8], cells: int
) -> WholeSums:
    """Whole weights under 64 weightings by cell, (cells, 64): exact in any order."""
    first = weight[0]
    if (weight == first).all():
        return compute_bin_sums(Batch(count), cell, cells).T.astype(np.int64) * np.int64(first)
    return compute_bin_sums(Batch(count, weight), cell, cells).T.astype(np.int64)


def carry_halves(sums: WholeSums) -> WholeSums:
    """Whole numbers in two halves, (2, …), of which many can be added."""
    return np.stack([sums >> _HALF, sums & np.int64(0xFFFFFFFF)])


def to_real(state: WholeSums, grain: Vector) -> Matrix:
    """What halves of both parts stand for: (2, 2, …, m) with a grain a column gives (…, m)."""
    high, low = (_round_halves(state[:, part]) for part in (0, 1))
    return np.asarray(high * grain + low * (grain * 2.0**-BITS))


def _round_halves(halves: WholeSums) -> Matrix:
    """The number that two halves stand for, rounded once: each is exact in a double."""
    return np.asarray(halves[0].astype(np.float64) * 2.0**32 + halves[1].astype(np.float64))
