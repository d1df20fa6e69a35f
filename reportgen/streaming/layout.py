"""Which columns and tables are summed for which metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property, partial
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.resampling.studentize import is_studentized
from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.thresholds import CELLS
from reportgen.metrics.classification.multiclass_tables import BoundTableMetric
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.influence import Finish, divide_by_last_mean, record_centers, use_centers
from reportgen.metrics.metric import BoundMetric, Metric
from reportgen.metrics.rows import Classes, Rows
from reportgen.metrics.traits import TableShare
from reportgen.records import record

Of = tuple[str, str]
ERROR = "error of a row"
"""The key of what amounts are off by, which is summed for the tails of clusters."""


@record(eq=False)
class Summand:
    """One metric of one model: where its columns stand, and the centre of each.

    `about` are the centres of the values that columns are made of. The `level` is added to the
    value of the means, which can be off by `bound`: sums are exact.
    """

    metric: Metric
    at: slice
    centre: Vector
    is_studentized: bool
    is_wide: bool = field(default=False, kw_only=True)
    about: tuple[float, ...] = field(default=(), kw_only=True)
    level: float = field(default=0.0, kw_only=True)
    bound: float = field(default=0.0, kw_only=True)

    @property
    def places(self) -> range:
        """The numbers of its columns."""
        return range(self.at.start, self.at.stop)

    @property
    def finish(self) -> Finish | None:
        """What makes values of means of its columns, (b, k); None where it is the first mean."""
        finish = self.metric.finish
        return partial(divide_by_last_mean, finish) if self.metric.leaves_out else finish

    @property
    def is_of_four_cells(self) -> bool:
        """Whether its columns are what was and what was flagged, of two classes."""
        is_of_two = self.metric.classes is not None and self.metric.shape == "counted"
        return is_of_two and len(self.places) == CELLS

    @property
    def shares(self) -> tuple[TableShare, ...]:
        """The shares of its cells that it is made of."""
        return self.metric.portions

    @property
    def is_of_losses(self) -> bool:
        """Whether it is the mean of its first column over the rows that it judges."""
        is_mean = self.metric.has_losses and self.metric.estimand.is_mean
        return is_mean and self.metric.shape == "rowwise" and self.metric.scale is None

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """Its columns of some rows, and how many rows it has no number for.

        Of a metric that leaves these out the last says which rows it judges.
        """
        with use_centers(self.about):
            bound = bind_metric(self.metric, rows)
            columns = bound.list_columns()
        if not self.metric.leaves_out:
            terms = bound.terms
            return columns, float(terms[:, -1].sum()) if terms.shape[1] > len(columns) else 0.0
        if bound.is_counted is None:
            return [*columns, np.ones(len(rows))], 0.0
        return columns, float(np.count_nonzero(~bound.is_counted))


MOST_CLASSES = 50  # whose joint tables of two models take a megabyte


@record(eq=False)
class TableSummand(Summand):
    """A metric of calls: it has no columns, but is asked of a row for each cell of the table."""

    cells: BoundMetric

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """None; and no row is without a class."""
        return [], 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes of the table."""
        assert isinstance(self.cells.rows, Classes)
        return self.cells.rows.labels

    @property
    def shares(self) -> tuple[TableShare, ...]:
        """The shares of its cells that it is made of."""
        return self.cells.cells_of


def _make_table_summand(bound: BoundMetric, place: int) -> TableSummand:
    """The summand of a metric that is a function of a table as large as the classes say."""
    assert isinstance(bound.rows, Classes)
    cells = bound.statistic.bind(_row_of_each(bound.rows.labels))
    return TableSummand(bound.statistic, slice(place, place), np.empty(0), False, cells)


@cache
def _row_of_each(labels: tuple[str, ...]) -> Classes:
    """A row for each cell of the table of some classes."""
    was, called = np.divmod(np.arange(len(labels) ** 2), len(labels))
    return Classes(was, np.eye(len(labels))[called], labels, "label")


@record
class CallTables:
    """The tables of some models, each of so many classes squared."""

    models: tuple[str, ...]
    classes: int

    @property
    def cells(self) -> int:
        """How many cells a table has."""
        return self.classes**2

    @property
    def drawn(self) -> int:
        """How many sums are needed under each resample."""
        return len(self.models) * self.cells

    def of(self, data: Mapping[str, Rows]) -> list[Index]:
        """The cell of each row, by model, (n,)."""
        return [find_cell(data[model]) for model in self.models]


def find_cell(rows: Rows) -> Index:
    """Find the cell of each row in the table of its model, (n,)."""
    assert isinstance(rows, Classes)
    return np.asarray(rows.code * len(rows.labels) + rows.prediction)


