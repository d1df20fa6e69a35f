"""Average precision and related metrics, tied ranks included."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.ranked_lists import SCORE_TOLERANCE, Lists, OrderedLists, Ties, sum_by_code
from reportgen.kernels.tie_patterns import (
    ControlVariates,
    Measure,
    TiePatterns,
    average_over_patterns,
)
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_range
from reportgen.metrics.regression.concordance import TRUCHON
from reportgen.metrics.retrieval.correlation import JudgedOrder
from reportgen.metrics.retrieval.counts import (
    MANNING,
    PAST_END,
    SOURCES,
    TIES,
    WHOLE_LIST,
    NoRelevant,
    check_depth_required,
    check_list_parameters,
    expected_hits,
    fill_no_relevant,
    query_metric,
    relevance_metric,
    safe_divide,
)
from reportgen.metrics.statistic import Scalar

Denominator = Literal["relevant", "k", "min"]
SMALLEST = 1e-5  # of average precision, where its logarithm is taken
ROBERTSON = (
    "Robertson, Kanoulas & Yilmaz (2010), Extending average precision to graded relevance "
    "judgments, SIGIR; doi:10.1145/1835449.1835550"
)
BUCKLEY = (
    "Buckley & Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; "
    "doi:10.1145/1008992.1009000"
)


def expected_precision_sum(
    found: OrderedLists, relevant: float, k: int | None, decay: float = 1.0
) -> Vector:
    """Compute the expected sum of the precision at each relevant document of the first k, (n,).

    Each counts `decay` times what one a rank above counts.

    A document at place j of a group of t with r relevant ones, below r₀ more, is relevant with
    chance r/t; then r₀ + 1 + (j − 1)(r − 1)/(t − 1) relevant ones stand as high.
    """
    name = f"precisions {relevant!r} {k!r} {decay!r}"
    return found.once(name, lambda: _sum_expected_precisions(found, relevant, k, decay))


def _sum_expected_precisions(
    found: OrderedLists, relevant: float, k: int | None, decay: float
) -> Vector:
    right = found.count_relevant_by_group(relevant)[found.group]
    before = found.count_above_groups(found.grade >= relevant)[found.group]
    size, place = found.group_size, found.place
    others = (place - 1) * (right - 1) / np.maximum(size - 1, 1)
    each = right / size * (before + 1 + others) / found.rank
    if decay != 1:
        each = each * decay ** (found.rank - 1)
    return found.total(np.where(right > 0, each, 0.0) * found.find_first_ranks(k))


def query_average_precision(
    found: OrderedLists,
    relevant: float,
    k: int | None,
    denominator: Denominator,
    decay: float = 1.0,
    normalise: bool = False,
) -> Vector:
    """Average precision of each query, (n,); 0 where no document is relevant."""
    total = found.judgements.count_relevant(relevant)
    if normalise:
        most = np.minimum(total, inf if k is None else k)
        best = most if decay == 1 else (1 - decay**most) / (1 - decay)
        return np.minimum(safe_divide(expected_precision_sum(found, relevant, k, decay), best), 1.0)
    parts = {
        "relevant": total,
        "k": np.full(len(total), float(k or 1)),
        "min": np.minimum(total, inf if k is None else k),
    }[denominator]
    return safe_divide(expected_precision_sum(found, relevant, k, decay), parts)


def check_decay(**params: Scalar) -> str | None:
    """Describe an invalid decay of the weight of ranks, a share above 0, or return None."""
    decay = params.get("decay")
    if decay is not None and not 0 < float(decay) <= 1:
        return f"decay is {decay}, but must be above 0 and at most 1"
    return check_depth_required(**params)


_SHARED: Mapping[str, Any] = MappingProxyType(
    {"answers": questions.ORDER_OF_DOCUMENTS, "blind": "grades: a document is relevant or not"}
)
_precision_metric = partial(query_metric, **_SHARED)
_relevance_metric = partial(relevance_metric, **_SHARED, reference="random order")


@_relevance_metric(
    title="Average precision",
    check=check_decay,
    cite=f"{SOURCES}; weights that fall with the rank: {TRUCHON}",
    formula="Σ d^(rank − 1) · precision at the rank of each relevant document of the first k / R, "
    "the number of relevant documents judged; or / k, or / the smaller of both, or / the sum of "
    "the best order; d is 1 unless `decay` says less",
    asks="how far the relevant documents stand above the others, the first counting most",
)
def ap(
    found: OrderedLists,
    relevant: float,
    *,
    k: int | None = None,
    denominator: Denominator = "relevant",
    decay: float = 1.0,
    normalise: bool = False,
) -> Vector:
    """Mean precision at the ranks of all relevant documents, 0 if not found; its mean is MAP."""
    return query_average_precision(found, relevant, k, denominator, decay, normalise)


def geometric_means(means: Matrix) -> Vector:
    """Compute geometric means from means of logarithms, (b, 1)."""
    return np.asarray(np.exp(means[:, 0]))


@_precision_metric(
    reference="random order",
    title="Geometric MAP",
    check=check_depth_required,
    finish=geometric_means,
    estimand="log function",
    cite=f"{SOURCES}; Robertson (2006), On GMAP: and other transformations, CIKM, pages 78–83",
    formula="exp(mean of ln max(AP, 0.00001))",
    asks="how far the relevant documents stand above the others, the worst queries counting most",
)
def gmap(
    lists: Lists,
    *,
    k: int | None = None,
    denominator: Denominator = "relevant",
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Geometric mean over the queries of average precision, each at least 0.00001."""
    found = lists.order_documents(ties)
    value = query_average_precision(found, relevant, k, denominator)
    filled = fill_no_relevant(value, found.judgements.count_relevant(relevant), no_relevant)
    return np.asarray(np.log(np.maximum(filled, SMALLEST)))


