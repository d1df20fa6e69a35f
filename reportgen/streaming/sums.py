"""Sums that are the same bits however rows are cut into pieces and in whatever order they come.

Each column is rounded to a multiple of a power of two, fixed by its largest value: 2^-38 of it.
Products of such integers with multiplicities add exactly in doubles over 2,048 rows, and beyond
that as integers. What rounding leaves of a column is held in 38 further bits, which are added up
likewise, so that differences of large sums keep their digits.
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
    high, low = np.empty(columns.shape), np.empty(columns.shape)
    times = 1 / grain[:, None]
    for start in range(0, columns.shape[1], BLOCK):
        part = slice(start, start + BLOCK)
        left = columns[:, part] * times
        np.rint(left, out=high[:, part])
        left -= high[:, part]
        left *= 2.0**BITS
        np.rint(left, out=low[:, part])
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
    parts: Sequence[Matrix],
    keys: NDArray[np.uint64],
    stream: int,
    batches: int,
    tables: Sequence[tuple[Index, int]] = (),
    weights: Sequence[Vector] = (),
) -> Whole:
    """Sums of both parts (m, n) under each resample, (2, 64 · batches, m), and those of tables.

    A table is the cell of each row, and how many cells there are; `weights` are both parts of the
    whole weights that are added up in each.
    """
    m, n = parts[0].shape
    found = np.zeros((len(parts), batches, m + sum(cells for _, cells in tables), LANES), np.int64)
    parts = [np.ascontiguousarray(part) for part in parts]
    for start in range(0, n, BLOCK):
        rows = slice(start, min(start + BLOCK, n))
        filled = [np.flatnonzero(part[:, rows].any(axis=1)) for part in parts]
        for index in range(batches):
            count = keyed_poisson(keys[rows], LANES, stream, index)
            for sums, part, places in zip(found[:, index], parts, filled, strict=True):
                if len(places):
                    sums[places] += _block(part[:, rows], places, count).astype(np.int64)
            begin = m
            for cell, cells in tables:
                for sums, weight in zip(found[:, index], weights, strict=True):
                    if weight[rows].any():
                        within = _by_cell(cell[rows], weight[rows], count, cells)
                        sums[begin : begin + cells] += within
                begin += cells
    return np.asarray(found.transpose(0, 1, 3, 2).reshape(len(parts), batches * LANES, -1))


def _by_cell(cell: Index, weight: Vector, count: NDArray[np.uint8], cells: int) -> Whole:
    """Whole weights under 64 weightings by cell, (cells, 64): exact in any order."""
    first = weight[0]
    if (weight == first).all():
        return sums_by_bin(Batch(count), cell, cells).T.astype(np.int64) * np.int64(first)
    return sums_by_bin(Batch(count, weight), cell, cells).T.astype(np.int64)


def _block(columns: Matrix, places: Index, count: NDArray[np.uint8]) -> Matrix:
    """Sums of some columns of a block under 64 weightings, (k, 64): exact in any order."""
    if not native.is_native():
        return np.asarray(columns[places] @ count.astype(np.float64))
    rows, k = columns.shape[1], len(places)
    first, step = columns.ctypes.data, columns.strides[0]
    where = places.astype(np.uintp) * np.uintp(step) + np.uintp(first)
    sums = np.zeros((k, LANES))
    native.run("whole_weighted_sums", count, None, where, 1, rows, k, 0, sums)
    return sums


def carried(sums: Whole) -> Whole:
    """Whole numbers in two halves, (2, …), of which many can be added."""
    return np.stack([sums >> _HALF, sums & np.int64(0xFFFFFFFF)])


def added(states: Sequence[Whole]) -> Whole:
    """The sum of states, in any order the same."""
    return np.asarray(np.sum(states, axis=0))


def real(state: Whole, grain: Vector) -> Matrix:
    """What halves of both parts stand for: (2, 2, …, m) with a grain a column gives (…, m)."""
    high, low = (_rounded(state[:, part]) for part in (0, 1))
    return np.asarray(high * grain + low * (grain * 2.0**-BITS))


def _rounded(halves: Whole) -> Matrix:
    """The number that two halves stand for, rounded once: each is exact in a double."""
    return np.asarray(halves[0].astype(np.float64) * 2.0**32 + halves[1].astype(np.float64))
