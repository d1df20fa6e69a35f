"""Sums that are the same bits however rows are cut into pieces and in whatever order they come.

Each column is rounded to a multiple of a power of two, fixed by its largest value: 2^-38 of it.
Products of such integers with multiplicities add exactly in doubles over 2,048 rows, and beyond
that as integers. The sum under the rows' own weights keeps 38 further bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import LANES, Batch, Index, Matrix, Vector
from reportgen.kernels.counts import keyed_poisson
from reportgen.kernels.walks import sums_by_bin

BITS = 38
NARROW = 128  # rows of which products of small whole numbers with 2^38 add up likewise
BLOCK = 2_048  # rows of which 2^38 times a count of at most 12 adds up to less than 2^53
_HALF = np.int64(32)
Whole = NDArray[np.int64]


def grains(largest: Vector) -> Vector:
    """The power of two that each column is a multiple of, by its largest size, (m,)."""
    size = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.ldexp(1.0, np.frexp(size)[1] - BITS))


def in_parts(columns: Matrix, grain: Vector) -> tuple[Matrix, Matrix]:
    """Columns (m, n) as whole multiples of their grain, and what is left in 2^-38 of it."""
    high = np.rint(columns / grain[:, None])
    low = np.rint((columns - high * grain[:, None]) / (grain[:, None] * 2.0**-BITS))
    return high, low


def own_sums(high: Matrix, low: Matrix) -> Whole:
    """The sums of both parts, (2, m)."""
    return np.stack([high.astype(np.int64).sum(axis=1), low.astype(np.int64).sum(axis=1)])


def products(columns: Matrix, whole: Vector) -> Whole:
    """Sums of whole weights times every two columns of small whole numbers, (k (k + 1) / 2,)."""
    k, n = columns.shape
    found = np.zeros((k, k), np.int64)
    for start in range(0, n if k else 0, NARROW):
        part = columns[:, start : start + NARROW]
        found += ((part * whole[start : start + NARROW]) @ part.T).astype(np.int64)
    return found[np.triu_indices(k)]


def drawn_sums(
    high: Matrix,
    keys: NDArray[np.uint64],
    stream: int,
    batches: int,
    tables: Sequence[tuple[Index, int, Vector]] = (),
) -> Whole:
    """Sums of whole columns (m, n) under each resample, (64 · batches, m), and those of tables.

    A table is the cell of each row, how many cells there are, and whole weights.
    """
    m, n = high.shape
    size = sum(cells for _, cells, _ in tables)
    found = np.zeros((batches, m + size, LANES), np.int64)
    high = np.ascontiguousarray(high)
    for start in range(0, n, BLOCK):
        rows = min(BLOCK, n - start)
        part, own = high[:, start : start + rows], keys[start : start + rows]
        for index in range(batches):
            count = keyed_poisson(own, LANES, stream, index)
            found[index, :m] += _block(part, count).astype(np.int64)
            begin = m
            for cell, cells, weight in tables:
                inside = cell[start : start + rows], weight[start : start + rows]
                found[index, begin : begin + cells] += _by_cell(*inside, count, cells)
                begin += cells
    return np.asarray(found.transpose(0, 2, 1).reshape(-1, m + size))


def _by_cell(cell: Index, weight: Vector, count: NDArray[np.uint8], cells: int) -> Whole:
    """Whole weights under 64 weightings by cell, (cells, 64): exact in any order."""
    first = weight[0]
    if (weight == first).all():
        return sums_by_bin(Batch(count), cell, cells).T.astype(np.int64) * np.int64(first)
    return sums_by_bin(Batch(count, weight), cell, cells).T.astype(np.int64)


def _block(columns: Matrix, count: NDArray[np.uint8]) -> Matrix:
    """Sums of a block under 64 weightings, (m, 64): exact in any order."""
    if not native.is_native():
        return np.asarray(columns @ count.astype(np.float64))
    m, rows = columns.shape
    first, step = columns.ctypes.data, columns.strides[0]
    where = np.arange(m, dtype=np.uintp) * np.uintp(step) + np.uintp(first)
    sums = np.zeros((m, LANES))
    native.run("whole_weighted_sums", count, None, where, 1, rows, m, 0, sums)
    return sums


def carried(sums: Whole) -> Whole:
    """Whole numbers in two halves, (2, …), of which many can be added."""
    return np.stack([sums >> _HALF, sums & np.int64(0xFFFFFFFF)])


def added(states: Sequence[Whole]) -> Whole:
    """The sum of states, in any order the same."""
    return np.asarray(np.sum(states, axis=0))


def real(state: Whole, grain: Vector) -> Matrix:
    """What halves stand for, each rounded once: (2, …, m) with a grain a column gives (…, m)."""
    whole = state[0].astype(object) * (1 << 32) + state[1].astype(object)
    return np.asarray(whole.astype(np.float64) * grain)
