"""Weights of two classes at each score, and rows counted in a grid of score and y."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Index, Matrix, Places, Scored, Vector
from reportgen.kernels.buffers import borrow_buffer
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import cumulate_weight
from reportgen.kernels.curve_heights import (
    Short,
    compute_bin_sums,
    compute_block_bin_sums,
    count_by_cell,
    shorten_bins,
)
from reportgen.kernels.native import Argument
from reportgen.kernels.ties import sum_weights
from reportgen.kernels.weight_blocks import FEW, NARROW, WIDE, fits_bytes, slice_byte_columns
from reportgen.records import record

MOST_CELLS = 4096
POOL = 8
Table = NDArray[np.uint32 | np.float64]


@record(eq=False)
class ClassWeights:
    """Weights of two classes in c cells under b weightings.

    They lie in `tables` (2c, width), as compiled code takes them: of each cell the lower class,
    then the upper; columns past the weightings are 0.
    """

    tables: tuple[Table, ...]
    size: int

    @classmethod
    def from_classes(cls, upper: Matrix, lower: Matrix) -> ClassWeights:
        """Build them from the weights of each class, (b, c)."""
        width = NARROW if len(upper) > 1 else 1
        together = np.stack([lower, upper], axis=-1).reshape(len(upper), -1).astype(np.float64)
        wide = np.pad(together, ((0, -len(upper) % width), (0, 0)))
        tables = (np.ascontiguousarray(wide[i : i + width].T) for i in range(0, len(wide), width))
        return cls(tuple(tables), len(upper))

    @cached_property
    def upper(self) -> Matrix:
        """Weight of the upper class, (b, c)."""
        return self._side(1)

    @cached_property
    def lower(self) -> Matrix:
        """Weight of the lower class, (b, c)."""
        return self._side(0)

    @cached_property
    def pools(self) -> ClassWeights:
        """The same in pools of `POOL` neighbouring cells: c / POOL of them, rounded up."""
        tables = []
        for table in self.tables:
            cells = table.reshape(len(table) // 2, -1)
            whole = len(cells) // POOL * POOL  # an even sum is ten times as quick as `reduceat`
            parts = [cells[:whole].reshape(-1, POOL, cells.shape[1]).sum(axis=1, dtype=cells.dtype)]
            if whole < len(cells):
                parts.append(cells[whole:].sum(axis=0, keepdims=True, dtype=cells.dtype))
            tables.append(np.concatenate(parts).reshape(-1, table.shape[1]))
        return ClassWeights(tuple(tables), self.size)

    def run(self, name: str, table: Table, *more: Argument) -> None:
        """Call compiled code for one of the tables."""
        where = (np.ascontiguousarray(table), len(table) // 2, *more)
        if table.dtype == np.uint32:
            native.call_kernel(f"whole_{name}", *where)
        else:
            native.call_kernel(f"real_{name}", table.shape[1], *where)

    def _side(self, side: int) -> Matrix:
        together = np.concatenate([table[side::2] for table in self.tables], axis=1)
        return np.ascontiguousarray(together[:, : self.size].T, dtype=np.float64)


@record(eq=False)
class ScoreCells:
    """The cell of each row (n,), by rising score, and the mean score of the rows of each (c,)."""

    number: Index
    score: Vector

    def weights(self, rows: Scored, batch: Batch) -> ClassWeights:
        """Weights of the negatives and of the positives in each cell."""
        name = f"weights in {len(self.score)} cells"
        return batch.once(rows, name, lambda: self._weights(rows, batch))

    def _weights(self, rows: Scored, batch: Batch) -> ClassWeights:
        def sides() -> Places | Short:
            return shorten_bins(2 * self.number + (rows.y.values > 0), 2 * len(self.score))

        cell = rows.once(f"sides of {len(self.score)} cells", sides)
        return ClassWeights(
            tuple(compute_block_bin_sums(batch, cell, 2 * len(self.score))), batch.size
        )


Fit = Callable[[ScoreCells, ClassWeights], Matrix]


def make_score_cells(rows: Scored) -> ScoreCells:
    """Build a cell for each distinct score."""
    return rows.once("cells of scores", lambda: _cells(rows, rows.score.group.astype(np.intp)))


def make_coarse_cells(rows: Scored) -> ScoreCells:
    """Build cells of neighbouring scores, some thousands at most."""
    if rows.score.groups <= MOST_CELLS:
        return make_score_cells(rows)

    def build_cells() -> ScoreCells:
        size = np.bincount(rows.score.group, minlength=rows.score.groups)
        middle = np.cumsum(size) - (size + 1) / 2
        wide = np.floor(middle * MOST_CELLS / len(rows)).astype(np.intp)
        cell = np.cumsum(np.append(0, np.diff(wide) > 0))
        return _cells(rows, cell[rows.score.group])

    return rows.once("coarse cells of scores", build_cells)


def make_even_cells(rows: Scored, amount: Vector, most: int) -> ScoreCells:
    """Cells of even sums of an amount (n,) of each row, as far as ties allow; at most `most`."""
    if rows.score.groups <= most:
        return make_score_cells(rows)
    size = np.bincount(rows.score.group, amount, rows.score.groups)
    end = np.cumsum(size)
    wide = np.floor((end - size / 2) * (most / end[-1])).astype(np.intp)
    cell = np.cumsum(np.append(0, np.diff(wide) > 0))
    return _cells(rows, cell[rows.score.group])


def compute_over_cells(rows: Scored, batch: Batch, name: str, of: Fit) -> Matrix:
    """Values (b, k) of a function of cells and the weights of both classes in them, by its name.

    One weighting has a cell a score. Of many scores other weightings have fewer, and are as far
    from the full data as they are in these.
    """
    exact, few = make_score_cells(rows), make_coarse_cells(rows)
    if few is exact or batch.size == 1:
        return of(exact, exact.weights(rows, batch))
    moved = _compute_grid_shift(rows, batch.weight, name, of)
    return np.asarray(of(few, few.weights(rows, batch)) + moved)


def _compute_grid_shift(rows: Scored, weight: Vector | None, name: str, of: Fit) -> Matrix:
    """Compute the values of all cells on the full data, less those of few, (1, k); cached."""

    def measure_shift() -> tuple[Vector | None, Matrix]:
        full = Batch.from_weights(np.ones(len(rows)) if weight is None else weight)
        near = [
            of(cells, cells.weights(rows, full))
            for cells in (make_score_cells(rows), make_coarse_cells(rows))
        ]
        return weight, near[0] - near[1]

    kept = rows.once(f"{name}: moved by few cells", measure_shift)
    is_same = kept[0] is weight or (
        kept[0] is not None and weight is not None and np.array_equal(kept[0], weight)
    )
    return kept[1] if is_same else measure_shift()[1]


def _cells(rows: Scored, number: Index) -> ScoreCells:
    size = np.bincount(number)
    return ScoreCells(number, np.bincount(number, rows.score.values) / np.maximum(size, 1))


BESIDE = (-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)  # standard deviations from a share's end
PARTS = 100  # of the weight by score, at whose ends there are edges whatever is asked
BINS_OF_Y = 64
ATOM_SHARE = 0.002  # share of the weight from which equal scores have a bin of their own
HEAVY = 2**31  # of totals, up to which whole numbers hold all sums


@record(eq=False)
class GridCells:
    """Cells of the rows, (n,): bin by score times `width`, and bin by y; `bins` by score."""

    number: Places | Short
    bins: int
    width: int


@record(eq=False)
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
    cells = rows.once(name, lambda: _count_cells(rows, batch.weight, places))
    return batch.once(rows, name, lambda: _sums(batch, cells))


def _count_cells(rows: Scored, weight: Vector | None, places: Vector) -> GridCells:
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
            _count_cells_compiled(batch, slice_byte_columns(batch, first), cells)
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


def _count_cells_compiled(
    batch: Batch, count: NDArray[np.uint8], cells: GridCells
) -> NDArray[np.int64]:
    out = np.empty((3, cells.bins, WIDE), np.int64)
    with borrow_buffer((cells.bins * cells.width, WIDE), np.uint32) as table:
        count_by_cell(batch, count, cells.number, table)
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
