"""All tables of a dataset, opened and checked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from reportgen.data.arrow import Index, build_texts
from reportgen.data.codes import is_unit_name
from reportgen.data.files.source import OpenedSource, describe_missing_column, open_source
from reportgen.data.filters import GRAMMAR, FilterError, RowFilter, parse_filter
from reportgen.data.names import (
    OTHERWISE,
    Spellings,
    find_match,
    find_pattern_columns,
    find_twins,
    suggest_loose,
)
from reportgen.data.requests import (
    ColumnRequest,
    DatasetRequest,
    ModelRequest,
    SegmentRequest,
    TableRequest,
)
from reportgen.data.table import FileTable, format_count
from reportgen.data.targets import ClassValuesColumn, LabelListColumn, format_values
from reportgen.errors import ConfigError, ConfigPath, DataError, Problem
from reportgen.records import record
from reportgen.results.core import InputFile
from reportgen.text import (
    are_values_hidden,
    format_yaml_value,
    mask_value,
    parse_class_value,
    quote,
)


def iter_absent_columns(
    source: OpenedSource, columns: Iterable[ColumnRequest]
) -> Iterator[Problem]:
    """Say which columns a file lacks: those of one pattern in one line."""
    lacking: dict[object, list[ColumnRequest]] = {}
    for column in columns:
        if column.name not in source.names:
            key = (column.at, column.pattern) if column.pattern else column
            lacking.setdefault(key, []).append(column)
    for of_one in lacking.values():
        names = list(dict.fromkeys(column.name for column in of_one))
        problem = source.problem_with(of_one[0])
        if problem is not None and len(names) > 1:
            first = describe_missing_column(source.shown, of_one[0])
            nor = f", nor {len(names) - 1} more of {quote(of_one[0].pattern)}"
            said = f"{first}{nor}; {source.hint(names[0])}"
            problem = Problem(said, problem.at)
        if problem is not None:
            yield problem


def rename_pattern_columns(
    request: DatasetRequest, sources: dict[str, OpenedSource]
) -> list[Problem]:
    """Rename columns that differ from a pattern only in spelling, if `match: loose` allows it.

    If the config does not set `match`, return the problem of each pattern.
    """
    problems = []
    for path, parts in _iter_patterns(request):
        source = sources.get(path)
        lacking = {v: each for v, each in parts.items() if source and each.name not in source.names}
        if source is None or not lacking or request.match == "exact":
            continue
        known = {each.name for each in parts.values()}
        free = [name for name in source.single if name not in known]
        first = next(iter(lacking.values()))
        near = find_pattern_columns(first.pattern, list(lacking), free)
        if request.match == "loose":
            sources[path] = source.rename({lacking[v].name: name for v, name in near.items()})
        elif near:
            value, name = next(iter(near.items()))
            problems.append(_describe_near_column(request, source, lacking[value], name, len(near)))
    return problems


def _describe_near_column(
    request: DatasetRequest, source: OpenedSource, column: ColumnRequest, near: str, count: int
) -> Problem:
    text = describe_missing_column(source.shown, column)
    if are_values_hidden():
        text += "; two names"
    else:
        text += f"; {quote(near)} and {quote(column.name)}"
        text += f" (and {count - 1} more of {quote(column.pattern)})" * (count > 1)
    pair = near, column.name
    if find_twins(build_texts(pair)) is None:  # only the classes differ, as 7.0 and 7 do
        head, _, tail = map(len, column.pattern.partition("{class}"))
        pair = near[head : len(near) - tail], column.name[head : len(column.name) - tail]
    return Problem(f"{text} {suggest_loose(*pair, request.name)}", column.at)


def _iter_patterns(request: DatasetRequest) -> Iterator[tuple[str, Mapping[str, ColumnRequest]]]:
    """Yield the columns of each pattern by class, and the path of their file."""
    main = request.table.path
    patterns = [(main, request.classes.columns)] if request.classes else []
    patterns += [((m.scores or request.table).path, m.parts) for m in request.models.values()]
    for path, parts in patterns:
        if parts and all(column.pattern for column in parts.values()):
            yield path, parts


def find_unknown_classes(
    request: DatasetRequest, sources: Mapping[str, OpenedSource]
) -> tuple[list[Problem], frozenset[str]]:
    """Find problems with classes of the data for which no model has a column, and these columns.

    Nothing where the config names the classes, or where all columns of a pattern are lacking.
    """
    models = dict(_iter_pattern_models(request, sources))
    if not models or request.classes is None or not request.classes.are_found:
        return [], frozenset()
    absent = [
        {c for c, column in model.parts.items() if column.name not in names}
        for model, names in models.values()
    ]
    wrong = [each for each in request.classes.names if all(each in lacks for lacks in absent)]
    found = _find_first_column_with(request, sources, wrong) if wrong else None
    if found is None:
        return [], frozenset()
    where, rows, table = found
    parts = [model.parts[each] for model, _ in models.values() for each in wrong]
    whose = f"model{'s' * (len(models) > 1)} {format_values(list(models))}"
    have = "have" if len(models) > 1 else "has"
    own = [each for each in request.classes.names if each not in wrong]
    known = ", ".join(map(format_yaml_value, own))
    named = parts[0].pattern if are_values_hidden() else parts[0].name
    way = (
        f"correct them, or write classes: [{known}] and leave such rows out by `filter:` under "
        f"datasets.{request.name}"
    )
    if request.in_doubt and (pair := find_match(wrong, own)):
        near = suggest_loose(*pair, request.name)
        way = f"{mask_value(format_values(pair))} {near}{OTHERWISE}"
    way = _suggest_separator(request, sources, own) or way
    said = (
        f"{table.shown}: {where} has {mask_value(format_values(wrong))} on "
        f"{format_count(len(rows), 'row')} (first at {table.where(rows)}), and {whose} "
        f"{have} no column for {'it' if len(wrong) == 1 else 'them'} ({quote(named)}); {way}"
    )
    return [Problem(said, parts[0].at)], frozenset(part.name for part in parts)


def _suggest_separator(
    request: DatasetRequest, sources: Mapping[str, OpenedSource], known: list[str]
) -> str:
    """Suggest the separator by which the target lists labels that have columns, or nothing."""
    if not request.has_labels or request.classes is None or not request.classes.separator:
        return ""
    models = [model for _, model in _iter_pattern_models(request, sources)]
    patterns = [(part.pattern, names) for model, names in models for part in model.parts.values()]

    def is_known(label: str) -> bool:
        return label in known or any(
            pattern.replace("{class}", label) in names for pattern, names in patterns
        )

    target = request.target.name
    try:
        table = sources[request.table.path].read({target}, set())
        lists = LabelListColumn.from_table(table, target, request.classes.separator)
    except (DataError, KeyError):
        return ""
    return lists.suggest_separator(is_known, request.name)


def _iter_pattern_models(
    request: DatasetRequest, sources: Mapping[str, OpenedSource]
) -> Iterator[tuple[str, tuple[ModelRequest, tuple[str, ...]]]]:
    """Yield each model with pattern columns, some of which exist, and all columns of its file."""
    for name, model in request.models.items():
        source = sources.get((model.scores or request.table).path)
        columns = model.parts.values()
        if source is None or not columns or not all(column.pattern for column in columns):
            continue
        if any(column.name in source.names for column in columns):
            yield name, (model, source.names)


def _find_first_column_with(
    request: DatasetRequest, sources: Mapping[str, OpenedSource], wrong: list[str]
) -> tuple[str, Index, FileTable] | None:
    """Find the first column, of the target or of model labels, that holds some classes, and where.

    What cannot be read is left out: it is reported where the rows are read.
    """
    asked = [("", request.table.path, request.target)]
    asked += [
        (f" of model {quote(name)}", (model.scores or request.table).path, model.column)
        for name, model in request.models.items()
        if model.is_label and not model.parts
    ]
    for of, path, column in asked:
        try:
            table = sources[path].read({column.name}, set())
            rows = _find_rows_with(request, table, column.name, wrong)
        except (DataError, KeyError):
            continue
        if len(rows):
            return f"column {quote(column.name)}{of}", rows, table
    return None


def _find_rows_with(
    request: DatasetRequest, table: FileTable, column: str, wrong: list[str]
) -> Index:
    values = {parse_class_value(each) for each in wrong}
    separator = request.classes.separator if request.classes else None
    if request.has_labels and separator is not None:
        return LabelListColumn.from_table(table, column, separator).rows_with(values)
    found = ClassValuesColumn.from_table(table, column)
    return np.flatnonzero(
        np.isin(found.code, [found.places[v] for v in values & set(found.places)])
    )


@record
class DatasetTables:
    """The dataset's own table and, for the models that have one, the table of their scores."""

    main: FileTable
    scores: dict[str, FileTable]
    filter: RowFilter | None
    inputs: tuple[InputFile, ...]
    unnamed: tuple[str, ...] = ()
    subsets: Mapping[str, RowFilter] = field(default_factory=dict)

    def describe_reading(self) -> tuple[str, ...] | None:
        """List what was skipped or converted when the files were read; None if nothing."""
        return describe_reading((self.main, *self.scores.values()))


