"""Read a sheet of a workbook: .xlsx, .xlsb, .xls and .ods."""

from __future__ import annotations

import io
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time
from typing import Any
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.opening import WORKBOOKS, ReadFile, build_too_large_error
from reportgen.data.files.sniffing import OLD_WORKBOOK, find_number_in_header
from reportgen.data.number_styles import NumberRules
from reportgen.data.table import FileRows, format_count
from reportgen.errors import DataError
from reportgen.text import format_read_error, format_yaml_value, quote
from reportgen.version import describe_missing_package

LARGEST_INTEGER = 2**63


def is_workbook(data: bytes) -> bool:
    """Tell whether content is that of a workbook, old or new."""
    return data.startswith(OLD_WORKBOOK) or _measure_parts(data) is not None


def _measure_parts(data: bytes) -> int | None:
    """Return how many bytes the parts of a zipped workbook have, unpacked; None for others."""
    if not data.startswith(b"PK\x03\x04"):
        return None
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            parts = {each.filename: each.file_size for each in archive.infolist()}
    except BadZipFile:
        return None
    return sum(parts.values()) if parts.keys() & set(WORKBOOKS) else None


class WorkbookReader:
    """A sheet of a workbook whose cells have been read; formulas have their stored values."""

    def __init__(self, file: ReadFile) -> None:
        self.shown, self._file = file.shown, file
        if (_measure_parts(file.data) or 0) > file.most:
            raise build_too_large_error(file.shown, file.most)
        cells = self._read_sheet()
        skipped, given = file.options.skip_rows, file.options.columns
        rows = [
            (k, row) for k, row in enumerate(cells, 1) if k > skipped and any(map(_is_full, row))
        ]
        if not rows:
            raise DataError(f"{self.shown}: the sheet is empty")
        width = max(len(row) for _, row in rows)
        header = list(given) if given else [str(_format_cell(cell) or "") for cell in rows[0][1]]
        if given and len(given) != width:
            raise DataError(
                f"{self.shown}: the sheet has {format_count(width, 'column')} where "
                f"`{file.header_key}:` names {len(given)}; name every column, in their order"
            )
        self._rows = rows if given else rows[1:]
        last = max(at for at, name in enumerate(header, 1) if name)
        self.names = tuple(name.strip() for name in header[:last])

    @property
    def first_number(self) -> str:
        """A name that is a number above a number, which a header would not hold; else empty."""
        first = [str(_format_cell(cell)) for cell in self._rows[0][1]] if self._rows else []
        return "" if self._file.options.columns else find_number_in_header(self.names, first)

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns: of numbers where all cells of a column are, else of text."""
        options = self._file.options
        named = {
            name: _build_column([row[at] for _, row in self._rows])
            for at, name in enumerate(self.names)
            if name in columns
        }
        return FileRows(
            self.shown,
            len(self._rows),
            named,
            "row",
            self._number_rows,
            False,
            NumberRules(options.decimal, options.thousands),
            self._file.keys_at,
        )

    def _number_rows(self, rows: Sequence[int]) -> list[int]:
        return [self._rows[row][0] for row in rows]

    def _read_sheet(self) -> list[list[Any]]:
        """Read the cells of the sheet that the config names, or of the only one."""
        try:
            import python_calamine as calamine
        except ImportError:
            lacking = describe_missing_package(self.shown, "python-calamine", "excel")
            raise DataError(lacking) from None
        try:
            book = calamine.load_workbook(io.BytesIO(self._file.data))
            sheets = {name: book.get_sheet_by_name(name) for name in _list_sheets(book, calamine)}
            full = [name for name, sheet in sheets.items() if sheet.height]
            name = self._file.options.sheet or (full[0] if len(full) == 1 else "")
            if name in sheets:
                cells: list[list[Any]] = sheets[name].to_python(skip_empty_area=False)
                return cells
        except calamine.PasswordError:
            raise DataError(f"{self.shown}: has a password; save it without one") from None
        except (calamine.CalamineError, OSError, ValueError) as fault:
            why = format_read_error(fault)
            raise DataError(f"{self.shown}: cannot be read as a workbook: {why}") from None
        listed = ", ".join(map(format_yaml_value, full)) or "none with cells"
        if name:
            raise DataError(f"{self.shown}: has no sheet {quote(name)}; sheets: {listed}")
        if not full:
            raise DataError(f"{self.shown}: no visible sheet has cells")
        way = f"; write `sheet: NAME`{self._file.keys_at}"
        raise DataError(f"{self.shown}: has {len(full)} sheets{way}; sheets: {listed}")


def _list_sheets(book: Any, calamine: Any) -> list[str]:
    """List the sheets of cells that are not hidden."""
    return [
        each.name
        for each in book.sheets_metadata
        if each.typ == calamine.SheetTypeEnum.WorkSheet
        and each.visible == calamine.SheetVisibleEnum.Visible
    ]


def _is_full(cell: object) -> bool:
    return cell is not None and cell != ""


def _build_column(cells: list[Any]) -> Any:
    """Build a column: of integers or floats where all cells are numbers, else of text."""
    full = [cell for cell in cells if _is_full(cell)]
    if full and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in full):
        are_integers = all(
            float(cell).is_integer() and abs(cell) < LARGEST_INTEGER for cell in full
        )
        kind = int if are_integers else float
        values = [kind(cell) if _is_full(cell) else None for cell in cells]
        return pa.chunked_array([pa.array(values, pa.int64() if are_integers else pa.float64())])
    return pa.chunked_array([pa.array(map(_format_cell, cells), TEXT)])


def _format_cell(cell: Any) -> str | None:
    """Format a cell as a CSV file holds it: integers without a point, ISO dates; None if empty."""
    if not _is_full(cell):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
