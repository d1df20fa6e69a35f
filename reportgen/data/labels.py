"""Any number of labels a row: a column of 1 and 0 for each of them, or one that lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from reportgen.data.aligned import Aligned, Role, rows_of
from reportgen.data.arrow import Index, Mask, encoded
from reportgen.data.files.source import open_source
from reportgen.data.request import ColumnRequest, DatasetRequest, TableRequest
from reportgen.data.table import FileTable, counted
from reportgen.data.targets import in_order, unknown_fault, way_out
from reportgen.errors import ConfigError, DataError
from reportgen.text import class_value as value_of

Read = Callable[[], Aligned]
Where = tuple[FileTable, str | None, Index | None]  # a table, whose it is, the place of each row


@dataclass(frozen=True, eq=False)
class LabelLists:
    """A column that lists the labels of each row: its different texts, and the place of each row's.

    A row without a text has no label.
    """

    table: FileTable
    column: str
    lists: tuple[tuple[str, ...], ...]
    code: NDArray[np.int64]

    @classmethod
    def of(cls, table: FileTable, column: str, separator: str) -> LabelLists:
        """The lists of a column whose labels stand apart by a separator."""
        texts, code = encoded(table.texts(column))
        parts = ((part.strip() for part in text.split(separator)) for text in texts)
        lists = tuple(tuple(filter(None, each)) for each in parts)
        return cls(table, column, (*lists, ()), np.where(code < 0, len(lists), code))

    def labels(self) -> list[str]:
        """The different labels, numbers by their size, else texts by their letters."""
        found: dict[float | str, str] = {}
        for label in (label for each in self.lists for label in each):
            found.setdefault(value_of(label), label)
        return in_order(list(found.values()))

    def flags(self, label: str) -> NDArray[np.float64]:
        """Whether each row has a label, 1 or 0."""
        value = value_of(label)
        has = [value in {value_of(one) for one in each} for each in self.lists]
        return np.array(has, dtype=np.float64)[self.code]

    def rows_with(self, values: AbstractSet[float | str]) -> Index:
        """The rows that have a label of some values."""
        has = [any(value_of(one) in values for one in each) for each in self.lists]
        return np.flatnonzero(np.array(has)[self.code])

    def refuse_unknown(self, names: Iterable[str], kept: Mask, way: str, model: str | None) -> None:
        """Stop at labels on some rows that are not declared; `way` is the way out."""
        names, used = list(names), np.unique(self.code[kept])
        known = {value_of(name) for name in names}
        wrong = in_order(list(dict.fromkeys(
            label for k in used for label in self.lists[k] if value_of(label) not in known
        )))  # fmt: skip
        if wrong:
            rows = self.rows_with({value_of(label) for label in wrong})
            rows = rows[kept[rows]]
            column = (self.table, self.column, model)
            raise DataError(unknown_fault(column, wrong, rows, names, way, "the label "))


def label_readers(request: DatasetRequest, main: FileTable, kept: Mask) -> Iterator[Read]:
    """One call a label, which reads the rows that have it."""
    assert request.classes is not None
    where = (main, None, None)
    way = (kept, way_out(request, main, main))
    yield from _readers(request, "flag", request.target, request.classes.columns, where, way)


def called_readers(
    request: DatasetRequest, main: FileTable, kept: Mask, name: str, where: Where
) -> Iterator[Read]:
    """The same of the labels that a model names."""
    model = request.models[name]
    way = (rows_of(where[0], kept, where[2]), way_out(request, where[0], main))
    yield from _readers(request, "part", model.column, model.parts, where, way)


def _readers(
    request: DatasetRequest,
    role: Role,
    column: ColumnRequest,
    columns: Mapping[str, ColumnRequest],
    where: Where,
    way: tuple[Mask, str],
) -> Iterator[Read]:
    assert request.classes is not None
    names, separator, table = list(request.classes.names), request.classes.separator, where[0]
    if columns or separator is None:
        yield from (partial(_flag, role, columns[label], label, where) for label in names)
        return

    @cache
    def listed() -> LabelLists:
        found = LabelLists.of(table, column.name, separator)
        found.refuse_unknown(names, *way, where[1])
        return found

    yield from (partial(_listed, role, listed, label, where) for label in names)


def _flag(role: Role, column: ColumnRequest, label: str, where: Where) -> Aligned:
    """A column of 1 and 0, true and false."""
    table = where[0]
    values = table.flags(column.name)
    bad = np.flatnonzero(~np.isnan(values) & (values != 0) & (values != 1))
    if len(bad):
        raise DataError(
            f"{table.shown}: column {column.name!r} has {counted(len(bad), 'value')} of "
            f"{len(values)} other than 1 and 0 (first {values[bad[0]]:g} at "
            f"{table.where(bad[:1])}); a label is there or not: 1 or 0, true or false"
        )
    return _aligned(role, column.name, label, values, where)


def _listed(role: Role, lists: Callable[[], LabelLists], label: str, where: Where) -> Aligned:
    found = lists()
    return _aligned(role, found.column, label, found.flags(label), where)


def _aligned(
    role: Role, column: str, label: str, values: NDArray[np.float64], where: Where
) -> Aligned:
    table, model, position = where
    if position is not None:
        values = np.where(position < 0, np.nan, values[position])
    return Aligned(role, column, table, np.isnan(values), values, model, label, position)


def peeked_labels(
    tables: Iterable[tuple[TableRequest, ColumnRequest]], separator: str
) -> dict[str, str]:
    """The labels that columns list, in their order, each as its own name.

    What cannot be read is left out: it is told where the rows are read.
    """
    found: dict[float | str, str] = {}
    for request, column in tables:
        try:
            source = open_source(request, {column.name: column.source or column.name})
            table = source.read({column.name}, set())
            labels = LabelLists.of(table, column.name, separator).labels()
        except (ConfigError, DataError, KeyError):
            continue
        for label in labels:
            found.setdefault(value_of(label), label)
    return {label: label for label in in_order(list(found.values()))}
