"""Judgements and runs of ranked lists: read, match and grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import Index, Mask, build_texts, encode_texts, null_mask, sort_texts
from reportgen.data.files.list_files import RUN, SCORES, SIZES
from reportgen.data.files.source import OpenedSource, open_source
from reportgen.data.names import OTHERWISE, Spellings, find_near_rows, suggest_loose
from reportgen.data.requests import (
    ColumnRequest,
    LetorRequest,
    Order,
    RankedRequest,
    RunRequest,
    TableRequest,
)
from reportgen.data.sample import JudgedLists, ModelLists, Vector
from reportgen.data.table import LARGEST, FileTable, format_count
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.kernels.ranked_lists import sort_within_queries
from reportgen.records import record
from reportgen.results.core import InputFile
from reportgen.text import are_values_hidden, mask_number, quote, quote_value

RANK = "rank"  # the column of a run that its order does not rest on


@record(eq=False)
class DocumentRows:
    """Some rows of a table: where they stand in it, and their query, document and number."""

    table: FileTable
    rows: Index
    query: Index
    document: Index
    number: Vector

    def __len__(self) -> int:
        return len(self.rows)

    def some(self, which: Mask | Index) -> DocumentRows:
        """Return some of the rows; the same object if a mask keeps all."""
        if which.dtype == bool and which.all():
            return self
        place = self.rows[which], self.query[which], self.document[which]
        return DocumentRows(self.table, *place, self.number[which])


@record(eq=False)
class JudgedRuns:
    """Judgements and runs with the same codes: `queries[code]` is the name of a query.

    `documents` names documents likewise; it is empty where they have no ids. `facts` is a table
    with what else is known of queries, and the row of it where each query stands; `units` are its
    columns that nobody asks for and that may tell units apart. `against` is the share of neighbours
    by score whose ranks stand the other way, by model, where a run has ranks.
    """

    judged: DocumentRows
    runs: Mapping[str, DocumentRows]
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    inputs: tuple[InputFile, ...] = ()
    facts: tuple[FileTable, Index] | None = None
    units: tuple[str, ...] = ()
    against: Mapping[str, float] = field(default_factory=dict)

    def select_queries(self, kept: Mask) -> JudgedRuns:
        """Return the lists of some queries, numbered anew; the same object if all are kept."""
        if kept.all():
            return self
        names = zip(self.queries, kept, strict=True)
        return replace(
            self,
            judged=renumber_queries(self.judged, kept),
            runs={model: renumber_queries(run, kept) for model, run in self.runs.items()},
            queries=tuple(name for name, is_kept in names if is_kept),
            facts=self.facts and (self.facts[0], self.facts[1][kept]),
        )


def read_judged_runs(ranked: RankedRequest) -> JudgedRuns:
    """Read a file of judgements and the runs of all models, and give them the same codes."""
    assert ranked.qrels is not None
    requests: dict[str | None, RunRequest] = {None: ranked.qrels}
    requests.update(ranked.runs)
    sources = _open_runs(requests)
    tables = {model: _read_run(sources[model], each) for model, each in requests.items()}
    if ranked.match == "loose":
        tables = _spell_names_alike(tables, requests)
    numbers = {}
    for model, each in requests.items():
        table = tables[model]
        name = each.score.name
        is_judged = model is None
        numbers[model] = (
            read_grades(table, name, ranked.grades) if is_judged else _compute_numbers(table, name)
        )
    queries, query_codes = encode_together(
        [_read_names(tables[m], r.query) for m, r in requests.items()]
    )
    documents, document_codes = encode_together(
        [_read_names(tables[m], r.document) for m, r in requests.items()]
    )
    triples = {
        model: DocumentRows(tables[model], np.arange(tables[model].rows), q, d, numbers[model])
        for model, q, d in zip(requests, query_codes, document_codes, strict=True)
    }
    for model, each in requests.items():
        if each.table.options.is_first_of_equals:
            triples[model] = _drop_equal_lines(triples[model])
    names = {"query": queries, "document": documents}
    _refuse_unmatched_names(triples, names, ranked)
    for model, way in ranked.orders.items():
        if model in triples:
            triples[model] = order_run(triples[model], way, queries)
    faults = [
        f
        for model, each in triples.items()
        if (
            f := _describe_repeated_document(
                each, queries, documents, requests[model].table.keys_at
            )
        )
    ]
    if faults:
        raise DataError(*dict.fromkeys(faults))
    inputs = tuple(
        one
        for model, source in sources.items()
        for one in source.inputs(
            "judgements" if model is None else f"run of {model}", tables[model]
        )
    )
    judged = triples.pop(None)
    runs = {str(m): each for m, each in triples.items()}
    against = {
        model: share
        for model, run in runs.items()
        if (share := _compute_reversed_share(run)) is not None
    }
    return JudgedRuns(judged, runs, queries, documents, inputs, against=against)


def _spell_names_alike(
    tables: Mapping[str | None, FileTable], requests: Mapping[str | None, RunRequest]
) -> dict[str | None, FileTable]:
    """Return the tables with queries and documents spelled as the judgements spell them."""
    judged, own = tables[None], requests[None]
    queries, documents = (
        Spellings.from_texts(judged.texts(each.name)) for each in (own.query, own.document)
    )
    return {
        model: replace(table, spellings={each.query.name: queries, each.document.name: documents})
        for (model, each), table in zip(requests.items(), tables.values(), strict=True)
    }


def _refuse_unmatched_names(
    triples: Mapping[str | None, DocumentRows],
    names: Mapping[str, tuple[str, ...]],
    ranked: RankedRequest,
) -> None:
    """Refuse runs whose queries or documents are judged ones but for how they are written.

    A run of which no document was judged, in any query, cannot be of these judgements.
    """
    judged, faults = triples[None], list[str]()
    for run in (run for model, run in triples.items() if model is not None):
        for kind, labels in names.items():
            known, own = np.unique(getattr(judged, kind)), np.unique(getattr(run, kind))
            lacking = np.setdiff1d(own, known)
            some, others = (build_texts(labels[k] for k in codes) for codes in (lacking, known))
            near = ranked.match is None and find_near_rows(some, np.arange(len(lacking)), others)
            where = run.table.shown
            if near:
                first = np.flatnonzero(getattr(run, kind) == lacking[near[0][0]])[:1]
                plural = "queries" if kind == "query" else "documents"
                faults.append(
                    f"{where}: {len(near[0]):,} of {len(own):,} {plural} (first at "
                    f"{run.table.where(run.rows[first])}) are not in {judged.table.shown} as they "
                    f"are written; they {suggest_loose(*near[1:], ranked.dataset)}{OTHERWISE}"
                )
            elif kind == "document" and len(own) and len(lacking) == len(own):
                faults.append(
                    f"{where}: none of its {format_count(len(own), 'document')} is in "
                    f"{judged.table.shown}; use the same names in both"
                )
    if faults:
        raise DataError(*dict.fromkeys(faults))


def _compute_reversed_share(run: DocumentRows) -> float | None:
    """Compute the share of neighbours by score, within a list, whose ranks are in reverse order.

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


