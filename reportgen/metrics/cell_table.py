"""Which cell of a table each row falls in: the class that it is, and the class that it is called.

Most cells of a large table hold no row. The others alone are summed, once for all metrics of the
same rows; a function of whole tables is given the rest as zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.walks import sums_by_bin
from reportgen.metrics.class_tables import ClassTables, at_once, replaced
from reportgen.metrics.of_means import STEP

OfTables = Callable[[ClassTables], Vector]


@dataclass(frozen=True, eq=False)
class CellTable:
    """The cells that hold rows, rising, (m,), of a table of `classes`, and the place of each row's.

    `place` (n,) is a row's among those that hold rows.
    """

    occupied: Index
    place: Index
    classes: int

    @classmethod
    def of(cls, was: Index, called: Index, classes: int) -> CellTable:
        """The table of rows by the places of their classes, (n,) each."""
        occupied, place = np.unique(was * classes + called, return_inverse=True)
        return cls(occupied.astype(np.intp), place.reshape(-1).astype(np.intp), classes)

    @property
    def cell(self) -> Index:
        """The cell of each row, (n,)."""
        return np.asarray(self.occupied[self.place])

    @property
    def sides(self) -> tuple[Index, Index]:
        """The class that was and that was called in each cell that holds rows, (m,) each."""
        was, called = np.divmod(self.occupied, self.classes)
        return np.asarray(was), np.asarray(called)

    def tables(self, batch: Batch) -> ClassTables:
        """The shares of the weight in all cells; nan where none weighs."""
        return batch.once(self, "tables", lambda: self._tables(self._shares(batch)))

    def table(self, weight: Vector) -> ClassTables:
        """The same under one weighting, counted row by row."""
        counted = np.zeros(self.classes**2)
        np.add.at(counted, self.cell, weight)
        whole = (counted / weight.sum()).reshape(1, self.classes, self.classes)
        return ClassTables.of(lambda: iter([whole]))

    def losses(self, function: OfTables) -> Vector:
        """The value of each row alone, (n,)."""
        alone = self._with_each(function, np.zeros(len(self.occupied)), np.ones(len(self.occupied)))
        return np.asarray(alone[self.place])

    def influence(
        self, function: OfTables, weight: Vector, alike: Index | None = None
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
        high, low = (
            self._with_each(function, share, share[chosen] + side * steps[chosen], chosen)
            for side in (1, -1)
        )
        each = (high - low) / (2 * steps[chosen])
        slopes = np.zeros(len(share))
        slopes[by_size] = each[same.reshape(-1)]
        if not np.isfinite(slopes).all():
            return None
        # Where a cell weighs nothing no row that weighs is in it.
        return np.asarray((slopes - slopes @ share)[self.place])

    def one_row_more(
        self,
        function: OfTables,
        weight: Vector,
        squares: Vector,
        *,
        by_call: bool = False,
        of: int | None = None,
    ) -> Vector:
        """How far the value moves if one row of a class is called otherwise, (k,), by class.

        `weight` and `squares` (n,) are of rows, or the sums of each cell and of its squared
        weights. `by_call` groups rows by the class that they are called, and one row is of another
        class. A row goes from the largest cell of its group to the one that is right, or from there
        to the largest other. 0 of a class without rows, of all but `of` where that is given, where
        the moved table has no value, and where a class would be left without rows, or had none.
        """
        whole = self.table(weight)
        (table,) = (some[0] for some in whole.wholes())
        own = table.T if by_call else table
        group = self.cell % self.classes if by_call else self.cell // self.classes
        held = np.bincount(group, squares, self.classes)
        has_rows = np.flatnonzero(held > 0)
        has_rows = has_rows if of is None else has_rows[has_rows == of]
        row = held[has_rows] / own.sum(axis=1)[has_rows] / weight.sum() ** 2
        largest = own.argmax(axis=1)[has_rows]
        others = own.copy()
        np.fill_diagonal(others, -1.0)
        to = np.where(largest == has_rows, others.argmax(axis=1)[has_rows], has_rows)
        if by_call:
            truth = whole.truth[0]
            is_left = (truth[largest] > row * (1 + 1e-9)) & (truth[to] > 0)
            has_rows, row, largest, to = (x[is_left] for x in (has_rows, row, largest, to))

        def moved(part: Index) -> Iterator[Matrix]:
            each, at = np.arange(len(part)), has_rows[part]
            some = np.repeat(own[None], len(part), axis=0)
            some[each, at, largest[part]] -= row[part]
            some[each, at, to[part]] += row[part]
            yield some.swapaxes(1, 2) if by_call else some

        moves = np.zeros(self.classes)
        size = at_once(self.classes**2)
        for first in range(0, len(has_rows), size):
            part = np.arange(first, min(first + size, len(has_rows)))
            tables = ClassTables.of(partial(moved, part))
            moves[has_rows[part]] = valued(function, tables) - valued(function, whole)
        return np.abs(np.nan_to_num(moves))

    def without_each(self, function: OfTables, weight: Vector) -> Vector:
        """The value without each row, (n,): the same for rows of one cell and one weight."""
        each, same = np.unique(np.stack([self.place, weight]), axis=1, return_inverse=True)
        sums: Vector = np.bincount(self.place, weight, len(self.occupied)).astype(np.float64)
        cell, size = each[0].astype(np.intp), each[1]
        alone = np.bincount(self.place, minlength=len(sums))[cell] == 1
        left = np.where(alone, 0.0, sums[cell] - size)  # a cell left empty is exactly so

        def of_shares(tables: ClassTables) -> Vector:
            return function(tables.over(tables.truth.sum(axis=1)))

        return self._with_each(of_shares, sums, left, cell)[same.reshape(-1)]

    def _with_each(
        self, function: OfTables, cells: Vector, values: Vector, at: Index | None = None
    ) -> Vector:
        """The values with one cell set anew, (q,): that `at` each place, or every one in turn."""
        was, called = (side if at is None else side[at] for side in self.sides)
        whole, size = self._whole(cells[None])[0], at_once(self.classes)
        parts = (slice(k, k + size) for k in range(0, len(values), size))
        found = [valued(function, replaced(whole, was[p], called[p], values[p])) for p in parts]
        return np.concatenate([np.empty(0), *found])

    def _shares(self, batch: Batch) -> Matrix:
        """The share of the weight in each cell that holds rows, (b, m); nan where none weighs."""
        sums = sums_by_bin(batch, self.place, len(self.occupied))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums / batch.totals[:, None])

    def _tables(self, shares: Matrix) -> ClassTables:
        def wholes() -> Iterator[Matrix]:
            size = at_once(self.classes**2)
            yield from (self._whole(shares[k : k + size]) for k in range(0, len(shares), size))

        return ClassTables.of(wholes)

    def _whole(self, shares: Matrix) -> Matrix:
        table = np.zeros((len(shares), self.classes**2))
        table[:, self.occupied] = shares
        return table.reshape(-1, self.classes, self.classes)


def valued(function: OfTables, tables: ClassTables) -> Vector:
    """A function of tables, (b,); nan where it is not finite, or a table is not."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        found = function(tables)
    return np.where(np.isfinite(found) & np.isfinite(tables.truth).all(axis=1), found, np.nan)
