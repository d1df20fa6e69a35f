"""Precision, recall and success of the first documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.ranked_lists import Lists, OrderedLists, Ties
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import rowwise
from reportgen.metrics.statistic import Function, Scalar, adopt_parameters

NoRelevant = Literal["skip", "zero", "one"]
MANNING = (
    "Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, chapter 8; "
    "doi:10.1017/CBO9780511809071"
)
TIES = (
    "McSherry & Najork (2008), Computing information retrieval performance measures efficiently in "
    "the presence of tied scores, ECIR; doi:10.1007/978-3-540-78646-7_38"
)
SOURCES = f"{MANNING}; {TIES}"
NO_RELEVANT = "where no query has a relevant document"
WHOLE_LIST = (
    "Of tied documents that go on past the `depth` all count, unless `ties` puts them in order."
)
PAST_END = "what stands past the rank that it ends at"


def check_list_parameters(**params: Scalar) -> str | None:
    """Describe invalid parameters that many measures share, or return None."""
    return (
        check_range("k", params.get("k"), 1, inf)
        or check_range("beta", params.get("beta"), 0, inf)
        or check_range("relevant", params.get("relevant"), 1e-9, inf)
    )


def check_depth_required(**params: Scalar) -> str | None:
    """Check the parameters of a list, for a denominator that is the number of ranks."""
    if params.get("denominator") == "k" and params.get("k") is None:
        return "denominator: k needs k, such as k: 10"
    return check_list_parameters(**params)


def query_metric(**about: Any) -> Callable[[Function], Function]:
    """Register a measure of one query, f(lists, **params) -> (n,), nan where it is left out."""
    shared: dict[str, Any] = {
        "task": "ranking",
        "better": "higher",
        "bounds": (0.0, 1.0),
        "unit": "1",
        "cite": SOURCES,
        "estimand": "mean",
        "needs": "order",
        "leaves_out": True,
        "undefined": NO_RELEVANT,
        "check": check_list_parameters,
    }
    return rowwise(**{**shared, **about})


def relevance_metric(**about: Any) -> Callable[[Callable[..., Vector]], Callable[..., Vector]]:
    """Register f(found, relevant, **params) -> (n,), of lists in order and the lowest such grade.

    What all such measures take is added, and what a query without a relevant document counts.
    """
    return partial(_register_relevance, about)


def _register_relevance(
    about: dict[str, Any], measure: Callable[..., Vector]
) -> Callable[..., Vector]:
    def value(
        lists: Lists,
        *,
        relevant: float = 1.0,
        ties: Ties = "expected",
        no_relevant: NoRelevant = "skip",
        **params: Any,
    ) -> Vector:
        found = lists.order_documents(ties)
        total = found.judgements.count_relevant(relevant)
        return fill_no_relevant(measure(found, relevant, **params), total, no_relevant)

    adopt_parameters(value, measure, measure, value)
    query_metric(**about)(value)
    return value


def fill_no_relevant(
    value: Vector, total: Vector, no_relevant: NoRelevant, best: float = 1.0
) -> Vector:
    """Return a measure where there is something to find, and elsewhere what `no_relevant` says.

    `value` is (n,), or (n, g) at g ranks; `total` (n,) is what there is to find; `best` what `one`
    gives: 0 where values have no limit.
    """
    fill = {"skip": np.nan, "zero": 0.0, "one": best}[no_relevant]
    has = total > 0
    return np.where(has if value.ndim == 1 else has[:, None], value, fill)


def safe_divide(above: Vector, below: Vector) -> Vector:
    """Divide what queries have, (n,) or (n, g); return 0 where there is nothing to divide by."""
    below = np.broadcast_to(below, above.shape)
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


def expected_hits(found: OrderedLists, k: float | None, relevant: float) -> Vector:
    """Compute the expected number of relevant documents in the first k of each query."""
    return found.once(
        f"hits {k!r} {relevant!r}",
        lambda: found.total(found.compute_relevance_chances(relevant) * found.find_first_ranks(k)),
    )


_first_documents_metric = partial(
    relevance_metric, answers=questions.FIRST, reference="random order"
)


@_first_documents_metric(
    title="Precision at k",
    formula="relevant documents in the first k / k; without k, in the list / its length",
    asks="what share of the first results is relevant",
    blind=f"the order of the first results, and {PAST_END}",
)
def precision_at(found: OrderedLists, relevant: float, *, k: int | None = None) -> Vector:
    """Share of the first k documents that are relevant; a list shorter than k lacks the rest."""
    size = found.length if k is None else np.full(len(found), float(k))
    return safe_divide(expected_hits(found, k, relevant), size)


@_first_documents_metric(
    title="Recall at k",
    formula="relevant documents in the first k / relevant documents judged",
    asks="what share of the relevant documents stands among the first results",
    blind=f"the order of the first results, and {PAST_END}",
)
def recall_at(found: OrderedLists, relevant: float, *, k: int | None = None) -> Vector:
    """Share of the relevant documents that are among the first k; without k, in the list."""
    total = found.judgements.count_relevant(relevant)
    return safe_divide(expected_hits(found, k, relevant), total)


@_first_documents_metric(
    title="F at k",
    formula="(1 + β²) h / (β² R + k), h relevant documents in the first k, R judged; without k, "
    "the list's length",
    asks="how well the first results hold the relevant documents and little else",
    blind=f"the order of the first results, and {PAST_END}",
)
def f_at(
    found: OrderedLists, relevant: float, *, k: int | None = None, beta: float = 1.0
) -> Vector:
    """Harmonic mean of precision and recall of the first k; `beta` times as much for recall."""
    total = found.judgements.count_relevant(relevant)
    hit, size = expected_hits(found, k, relevant), found.length if k is None else k
    return safe_divide((1 + beta**2) * hit, beta**2 * total + size)


@_first_documents_metric(
    title="R-precision",
    formula="relevant documents in the first R / R, R the number of relevant documents judged",
    asks="what share of the relevant documents a list as long as they are many would hold",
    blind="the order of the first results, and what stands further down",
)
def r_precision(found: OrderedLists, relevant: float) -> Vector:
    """Share of relevant documents in the first R, where R documents are relevant."""
    total = found.judgements.count_relevant(relevant)
    chance = found.compute_relevance_chances(relevant)
    hit = found.total(chance * found.find_first_ranks(None) * (found.rank <= total[found.query]))
    return safe_divide(hit, total)


@_first_documents_metric(
    title="Success at k",
    formula="1 if any of the first k documents is relevant, else 0",
    asks="how often the first results hold anything relevant",
    blind=f"how much more was found, and {PAST_END}",
)
def success_at(found: OrderedLists, relevant: float, *, k: int = 10) -> Vector:
    """Chance that any of the first k documents is relevant."""
    missed = np.ones(len(found))
    query, size, right, above = find_first_hits(found, relevant)
    left, open_ = np.ones(len(query)), np.minimum(size, found.last(k) - above)
    for drawn in range(int(np.max(np.minimum(open_, size - right + 1), initial=0))):
        is_drawn = (drawn < open_) & (left > 0)
        chance = np.maximum(size - right - drawn, 0) / np.maximum(size - drawn, 1)
        left = np.where(is_drawn, left * chance, left)
    missed[query] = left
    return 1 - missed


@_first_documents_metric(
    title="Reciprocal rank",
    formula="1 / rank of the first relevant document; 0 if it is past k or missing",
    cite=f"{SOURCES}; Voorhees (1999), The TREC-8 Question Answering Track report, "
    "TREC-8, pages 77–82 (it has no DOI)",
    asks="how early the first relevant document stands (1 where it is always the first)",
    blind="every relevant document but the first",
)
def rr(found: OrderedLists, relevant: float, *, k: int | None = None) -> Vector:
    """One over the rank of the first relevant document; its mean is the MRR."""
    query, size, right, above = find_first_hits(found, relevant)
    left, value = np.ones(len(query)), np.zeros(len(query))
    open_ = np.minimum(size - right + 1, found.last(k) - above)
    for drawn in range(int(np.max(open_, initial=0))):
        is_drawn = drawn < open_
        chance = np.where(is_drawn, right / np.maximum(size - drawn, 1), 0.0)
        value += left * chance / (above + drawn + 1)
        left *= 1 - chance
    total = np.zeros(len(found))
    total[query] = value
    return total


def find_first_hits(found: OrderedLists, relevant: float) -> tuple[Any, Vector, Vector, Vector]:
    """Find the first group of each query that has a relevant document.

    Its query, its size, how many of it are relevant, and how many documents stand above it.
    """
    right = found.count_relevant_by_group(relevant)
    some = np.flatnonzero(right)
    query, at = np.unique(found.owner[some], return_index=True)
    group = some[at]
    return query, found.size[group], right[group], found.above[group]


@query_metric(
    no_reference="it describes the judgements, not the model",
    title="Judged share of the first k ranks",
    formula="judged documents in the first k / k",
    undefined="where no query has weight",
    leaves_out=False,
    answers=questions.POOL,
    asks="what share of the first results anybody has judged",
    blind="what the judgements say",
)
def judged_at(lists: Lists, *, k: int = 10, ties: Ties = "expected") -> Vector:
    """Share of the first k ranks with a judged document; an empty rank counts as not judged."""
    found = lists.order_documents(ties)
    return found.total(found.group_means(found.is_judged) * found.find_first_ranks(k)) / k
