"""Rows that statistics read: amounts, classes, label sets, queries, external scores."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Memo, UnitCosts, Vector
from reportgen.kernels.ranked_lists import Lists, Mapped, map_pieces, map_queries
from reportgen.kernels.thresholds import DecisionRule, Threshold, identify_rule
from reportgen.records import record
from reportgen.terms import DERIVED, Needs, Scale

Shown = str | float | int
# What each kind of score gives a statistic; a density asks for further columns beside an amount,
# a series for an order in time.
# A label is a predicted class, by whatever says so; a call is one by a threshold on what lies
# between 0 and 1, or without one.
OFFERS: Mapping[Scale, frozenset[Needs]] = {
    "amount": frozenset(("order", "amount", "density", "series")),
    "probability": frozenset(("order", "probability", "label", "call")),
    "score": frozenset(("order", "label")),
    "rank": frozenset(("order", "label")),
    "label": frozenset(("label", "call")),
}
Result = TypeVar("Result")
Inputs = Callable[..., tuple[Any, ...]]


class Rows(ABC):
    """Units of analysis with what happened and what one model said of each.

    `outcome` is what happened as one number a row, and `ranking` the order that the model puts
    the rows in, both of shape (n,). `scale` says what its scores are. `is_costly` says that
    what a metric finds of one row takes long to find, so that it is kept rather than found anew.
    `lists` are the documents of each row, where it has any. `fold` (n,) numbers the fits that the
    scores come from, where the rows of each fit were scored by a model fitted on the other rows.
    `is_fold_mean` says that a function of counts, too, is the mean of its values on them.
    `is_of_flagged` says that what happened is known of rows alone that a model calls.
    `is_of_datasets` says that each row is a data set.
    """

    outcome: Column
    ranking: Column
    scale: Scale
    lists: Lists | None = None
    is_costly = False
    fold: Index | None = None
    is_fold_mean = False
    is_of_flagged = False
    is_of_datasets = False

    def __init__(self) -> None:
        self._kept = Memo()

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def training_row_count(self) -> int:
        """The number of other rows that are resampled whenever these are."""
        return 0

    @abstractmethod
    def inputs(self) -> tuple[Any, ...]:
        """Return the arguments of a metric's definition that come before the weights."""

    def each(
        self, function: Callable[..., Any], params: Mapping[str, Any], inputs: Inputs | None = None
    ) -> Any:
        """Return the value of a function for each row, for which it reads no other row.

        `inputs` f(rows, **params) gives what it is called with, where that is not the usual.
        """
        given = self.inputs() if inputs is None else inputs(self, **params)
        return function(*given, **params)

    def take(self, index: Index) -> Self:
        """Return the same model on some of the rows."""
        found = self._take_rows(index)
        found.fold = None if self.fold is None else self.fold[index]
        found.is_fold_mean = self.is_fold_mean
        found.is_of_flagged = self.is_of_flagged
        return found

    @abstractmethod
    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the rows, regardless of their folds."""

    @property
    def folds(self) -> list[tuple[Index, Self]]:
        """The places and the rows of each fold that has any, as rows of one fit."""
        return self.once("folds", self._split_folds)

    def _split_folds(self) -> list[tuple[Index, Self]]:
        assert self.fold is not None
        members = (np.flatnonzero(self.fold == number) for number in np.unique(self.fold))
        return [(each, self._take_rows(each)) for each in members]

    @abstractmethod
    def describe(self, row: int) -> Mapping[str, Shown]:
        """Return what a reader is shown of a single row, by name."""

    @abstractmethod
    def is_same(self, other: Rows) -> bool:
        """Tell whether another model says the same of every row, in every column."""

    @abstractmethod
    def contents(self) -> Iterator[object]:
        """Return all that a number of these rows comes from, but `outcome`."""

    def lacks(self, needs: Needs) -> str:
        """Why these rows do not give a statistic what it needs, after the model's name; or ""."""
        if self.is_of_flagged and needs not in ("label", "call"):
            return "is judged on flagged rows alone"
        if needs in OFFERS[self.scale]:
            return ""
        wanted = {"probability": "a probability", "call": "a probability", "order": "a score"}.get(
            needs, "an amount"
        )
        if self.scale == "label":
            return f"names classes and gives no {wanted.split()[-1]}"
        said = "rank score" if self.scale == "rank" else self.scale
        return f"is a {said}, not {wanted}"

    def orders(self) -> tuple[Column, ...]:
        """Return the orders in which a statistic may depend on a row's neighbours."""
        return self.outcome, self.ranking

    def ties(self) -> Mapping[str, Column]:
        """Return the columns whose ties make measures of order disagree, by `y` or `score`."""
        return {"y": self.outcome, "score": self.ranking}

    def errors(self) -> Vector | None:
        """Return score minus target, (n,), in the unit of y; None where that is no error."""
        return None

    def largest(self) -> float:
        """Return the size of the largest amount, in the unit of y; 0 where there are no amounts."""
        return 0.0

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time: for tables that kernels prepare."""
        return self._kept(name, compute)

    def forget(self) -> None:
        """Release what was computed, except orders, groups and counts of pairs.

        It is computed again when it is needed.
        """
        self._kept.keep({"row pairs"})
        for column in (self.outcome, self.ranking):
            column.forget()


@record(eq=False)
class PastTargets:
    """Targets of known rows, series after series, each in the order of time.

    Those of series k are `y[start[k]:start[k + 1]]`; `code` (n,) is the series of each evaluated
    row, or one past the last where it is not among them. `is_repeated` (k,) says that a series has
    several rows of one time.
    """

    code: Index
    start: Index
    y: Vector
    is_repeated: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, np.bool_))

    def take(self, index: Index) -> PastTargets:
        """Return the same for some of the evaluated rows: what is known stays."""
        return replace(self, code=self.code[index])


_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


class Amounts(Rows):
    """Outcomes and one model's scores, as amounts; a `rank` score is an order alone.

    `parts` holds further score columns by name (a standard deviation, quantiles); `fit` the
    other rows, if any, on which a shift of the score is fitted; `unit_costs` what errors cost
    where that differs by row. `past` are the targets that naive forecasts repeat, by the column of
    series, "" where all rows are one.
    """

    def __init__(
        self,
        y: Column | Vector,
        score: Column | Vector,
        parts: Mapping[str, Vector] | None = None,
        fit: TrainingRows | None = None,
        scale: Scale = "amount",
        unit_costs: UnitCosts | None = None,
        past: Mapping[str, PastTargets] | None = None,
    ) -> None:
        super().__init__()
        self.unit_costs = unit_costs
        self.past = dict(past or {})
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
        """True if the model gives a density of each row: a mean and its spread, or quantiles."""
        return has_density_columns(self.parts)

    @property
    def training_row_count(self) -> int:
        """The rows that shifts are fitted on."""
        return 0 if self.fit is None else len(self.fit.rows)

    def inputs(self) -> tuple[Vector, ...]:
        """Y and the score, (n,) each."""
        return self.y.values, self.score.values

    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the rows; shifts stay fitted on all training rows."""
        parts = {name: part[index] for name, part in self.parts.items()}
        y, score = self.y.take(index), self.score.take(index)
        costs = None if self.unit_costs is None else self.unit_costs.take(index)
        past = {by: each.take(index) for by, each in self.past.items()}
        return type(self)(y, score, parts, self.fit, self.scale, costs, past)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Y and the score."""
        return {"y": float(self.y.values[row]), "score": float(self.score.values[row])}

    def forget(self) -> None:
        """Release what was computed from errors, too."""
        for name in {"error", "absolute_error"} & self.__dict__.keys():
            self.__dict__[name].forget()
        super().forget()

    def is_same(self, other: Rows) -> bool:
        """Tell whether another model says the same of every row, in every column."""
        return (
            isinstance(other, Amounts)
            and self.parts.keys() == other.parts.keys()
            and np.array_equal(self.score.values, other.score.values)
            and all(np.array_equal(self.parts[name], other.parts[name]) for name in self.parts)
        )

    def contents(self) -> Iterator[object]:
        """Yield the score, its further columns, the training rows and any unit costs."""
        yield self.score.values
        for name, part in self.parts.items():
            yield from (name, part)
        if self.fit is not None:
            rows = self.fit.rows
            yield from (rows.y.values, rows.score.values, *self.fit.identity)
            yield from rows.iter_unit_costs()
        yield from self.iter_unit_costs()
        for by, past in self.past.items():
            yield from (by, past.code, past.start, past.y, past.is_repeated)

    def iter_unit_costs(self) -> Iterator[Vector]:
        """Yield the unit costs of the rows, if they differ."""
        if self.unit_costs is not None:
            yield from (self.unit_costs.under, self.unit_costs.over)

    def lacks(self, needs: Needs) -> str:
        """Describe what the rows lack: a rank is no amount, and a single number no density."""
        lack = super().lacks(needs)
        if not lack and needs == "density" and not self.has_densities:
            return "has no density: no columns mean and sd, and no quantiles"
        if not lack and needs == "series" and not self.past:
            return "has rows without an order in time"
        return lack

    def orders(self) -> tuple[Column, ...]:
        """Return the orders by y, by score and by the size of the error."""
        return self.y, self.score, self.absolute_error

    def errors(self) -> Vector | None:
        """Score minus y, (n,); None for a rank."""
        return self.error.values if self.scale == "amount" else None

    def largest(self) -> float:
        """Return the size of the largest y or score."""
        if not len(self):
            return 0.0
        return max(c.once("largest", partial(_find_largest, c)) for c in (self.y, self.score))


def _find_largest(column: Column) -> float:
    """Find the largest size of a column's values."""
    return max(float(column.values.max()), -float(column.values.min()))


