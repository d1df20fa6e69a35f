"""Parquet and Feather: files that know the type of each column."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pyarrow as pa

from reportgen.data.files import File
from reportgen.data.table import Part
from reportgen.errors import DataError
from reportgen.text import foreign

BROKEN = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, IndexError)


class Columnar:
    """A Parquet or Feather file whose schema has been read."""

    def __init__(self, file: File) -> None:
        self.shown = file.shown
        self._is_parquet = file.format == "parquet"
        self._data = pa.BufferReader(file.data)
        try:
            self.names = tuple(str(name) for name in self._schema().names)
        except BROKEN as fault:
            raise self._fault(fault) from None

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> Part:
        """Read some columns as the file types them."""
        wanted = [name for name in self.names if name in columns]
        try:
            table = self._table(wanted)
            table.validate(full=True)
        except BROKEN as fault:
            raise self._fault(fault) from None
        named = {name: table.column(name) for name in wanted}
        return Part(self.shown, table.num_rows, named, "row", _from_one, True)

    def _schema(self) -> Any:
        return self._parquet().schema_arrow if self._is_parquet else self._feather(None).schema

    def _table(self, wanted: list[str]) -> Any:
        if self._is_parquet:
            return self._parquet().read(columns=wanted)
        known = set(wanted)
        return self._feather([at for at, name in enumerate(self.names) if name in known]).read_all()

    def _parquet(self) -> Any:
        from pyarrow import parquet

        self._data.seek(0)
        return parquet.ParquetFile(self._data)

    def _feather(self, fields: list[int] | None) -> Any:
        self._data.seek(0)
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        return pa.ipc.open_file(self._data, options=options)

    def _fault(self, fault: BaseException) -> DataError:
        kind = "Parquet" if self._is_parquet else "Feather"
        why = foreign(fault).rstrip(".")
        return DataError(f"{self.shown}: cannot be read as {kind}: {why}")


def _from_one(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]
