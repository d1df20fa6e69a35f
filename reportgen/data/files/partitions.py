"""Columns that stand in the names of folders, as Hive writes them: `day=2024-01-01/`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Protocol
from urllib.parse import unquote

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.table import FileRows

Partition = tuple[tuple[str, str | int | None], ...]
"""The columns that hold for all rows of a file, each with its value."""
_PART = re.compile(r"([^=]+)=(.*)")
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})", re.ASCII)
_MISSING = "__HIVE_DEFAULT_PARTITION__"


def find_partitions(files: Sequence[PurePath]) -> list[Partition]:
    """Find the columns in the folders of each file; one that has integers alone is of integers.

    >>> find_partitions([PurePath("day=2024-01-01/n=7/a.csv"), PurePath("day=x%20y/n=8/a.csv")])
    [(('day', '2024-01-01'), ('n', 7)), (('day', 'x y'), ('n', 8))]
    """
    named = [
        {unquote(m[1]): unquote(m[2]) for part in file.parts[:-1] if (m := _PART.fullmatch(part))}
        for file in files
    ]
    values: dict[str, set[str]] = {}
    for each in named:
        for key, text in each.items():
            values.setdefault(key, set()).add(text)
    integers = {
        key for key, texts in values.items() if all(map(_INTEGER.fullmatch, texts - {_MISSING}))
    }
    return [
        tuple(
            (key, None if text == _MISSING else int(text) if key in integers else text)
            for key, text in each.items()
        )
        for each in named
    ]


def repeat_value(value: str | int | None, rows: int) -> Any:
    """Return a column with the same value on all rows."""
    return pa.repeat(pa.scalar(value, pa.int64() if isinstance(value, int) else TEXT), rows)


class FileReader(Protocol):
    """A file whose columns are known and can be read."""

    shown: str
    names: tuple[str, ...]

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns."""
        ...


class PartitionReader:
    """A file with the columns of its folders, unless it has columns of these names itself."""

    def __init__(self, reader: FileReader, partition: Partition) -> None:
        self.shown, self._reader = reader.shown, reader
        self._values = {key: value for key, value in partition if key not in reader.names}
        self.names = (*reader.names, *self._values)
        self.first_number = getattr(reader, "first_number", "")

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; without one of the file's own, the first is read to count its rows."""
        kept = columns - self._values.keys()
        part = self._reader.read(kept or {*self._reader.names[:1]}, numbers - self._values.keys())
        added = {k: repeat_value(v, part.rows) for k, v in self._values.items() if k in columns}
        return replace(part, columns={**part.columns, **added})