@record(eq=False)
class TrainingRows:
    """Rows of the same model that are not judged: what is fitted on them is applied elsewhere.

    `draw` f(k, columns) gives so many resamples of them from their k-th batch on, which know
    nothing of the resamples of the rows that are judged. `identity` is all that those draws
    depend on.
    """

    rows: Amounts
    weight: Vector
    draw: Callable[..., Batch]
    identity: tuple[object, ...] = ()

    def match_batch(self, batch: Batch) -> Batch:
        """Return as many weightings as a batch of the judged rows has: resamples for resamples.

        One weighting, the rows' own weights, where the judged rows are not resampled either.
        """
        return (
            Batch.from_weights(self.weight)
            if batch.index is None
            else self.draw(batch.index, batch.size)
        )


def has_density_columns(parts: Mapping[str, object]) -> bool:
    """Tell whether a model's columns are a density: a mean and its spread, or two quantiles."""
    return {"mean", "sd"} <= parts.keys() or len(parse_quantile_levels(parts)) > 1


def parse_quantile_levels(names: Mapping[str, object]) -> dict[str, float]:
    """Parse the levels of quantile columns, by name, ascending: `q10` is at 0.1.

    >>> parse_quantile_levels({"q97.5": 0, "mean": 0, "q10": 0})
    {'q10': 0.1, 'q97.5': 0.975}
    """
    found = {name: _QUANTILE.fullmatch(name) for name in names}
    levels = {name: float(match[1]) / 100 for name, match in found.items() if match}
    return dict(sorted(levels.items(), key=lambda pair: pair[1]))


