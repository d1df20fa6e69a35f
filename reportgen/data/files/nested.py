"""Judgements and runs as JSON: an object of queries, each an object of documents with a number.

{"q1": {"d1": 2, "d7": 0}, "q2": {…}}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.opening import File
from reportgen.data.table import FileRows
from reportgen.errors import DataError
from reportgen.text import foreign, quoted

SHAPE = '{"query": {"document": 1}}'


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON with its keys in their order, also those that stand there twice."""


class Nested:
    """A file of nested JSON. Numbers are kept as they were written, and so are repeats."""

    def __init__(self, file: File) -> None:
        self.shown = file.shown
        value = file.fields[-1] if file.fields[-1] == "grade" else "score"
        self.names: tuple[str, ...] = ("query", "document", value)
        self._rows = [*self._listed(self._parsed(file.data))]

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Give some columns as text."""
        named = {
            name: self._column(name, at) for at, name in enumerate(self.names) if name in columns
        }
        return FileRows(self.shown, len(self._rows), named, "place", _counted, False)

    def _parsed(self, data: bytes) -> object:
        try:
            return _DECODER.decode(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise DataError(f"{self.shown}: is not UTF-8; save it as UTF-8") from None
        except (ValueError, RecursionError) as fault:
            at = f"line {fault.lineno} " if isinstance(fault, json.JSONDecodeError) else ""
            why = fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)
            raise DataError(f"{self.shown}: {at}is not JSON: {foreign(why)}") from None

    def _listed(self, found: object) -> list[tuple[str, str, str | None]]:
        if not isinstance(found, _Pairs):
            raise DataError(f"{self.shown}: is no object of queries, such as {SHAPE}")
        rows: list[tuple[str, str, str | None]] = []
        for query, documents in found:
            if not isinstance(documents, _Pairs):
                raise DataError(
                    f"{self.shown}: query {quoted(query)} has no object of documents, such as "
                    f"{SHAPE}"
                )
            for document, value in documents:
                if value is not None and (isinstance(value, bool) or not isinstance(value, str)):
                    raise DataError(
                        f"{self.shown}: document {quoted(document)} of query {quoted(query)} has "
                        "no number"
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


def _counted(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_float=str, parse_int=str, parse_constant=str
)
