"""A query, a document and a number on each row of a table: judgements, and answers of a model.

Queries and documents are texts, whatever they look like, and become numbers here: their places
in the order of their bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import TEXT, Index, Mask, encoded, is_null, order
from reportgen.data.files.source import Source, open_source
from reportgen.data.files.spaced import RUN
from reportgen.data.request import ColumnRequest, Order, RankedRequest, RunRequest
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable, counted
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.results import InputFile
from reportgen.text import quoted

RANK = "rank"  # the column of a run that its order does not rest on


@dataclass(frozen=True, eq=False)
class Triples:
    """Some rows of a table: where they stand in it, and their query, document and number."""

    table: FileTable
    rows: Index
    query: Index
    document: Index
    number: Vector

    def __len__(self) -> int:
        return len(self.rows)

    def some(self, which: Mask | Index) -> Triples:
        """Some of them."""
        place = self.rows[which], self.query[which], self.document[which]
        return Triples(self.table, *place, self.number[which])


@dataclass(frozen=True, eq=False)
class Triplets:
    """Judgements and runs with the same codes: `queries[code]` is the name of a query.

    `documents` names documents likewise; it is empty where they have no ids. `facts` is a table
    with what else is known of queries, and the row of it where each query stands. `against` is the
    share of neighbours by score whose ranks stand the other way, by model, where a run has ranks.
    """

    judged: Triples
    runs: Mapping[str, Triples]
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    inputs: tuple[InputFile, ...] = ()
    facts: tuple[FileTable, Index] | None = None
    against: Mapping[str, float] = field(default_factory=dict)

    def of(self, kept: Mask) -> Triplets:
        """Those of some queries, numbered anew."""
        names = zip(self.queries, kept, strict=True)
        return replace(
            self,
            judged=renumbered(self.judged, kept),
            runs={model: renumbered(run, kept) for model, run in self.runs.items()},
            queries=tuple(name for name, is_kept in names if is_kept),
            facts=self.facts and (self.facts[0], self.facts[1][kept]),
        )


def read_triplets(ranked: RankedRequest) -> Triplets:
    """Read a file of judgements and the runs of all models, and give them the same codes."""
    assert ranked.qrels is not None
    requests: dict[str | None, RunRequest] = {None: ranked.qrels}
    requests.update(ranked.runs)
    sources = _opened(requests)
    tables = {model: _read(sources[model], each) for model, each in requests.items()}
    numbers = {}
    for model, each in requests.items():
        table = tables[model]
        name = each.score.name
        is_judged = model is None
        numbers[model] = graded(table, name, ranked.grades) if is_judged else _numbers(table, name)
    queries, query_codes = coded([_names(tables[m], r.query) for m, r in requests.items()])
    documents, document_codes = coded([_names(tables[m], r.document) for m, r in requests.items()])
    triples = {
        model: Triples(tables[model], np.arange(tables[model].rows), q, d, numbers[model])
        for model, q, d in zip(requests, query_codes, document_codes, strict=True)
    }
    for model, way in ranked.orders.items():
        if model in triples:
            triples[model] = in_order(triples[model], way, queries)
    faults = [f for each in triples.values() if (f := _repeated(each, queries, documents))]
    if faults:
        raise DataError(*dict.fromkeys(faults))
    inputs = tuple(
        one
        for model, source in sources.items()
        for one in source.inputs("judgements" if model is None else f"run of {model}",
                                 tables[model])
    )  # fmt: skip
    judged = triples.pop(None)
    runs = {str(m): each for m, each in triples.items()}
    against = {
        model: share for model, run in runs.items()
        if (share := _against_ranks(run)) is not None
    }  # fmt: skip
    return Triplets(judged, runs, queries, documents, inputs, against=against)


def _against_ranks(run: Triples) -> float | None:
    """The share of neighbours by score, in a list, whose ranks stand the other way.

    None where a run has no ranks, or others than numbers; equal scores have no order.
    """
    if any(RANK not in part.columns for part in run.table.parts):
        return None
    try:
        rank = run.table.numbers(RANK)[run.rows]
    except DataError:
        return None
    at = np.lexsort((-run.number, run.query))
    is_pair = (np.diff(run.query[at]) == 0) & (np.diff(run.number[at]) < 0)
    wrong = is_pair & (np.diff(rank[at]) < 0)
    return float(wrong.sum() / is_pair.sum()) if is_pair.any() else None


def in_order(run: Triples, way: Order, queries: Sequence[str]) -> Triples:
    """A run whose numbers fall down each list, whatever its own do; a rank stands once in each."""
    if way == "descending":
        return run
    if way == "rank":
        _refuse_equal_ranks(run, queries)
    return replace(run, number=-run.number)


def _refuse_equal_ranks(run: Triples, queries: Sequence[str]) -> None:
    at = np.lexsort((run.number, run.query))
    query, rank = run.query[at], run.number[at]
    again = np.flatnonzero((np.diff(query) == 0) & (np.diff(rank) == 0))
    if len(again):
        pair = at[again[0] : again[0] + 2]
        raise DataError(
            f"{run.table.shown}: rank {run.number[pair[0]]:g} stands twice for query "
            f"{quoted(queries[run.query[pair[0]]])} ({run.table.where(run.rows[pair])}); with "
            "`order: rank` each rank is one document's"
        )


def coded(columns: Sequence[Any]) -> tuple[tuple[str, ...], list[Index]]:
    """The different texts of several columns in the order of their bytes, and each row's place."""
    labels, code = encoded(pa.concat_arrays(columns))
    at = order(pa.array(labels, type=TEXT))
    place = np.empty(len(labels), np.intp)
    place[at] = np.arange(len(labels))
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return tuple(labels[k] for k in at), np.split(place[code], ends)