def order_run(run: DocumentRows, way: Order, queries: Sequence[str]) -> DocumentRows:
    """Return a run whose numbers descend in each list, and check that no rank repeats in one."""
    if way == "descending":
        return run
    if way == "rank":
        _refuse_equal_ranks(run, queries)
    return replace(run, number=-run.number)


def _refuse_equal_ranks(run: DocumentRows, queries: Sequence[str]) -> None:
    at = np.lexsort((run.number, run.query))
    query, rank = run.query[at], run.number[at]
    again = np.flatnonzero((np.diff(query) == 0) & (np.diff(rank) == 0))
    if len(again):
        pair = at[again[0] : again[0] + 2]
        raise DataError(
            f"{run.table.shown}: rank {mask_number(run.number[pair[0]])} occurs twice for "
            f"query {quote_value(queries[run.query[pair[0]]])} "
            f"({run.table.where(run.rows[pair])}); with `order: rank` each rank is one document's"
        )


def encode_together(columns: Sequence[Any]) -> tuple[tuple[str, ...], list[Index]]:
    """Return the distinct texts of several columns in byte order, and each row's index."""
    labels, code = encode_texts(pa.concat_arrays(columns))
    at = sort_texts(build_texts(labels))
    place = np.empty(len(labels), np.intp)
    place[at] = np.arange(len(labels))
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return tuple(labels[k] for k in at), np.split(place[code], ends)


