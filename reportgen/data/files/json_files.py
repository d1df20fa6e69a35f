"""Readers of JSON lines and of nested JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NoReturn

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.opening import ReadFile
from reportgen.data.files.sniffing import build_encoding_fault
from reportgen.data.number_styles import NumberRules
from reportgen.data.table import FileRows
from reportgen.errors import DataError
from reportgen.text import format_foreign_error, quote, quote_value


class JsonLinesReader:
    """A file of JSON lines. Numbers are kept as they were written, so that ids lose no digit."""

    unit = "line"

    def __init__(self, file: ReadFile) -> None:
        self.shown, self._file = file.shown, file
        self._lines: list[int] = []
        self._rows: list[dict[str, object]] = []
        for line, row in self._iter_rows(self._text(file.data)):
            self._lines.append(line)
            self._rows.append(row)
        self.names = tuple(dict.fromkeys(name for row in self._rows for name in row))
        decimal, thousands = file.options.decimal, file.options.thousands
        decimal = decimal or ("," if thousands == "." else None)
        is_named = decimal or thousands
        self._rules = NumberRules(decimal, thousands, is_auto=False) if is_named else None

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns as text; numbers are parsed where they are needed."""
        named = {name: self._column(name) for name in columns if name in self.names}
        return FileRows(
            self.shown,
            len(self._rows),
            named,
            self.unit,
            self._lines_of,
            False,
            self._rules,
            self._file.keys_at,
            notes=self._file.notes,
        )

    def _iter_rows(self, text: str) -> Iterator[tuple[int, dict[str, object]]]:
        for line, each in enumerate(text.split("\n"), start=1):
            if each.strip():
                yield line, self._object(each, line)

    def _column(self, name: str) -> pa.ChunkedArray:
        rows = [row.get(name) for row in self._rows]
        has_lists = any(isinstance(value, list) for value in rows)
        convert = self._convert_list if has_lists else self._convert_text
        values = [convert(value, name, i) for i, value in enumerate(rows)]
        try:
            return pa.chunked_array([pa.array(values, type=pa.list_(TEXT) if has_lists else TEXT)])
        except UnicodeEncodeError:
            raise DataError(
                f"{self.shown}: column {name!r} holds half a character (a lone surrogate)"
            ) from None

    def _convert_list(self, value: object, name: str, row: int) -> list[str | None] | None:
        """Convert a list of labels; whether lists are meant is found out where one is needed."""
        items = value if isinstance(value, list) else [value]
        return None if value is None else [self._convert_text(each, name, row) for each in items]

    def _convert_text(self, value: object, name: str, row: int) -> str | None:
        if isinstance(value, _Number) and self._rules and self._rules.decimal == ",":
            return value.replace(".", ",")  # so that it reads as the texts do
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "true" if value else "false"
        raise DataError(
            f"{self.shown}: column {name!r} holds a list or an object at {self.unit} "
            f"{self._lines[row]} instead of text or a number"
        )

    def _text(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise build_encoding_fault(self._file, data) or AssertionError from None

    def _object(self, text: str, line: int) -> dict[str, object]:
        try:
            value = _LINE_DECODER.decode(text)
        except (ValueError, RecursionError) as fault:
            why = fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)
            raise DataError(
                f"{self.shown}: line {line} is not JSON: {format_foreign_error(why)}"
            ) from None
        if not isinstance(value, dict):
            raise DataError(f"{self.shown}: line {line} is not an object in braces")
        return value

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        return [self._lines[row] for row in rows]


class JsonRecordsReader(JsonLinesReader):
    """A file of one JSON list of objects."""

    unit = "record"

    def _iter_rows(self, text: str) -> Iterator[tuple[int, dict[str, object]]]:
        try:
            records = _LINE_DECODER.decode(text.strip())
        except (ValueError, RecursionError) as fault:
            at = f"line {fault.lineno} " if isinstance(fault, json.JSONDecodeError) else ""
            why = fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)
            raise DataError(f"{self.shown}: {at}is not JSON: {format_foreign_error(why)}") from None
        if not isinstance(records, list):
            raise DataError(f'{self.shown}: is not a list of objects, such as [{{"id": 1}}]')
        for place, row in enumerate(records, start=1):
            if not isinstance(row, dict):
                raise DataError(f"{self.shown}: record {place} is not an object in braces")
            yield place, row


def _refuse_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) != len(pairs):
        _refuse_repeat(pairs)
    return row


def _refuse_repeat(pairs: list[tuple[str, object]]) -> NoReturn:
    count = Counter(name for name, _ in pairs)
    twice = next(name for name, times in count.items() if times > 1)
    raise ValueError(f"key {quote(twice)} occurs twice")


class _Number(str):
    """A number as it was written, apart from texts."""


_LINE_DECODER = json.JSONDecoder(
    object_pairs_hook=_refuse_repeated_keys,
    parse_float=_Number,
    parse_int=_Number,
    parse_constant=_Number,
)

SHAPE = '{"query": {"document": 1}}'


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON with its keys in their order, also those that stand there twice."""


class NestedJsonReader:
    """A file of nested JSON. Numbers are kept as they were written, and so are repeats."""

    def __init__(self, file: ReadFile) -> None:
        self.shown = file.shown
        value = file.fields[-1] if file.fields[-1] == "grade" else "score"
        self.names: tuple[str, ...] = ("query", "document", value)
        self._rows = [*self._list_rows(self._parse(file.data))]

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Give some columns as text."""
        named = {
            name: self._column(name, at) for at, name in enumerate(self.names) if name in columns
        }
        return FileRows(self.shown, len(self._rows), named, "place", _count_from_one, False)

    def _parse(self, data: bytes) -> object:
        try:
            return _NESTED_DECODER.decode(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise DataError(f"{self.shown}: is not UTF-8; save it as UTF-8") from None
        except (ValueError, RecursionError) as fault:
            at = f"line {fault.lineno} " if isinstance(fault, json.JSONDecodeError) else ""
            why = fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)
            raise DataError(f"{self.shown}: {at}is not JSON: {format_foreign_error(why)}") from None

    def _list_rows(self, found: object) -> list[tuple[str, str, str | None]]:
        if not isinstance(found, _Pairs):
            raise DataError(f"{self.shown}: is not an object of queries, such as {SHAPE}")
        rows: list[tuple[str, str, str | None]] = []
        for query, documents in found:
            if not isinstance(documents, _Pairs):
                raise DataError(
                    f"{self.shown}: query {quote_value(query)} has no object of documents, such as "
                    f"{SHAPE}"
                )
            for document, value in documents:
                if value is not None and (isinstance(value, bool) or not isinstance(value, str)):
                    raise DataError(
                        f"{self.shown}: document {quote_value(document)} of query "
                        f"{quote_value(query)} has no number (place {len(rows) + 1})"
                    )
                rows.append((query, document, value))
        return rows

    def _column(self, name: str, at: int) -> pa.ChunkedArray:
        try:
            return pa.chunked_array([pa.array([row[at] for row in self._rows], type=TEXT)])
        except UnicodeEncodeError:
            raise DataError(
                f"{self.shown}: a {name} holds half a character (a lone surrogate)"
            ) from None


def _count_from_one(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]


_NESTED_DECODER = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_float=str, parse_int=str, parse_constant=str
)
