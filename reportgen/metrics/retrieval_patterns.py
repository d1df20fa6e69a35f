"""Measures of a query that see which ranks are relevant at once: no mean over ties in closed form.

Their mean over the orders of tied documents is that over patterns of relevant ranks: exact up to
255 patterns of a list, of more from 256 drawn ones, put right by precision and recall, whose means
are known.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.lists import CLOSE, Lists, Ordered, Ties
from reportgen.kernels.patterns import Controls, Measure, Patterns, mean_over_patterns
from reportgen.metrics import questions
from reportgen.metrics.limits import outside
from reportgen.metrics.retrieval import (
    MANNING,
    SOURCES,
    NoRelevant,
    answered,
    hits,
    limits,
    retrieval,
)
from reportgen.metrics.retrieval_order import precision_sum
from reportgen.metrics.spec import Scalar

ELEVEN = tuple(level / 10 for level in range(11))


def over_patterns(found: Ordered, relevant: float, k: int | None, measure: Measure) -> Matrix:
    """The mean of a measure over orders of ties, put right by hits and the sum of precisions."""
    last = found.last(k)

    def beside(lists: Patterns) -> Matrix:
        inside = lists.rank <= last
        sums = [(lists.marks * inside).sum(axis=1), (lists.marks * lists.precision * inside).sum(1)]
        return np.column_stack(sums).astype(np.float64)

    known = np.column_stack([hits(found, k, relevant), precision_sum(found, relevant, k)])
    return mean_over_patterns(found, relevant, measure, Controls(beside, known))


@retrieval(
    title="FAP",
    cite=f"{SOURCES}; no paper of FAP itself was found: it joins F and average precision as "
    "F joins precision and recall",
    formula="(1 + β²) F AP / (β² F + AP) at k; 0 where nothing is found",
    answers=questions.ORDER_OF_DOCUMENTS,
    asks="how well the first results hold the relevant documents and little else, and those first",
    blind="grades: a document is relevant or not",
)
def fap(
    lists: Lists,
    *,
    k: int | None = None,
    beta: float = 1.0,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Harmonic mean of F and average precision of the first k; `beta` times as much for the latter.

    Unlike average precision it falls with each result that is not relevant, the last ones too.
    """
    found = lists.ordered(ties)

    def measure(each: Patterns) -> Matrix:
        inside = each.rank <= found.last(k)
        hit, total = (each.marks * inside).sum(axis=1), np.maximum(each.total, 1.0)
        size = each.length if k is None else np.full(len(total), float(k))
        f = (1 + beta**2) * hit / (beta**2 * total + size)
        ap = (each.marks * each.precision * inside).sum(axis=1) / total
        below = beta**2 * f + ap
        joined = np.divide((1 + beta**2) * f * ap, below, out=np.zeros(len(f)), where=below > 0)
        return np.asarray(joined[:, None])

    value = np.clip(over_patterns(found, relevant, k, measure)[:, 0], 0.0, 1.0)
    return answered(value, found.judgements.relevant(relevant), no_relevant)


def recall_limits(**params: Scalar) -> str | None:
    """What is wrong with a recall to reach: it is a share."""
    return outside("recall", params.get("recall"), 0, 1) or limits(**params)


def interpolated(each: Patterns, recalls: tuple[float, ...]) -> Matrix:
    """The largest precision from where each recall is reached on, 0 where it is not: (p, m)."""
    count, rows = each.hits, np.arange(len(each.total))
    if not count.shape[1]:
        return np.zeros((len(rows), len(recalls)))
    best = np.maximum.accumulate(each.precision[:, ::-1], axis=1)[:, ::-1]
    found = np.zeros((len(rows), len(recalls)))
    for at, recall in enumerate(recalls):
        first = (count < np.ceil(recall * each.total - CLOSE)[:, None]).sum(axis=1)
        is_reached = first < count.shape[1]
        found[is_reached, at] = best[rows[is_reached], first[is_reached]]
    return found


def interpolated_means(
    lists: Lists, recalls: tuple[float, ...], relevant: float, ties: Ties
) -> Matrix:
    """Interpolated precision of each query at each recall, (n, m), exact or nearly so in ties."""
    found = lists.ordered(ties)
    means = over_patterns(found, relevant, None, lambda each: interpolated(each, recalls))
    return np.clip(np.broadcast_to(means, (len(found), len(recalls))), 0.0, 1.0)


@retrieval(
    title="Interpolated precision",
    cite=MANNING,
    check=recall_limits,
    formula="largest precision at a rank by which the recall is reached; 0 if it is at none",
    answers=questions.ORDER_OF_DOCUMENTS,
    asks="what share of a list is relevant that goes on until so much of the relevant is found",
    blind="grades: a document is relevant or not",
)
def iprec(
    lists: Lists,
    *,
    recall: float = 0.5,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Largest precision of the first documents at or after the rank where a recall is reached."""
    value = interpolated_means(lists, (recall,), relevant, ties)[:, 0]
    return answered(value, lists.judgements.relevant(relevant), no_relevant)


@retrieval(
    title="Eleven-point average precision",
    cite=MANNING,
    formula="mean of the interpolated precision at recalls 0, 0.1 … 1",
    answers=questions.ORDER_OF_DOCUMENTS,
    asks="how pure a list is on average over all shares of the relevant documents to be found",
    blind="grades: a document is relevant or not",
)
def eleven_point(
    lists: Lists,
    *,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Vector:
    """Mean interpolated precision over the recalls 0, 0.1 … 1."""
    value = interpolated_means(lists, ELEVEN, relevant, ties).mean(axis=1)
    return answered(value, lists.judgements.relevant(relevant), no_relevant)
