"""Lists of graded documents by query, in compressed rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from itertools import pairwise
from math import inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Matrix, Memo, Result, Vector
from reportgen.records import record

Ties = Literal["expected", "trec", "optimistic", "pessimistic"]
Flags = NDArray[np.bool_]
SCORE_TOLERANCE = 1e-9  # of a document, by which a number of them may miss a whole one


def gather_queries(start: Index, index: Index) -> tuple[Index, Index]:
    """Gather some queries of compressed rows: where each begins, and which documents are theirs."""
    size = np.diff(start)[index]
    begin = np.append(0, np.cumsum(size)).astype(np.intp)
    return begin, np.arange(begin[-1]) + np.repeat(start[index] - begin[:-1], size)


def sort_within_queries(start: Index, values: NDArray[Any]) -> Index:
    """Sort the values of each query in compressed rows; equal ones keep their order.

    Lists of one length are sorted side by side, which takes half as long as a sort of all.

    >>> sort_within_queries(np.array([0, 2, 5]), np.array([2.0, 1.0, 5.0, 4.0, 4.0]))
    array([1, 0, 3, 4, 2])
    """
    if not len(values):
        return np.empty(0, np.intp)
    size = np.diff(start)
    by_size = np.argsort(size, kind="stable")
    lengths, first = np.unique(size[by_size], return_index=True)
    if len(lengths) == 1:
        order = np.argsort(values.reshape(-1, lengths[0]), axis=1, kind="stable")
        return np.asarray((order + start[:-1, None]).ravel())
    at = np.arange(len(values))
    for length, queries in zip(lengths, np.split(by_size, first[1:]), strict=True):
        if length > 1:
            rows = start[queries][:, None] + np.arange(length)
            order = np.argsort(values[rows], axis=1, kind="stable")
            at[rows] = np.take_along_axis(rows, order, axis=1)
    return at


def cumulate_to_ranks(query: Index, rank: Vector, values: Vector, n: int, grid: Vector) -> Matrix:
    """Sum over the documents of each query down to each rank of a rising grid, (n, g)."""
    slot = np.searchsorted(grid, rank)
    inside = slot < len(grid)
    code = query[inside] * len(grid) + slot[inside]
    return np.cumsum(sum_by_code(code, values[inside], n * len(grid)).reshape(n, len(grid)), axis=1)


def sum_by_code(code: Index, values: Vector | Flags, n: int) -> Vector:
    """Sum values by their code, (n,), each added in the order in which they come."""
    return np.asarray(np.bincount(code, values, minlength=n), dtype=np.float64)


@record(eq=False)
class GradedRows:
    """Documents of queries in compressed rows, with the grade of each, in an order."""

    start: Index
    grade: Vector

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def once(self) -> Memo:
        """What several measures read, by its name: it is computed the first time."""
        return Memo()

    @cached_property
    def query(self) -> Index:
        """The query of each document."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def rank(self) -> Vector:
        """The rank of each document, from 1; tied ones share out the ranks of their group."""
        return np.arange(1.0, len(self.grade) + 1) - self.start[self.query]


@record(eq=False)
class Judgements(GradedRows):
    """Judgements of each query, whatever a model found: grades (judged,), best first.

    `levels` are the grades that occur above 0, in the order of their size, and `deepest` is the
    length of the longest list that any model has: those of all queries, also where only some of
    them are looked at.
    """

    levels: tuple[float, ...] = ()
    deepest: int | None = None

    @classmethod
    def from_grades(cls, start: Index, grade: Vector, deepest: int | None = None) -> Judgements:
        """Build the judgements from grades in any order; a negative grade counts as 0."""
        grade = np.maximum(grade, 0.0)
        levels = tuple(float(x) for x in np.unique(grade[grade > 0]))
        return cls(start, grade[sort_within_queries(start, -grade)], levels, deepest)

    @cached_property
    def positive_grade_counts(self) -> Vector:
        """The number of documents of each query with a grade above 0, (n,)."""
        return sum_by_code(self.query, self.grade > 0, len(self))

    def count_relevant(self, least: float) -> Vector:
        """Return how many documents of each query have at least a grade, (n,)."""
        name = f"relevant {least!r}"
        return self.once(name, lambda: sum_by_code(self.query, self.grade >= least, len(self)))

    def count_by_relevance(self, least: float) -> tuple[Vector, Vector]:
        """Return how many have at least a grade, and how many were judged lower, (n,) each."""
        relevant = self.count_relevant(least)
        return relevant, np.diff(self.start) - relevant

    def take(self, index: Index) -> Judgements:
        """Return the judgements of some queries."""
        start, at = gather_queries(self.start, index)
        return Judgements(start, self.grade[at], self.levels, self.deepest)


