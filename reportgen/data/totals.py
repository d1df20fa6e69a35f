"""Find a row that holds totals of the others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
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
from reportgen.records import record
from reportgen.text import are_values_hidden, quote_value

_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_INTEGER_TEXT = r"^\s*[+-]?\d+\s*$"
FEWEST_SUMMED = 5  # other rows that are not 0
ROUNDING_OF_SUMS = 1e-6  # of the sum
_ROUNDING = 0.51  # of the last decimal that a mean is written with


@record
class TotalRow:
    """A row that holds totals of the others: where it is, and how that shows.

    `rule` is the filter that leaves it out, as a config writes it; with `is_more` it is what to add
    to the filter there is. It is empty where messages show no values. Without an id the row cannot
    be matched.
    """

    where: str
    because: str
    rule: str
    is_more: bool = False
    has_id: bool = True

    def describe_way_out(self, dataset: str) -> str:
        """Describe how to leave it out of a dataset."""
        if not self.rule:
            return f"leave it out by `filter:` under datasets.{dataset}"
        if self.is_more:
            return f"add `{self.rule}` to the filter under datasets.{dataset}"
        return f"write `filter: {self.rule}` under datasets.{dataset}"


def find_total_row(request: DatasetRequest, tables: DatasetTables) -> TotalRow | None:
    """Find a first or last row of totals in the table of a dataset.

    A table of scores alone that has one is refused: its row belongs to none of the dataset.
    """
    for name, table in tables.scores.items():
        model = request.models[name]
        if model.scores is not None and model.scores.id is not None:
            own = [model.column.name]
            if total := _find_named_total(table, lambda: (), model.scores.id.name, own, None):
                row, because = total
                place = table.where(np.array([row]))
                raise DataError(f"{table.shown}: {place} holds totals: {because}; remove it")
    main, chosen = tables.main, tables.filter
    names = [request.target.name, *(m.column.name for m in request.models.values() if not m.scores)]
    if request.table.id is not None:
        ids = request.table.id.name
        if total := _find_named_total(main, lambda: (), ids, names, chosen):
            row, because = total
            text = main.texts(ids)[row].as_py()
            return _describe_row(main, row, because, _propose_rule_by(request, ids, f"!= {text!r}"))
    return _find_summed_row(request, main, names, chosen)


def check_total_row(request: DatasetRequest, total: TotalRow | None) -> None:
    """Refuse a row of totals where the target holds classes, or where the row has no id."""
    if total is not None and (request.classes is not None or not total.has_id):
        way = total.describe_way_out(request.name)
        raise DataError(f"{total.where} holds totals: {total.because}; remove it, or {way}")


def _describe_row(table: FileTable, row: int, because: str, way: tuple[str, bool]) -> TotalRow:
    return TotalRow(f"{table.shown}: {table.where(np.array([row]))}", because, *way)


def _find_summed_row(
    request: DatasetRequest, table: FileTable, names: list[str], chosen: RowFilter | None
) -> TotalRow | None:
    """Find a first or last row whose target and scores are the sums over all other rows.

    The id does not matter: it may be an integer, or missing.
    """
    rows = np.flatnonzero(_choose_rows(table, chosen))
    if len(set(names)) < 2:
        return None
    try:
        place = find_sums(table.numbers(name)[rows] for name in dict.fromkeys(names))
    except (DataError, KeyError):
        return None
    if place is None:
        return None
    row, column, ids = int(rows[place]), request.target.name, request.table.id
    because = f"its {column} and its scores are the sums over all other rows"
    total = _describe_row(table, row, because, _propose_rule(request, table, row))
    has_id = ids is None or table.texts(ids.name)[row].is_valid
    return replace(total, has_id=has_id)


def find_sums(columns: Iterable[Vector]) -> int | None:
    """Find whether the last (-1) or the first (0) value of all columns is the sum of the others."""
    places = {-1, 0}
    for values in columns:
        places &= _find_sums(values)
        if not places:
            return None
    return min(places)


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


def find_streamed_total_row(request: DatasetRequest, table: GroupedTable) -> TotalRow | None:
    """Find a last row of totals in a table that is streamed.

    Only the last row group is searched for the last row that the filter keeps.
    """
    if request.table.id is None or not table.groups:
        return None
    ids, group = request.table.id.name, table.groups[-1]
    name = table.texts_of(group, ids)[group.rows - 1].as_py()
    if table.filter is None and (name is None or _INTEGER.fullmatch(name)):
        return None
    names = [request.target.name, *(model.column.name for model in request.models.values())]
    last = table.read(group)
    earlier = partial(map, table.read, table.groups[:-1])
    total = _find_named_total(last, earlier, ids, names, table.filter)
    if total is None:
        return None
    row, because = total
    text = last.texts(ids)[row].as_py()
    return _describe_row(last, row, because, _propose_rule_by(request, ids, f"!= {text!r}"))


def _find_named_total(
    last: FileTable,
    list_earlier: Callable[[], Iterable[FileTable]],
    ids: str,
    names: Iterable[str],
    chosen: RowFilter | None,
) -> tuple[int, str] | None:
    """Find totals in the last row of a table, and say how they show.

    A row holds totals if its id is text where all others are integers, and one of its values is
    the sum or the mean of those above it. Rows before those of `last` are read only if its id is
    such a text.
    """
    kept = _choose_rows(last, chosen)
    rows = np.flatnonzero(kept)
    texts = last.texts(ids)
    if not len(rows) or (name := texts[int(rows[-1])].as_py()) is None or _INTEGER.fullmatch(name):
        return None
    tables = [(last, rows[:-1])]
    tables += [(each, np.flatnonzero(_choose_rows(each, chosen))) for each in list_earlier()]
    if sum(len(own) for _, own in tables) < 2:
        return None
    for table, own in tables:
        if not convert_mask(
            pc.match_substring_regex(take_rows(table.texts(ids), own), _INTEGER_TEXT)
        ).all():
            return None
    for column in dict.fromkeys(names):
        try:
            value = last.numbers(column)[rows[-1]]
            above = np.concatenate([table.numbers(column)[own] for table, own in tables])
        except (DataError, KeyError):
            continue
        if kind := _find_kind(float(value), above[~np.isnan(above)]):
            because = f"its id is {quote_value(name)}"
            return int(rows[-1]), f"{because}, and its {column} is the {kind} of the values above"
    return None


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


def _propose_rule(request: DatasetRequest, table: FileTable, row: int) -> tuple[str, bool]:
    """Propose how to leave a row out: by its id, or by its target if it has no id."""
    ids, target = request.table.id, request.target.name
    if ids is None:
        return _propose_rule_by(request, target, f"!= {float(table.numbers(target)[row])!r}")
    text = table.texts(ids.name)[row].as_py()
    if text is None:
        return _propose_rule_by(request, ids.name, "is not missing")
    is_number = table.holds_numbers(ids.name)
    return _propose_rule_by(request, ids.name, f"!= {text.strip() if is_number else repr(text)}")


def _propose_rule_by(request: DatasetRequest, column: str, condition: str) -> tuple[str, bool]:
    """Propose a filter, as a config writes it, and say whether it is to be added to one."""
    if are_values_hidden():
        return "", False
    column = column if column.isidentifier() and not iskeyword(column) else f"`{column}`"
    rule = f"{column} {condition}"
    if request.filter is not None and request.filter_shown is None:
        rule = f"({request.filter}) and {rule}"
    if request.filter_shown is not None:
        return f"and {rule}", True
    return json.dumps(rule, ensure_ascii=False), False
