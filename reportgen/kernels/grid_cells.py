"""Rows counted in the cells of a grid of score and y."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Matrix, Places, Scored, Vector
from reportgen.kernels.buffers import borrow_buffer
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import cumulate_weight
from reportgen.kernels.curve_heights import Short, compute_bin_sums, shorten_bins
from reportgen.kernels.ties import sum_weights
from reportgen.kernels.weight_blocks import FEW, WIDE, fits_bytes, slice_byte_columns

BESIDE = (-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)  # standard deviations from a share's end
PARTS = 100  # of the weight by score, at whose ends there are edges whatever is asked
BINS_OF_Y = 64
ATOM_SHARE = 0.002  # share of the weight from which equal scores have a bin of their own
HEAVY = 2**31  # of totals, up to which whole numbers hold all sums


@dataclass(frozen=True, eq=False)
class GridCells:
    """Cells of the rows, (n,): bin by score times `width`, and bin by y; `bins` by score."""

    number: Places | Short
    bins: int
    width: int


@dataclass(frozen=True, eq=False)
class GridSums:
    """Sums over the rows of each bin by score, lowest first, (b, bins) each.

    `ranks` is that of weight times twice the midrank of y, `signs` that of weight times the weight
    of the rows on the same side by score and by y, less that of the rows on opposite sides.
    """

    weight: Matrix
    ranks: Matrix
    signs: Matrix

    def cumulate_to(self, shares: Vector, sums: Matrix) -> Matrix:
        """Sum bins over the first shares of the weight, (b, s); along a straight line in a bin."""
        pairs = zip(_running(self.weight), _running(sums), strict=True)
        return np.stack([np.interp(shares * x[-1], x, y) for x, y in pairs])


def compute_grid_sums(rows: Scored, batch: Batch, shares: Vector) -> GridSums:
    """Compute sums of each bin by score under each weighting, in cells made for these shares.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    >>> sums = compute_grid_sums(rows, Batch.from_weights(np.ones(3)), np.array([0.5]))
    >>> sums.signs, sums.ranks
    (array([[2., 0., 0.]]), array([[1., 5., 3.]]))
    """
    places = np.union1d(shares, np.linspace(0.0, 1.0, PARTS + 1))
    name = f"cells at {len(places)} {hash(places.tobytes())}"
    cells = rows.once(name, lambda: _cells(rows, batch.weight, places))
    return batch.once(rows, name, lambda: _sums(batch, cells))


def _cells(rows: Scored, weight: Vector | None, places: Vector) -> GridCells:
    weight = np.ones(len(rows)) if weight is None else weight
    by_score = _bins(rows.score, weight, _list_neighbouring_shares(places, weight), ATOM_SHARE)
    by_y = _bins(rows.y, weight, np.linspace(0.0, 1.0, BINS_OF_Y + 1), 0.5 / BINS_OF_Y)
    bins, width = (int(found.max(initial=0)) + 1 for found in (by_score, by_y))
    number = by_score[rows.score.group] * width + by_y[rows.y.group]
    return GridCells(shorten_bins(number, bins * width), bins, width)


def _list_neighbouring_shares(places: Vector, weight: Vector) -> Vector:
    """Shares of the weight and their neighbourhoods, by the number of rows that it is worth."""
    spread = np.sqrt(places * (1 - places) / max(kish_effective_rows(weight), 1.0))
    return np.unique(np.clip(places + np.outer(BESIDE, spread), 0.0, 1.0))


def _bins(column: Column, weight: Vector, shares: Vector, atom: float) -> Places:
    """Find the bin of each group of equal values: bins end at shares of the weight and at atoms."""
    up = cumulate_weight(Batch.from_weights(weight), column)[:, 0]
    up = up / (up[-1] or 1.0)
    ends = np.searchsorted(up, shares)
    atoms = np.flatnonzero(np.diff(up) > atom)
    edges = np.unique(np.concatenate([ends, atoms, atoms + 1]))
    bins = np.searchsorted(edges[edges > 0], np.arange(column.groups), side="right")
    return bins.astype(np.int32)


def _sums(batch: Batch, cells: GridCells) -> GridSums:
    is_light = sum_weights(batch).max(initial=0.0) < HEAVY
    found: NDArray[np.int64 | np.float64]
    is_quick = native.is_native() and batch.is_whole and fits_bytes(batch) and batch.size > FEW
    if is_quick and is_light and cells.number.dtype == np.uint16:
        parts = [
            _count_cells_compiled(slice_byte_columns(batch, first), cells)
            for first in range(0, batch.size, WIDE)
        ]
        found = np.concatenate(parts, axis=2)[:, :, : batch.size]
    else:
        size = cells.bins * cells.width
        table = compute_bin_sums(batch, cells.number, size)
        whole = table.astype(np.int64) if batch.is_whole and is_light else table
        found = _sums_of_table(whole.T.reshape(cells.bins, cells.width, -1))
    weight, ranks, signs = (np.ascontiguousarray(each.T, dtype=np.float64) for each in found)
    return GridSums(weight, ranks, signs)


def _count_cells_compiled(count: NDArray[np.uint8], cells: GridCells) -> NDArray[np.int64]:
    out = np.empty((3, cells.bins, WIDE), np.int64)
    with borrow_buffer((cells.bins * cells.width, WIDE), np.uint32) as table:
        table[:] = 0
        native.call_kernel("whole_cells", count, cells.number, len(count), table)
        with borrow_buffer((4, cells.width, WIDE), np.int64) as spare:
            native.call_kernel("whole_cell_sums", table, cells.bins, cells.width, spare, out)
    return out


def _sums_of_table(table: NDArray[np.int64 | np.float64]) -> NDArray[np.int64 | np.float64]:
    """Compute weight, ranks and signs of each bin, (3, bins, b), from cells (bins, width, b)."""
    total = table.sum(axis=0)
    rank = 2 * np.cumsum(total, axis=0) - total
    passed = np.cumsum(table, axis=0) - table
    side = 2 * passed + table - total
    sign = 2 * np.cumsum(side, axis=1) - side - side.sum(axis=1, keepdims=True)
    return np.stack([table.sum(axis=1), (table * rank).sum(axis=1), (table * sign).sum(axis=1)])


def _running(sums: Matrix) -> Matrix:
    """Compute running sums along each row, from 0."""
    return np.concatenate([np.zeros((len(sums), 1)), np.cumsum(sums, axis=1)], axis=1)