def mapped(table: FileTable, column: str, grades: Mapping[str, float]) -> Vector:
    """A column of labels as the grades that they stand for, nan where it is missing."""
    labels, code = encoded(table.texts(column))
    unknown = [label for label in labels if label not in grades]
    if unknown:
        first = np.flatnonzero(code == labels.index(unknown[0]))
        raise DataError(
            f"{table.shown}: grade {quoted(unknown[0])} at {table.where(first[:1])} is not in "
            f"`ranking: {{grades: …}}`, which has {', '.join(map(repr, grades))}"
        )
    return np.array([*(grades[label] for label in labels), np.nan])[code]


def refuse_repeats(triples: Triples, queries: Sequence[str], documents: Sequence[str]) -> None:
    """A document stands once in the list of a query."""
    if fault := _repeated(triples, queries, documents):
        raise DataError(fault)


def _repeated(each: Triples, queries: Sequence[str], documents: Sequence[str]) -> str:
    key = each.query * max(len(documents), 1) + each.document
    at = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[at]) == 0)
    if not len(again):
        return ""
    pair = at[again[0] : again[0] + 2]
    return (
        f"{each.table.shown}: document {quoted(documents[each.document[pair[0]]])} stands twice "
        f"for query {quoted(queries[each.query[pair[0]]])} ({each.table.where(each.rows[pair])}); "
        "keep one of the lines"
    )


def _opened(requests: Mapping[str | None, RunRequest]) -> dict[str | None, Source]:
    sources: dict[str | None, Source] = {}
    problems: list[Problem] = []
    faults: list[str] = []
    for model, each in requests.items():
        columns = (each.query, each.document, each.score)
        try:
            source = open_source(each.table, {c.name: c.source or c.name for c in columns})
        except ConfigError as fault:
            problems += fault.problems
        except DataError as fault:
            faults += fault.lines
        else:
            problems += filter(None, map(source.problem_with, columns))
            sources[model] = source
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    if faults:
        raise DataError(*faults)
    return sources


def _read(source: Source, each: RunRequest) -> FileTable:
    wanted = {each.query.name, each.document.name, each.score.name}
    ranks = {RANK} & set(source.names) if each.table.fields == RUN else set()
    return source.read(wanted | ranks, {each.score.name} | ranks)


def _names(table: FileTable, column: ColumnRequest) -> Any:
    """A column of names, of which none may be missing."""
    texts = table.texts(column.name)
    missing = np.flatnonzero(is_null(texts))
    if len(missing):
        raise DataError(
            f"{table.shown}: column {column.name!r} has {counted(len(missing), 'missing name')} "
            f"(first at {table.where(missing[:1])}); a query and a document need one"
        )
    return texts


def graded(table: FileTable, column: str, grades: Mapping[str, float]) -> Vector:
    """A column of grades, by what their labels stand for if that is said; none may be missing."""
    if grades:
        return _whole(table, column, mapped(table, column, grades))
    try:
        return _numbers(table, column)
    except DataError as fault:
        if "numbers are meant" not in fault.lines[0]:
            raise
        raise DataError(f"{fault.lines[0]}; map labels with `ranking: {{grades: …}}`") from None


def _numbers(table: FileTable, column: str) -> Vector:
    return _whole(table, column, table.numbers(column))


def _whole(table: FileTable, column: str, values: Vector) -> Vector:
    """The values of a column, of which none may be missing."""
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise DataError(
            f"{table.shown}: column {quoted(column)} has {counted(len(missing), 'missing value')} "
            f"of {len(values)} (first at {table.where(missing[:1])}); leave out such lines"
        )
    return values


def renumbered(triples: Triples, kept: Mask) -> Triples:
    """The triples of the queries that are kept, which are numbered anew."""
    place = np.cumsum(kept) - 1
    found = triples.some(kept[triples.query])
    return replace(found, query=place[found.query])
