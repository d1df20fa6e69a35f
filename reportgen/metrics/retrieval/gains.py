"""Graded relevance: DCG, nDCG, RBP, ERR."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Literal

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.ranked_lists import GradedRows, Judgements, Lists, OrderedLists, Ties
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_open_range, check_range
from reportgen.metrics.retrieval.counts import (
    PAST_END,
    SOURCES,
    TIES,
    NoRelevant,
    check_list_parameters,
    fill_no_relevant,
    query_metric,
    relevance_metric,
    safe_divide,
)
from reportgen.metrics.statistic import Scalar

Gain = Literal["linear", "exp2"]
Discount = Literal["standard", "original"]
Ideal = Literal["judged", "retrieved"]
JARVELIN = (
    "Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM "
    "Transactions on Information Systems 20; doi:10.1145/582415.582418"
)
MOFFAT = (
    "Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, ACM "
    "Transactions on Information Systems 27; doi:10.1145/1416950.1416952"
)
CHAPELLE = (
    "Chapelle et al. (2009), Expected reciprocal rank for graded relevance, CIKM; "
    "doi:10.1145/1645953.1646033"
)
NO_GAIN = "where no query has a document of a grade above 0"


def document_gain(grade: Vector, gain: Gain) -> Vector:
    """Return the gain of a document of a grade: the grade, or 2^grade − 1."""
    return grade if gain == "linear" else np.asarray(np.exp2(grade) - 1)


def rank_discount(rank: Vector, base: float, discount: Discount) -> Vector:
    """Return the discount at each rank: 1/log_b(rank + 1); or 1 up to rank b, then 1/log_b(rank).

    Ranks are whole numbers, which many documents share: each is looked up.
    """
    return _look_up(rank, lambda each: _discounts(each, base, discount))


def _look_up(rank: Vector, compute: Callable[[Vector], Vector]) -> Vector:
    """Return what `compute` gives for each rank, computed once for each integer."""
    each = np.arange(int(rank.max(initial=0.0)) + 1, dtype=np.float64)
    return np.asarray(compute(np.maximum(each, 1.0))[rank.astype(np.intp)])


def _discount_ranks(rows: GradedRows, base: float, discount: Discount) -> Vector:
    """Return the discount at the rank of each document."""
    name = f"discount {base!r} {discount}"
    return rows.once(name, lambda: rank_discount(rows.rank, base, discount))


def _count_passers(found: OrderedLists, p: float) -> Vector:
    """Return the share of readers that come to each rank, of whom p go on to the next."""
    return found.once(f"passers {p!r}", lambda: _look_up(found.rank, lambda each: p ** (each - 1)))


def _average_gains(found: OrderedLists, gain: Gain) -> Vector:
    """Return the mean gain of each document's group."""
    name = f"gain {gain}"
    return found.once(name, lambda: found.group_means(document_gain(found.grade, gain)))


def _discounts(rank: Vector, base: float, discount: Discount) -> Vector:
    if discount == "standard":
        return np.asarray(np.log(base) / np.log1p(rank))
    return np.where(rank <= base, 1.0, np.log(base) / np.log(np.maximum(rank, base)))


def check_gain(**params: Scalar) -> str | None:
    """Describe an invalid cut-off or base of a discount, or return None."""
    return check_range("base", params.get("base"), 1.0001, inf) or check_list_parameters(**params)


def _sum_discounted_gains(
    found: OrderedLists, k: int | None, gain: Gain, base: float, how: Discount
) -> Vector:
    each = _average_gains(found, gain)
    return found.total(each * _discount_ranks(found, base, how) * found.find_first_ranks(k))


def ideal_judgements(found: OrderedLists, ideal: Ideal) -> Judgements:
    """Return what a best order may hold: all judged documents, or those in the list."""
    return (
        found.judgements if ideal == "judged" else Judgements.from_grades(found.start, found.grade)
    )


def _compute_ideal_gain(
    found: OrderedLists, k: int | None, gain: Gain, base: float, how: Discount, ideal: Ideal
) -> Vector:
    """Compute the maximum value that any order of these documents could have, (n,)."""
    judged = ideal_judgements(found, ideal)
    each = document_gain(judged.grade, gain) * _discount_ranks(judged, base, how)
    each *= judged.rank <= (inf if k is None else k)
    return np.bincount(judged.query, each, minlength=len(found)).astype(np.float64)


