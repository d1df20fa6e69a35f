"""Weighted sums of columns: all that a mean needs.

Rows are added in blocks of 64, within a block row by row and then block by block: the same bits
in compiled code and in NumPy, for any number of threads, and for a column whatever stands
beside it.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Matrix
from reportgen.kernels.lanes import WIDE, Lanes, fits_bytes, lanes_of, ordered_sum, padded

BLOCK = 64


def weighted_sums(batch: Batch, columns: Matrix) -> Matrix:
    """Sum over rows of weight * column: (n, m) columns give shape (b, m).

    >>> weighted_sums(Batch(np.array([[1, 0], [2, 1]], np.uint8)), np.array([[1.0], [10.0]]))
    array([[21.],
           [10.]])
    """
    columns = np.asfortranarray(columns, dtype=np.float64)  # each column in one piece
    if native.is_native() and batch.size > 1 and fits_bytes(batch):
        return _from_bytes(batch, columns)
    parts = [_of_lanes(lanes, columns)[: batch.size - lanes.first] for lanes in lanes_of(batch)]
    return np.concatenate(parts)


def _from_bytes(batch: Batch, columns: Matrix) -> Matrix:
    """Compiled code multiplies one-byte counts and weights itself."""
    n, m = columns.shape
    parts = []
    for first in range(0, batch.size, WIDE):
        count = padded(batch.count[:, first : first + WIDE], WIDE)
        sums = np.empty((m, WIDE))
        native.run("whole_weighted_sums", count, batch.weight, columns.T, n, m, sums)
        parts.append(sums[:, : batch.size - first])
    return np.ascontiguousarray(np.concatenate(parts, axis=1).T)


def _of_lanes(lanes: Lanes, columns: Matrix) -> Matrix:
    """Sums of a few lanes, shape (width, m)."""
    n, m = columns.shape
    if not native.is_native():
        return _in_blocks(lanes.weight, columns)
    sums = np.empty((m, lanes.width))
    native.run("real_weighted_sums", lanes.width, lanes.weight, columns.T, n, m, sums)
    return sums.T


def _in_blocks(weight: Matrix, columns: Matrix) -> Matrix:
    """All blocks at once, one of their rows after the other; then the rows left over."""
    (n, m), width = columns.shape, weight.shape[1]
    whole = n // BLOCK
    rows = weight[: whole * BLOCK].reshape(whole, BLOCK, width)
    values = columns[: whole * BLOCK].reshape(whole, BLOCK, m)
    blocks = np.zeros((whole + 1, m, width))
    for i in range(BLOCK if whole else 0):
        blocks[:whole] += values[:, i, :, None] * rows[:, i, None, :]
    for i in range(whole * BLOCK, n):
        blocks[whole] += columns[i, :, None] * weight[i]
    return ordered_sum(blocks).T