def map_grades(table: FileTable, column: str, grades: Mapping[str, float]) -> Vector:
    """Map a column of labels to the grades that they stand for, nan where it is missing."""
    labels, code = encode_texts(table.texts(column))
    unknown = [label for label in labels if label not in grades]
    if unknown:
        first = np.flatnonzero(code == labels.index(unknown[0]))
        raise DataError(
            f"{table.shown}: grade {quote_value(unknown[0])} at {table.where(first[:1])} is not in "
            f"`ranking: {{grades: …}}`, which has {', '.join(map(repr, grades))}"
        )
    return np.array([*(grades[label] for label in labels), np.nan])[code]


def check_repeats(triples: DocumentRows, queries: Sequence[str], documents: Sequence[str]) -> None:
    """Check that no document repeats in the list of a query."""
    if fault := _describe_repeated_document(triples, queries, documents):
        raise DataError(fault)


def _drop_equal_lines(each: DocumentRows) -> DocumentRows:
    """Keep the first of the lines that repeat a document of a query with the same number."""
    lines = np.column_stack([each.query, each.document, each.number])
    first = np.unique(lines, axis=0, return_index=True)[1]
    return each.some(np.sort(first))


def _describe_repeated_document(
    each: DocumentRows, queries: Sequence[str], documents: Sequence[str], keys_at: str = ""
) -> str:
    key = each.query * max(len(documents), 1) + each.document
    at = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[at]) == 0)
    if not len(again):
        return ""
    pair = at[again[0] : again[0] + 2]
    of_each = np.column_stack([key, each.number])[at]
    are_equal = bool((of_each[again] == of_each[again + 1]).all())
    way = f", or write `duplicates: first`{keys_at}" if keys_at and are_equal else ""
    return (
        f"{each.table.shown}: document {quote_value(documents[each.document[pair[0]]])} occurs "
        f"twice for query {quote_value(queries[each.query[pair[0]]])} "
        f"({each.table.where(each.rows[pair])}); keep one of the lines{way}"
    )


def _open_runs(requests: Mapping[str | None, RunRequest]) -> dict[str | None, OpenedSource]:
    sources: dict[str | None, OpenedSource] = {}
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


def _read_run(source: OpenedSource, each: RunRequest) -> FileTable:
    wanted = {each.query.name, each.document.name, each.score.name}
    ranks = {RANK} & set(source.names) if each.table.fields == RUN else set()
    return source.read(wanted | ranks, {each.score.name} | ranks)


def _read_names(table: FileTable, column: ColumnRequest) -> Any:
    """Return a column of names, of which none may be missing."""
    texts = table.texts(column.name)
    missing = np.flatnonzero(null_mask(texts))
    if len(missing):
        raise DataError(
            f"{table.shown}: column {column.name!r} has "
            f"{format_count(len(missing), 'missing name')} "
            f"(first at {table.where(missing[:1])}); a query and a document need one"
        )
    return texts


def read_grades(table: FileTable, column: str, grades: Mapping[str, float]) -> Vector:
    """Read a column of grades, mapped from labels if these are given; none may be missing."""
    if grades:
        return _check_complete(table, column, map_grades(table, column, grades))
    try:
        return _compute_numbers(table, column)
    except DataError as fault:
        if "instead of numbers" not in fault.lines[0]:
            raise
        raise DataError(f"{fault.lines[0]}, or map labels with `ranking: {{grades: …}}`") from None


