"""Tables as lists of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import Cell, Table, TableColumn
from reportgen.report.selection import Selection
from reportgen.report.wording import numbers
from reportgen.results.core import Estimate
from reportgen.results.types import Number

MOST_ROWS = 200
MISSING_CELL = Cell(numbers.MISSING)
Item = TypeVar("Item", contravariant=True)


@record
class ReportColumn(Generic[Item]):
    """A column of a table: its heading, and the cell, or the text, that it makes of an item."""

    heading: TableColumn
    make_cell: Callable[[Item], Cell | str]


def word_column(
    title: str, make_cell: Callable[[Item], Cell | str], *, note: str = ""
) -> ReportColumn[Item]:
    """Make a column of words, with a `note` under its title."""
    return ReportColumn(TableColumn(title, is_numeric=False, note=note), make_cell)


def number_column(
    title: str, make_cell: Callable[[Item], Cell | str], *, note: str = "", unit: str = ""
) -> ReportColumn[Item]:
    """Make a column of numbers, with a `note` or their unit under its title."""
    return ReportColumn(
        TableColumn(title, note=unit if numbers.has_unit(unit) else note), make_cell
    )


def count_column(
    title: str, get_count: Callable[[Item], Number], *, note: str = ""
) -> ReportColumn[Item]:
    """Make a column of counts."""
    return number_column(title, lambda item: make_count_cell(get_count(item)), note=note)


def share_column(
    title: str, get_share: Callable[[Item], Number], *, note: str = ""
) -> ReportColumn[Item]:
    """Make a column of shares in percent."""
    return number_column(title, lambda item: make_share_cell(get_share(item)), note=note)


def model_column(
    index: Selection, get_model: Callable[[Item], str], title: str = "Model"
) -> ReportColumn[Item]:
    """Make a column of the labels of models."""
    return word_column(title, lambda item: format_model(index, get_model(item)))


def build_table(
    id_: str,
    caption: str,
    items: Iterable[Item],
    *columns: ReportColumn[Item] | None,
    title: str = "",
    most: int | None = None,
    is_folded: bool = False,
) -> Table:
    """Build a table with a row for each item, or for the first `most`, which the caption says.

    A column that is None is left out.
    """
    every, shown = list(items), [column for column in columns if column is not None]
    rows = ([column.make_cell(item) for column in shown] for item in every[:most])
    return Table(
        id_,
        caption + describe_cut(len(every), most) if most else caption,
        tuple(column.heading for column in shown),
        tuple(tuple(Cell(c) if isinstance(c, str) else c for c in row) for row in rows),
        is_folded,
        title,
    )


def describe_cut(rows: int, most: int = MOST_ROWS) -> str:
    """Return the sentence under a table that shows only its first rows, or an empty string."""
    if rows <= most:
        return ""
    return f" {prose.line('document.cut', most=most, rows=rows)}"


def make_count_cell(count: Number, note: str = "") -> Cell:
    """Make a cell of a count."""
    return Cell(numbers.format_count(count), note=note, value=count)


def make_share_cell(share: Number, note: str = "") -> Cell:
    """Make a cell of a share in percent."""
    return Cell(numbers.format_percent(share), note=note, value=share)


def format_model(index: Selection, model: str | None) -> str:
    """Format the label of a model for a table; a dash for none."""
    return numbers.MISSING if model is None else index.short_label(model)


def make_value_cell(
    form: numbers.NumberFormat, value: Number, note: str = "", *, signed: bool = False
) -> Cell:
    """Make a cell of a number in a given format."""
    return Cell(form.number(value, signed=signed), note=note, value=value)


def make_interval_cell(
    form: numbers.NumberFormat,
    value: Number,
    low: Number,
    high: Number,
    *,
    signed: bool = False,
    missing: str = "",
) -> Cell:
    """Make a cell of a number with its interval under it, or `missing` where it has none."""
    interval = form.interval(low, high, signed=signed)
    note = missing if interval == numbers.MISSING else interval
    return make_value_cell(form, value, note, signed=signed)


def make_bare_estimate_cell(found: Estimate, form: numbers.NumberFormat | None = None) -> Cell:
    """Make a cell of a value with its interval under it, in the form of its row if that has one."""
    form = form or numbers.choose_format(found.value, found.low, found.high, found.unit)
    return make_interval_cell(form, found.value, found.low, found.high)
