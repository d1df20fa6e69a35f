"""Columns that go by a pattern of classes, `p_{class}`, and are not there: one line for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from reportgen.data.arrow import Index
from reportgen.data.files.source import Source
from reportgen.data.labels import LabelLists
from reportgen.data.request import ColumnRequest, DatasetRequest, ModelRequest
from reportgen.data.table import FileTable, counted
from reportgen.data.targets import Values, listed
from reportgen.errors import DataError, Problem
from reportgen.text import class_value, in_yaml, quoted


def absent_columns(source: Source, columns: Iterable[ColumnRequest]) -> Iterator[Problem]:
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
            nor = f"nor {len(names) - 1} more of {quoted(of_one[0].pattern)}"
            said = (
                f"{source.shown} has no column {quoted(names[0])}, {nor}; {source.hint(names[0])}"
            )
            problem = Problem(said, problem.at)
        if problem is not None:
            yield problem


def unknown_classes(
    request: DatasetRequest, sources: Mapping[str, Source]
) -> tuple[list[Problem], frozenset[str]]:
    """What is wrong with classes of the data for which no model has a column, and these columns.

    Nothing where the config names the classes, or where all columns of a pattern are lacking.
    """
    models = dict(_patterned(request, sources))
    if not models or request.classes is None or not request.classes.are_found:
        return [], frozenset()
    absent = [{c for c, column in model.parts.items() if column.name not in names}
              for model, names in models.values()]  # fmt: skip
    wrong = [each for each in request.classes.names if all(each in lacks for lacks in absent)]
    found = _first_with(request, sources, wrong) if wrong else None
    if found is None:
        return [], frozenset()
    where, rows, table = found
    parts = [model.parts[each] for model, _ in models.values() for each in wrong]
    whose = f"model{'s' * (len(models) > 1)} {listed(list(models))}"
    have = "have" if len(models) > 1 else "has"
    known = ", ".join(in_yaml(each) for each in request.classes.names if each not in wrong)
    said = (
        f"{table.shown}: {where} has {listed(wrong)} on {counted(len(rows), 'row')} (first at "
        f"{table.where(rows)}), and {whose} {have} no column for "
        f"{'it' if len(wrong) == 1 else 'them'} ({quoted(parts[0].name)}); mend them, or write "
        f"classes: [{known}] and leave such rows out by `filter:` under datasets.{request.name}"
    )
    return [Problem(said, parts[0].at)], frozenset(part.name for part in parts)


def _patterned(
    request: DatasetRequest, sources: Mapping[str, Source]
) -> Iterator[tuple[str, tuple[ModelRequest, tuple[str, ...]]]]:
    """The models whose columns go by a pattern, some of which are there, with all of the file's."""
    for name, model in request.models.items():
        source = sources.get((model.scores or request.table).path)
        columns = model.parts.values()
        if source is None or not columns or not all(column.pattern for column in columns):
            continue
        if any(column.name in source.names for column in columns):
            yield name, (model, source.names)


def _first_with(
    request: DatasetRequest, sources: Mapping[str, Source], wrong: list[str]
) -> tuple[str, Index, FileTable] | None:
    """The first column, of the target or of what models call, that holds some classes, and where.

    What cannot be read is left out: it is told where the rows are read.
    """
    asked = [("", request.table.path, request.target)]
    asked += [
        (f" of model {quoted(name)}", (model.scores or request.table).path, model.column)
        for name, model in request.models.items()
        if model.is_label and not model.parts
    ]
    for of, path, column in asked:
        try:
            table = sources[path].read({column.name}, set())
            rows = _rows_with(request, table, column.name, wrong)
        except (DataError, KeyError):
            continue
        if len(rows):
            return f"column {quoted(column.name)}{of}", rows, table
    return None


def _rows_with(request: DatasetRequest, table: FileTable, column: str, wrong: list[str]) -> Index:
    values = {class_value(each) for each in wrong}
    separator = request.classes.separator if request.classes else None
    if request.has_labels and separator is not None:
        return LabelLists.of(table, column, separator).rows_with(values)
    found = Values.of(table, column)
    return np.flatnonzero(
        np.isin(found.code, [found.places[v] for v in values & set(found.places)])
    )
