"""Rank correlation of scores and grades within a query."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.ranked_lists import Flags, Lists, OrderedLists, Ties, sum_by_code
from reportgen.metrics import questions
from reportgen.metrics.retrieval.counts import (
    WHOLE_LIST,
    NoRelevant,
    fill_no_relevant,
    query_metric,
    safe_divide,
)
from reportgen.records import record

KENDALL = (
    "Kendall (1945), The treatment of ties in ranking problems, Biometrika 33; "
    "doi:10.1093/biomet/33.3.239"
)
PEARSON = (
    "Pearson (1895), Note on regression and inheritance in the case of two parents, Proceedings of "
    "the Royal Society of London 58; doi:10.1098/rspl.1895.0041"
)
YILMAZ = (
    "Yilmaz, Aslam & Robertson (2008), A new rank correlation coefficient for information "
    "retrieval, SIGIR; doi:10.1145/1390334.1390435"
)
ALL_EQUAL = "where no query has judged documents of different grades"
TIED = "Of tied documents that go on past the `depth` all count."
SEES = "documents that were not judged, and where in the list a pair stands"


@record(eq=False)
class JudgedOrder:
    """The judged documents of all queries, found or not, by query and then by score.

    `grade` (d,), `query` (d,) and `group` (d,) of equal scores, which counts on over the queries;
    `n` is how many queries there are.
    """

    grade: Vector
    query: Index
    group: Index
    n: int

    @classmethod
    def from_lists(cls, found: OrderedLists) -> JudgedOrder:
        """Build it from lists in order, and what they lack as a last group of each query."""
        grade, query = found.grade[found.is_judged], found.query[found.is_judged]
        if len(grade) == len(found.judgements.grade):
            group = np.append(0, np.cumsum(np.diff(found.group[found.is_judged]) > 0))
            return cls(grade, query, group[: len(grade)], len(found))
        lacking, of = _find_missing_judgements(found, grade, query)
        groups = len(found.first)
        grade, query = np.append(grade, lacking), np.append(query, of)
        last = np.full(len(of), groups)
        group = np.append(found.group[found.is_judged], last)
        at = np.lexsort((group, query))
        key = query[at] * (groups + 1) + group[at]
        begins = np.append(True, np.diff(key) > 0)[: len(key)]
        return cls(grade[at], query[at], np.cumsum(begins) - 1, len(found))

    @cached_property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.group[-1]) + 1 if len(self.group) else 0

    @cached_property
    def size(self) -> Vector:
        """The number of documents in each group, (groups,)."""
        return np.bincount(self.group, minlength=self.groups).astype(np.float64)

    @cached_property
    def above(self) -> Vector:
        """The number of documents of the query above each group, (groups,)."""
        return self.count_above_groups(np.ones(len(self.grade), dtype=bool))

    @cached_property
    def rank(self) -> Vector:
        """The rank of each among the judged documents of its query, from 1."""
        return np.arange(1.0, len(self.grade) + 1) - self.begin[self.query]

    @cached_property
    def count(self) -> Vector:
        """The number of documents of each query, (n,)."""
        return np.bincount(self.query, minlength=self.n).astype(np.float64)

    @cached_property
    def begin(self) -> Index:
        """The index at which the documents of each query begin, (n,)."""
        return np.append(0, np.cumsum(self.count))[:-1].astype(np.intp)

    @cached_property
    def owner(self) -> Index:
        """The query of each group."""
        return self.query[self.first]

    @cached_property
    def first(self) -> Index:
        """The index at which each group begins, (groups,)."""
        return np.flatnonzero(np.append(True, np.diff(self.group) > 0)[: len(self.group)])

    def count_above_groups(self, flags: Flags) -> Vector:
        """Return how many documents above each group, in its query, have a flag, (groups,)."""
        before = np.append(0, np.cumsum(flags))
        return np.asarray(before[self.first] - before[self.begin[self.owner]], dtype=np.float64)

    @cached_property
    def agreement(self) -> Vector:
        """Documents of higher grade above less those of lower grade, (groups,)."""
        total = np.zeros(self.groups)
        for level in self.levels:
            own = sum_by_code(self.group, self.grade == level, self.groups)
            higher, lower = (
                self.count_above_groups(f) for f in (self.grade > level, self.grade < level)
            )
            total += own * (higher - lower)
        return total

    def total(self, values: Vector) -> Vector:
        """Return the sums over the groups of each query, (n,)."""
        return sum_by_code(self.owner, values, self.n)

    @cached_property
    def levels(self) -> Vector:
        """The grades that occur, the lowest first."""
        return np.unique(self.grade)

    @cached_property
    def pairs_apart(self) -> Vector:
        """The number of pairs of each query with different grades, (n,)."""
        tied = [
            pair_count(sum_by_code(self.query, self.grade == level, self.n))
            for level in self.levels
        ]
        return pair_count(self.count) - np.sum(tied, axis=0) if tied else np.zeros(self.n)


def _cache_judged_order(lists: Lists, ties: Ties = "expected") -> JudgedOrder:
    return lists.once(f"judged {ties}", lambda: JudgedOrder.from_lists(lists.order_documents(ties)))


def pair_count(count: Vector) -> Vector:
    """Return how many pairs so many documents make."""
    return count * (count - 1) / 2


def _find_missing_judgements(
    found: OrderedLists, grade: Vector, query: Index
) -> tuple[Vector, Index]:
    """Return the grades of the judged documents missing from the lists, and their queries."""
    judged = found.judgements
    _, code = np.unique(np.append(judged.grade, grade), return_inverse=True)
    width = int(code.max(initial=0)) + 1
    known, place = np.unique(judged.query * width + code[: len(judged.grade)], return_inverse=True)
    count = np.bincount(place, minlength=len(known))
    own = np.searchsorted(known, query * width + code[len(judged.grade) :])
    count = count - np.bincount(own, minlength=len(known))
    value = np.zeros(len(known))
    value[place] = judged.grade
    return np.repeat(value, count), np.repeat(known // width, count)


_query_correlation = partial(
    query_metric,
    bounds=(-1.0, 1.0),
    undefined=ALL_EQUAL,
    answers=questions.ORDER_OF_DOCUMENTS,
    chance=0.0,
)


@_query_correlation(
    title="Kendall's τ-b of a query",
    cite=KENDALL,
    caveat=TIED,
    formula="(concordant − discordant) / √(pairs of different scores · pairs of different grades)",
    asks="how well the scores put the judged documents of a query in the order of their grades",
    blind=SEES,
)
def query_kendall(lists: Lists, *, no_relevant: NoRelevant = "skip") -> Vector:
    """Agreement of scores and grades over the pairs of judged documents; 0 if all scores tie."""
    judged = _cache_judged_order(lists)
    by_score = pair_count(judged.count) - judged.total(pair_count(judged.size))
    value = safe_divide(judged.total(judged.agreement), np.sqrt(by_score * judged.pairs_apart))
    return fill_no_relevant(np.clip(value, -1, 1), judged.pairs_apart, no_relevant)


@_query_correlation(
    title="Spearman's ρ of a query",
    cite="Spearman (1904), The proof and measurement of association between two things, American "
    "Journal of Psychology 15; doi:10.2307/1412159",
    caveat=TIED,
    formula="correlation of the midranks of scores and of grades",
    asks="how well the scores put the judged documents of a query in the order of their grades",
    blind=SEES,
)
def query_spearman(lists: Lists, *, no_relevant: NoRelevant = "skip") -> Vector:
    """Correlation of the ranks of scores and grades of judged documents; 0 if all scores tie."""
    judged = _cache_judged_order(lists)
    middle = (judged.count[judged.query] + 1) / 2
    by_score = middle - (judged.above + (judged.size + 1) / 2)[judged.group]
    by_grade = _midranks(judged) - middle
    cross, one, two = (
        sum_by_code(judged.query, values, judged.n)
        for values in (by_score * by_grade, by_score**2, by_grade**2)
    )
    return fill_no_relevant(
        np.clip(safe_divide(cross, np.sqrt(one * two)), -1, 1), judged.pairs_apart, no_relevant
    )


def _midranks(judged: JudgedOrder) -> Vector:
    """Compute the midrank of each document's grade in its query, the lowest grade first."""
    rank, below = np.zeros(len(judged.grade)), np.zeros(judged.n)
    for level in judged.levels:
        is_it = judged.grade == level
        count = sum_by_code(judged.query, is_it, judged.n)
        rank[is_it] = (below + (count + 1) / 2)[judged.query[is_it]]
        below += count
    return rank