def parse_grade_weights(
    text: str | None, levels: tuple[float, ...]
) -> tuple[tuple[float, float], ...]:
    """Grades with their weights from a text such as "1: 0.5, 2: 0.5"; all alike without one."""
    if text is None:
        return tuple((level, 1.0) for level in levels)
    parts = (part.partition(":") for part in text.split(","))
    return tuple((float(grade), float(weight)) for grade, _, weight in parts)


def check_grade_weights(**params: Scalar) -> str | None:
    """Describe invalid weights of grades, or return None."""
    text = params.get("weights")
    try:
        found = parse_grade_weights(None if text is None else str(text), ())
    except ValueError:
        return f"weights is {text!r}, but must be grades and weights, such as '1: 0.5, 2: 0.5'"
    if any(not 0 < grade < inf or not 0 <= weight < inf for grade, weight in found):
        return "weights must be of grades above 0, and at least 0"
    if found and not any(weight for _, weight in found):
        return "weights are all 0; give one grade a weight above 0"
    return check_list_parameters(**params)


@_precision_metric(
    reference="random order",
    title="Graded average precision",
    from_all_rows=("weights",),
    check=check_grade_weights,
    cite=f"{ROBERTSON}; {TIES}",
    undefined="where no query has a document of a grade above 0",
    formula="Σ w_c R_c AP_c / Σ w_c R_c over the grades c above 0, AP_c and R_c with documents of "
    "grade c and more as relevant; w_c is 1 for each grade of `grades`, or else that occurs, "
    "unless `weights` says another",
    answers=questions.GRADES,
    asks="how far better documents stand above worse ones, the first counting most",
    blind=PAST_END,
)
def gap(
    lists: Lists,
    *,
    k: int | None = None,
    weights: str | None = None,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Average precision for a reader whose bar for relevant is each grade with some chance."""
    found = lists.order_documents(ties)
    value, total = np.zeros(len(found)), np.zeros(len(found))
    for level, weight in parse_grade_weights(weights, found.judgements.levels):
        value += weight * expected_precision_sum(found, level, k)
        total += weight * found.judgements.count_relevant(level)
    return fill_no_relevant(safe_divide(value, total), total, no_relevant)


@_relevance_metric(
    title="Binary preference",
    cite=f"{BUCKLEY}; {TIES}",
    caveat=WHOLE_LIST,
    formula="Σ (1 − min(B, R)/min(R, N)) over the relevant documents found / R, B judged others "
    "above, N judged others in all; 1 each where N = 0",
    asks="how often judged documents that are not relevant stand above relevant ones, 1 for never",
    blind="documents that were not judged",
)
def bpref(found: OrderedLists, relevant: float) -> Vector:
    """Preference for relevant over judged other documents, whatever was not judged."""
    right, wrong, before = _count_others(found, relevant)
    total, other = found.judgements.count_by_relevance(relevant)
    most, least = total[found.owner], np.minimum(total, other)[found.owner]
    penalty = safe_divide(_mean_of_smaller(before, wrong, most), least)
    return safe_divide(found.total_of_groups(right * (1 - penalty)), total)


def _count_others(found: OrderedLists, relevant: float) -> tuple[Vector, Vector, Vector]:
    """Count the relevant and the judged others of each group, and the others above it."""

    def count() -> tuple[Vector, Vector]:
        is_wrong = found.is_judged & (found.grade < relevant)
        return found.count_by_group(is_wrong), found.count_above_groups(is_wrong)

    return (
        found.count_relevant_by_group(relevant),
        *found.once(f"others {relevant!r}", count),
    )


def _mean_of_smaller(before: Vector, inside: Vector, most: Vector) -> Vector:
    """Compute the mean of min(before + u, most), u each of 0 … inside with equal chance."""
    short = np.clip(most - before, 0, inside)
    total = (short + 1) * before + short * (short + 1) / 2 + (inside - short) * most
    return np.where(before >= most, most, total / (inside + 1))


@_precision_metric(
    chance=0.5,
    title="AUC of a query",
    check=check_decay,
    cite=f"{SOURCES}; weights that fall with the rank: {TRUCHON}",
    undefined="where no query has a relevant document and a judged one that is not",
    caveat=WHOLE_LIST,
    formula="pairs of a relevant document and a judged other in the right order, ½ if tied / all "
    "such pairs; what was not found stands last; with a `decay` d a pair counts d^(others that "
    "stand above the other one)",
    asks="how often a relevant document stands above a judged one that is not (one half is chance)",
    blind="where in the list a pair stands",
)
def query_auc(
    lists: Lists,
    *,
    decay: float = 1.0,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Chance that a relevant document of a query stands above one judged not relevant."""
    found = lists.order_documents(ties)
    total, other = found.judgements.count_by_relevance(relevant)
    value = (
        _pairs_in_order(found, relevant)
        if decay == 1
        else _mean_decayed_auc(found, relevant, decay)
    )
    return fill_no_relevant(value, total * other, no_relevant)


def _pairs_in_order(found: OrderedLists, relevant: float) -> Vector:
    """Compute the share of pairs in the right order, tied ones counting half, (n,)."""
    right, wrong, before = _count_others(found, relevant)
    total, other = found.judgements.count_by_relevance(relevant)
    below = other[found.owner] - before - wrong / 2
    lost = (total - found.total_of_groups(right)) * (other - found.total_of_groups(wrong)) / 2
    return safe_divide(found.total_of_groups(right * below) + lost, total * other)


def _mean_decayed_auc(found: OrderedLists, relevant: float, decay: float) -> Vector:
    """Compute the mean share of the relevant above each other document, decaying from the first.

    Of b others among the tied, r relevant ones beside them, i·r/(b + 1) stand above the i-th.
    """
    judged = JudgedOrder.from_lists(found)
    is_right = judged.grade >= relevant
    right, other = (sum_by_code(judged.group, f, judged.groups) for f in (is_right, ~is_right))
    passed = judged.count_above_groups(~is_right)[judged.group]
    nth = (
        np.cumsum(~is_right)
        - np.append(0, np.cumsum(~is_right))[judged.begin[judged.owner]][judged.group]
    )
    inside = (nth - passed) * (right / (other + 1))[judged.group]
    higher = judged.count_above_groups(is_right)[judged.group] + inside
    weight = np.where(is_right, 0.0, decay ** np.maximum(nth - 1.0, 0.0))
    value = sum_by_code(judged.query, weight * higher, judged.n)
    total, others = found.judgements.count_by_relevance(relevant)
    return np.minimum(safe_divide(value, total * (1 - decay**others) / (1 - decay)), 1.0)


ELEVEN = tuple(level / 10 for level in range(11))


def average_over_tie_orders(
    found: OrderedLists, relevant: float, k: int | None, measure: Measure
) -> Matrix:
    """Average a measure over orders of ties, corrected by hits and the sum of precisions."""
    last = found.last(k)

    def count_controls(lists: TiePatterns) -> Matrix:
        inside = lists.rank <= last
        sums = [(lists.marks * inside).sum(axis=1), (lists.marks * lists.precision * inside).sum(1)]
        return np.column_stack(sums).astype(np.float64)

    known = np.column_stack(
        [expected_hits(found, k, relevant), expected_precision_sum(found, relevant, k)]
    )
    return average_over_patterns(found, relevant, measure, ControlVariates(count_controls, known))


@_relevance_metric(
    title="FAP",
    cite=f"{SOURCES}; Leitner, doctoral thesis, Universidad Autónoma de Madrid, section 3.2.5; a "
    "document that prints β in place of β² there gives 5/3 for F = AP = 1 at β = 2",
    formula="(1 + β²) F AP / (β² F + AP) at k; 0 where nothing is found",
    asks="how well the first results hold the relevant documents and little else, and those first",
)
def fap(found: OrderedLists, relevant: float, *, k: int | None = None, beta: float = 1.0) -> Vector:
    """Harmonic mean of F and average precision of the first k; `beta` times as much for the latter.

    Unlike average precision it falls with each result that is not relevant, the last ones too.
    """

    def measure(each: TiePatterns) -> Matrix:
        inside = each.rank <= found.last(k)
        hit, total = (each.marks * inside).sum(axis=1), np.maximum(each.total, 1.0)
        size = each.length if k is None else np.full(len(total), float(k))
        f = (1 + beta**2) * hit / (beta**2 * total + size)
        ap = (each.marks * each.precision * inside).sum(axis=1) / total
        below = beta**2 * f + ap
        joined = np.divide((1 + beta**2) * f * ap, below, out=np.zeros(len(f)), where=below > 0)
        return np.asarray(joined[:, None])

    return np.clip(average_over_tie_orders(found, relevant, k, measure)[:, 0], 0.0, 1.0)


def check_recall(**params: Scalar) -> str | None:
    """Describe an invalid recall to reach, which is a share, or return None."""
    return check_range("recall", params.get("recall"), 0, 1) or check_list_parameters(**params)


def interpolate_precision(each: TiePatterns, recalls: tuple[float, ...]) -> Matrix:
    """Compute the maximum precision from where each recall is reached, 0 if it is not: (p, m)."""
    count, rows = each.hits, np.arange(len(each.total))
    if not count.shape[1]:
        return np.zeros((len(rows), len(recalls)))
    best = np.maximum.accumulate(each.precision[:, ::-1], axis=1)[:, ::-1]
    found = np.zeros((len(rows), len(recalls)))
    for at, recall in enumerate(recalls):
        first = (count < np.ceil(recall * each.total - SCORE_TOLERANCE)[:, None]).sum(axis=1)
        is_reached = first < count.shape[1]
        found[is_reached, at] = best[rows[is_reached], first[is_reached]]
    return found


def mean_interpolated_precision(
    found: OrderedLists, recalls: tuple[float, ...], relevant: float
) -> Matrix:
    """Interpolated precision of each query at each recall, (n, m), exact or nearly so in ties."""
    means = average_over_tie_orders(
        found, relevant, None, lambda each: interpolate_precision(each, recalls)
    )
    return np.clip(np.broadcast_to(means, (len(found), len(recalls))), 0.0, 1.0)


@_relevance_metric(
    title="Interpolated precision",
    cite=MANNING,
    check=check_recall,
    formula="largest precision at a rank by which the recall is reached; 0 if it is at none",
    asks="what share of a list is relevant that goes on until so much of the relevant is found",
)
def iprec(found: OrderedLists, relevant: float, *, recall: float = 0.5) -> Vector:
    """Largest precision of the first documents at or after the rank where a recall is reached."""
    return mean_interpolated_precision(found, (recall,), relevant)[:, 0]


@_relevance_metric(
    title="Eleven-point average precision",
    cite=MANNING,
    formula="mean of the interpolated precision at recalls 0, 0.1 … 1",
    asks="how pure a list is on average over all shares of the relevant documents to be found",
)
def eleven_point(found: OrderedLists, relevant: float) -> Vector:
    """Mean interpolated precision over the recalls 0, 0.1 … 1."""
    return np.asarray(mean_interpolated_precision(found, ELEVEN, relevant).mean(axis=1))
