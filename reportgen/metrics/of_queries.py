"""Each measure of ranking by query as a plain function of documents, one number each.

reportgen.metrics.ndcg(grade, score, query, k=10)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.lists import Judgements, Lists
from reportgen.metrics.spec import Metric, Scalar
from reportgen.rows import Queries

Fixed = Callable[[dict[str, Scalar]], Metric]


def function_of_lists(fixed: Fixed) -> Callable[..., float]:
    """A measure to be called with grades, scores and queries of documents; `fixed` takes params.

    A grade is nan where a document was not judged; one below 0 counts as 0. A query's weight
    stands at each of its documents.
    """

    def value(
        y: ArrayLike,
        score: ArrayLike,
        query: Sequence[Any] | ArrayLike | None = None,
        weight: ArrayLike | None = None,
        **params: Scalar,
    ) -> float:
        used, grade = fixed(params), _column("y", y, None, can_be_missing=True)
        said = _column("score", score, len(grade))
        code = _codes(query, len(grade))
        own = np.ones(len(grade)) if weight is None else _column("weight", weight, len(grade))
        rows = Queries(_lists(grade, said, code))
        return float(used.bind(rows).define(_weights(own, code)))

    return value


def signature_of_lists(arguments: list[inspect.Parameter]) -> inspect.Signature:
    """y, score, query, weight, and a measure's own parameters by name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [inspect.Parameter(name, kind) for name in ("y", "score")]
    rest = [inspect.Parameter(name, kind, default=None) for name in ("query", "weight")]
    return inspect.Signature([*first, *rest, *arguments])


def _lists(grade: Vector, score: Vector, code: Index) -> Lists:
    at = np.argsort(code, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(code))).astype(np.intp)
    grade, score = grade[at], score[at]
    is_judged = ~np.isnan(grade)
    judged = np.append(0, np.cumsum(is_judged))[start]
    name = np.arange(len(grade))[at]
    return Lists(start, grade, score, Judgements.of(judged, grade[is_judged]), name)


def _codes(query: Any, length: int) -> Index:
    """The queries as numbers in the order in which they first stand; one query if none is given."""
    if query is None:
        return np.zeros(length, np.intp)
    labels = list(query)
    if len(labels) != length:
        raise ValueError(f"query has {len(labels)} rows, but y has {length}")
    lacking = next((at for at, label in enumerate(labels) if _is_missing(label)), None)
    if lacking is not None:
        raise ValueError(f"query has no name at row {lacking}; name the query of each document")
    known: dict[Any, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in labels], np.intp)


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float | np.floating) and bool(np.isnan(label)))


def _weights(weight: Vector, code: Index) -> Vector:
    """One weight a query; an error where a query has several, or one below 0."""
    if (weight < 0).any():
        raise ValueError(f"weight is below 0 at row {int(np.flatnonzero(weight < 0)[0])}")
    first = np.unique(code, return_index=True)[1]
    wrong = np.flatnonzero(weight != weight[first][code])
    if len(wrong):
        raise ValueError(f"weight differs within a query at row {int(wrong[0])}; a query has one")
    return weight[first]


def _column(
    name: str, values: ArrayLike, length: int | None, can_be_missing: bool = False
) -> Vector:
    """One number a document, or an error that says what is there instead."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers") from None
    if found.ndim != 1 or (length is not None and len(found) != length):
        raise ValueError(f"{name} must hold one number a document, {length or 'as many as scores'}")
    bad = np.flatnonzero(np.isinf(found) if can_be_missing else ~np.isfinite(found))
    if len(bad):
        raise ValueError(f"{name} is no finite number at row {bad[0]}")
    return found