@_query_correlation(
    title="Pearson's correlation of a query",
    cite=PEARSON,
    formula="Σ (s − mean)(g − mean) / √(Σ (s − mean)² · Σ (g − mean)²), s the scores and g the "
    "grades of the judged documents; what the list lacks has its lowest score",
    caveat="It reads the sizes of scores: for those that are ranks or logarithms it has another "
    f"value though the order is the same. {TIED}",
    asks="how closely the scores of the judged documents of a query follow their grades, on a "
    "straight line",
    blind="documents that were not judged; one score far from all others can decide it",
)
def query_pearson(lists: Lists, *, no_relevant: NoRelevant = "skip") -> Vector:
    """Correlation of scores and grades of judged documents; 0 if all their scores are equal."""
    lists = lists.truncate_to_depth()
    judged, is_judged = lists.judgements, ~np.isnan(lists.grade)
    query, score = lists.query[is_judged], lists.score[is_judged]
    grade = np.maximum(lists.grade[is_judged], 0.0)
    n, lowest = len(lists), _lowest(lists)
    count = np.diff(judged.start).astype(np.float64)
    lacks = count - sum_by_code(query, np.ones(len(query)), n)
    middle = safe_divide(sum_by_code(query, score - lowest[query], n), count) + lowest
    level = safe_divide(sum_by_code(judged.query, judged.grade, n), count)
    one, other = score - middle[query], grade - level[query]
    missed = -sum_by_code(query, other, n)  # of the grades of what the list lacks, from their mean
    cross = sum_by_code(query, one * other, n) + (lowest - middle) * missed
    by_score = sum_by_code(query, one**2, n) + lacks * (lowest - middle) ** 2
    by_grade = sum_by_code(judged.query, (judged.grade - level[judged.query]) ** 2, n)
    value = np.clip(safe_divide(cross, np.sqrt(by_score * by_grade)), -1, 1)
    return fill_no_relevant(value, by_grade, no_relevant)


