"""Metrics of calls of one of several classes, from the weight in each cell of their table.

A cell is a class that was and one that was called. A metric is asked of a table as it is of rows:
one row stands for each cell, and weighs what is in it. Two models share the classes that were, so
that the squared weights by what was and what both called give the variance of their difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.metrics.classes.of_calls import BoundTable
from reportgen.metrics.spec import BoundMetric
from reportgen.rows import Classes, Rows
from reportgen.streaming.summand import Of, Summand

MOST_CLASSES = 50  # whose joint tables of two models take a megabyte
_SHIFT = np.int64(20)


@dataclass(frozen=True, eq=False)
class TableSummand(Summand):
    """A metric of calls: it has no columns, but is asked of a row for each cell of the table."""

    cells: BoundMetric
    classes: int

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """None; and no row is without a class."""
        return [], 0.0

    def influence(self, weight: Vector) -> Vector | None:
        """What a row in each cell does to the value, W times its slope, (k²,)."""
        return self.cells.influence(weight)


def is_of_table(bound: BoundMetric) -> bool:
    """Whether a metric is a function of a table as large as the classes say."""
    return isinstance(bound, BoundTable)


def table_summand(bound: BoundMetric, place: int) -> TableSummand:
    """The summand of such a metric."""
    assert isinstance(bound.rows, Classes)
    labels, at, nothing = bound.rows.labels, slice(place, place), np.empty(0)
    cells = bound.statistic.bind(_row_of_each(labels))
    return TableSummand(bound.statistic, at, nothing, False, cells, len(labels))


@cache
def _row_of_each(labels: tuple[str, ...]) -> Classes:
    """A row for each cell of the table of some classes."""
    was, called = np.divmod(np.arange(len(labels) ** 2), len(labels))
    return Classes(was, np.eye(len(labels))[called], labels, "label")


@dataclass(frozen=True)
class CallTables:
    """The tables of some models, each of so many classes squared."""

    models: tuple[str, ...]
    classes: int

    @property
    def cells(self) -> int:
        """How many cells a table has."""
        return self.classes**2

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two models by their places."""
        return list(combinations(range(len(self.models)), 2))

    @property
    def own(self) -> int:
        """How many sums are wanted: of w and of w² by cell, of w² by the cells of two models."""
        return 2 * len(self.models) * self.cells + len(self.pairs) * self.classes**3

    @property
    def drawn(self) -> int:
        """How many sums are wanted under each resample."""
        return len(self.models) * self.cells

    def of(self, data: Mapping[str, Rows]) -> list[Index]:
        """The cell of each row, by model, (n,)."""
        return [_cells(data[model]) for model in self.models]

    def own_sums(
        self, cells: Sequence[Index], weight: NDArray[np.int64], squared: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The sums of whole weights and of their squares, (own,)."""
        if not self.models:
            return np.empty(0, np.int64)
        k = self.classes
        found = [_by_number(cell, weight, self.cells) for cell in cells]
        found += [_by_number(cell, squared, self.cells) for cell in cells]
        for one, other in self.pairs:
            both = cells[one] * k + cells[other] % k  # the class that was is one for all models
            found.append(_by_number(both, squared, k**3))
        return np.concatenate(found)


def tables_of(summands: Mapping[Of, Summand]) -> CallTables:
    """The tables that some summands are found from."""
    found = {model: each for (_, model), each in summands.items() if isinstance(each, TableSummand)}
    return CallTables(tuple(found), max((each.classes for each in found.values()), default=0))


@dataclass(frozen=True, eq=False)
class TableSums:
    """All sums of tables: `own` and `drawn`, (B, …), as these lay them out."""

    tables: CallTables
    own: Vector
    drawn: Matrix

    def weight(self, model: str) -> Vector:
        """The weight in each cell of a model's table, (k²,)."""
        return self._part(self._place(model))

    def squared(self, model: str) -> Vector:
        """The squared weights in each cell, (k²,)."""
        return self._part(len(self.tables.models) + self._place(model))

    def replicates(self, model: str) -> Batch:
        """The weight in each cell under each resample."""
        start = self._place(model) * self.tables.cells
        return self._batches[start]

    @cached_property
    def _batches(self) -> dict[int, Batch]:
        size = self.tables.cells
        starts = range(0, self.tables.drawn, size)
        return {k: Batch(np.ascontiguousarray(self.drawn[:, k : k + size].T)) for k in starts}

    def joint(self, one: str, other: str | None = None) -> NDArray[np.float64]:
        """The squared weights by the class that was and what one or two models call it, (k, k, …).

        >>> tables = CallTables(("a", "b"), 1)
        >>> sums = TableSums(tables, np.array([2.0, 3, 4, 5, 6]), np.empty((0, 2)))
        >>> float(sums.joint("b", "a")[0, 0, 0])
        6.0
        """
        k = self.tables.classes
        if other is None:
            return self.squared(one).reshape(k, k)
        first, second = self._place(one), self._place(other)
        if first > second:
            return self.joint(other, one).swapaxes(1, 2)
        start = 2 * len(self.tables.models) * k**2
        start += self.tables.pairs.index((first, second)) * k**3
        return self.own[start : start + k**3].reshape(k, k, k)

    def covariance(self, one: str, s: Vector, other: str, t: Vector) -> float:
        """Σ w² times an influence of each of two models, by the cells of their tables."""
        if one == other:
            return float(self.squared(one) @ (s * t))
        k = self.tables.classes
        return float(
            np.einsum("cab,ca,cb->", self.joint(one, other), s.reshape(k, k), t.reshape(k, k))
        )

    def _place(self, model: str) -> int:
        return self.tables.models.index(model)

    def _part(self, number: int) -> Vector:
        start = number * self.tables.cells
        return self.own[start : start + self.tables.cells]


def _cells(rows: Rows) -> Index:
    assert isinstance(rows, Classes)
    return np.asarray(rows.code * len(rows.labels) + rows.called)


def _by_number(number: Index, whole: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Sums of whole weights by their number, (size,): exact, as halves of them add in doubles."""
    upper, lower = whole >> _SHIFT, whole & ((np.int64(1) << _SHIFT) - 1)
    parts = (np.bincount(number, part, size).astype(np.int64) for part in (upper, lower))
    high, low = parts
    return (high << _SHIFT) + low
