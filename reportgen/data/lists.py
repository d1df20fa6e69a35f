"""Judgements and runs to lists: what happens to what is missing, not judged, or below 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reportgen.data.arrow import Index, Mask
from reportgen.data.request import RankedRequest
from reportgen.data.sample import JudgedLists, ModelLists, Vector
from reportgen.data.table import LARGEST, counted
from reportgen.data.triples import Triples, Triplets
from reportgen.errors import DataError
from reportgen.text import quoted

LARGEST_POWER = int(np.log2(LARGEST))  # a grade whose 2^grade is no larger than other numbers are


def listed(found: Triplets, ranked: RankedRequest) -> tuple[dict[str, ModelLists], JudgedLists]:
    """The answers of every model, with the grades of what was judged, and all judgements."""
    n = len(found.queries)
    judged = _with_negatives(found.judged, ranked)
    lists = {}
    for model, run in found.runs.items():
        is_last = ranked.missing_document == "last"
        full = _with_the_rest(run, judged, found) if is_last else run
        lists[model] = _list(full, judged, found, ranked, model)
    start, at = _by_query(judged.query, n)
    return lists, JudgedLists(start, judged.number[at])


def answered(triples: Triples, n: int) -> Mask:
    """Which of n queries have a document, (n,)."""
    return np.bincount(triples.query, minlength=n) > 0


def _with_negatives(judged: Triples, ranked: RankedRequest) -> Triples:
    """Judgements whose grade is below 0 count as none, or as 0."""
    if ranked.negative == "pooled":
        return judged.some(judged.number >= 0)
    return replace(judged, number=np.maximum(judged.number, 0.0))


def _list(
    run: Triples, judged: Triples, found: Triplets, ranked: RankedRequest, model: str
) -> ModelLists:
    grade = _grades(run, judged, len(found.documents))
    if ranked.unjudged == "drop":
        run, grade = run.some(~np.isnan(grade)), grade[~np.isnan(grade)]
    start, at = _by_query(run.query, len(found.queries), -run.number)
    name = run.document[at] if found.documents else None
    made = ModelLists(start, grade[at], run.number[at], name)
    if ranked.unjudged == "error":
        _refuse_unjudged(made, found, run, ranked, model)
    return made


def _grades(run: Triples, judged: Triples, documents: int) -> Vector:
    """The grade of each document of a run, nan where it was not judged."""
    ends = (each.document.max(initial=0) for each in (run, judged))
    width = max(documents, 1 + int(max(ends)))
    known = judged.query * width + judged.document
    key = run.query * width + run.document
    if np.array_equal(known, key):  # of one table
        return judged.number.astype(np.float64)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], key), max(len(known) - 1, 0))
    if not len(known):
        return np.full(len(key), np.nan)
    return np.where(known[order][at] == key, judged.number[order][at], np.nan)


def _with_the_rest(run: Triples, judged: Triples, found: Triplets) -> Triples:
    """A run with the judged documents that it lacks behind those of their query, tied."""
    width, unscored = len(found.documents), replace(run, number=run.number * 0)
    lacking = judged.some(np.isnan(_grades(judged, unscored, width)))
    last = behind(run.query, run.number, len(found.queries))
    return Triples(
        run.table,
        np.append(run.rows, np.full(len(lacking), -1)),
        np.append(run.query, lacking.query),
        np.append(run.document, lacking.document),
        np.append(run.number, last[lacking.query]),
    )


def behind(query: Index, score: Vector, n: int) -> Vector:
    """A score just below the lowest of each query, in single precision too; 0 without any, (n,).

    It hangs on the query's own scores alone, and is so near the lowest of them that a measure that
    reads amounts finds it there.

    >>> behind(np.array([0, 0]), np.array([2.0, -1e17]), 2)[0] < -1e17
    np.True_
    """
    lowest = np.full(n, np.inf)
    np.minimum.at(lowest, query, score)
    lowest[~np.isfinite(lowest)] = 0.0
    with np.errstate(over="ignore", under="ignore"):
        below = np.nextafter(lowest.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
    return np.where(np.isfinite(below), below, np.nextafter(lowest, -np.inf))


def _by_query(query: Index, n: int, then: Vector | None = None) -> tuple[Index, Index]:
    """Where each query begins, and the rows in their order, within a query by another column."""
    at = np.argsort(query, kind="stable") if then is None else np.lexsort((then, query))
    start = np.append(0, np.cumsum(np.bincount(query, minlength=n)))
    return start.astype(np.intp), at


def _refuse_unjudged(
    made: ModelLists, found: Triplets, run: Triples, ranked: RankedRequest, model: str
) -> None:
    """`unjudged: error`: of the ranks that are looked at every document was judged."""
    query = np.repeat(np.arange(len(found.queries)), np.diff(made.start))
    rank = _least_rank(made, query, ranked.are_all_by_id)
    most = np.inf if ranked.ranks is None else ranked.ranks
    bad = np.flatnonzero(np.isnan(made.grade) & (rank <= most))
    if len(bad):
        among = (
            "" if ranked.ranks is None else f" in the first {ranked.ranks} ranks, ties included,"
        )
        raise DataError(
            f"{run.table.shown}: {counted(len(bad), 'document')} of model {quoted(model)}{among} "
            f"{'was' if len(bad) == 1 else 'were'} not judged, in {len(np.unique(query[bad]))} of "
            f"{len(found.queries)} queries (first query {quoted(found.queries[query[bad[0]]])}); "
            "see `unjudged`"
        )


def _least_rank(made: ModelLists, query: Index, is_by_id: bool) -> Index:
    """The first rank that each document may have: of tied ones that of the first, unless by id."""
    at = np.arange(1, len(query) + 1)
    if is_by_id and made.name is not None:
        with np.errstate(over="ignore"):
            order = np.lexsort((-made.name, -made.score.astype(np.float32), query))
        rank = np.empty(len(query), np.intp)
        rank[order] = at - made.start[query]
        return rank
    is_first = np.ones(len(query), dtype=bool)
    is_first[1:] = (np.diff(query) > 0) | (np.diff(made.score) != 0)
    return np.asarray(at[is_first][np.cumsum(is_first) - 1] - made.start[query])


def refuse_huge_powers(found: Triplets) -> None:
    """Where a grade's gain is 2^grade - 1 it can be computed with."""
    judged = found.judged
    huge = np.flatnonzero(judged.number > LARGEST_POWER)
    if len(huge):
        first = huge[:1]
        raise DataError(
            f"{judged.table.shown}: grade {judged.number[first[0]]:g} at "
            f"{judged.table.where(judged.rows[first])} is too large for `gain: exp2`, which holds "
            f"grades up to {LARGEST_POWER}; set `gain: linear`, or write smaller grades"
        )


def missing_queries(found: Triplets, ranked: RankedRequest) -> Mapping[str, Mask]:
    """Which queries each model has no document for; an error where none may be missing."""
    n = len(found.queries)
    lacking = {model: ~answered(run, n) for model, run in found.runs.items()}
    faults = [
        f"{found.runs[model].table.shown}: no line for "
        f"{counted(int(lack.sum()), 'query', 'queries')} of {n} "
        f"(first {', '.join(quoted(found.queries[k]) for k in np.flatnonzero(lack)[:3])}); "
        "see `missing_query`"
        for model, lack in lacking.items()
        if lack.any() and ranked.missing_query == "error"
    ]
    if faults:
        raise DataError(*dict.fromkeys(faults))
    return lacking