def describe_reading(tables: Iterable[FileTable]) -> tuple[str, ...] | None:
    """List what was skipped or converted when tables were read; None if nothing."""
    notes = dict.fromkeys(notes for table in tables for notes in table.describe_reading())
    return tuple(notes) or None


@dataclass
class _Wanted:
    """The columns to read of one path, and what for."""

    table: TableRequest
    roles: dict[str, None] = field(default_factory=dict)
    texts: list[ColumnRequest] = field(default_factory=list)
    numbers: list[ColumnRequest] = field(default_factory=list)

    @property
    def columns(self) -> list[ColumnRequest]:
        return [*self.texts, *self.numbers]

    @property
    def sources(self) -> dict[str, str]:
        """Names of the columns in the file."""
        return {column.name: column.source or column.name for column in self.columns}

    @property
    def role(self) -> str:
        """Role of the file in the report: `data`, `labels`, or `scores of` its models."""
        own = [role for role in self.roles if role in ("data", "labels")]
        models = [role for role in self.roles if role not in ("data", "labels")]
        return ", ".join(own + (["scores of " + ", ".join(models)] if models else []))


def read_tables(request: DatasetRequest) -> DatasetTables:
    """Read every column that a dataset needs, and those that may tell its units apart."""
    problems = _list_problems(request)
    found, subsets = _build_filter(request, problems), _collect_subsets(request, problems)
    wanted = _collect_wanted_columns(request, found)
    wanted[request.table.path].texts += _columns_of(request, subsets)
    sources = _open_sources(wanted, problems)
    if near := rename_pattern_columns(request, sources):
        raise ConfigError([*problems, *near])
    strange, unknown = find_unknown_classes(request, sources)
    problems += strange
    for path, source in sources.items():
        columns = (each for each in wanted[path].columns if each.name not in unknown)
        problems += iter_absent_columns(source, columns)
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    single = sources[request.table.path].single
    unnamed = find_unit_columns(request, single, wanted[request.table.path].columns)
    wanted[request.table.path].texts += [ColumnRequest(name) for name in unnamed]
    tables = {path: _read_table(sources[path], each) for path, each in wanted.items()}
    if request.match == "loose":
        tables = spell_names_alike(request, tables)
    return DatasetTables(
        main=tables[request.table.path],
        scores={
            name: tables[model.scores.path]
            for name, model in request.models.items()
            if model.scores is not None
        },
        filter=found,
        inputs=tuple(
            one
            for path, each in wanted.items()
            for one in sources[path].inputs(each.role, tables[path])
        ),
        unnamed=unnamed,
        subsets=subsets,
    )


