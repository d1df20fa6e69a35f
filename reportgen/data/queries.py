"""Read a dataset whose rows are queries with ranked lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.data.arrow import Index, Mask, compute_keys, encode_texts, null_mask, take_rows
from reportgen.data.codes import encode_segment, encode_times, sort_codes_by_number
from reportgen.data.columns import AlignedColumn, check_weights, read_role_numbers
from reportgen.data.dataset import (
    Facts,
    LoadedDataset,
    Piece,
    build_resampling_units,
    check_names,
    describe_sample,
    encode_column,
    iter_segment_infos,
    iter_units,
    profile_column,
    warn_small_segments,
)
from reportgen.data.files.source import open_source
from reportgen.data.judgements import (
    DocumentRows,
    JudgedRuns,
    build_lists,
    check_gain_size,
    check_repeats,
    compute_scores_below,
    encode_together,
    find_answered_queries,
    find_missing_queries,
    format_queries,
    map_grades,
    order_run,
    read_judged_runs,
    read_letor_runs,
)
from reportgen.data.names import find_match, suggest_loose
from reportgen.data.requests import ColumnRequest, DatasetRequest, RankedRequest, TableRequest
from reportgen.data.row_selection import RowWaterfall, sample_rows
from reportgen.data.sample import Codes, ModelColumns, QueryTarget, Sample, SamplingColumns, Vector
from reportgen.data.table import FileTable, format_count
from reportgen.data.tables import (
    DatasetTables,
    describe_reading,
    find_unit_columns,
    read_tables,
)
from reportgen.errors import ConfigError, DataError
from reportgen.results.core import DatasetInfo
from reportgen.results.types import RaisedWarning, Scalar
from reportgen.terms import LIMITS
from reportgen.text import quote, quote_value

FEW_ROWS = int(LIMITS["W203"]["fewest"])


def read_queries(request: DatasetRequest) -> LoadedDataset:
    """Read a dataset of queries, or say everything that is wrong with its names or content."""
    ranked = request.ranked
    assert ranked is not None
    if ranked.qrels is None and ranked.letor is None:
        found, warnings = _drop_unjudged_queries(
            _read_runs_from_table(request, ranked, read_tables(request))
        )
    else:
        read = read_judged_runs if ranked.letor is None else read_letor_runs
        found, warnings = _drop_unjudged_queries(read(ranked))
        if ranked.queries is not None:
            table, rows, units = _match_query_facts(request, ranked.queries, found)
            found = replace(found, facts=(table, rows), units=units)
    return _load_lists(request, ranked, found, warnings)


def build_query_piece(request: DatasetRequest, tables: DatasetTables) -> Piece:
    """Build a piece of some whole queries of one long table, checked as when all are read at once.

    Its `facts` count what there is to warn of: queries that a model lacks or that nobody judged,
    those that go for it, those without a relevant document, and documents with a grade below 0.
    """
    ranked = request.ranked
    assert ranked is not None
    found, facts = _read_runs_from_table(request, ranked, tables), Facts()
    is_judged = find_answered_queries(found.judged, len(found.queries))
    for model, run in found.runs.items():
        has = find_answered_queries(run, len(found.queries))
        facts["sum", "queries", "W233", model] = np.count_nonzero(has & ~is_judged)
    found = found.select_queries(is_judged)
    waterfall = RowWaterfall(len(found.queries))
    for model, lack in find_missing_queries(found, ranked).items():
        facts["sum", "queries", "W231", model] = np.count_nonzero(lack)
        if ranked.missing_query == "drop":
            facts["sum", "queries", "dropped", model] = waterfall.keep("dropped", ~lack, "")
    if ranked.are_powers:
        check_gain_size(found)
    facts["sum", "queries", "queries", ""] = len(found.queries)
    found = found.select_queries(waterfall.kept)
    sample = _build_sample(request, ranked, found, is_part=True)
    facts["sum", "queries", "W232", ""] = np.count_nonzero(sample.y == 0)
    facts["sum", "queries", "W234", ""] = np.count_nonzero(found.judged.number < 0)
    keys = own = compute_keys(found.queries)
    if (units := sample.sampling.units) is not None:
        keys = compute_keys(units.codes.labels)[units.codes.code]
    return Piece(sample, keys, own, (), facts)


def _read_runs_from_table(
    request: DatasetRequest, ranked: RankedRequest, tables: DatasetTables
) -> JudgedRuns:
    """Judgements and runs from one long table, whose first line of a query tells of it."""
    main, query = tables.main, request.query
    assert query is not None
    kept = np.ones(main.rows, dtype=bool)
    if tables.filter is not None:
        kept = tables.filter.rows(main)
    _refuse_missing(main, query, kept)
    rows = np.flatnonzero(kept)
    labels, [code] = encode_together([take_rows(main.texts(query.name), rows)])
    documents: tuple[str, ...] = ()
    document = rows.astype(np.intp)
    if ranked.document is not None:
        _refuse_missing(main, ranked.document, kept)
        documents, [document] = encode_together([take_rows(main.texts(ranked.document.name), rows)])
    grade = (
        map_grades(main, request.target.name, ranked.grades)
        if ranked.grades
        else main.numbers(request.target.name)
    )[rows]
    every = DocumentRows(main, rows, code, document, grade)
    if documents:
        check_repeats(every, labels, documents)
    runs = {}
    for name, model in request.models.items():
        score = main.numbers(model.column.name)[rows]
        run = replace(every, number=score)
        run = order_run(run, ranked.orders.get(name, "descending"), labels)
        runs[name] = _build_run(run, run.number, model.column.name, name, ranked)
    first = rows[np.unique(code, return_index=True)[1]]
    _check_constant_facts(request, main, rows, code, labels)
    judged = every.some(~np.isnan(grade))
    units = tuple(name for name in tables.unnamed if _is_constant(main, name, rows, code))
    return JudgedRuns(judged, runs, labels, documents, tables.inputs, (main, first), units)


def _is_constant(table: FileTable, name: str, rows: Index, code: Index) -> bool:
    """Tell whether a column has one value on all rows of each query."""
    if table.is_nested(name):
        return False
    own = encode_texts(table.texts(name))[1][rows]
    return bool(np.all(own == own[np.unique(code, return_index=True)[1]][code]))


def _build_run(
    every: DocumentRows, score: Vector, column: str, model: str, ranked: RankedRequest
) -> DocumentRows:
    """Build a model's run from its column; `missing_document` decides where it has no score."""
    lacking = np.flatnonzero(np.isnan(score))
    if len(lacking) and ranked.missing_document in (None, "error"):
        raise DataError(
            f"{every.table.shown}: column {quote(column)} of model {quote(model)} has "
            f"{format_count(len(lacking), 'missing score')} of {len(score)} (first at "
            f"{every.table.where(every.rows[lacking])}); see `missing_document`"
        )
    run = replace(every, number=score)
    if ranked.missing_document == "last":
        has = ~np.isnan(score)
        last = compute_scores_below(
            every.query[has], score[has], int(every.query.max(initial=-1)) + 1
        )
        return replace(run, number=np.where(has, score, last[every.query]))
    return run.some(~np.isnan(score))


