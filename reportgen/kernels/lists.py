"""Lists of graded documents, a query each, in compressed rows: query q has `start[q]:start[q+1]`.

A list is one model's answer to a query. Documents with equal scores are tied: a metric is then its
mean over all orders of each group of tied documents, unless ties are resolved in another way.
Sums run within one query, and sums across queries are of whole numbers, so that what is found of a
query depends on no other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Kept, Matrix, Result, Vector

Ties = Literal["expected", "trec", "optimistic", "pessimistic"]
Flags = NDArray[np.bool_]
CLOSE = 1e-9  # of a document, by which a number of them may miss a whole one


def gathered(start: Index, index: Index) -> tuple[Index, Index]:
    """Some queries of compressed rows: where each begins, and which documents are theirs."""
    size = np.diff(start)[index]
    begin = np.append(0, np.cumsum(size)).astype(np.intp)
    return begin, np.arange(begin[-1]) + np.repeat(start[index] - begin[:-1], size)


def sums_to_ranks(query: Index, rank: Vector, values: Vector, n: int, grid: Vector) -> Matrix:
    """Sums over the documents of each query down to each rank of a rising grid, (n, g)."""
    slot = np.searchsorted(grid, rank)
    inside = slot < len(grid)
    code = query[inside] * len(grid) + slot[inside]
    return np.cumsum(sum_by(code, values[inside], n * len(grid)).reshape(n, len(grid)), axis=1)


def sum_by(code: Index, values: Vector | Flags, n: int) -> Vector:
    """Sums of values by their code, (n,), each added in the order in which they stand."""
    return np.bincount(code, values, minlength=n).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Judgements:
    """What was judged of each query, whatever a model found: grades (judged,), best first.

    `levels` are the grades that occur above 0, in the order of their size, and `deepest` is the
    length of the longest list that any model has: those of all queries, also where only some of
    them are looked at.
    """

    start: Index
    grade: Vector
    levels: tuple[float, ...] = ()
    deepest: int | None = None

    @classmethod
    def of(cls, start: Index, grade: Vector, deepest: int | None = None) -> Judgements:
        """From grades in any order; a negative grade counts as 0."""
        query = np.repeat(np.arange(len(start) - 1), np.diff(start))
        grade = np.maximum(grade, 0.0)
        levels = tuple(float(x) for x in np.unique(grade[grade > 0]))
        return cls(start, grade[np.lexsort((-grade, query))], levels, deepest)

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def query(self) -> Index:
        """The query of each judgement."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def rank(self) -> Vector:
        """The rank of each judgement in the best order, from 1."""
        return np.arange(1.0, len(self.grade) + 1) - self.start[self.query]

    @cached_property
    def graded(self) -> Vector:
        """How many documents of each query have a grade above 0, (n,)."""
        return sum_by(self.query, self.grade > 0, len(self))

    def relevant(self, least: float) -> Vector:
        """How many documents of each query have at least a grade, (n,)."""
        return sum_by(self.query, self.grade >= least, len(self))

    def other(self, least: float) -> Vector:
        """How many documents of each query were judged and have a lower grade, (n,)."""
        return np.diff(self.start) - self.relevant(least)

    def take(self, index: Index) -> Judgements:
        """The judgements of some queries."""
        start, at = gathered(self.start, index)
        return Judgements(start, self.grade[at], self.levels, self.deepest)


