"""Tables of counts by true and predicted class, and values that are functions of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.curve_heights import compute_bin_sums
from reportgen.kernels.thresholds import (
    CELLS,
    FN,
    FP,
    TN,
    TP,
    BestThreshold,
    TopShare,
    sort_descending,
)
from reportgen.kernels.weight_blocks import sum_in_order
from reportgen.metrics.influence import NEAR_AN_EDGE, STEP, measure_rise
from reportgen.metrics.rows import Classes
from reportgen.records import record

NEGLIGIBLE = 0.05  # of the rows at the edge are positive: one that is pushed out is a negative one
MOST_AT_EDGE = 0.5  # of the rows at the edge are positive, where the error of a share is known
Portions = tuple[tuple[float, float], ...]
Finish = Callable[[Matrix], Vector]


@record(eq=False)
class CallTable:
    """The cell of each row, (n,), and the value as a function of the shares in the cells, (b, 4).

    Where a share of the weight is flagged, one call more pushes out a row at the edge, of which
    `edge` says how often it is positive; else it is None.
    """

    cell: Index
    finish: Finish
    edge: float | None = None

    @property
    def is_cut_among_negatives(self) -> bool:
        """True if a share of the weight is flagged, and hardly a row at the edge is positive."""
        return self.edge is not None and self.edge < NEGLIGIBLE

    def slopes(self, shares: Vector) -> Vector:
        """Return the value's slope in the share of each cell, (4,); no share is 0."""
        steps = np.diag(STEP * shares)
        found = measure_rise(lambda times: self.finish(shares + times * steps)) / (STEP * shares)
        if self.edge is None:
            return np.asarray(found)
        pushed = self.edge * (found[TP] - found[FN]) + (1 - self.edge) * (found[FP] - found[TN])
        found[[TP, FP]] -= pushed
        return np.asarray(found)

    def find_portion(self, weight: Vector) -> Portions:
        """Find the share of rows that the value is where a share of the weight is flagged.

        With the number of equally weighted rows that its standard error is worth, by an influence
        that takes what stands at the edge from its neighbours. () of other values, where a cell is
        empty, and where half of the rows at the edge are positive: a top of nearly nothing else
        hardly varies, and one more row decides.
        """
        shares = np.bincount(self.cell, weight, CELLS) / weight.sum()
        is_of_many = self.edge is None or self.edge >= MOST_AT_EDGE
        counts = None if is_of_many or not shares.all() else self.counts()
        if counts is None:
            return ()
        p = float(shares @ np.nan_to_num(counts)) / float(shares[~np.isnan(counts)].sum())
        each = (
            weight / weight.sum() * (self.slopes(shares) - self.slopes(shares) @ shares)[self.cell]
        )
        variance = float(each @ each) * (p / float(self.finish(shares[None])[0])) ** 2
        return ((p, p * (1 - p) / variance),) if variance > 0 else ()

    def counts(self) -> Vector | None:
        """Return 1 or 0 for each cell, (4,): do its rows count in the share that the value is.

        nan for cells that the share is not of. None where the value is no share of rows, or is one
        of rows that the calls choose, as precision is.
        """
        each = self.finish(np.eye(CELLS))
        among = np.isfinite(each)
        largest = float(np.max(each, initial=0.0, where=among))
        if not largest > 0 or among[TN] != among[FP] or among[FN] != among[TP]:
            return None
        found = np.asarray(each / largest)
        half = self.finish(np.full((1, CELLS), 1 / CELLS))[0] / largest
        is_share = np.isin(found[among], (0.0, 1.0)).all() and np.isclose(half, found[among].mean())
        return found if is_share else None


def build_call_table(rows: Classes, called: Vector, finish: Finish) -> CallTable:
    """Build the table where the flags stay fixed; `called` (n,) is above 0 for flagged rows."""
    return CallTable(_cells(rows, called > 0), finish)


def build_moving_table(
    rows: Classes, weight: Vector, rule: TopShare | BestThreshold, finish: Finish
) -> CallTable | None:
    """Build the table, at these weights, of flags that depend on them; None if there are none."""
    batch = Batch.from_weights(weight)
    if isinstance(rule, TopShare):
        lowest = rule.find_lowest_score(rows, batch)
        edge = None if lowest is None else positive_share_at_edge(rows, weight, rule.share)
    else:
        lowest, edge = float(rule.find_thresholds(rows, batch)[0]), None
    if lowest is None or np.isnan(lowest):
        return None
    return CallTable(_cells(rows, rows.score.values >= lowest), finish, edge)


def positive_share_at_edge(rows: Classes, weight: Vector, share: float) -> float:
    """Return the share of positives among the rows on either side of the last flagged row.

    One half where no row weighs anything.
    """
    order = sort_descending(rows).order
    own = weight[order]
    middle = np.cumsum(own) - own / 2
    total = float(own.sum())
    edge = share * total
    reach = min(edge, total - edge, total * NEAR_AN_EDGE * kish_effective_rows(weight) ** -0.2)
    near = own * (np.abs(middle - edge) <= max(reach, float(own.max())))
    return float(near @ rows.y.values[order] / near.sum()) if near.any() else 0.5