def _refuse_missing(table: FileTable, column: ColumnRequest, kept: Mask) -> None:
    missing = np.flatnonzero(null_mask(table.texts(column.name)) & kept)
    if len(missing):
        raise DataError(
            f"{table.shown}: column {column.name!r} has "
            f"{format_count(len(missing), 'missing name')} of "
            f"{table.rows} (first at {table.where(missing)}); a query and a document need one"
        )


def _check_constant_facts(
    request: DatasetRequest, table: FileTable, rows: Index, code: Index, labels: tuple[str, ...]
) -> None:
    """Check that what is known of a query is the same on each of its lines."""
    named = [
        request.weight,
        request.cluster,
        request.strata,
        request.fold,
        request.time,
        request.balance,
    ]
    names = [("column", c.name) for c in named if c] + [
        ("segment", each.column) for each in request.segments
    ]
    first = np.unique(code, return_index=True)[1]
    for _, name in dict.fromkeys(names):
        texts, value = encode_texts(table.texts(name))
        own = value[rows]
        wrong = np.flatnonzero(own != own[first][code])
        if len(wrong):
            pair = np.array([rows[first[code[wrong[0]]]], rows[wrong[0]]])
            said = [quote_value(texts[value[k]]) if value[k] >= 0 else "nothing" for k in pair]
            one, other = (table.where(pair[k : k + 1]) for k in (0, 1))
            raise DataError(
                f"{table.shown}: column {name!r} differs within query "
                f"{quote_value(labels[code[wrong[0]]])} ({said[0]} at {one}, {said[1]} at "
                f"{other}); a query has one value of it"
            )