def _compute_numbers(table: FileTable, column: str) -> Vector:
    return _check_complete(table, column, table.numbers(column))


def _check_complete(table: FileTable, column: str, values: Vector) -> Vector:
    """Return the values of a column after checking that none is missing."""
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise DataError(
            f"{table.shown}: column {quote(column)} has "
            f"{format_count(len(missing), 'missing value')} "
            f"of {len(values)} (first at {table.where(missing[:1])}); leave out such lines"
        )
    return values


def renumber_queries(triples: DocumentRows, kept: Mask) -> DocumentRows:
    """Return the rows of the queries that are kept, with the queries renumbered."""
    place = np.cumsum(kept) - 1
    found = triples.some(kept[triples.query])
    return replace(found, query=place[found.query])


LARGEST_POWER = int(np.log2(LARGEST))  # a grade whose 2^grade is no larger than other numbers are


def build_lists(
    found: JudgedRuns, ranked: RankedRequest
) -> tuple[dict[str, ModelLists], JudgedLists]:
    """Build the lists of every model, with the grades of judged documents, and all judgements."""
    n = len(found.queries)
    judged = _apply_negative_rule(found.judged, ranked)
    lists = {}
    for model, run in found.runs.items():
        is_last = ranked.missing_document == "last"
        full = _append_unranked(run, judged, found) if is_last else run
        lists[model] = _build_model_lists(full, judged, found, ranked, model)
    start, at = _group_by_query(judged.query, n)
    return lists, JudgedLists(start, judged.number[at])


def find_answered_queries(triples: DocumentRows, n: int) -> Mask:
    """Tell which of n queries have a document, (n,)."""
    return np.bincount(triples.query, minlength=n) > 0


def _apply_negative_rule(judged: DocumentRows, ranked: RankedRequest) -> DocumentRows:
    """Judgements whose grade is below 0 count as none, or as 0."""
    if ranked.negative == "pooled":
        return judged.some(judged.number >= 0)
    return replace(judged, number=np.maximum(judged.number, 0.0))


def _build_model_lists(
    run: DocumentRows, judged: DocumentRows, found: JudgedRuns, ranked: RankedRequest, model: str
) -> ModelLists:
    grade = _compute_grades(run, judged, len(found.documents))
    if ranked.unjudged == "drop":
        run, grade = run.some(~np.isnan(grade)), grade[~np.isnan(grade)]
    start, at = _group_by_query(run.query, len(found.queries), -run.number)
    name = run.document[at] if found.documents else None
    made = ModelLists(start, grade[at], run.number[at], name)
    if ranked.unjudged == "error":
        _refuse_unjudged(made, found, run, ranked, model)
    return made


def _compute_grades(run: DocumentRows, judged: DocumentRows, documents: int) -> Vector:
    """Return the grade of each document of a run, nan where it was not judged."""
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


def _append_unranked(run: DocumentRows, judged: DocumentRows, found: JudgedRuns) -> DocumentRows:
    """Append the judged documents that a run lacks, tied behind the others of their query."""
    width, unscored = len(found.documents), replace(run, number=run.number * 0)
    lacking = judged.some(np.isnan(_compute_grades(judged, unscored, width)))
    last = compute_scores_below(run.query, run.number, len(found.queries))
    return DocumentRows(
        run.table,
        np.append(run.rows, np.full(len(lacking), -1)),
        np.append(run.query, lacking.query),
        np.append(run.document, lacking.document),
        np.append(run.number, last[lacking.query]),
    )