@record(eq=False)
class TableSums:
    """Rows that weigh by what they are and how each model calls them: a kind of rows is a row.

    Of each kind its unit (0 unless rows are drawn in clusters), by model its `cell` in the table,
    the sum of the weights and that of their squares, (c,) each. `drawn` are the weights in all
    tables under each resample, (B, …).
    """

    tables: CallTables
    unit: NDArray[np.uint64]
    cell: Mapping[str, Index]
    sums: Vector
    squares: Vector
    drawn: Matrix

    def weight(self, model: str) -> Vector:
        """The weight in each cell of a model's table, (k²,)."""
        return np.bincount(self.cell[model], self.sums, self.tables.cells).astype(np.float64)

    def squared(self, model: str) -> Vector:
        """The squared weights in each cell, (k²,)."""
        return np.bincount(self.cell[model], self.squares, self.tables.cells).astype(np.float64)

    @cached_property
    def replicates(self) -> dict[str, Batch]:
        """The weight in each cell under each resample, by model."""
        parts = np.split(self.drawn, max(len(self.tables.models), 1), axis=1)
        return {
            model: Batch(np.ascontiguousarray(part.T))
            for model, part in zip(self.tables.models, parts, strict=False)
        }

    def joint(self, *models: str) -> NDArray[np.float64]:
        """The squared weights by the class that was and what models call it, (k, k, …).

        >>> kinds = {"a": np.array([0, 1, 3]), "b": np.array([1, 1, 2])}
        >>> of = TableSums(CallTables(("a", "b"), 2), *[None, kinds, None, np.ones(3), None])
        >>> of.joint("b", "a").astype(int).tolist()
        [[[0, 0], [1, 1]], [[0, 1], [0, 0]]]
        """
        k = self.tables.classes
        kind = self.cell[models[0]] // k
        for model in models:
            kind = kind * k + self.cell[model] % k
        sides = (k,) * (1 + len(models))
        found = np.bincount(kind, self.squares, k ** len(sides)).astype(np.float64)
        return found.reshape(sides)

    def covariance(self, one: str, s: Vector, other: str, t: Vector) -> float:
        """Σ w² times an influence of each of two models, by the cells of their tables."""
        return float(self.squares @ (s[self.cell[one]] * t[self.cell[other]]))


HEAD = 5  # terms before those of columns: rows that weigh, w, w², w³, w times labels of a row
LARGEST_WHOLE = 15  # of which products with 2^38 add up over 2^7 rows to less than 2^53
WIDE = 8  # columns of a metric from which products of whole numbers are found at once


