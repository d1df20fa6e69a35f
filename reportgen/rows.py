"""What a statistic sees of one model: rows, where one row is one unit of analysis.

There is one kind of rows a kind of target. All answer the same questions, so that weights,
segments, clusters, case deletion and influence act on units and never ask what a unit is.

    Amounts     an amount a row, and a score for it
    Classes     a class a row, and a score of each class
    LabelSets   any number of labels a row, and a score of each label
    Queries     a list of graded documents a row, and a score of each document

`Fit` is rows of the same model that are not judged. This file knows no metric, file or page.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Column, Index, Kept, Matrix, Vector
from reportgen.kernels.cuts import Calls
from reportgen.kernels.lists import Lists
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.terms import Needs, Scale

Shown = str | float | int
# What each kind of score gives a statistic; a density asks for further columns beside an amount.
OFFERS: Mapping[Scale, frozenset[Needs]] = {
    "amount": frozenset(("order", "amount", "density")),
    "probability": frozenset(("order", "probability")),
    "score": frozenset(("order",)),
    "rank": frozenset(("order",)),
}
Result = TypeVar("Result")
_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


class Rows(ABC):
    """Units of analysis with what happened and what one model said of each.

    `outcome` is what happened as one number a row, and `ranking` the order that the model puts
    the rows in, both of shape (n,). `scale` says what its scores are, and
    `lists` are the documents of each row, where it has any.
    """

    outcome: Column
    ranking: Column
    scale: Scale
    lists: Lists | None = None

    def __init__(self) -> None:
        self._kept = Kept()

    def __len__(self) -> int:
        return len(self.outcome)

    @abstractmethod
    def inputs(self) -> tuple[Any, ...]:
        """What a metric's definition is called with, before weights."""

    @abstractmethod
    def take(self, index: Index) -> Self:
        """The same model on some of the rows."""

    @abstractmethod
    def describe(self, row: int) -> Mapping[str, Shown]:
        """What a reader is shown of a single row, by name."""

    @abstractmethod
    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every row, in every column."""

    @abstractmethod
    def contents(self) -> Iterator[object]:
        """All that a number of these rows comes from, but `outcome`."""

    def lacks(self, needs: Needs) -> str:
        """Why these rows do not give a statistic what it needs, after the model's name; or ""."""
        if needs in OFFERS[self.scale]:
            return ""
        said = "rank score" if self.scale == "rank" else self.scale
        return f"is a {said}, not {'a probability' if needs == 'probability' else 'an amount'}"

    def orders(self) -> tuple[Column, ...]:
        """The orders in which a statistic may depend on a row's neighbours."""
        return self.outcome, self.ranking

    def ties(self) -> Mapping[str, Column]:
        """The columns whose equal values make measures of order disagree, by `y` or `score`."""
        return {"y": self.outcome, "score": self.ranking}

    def errors(self) -> Vector | None:
        """How far the score is from what happened, (n,), in the unit of y; None if it is none."""
        return None

    def largest(self) -> float:
        """The size of the largest amount, in the unit of y; 0 where there are no amounts."""
        return 0.0

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time: for tables that kernels prepare."""
        return self._kept(name, compute)


class Amounts(Rows):
    """What happened and what one model said, as amounts; a `rank` score is an order alone.

    `parts` holds further score columns by name (a standard deviation, quantiles); `fit` the
    other rows, if any, on which a shift of the score is fitted; `unit_costs` what errors cost
    where that differs by row.
    """

    def __init__(
        self,
        y: Column | Vector,
        score: Column | Vector,
        parts: Mapping[str, Vector] | None = None,
        fit: Fit | None = None,
        scale: Scale = "amount",
        unit_costs: UnitCosts | None = None,
    ) -> None:
        super().__init__()
        self.unit_costs = unit_costs
        self.y = self.outcome = y if isinstance(y, Column) else Column(y)
        self.score = self.ranking = score if isinstance(score, Column) else Column(score)
        self.parts = dict(parts or {})
        self.fit = fit
        self.scale = scale

    @cached_property
    def error(self) -> Column:
        """Score minus y."""
        return Column(self.score.values - self.y.values)

    @cached_property
    def absolute_error(self) -> Column:
        """Size of the error."""
        return Column(np.abs(self.score.values - self.y.values))

    @property
    def has_densities(self) -> bool:
        """Whether the model gives a density of each row: a mean and its spread, or quantiles."""
        return is_density(self.parts)

    def inputs(self) -> tuple[Vector, ...]:
        """Y and the score, (n,) each."""
        return self.y.values, self.score.values

    def take(self, index: Index) -> Self:
        """The same model on some of the rows; shifts stay fitted on all the training rows."""
        parts = {name: part[index] for name, part in self.parts.items()}
        y, score = self.y.take(index), self.score.values[index]
        costs = None if self.unit_costs is None else self.unit_costs.take(index)
        return type(self)(y, score, parts, self.fit, self.scale, costs)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Y and the score."""
        return {"y": float(self.y.values[row]), "score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every row, in every column."""
        return (
            isinstance(other, Amounts)
            and self.parts.keys() == other.parts.keys()
            and np.array_equal(self.score.values, other.score.values)
            and all(np.array_equal(self.parts[name], other.parts[name]) for name in self.parts)
        )

    def contents(self) -> Iterator[object]:
        """The score, its further columns and the training rows."""
        yield self.score.values
        for name, part in self.parts.items():
            yield from (name, part)
        if self.fit is not None:
            rows = self.fit.rows
            yield from (rows.y.values, rows.score.values, *self.fit.identity)
            yield from rows.priced()
        yield from self.priced()

    def priced(self) -> Iterator[Vector]:
        """The unit costs of the rows, if they differ."""
        if self.unit_costs is not None:
            yield from (self.unit_costs.under, self.unit_costs.over)

    def lacks(self, needs: Needs) -> str:
        """A rank is no amount, and a single number no density."""
        lack = super().lacks(needs)
        if not lack and needs == "density" and not self.has_densities:
            return "has no density: no columns mean and sd, and no quantiles"
        return lack

    def orders(self) -> tuple[Column, ...]:
        """By y, by score and by the size of the error."""
        return self.y, self.score, self.absolute_error

    def errors(self) -> Vector | None:
        """Score minus y, (n,); None for a rank."""
        return self.error.values if self.scale == "amount" else None

    def largest(self) -> float:
        """The size of the largest y or score."""
        if not len(self):
            return 0.0
        return max(float(np.max(np.abs(c.values))) for c in (self.y, self.score))


class Classes(Rows):
    """The class of each row and what one model says of the classes.

    `code` (n,) is the place of a row's class in `labels`. `scores` is (n, k), a column a class, or
    (n, 1) where a model scores only the second of two. `upper` is the class that is told from the
    rest where two are: `y` is 1 on its rows and 0 on others, `score` its column. Models may share
    that y, as `outcome`. `calls` says from which score on the upper class is called.
    """

    def __init__(
        self,
        code: Index,
        scores: Matrix,
        labels: tuple[str, ...],
        scale: Scale = "probability",
        upper: int | None = None,
        outcome: Column | None = None,
        calls: Calls = Calls(),  # noqa: B008  # nothing changes it
    ) -> None:
        super().__init__()
        self.code, self.scores, self.labels, self.scale = code, scores, labels, scale
        self.calls = calls
        self.upper = len(labels) - 1 if upper is None else upper
        y = Column((code == self.upper).astype(np.float64)) if outcome is None else outcome
        self.y = self.outcome = y
        self.score = self.ranking = Column(scores[:, min(self.upper, scores.shape[1] - 1)])

    def of(self, upper: int) -> Self:
        """The same rows as one class against the rest."""
        return type(self)(self.code, self.scores, self.labels, self.scale, upper)

    def inputs(self) -> tuple[NDArray[np.float64 | np.intp], ...]:
        """Of two classes y and the score, (n,) each; of more the code (n,) and scores (n, k)."""
        if len(self.labels) == 2:
            return self.y.values, self.score.values
        return self.code, self.scores

    def take(self, index: Index) -> Self:
        """The same model on some of the rows; a class that none of them has stays a class."""
        code, scores, outcome = self.code[index], self.scores[index], self.outcome.take(index)
        calls = self.calls.take(index)
        return type(self)(code, scores, self.labels, self.scale, self.upper, outcome, calls)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """The class and its score: of two, the score of the upper one."""
        return {"y": self.labels[self.code[row]], "score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every class of every row."""
        return isinstance(other, Classes) and np.array_equal(self.scores, other.scores)

    def contents(self) -> Iterator[object]:
        """Codes, labels and scores."""
        yield from (self.code, *self.labels, self.upper, self.scores, *self.calls.contents())

    def ties(self) -> Mapping[str, Column]:
        """The score alone: that classes repeat is what they are for."""
        return {"score": self.ranking}


class LabelSets(Rows):
    """The labels of each row, any number of k, as `flags` (n, k), and their `scores` (n, k)."""

    def __init__(
        self,
        flags: NDArray[np.bool_],
        scores: Matrix,
        labels: tuple[str, ...],
        scale: Scale = "probability",
    ) -> None:
        super().__init__()
        self.flags, self.scores, self.labels, self.scale = flags, scores, labels, scale
        self.outcome = Column(flags.sum(axis=1).astype(np.float64))
        self.ranking = Column(scores.sum(axis=1))

    def of(self, label: int) -> Classes:
        """The same rows as one label, had or not."""
        names = (f"not {self.labels[label]}", self.labels[label])
        code = self.flags[:, label].astype(np.intp)
        return Classes(code, self.scores[:, [label]], names, self.scale)

    def inputs(self) -> tuple[NDArray[np.float64 | np.intp], ...]:
        """Flags as 0 and 1, and scores, (n, k) each."""
        return self.flags.astype(np.float64), self.scores

    def take(self, index: Index) -> Self:
        """The same model on some of the rows."""
        return type(self)(self.flags[index], self.scores[index], self.labels, self.scale)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """The labels that the row has."""
        had = (name for name, has in zip(self.labels, self.flags[row], strict=True) if has)
        return {"y": ", ".join(had) or "none"}

    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every label of every row."""
        return isinstance(other, LabelSets) and np.array_equal(self.scores, other.scores)

    def contents(self) -> Iterator[object]:
        """Flags, labels and scores."""
        yield from (self.flags, *self.labels, self.scores)

    def ties(self) -> Mapping[str, Column]:
        """None: a row has no single score."""
        return {}


class Queries(Rows):
    """One model's lists of graded documents: one row is one query.

    Its outcome is how many documents of the query were judged relevant: have a grade above 0.
    """

    def __init__(self, lists: Lists, scale: Scale = "score", outcome: Column | None = None) -> None:
        super().__init__()
        self.lists: Lists = lists
        self.scale = scale
        relevant = Column(lists.judgements.graded) if outcome is None else outcome
        self.outcome = relevant
        self.ranking = Column(lists.ranking)

    def inputs(self) -> tuple[Lists]:
        """The lists, with what was judged."""
        return (self.lists,)

    def take(self, index: Index) -> Self:
        """The same model on some of the queries."""
        return type(self)(self.lists.take(index), self.scale, self.outcome.take(index))

    def describe(self, row: int) -> Mapping[str, Shown]:
        """How many documents the query has, and how many are relevant."""
        size = int(self.lists.start[row + 1] - self.lists.start[row])
        return {"documents": size, "relevant": int(self.outcome.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model gives the same documents the same scores."""
        return isinstance(other, Queries) and self.lists.is_same(other.lists)

    def contents(self) -> Iterator[object]:
        """Sizes, grades, scores and ids of the lists, and what was judged."""
        lists, judged = self.lists, self.lists.judgements
        yield from (lists.start, lists.grade, lists.score, judged.start, judged.grade)
        yield from (() if lists.name is None else (lists.name,))
        yield from judged.levels

    def ties(self) -> Mapping[str, Column]:
        """None: what is tied is a query's documents, not queries."""
        return {}


@dataclass(frozen=True, eq=False)
class Fit:
    """Rows of the same model that are not judged: what is fitted on them is applied elsewhere.

    `draw` f(k) gives their k-th batch of resamples, which knows nothing of the resamples of the
    rows that are judged. `identity` is all that those draws depend on.
    """

    rows: Amounts
    weight: Vector
    draw: Callable[[int], Batch]
    identity: tuple[object, ...] = ()

    def beside(self, batch: Batch) -> Batch:
        """As many weightings as a batch of the judged rows has: resamples for resamples.

        One weighting, the rows' own weights, where the judged rows are not resampled either.
        """
        return Batch.of(self.weight) if batch.index is None else self.draw(batch.index)


def is_density(parts: Mapping[str, object]) -> bool:
    """Whether the columns of a model are a density: a mean and its spread, or two quantiles."""
    return {"mean", "sd"} <= parts.keys() or len(quantile_levels(parts)) > 1


def quantile_levels(names: Mapping[str, object]) -> dict[str, float]:
    """The levels that columns are quantiles at, by name, rising: `q10` is at 0.1.

    >>> quantile_levels({"q97.5": 0, "mean": 0, "q10": 0})
    {'q10': 0.1, 'q97.5': 0.975}
    """
    found = {name: _QUANTILE.fullmatch(name) for name in names}
    levels = {name: float(match[1]) / 100 for name, match in found.items() if match}
    return dict(sorted(levels.items(), key=lambda pair: pair[1]))