@record(eq=False)
class OrderedLists(GradedRows):
    """Lists in order of score, with ties resolved or left as groups.

    `grade` (documents,) is 0 where a document was not judged. `first` (groups,) is where each group
    of tied documents begins; a document that is tied with no other is a group too. No more than
    `depth` ranks are considered.
    """

    is_judged: Flags
    first: Index
    judgements: Judgements
    depth: float = inf

    def last(self, k: float | None) -> float:
        """Return the last rank that counts: k, the end of the list if k is None, or the depth."""
        return min(inf if k is None else k, self.depth)

    @cached_property
    def length(self) -> Vector:
        """The number of ranks of each list that are considered, (n,)."""
        return np.minimum(np.diff(self.start).astype(np.float64), self.depth)

    @cached_property
    def size(self) -> Vector:
        """The number of documents in each group, (groups,)."""
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
        """The number of documents above each group, (groups,)."""
        return self.rank[self.first] - 1

    @cached_property
    def is_tied(self) -> bool:
        """True if any two documents are tied."""
        return len(self.first) < len(self.grade)

    @cached_property
    def group_size(self) -> Vector:
        """The number of documents in the group of each document."""
        return np.asarray(self.size[self.group])

    @cached_property
    def place(self) -> Vector:
        """The place of each document in its group, from 1."""
        return np.asarray(self.rank - self.above[self.group])

    def find_first_ranks(self, k: float | None) -> Vector:
        """1 for a document of the first k ranks, else 0."""
        last = self.last(k)
        return self.once(f"first {last!r}", lambda: (self.rank <= last).astype(np.float64))

    def count_relevant_by_group(self, least: float) -> Vector:
        """Return how many documents of each group have at least a grade, (groups,)."""
        name = f"relevant of group {least!r}"
        return self.once(name, lambda: self.count_by_group(self.grade >= least))

    def compute_relevance_chances(self, least: float) -> Vector:
        """Return each document's chance that what its rank holds has at least a grade."""
        name = f"chance {least!r}"
        return self.once(name, lambda: self.group_means(self.grade >= least))

    def count_by_group(self, flags: Flags) -> Vector:
        """Return how many documents of each group have a flag, (groups,)."""
        return sum_by_code(self.group, flags, len(self.first))

    def count_above_groups(self, flags: Flags) -> Vector:
        """Return how many documents above each group, in its query, have a flag, (groups,)."""
        before = np.append(0, np.cumsum(flags))
        return np.asarray(before[self.first] - before[self.start[self.owner]], dtype=np.float64)

    def group_means(self, values: Vector | Flags) -> Vector:
        """Return each document's group mean in its place: what its rank holds on average."""
        if not self.is_tied:
            return np.asarray(values, dtype=np.float64)
        mean = sum_by_code(self.group, values, len(self.first)) / self.size
        return np.asarray(mean[self.group])

    def total(self, values: Vector) -> Vector:
        """Sum over the documents of each query, (n,)."""
        return sum_by_code(self.query, values, len(self))

    def total_of_groups(self, values: Vector) -> Vector:
        """Sum over the groups of each query, (n,)."""
        return sum_by_code(self.owner, values, len(self))


