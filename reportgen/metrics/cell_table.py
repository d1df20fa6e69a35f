"""Which cell of a table each row falls in, where the rows say how large the table is.

Most cells of a large table hold no row. The others alone are summed, once for all metrics of the
same rows; a function of the whole table is given the rest as zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.walks import sums_by_bin
from reportgen.metrics.of_means import STEP

AT_ONCE = 2_000_000  # numbers of tables that stand side by side
OfTable = Callable[[Matrix], Vector]


@dataclass(frozen=True, eq=False)
class CellTable:
    """The cells that hold rows, rising, (m,), of a table of `cells`, and the place of each row's.

    `place` (n,) is a row's among those that hold rows.
    """

    occupied: Index
    place: Index
    cells: int

    @classmethod
    def of(cls, cell: Index, cells: int) -> CellTable:
        """The table of rows whose cells, (n,), are numbers from 0."""
        occupied, place = np.unique(cell, return_inverse=True)
        return cls(occupied.astype(np.intp), place.reshape(-1).astype(np.intp), cells)

    @property
    def cell(self) -> Index:
        """The cell of each row, (n,)."""
        return np.asarray(self.occupied[self.place])

    def shares(self, batch: Batch) -> Matrix:
        """The share of the weight in each cell that holds rows, (b, m); nan where none weighs."""
        sums = batch.once(self, "cells", lambda: sums_by_bin(batch, self.place, len(self.occupied)))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums / batch.totals[:, None])

    def apply(self, function: OfTable, shares: Matrix) -> Vector:
        """A function of whole tables, (b, cells) -> (b,), of the shares of the cells with rows."""
        size = max(AT_ONCE // self.cells, 1)
        parts = [self._whole(shares[k : k + size]) for k in range(0, len(shares), size)]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            found = np.concatenate([function(part) for part in parts])
        is_known = np.isfinite(found) & np.isfinite(shares).all(axis=1)
        return np.where(is_known, found, np.nan)

    def influence(
        self, function: OfTable, weight: Vector, alike: Index | None = None
    ) -> Vector | None:
        """phi_i, (n,): the slope in the row's own cell, less the mean of the slopes.

        None where the value exists but a small step away it does not. Cells with rows that have
        one number in `alike`, (m,), have one slope.
        """
        share = np.bincount(self.place, weight, len(self.occupied)) / weight.sum()
        steps = STEP * np.where(share > 0, share, 0.0)
        held = np.flatnonzero(steps)
        number = np.arange(len(share)) if alike is None else alike
        # The largest cell of each number stands for all.
        by_size = held[np.argsort(-share[held], kind="stable")]
        _, first, same = np.unique(number[by_size], return_index=True, return_inverse=True)
        chosen = by_size[first]
        shifts = np.zeros((len(chosen), len(share)))
        shifts[np.arange(len(chosen)), chosen] = steps[chosen]
        ends = self.apply(function, np.concatenate([share + shifts, share - shifts]))
        each = (ends[: len(chosen)] - ends[len(chosen) :]) / (2 * steps[chosen])
        slopes = np.zeros(len(share))
        slopes[by_size] = each[same.reshape(-1)]
        if not np.isfinite(slopes).all():
            return None
        # Where a cell weighs nothing no row that weighs is in it.
        return np.asarray((slopes - slopes @ share)[self.place])

    def without_each(self, function: OfTable, weight: Vector) -> Vector:
        """The value without each row, (n,): the same for rows of one cell and one weight."""
        each, same = np.unique(np.stack([self.place, weight]), axis=1, return_inverse=True)
        sums = np.bincount(self.place, weight, len(self.occupied))
        cell, size = each[0].astype(np.intp), each[1]
        left = np.repeat(sums[None, :], len(size), axis=0)
        at = np.arange(len(size)), cell
        alone = np.bincount(self.place, minlength=len(sums))[cell] == 1
        left[at] = np.where(alone, 0.0, left[at] - size)  # a cell left empty is exactly so
        total = left.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.apply(function, left / total)[same.reshape(-1)]

    def _whole(self, shares: Matrix) -> Matrix:
        table = np.zeros((len(shares), self.cells))
        table[:, self.occupied] = shares
        return table