class Classes(Rows):
    """The class of each row and what one model says of the classes.

    `code` (n,) is the place of a row's class in `labels`. `scores` is (n, k), a column a class, or
    (n, 1) where a model scores only the second of two. `upper` is the class that is told from the
    rest where two are: `y` is 1 on its rows and 0 on others, `score` its column. Models may share
    that y, as `outcome`. `rules` say which rows are flagged as the upper class, by the name of an
    operating point; `cell_costs` (n, 4) what a row costs in each cell of the confusion matrix, in
    the order TN, FP, FN, TP; `prices` (k, k) what a class costs, a row, that is called another, a
    column.

    With a score for each class the row is called the class with the largest, the first of several;
    it is then in the order of that score.
    """

    def __init__(
        self,
        code: Index,
        scores: Matrix,
        labels: tuple[str, ...],
        scale: Scale = "probability",
        upper: int | None = None,
        outcome: Column | None = None,
        rules: Mapping[str, DecisionRule] | None = None,
        cell_costs: Matrix | None = None,
        prices: Matrix | None = None,
    ) -> None:
        super().__init__()
        self.code, self.scores, self.labels, self.scale = code, scores, labels, scale
        self.rules, self.cell_costs, self.prices = dict(rules or {}), cell_costs, prices
        self.upper = len(labels) - 1 if upper is None else upper
        y = Column((code == self.upper).astype(np.float64)) if outcome is None else outcome
        self.y = self.outcome = y
        self.score = self.ranking = Column(scores[:, min(self.upper, scores.shape[1] - 1)])
        if len(labels) > 2:
            self.outcome = Column(code.astype(np.float64))
            self.ranking = Column(scores.max(axis=1))

    @cached_property
    def prediction(self) -> Index:
        """The place of the class that each row is predicted as, (n,)."""
        return np.asarray(np.argmax(self.scores, axis=1), dtype=np.intp)

    def find_rule(self, at: str) -> DecisionRule:
        """Return the decision rule of an operating point."""
        if at not in self.rules:
            raise ValueError(f"there is no operating point {at!r}; give a threshold")
        return self.rules[at]

    def isolate(self, upper: int) -> Classes:
        """Return the same rows as one class against the rest, with (n, 1) scores of it."""
        code = (self.code == upper).astype(np.intp)
        labels = (f"not {self.labels[upper]}", self.labels[upper])
        return self.once(
            f"class {upper}", lambda: Classes(code, self.scores[:, [upper]], labels, self.scale)
        )

    def inputs(self) -> tuple[NDArray[np.float64 | np.intp], ...]:
        """Return y and score of two classes, (n,) each; of more, code (n,) and scores (n, k)."""
        if len(self.labels) == 2:
            return self.y.values, self.score.values
        return self.code, self.scores

    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the rows; a class that no row has stays a class."""
        code, scores, outcome = self.code[index], self.scores[index], self.y.take(index)
        costs = None if self.cell_costs is None else self.cell_costs[index]
        beside = self.upper, outcome, self.rules, costs, self.prices
        return type(self)(code, scores, self.labels, self.scale, *beside)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Return the class, with the score of the upper of two; of more, the predicted class."""
        if len(self.labels) > 2:
            called, score = self.prediction[row], self.scores[row].max()
            return {
                "class": self.labels[self.code[row]],
                "called": self.labels[called],
                "score": float(score),
            }
        return {"y": self.labels[self.code[row]], "score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Tell whether another model says the same of every class of every row."""
        return isinstance(other, Classes) and np.array_equal(self.scores, other.scores)

    def contents(self) -> Iterator[object]:
        """Codes, labels and scores."""
        yield from (self.code, *self.labels, self.upper, self.scores)
        for name, rule in self.rules.items():
            yield from (name, *identify_rule(rule))
        yield from (costs for costs in (self.cell_costs, self.prices) if costs is not None)

    def ties(self) -> Mapping[str, Column]:
        """Return the score column alone, as classes are meant to repeat; none for many scores."""
        is_scored = len(self.labels) == 2 and self.scale != "label"
        return {"score": self.ranking} if is_scored else {}


class ExternalScores(Rows):
    """One number a row, (n,): how good a model was on a data set, as somebody measured it.

    `outcome` holds zeros: nothing is known of the rows but what each model reached.
    """

    is_of_datasets = True

    def __init__(self, outcome: Column, score: Column | Vector, scale: Scale = "amount") -> None:
        super().__init__()
        self.outcome, self.scale = outcome, scale
        self.score = self.ranking = score if isinstance(score, Column) else Column(score)

    def inputs(self) -> tuple[Vector, ...]:
        """Return the values, (n,)."""
        return (self.score.values,)

    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the rows."""
        return type(self)(self.outcome.take(index), self.score.values[index], self.scale)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Return the value."""
        return {"score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Return whether another model has the same values."""
        return isinstance(other, ExternalScores) and np.array_equal(
            self.score.values, other.score.values
        )

    def contents(self) -> Iterator[object]:
        """Yield the values."""
        yield self.score.values

    def orders(self) -> tuple[Column, ...]:
        """Return the order by value."""
        return (self.score,)

    def ties(self) -> Mapping[str, Column]:
        """None: a value is a result, and puts nothing in order."""
        return {}

    def largest(self) -> float:
        """Return the size of the largest value."""
        return float(np.max(np.abs(self.score.values))) if len(self) else 0.0


class ItemScores(ExternalScores):
    """Scores of one model's answers to items, (n,) each: a row is an item, the mean of its samples.

    `parts` hold the mean of each score by its name, and what `find_part` gives of its samples.
    """

    is_of_datasets = False

    def __init__(
        self,
        outcome: Column,
        score: Column | Vector,
        scale: Scale = "amount",
        parts: Mapping[str, Vector] | None = None,
    ) -> None:
        super().__init__(outcome, score, scale)
        self.parts = dict(parts or {})

    def find_score(self, name: str) -> Vector:
        """Return the mean of each item's samples, by the name of a score; "" is the first."""
        return self.parts.get(name, self.score.values)

    def find_part(self, name: str, part: str) -> Vector | None:
        """Return what is known of the samples behind a score; None where nothing is."""
        return self.parts.get(f"{name}{DERIVED}{part}")

    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the items."""
        parts = {name: part[index] for name, part in self.parts.items()}
        return type(self)(self.outcome.take(index), self.score.values[index], self.scale, parts)

    def is_same(self, other: Rows) -> bool:
        """Return whether another model has the same values of every score."""
        return (
            isinstance(other, ItemScores)
            and super().is_same(other)
            and self.parts.keys() == other.parts.keys()
            and all(np.array_equal(self.parts[name], other.parts[name]) for name in self.parts)
        )

    def contents(self) -> Iterator[object]:
        """Yield the values of every score, and what is known of their samples."""
        yield from super().contents()
        for name, part in self.parts.items():
            yield from (name, part)


Flags = NDArray[np.bool_]


class LabelSets(Rows):
    """The labels that each row has, any of k, as `flags` (n, k), and their `scores` (n, k).

    A row has every label predicted whose score is at least a threshold: one for all of them, or
    those of an operating point, of which `points` holds one a label, (k,), by name. Scores of the
    scale `label` are 1 where a model names the label, else 0. The outcome is how many labels a row
    has.
    """

    def __init__(
        self,
        flags: Flags,
        scores: Matrix,
        labels: tuple[str, ...],
        scale: Scale = "probability",
        points: Mapping[str, Vector] | None = None,
        outcome: Column | None = None,
    ) -> None:
        super().__init__()
        self.flags, self.scores, self.labels, self.scale = flags, scores, labels, scale
        self.points = dict(points or {})
        count = Column(flags.sum(axis=1).astype(np.float64)) if outcome is None else outcome
        self.outcome = count
        self.ranking = Column(scores.sum(axis=1))

    def flag_labels(self, threshold: float, at: str = "") -> Flags:
        """Flag the labels of each row, (n, k): from a threshold on, or at a named point."""
        if at and at not in self.points:
            raise ValueError(f"there is no operating point {at!r}; give a threshold")
        return np.asarray(self.scores >= (self.points[at] if at else threshold))

    def isolate(self, label: int) -> Classes:
        """Return the same rows as one label, present or not, with its operating points."""
        names = (f"not {self.labels[label]}", self.labels[label])
        rules = {name: Threshold(float(each[label])) for name, each in self.points.items()}

        def build_rows() -> Classes:
            code = self.flags[:, label].astype(np.intp)
            return Classes(code, self.scores[:, [label]], names, self.scale, rules=rules)

        return self.once(f"label {label}", build_rows)

    def inputs(self) -> tuple[Matrix, Matrix]:
        """Return the flags as 0 and 1, and the scores, (n, k) each."""
        return self.flags.astype(np.float64), self.scores

    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the rows; a label that no row has stays a label."""
        flags, scores, outcome = self.flags[index], self.scores[index], self.outcome.take(index)
        return type(self)(flags, scores, self.labels, self.scale, self.points, outcome)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Return the labels that the row has."""
        had = (name for name, has in zip(self.labels, self.flags[row], strict=True) if has)
        return {"y": ", ".join(had) or "none"}

    def is_same(self, other: Rows) -> bool:
        """Tell whether another model says the same of every label of every row."""
        return isinstance(other, LabelSets) and np.array_equal(self.scores, other.scores)

    def contents(self) -> Iterator[object]:
        """Yield the flags, labels, scores and operating points."""
        yield from (self.flags, *self.labels, self.scores)
        for name, each in self.points.items():
            yield from (name, each)

    def lacks(self, needs: Needs) -> str:
        """Describe what is lacking: a score in any unit needs an operating point to flag labels."""
        lack = super().lacks(needs)
        if not lack and needs == "label" and self.scale == "score" and not self.points:
            return "is a score, and no operating point says which labels it predicts"
        return lack

    def ties(self) -> Mapping[str, Column]:
        """None: a row has no single score."""
        return {}


QueryMeasures = tuple[Callable[..., Any], Mapping[str, Any]]  # a measure and its parameters


class Queries(Rows):
    """One model's lists of graded documents: one row is one query.

    Its outcome is how many documents of the query were judged relevant: have a grade above 0.
    """

    is_costly = True  # a query is a whole list of documents

    def __init__(self, lists: Lists, scale: Scale = "score", outcome: Column | None = None) -> None:
        super().__init__()
        self.lists: Lists = lists
        self.scale = scale
        relevant = Column(lists.judgements.positive_grade_counts) if outcome is None else outcome
        self.outcome = relevant
        self.ranking = Column(lists.ranking)
        self.known_values: dict[Hashable, NDArray[Any]] = {}

    def inputs(self) -> tuple[Lists]:
        """Return the lists with their judgements."""
        return (self.lists,)

    def each(
        self, function: Callable[..., Any], params: Mapping[str, Any], inputs: Inputs | None = None
    ) -> Any:
        """Return the value of a measure for each query, reusing values computed ahead."""
        if inputs is not None:
            return super().each(function, params, inputs)
        known = self.known_values.get(_build_key(function, params))
        return map_queries(partial(function, **params), self.lists) if known is None else known

    def forget(self) -> None:
        """Let go of what was found ahead, too."""
        super().forget()
        self.known_values.clear()

    def _take_rows(self, index: Index) -> Self:
        """Return the same model on some of the queries; the values of measures stay the same."""
        found = type(self)(self.lists.take(index), self.scale, self.outcome.take(index))
        found.known_values = {key: values[index] for key, values in self.known_values.items()}
        return found

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Return how many documents the query has, and how many are relevant."""
        size = int(self.lists.start[row + 1] - self.lists.start[row])
        return {"documents": size, "relevant": int(self.outcome.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Return whether another model gives the same documents the same scores."""
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


def precompute_queries(
    asked: Sequence[tuple[Queries, Iterable[QueryMeasures]]], mapped: Mapped = map
) -> None:
    """Find what measures say of each query of several models at once.

    All measures look at a piece of the queries while what they share of it is at hand. What was
    found is taken when it is asked for.
    """
    wanted: list[tuple[Lists, dict[Hashable, Callable[..., Any]]]] = [
        (
            rows.lists,
            {
                key: partial(function, **params)
                for function, params in measures
                if (key := _build_key(function, params)) not in rows.known_values
            },
        )
        for rows, measures in asked
    ]
    for (rows, _), found in zip(asked, map_pieces(wanted, mapped), strict=True):
        rows.known_values |= found


def _build_key(function: Callable[..., Any], params: Mapping[str, Any]) -> Hashable:
    return function, *sorted(params.items())