@record(eq=False)
class Layout:
    """All summands by (key, model), and the pairs of columns whose products are summed.

    `same` (columns,) is the first column that each is the same as, often itself. `own` are pairs
    summed under the rows' own weights, `drawn` those under each resample as well; `wide` are
    columns of whole numbers of which all products are summed under the rows' weights. Unless rows
    are weighted, each weighs 1 or nothing, so that w² times a column is w times it.
    """

    summands: Mapping[Of, Summand]
    columns: int
    same: Index
    own: tuple[tuple[int, int], ...]
    drawn: tuple[tuple[int, int], ...]
    wide: tuple[int, ...] = ()
    is_weighted: bool = True

    @cached_property
    def kept(self) -> Index:
        """The columns that are summed, of which none is another."""
        return np.unique(self.same)

    @cached_property
    def slots(self) -> Index:
        """The place of each column among those that are summed, (columns,)."""
        return np.searchsorted(self.kept, self.same)

    @cached_property
    def place(self) -> Mapping[tuple[int, int], int]:
        """The number of each pair of columns."""
        return {pair: number for number, pair in enumerate(self.own)}

    @cached_property
    def centre(self) -> Vector:
        """The centres of all columns, (k,)."""
        return np.concatenate([np.empty(0), *(each.centre for each in self.summands.values())])

    @cached_property
    def resampled(self) -> NDArray[np.intp]:
        """The numbers of the terms that are summed under each resample."""
        columns = {column for pair in self.drawn for column in pair}
        squares = [2, *sorted(self.squared(k) for k in columns)] if self.drawn else []
        plain = [1, *(HEAD + k for k in range(len(self.kept)))]
        found = [*plain, *squares, *(self.product(*pair) for pair in self.drawn)]
        return np.array(list(dict.fromkeys(found)), np.intp)

    @cached_property
    def tables(self) -> CallTables:
        """The tables of classes that metrics of calls are found from."""
        found = {
            model: len(each.labels)
            for (_, model), each in self.summands.items()
            if isinstance(each, TableSummand)
        }
        return CallTables(tuple(found), max(found.values(), default=0))

    @cached_property
    def of_units(self) -> NDArray[np.intp]:
        """The numbers of the terms that are summed by cluster: w, and w times each column."""
        return np.array([1, *range(HEAD, HEAD + len(self.kept))], np.intp)

    @property
    def terms_in_all(self) -> int:
        """How many terms there are: the last say how many rows a metric judges, as w³."""
        return self._products + len(self.own) + len(self.judging)

    @property
    def _squares(self) -> int:
        """The first term w² times a column."""
        return HEAD + len(self.kept) * self.is_weighted

    @property
    def _products(self) -> int:
        """The first term w² times two columns."""
        return self._squares + len(self.kept)

    def drawn_grains(self, grain: Vector) -> Vector:
        """What sums under each resample are multiples of, from the grain of each term."""
        return np.append(grain[self.resampled], np.full(self.tables.drawn, grain[1]))

    def products_of_wide(self, sums: Vector) -> Matrix:
        """Lay out sums of w² times every two wide columns, (k, k)."""
        k = len(self.wide)
        upper, found = np.triu_indices(k), np.zeros((k, k))
        found[upper] = found.T[upper] = sums
        return found

    def first(self, columns: Sequence[int] | range) -> Index:
        """The terms w times each of some columns."""
        return np.asarray(HEAD + self.slots[list(columns)])

    def squared(self, column: int) -> int:
        """The term w² times a column."""
        return self._squares + int(self.slots[column])

    def product(self, one: int, other: int) -> int:
        """The term w² times two columns."""
        return self._products + self.place[self._pair(one, other)]

    def _pair(self, one: int, other: int) -> tuple[int, int]:
        """Two columns as the first ones that these are the same as, in their order."""
        first, second = int(self.same[one]), int(self.same[other])
        return (first, second) if first < second else (second, first)

    def bounds(self, largest: Vector, weight: float, labels: float = 0.0) -> Vector:
        """How large each term can be, from the largest columns, weight and number of labels."""
        pairs = np.array(self.own, np.intp).reshape(-1, 2)
        first = np.array([1.0, weight, weight**2, weight**3, weight * labels])
        products = weight**2 * largest[pairs[:, 0]] * largest[pairs[:, 1]]
        kept = largest[self.kept]
        squares = weight**2 * kept if self.is_weighted else kept[:0]
        judging = np.full(len(self.judging), weight**3)
        return np.concatenate([first, weight * kept, squares, products, judging])

    def terms(self, columns: Matrix, weight: Vector, labels: Vector | float = 0.0) -> Matrix:
        """All terms of some rows, (m, n), from their centred columns, (k, n)."""
        found, k = np.empty((self.terms_in_all, len(weight))), len(self.kept)
        cubes = weight**3
        found[0], found[1], found[2], found[3] = weight > 0, weight, weight**2, cubes
        found[4] = weight * labels
        np.multiply(columns[self.kept], weight, out=found[HEAD : HEAD + k])
        squares = found[self._squares : self._products]
        if self.is_weighted:
            np.multiply(found[HEAD : HEAD + k], weight, out=squares)
        for place, (one, other) in enumerate(self.own, self._products):
            np.multiply(squares[self.slots[one]], columns[other], out=found[place])
        np.multiply(columns[list(self.judging)], cubes, out=found[self._products + len(self.own) :])
        return found

    @cached_property
    def judging(self) -> Mapping[int, int]:
        """The columns that say which rows a metric judges, each with its number."""
        found = [
            int(self.same[each.at.stop - 1])
            for each in self.summands.values()
            if each.metric.leaves_out
        ]
        return {column: number for number, column in enumerate(dict.fromkeys(found))}

    def judged(self, columns: Matrix, weight: Vector) -> Matrix:
        """Of each metric the rows that weigh and are left out, and the largest weight of others."""
        found = np.zeros((len(self.summands), 2))
        for place, each in enumerate(self.summands.values()):
            found[place, 1] = weight.max(initial=0.0)
            if each.metric.leaves_out:
                seen = columns[each.at.stop - 1] > 0
                found[place, 0] = np.count_nonzero(~seen & (weight > 0))
                found[place, 1] = weight[seen].max(initial=0.0)
        return found

    def apart(self, columns: Matrix) -> NDArray[np.bool_]:
        """Which columns, (k,), some rows tell from what they are taken to be the same as."""
        others = ((k, int(at)) for k, at in enumerate(self.same) if at != k)
        found = np.zeros(self.columns, bool)
        for column, at in others:
            found[column] = not np.array_equal(columns[column], columns[at])
        return found

    def told_apart(self, apart: NDArray[np.bool_], pairs: Sequence[tuple[str, str]]) -> Layout:
        """The layout once all rows have been looked at."""
        own = np.arange(self.columns)
        same = np.where(apart, own, self.same)
        return build_layout_of_summands(self.summands, pairs, same, is_weighted=self.is_weighted)