def _cells(rows: Classes, is_called: NDArray[np.bool_]) -> Index:
    return np.asarray(2 * (rows.y.values > 0) + is_called, dtype=np.intp)


AT_ONCE = 2_000_000  # numbers of tables that stand side by side
Counts = Callable[[], Iterator[Matrix]]  # tables (., k, k), a few at a time


@record(eq=False)
class ClassTables:
    """b tables of k classes, each a row of `right`, `truth` and `calls`, (b, k).

    These are the shares of the weight that are of a class and called so, of it, and called so.
    """

    right: Matrix
    truth: Matrix
    calls: Matrix
    wholes: Counts

    @classmethod
    def from_full_tables(cls, wholes: Counts) -> ClassTables:
        """Build the tables from full tables, which `wholes` yields a few at a time."""
        parts = [_margins(some) for some in wholes()]
        right, truth, calls = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(right, truth, calls, wholes)

    @property
    def size(self) -> int:
        """The number of tables."""
        return len(self.truth)

    @property
    def classes(self) -> int:
        """The number of classes of each."""
        return int(self.truth.shape[1])

    def divide_by(self, total: Vector) -> ClassTables:
        """Return the same tables, each divided by its own total, (b,); nan over 0."""

        def wholes() -> Iterator[Matrix]:
            at = 0
            for some in self.wholes():
                yield some / total[at : at + len(some), None, None]
                at += len(some)

        right, truth, calls = (x / total[:, None] for x in (self.right, self.truth, self.calls))
        return ClassTables(right, truth, calls, wholes)

    def sum_costs(self, cost: Matrix) -> Vector:
        """Return the sum of each table's cells, each times its own cost, (k, k)."""
        each = (np.einsum("bjk,jk->b", some, cost) for some in self.wholes())
        return np.concatenate([np.empty(0), *each])


def replace_cell(whole: Matrix, was: Index, called: Index, values: Vector) -> ClassTables:
    """Build copies of a table (k, k), each with one cell replaced by its value, (q,).

    Sums of rows and columns are found anew for that cell alone, in the order of all others.
    """
    each = np.arange(len(values))

    def wholes() -> Iterator[Matrix]:
        size = tables_at_once(len(whole) ** 2)
        for part in (slice(k, k + size) for k in range(0, len(values), size)):
            some = np.repeat(whole[None], len(values[part]), axis=0)
            some[np.arange(len(some)), was[part], called[part]] = values[part]
            yield some

    right, truth, calls = (np.repeat(each, len(values), axis=0) for each in _margins(whole[None]))
    rows, columns = whole[was], np.ascontiguousarray(whole[:, called])
    rows[each, called] = columns[was, each] = values
    truth[each, was], calls[each, called] = rows.sum(axis=1), sum_in_order(columns)
    is_right = was == called
    right[each[is_right], was[is_right]] = values[is_right]
    return ClassTables(right, truth, calls, wholes)