@dataclass(frozen=True, eq=False)
class Ordered:
    """Lists in order of score, with ties resolved or left as groups.

    `grade` (documents,) is 0 where a document was not judged. `first` (groups,) is where each group
    of tied documents begins; a document that is tied with no other is a group too. No more than
    `depth` ranks are considered.
    """

    start: Index
    grade: Vector
    is_judged: Flags
    first: Index
    judgements: Judgements
    depth: float = inf

    def __len__(self) -> int:
        return len(self.start) - 1

    def last(self, k: float | None) -> float:
        """The last rank that counts: k, the end of the list where k is None, or the depth."""
        return min(inf if k is None else k, self.depth)

    @cached_property
    def length(self) -> Vector:
        """How many ranks of each list are considered, (n,)."""
        return np.minimum(np.diff(self.start).astype(np.float64), self.depth)

    @cached_property
    def query(self) -> Index:
        """The query of each document."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def rank(self) -> Vector:
        """The rank of each document, from 1; tied documents share out the ranks of their group."""
        return np.arange(1.0, len(self.grade) + 1) - self.start[self.query]

    @cached_property
    def size(self) -> Vector:
        """How many documents each group has, (groups,)."""
        return np.diff(np.append(self.first, len(self.grade))).astype(np.float64)

    @cached_property
    def group(self) -> Index:
        """The group of each document."""
        return np.repeat(np.arange(len(self.first)), self.size.astype(np.intp))

    @cached_property
    def owner(self) -> Index:
        """The query of each group."""
        return self.query[self.first]

    @cached_property
    def above(self) -> Vector:
        """How many documents stand above each group, (groups,)."""
        return self.rank[self.first] - 1

    @cached_property
    def is_tied(self) -> bool:
        """Whether any two documents are tied."""
        return len(self.first) < len(self.grade)

    def counted(self, flags: Flags) -> Vector:
        """How many documents of each group have a flag, (groups,)."""
        return sum_by(self.group, flags, len(self.first))

    def counted_above(self, flags: Flags) -> Vector:
        """How many documents above each group, in its query, have a flag, (groups,)."""
        before = np.append(0, np.cumsum(flags))
        return np.asarray(before[self.first] - before[self.start[self.owner]], dtype=np.float64)

    def group_means(self, values: Vector | Flags) -> Vector:
        """The mean of each document's group in its place: what its rank holds on average."""
        if not self.is_tied:
            return np.asarray(values, dtype=np.float64)
        mean = sum_by(self.group, values, len(self.first)) / self.size
        return np.asarray(mean[self.group])

    def total(self, values: Vector) -> Vector:
        """Sums over the documents of each query, (n,)."""
        return sum_by(self.query, values, len(self))

    def total_of_groups(self, values: Vector) -> Vector:
        """Sums over the groups of each query, (n,)."""
        return sum_by(self.owner, values, len(self))


