"""Weights of two classes at each score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Index, Matrix, Places, Scored, Vector
from reportgen.kernels.curve_heights import Short, compute_block_bin_sums, shorten_bins
from reportgen.kernels.native import Argument
from reportgen.kernels.weight_blocks import NARROW

MOST_CELLS = 4096
POOL = 8
Table = NDArray[np.uint32 | np.float64]


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
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


def make_coarse_cells(rows: Scored, most: int = MOST_CELLS) -> ScoreCells:
    """Build cells of neighbouring scores, at most `most` of them."""
    if rows.score.groups <= most:
        return make_score_cells(rows)

    def build_cells() -> ScoreCells:
        size = np.bincount(rows.score.group, minlength=rows.score.groups)
        middle = np.cumsum(size) - (size + 1) / 2
        wide = np.floor(middle * most / len(rows)).astype(np.intp)
        cell = np.cumsum(np.append(0, np.diff(wide) > 0))
        return _cells(rows, cell[rows.score.group])

    return rows.once(f"{most} cells of scores", build_cells)


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