def build_layout(
    bound: Mapping[Of, BoundMetric],
    data: Mapping[str, Rows],
    pairs: Sequence[tuple[str, str]],
    *,
    is_weighted: bool,
) -> Layout:
    """The layout of metrics bound to the first rows; `pairs` are models that are compared."""
    summands: dict[Of, Summand] = {}
    first: dict[tuple[bytes, float], int] = {}
    same: list[int] = []
    for of, each in bound.items():
        if isinstance(each, BoundTableMetric):
            summands[of] = _make_table_summand(each, len(same))
        if not each.is_of_means:
            continue
        with record_centers() as noted:
            again = bind_metric(each.statistic, data[of[1]])
            columns, start = again.list_columns(), len(same)
        if each.statistic.leaves_out and each.is_counted is None:
            columns = [*columns, np.ones(len(each.rows))]
        is_wide = len(columns) >= WIDE and all(map(_is_whole, columns))
        is_zero = is_wide or each.statistic.shape == "counted"
        centre = np.array([0.0 if is_zero else float(np.mean(column)) for column in columns])
        if each.statistic.leaves_out:
            centre[-1] = 0.0  # which rows it judges
        for column, middle in zip(columns, centre, strict=True):
            same.append(first.setdefault((column.tobytes(), float(middle)), len(same)))
        is_own = is_studentized(each) or each.statistic.estimand.is_correlation_of_means
        is_own = is_own or each.statistic.estimand.scale == "positive"
        at = slice(start, len(same))
        summands[of] = Summand(
            each.statistic, at, centre, is_own and not is_wide, is_wide=is_wide, about=tuple(noted)
        )
    return build_layout_of_summands(
        summands, pairs, np.array(same, np.intp), is_weighted=is_weighted
    )


def build_layout_of_summands(
    summands: Mapping[Of, Summand],
    pairs: Sequence[tuple[str, str]],
    same: Index,
    *,
    is_weighted: bool,
) -> Layout:
    """The layout of summands whose columns stand one after the other.

    `same` says which of the first columns are the same as others; the rest are each their own.
    """
    columns = sum(len(each.places) for each in summands.values())
    known = np.arange(columns)
    known[: len(same)] = same
    wide = {
        int(known[place]) for each in summands.values() if each.is_wide for place in each.places
    }
    own = _deduplicate_pairs(_iter_metric_pairs(summands), known)
    drawn = _deduplicate_pairs(_iter_studentized_pairs(summands, pairs), known)
    return Layout(dict(summands), columns, known, own, drawn, tuple(sorted(wide)), is_weighted)


def _deduplicate_pairs(
    pairs: Iterator[tuple[int, int]], same: Index
) -> tuple[tuple[int, int], ...]:
    """Each pair of columns once, by the first columns that they are the same as."""
    found = ((int(same[one]), int(same[other])) for one, other in pairs)
    return tuple(dict.fromkeys((min(pair), max(pair)) for pair in found))


def _is_whole(column: Vector) -> bool:
    """Whether a column holds small whole numbers alone."""
    return bool(np.all((column == np.rint(column)) & (np.abs(column) <= LARGEST_WHOLE)))


def compute_columns(layout: Layout, data: Mapping[str, Rows]) -> tuple[Matrix, Vector]:
    """The centred columns of some rows, (k, n), and how many rows each metric lacks, (metrics,)."""
    n = len(next(iter(data.values())))
    found, lacking = np.empty((layout.columns, n)), np.zeros(len(layout.summands))
    for place, ((_, model), summand) in enumerate(layout.summands.items()):
        columns, lacking[place] = summand.columns(data[model])
        for at, column, centre in zip(summand.places, columns, summand.centre, strict=True):
            np.subtract(column, centre, out=found[at])
    return found, lacking


def _iter_metric_pairs(summands: Mapping[Of, Summand]) -> Iterator[tuple[int, int]]:
    """Every two columns of one metric, of one model or of two."""
    by_key: dict[str, list[int]] = {}
    for (key, _), each in summands.items():
        if each.is_wide:
            continue
        by_key.setdefault(key, []).extend(each.places)
    for places in by_key.values():
        yield from combinations_with_replacement(places, 2)


def _iter_studentized_pairs(
    summands: Mapping[Of, Summand], pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[int, int]]:
    """Those of metrics whose replicates are measured in standard errors of their own."""
    for (key, model), each in summands.items():
        if not each.is_studentized:
            continue
        yield from combinations_with_replacement(each.places, 2)
        for candidate, baseline in pairs:
            if model == candidate and (key, baseline) in summands:
                for one, other in product(each.places, summands[key, baseline].places):
                    yield min(one, other), max(one, other)