@dataclass(frozen=True, eq=False)
class Lists:
    """One model's answers to n queries, beside what was judged.

    `grade` (documents,) is nan where a document was not judged; one below 0 counts as 0. `score`
    rises with how early a document shall stand. `name` (documents,) is the place of each document's
    id among all ids in the order of their bytes; None where documents have none, and ties cannot be
    broken by it.
    Ranks past `depth` are not considered. A group of ties that goes on past it is cut there where
    ties are resolved; else it is whole, and a measure by ranks gives its documents equal shares of
    those that are left.
    """

    start: Index
    grade: Vector
    score: Vector
    judgements: Judgements
    name: Index | None = None
    depth: float = inf
    _kept: Kept = field(default_factory=Kept, repr=False)

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def query(self) -> Index:
        """The query of each document."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def ranking(self) -> Vector:
        """The best score of each query, (n,); 0 where its list is empty."""
        best = np.zeros(len(self))
        has = np.diff(self.start) > 0
        if has.any():
            best[has] = np.maximum.reduceat(self.score, self.start[:-1][has])
        return best

    def is_same(self, other: Lists) -> bool:
        """Whether the same documents have the same scores."""
        mine, theirs = ((each.start, each.score, each.grade) for each in (self, other))
        is_named = self.name is not None and other.name is not None
        return all(
            np.array_equal(a, b, equal_nan=True) for a, b in zip(mine, theirs, strict=True)
        ) and (not is_named or np.array_equal(self.name, other.name))  # type: ignore[arg-type]

    def take(self, index: Index) -> Lists:
        """The answers to some queries."""
        start, at = gathered(self.start, index)
        name = None if self.name is None else self.name[at]
        judged = self.judgements.take(index)
        return Lists(start, self.grade[at], self.score[at], judged, name, self.depth)

    def only_judged(self) -> Lists:
        """The answers without documents that nobody judged."""
        kept = ~np.isnan(self.grade)
        start = np.append(0, np.cumsum(kept))[self.start].astype(np.intp)
        name = None if self.name is None else self.name[kept]
        return Lists(start, self.grade[kept], self.score[kept], self.judgements, name, self.depth)

    def ordered(self, ties: Ties = "expected") -> Ordered:
        """In order of score; ties are left as groups, or resolved.

        `trec` compares scores in single precision, then ids by their bytes, the last first.
        `optimistic` and `pessimistic` are the best and the worst order by grade.
        """
        return self._kept(f"ordered {ties}", lambda: self._ordered(ties))

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time: for what several measures read."""
        return self._kept(name, compute)

    @property
    def by_score(self) -> Lists:
        """The same lists, documents in order of score; itself where they are."""
        return self if self._sorted is None else self._sorted

    @cached_property
    def _sorted(self) -> Lists | None:
        """None where they are in order: lists that held themselves would outlast their use."""
        is_next = np.diff(self.query) > 0
        if bool(np.all((np.diff(self.score) <= 0) | is_next)):
            return None
        at = np.lexsort((-self.score, self.query))
        name = None if self.name is None else self.name[at]
        grade, score = self.grade[at], self.score[at]
        return Lists(self.start, grade, score, self.judgements, name, self.depth)

    @cached_property
    def _begins(self) -> Flags:
        """Where a group of tied documents begins, of lists in order of score."""
        return self._changes(self.score)

    def _changes(self, score: NDArray[np.floating[Any]]) -> Flags:
        """Where a list begins, or a score that differs from the one before."""
        begins = np.ones(len(score), dtype=bool)
        begins[1:] = (score[1:] != score[:-1]) | (np.diff(self.query) > 0)
        return begins

    def _ordered(self, ties: Ties) -> Ordered:
        if ties == "expected":
            found = self.considered()
            return found._with_groups(found.start, found.grade, np.flatnonzero(found._begins))
        found = self.by_score
        at, start = found._resolved(ties), found.start
        if self.depth < inf:
            at = at[np.arange(len(at)) - start[found.query] < self.depth]
            size = np.minimum(np.diff(start), self.depth)
            start = np.append(0, np.cumsum(size)).astype(np.intp)
        return found._with_groups(start, found.grade[at], np.arange(len(at)))

    def _with_groups(self, start: Index, grade: Vector, first: Index) -> Ordered:
        counted, is_judged = np.maximum(np.nan_to_num(grade), 0.0), ~np.isnan(grade)
        return Ordered(start, counted, is_judged, first, self.judgements, self.depth)

    def unordered(self) -> Lists:
        """The same documents, all tied: what is expected of them is the mean of a random order."""
        score = np.zeros(len(self.score))
        return Lists(self.start, self.grade, score, self.judgements, self.name, self.depth)

    def to_depth(self, depth: float) -> Lists:
        """The lists down to a rank; a group of ties that goes on past it stays whole.

        Tied are scores that are equal in single precision: where ids break ties, they see all.
        """
        found = self.by_score
        with np.errstate(over="ignore"):
            begins = found._changes(found.score.astype(np.float32))
        return found._cut(begins, depth)

    def considered(self) -> Lists:
        """The documents in order of score whose group of ties begins within the depth."""
        found = self.by_score
        return found if self.depth == inf else found._cut(found._begins, self.depth)

    def _cut(self, begins: Flags, depth: float) -> Lists:
        """The groups that begin within a depth, of lists in order of score."""
        above = np.arange(len(begins)) - self.start[self.query]
        kept = np.flatnonzero(above[np.flatnonzero(begins)][np.cumsum(begins) - 1] < depth)
        start = np.append(0, np.cumsum(np.bincount(self.query[kept], minlength=len(self))))
        name = None if self.name is None else self.name[kept]
        grade, score = self.grade[kept], self.score[kept]
        return Lists(start.astype(np.intp), grade, score, self.judgements, name, depth)

    def _resolved(self, ties: Ties) -> Index:
        """The order of documents, of lists in order of score; only tied ones change places."""
        begins = self._begins
        if ties == "trec":
            with np.errstate(over="ignore"):  # too large for it is as large as can be
                begins = self._changes(self.score.astype(np.float32))
            # Where no id is known, the order of the input stands in for it.
            then = -(np.arange(len(self.score)) if self.name is None else self.name)
        else:
            of = np.where(np.isnan(self.grade), -1.0, np.maximum(self.grade, 0.0))
            then = -of if ties == "optimistic" else of  # not judged: below the lowest grade
        group = np.cumsum(begins) - 1
        is_tied = np.bincount(group)[group] > 1 if len(group) else begins
        at, tied = np.arange(len(group)), np.flatnonzero(is_tied)
        at[tied] = tied[np.lexsort((then[tied], group[tied]))]
        return at