@record(eq=False)
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
    _kept: Memo = field(default_factory=Memo, repr=False)

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
        """Return whether the same documents have the same scores."""
        mine, theirs = ((each.start, each.score, each.grade) for each in (self, other))
        is_named = self.name is not None and other.name is not None
        return all(
            np.array_equal(a, b, equal_nan=True) for a, b in zip(mine, theirs, strict=True)
        ) and (not is_named or np.array_equal(self.name, other.name))  # type: ignore[arg-type]

    def take(self, index: Index) -> Lists:
        """Return the answers to some queries."""
        start, at = gather_queries(self.start, index)
        name = None if self.name is None else self.name[at]
        judged = self.judgements.take(index)
        return Lists(start, self.grade[at], self.score[at], judged, name, self.depth)

    def only_judged(self) -> Lists:
        """Return the answers without documents that were not judged."""
        kept = ~np.isnan(self.grade)
        start = np.append(0, np.cumsum(kept))[self.start].astype(np.intp)
        name = None if self.name is None else self.name[kept]
        return Lists(start, self.grade[kept], self.score[kept], self.judgements, name, self.depth)

    def order_documents(self, ties: Ties = "expected") -> OrderedLists:
        """In order of score; ties are left as groups, or resolved.

        `trec` compares scores in single precision, then ids by their bytes, the last first.
        `optimistic` and `pessimistic` are the best and the worst order by grade.
        """
        return self._kept(f"ordered {ties}", lambda: self._order_documents(ties))

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time: for what several measures read."""
        return self._kept(name, compute)

    @property
    def rank_order(self) -> Lists:
        """The same lists, documents in order of score; itself where they are."""
        return self if self._reordering is None else self._reordering

    @cached_property
    def _reordering(self) -> Lists | None:
        """None where they are in order: lists that held themselves would outlast their use."""
        is_next = np.diff(self.query) > 0
        if bool(np.all((np.diff(self.score) <= 0) | is_next)):
            return None
        at = sort_within_queries(self.start, -self.score)
        name = None if self.name is None else self.name[at]
        grade, score = self.grade[at], self.score[at]
        return Lists(self.start, grade, score, self.judgements, name, self.depth)

    @cached_property
    def group_starts(self) -> Flags:
        """The flags of documents at which a tied group begins, of lists in order of score."""
        return self.find_changes(self.score)

    def find_changes(self, score: NDArray[np.floating[Any]]) -> Flags:
        """Return where a list begins, or a score that differs from the one before."""
        begins = np.ones(len(score), dtype=bool)
        begins[1:] = (score[1:] != score[:-1]) | (np.diff(self.query) > 0)
        return begins

    def _order_documents(self, ties: Ties) -> OrderedLists:
        if ties == "expected":
            found = self.truncate_to_depth()
            return found.group_documents(
                found.start, found.grade, np.flatnonzero(found.group_starts)
            )
        found = self.rank_order
        at, start = found.resolve_ties(ties), found.start
        if self.depth < inf:
            at = at[np.arange(len(at)) - start[found.query] < self.depth]
            size = np.minimum(np.diff(start), self.depth)
            start = np.append(0, np.cumsum(size)).astype(np.intp)
        return found.group_documents(start, found.grade[at], np.arange(len(at)))

    def group_documents(self, start: Index, grade: Vector, first: Index) -> OrderedLists:
        """Return lists in order, with groups of documents that begin at `first`."""
        counted, is_judged = np.maximum(np.nan_to_num(grade), 0.0), ~np.isnan(grade)
        return OrderedLists(start, counted, is_judged, first, self.judgements, self.depth)

    def truncate(self, depth: float) -> Lists:
        """Cut the lists at a rank; a group of ties that goes on past it stays whole.

        Tied are scores that are equal in single precision: where ids break ties, they see all.
        """
        found = self.rank_order
        with np.errstate(over="ignore"):
            begins = found.find_changes(found.score.astype(np.float32))
        return found.cut(begins, depth)

    def truncate_to_depth(self) -> Lists:
        """Return the documents in order of score whose group of ties begins within the depth."""
        found = self.rank_order
        return found if self.depth == inf else found.cut(found.group_starts, self.depth)

    def cut(self, begins: Flags, depth: float) -> Lists:
        """Keep the groups that begin within a depth, of lists in order of score."""
        above = np.arange(len(begins)) - self.start[self.query]
        kept = np.flatnonzero(above[np.flatnonzero(begins)][np.cumsum(begins) - 1] < depth)
        start = np.append(0, np.cumsum(np.bincount(self.query[kept], minlength=len(self))))
        name = None if self.name is None else self.name[kept]
        grade, score = self.grade[kept], self.score[kept]
        return Lists(start.astype(np.intp), grade, score, self.judgements, name, depth)

    def resolve_ties(self, ties: Ties) -> Index:
        """Return the order of documents in lists sorted by score; only tied ones change places."""
        begins = self.group_starts
        if ties == "trec":
            with np.errstate(over="ignore"):  # too large for it is as large as can be
                begins = self.find_changes(self.score.astype(np.float32))
            # Where no id is known, the order of the input stands in for it.
            then = -(np.arange(len(self.score)) if self.name is None else self.name)
        else:
            of = np.where(np.isnan(self.grade), -1.0, np.maximum(self.grade, 0.0))
            then = -of if ties == "optimistic" else of  # not judged: below the lowest grade
        size = np.diff(np.append(np.flatnonzero(begins), len(begins)))
        at, tied = np.arange(len(begins)), np.flatnonzero(np.repeat(size > 1, size))
        start = np.append(0, np.cumsum(size[size > 1])).astype(np.intp)
        at[tied] = tied[sort_within_queries(start, then[tied])]
        return at


PIECE = 1 << 18  # documents of lists and judgements, about
Measure = Callable[[Lists], NDArray[Any]]
Mapped = Callable[..., Iterable[Any]]  # `map`, or that of threads


def map_queries(measure: Measure, lists: Lists) -> NDArray[Any]:
    """Compute a measure of each query, (n,) or (n, k)."""
    return map_pieces([(lists, {"": measure})])[0][""]


def map_pieces(
    asked: Sequence[tuple[Lists, Mapping[Hashable, Measure]]], mapped: Mapped = map
) -> list[dict[Hashable, NDArray[Any]]]:
    """Compute several measures of each query of several lists, by the measures' names.

    Pieces of all lists go over the threads together.
    """

    def evaluate_piece(work: tuple[int, int, int]) -> dict[Hashable, NDArray[Any]]:
        at, begin, end = work
        lists, measures = asked[at]
        piece = _slice_queries(lists, begin, end)
        return {name: measure(piece) for name, measure in measures.items()}

    work = [(at, *span) for at, (lists, of) in enumerate(asked) if of for span in _spans(lists)]
    found: list[dict[Hashable, list[NDArray[Any]]]] = [{} for _ in asked]
    for (at, *_), each in zip(work, mapped(evaluate_piece, work), strict=True):
        for name, values in each.items():
            found[at].setdefault(name, []).append(values)
    return [{name: _concatenate_parts(parts) for name, parts in each.items()} for each in found]


def map_spans(
    function: Callable[[Lists, int], Result], lists: Lists, mapped: Mapped = map
) -> Iterable[Result]:
    """Apply a function to each piece and the number of its first query, in their order."""

    def evaluate_piece(span: tuple[int, int]) -> Result:
        return function(_slice_queries(lists, *span), span[0])

    return mapped(evaluate_piece, _spans(lists))


def _spans(lists: Lists) -> list[tuple[int, int]]:
    """Return the first query of each piece, and the one after its last; a query is never cut."""
    n, size = len(lists), lists.start + lists.judgements.start
    at = np.searchsorted(size, np.arange(PIECE, int(size[-1]), PIECE), side="right") - 1
    return list(pairwise([0, *sorted({int(k) for k in at} - {0, n}), n]))


def _slice_queries(lists: Lists, begin: int, end: int) -> Lists:
    """Slice queries from `begin` to before `end` without copying; all are the lists themselves."""
    if end - begin == len(lists):
        return lists
    judged = lists.judgements
    start, known = lists.start[begin : end + 1], judged.start[begin : end + 1]
    inside, beside = slice(start[0], start[-1]), slice(known[0], known[-1])
    name = None if lists.name is None else lists.name[inside]
    of = Judgements(known - known[0], judged.grade[beside], judged.levels, judged.deepest)
    return Lists(start - start[0], lists.grade[inside], lists.score[inside], of, name, lists.depth)


def _concatenate_parts(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def summarize_pool(
    lists: Lists, k: int, weight: Vector | None = None, mapped: Mapped = map
) -> Mapping[str, float]:
    """Return how much of the first k was judged on average, and how long lists are.

    Shares of queries and means over them count each by its weight, (n,); alike without.
    What a list does not hold is not said to lack a judgement; `judged` is nan without any list.
    `short` is the share of queries with fewer than k documents whose list lacks some that were
    judged: one of all candidates is whole at any length. `tied` is the share of documents
    that are tied, `empty` the number of queries without any, `single` the number of neighbours
    whose scores differ, but not in single precision.
    """
    found = map_pieces([(lists, {"": partial(_count_pools, k=k)})], mapped)[0][""]
    judged, lacks, size, documents, tied, single = found.T
    own = np.ones(len(lists)) if weight is None else weight
    has = (size > 0) & (own > 0)
    share, every = judged[has] / np.minimum(size, k)[has], documents.sum()
    return {
        "judged": float(np.average(share, weights=own[has])) if len(share) else nan,
        "short": float(own @ ((size < k) & (lacks > 0)) / own.sum()),
        "deepest": int(size.max(initial=0)),
        "documents": int(every),
        "tied": float(tied.sum() / every) if every else 0.0,
        "empty": int((size == 0).sum()),
        "single": int(single.sum()),
    }


def _count_pools(lists: Lists, k: int) -> Matrix:
    """Count, per query, judged documents in the first k, lacking ones, and others, (n, 6)."""
    found, size = lists.order_documents(), np.minimum(np.diff(lists.start), lists.depth)
    is_judged = found.group_means(found.is_judged) * (found.rank <= lists.depth)
    lacks = found.total(is_judged) < np.diff(lists.judgements.start) - SCORE_TOLERANCE
    tied = found.total_of_groups(np.where(found.size > 1, found.size, 0.0))
    of_first = found.total(is_judged * (found.rank <= k))
    each = (of_first, lacks, size, np.diff(found.start), tied, _find_single_precision_ties(lists))
    return np.column_stack(each).astype(np.float64)


def _find_single_precision_ties(lists: Lists) -> Vector:
    found = lists.rank_order
    with np.errstate(over="ignore"):
        short = found.score.astype(np.float32)
    is_one = (np.diff(found.query) == 0) & (np.diff(found.score) != 0) & (short[1:] == short[:-1])
    return sum_by_code(found.query[1:], is_one, len(found))


def compute_grade_shares(
    lists: Lists, k: int, share: Vector, mapped: Mapped = map
) -> Mapping[float | None, Vector]:
    """Compute each grade's chance to stand at each rank, (k,), a mean over queries; highest first.

    `share` (n,) is what each query counts. A grade of None is a document that nobody judged.
    """
    kinds: list[float | None] = [*lists.judgements.levels[::-1], 0.0, None]

    def evaluate_piece(piece: Lists, begin: int) -> Matrix:
        own = share[begin : begin + len(piece)]
        return np.stack([own @ chances for chances in _compute_grade_chances(piece, k, kinds)])

    sums = sum(map_spans(evaluate_piece, lists, mapped))
    return dict(zip(kinds, np.asarray(sums), strict=True))


def _compute_grade_chances(lists: Lists, k: int, kinds: list[float | None]) -> list[Matrix]:
    """Compute the chance of each query to have each grade at each rank, (n, k) per grade."""
    found, ranks = lists.order_documents(), np.arange(1.0, k + 1)
    chances = []
    for grade in kinds:
        is_it = ~found.is_judged if grade is None else found.is_judged & (found.grade == grade)
        chance = found.group_means(is_it) * (found.rank <= lists.depth)
        held = cumulate_to_ranks(found.query, found.rank, chance, len(found), ranks)
        chances.append(np.diff(held, axis=1, prepend=0.0))
    return chances
