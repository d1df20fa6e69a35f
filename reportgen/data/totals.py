"""Refuse a last row that holds totals of the rows above it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from keyword import iskeyword

import numpy as np
import pyarrow.compute as pc

from reportgen.data.arrow import Mask, convert_mask, take_rows
from reportgen.data.filters import RowFilter
from reportgen.data.requests import DatasetRequest
from reportgen.data.row_groups import GroupedTable
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable
from reportgen.data.tables import DatasetTables
from reportgen.errors import DataError
from reportgen.text import are_values_hidden, quote_value

_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_INTEGER_TEXT = r"^\s*[+-]?\d+\s*$"
FEWEST_SUMMED = 5  # other rows that are not 0
ROUNDING_OF_SUMS = 1e-6  # of the sum
_ROUNDING = 0.51  # of the last decimal that a mean is written with


def refuse_totals(request: DatasetRequest, tables: DatasetTables) -> None:
    """Refuse a last row of totals in the table of a dataset, or in a table of scores."""
    main = tables.main
    names = [request.target.name, *(m.column.name for m in request.models.values() if not m.scores)]
    if request.table.id is not None:
        ids = request.table.id.name
        if problem := describe_totals(main, lambda: (), ids, names, tables.filter):
            raise DataError(f"{problem}{_propose_filter(request, ids, main, tables.filter)}")
    refuse_sums(request, main, names, tables.filter)
    for name, table in tables.scores.items():
        model = request.models[name]
        if model.scores is not None and model.scores.id is not None:
            own = [model.column.name]
            if problem := describe_totals(table, lambda: (), model.scores.id.name, own, None):
                raise DataError(f"{problem}; remove it")


def refuse_sums(
    request: DatasetRequest, table: FileTable, names: list[str], chosen: RowFilter | None
) -> None:
    """Refuse a first or last row whose target and scores are the sums over all other rows.

    The id does not matter: it may be an integer, or missing.
    """
    rows = np.flatnonzero(_choose_rows(table, chosen))
    if len(rows) <= FEWEST_SUMMED or len(set(names)) < 2:
        return
    places = {-1, 0}
    for name in dict.fromkeys(names):
        try:
            places &= _find_sums(table.numbers(name)[rows])
        except (DataError, KeyError):
            return
        if not places:
            return
    at, column = rows[[min(places)]], request.target.name
    row = int(at[0])
    raise DataError(
        f"{table.shown}: {table.where(at)} holds totals: its {column} and its scores "
        f"are the sums over all other rows{_propose_rule(request, table, row)}"
    )


def _find_sums(values: Vector) -> set[int]:
    """Find which of the last (-1) and the first (0) value are the sum of enough others."""
    known = values[~np.isnan(values)]
    if np.count_nonzero(known) <= FEWEST_SUMMED:
        return set()
    total = float(known.sum())
    others = {place: total - float(values[place]) for place in (-1, 0)}
    return {
        place
        for place, other in others.items()
        if other and abs(values[place] - other) <= ROUNDING_OF_SUMS * abs(other)
    }


def refuse_streamed_totals(request: DatasetRequest, table: GroupedTable) -> None:
    """Refuse a last row of totals in a table that is streamed.

    Only the last row group is searched for the last row that the filter keeps.
    """
    if request.table.id is None or not table.groups:
        return
    ids, group = request.table.id.name, table.groups[-1]
    name = table.texts_of(group, ids)[group.rows - 1].as_py()
    if table.filter is None and (name is None or _INTEGER.fullmatch(name)):
        return
    names = [request.target.name, *(model.column.name for model in request.models.values())]
    last = table.read(group)
    earlier = partial(map, table.read, table.groups[:-1])
    if problem := describe_totals(last, earlier, ids, names, table.filter):
        raise DataError(f"{problem}{_propose_filter(request, ids, last, table.filter)}")


def describe_totals(
    last: FileTable,
    list_earlier: Callable[[], Iterable[FileTable]],
    ids: str,
    names: Iterable[str],
    chosen: RowFilter | None,
) -> str:
    """Describe the totals in the last row of a table; return an empty text if there are none.

    A row holds totals if its id is text where all others are integers, and one of its values is
    the sum or the mean of those above it. Rows before those of `last` are read only if its id is
    such a text.
    """
    kept = _choose_rows(last, chosen)
    rows = np.flatnonzero(kept)
    texts = last.texts(ids)
    if not len(rows) or (name := texts[int(rows[-1])].as_py()) is None or _INTEGER.fullmatch(name):
        return ""
    tables = [(last, rows[:-1])]
    tables += [(each, np.flatnonzero(_choose_rows(each, chosen))) for each in list_earlier()]
    if sum(len(own) for _, own in tables) < 2:
        return ""
    for table, own in tables:
        if not convert_mask(
            pc.match_substring_regex(take_rows(table.texts(ids), own), _INTEGER_TEXT)
        ).all():
            return ""
    for column in dict.fromkeys(names):
        try:
            value = last.numbers(column)[rows[-1]]
            above = np.concatenate([table.numbers(column)[own] for table, own in tables])
        except (DataError, KeyError):
            continue
        if kind := _find_kind(float(value), above[~np.isnan(above)]):
            return (
                f"{last.shown}: {last.where(rows[-1:])} holds totals: its id is "
                f"{quote_value(name)}, and its {column} is the {kind} of the values above it"
            )
    return ""


def _find_kind(value: float, above: Vector) -> str:
    """Find whether a value is the sum or the mean of others, to its decimals; empty if neither."""
    if not np.isfinite(value) or len(above) < 2 or not above.any():
        return ""
    decimals = len(repr(value).partition(".")[2].removesuffix("0")) if abs(value) < 1e15 else 0
    unit = 10.0**-decimals
    total = float(above.sum())
    if abs(value - total) <= unit * np.sqrt(len(above)) and abs(value - total) <= 1e-3 * abs(total):
        return "sum"
    if np.ptp(above) > 0 and abs(value - total / len(above)) <= _ROUNDING * unit:
        return "mean"
    return ""


def _choose_rows(table: FileTable, chosen: RowFilter | None) -> Mask:
    return np.ones(table.rows, dtype=bool) if chosen is None else chosen.rows(table)


def _propose_filter(
    request: DatasetRequest, ids: str, table: FileTable, chosen: RowFilter | None
) -> str:
    rows = np.flatnonzero(_choose_rows(table, chosen))
    return _propose_rule_by(request, ids, f"!= {table.texts(ids)[int(rows[-1])].as_py()!r}")


def _propose_rule(request: DatasetRequest, table: FileTable, row: int) -> str:
    """Propose how to leave a row out: by its id, or by its target if it has no id."""
    ids, target = request.table.id, request.target.name
    if ids is None:
        return _propose_rule_by(request, target, f"!= {float(table.numbers(target)[row])!r}")
    text = table.texts(ids.name)[row].as_py()
    if text is None:
        return _propose_rule_by(request, ids.name, "is not missing")
    is_number = table.holds_numbers(ids.name)
    return _propose_rule_by(request, ids.name, f"!= {text.strip() if is_number else repr(text)}")


def _propose_rule_by(request: DatasetRequest, column: str, condition: str) -> str:
    if are_values_hidden():
        return f"; remove it, or leave it out by `filter:` under datasets.{request.name}"
    column = column if column.isidentifier() and not iskeyword(column) else f"`{column}`"
    rule = f"{column} {condition}"
    if request.filter is not None and request.filter_shown is None:
        rule = f"({request.filter}) and {rule}"
    if request.filter_shown is not None:
        return f"; remove it, or add `and {rule}` to the filter under datasets.{request.name}"
    line = json.dumps(rule, ensure_ascii=False)
    return f"; remove it, or write `filter: {line}` under datasets.{request.name}"
