"""Weights along two classes from the sums of cells of rows: for bands of many rows.

The first rows from the top have a cell each, the others so few a cell that a straight line across
it hides no chance worth telling; rows with tied scores share one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Places, Result, Scored, Vector
from reportgen.kernels.class_areas import classes_along
from reportgen.kernels.cuts import descending
from reportgen.kernels.walks import lane_sums_by_bin

ALONE, SHARED = 500, 2000  # rows with a cell each, and cells of the others


def classes_along_cells(
    rows: Scored, batch: Batch, shares: Vector, *, of_positives: bool, is_fewest: bool
) -> tuple[Matrix, Vector, Vector]:
    """What `classes_along` gives, rows of one cell being tied: heights (s, b), both totals (b,)."""
    cells, place = rows.once("cells from the top", lambda: _cells(rows))
    sums = batch.once(rows, "cells from the top", lambda: _sums(batch, place, len(cells)))
    return classes_along(cells, sums, shares, of_positives=of_positives, is_fewest=is_fewest)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Each cell as two tied rows: its negatives, and its positives."""

    y: Column
    score: Column

    @classmethod
    def of(cls, number: int) -> _Cells:
        """So many, from the top."""
        score = -np.repeat(np.arange(number, dtype=np.float64), 2)
        return cls(Column(np.tile([0.0, 1.0], number)), Column(score))

    def __len__(self) -> int:
        return len(self.y)

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time."""
        return self.score.once(name, compute)


def _cells(rows: Scored) -> tuple[_Cells, Places]:
    """The cells, and the number of that of each row among their rows, (n,)."""
    column = descending(rows)
    size = np.bincount(column.group, minlength=column.groups)
    before = np.append(0, np.cumsum(size)[:-1])
    rest = np.maximum(before - ALONE, 0) * SHARED // max(len(rows) - ALONE, 1)
    cell = np.minimum(before, ALONE) + rest
    place = 2 * cell[column.group] + (rows.y.values > 0)
    return _Cells.of(int(cell[-1]) + 1), place.astype(np.int32)


def _sums(batch: Batch, place: Places, size: int) -> Batch:
    """The weights of the cells' rows under the same weightings."""
    sums = np.concatenate(lane_sums_by_bin(batch, place, size), axis=1)
    return Batch(sums[:, : batch.size].astype(np.float64))
