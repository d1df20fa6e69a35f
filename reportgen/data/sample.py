"""The sample: the rows on which all models are evaluated, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.data.requests import UnitKind
from reportgen.records import record

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


@record
class Codes:
    """A column of names as numbers: row i belongs to `labels[code[i]]`.

    Labels are sorted: names by their letters, bins by their edges, `(missing)` last.
    """

    labels: tuple[str, ...]
    code: NDArray[np.int64]


@record(eq=False)
class Times:
    """The times of rows: `code` (n,) numbers those of `moments`, which are in their order."""

    code: NDArray[np.int64]
    moments: Vector | Sequence[datetime]

    def format_window(self, first: int, last: int) -> str:
        """Format two moments: numbers, dates, or times where all lies in less than two days.

        >>> Times(np.zeros(1, np.int64), [datetime(2026, 3, 1)]).format_window(0, 0)
        '2026-03-01 00:00 to 2026-03-01 00:00'
        """
        start, end = self.moments[first], self.moments[last]
        if not (isinstance(start, datetime) and isinstance(end, datetime)):
            return f"{start:.15g} to {end:.15g}"
        form = "%Y-%m-%d" if end - start >= timedelta(days=2) else "%Y-%m-%d %H:%M"
        return f"{start.strftime(form)} to {end.strftime(form)}"


@record
class ResamplingUnits:
    """Rows that are resampled together: of which kind, by which column, and each row's unit."""

    kind: UnitKind
    column: str
    codes: Codes


@record(eq=False)
class ModelLists:
    """The answers of one model: query q has the documents `start[q]` to `start[q + 1]`."""

    start: Index
    grade: Vector
    """The grade of each document, nan where it was not judged."""
    score: Vector
    name: Index | None = None
    """The place of each document's id among all ids in the order of their bytes, if it has one."""


@record(eq=False)
class JudgedLists:
    """Judgements of each query, whatever a model found: grades, (judged,)."""

    start: Index
    grade: Vector


@record(eq=False)
class AmountTarget:
    """An amount of each row; 0 of a row that is a score computed elsewhere."""

    y: Vector


@record(eq=False)
class ClassTarget:
    """One class of each row: `y` is its place in `classes`."""

    y: Vector
    classes: tuple[str, ...]
    unknown: Mask | None = None
    """The rows whose class is unknown; their `y` is that of the first class."""
    second_rating: Vector | None = None
    """The class by a second rater, nan where that rater left a row out."""

    @property
    def flags(self) -> Mask:
        """The membership of each row in each class, (n, k): none where the class is unknown."""
        flags = np.asarray(self.y[:, None] == np.arange(len(self.classes)))
        return flags if self.unknown is None else flags & ~self.unknown[:, None]

    def count_rows(self, chosen: Mask | slice = slice(None)) -> NDArray[np.int64]:
        """Count the chosen rows that are known to be of each class, (k,)."""
        y = self.y[chosen]
        known = y if self.unknown is None else y[~self.unknown[chosen]]
        return np.bincount(known.astype(np.intp), minlength=len(self.classes))


@record(eq=False)
class LabelTarget:
    """Any number of k labels of each row: `flags` (n, k) tell which."""

    classes: tuple[str, ...]
    flags: Mask
    unknown: Mask | None = None
    """The labels of which nobody knows whether a row has them, (n, k); their flags are not set."""

    @cached_property
    def y(self) -> Vector:
        """The number of labels of each row."""
        return np.asarray(self.flags.sum(axis=1), np.float64)

    def count_rows(self, chosen: Mask | slice = slice(None)) -> NDArray[np.int64]:
        """Count the chosen rows with each label, (k,)."""
        return np.asarray(self.flags[chosen].sum(axis=0))


@record(eq=False)
class QueryTarget:
    """The judgements of each row, which is a query: `y` counts its relevant documents."""

    y: Vector
    judged: JudgedLists
    unanswered: Mask | None = None
    """The queries that some model has no line for."""


Target = AmountTarget | ClassTarget | LabelTarget | QueryTarget


@record(eq=False)
class ModelColumns:
    """The predictions of one model."""

    score: Vector
    """One number a row; of a query the score of its best document."""
    parts: Mapping[str, Vector] = field(default_factory=dict)
    """Further columns by name, such as one for each class."""
    lists: ModelLists | None = None
    """The ranked documents, where a row is a query."""


@record(eq=False)
class SamplingColumns:
    """The design of the sample and of the fits, by columns of the data."""

    weight: Vector | None = None
    """None where every row has the same weight."""
    units: ResamplingUnits | None = None
    strata: Codes | None = None
    fold: Codes | None = None
    """The fit that scored each row, of each round of `repeat` if there are several."""
    repeat: Codes | None = None
    time: Times | None = None
    undeclared: Mapping[str, Codes] = field(default_factory=dict)
    """Columns that the request does not name, but whose names say that they identify units."""

    @property
    def rounds(self) -> NDArray[np.int64]:
        """The round of folds of each row, (n,): 0 where there is one."""
        assert self.fold is not None
        return np.zeros_like(self.fold.code) if self.repeat is None else self.repeat.code


@record(eq=False)
class UnscoredRows:
    """Rows that were left out as some model has no score there: the target, and models with nan.

    Items have no target: 0 stands for it.
    """

    y: Vector
    models: Mapping[str, ModelColumns]


@record(eq=False)
class Sample:
    """The n rows of a dataset, sorted by the bytes of their id, the same for every model."""

    dataset: str
    ids: Sequence[str]
    target: Target
    models: Mapping[str, ModelColumns]
    sampling: SamplingColumns = SamplingColumns()
    segments: Mapping[str, Codes] = field(default_factory=dict)
    subsets: Mapping[str, Mask] = field(default_factory=dict)
    """The rows that are also evaluated alone, by name."""
    unit_costs: Mapping[str, Vector] = field(default_factory=dict)
    """Costs that differ by row, by side (`under`, `over`) or cell of the confusion matrix."""
    unscored: UnscoredRows | None = None
    """Rows that only the scores of some models are missing from, if such were left out."""
    numbered_in: str = ""
    """The digests of the files in which `ids` number the rows; empty where a column has ids."""
    places: Index | None = None
    """Where each row stands in its files, (n,); of a query, where the first judged row does."""

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def y(self) -> Vector:
        """The target as one number a row, (n,)."""
        return self.target.y

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes or labels of the target; none of amounts and queries."""
        return self.target.classes if isinstance(self.target, ClassTarget | LabelTarget) else ()

    @property
    def weights(self) -> Vector:
        """The weight of each row, (n,): 1 where none is declared."""
        return np.ones(self.n) if self.sampling.weight is None else self.sampling.weight

    def find_series(self, column: str) -> Codes:
        """Find the series of each row, by the column of clusters or of a segment; "" is one."""
        if not column:
            return Codes(("",), np.zeros(self.n, np.int64))
        units = self.sampling.units
        if units is not None and units.column == column:
            return units.codes
        return self.segments[column]

    def find_common_ids(self, other: Sample) -> list[str]:
        """Return the ids in both samples; numbers of rows are ids only within the same files."""
        is_comparable = self.numbered_in == other.numbered_in
        return sorted(set(self.ids) & set(other.ids)) if is_comparable else []