def _has_gain(found: OrderedLists) -> Vector:
    """Return whether there is anything to gain in each query."""
    return found.judgements.positive_grade_counts


_gain_metric = partial(
    query_metric,
    cite=f"{JARVELIN}; {TIES}",
    undefined=NO_GAIN,
    answers=questions.GRADES,
    reference="random order",
)


@_gain_metric(
    title="Cumulated gain",
    bounds=(0.0, inf),
    unit="",
    formula="Σ gain of the first k documents, gain the grade or 2^grade − 1",
    asks="how much the first results hold in all",
    blind=f"the order of the first results, and {PAST_END}",
)
def cg(
    lists: Lists,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Sum of the gains of the first k documents."""
    found = lists.order_documents(ties)
    value = found.total(_average_gains(found, gain) * found.find_first_ranks(k))
    return fill_no_relevant(value, _has_gain(found), no_relevant, best=0.0)


@_gain_metric(
    title="DCG",
    bounds=(0.0, inf),
    unit="",
    check=check_gain,
    formula="Σ gain / log_b(rank + 1) over the first k documents; original: gain up to rank b, "
    "then gain / log_b(rank)",
    asks="how much the first results hold, the first counting most",
    blind=f"how much there was to find, and {PAST_END}",
)
def dcg(
    lists: Lists,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    base: float = 2.0,
    discount: Discount = "standard",
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Sum of the gains of the first k documents, each discounted by the logarithm of its rank."""
    found = lists.order_documents(ties)
    value = _sum_discounted_gains(found, k, gain, base, discount)
    return fill_no_relevant(value, _has_gain(found), no_relevant, best=0.0)


@_gain_metric(
    title="nDCG",
    check=check_gain,
    formula="DCG of the list / DCG of all judged documents, best first; `ideal: retrieved` takes "
    "those of the list alone, best first",
    asks="how much of the best possible value the first results hold, the first counting most",
    blind=PAST_END,
)
def ndcg(
    lists: Lists,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    base: float = 2.0,
    discount: Discount = "standard",
    ideal: Ideal = "judged",
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Discounted gain of the first k documents, as a share of that of the best order.

    With `ideal: retrieved` a relevant document that the list lacks costs nothing, and a list
    without any has 0.
    """
    found = lists.order_documents(ties)
    best = _compute_ideal_gain(found, k, gain, base, discount, ideal)
    share = np.minimum(
        safe_divide(_sum_discounted_gains(found, k, gain, base, discount), best), 1.0
    )
    return fill_no_relevant(share, _has_gain(found), no_relevant)


def check_persistence(**params: Scalar) -> str | None:
    """Describe an invalid persistence, a chance strictly between 0 and 1, or return None."""
    return check_open_range("p", params.get("p"), 0, 1) or check_list_parameters(**params)


@relevance_metric(
    reference="random order",
    title="Rank-biased precision",
    cite=f"{MOFFAT}; {TIES}",
    check=check_persistence,
    formula="(1 − p) Σ p^(rank − 1) [relevant] over the first k documents",
    answers=questions.FIRST,
    asks="what share of what a reader sees is relevant, who goes on to the next result with "
    "chance p",
    blind="how much there was to find",
)
def rbp(found: OrderedLists, relevant: float, *, p: float = 0.8, k: int | None = None) -> Vector:
    """Share of relevant documents seen by a reader who goes on to the next with chance p."""
    chance = found.compute_relevance_chances(relevant) * found.find_first_ranks(k)
    value = (1 - p) * found.total(chance * _count_passers(found, p))
    return value


@query_metric(
    no_reference="it describes the judgements, not the model",
    title="Rest of RBP",
    better="lower",
    cite=f"{MOFFAT}; {TIES}",
    check=check_persistence,
    undefined="where no query has weight",
    leaves_out=False,
    formula="(1 − p) Σ p^(rank − 1) [not judged] over the first k documents + p^min(k, length)",
    answers=questions.POOL,
    asks="how much rank-biased precision could still grow by what nobody has judged",
    blind="what the judgements say",
)
def rbp_residual(
    lists: Lists, *, p: float = 0.8, k: int | None = None, ties: Ties = "expected"
) -> Vector:
    """How far rank-biased precision could rise if all that was not judged were relevant."""
    found = lists.order_documents(ties)
    unknown = found.group_means(~found.is_judged) * found.find_first_ranks(k)
    length = np.minimum(found.length, inf if k is None else k)
    return np.asarray((1 - p) * found.total(unknown * _count_passers(found, p)) + p**length)


def check_err(**params: Scalar) -> str | None:
    """Describe an invalid cut-off or highest grade, or return None."""
    return check_open_range("top", params.get("top"), 0, inf) or check_list_parameters(**params)


@_gain_metric(
    title="Expected reciprocal rank",
    from_all_rows=("top",),
    cite=f"{CHAPELLE}; {SOURCES}",
    check=check_err,
    formula="Σ 1/n · R_n Π (1 − R_i) over ranks n to k and i < n, R = (2^grade − 1)/2^top, or "
    "grade/top",
    caveat="Its value depends on the highest grade of the scale: the largest that occurs, unless "
    "`top` says it.",
    asks="how early a reader is satisfied who goes down the list until a result satisfies",
    blind="what stands below the first good results",
)
def err(
    lists: Lists,
    *,
    k: int = 20,
    mapping: Literal["exp2", "linear"] = "exp2",
    top: float | None = None,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Mean of one over the rank at which a reader is satisfied; better grades satisfy more."""
    found = lists.order_documents(ties)
    top = max(found.judgements.levels, default=1.0) if top is None else top
    grade = np.minimum(found.grade, top)
    chance = grade / top if mapping == "linear" else np.exp2(grade - top) - np.exp2(-top)
    return fill_no_relevant(
        expected_reciprocal_stop(found, chance, found.last(k)), _has_gain(found), no_relevant
    )


def expected_reciprocal_stop(found: OrderedLists, chance: Vector, k: float) -> Vector:
    """Compute the mean of 1/rank where a reader stops, with a chance at each document, (n,).

    In a group of t tied documents the chance to pass j of them is the mean over all subsets of j:
    an elementary symmetric mean, built up a document at a time.
    """
    last = float(k)
    value, passed = np.zeros(len(found.first)), np.ones(len(found.first))
    for size in np.unique(found.size[found.above < last]).astype(int):
        at = np.flatnonzero((found.size == size) & (found.above < last))
        miss = 1 - chance[found.first[at][:, None] + np.arange(size)]
        mean = elementary_symmetric_means(miss, min(size, last))
        rank = found.above[at][:, None] + np.arange(1, mean.shape[1])
        stops = (mean[:, :-1] - mean[:, 1:]) / rank * (rank <= last)
        value[at], passed[at] = stops.sum(axis=1), miss.prod(axis=1)
    return _sum_chained_gains(found, value, passed, last)


def elementary_symmetric_means(miss: Vector, most: float) -> Vector:
    """Compute the mean product of j of a row's t numbers, j from 0 to `most`: (rows, most + 1)."""
    rows, size = miss.shape
    mean = np.zeros((rows, int(min(most, size)) + 1))
    mean[:, 0] = 1.0
    j = np.arange(1, mean.shape[1])
    for known in range(size):
        kept = np.maximum(known + 1 - j, 0) / (known + 1) * mean[:, 1:]
        mean[:, 1:] = kept + miss[:, [known]] * mean[:, :-1] * np.minimum(j, known + 1) / (
            known + 1
        )
    return mean


def _sum_chained_gains(found: OrderedLists, value: Vector, passed: Vector, last: float) -> Vector:
    """Sum over the groups of each query, each times the chance to have passed those above."""
    total, left = np.zeros(len(found)), np.ones(len(found))
    at = np.searchsorted(found.owner, np.arange(len(found)))
    end = np.searchsorted(found.owner, np.arange(len(found)), side="right")
    while (is_open := at < end).any():
        query, group = np.flatnonzero(is_open), at[is_open]
        total[query] += left[query] * value[group]
        left[query] *= passed[group]
        at = at + 1
        end = np.where(is_open & (found.above[np.minimum(at, len(value) - 1)] >= last), at, end)
    return total
