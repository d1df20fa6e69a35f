"""Cells and columns that the tables of costs share."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Cell, TableColumn
from reportgen.results import IntervalEstimate, Number
from reportgen.sections.index import Index


def axis_of(index: Index, dataset: str) -> wording.Asymmetries:
    """The asymmetries of a dataset's costs: α, or c of an exponential loss."""
    costs = index.costs.get(dataset)
    return wording.ALPHA if costs is None else wording.Asymmetries.of(costs.model.reaches)


def with_limits(found: IntervalEstimate, unit: str, *, signed: bool = False) -> Cell:
    """A number with its interval under it."""
    value, low, high = found.value, found.low, found.high
    if value is None:
        return Cell(wording.MISSING)
    form = wording.form_of(value, low, high, unit, (0.0,))
    interval = form.interval(low, high, signed=signed or (low or 0.0) < 0)
    note = "" if interval == wording.MISSING else interval
    return Cell(form.number(value, signed=signed), note=note, value=value)


def label(index: Index, model: str | None) -> str:
    """What a model is called, in a table; a dash for none."""
    return wording.MISSING if model is None else wording.name(index.label(model), 40)


def share(share: Number) -> Cell:
    """A share in per cent."""
    return Cell(wording.percent(share), value=share)


def place(value: Number, axis: wording.Asymmetries) -> Cell:
    """An asymmetry, with the ratio of costs that it stands for."""
    if value is None:
        return Cell(wording.MISSING)
    note = wording.ratio(value) if axis.has_ratio else ""
    return Cell(axis.number(value), note=note, value=value)


def form(value: Number, unit: str) -> str:
    """A number in the digits that suit it."""
    return wording.form_of(value, None, None, unit).number(value)


def words(title: str) -> TableColumn:
    """A column of words."""
    return TableColumn(title, is_numeric=False)


def numbers(title: str, unit: str = "") -> TableColumn:
    """A column of numbers with their unit."""
    return TableColumn(title, note=unit if wording.has_unit(unit) else "")