def tables_at_once(cells: int) -> int:
    """Return how many tables of so many cells stand side by side."""
    return max(AT_ONCE // cells, 1)


def _margins(some: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return the diagonals, and the sums of rows and of columns, of tables (b, k, k)."""
    return np.diagonal(some, axis1=1, axis2=2), some.sum(axis=2), some.sum(axis=1)


TableFunction = Callable[[ClassTables], Vector]


@record(eq=False)
class CellTable:
    """The cells that hold rows, rising, (m,), of a table of `classes`, and the place of each row's.

    `place` (n,) is a row's among those that hold rows.
    """

    occupied: Index
    place: Index
    classes: int

    @classmethod
    def from_classes(cls, was: Index, called: Index, classes: int) -> CellTable:
        """Build the table from the index of each row's class and predicted class, (n,) each."""
        occupied, place = np.unique(was * classes + called, return_inverse=True)
        return cls(occupied.astype(np.intp), place.reshape(-1).astype(np.intp), classes)

    @property
    def cell(self) -> Index:
        """The cell of each row, (n,)."""
        return np.asarray(self.occupied[self.place])

    @property
    def sides(self) -> tuple[Index, Index]:
        """The class that was and that was flagged in each cell that holds rows, (m,) each."""
        was, called = np.divmod(self.occupied, self.classes)
        return np.asarray(was), np.asarray(called)

    def tables(self, batch: Batch) -> ClassTables:
        """Return the share of the weight in each cell; nan where no row has weight."""
        return batch.once(self, "tables", lambda: self._tables(self._shares(batch)))

    def table(self, weight: Vector) -> ClassTables:
        """Return the same table under one weighting, counted row by row."""
        counted = np.zeros(self.classes**2)
        np.add.at(counted, self.cell, weight)
        whole = (counted / weight.sum()).reshape(1, self.classes, self.classes)
        return ClassTables.from_full_tables(lambda: iter([whole]))

    def losses(self, function: TableFunction) -> Vector:
        """Return the value of each row alone, (n,)."""
        alone = self._replace_each(
            function, np.zeros(len(self.occupied)), np.ones(len(self.occupied))
        )
        return np.asarray(alone[self.place])

    def influence(
        self, function: TableFunction, weight: Vector, alike: Index | None = None
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
        own, step = share[chosen], steps[chosen]
        each = measure_rise(
            lambda times: self._replace_each(function, share, own + times * step, chosen) / step
        )
        slopes = np.zeros(len(share))
        slopes[by_size] = each[same.reshape(-1)]
        if not np.isfinite(slopes).all():
            return None
        # Where a cell weighs nothing no row that weighs is in it.
        return np.asarray((slopes - slopes @ share)[self.place])

    def one_row_more(
        self,
        function: TableFunction,
        weight: Vector,
        squares: Vector,
        *,
        by_call: bool = False,
        of: int | None = None,
    ) -> Vector:
        """Return how far the value moves if one row of a class is predicted otherwise, (k,).

        `weight` and `squares` (n,) are of rows, or the sums of each cell and of its squared
        weights. `by_call` groups rows by the class that they are predicted as, and one row is of
        another class. A row goes from the largest cell of its group to the one that is right, or
        from there to the largest other. 0 of a class without rows, of all but `of` where that is
        given, where the moved table has no value, and where a class would be left without rows, or
        had none.
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

        def move_rows(part: Index) -> Iterator[Matrix]:
            each, at = np.arange(len(part)), has_rows[part]
            some = np.repeat(own[None], len(part), axis=0)
            some[each, at, largest[part]] -= row[part]
            some[each, at, to[part]] += row[part]
            yield some.swapaxes(1, 2) if by_call else some

        moves = np.zeros(self.classes)
        size = tables_at_once(self.classes**2)
        for first in range(0, len(has_rows), size):
            part = np.arange(first, min(first + size, len(has_rows)))
            tables = ClassTables.from_full_tables(partial(move_rows, part))
            moves[has_rows[part]] = evaluate_tables(function, tables) - evaluate_tables(
                function, whole
            )
        return np.abs(np.nan_to_num(moves))

    def leave_each_out(self, function: TableFunction, weight: Vector) -> Vector:
        """Return the value without each row, (n,): the same for rows of one cell and one weight."""
        each, same = np.unique(np.stack([self.place, weight]), axis=1, return_inverse=True)
        sums: Vector = np.bincount(self.place, weight, len(self.occupied)).astype(np.float64)
        cell, size = each[0].astype(np.intp), each[1]
        alone = np.bincount(self.place, minlength=len(sums))[cell] == 1
        left = np.where(alone, 0.0, sums[cell] - size)  # a cell left empty is exactly so

        def evaluate_shares(tables: ClassTables) -> Vector:
            return function(tables.divide_by(tables.truth.sum(axis=1)))

        return self._replace_each(evaluate_shares, sums, left, cell)[same.reshape(-1)]

    def _replace_each(
        self, function: TableFunction, cells: Vector, values: Vector, at: Index | None = None
    ) -> Vector:
        """Return the values with one cell replaced, (q,): that `at` each index, or each in turn."""
        was, called = (side if at is None else side[at] for side in self.sides)
        whole, size = self._whole(cells[None])[0], tables_at_once(self.classes)
        parts = (slice(k, k + size) for k in range(0, len(values), size))
        found = [
            evaluate_tables(function, replace_cell(whole, was[p], called[p], values[p]))
            for p in parts
        ]
        return np.concatenate([np.empty(0), *found])

    def _shares(self, batch: Batch) -> Matrix:
        """Return the share of the weight in each occupied cell, (b, m); nan for zero weight."""
        sums = compute_bin_sums(batch, self.place, len(self.occupied))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums / batch.totals[:, None])

    def _tables(self, shares: Matrix) -> ClassTables:
        def wholes() -> Iterator[Matrix]:
            size = tables_at_once(self.classes**2)
            yield from (self._whole(shares[k : k + size]) for k in range(0, len(shares), size))

        return ClassTables.from_full_tables(wholes)

    def _whole(self, shares: Matrix) -> Matrix:
        table = np.zeros((len(shares), self.classes**2))
        table[:, self.occupied] = shares
        return table.reshape(-1, self.classes, self.classes)


def evaluate_tables(function: TableFunction, tables: ClassTables) -> Vector:
    """Evaluate a function of tables, (b,); nan where it or a table is not finite."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        found = function(tables)
    return np.where(np.isfinite(found) & np.isfinite(tables.truth).all(axis=1), found, np.nan)