def spell_names_alike(
    request: DatasetRequest, tables: Mapping[str, FileTable]
) -> dict[str, FileTable]:
    """Return the tables with one spelling for names that differ only in how they are written."""
    main, own = request.table.path, tables[request.table.path]
    spellings: dict[str, dict[str, Spellings]] = {path: {} for path in tables}
    of_main = [each.name for each in _list_names_of_rows(request)]
    of_main += [each.column for each in request.segments if each.bins is None]
    for name in of_main:
        if not own.holds_numbers(name):
            spellings[main][name] = Spellings.from_texts(own.texts(name))
    if request.table.id:
        ids = Spellings.from_texts(own.texts(request.table.id.name))
        spellings[main][request.table.id.name] = ids
        for model in request.models.values():
            if model.scores and model.scores.id:
                spellings[model.scores.path][model.scores.id.name] = ids
    asked = request.classes
    if asked and not (asked.columns or asked.is_cut):
        names = Spellings.from_texts(_read_class_texts(own, request), asked.all_names)
        spellings[main][request.target.name] = names
        if request.second_target:
            spellings[main][request.second_target.name] = names
        for model in request.models.values():
            if model.is_label and not model.parts:
                path = model.scores.path if model.scores else main
                spellings[path][model.column.name] = names
    return {path: replace(each, spellings=spellings[path]) for path, each in tables.items()}


