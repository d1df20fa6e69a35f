"""Weights of two classes at each score, for all weightings at once: what fits to scores read.

Rows with tied scores share a cell. Of many different scores neighbours share one, of even numbers
of rows; what that moves is known from the full data, so that replicates of few cells are told how
far they lie from those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Scored, Vector
from reportgen.kernels.walks import sums_by_bin

MOST_CELLS = 4096


@dataclass(frozen=True)
class ScoreCells:
    """The cell of each row (n,), by rising score, and the mean score of the rows of each (c,)."""

    number: Index
    score: Vector

    def weights(self, rows: Scored, batch: Batch) -> tuple[Matrix, Matrix]:
        """Weight of the positives and of the negatives in each cell, (b, c) each."""
        bins = 2 * self.number + (rows.y.values > 0)
        sums = sums_by_bin(batch, bins, 2 * len(self.score))
        return sums[:, 1::2], sums[:, ::2]


def every_score(rows: Scored) -> ScoreCells:
    """A cell for each different score."""
    return rows.once("cells of scores", lambda: _cells(rows, rows.score.group.astype(np.intp)))


def cells_of(rows: Scored, most: int = MOST_CELLS) -> ScoreCells:
    """The same, at most so many."""
    if rows.score.groups <= most:
        return every_score(rows)

    def made() -> ScoreCells:
        size = np.bincount(rows.score.group, minlength=rows.score.groups)
        middle = np.cumsum(size) - (size + 1) / 2
        wide = np.floor(middle * most / len(rows)).astype(np.intp)
        cell = np.cumsum(np.append(0, np.diff(wide) > 0))
        return _cells(rows, cell[rows.score.group])

    return rows.once(f"{most} cells of scores", made)


def over_cells(
    rows: Scored, batch: Batch, of: Callable[[ScoreCells, Matrix, Matrix], Matrix]
) -> Matrix:
    """Values (b, k) of a function of cells and the weights of both classes in them, (b, c).

    One weighting has a cell a score. Of many scores other weightings have fewer, and are as far
    from the full data as they are in these.
    """
    exact, few = every_score(rows), cells_of(rows)
    if few is exact or batch.size == 1:
        return of(exact, *exact.weights(rows, batch))
    full = Batch.of(np.ones(len(rows)) if batch.weight is None else batch.weight)
    near = [of(cells, *cells.weights(rows, full)) for cells in (exact, few)]
    return np.asarray(of(few, *few.weights(rows, batch)) + (near[0] - near[1]))


def _cells(rows: Scored, number: Index) -> ScoreCells:
    size = np.bincount(number)
    return ScoreCells(number, np.bincount(number, rows.score.values) / np.maximum(size, 1))
