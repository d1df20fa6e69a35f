"""Documents with grades line by line, and scores of the same lines, as learning to rank has them.

A line of scores belongs to the document of the same line: nothing is joined by name.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import TEXT, Index
from reportgen.data.files.source import Source, open_source
from reportgen.data.files.spaced import SCORES, SIZES
from reportgen.data.request import LetorRequest, RankedRequest, TableRequest
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable, counted
from reportgen.data.triples import Triples, Triplets, coded, graded, in_order, refuse_repeats
from reportgen.errors import ConfigError, DataError, Problem


def read_lines(ranked: RankedRequest) -> Triplets:
    """Read documents with their grades and the scores of all models, line by line."""
    letor = ranked.letor
    assert letor is not None
    sources = _opened(letor)
    source = sources[None]
    table = source.read(set(source.names), set())
    inputs = [*source.inputs("judgements", table)]
    texts = table.texts("query") if "query" in source.names else None
    if letor.sizes is not None:
        own = open_source(letor.sizes)
        sizes = own.read({*SIZES}, {*SIZES})
        inputs += own.inputs("sizes of queries", sizes)
        texts = _by_size(table, texts, sizes)
    if texts is None:
        raise DataError(
            f"{table.shown}: no line names its query by qid; write `groups:` with the file of how "
            "many documents each query has"
        )
    queries, [query] = coded([texts])
    names, document = _documents(table, source)
    if ranked.is_by_id and not names:
        raise DataError(
            f"{table.shown}: not every line names its document (# docid = NAME), by which "
            "`ties: trec` puts documents with equal scores in order"
        )
    grade = graded(table, letor.grade.name, ranked.grades)
    every = Triples(table, np.arange(table.rows), query, document, grade)
    if names:
        refuse_repeats(every, queries, names)
    runs = {}
    for model in letor.scores:
        run, read = _scored(every, sources[model])
        inputs += sources[model].inputs(f"scores of {model}", read)
        runs[model] = in_order(run, ranked.orders.get(model, "descending"), queries)
    return Triplets(every, runs, queries, names, tuple(inputs))


def _opened(letor: LetorRequest) -> dict[str | None, Source]:
    requests: dict[str | None, TableRequest] = {None: letor.table}
    requests.update(letor.scores)
    sources: dict[str | None, Source] = {}
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


def _by_size(table: FileTable, texts: object, sizes: FileTable) -> pa.Array:
    """The queries 1, 2, … of lines whose numbers are told; they may not be named as well."""
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
            f"{sizes.shown}: counts {counted(int(number.sum()), 'document')} in "
            f"{len(number)} queries, {table.shown} has {table.rows}; write how many documents "
            "each query has, in the order of the documents"
        )
    names = np.repeat(np.arange(1, len(number) + 1), number.astype(int))
    return pa.array(names.astype(str).tolist(), TEXT)


def _documents(table: FileTable, source: Source) -> tuple[tuple[str, ...], Index]:
    """The names of documents and each line's; without names each line is one of its own."""
    if "document" not in source.names:
        return (), np.arange(table.rows)
    names, [document] = coded([table.texts("document")])
    return names, document


def _scored(every: Triples, source: Source) -> tuple[Triples, FileTable]:
    """The documents with one model's scores."""
    table = source.read({*SCORES}, {*SCORES})
    if table.rows != len(every):
        raise DataError(
            f"{table.shown}: {counted(table.rows, 'line')} for "
            f"{counted(len(every), 'document')} of {every.table.shown}; write one score for each "
            "document, in the same order"
        )
    values: Vector = table.numbers(*SCORES)
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise DataError(
            f"{table.shown}: {counted(len(missing), 'missing score')} of {len(values)} (first at "
            f"{table.where(missing[:1])}); each document needs one"
        )
    return Triples(table, every.rows, every.query, every.document, values), table