def _match_query_facts(
    request: DatasetRequest, file: TableRequest, found: JudgedRuns
) -> tuple[FileTable, Index, tuple[str, ...]]:
    """Read the table with a line for each query, and find the line of each query in it.

    Returned with it are its columns that may identify units.
    """
    assert file.id is not None
    table, units = _read_facts(request, file)
    if request.match == "loose":
        own = found.judged.table.spellings.values()
        table = replace(table, spellings={file.id.name: next(iter(own))})
    labels, code = encode_texts(table.texts(file.id.name))
    place: dict[str, int] = {}
    for row, at in enumerate(code):
        name = labels[at] if at >= 0 else ""
        if name in place:
            raise DataError(
                f"{table.shown}: query {quote_value(name)} occurs twice "
                f"({table.where(np.array([place[name], row]))}); give each one line"
            )
        place[name] = row
    lacking = [name for name in found.queries if name not in place]
    if request.in_doubt and (pair := find_match(lacking, place)):
        raise DataError(
            f"{table.shown}: no line for {len(lacking)} of {len(found.queries)} queries of "
            f"{found.judged.table.shown} as they are written (one is at "
            f"{table.where(np.array([place[pair[1]]]))}); "
            f"they {suggest_loose(*pair, request.name)}"
        )
    if lacking:
        places = [k for k, name in enumerate(found.queries) if name not in place]
        first = format_queries(found, np.array(places[:3]))
        raise DataError(
            f"{table.shown}: no line for {len(lacking)} of {len(found.queries)} queries of "
            f"{found.judged.table.shown} (first {first}); give each one line"
        )
    return table, np.array([place[name] for name in found.queries], np.intp), units


def _read_facts(request: DatasetRequest, file: TableRequest) -> tuple[FileTable, tuple[str, ...]]:
    named = [request.cluster, request.strata, request.fold, request.time, request.balance, file.id]
    texts = [c for c in named if c is not None]
    texts += [ColumnRequest(each.column, each.at, each.source) for each in request.segments]
    numbers = [request.weight] if request.weight else []
    columns = [*texts, *numbers]
    source = open_source(file, {c.name: c.source or c.name for c in columns})
    problems = [p for c in columns if (p := source.problem_with(c))]
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    units = find_unit_columns(request, source.single, columns)
    return source.read({c.name for c in columns} | {*units}, {c.name for c in numbers}), units


def _drop_unjudged_queries(found: JudgedRuns) -> tuple[JudgedRuns, tuple[RaisedWarning, ...]]:
    """Without the queries that nobody judged, which a run may have."""
    is_judged = find_answered_queries(found.judged, len(found.queries))
    warnings = []
    for model, run in found.runs.items():
        has = find_answered_queries(run, len(found.queries))
        if not (has & is_judged).any():
            judged = quote_value(found.queries[int(np.flatnonzero(is_judged)[0])])
            own = quote_value(found.queries[int(np.flatnonzero(has)[0])]) if has.any() else "none"
            raise DataError(
                f"{run.table.shown}: shares no query with {found.judged.table.shown} "
                f"({judged} there, {own} here); use the same query names in both"
            )
        if (has & ~is_judged).any():
            numbers: dict[str, Scalar] = {"queries": int((has & ~is_judged).sum())}
            warnings.append(RaisedWarning("W233", numbers, model=model))
    return found.select_queries(is_judged), tuple(warnings)


def _load_lists(
    request: DatasetRequest,
    ranked: RankedRequest,
    found: JudgedRuns,
    warnings: tuple[RaisedWarning, ...],
) -> LoadedDataset:
    every = found.queries
    waterfall = RowWaterfall(len(every))
    for model, lack in find_missing_queries(found, ranked).items():
        if lack.any():
            is_dropped = ranked.missing_query == "drop"
            numbers: dict[str, Scalar] = {"queries": int(lack.sum()), "of": len(every)}
            numbers["left_out" if is_dropped else "empty"] = numbers["queries"]
            warnings = (*warnings, RaisedWarning("W231", numbers, model=model))
            if is_dropped:
                waterfall.keep("dropped", ~lack, f"no line in the run of {model!r}")
    for model, share in found.against.items():
        if share > LIMITS["W235"]["share"]:
            warnings = (*warnings, RaisedWarning("W235", {"share": share}, model=model))
    if ranked.are_powers:
        check_gain_size(found)
    if request.sample is not None:
        chosen = sample_rows(every, waterfall, request.sample, found.judged.table.shown)
        reason = f"n {request.sample.n}, seed {request.sample.seed}"
        waterfall.keep("sampled", chosen, reason)
    if waterfall.remaining < 2:
        raise DataError(
            f"{found.judged.table.shown}: {format_count(waterfall.remaining, 'query', 'queries')} "
            f"of {len(every)} left to compare models on; at least 2 are needed"
        )
    found = found.select_queries(waterfall.kept)
    if found.facts is not None:
        check_names(request, *found.facts)
    sample = _build_sample(request, ranked, found)
    warnings = (*warnings, *_iter_warnings(found, sample))
    return LoadedDataset(sample, _build_info(request, found, sample, waterfall), warnings)