def _read_class_texts(table: FileTable, request: DatasetRequest) -> Any:
    """Return the texts of a target; none where each lists several labels, which are declared."""
    return build_texts([]) if request.has_labels else table.texts(request.target.name)


def _list_names_of_rows(request: DatasetRequest) -> list[ColumnRequest]:
    """List the columns of names that go with rows, but for ids and segments."""
    document = request.ranked.document if request.ranked else None
    named = (request.cluster, request.strata, request.query, request.fold, request.repeat)
    return [each for each in (*named, request.balance, document) if each]


def list_wanted_columns(
    request: DatasetRequest, problems: list[Problem]
) -> tuple[RowFilter | None, tuple[ColumnRequest, ...]]:
    """Return the filter of a request and every column that is wanted of its own table."""
    problems += _list_problems(request)
    found = _build_filter(request, problems)
    return found, tuple(_collect_wanted_columns(request, found)[request.table.path].columns)


def find_unit_columns(
    request: DatasetRequest, single: Iterable[str], wanted: Iterable[ColumnRequest]
) -> tuple[str, ...]:
    """Columns of units that are not asked for, where nothing says how rows hang together.

    `single` are the columns whose name no other has.
    """
    if request.cluster or request.time or (request.query and request.ranked is None):
        return ()
    known = {column.name for column in wanted}
    return tuple(name for name in single if is_unit_name(name) and name not in known)


def _collect_wanted_columns(request: DatasetRequest, found: RowFilter | None) -> dict[str, _Wanted]:
    wanted = {request.table.path: _Wanted(request.table)}
    has_scores = any(model.scores for model in request.models.values())
    main = wanted[request.table.path]
    main.roles["labels" if has_scores else "data"] = None
    main.texts += _iter_texts(request, found)
    asked = request.classes
    if asked is not None and asked.columns:
        main.texts += asked.columns.values()
    elif not request.is_finished:
        (main.numbers if asked is None else main.texts).append(request.target)
    main.numbers += [each for each in (request.weight, request.count) if each]
    main.numbers += request.costs.values()
    for name, model in request.models.items():
        own = main
        if model.scores is not None:
            own = wanted.setdefault(model.scores.path, _Wanted(model.scores))
            own.roles[name] = None
            own.texts += [model.scores.id] if model.scores.id else []
        kind = own.texts if model.is_label else own.numbers
        kind += [model.column, *model.parts.values()]
    return wanted


