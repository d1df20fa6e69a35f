"""Which columns are summed: what each metric of each model adds a row, and products of these.

Columns are held about a centre that the first rows give, so that no product of large numbers
hides a small spread. The layout depends on the plan and on the first rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement, product

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.in_folds import bind
from reportgen.metrics.spec import BoundMetric, Metric
from reportgen.resampling.studentize import is_studentized
from reportgen.rows import Rows

HEAD = 4  # terms before those of columns: rows that weigh, w, w², w³
Of = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Summand:
    """One metric of one model: where its columns stand, and the centre of each."""

    metric: Metric
    at: slice
    centre: Vector
    is_studentized: bool

    @property
    def places(self) -> range:
        """The numbers of its columns."""
        return range(self.at.start, self.at.stop)

    @property
    def level(self) -> float:
        """What is added to the value of the means."""
        return 0.0

    @property
    def bound(self) -> float:
        """How far the value can be from that of all rows: sums are exact."""
        return 0.0

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """Its columns of some rows, and how many rows it has no number for."""
        bound = bind(self.metric, rows)
        columns, terms = bound.summed(), bound.terms
        return columns, float(terms[:, -1].sum()) if terms.shape[1] > len(columns) else 0.0


@dataclass(frozen=True, eq=False)
class Layout:
    """All summands by (key, model), and the pairs of columns whose products are summed.

    `own` are pairs summed under the rows' own weights, `drawn` those under each resample as well.
    """

    summands: Mapping[Of, Summand]
    columns: int
    own: tuple[tuple[int, int], ...]
    drawn: tuple[tuple[int, int], ...]
    place: Mapping[tuple[int, int], int] = field(default_factory=dict)

    @cached_property
    def centre(self) -> Vector:
        """The centres of all columns, (k,)."""
        return np.concatenate([np.empty(0), *(each.centre for each in self.summands.values())])

    @cached_property
    def resampled(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """The numbers of the terms that are summed under each resample."""
        squares = [2, *(self.squared(k) for k in range(self.columns))] if self.drawn else []
        plain = [1, *(HEAD + k for k in range(self.columns))]
        return np.array([*plain, *squares, *(self.product(*pair) for pair in self.drawn)], np.intp)

    def squared(self, column: int) -> int:
        """The term w² times a column."""
        return HEAD + self.columns + column

    def product(self, one: int, other: int) -> int:
        """The term w² times two columns."""
        pair = (min(one, other), max(one, other))
        return HEAD + 2 * self.columns + self.place[pair]

    def bounds(self, largest: Vector, weight: float) -> Vector:
        """How large each term can be, from the largest of each column and of the weights."""
        pairs = np.array(self.own, np.intp).reshape(-1, 2)
        first = np.array([1.0, weight, weight**2, weight**3])
        products = weight**2 * largest[pairs[:, 0]] * largest[pairs[:, 1]]
        return np.concatenate([first, weight * largest, weight**2 * largest, products])

    def terms(self, columns: Matrix, weight: Vector) -> Matrix:
        """All terms of some rows, (m, n), from their centred columns, (k, n)."""
        found = np.empty((HEAD + 2 * self.columns + len(self.own), len(weight)))
        found[0], found[1], found[2], found[3] = weight > 0, weight, weight**2, weight**3
        np.multiply(columns, weight, out=found[HEAD : HEAD + self.columns])
        squares = found[HEAD + self.columns : HEAD + 2 * self.columns]
        np.multiply(found[HEAD : HEAD + self.columns], weight, out=squares)
        for place, (one, other) in enumerate(self.own):
            np.multiply(squares[one], columns[other], out=found[HEAD + 2 * self.columns + place])
        return found


def layout_of(bound: Mapping[Of, BoundMetric], pairs: Sequence[tuple[str, str]]) -> Layout:
    """The layout of metrics bound to the first rows; `pairs` are models that are compared."""
    summands: dict[Of, Summand] = {}
    start = 0
    for of, each in bound.items():
        if not each.is_of_means:
            continue
        columns = each.summed()
        is_counted = each.statistic.shape == "counted"
        centres = [0.0 if is_counted else float(np.mean(column)) for column in columns]
        at = slice(start, start + len(columns))
        is_own = is_studentized(each) or each.statistic.estimand.is_correlation_of_means
        is_own = is_own or each.statistic.estimand.scale == "positive"
        summands[of] = Summand(each.statistic, at, np.array(centres), is_own)
        start = at.stop
    return layout_with(summands, pairs)


def layout_with(summands: Mapping[Of, Summand], pairs: Sequence[tuple[str, str]]) -> Layout:
    """The layout of summands whose columns stand one after the other."""
    own = tuple(dict.fromkeys(_own_pairs(summands)))
    drawn = tuple(dict.fromkeys(_drawn_pairs(summands, pairs)))
    columns = sum(len(each.places) for each in summands.values())
    return Layout(summands, columns, own, drawn, {pair: k for k, pair in enumerate(own)})


def columns_of(layout: Layout, data: Mapping[str, Rows]) -> tuple[Matrix, Vector]:
    """The centred columns of some rows, (k, n), and how many rows each metric lacks, (metrics,)."""
    n = len(next(iter(data.values())))
    found, lacking = np.empty((layout.columns, n)), np.zeros(len(layout.summands))
    for place, ((_, model), summand) in enumerate(layout.summands.items()):
        columns, lacking[place] = summand.columns(data[model])
        for at, column, centre in zip(summand.places, columns, summand.centre, strict=True):
            np.subtract(column, centre, out=found[at])
    return found, lacking


def _own_pairs(summands: Mapping[Of, Summand]) -> Iterator[tuple[int, int]]:
    """Every two columns of one metric, of one model or of two."""
    by_key: dict[str, list[int]] = {}
    for (key, _), each in summands.items():
        by_key.setdefault(key, []).extend(each.places)
    for places in by_key.values():
        yield from combinations_with_replacement(places, 2)


def _drawn_pairs(
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