def compute_scores_below(query: Index, score: Vector, n: int) -> Vector:
    """Return a score just below each query's lowest, in single precision too; 0 without any, (n,).

    It hangs on the query's own scores alone, and is so near the lowest of them that a measure that
    reads amounts finds it there.

    >>> compute_scores_below(np.array([0, 0]), np.array([2.0, -1e17]), 2)[0] < -1e17
    np.True_
    """
    lowest = np.full(n, np.inf)
    np.minimum.at(lowest, query, score)
    lowest[~np.isfinite(lowest)] = 0.0
    with np.errstate(over="ignore", under="ignore"):
        below = np.nextafter(lowest.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
    return np.where(np.isfinite(below), below, np.nextafter(lowest, -np.inf))


def _group_by_query(query: Index, n: int, then: Vector | None = None) -> tuple[Index, Index]:
    """Return where each query begins, and the rows ordered within a query by another column."""
    start = np.append(0, np.cumsum(np.bincount(query, minlength=n))).astype(np.intp)
    at = np.argsort(query, kind="stable")
    return start, at if then is None else at[sort_within_queries(start, then[at])]


def _refuse_unjudged(
    made: ModelLists, found: JudgedRuns, run: DocumentRows, ranked: RankedRequest, model: str
) -> None:
    """`unjudged: error`: of the ranks that are looked at every document was judged."""
    query = np.repeat(np.arange(len(found.queries)), np.diff(made.start))
    rank = _compute_minimum_ranks(made, query, ranked.are_all_by_id)
    most = np.inf if ranked.ranks is None else ranked.ranks
    bad = np.flatnonzero(np.isnan(made.grade) & (rank <= most))
    if len(bad):
        among = (
            "" if ranked.ranks is None else f" in the first {ranked.ranks} ranks, ties included,"
        )
        raise DataError(
            f"{run.table.shown}: {format_count(len(bad), 'document')} of model "
            f"{quote(model)}{among} "
            f"{'was' if len(bad) == 1 else 'were'} not judged, in {len(np.unique(query[bad]))} of "
            f"{len(found.queries)} queries (first query "
            f"{format_queries(found, query[bad[:1]], run)}); see `unjudged`"
        )


def _compute_minimum_ranks(made: ModelLists, query: Index, is_by_id: bool) -> Index:
    """Return the minimum rank of each document: tied ones share the first one's, unless by id."""
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


def check_gain_size(found: JudgedRuns) -> None:
    """Refuse grades that are too large for a gain of 2^grade - 1."""
    judged = found.judged
    huge = np.flatnonzero(judged.number > LARGEST_POWER)
    if len(huge):
        first = huge[:1]
        raise DataError(
            f"{judged.table.shown}: grade {mask_number(judged.number[first[0]])} at "
            f"{judged.table.where(judged.rows[first])} is too large for `gain: exp2`, which holds "
            f"grades up to {LARGEST_POWER}; set `gain: linear`, or write smaller grades"
        )


def format_queries(runs: JudgedRuns, queries: Index, among: DocumentRows | None = None) -> str:
    """Format queries for a message; if values are hidden, say where each first stands."""
    if not are_values_hidden():
        return ", ".join(quote(runs.queries[k]) for k in queries)
    rows = among or runs.judged
    first = [np.flatnonzero(rows.query == k)[:1] for k in queries]
    return f"at {rows.table.where(np.sort(rows.rows[np.concatenate(first)]))} of {rows.table.shown}"


def find_missing_queries(found: JudgedRuns, ranked: RankedRequest) -> Mapping[str, Mask]:
    """Find the queries that a model has no document for; an error where none may be missing."""
    n = len(found.queries)
    lacking = {model: ~find_answered_queries(run, n) for model, run in found.runs.items()}
    faults = [
        f"{found.runs[model].table.shown}: no line for "
        f"{format_count(int(lack.sum()), 'query', 'queries')} of {n} "
        f"(first {format_queries(found, np.flatnonzero(lack)[:3])}); "
        "see `missing_query`"
        for model, lack in lacking.items()
        if lack.any() and ranked.missing_query == "error"
    ]
    if faults:
        raise DataError(*dict.fromkeys(faults))
    return lacking


def read_letor_runs(ranked: RankedRequest) -> JudgedRuns:
    """Read documents with their grades and the scores of all models, line by line."""
    letor = ranked.letor
    assert letor is not None
    sources = _open_letor_files(letor)
    source = sources[None]
    table = source.read(set(source.names), set())
    inputs = [*source.inputs("judgements", table)]
    texts = table.texts("query") if "query" in source.names else None
    if letor.sizes is not None:
        own = open_source(letor.sizes)
        sizes = own.read({*SIZES}, {*SIZES})
        inputs += own.inputs("sizes of queries", sizes)
        texts = _number_queries(table, texts, sizes)
    if texts is None:
        raise DataError(
            f"{table.shown}: no line names its query by qid; write `groups:` with the file of how "
            "many documents each query has"
        )
    queries, [query] = encode_together([texts])
    names, document = _list_documents(table, source)
    if ranked.is_by_id and not names:
        raise DataError(
            f"{table.shown}: not every line names its document (# docid = NAME), by which "
            "`ties: trec` puts documents with equal scores in order"
        )
    grade = read_grades(table, letor.grade.name, ranked.grades)
    every = DocumentRows(table, np.arange(table.rows), query, document, grade)
    if names:
        check_repeats(every, queries, names)
    runs = {}
    for model in letor.scores:
        run, read = _add_scores(every, sources[model])
        inputs += sources[model].inputs(f"scores of {model}", read)
        runs[model] = order_run(run, ranked.orders.get(model, "descending"), queries)
    return JudgedRuns(every, runs, queries, names, tuple(inputs))


def _open_letor_files(letor: LetorRequest) -> dict[str | None, OpenedSource]:
    requests: dict[str | None, TableRequest] = {None: letor.table}
    requests.update(letor.scores)
    sources: dict[str | None, OpenedSource] = {}
    problems: list[Problem] = []
    faults: list[str] = []
    for model, request in requests.items():
        try:
            sources[model] = open_source(request)
        except ConfigError as fault:
            problems += fault.problems
        except DataError as fault:
            faults += fault.lines
        else:
            if model is None and (problem := sources[None].problem_with(letor.grade)):
                problems.append(problem)
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    if faults:
        raise DataError(*faults)
    return sources


def _number_queries(table: FileTable, texts: object, sizes: FileTable) -> pa.Array:
    """Return the queries 1, 2, … of lines, by the given sizes; they may not be named as well."""
    if texts is not None:
        raise DataError(
            f"{table.shown}: its lines name their query by qid, so the file of sizes, "
            f"{sizes.shown}, says it again; leave out `groups:`"
        )
    number = sizes.numbers(*SIZES)
    bad = np.flatnonzero(~(number >= 1) | (number != np.floor(number)))
    if len(bad):
        raise DataError(
            f"{sizes.shown}: {sizes.where(bad[:1])} holds no number of documents; each line has "
            "one, from 1"
        )
    if number.sum() != table.rows:
        raise DataError(
            f"{sizes.shown}: counts {format_count(int(number.sum()), 'document')} in "
            f"{len(number)} queries, {table.shown} has {table.rows}; write how many documents "
            "each query has, in the order of the documents"
        )
    names = np.repeat(np.arange(1, len(number) + 1), number.astype(int))
    return build_texts(names.astype(str).tolist())


def _list_documents(table: FileTable, source: OpenedSource) -> tuple[tuple[str, ...], Index]:
    """Return the document names and each line's index; without names each line is its own."""
    if "document" not in source.names:
        return (), np.arange(table.rows)
    names, [document] = encode_together([table.texts("document")])
    return names, document


def _add_scores(every: DocumentRows, source: OpenedSource) -> tuple[DocumentRows, FileTable]:
    """Return the documents with one model's scores, and the table of these scores."""
    table = source.read({*SCORES}, {*SCORES})
    if table.rows != len(every):
        raise DataError(
            f"{table.shown}: {format_count(table.rows, 'line')} for "
            f"{format_count(len(every), 'document')} of {every.table.shown}; write one score "
            "for each document, in the same order"
        )
    values: Vector = table.numbers(*SCORES)
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise DataError(
            f"{table.shown}: {format_count(len(missing), 'missing score')} of {len(values)} "
            "(first at "
            f"{table.where(missing[:1])}); each document needs one"
        )
    return DocumentRows(table, every.rows, every.query, every.document, values), table
