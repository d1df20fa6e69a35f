"""All tables of a dataset: opened together, checked together, each file read once.

Whatever the config gets wrong about files and columns is reported at once; only when nothing
is left of that are the contents read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import isnan

from reportgen.data.files.source import Source, open_source
from reportgen.data.filters import GRAMMAR, Filter, FilterError, parse_filter
from reportgen.data.names import is_of_units
from reportgen.data.patterned import absent_columns, unknown_classes
from reportgen.data.request import ColumnRequest, DatasetRequest, SegmentRequest, TableRequest
from reportgen.data.table import FileTable
from reportgen.errors import ConfigError, DataError, Path, Problem
from reportgen.results import InputFile
from reportgen.text import quoted


@dataclass(frozen=True)
class Tables:
    """The dataset's own table and, for the models that have one, the table of their scores."""

    main: FileTable
    scores: dict[str, FileTable]
    filter: Filter | None
    inputs: tuple[InputFile, ...]
    unnamed: tuple[str, ...] = ()
    subsets: Mapping[str, Filter] = field(default_factory=dict)


@dataclass
class _Wanted:
    """The columns that are wanted of one path, and what for."""

    table: TableRequest
    roles: dict[str, None] = field(default_factory=dict)
    texts: list[ColumnRequest] = field(default_factory=list)
    numbers: list[ColumnRequest] = field(default_factory=list)

    @property
    def columns(self) -> list[ColumnRequest]:
        return [*self.texts, *self.numbers]

    @property
    def sources(self) -> dict[str, str]:
        """What the file calls each column."""
        return {column.name: column.source or column.name for column in self.columns}

    @property
    def role(self) -> str:
        """What the report says the file is: `data`, `labels`, or `scores of` its models."""
        own = [role for role in self.roles if role in ("data", "labels")]
        models = [role for role in self.roles if role not in ("data", "labels")]
        return ", ".join(own + (["scores of " + ", ".join(models)] if models else []))


def read_tables(request: DatasetRequest) -> Tables:
    """Read every column that a dataset needs, and those that may tell its units apart."""
    problems = _problems_of(request)
    found, subsets = _filter(request, problems), _subsets(request, problems)
    wanted = _wanted(request, found)
    wanted[request.table.path].texts += _columns_of(request, subsets)
    sources = _opened(wanted, problems)
    strange, told = unknown_classes(request, sources)
    problems += strange
    for path, source in sources.items():
        columns = (each for each in wanted[path].columns if each.name not in told)
        problems += absent_columns(source, columns)
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    single = sources[request.table.path].single
    unnamed = columns_of_units(request, single, wanted[request.table.path].columns)
    wanted[request.table.path].texts += [ColumnRequest(name) for name in unnamed]
    tables = {path: _read(sources[path], each) for path, each in wanted.items()}
    return Tables(
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


def asked_columns(
    request: DatasetRequest, problems: list[Problem]
) -> tuple[Filter | None, tuple[ColumnRequest, ...]]:
    """The filter of a request and every column that is wanted of its own table."""
    problems += _problems_of(request)
    found = _filter(request, problems)
    return found, tuple(_wanted(request, found)[request.table.path].columns)


def columns_of_units(
    request: DatasetRequest, single: Iterable[str], wanted: Iterable[ColumnRequest]
) -> tuple[str, ...]:
    """Columns of units that are not asked for, where nothing says how rows hang together.

    `single` are the columns whose name no other has.
    """
    if request.together or request.time:
        return ()
    known = {column.name for column in wanted}
    return tuple(name for name in single if is_of_units(name) and name not in known)


def _wanted(request: DatasetRequest, found: Filter | None) -> dict[str, _Wanted]:
    wanted = {request.table.path: _Wanted(request.table)}
    has_scores = any(model.scores for model in request.models.values())
    main = wanted[request.table.path]
    main.roles["labels" if has_scores else "data"] = None
    main.texts += _texts(request, found)
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


def _texts(request: DatasetRequest, found: Filter | None) -> Iterator[ColumnRequest]:
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


def _opened(wanted: dict[str, _Wanted], problems: list[Problem]) -> dict[str, Source]:
    sources: dict[str, Source] = {}
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


def _read(source: Source, wanted: _Wanted) -> FileTable:
    texts = {column.name for column in wanted.texts}
    numbers = {column.name for column in wanted.numbers}
    return source.read(texts | numbers, numbers - texts)


def _filter(request: DatasetRequest, problems: list[Problem]) -> Filter | None:
    if request.filter is None:
        return None
    return _understood(request.filter, request.filter_shown, request.filter_at, problems)


def _subsets(request: DatasetRequest, problems: list[Problem]) -> dict[str, Filter]:
    """The expressions of rows that are looked at alone, by name."""
    found = {each.name: _understood(each.filter, each.shown, each.at, problems)
             for each in request.subsets}  # fmt: skip
    return {name: each for name, each in found.items() if each is not None}


def _columns_of(request: DatasetRequest, subsets: Mapping[str, Filter]) -> Iterator[ColumnRequest]:
    places = {each.name: each.at for each in request.subsets}
    for name, each in subsets.items():
        for column, source in each.columns.items():
            yield ColumnRequest(column, places[name], source)


def _understood(text: str, shown: str | None, at: Path, problems: list[Problem]) -> Filter | None:
    try:
        return parse_filter(text, shown)
    except FilterError as fault:
        said = str(fault) if shown is None else f"{shown!r} is not understood; {GRAMMAR}"
        problems.append(Problem(f"filter: {said}", at))
        return None


def _problems_of(request: DatasetRequest) -> list[Problem]:
    """What can be wrong with a request before any file is opened."""
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
            of = f"bins of segment column {quoted(segment.column)}"
            text = f"{of} must be two or more ascending edges"
            yield Problem(text, segment.at)


def _repeat_problems(segments: Iterable[SegmentRequest]) -> Iterator[Problem]:
    seen: set[str] = set()
    for segment in segments:
        if segment.column in seen:
            yield Problem(f"segment column {quoted(segment.column)} is given twice", segment.at)
        seen.add(segment.column)
