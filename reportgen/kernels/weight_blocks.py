"""Blocks of the columns of a batch: what a kernel takes in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.buffers import allocate_aligned
from reportgen.kernels.columns import BATCH_SIZE, Matrix, Weightings
from reportgen.records import record

WIDE = BATCH_SIZE
NARROW = 16
FEW_ROWS = 8192  # up to so many rows NumPy takes as many columns at once as compiled code does
MOST_ROWS = 2**24  # so that no total of one-byte counts passes 32 bits
FEW = 1  # up to so many columns doubles are quicker than a row of 64 mostly empty ones,
FEW_TO_WALK = 8  # and along a line, where a row takes more work than its memory


@record
class WeightBlock:
    """Weights of shape (n, width): uint8 counts for compiled code, else doubles.

    `first` is the number of the batch's column that is column 0 here; columns past the batch are 0.
    `is_whole` says that all weights are whole numbers.
    """

    weight: NDArray[Any]
    first: int
    is_whole: bool

    @property
    def width(self) -> int:
        """The number of columns, empty ones included."""
        return int(self.weight.shape[1])

    @property
    def is_bytes(self) -> bool:
        """True if these are one-byte counts, 64 a row."""
        return self.weight.dtype == np.uint8


def map_blocks(batch: Weightings, kernel: Callable[[WeightBlock], NDArray[Any]]) -> Matrix:
    """Put together what `kernel` gives, (k, width), for all columns of the batch: shape (k, b)."""
    parts = [
        np.asarray(kernel(block), dtype=np.float64)[:, : batch.size - block.first]
        for block in split_batch(batch)
    ]
    return np.concatenate(parts, axis=1)


def split_batch(batch: Weightings, fewest: int = FEW) -> Iterator[WeightBlock]:
    """Yield the batch in blocks; as bytes where compiled code takes more than `fewest` columns."""
    if native.is_native() and batch.is_whole and fits_bytes(batch) and batch.size > fewest:
        for first in range(0, batch.size, WIDE):
            yield WeightBlock(slice_byte_columns(batch, first), first, True)
    elif native.is_native() or len(batch.count) > FEW_ROWS:
        width = 1 if batch.size == 1 else NARROW
        yield from (
            _build_real_block(batch, first, width) for first in range(0, max(batch.size, 1), width)
        )
    else:
        firsts = range(0, max(batch.size, 1), WIDE)
        yield from batch.once(
            None, "columns", lambda: [_build_real_block(batch, i, WIDE) for i in firsts]
        )


def _build_real_block(batch: Weightings, first: int, width: int) -> WeightBlock:
    """Return some columns in double precision; compiled code needs exactly `width`."""
    count = batch.count[:, first : first + width].astype(np.float64)
    if batch.weight is not None:
        count *= batch.weight[:, None]
    return WeightBlock(
        pad_columns(count, width) if native.is_native() else count, first, batch.is_whole
    )


def fits_bytes(batch: Weightings) -> bool:
    """Tell whether counts are single bytes, and few enough that no total of them passes 32 bits."""
    return batch.count.dtype == np.uint8 and len(batch.count) <= MOST_ROWS


def largest_count(batch: Weightings) -> int:
    """Return the maximum one-byte count of any column, at least 1."""
    return batch.once(None, "largest", lambda: int(batch.count.max(initial=1)))


def slice_byte_columns(batch: Weightings, first: int) -> NDArray[np.uint8]:
    """64 columns of one-byte counts from this one on."""
    if batch.size == WIDE:
        return np.asarray(batch.count, dtype=np.uint8)
    some = batch.count[:, first : first + WIDE]
    return batch.once(None, f"byte columns {first}", lambda: pad_columns(some, WIDE))


def pad_columns(weight: NDArray[Any], width: int) -> NDArray[Any]:
    """Pad the weights to `width` columns with zeros, in one contiguous array."""
    if weight.shape[1] == width:
        return np.ascontiguousarray(weight)
    padded = allocate_aligned((len(weight), width), weight.dtype)
    padded[:, : weight.shape[1]] = weight
    padded[:, weight.shape[1] :] = 0
    return padded


def sum_in_order(terms: Matrix) -> Matrix:
    """Sum over the first axis strictly in row order, as compiled code adds: shape (width,).

    NumPy adds row to row as long as a row has several numbers; a single column it would add
    pairwise, so that one is accumulated.
    """
    if len(terms) == 0:
        return np.zeros(terms.shape[1:])
    if terms[0].size > 1:
        total: Matrix = np.add.reduce(np.ascontiguousarray(terms), axis=0)
        return total
    last: Matrix = np.cumsum(terms, axis=0)[-1]
    return last


def cumulate_in_order(terms: Matrix) -> Matrix:
    """Compute running sums over the first axis, in row order, from a leading 0: (n + 1, width)."""
    return np.ascontiguousarray(cumulate_by_column(terms).T)


def cumulate_by_column(terms: Matrix) -> Matrix:
    """Compute running sums, those of one column side by side, (width, n + 1): faster to make."""
    running = np.zeros((terms.shape[1], len(terms) + 1))
    np.cumsum(np.ascontiguousarray(terms.T), axis=1, out=running[:, 1:])
    return running