def _lowest(lists: Lists) -> Vector:
    """Return the lowest score of each list, (n,); 0 where it is empty."""
    lowest, has = np.zeros(len(lists)), np.diff(lists.start) > 0
    if has.any():
        lowest[has] = np.minimum.reduceat(lists.score, lists.start[:-1][has])
    return lowest


@_query_correlation(
    title="AP correlation of a query",
    cite=YILMAZ,
    caveat=WHOLE_LIST,
    formula="Σ over ranks n from 2 of (documents above of higher grade − of lower grade)/(n − 1), "
    "/ (judged documents − 1)",
    asks="how well the judged documents stand in the order of their grades, the first ranks "
    "counting most",
    blind="documents that were not judged",
)
def tau_ap(lists: Lists, *, ties: Ties = "expected", no_relevant: NoRelevant = "skip") -> Vector:
    """Agreement of the order with the grades, each rank with those above; 1 if none is tied."""
    judged = _cache_judged_order(lists, ties)
    inverse = sum_by_code(judged.group, 1 / np.maximum(judged.rank - 1, 1), judged.groups)
    value = judged.total(judged.agreement * inverse / np.maximum(judged.size, 1))
    return fill_no_relevant(safe_divide(value, judged.count - 1), judged.pairs_apart, no_relevant)
