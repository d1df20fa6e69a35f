"""Reader of Parquet and Feather files."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import pyarrow as pa

from reportgen.data.files.opening import ReadFile, build_too_large_error
from reportgen.data.number_styles import AS_DECLARED
from reportgen.data.table import FileRows
from reportgen.errors import DataError
from reportgen.text import format_read_error

PARQUET_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, IndexError)


class ParquetReader:
    """A Parquet or Feather file whose schema has been read."""

    def __init__(self, file: ReadFile) -> None:
        self.shown, self._file = file.shown, file
        self._is_parquet = file.format == "parquet"
        self._data = pa.BufferReader(file.data)
        self._most = max(file.most, len(file.data))  # what was read is there already
        try:
            self.names = tuple(str(name) for name in self._schema().names)
        except PARQUET_ERRORS as fault:
            raise self._fault(fault) from None

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns as the file types them."""
        names = [name for name in self.names if name in columns]
        try:
            table = self._read_parquet(names) if self._is_parquet else self._read_feather(names)
            table.validate(full=True)
        except PARQUET_ERRORS as fault:
            raise self._fault(fault) from None
        named = {name: table.column(name) for name in names}
        options = self._file.options
        return FileRows(
            self.shown,
            table.num_rows,
            named,
            "row",
            _count_from_one,
            True,
            replace(AS_DECLARED, decimal=options.decimal, thousands=options.thousands),
            self._file.keys_at,
        )

    def _schema(self) -> Any:
        return self._parquet().schema_arrow if self._is_parquet else self._feather(None).schema

    def _read_parquet(self, names: list[str]) -> Any:
        file = self._parquet()
        if _estimate_unpacked_bytes(file.metadata, set(names)) > self._most:
            raise build_too_large_error(self.shown, self._most)
        return file.read(columns=names)

    def _read_feather(self, names: list[str]) -> Any:
        known = set(names)
        file = self._feather([at for at, name in enumerate(self.names) if name in known])
        batches, size = [], 0
        for at in range(file.num_record_batches):
            batches.append(file.get_batch(at))
            size += batches[-1].nbytes
            if size > self._most:
                raise build_too_large_error(self.shown, self._most)
        return pa.Table.from_batches(batches, file.schema)

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
        why = format_read_error(fault).rstrip(".")
        return DataError(f"{self.shown}: cannot be read as {kind}: {why}")


def _estimate_unpacked_bytes(metadata: Any, wanted: set[str]) -> int:
    """Estimate the memory of some columns of a Parquet file, at eight bytes a value or more."""
    groups = (metadata.row_group(k) for k in range(metadata.num_row_groups))
    columns = (group.column(k) for group in groups for k in range(group.num_columns))
    return sum(
        max(8 * column.num_values, column.total_uncompressed_size)
        for column in columns
        if column.path_in_schema.partition(".")[0] in wanted or column.path_in_schema in wanted
    )


def _count_from_one(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]