def _iter_texts(request: DatasetRequest, found: RowFilter | None) -> Iterator[ColumnRequest]:
    named = (
        request.table.id,
        request.cluster,
        request.strata,
        request.query,
        request.fold,
        request.repeat,
        request.time,
        request.balance,
        request.second_target,
        request.ranked.document if request.ranked else None,
    )
    yield from (column for column in named if column is not None)
    yield from (ColumnRequest(each.column, each.at, each.source) for each in request.segments)
    columns = found.columns.items() if found else ()
    yield from (ColumnRequest(name, request.filter_at, source) for name, source in columns)


def _open_sources(wanted: dict[str, _Wanted], problems: list[Problem]) -> dict[str, OpenedSource]:
    sources: dict[str, OpenedSource] = {}
    faults: list[str] = []
    for path, each in wanted.items():
        try:
            sources[path] = open_source(each.table, each.sources)
        except ConfigError as fault:
            problems += fault.problems
        except DataError as fault:
            faults += fault.lines
    if faults and not problems:
        raise DataError(*faults)
    return sources


def _read_table(source: OpenedSource, wanted: _Wanted) -> FileTable:
    texts = {column.name for column in wanted.texts}
    numbers = {column.name for column in wanted.numbers}
    return source.read(texts | numbers, numbers - texts)


def _build_filter(request: DatasetRequest, problems: list[Problem]) -> RowFilter | None:
    if request.filter is None:
        return None
    return _parse_filter_text(request.filter, request.filter_shown, request.filter_at, problems)


def _collect_subsets(request: DatasetRequest, problems: list[Problem]) -> dict[str, RowFilter]:
    """Collect, by name, the filters of row subsets that are evaluated on their own."""
    found = {
        each.name: _parse_filter_text(each.filter, each.shown, each.at, problems)
        for each in request.subsets
    }
    return {name: each for name, each in found.items() if each is not None}


def _columns_of(
    request: DatasetRequest, subsets: Mapping[str, RowFilter]
) -> Iterator[ColumnRequest]:
    places = {each.name: each.at for each in request.subsets}
    for name, each in subsets.items():
        for column, source in each.columns.items():
            yield ColumnRequest(column, places[name], source)


def _parse_filter_text(
    text: str, shown: str | None, at: ConfigPath, problems: list[Problem]
) -> RowFilter | None:
    try:
        return parse_filter(text, shown)
    except FilterError as fault:
        said = str(fault) if shown is None else f"{shown!r} is not understood; {GRAMMAR}"
        problems.append(Problem(f"filter: {said}", at))
        return None


def _list_problems(request: DatasetRequest) -> list[Problem]:
    """Find the problems of a request that are evident before any file is opened."""
    problems = [*_bin_problems(request.segments), *_repeat_problems(request.segments)]
    if request.sample is not None and request.sample.n < 2:
        text = f"sample: n is {request.sample.n}; at least 2 rows are needed"
        problems.append(Problem(text, request.sample.at))
    tables = [model.scores for model in request.models.values() if model.scores is not None]
    for table in [request.table, *tables] if tables else []:
        if table.id is None:
            text = f"{table.shown} needs an `id:` column to be joined by"
            problems.append(Problem(text, table.at))
    return problems


def _bin_problems(segments: Iterable[SegmentRequest]) -> Iterator[Problem]:
    for segment in segments:
        edges = segment.bins
        if edges is None:
            continue
        is_ascending = all(low < high for low, high in pairwise(edges))
        if len(edges) < 2 or not is_ascending or any(map(isnan, edges)):
            of = f"bins of segment column {quote(segment.column)}"
            text = f"{of} must be two or more ascending edges"
            yield Problem(text, segment.at)


def _repeat_problems(segments: Iterable[SegmentRequest]) -> Iterator[Problem]:
    seen: set[str] = set()
    for segment in segments:
        if segment.column in seen:
            yield Problem(f"segment column {quote(segment.column)} is given twice", segment.at)
        seen.add(segment.column)