def _build_sample(
    request: DatasetRequest, ranked: RankedRequest, found: JudgedRuns, is_part: bool = False
) -> Sample:
    lists, judged = build_lists(found, ranked)
    relevant = np.bincount(
        found.judged.query[found.judged.number >= ranked.relevant], minlength=len(found.queries)
    )
    best = {
        model: np.append(each.score, 0.0)[
            np.where(each.start[1:] > each.start[:-1], each.start[:-1], len(each.score))
        ]
        for model, each in lists.items()
    }
    lacking = [~find_answered_queries(run, len(found.queries)) for run in found.runs.values()]
    models = {model: ModelColumns(best[model], lists=each) for model, each in lists.items()}
    unanswered = np.any(lacking, axis=0) if lacking else None
    places = np.full(len(found.queries), np.iinfo(np.intp).max, dtype=np.intp)
    np.minimum.at(places, found.judged.query, found.judged.rows)
    sample = Sample(
        request.name,
        found.queries,
        QueryTarget(relevant.astype(np.float64), judged, unanswered),
        models,
        numbered_in=_join_numbered_digests(ranked, found),
        places=places,
    )
    if found.facts is None:
        return sample
    table, rows = found.facts
    collections = encode_column(table, request.balance, rows)
    weight = _balance_collections(_compute_weight(request, table, rows, is_part), collections)
    return replace(
        sample,
        sampling=SamplingColumns(
            weight=weight,
            units=build_resampling_units(table, request, rows),
            strata=collections or encode_column(table, request.strata, rows),
            fold=sort_codes_by_number(encode_column(table, request.fold, rows)),
            time=encode_times(table, request.time.name, rows) if request.time else None,
            undeclared=dict(iter_units(table, found.units, rows)),
        ),
        segments={each.column: encode_segment(table, each, rows) for each in request.segments},
    )


def _join_numbered_digests(ranked: RankedRequest, found: JudgedRuns) -> str:
    """Return the digests of the files whose queries are numbered, not named, or an empty text."""
    is_numbered = ranked.letor is not None and ranked.letor.sizes is not None
    return " ".join(each.sha256 for each in found.inputs) if is_numbered else ""


def _balance_collections(weight: Vector | None, collections: Codes | None) -> Vector | None:
    """Weights of which each collection has the same in all, 1 a query on average."""
    if collections is None:
        return weight
    own = np.ones(len(collections.code)) if weight is None else weight
    total = np.bincount(collections.code, own, minlength=len(collections.labels))
    share = np.divide(
        own, total[collections.code], out=np.zeros(len(own)), where=total[collections.code] > 0
    )
    return np.asarray(share * (len(own) / np.count_nonzero(total)))


def _compute_weight(
    request: DatasetRequest, table: FileTable, rows: Index, is_part: bool
) -> Vector | None:
    if request.weight is None:
        return None
    values = read_role_numbers("weight", table, request.weight.name)
    used = np.zeros(table.rows, dtype=bool)
    used[rows] = True
    missing = np.flatnonzero(np.isnan(values) & used)
    if len(missing):
        raise DataError(
            f"{table.shown}: weight column {request.weight.name!r} has "
            f"{format_count(len(missing), 'missing value')} (first at {table.where(missing)})"
        )
    each = AlignedColumn("weight", request.weight.name, table, np.isnan(values), values)
    if not is_part or (values[used] != 0).any():  # in all of the data some must weigh
        check_weights((each,), used)
    return np.ascontiguousarray(values[rows])


def _iter_warnings(found: JudgedRuns, sample: Sample) -> Iterator[RaisedWarning]:
    none = int(np.count_nonzero(sample.y == 0))
    if none:
        yield RaisedWarning("W232", {"queries": none, "of": sample.n})
    negative = int(np.count_nonzero(found.judged.number < 0))
    if negative:
        yield RaisedWarning("W234", {"documents": negative})
    yield from warn_small_segments(iter_segment_infos(sample))


def _build_info(
    request: DatasetRequest, found: JudgedRuns, sample: Sample, waterfall: RowWaterfall
) -> DatasetInfo:
    weight = sample.sampling.weight
    columns = [profile_column(sample.y, "count", "relevant documents")]
    if weight is not None and request.weight is not None:
        columns.append(profile_column(weight, "weight", request.weight.name))
    return describe_sample(
        request,
        sample,
        unit="",
        inputs=found.inputs,
        waterfall=waterfall.finish(),
        columns=tuple(columns),
        case=("query", "queries"),
        reading=describe_reading(
            [
                found.judged.table,
                *(run.table for run in found.runs.values()),
                *([found.facts[0]] if found.facts else []),
            ]
        ),
    )
