"""Read CSV and TSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reportgen.data.arrow import TEXT, convert_floats
from reportgen.data.files.opening import ReadFile
from reportgen.data.files.sniffing import (
    DELIMITER_NAMES,
    HEAD,
    build_encoding_fault,
    find_layout,
    find_number_in_header,
)
from reportgen.data.number_styles import NumberRules
from reportgen.data.table import FileRows, format_count, is_style_doubtful
from reportgen.errors import DataError
from reportgen.text import format_foreign_error, format_read_error

BLOCK_BYTES = 1 << 26


class DelimitedReader:
    """A CSV or TSV file whose header has been read."""

    def __init__(self, file: ReadFile) -> None:
        self.shown, self._file = file.shown, file
        self._layout = find_layout(file)
        self._data, self._lines_before = self._layout.data, self._layout.lines_before
        self._delimiter, self._header_rows = self._layout.delimiter, 1
        self._is_spaced = False
        self.names = self._header()

    @property
    def first_number(self) -> str:
        """A name that is a number above a number, which a header would not hold; else empty."""
        records = self._records(self._data[:HEAD])
        first = [record for _, record in _iter_first_records(records, 2)]
        return find_number_in_header(self.names, first[1]) if len(first) > 1 else ""

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; those of `numbers` as floats where every field is one."""
        chosen = {at: name for at, name in enumerate(self.names) if name in columns}
        options = self._file.options
        is_plain = not (options.decimal or options.thousands)
        try:
            table = self._parse({i: is_plain and name in numbers for i, name in chosen.items()})
            odd = {
                str(i)
                for i, name in chosen.items()
                if pa.types.is_floating(table.column(str(i)).type)
                and is_style_doubtful(convert_floats(table.column(str(i))))
            }
            if odd:
                table = self._parse(
                    {i: n in numbers and str(i) not in odd for i, n in chosen.items()}
                )
        except pa.ArrowInvalid:
            # A field that is no number, or a line that is no record: text tells which.
            table = self._read_texts(chosen)
        named = {name: self._strip(table.column(str(i))) for i, name in chosen.items()}
        return FileRows(
            self.shown,
            table.num_rows,
            named,
            "line",
            self._lines_of,
            False,
            NumberRules(options.decimal, options.thousands, has_semicolons=self._delimiter == ";"),
            self._file.keys_at,
            notes=self._layout.notes,
        )

    def _header(self) -> tuple[str, ...]:
        try:
            names = tuple(next(self._records(self._data[:HEAD]))[1])
        except StopIteration:
            raise DataError(f"{self.shown}: the file is empty") from None
        except csv.Error as fault:
            raise DataError(
                f"{self.shown}: line {self._lines_before + 1} cannot be read as a header: "
                f"{format_foreign_error(fault)}"
            ) from None
        if any("\ufffd" in name for name in names):
            raise self._encoding_fault() or DataError(f"{self.shown}: line 1 is not UTF-8")
        self._refuse_other_delimiter(names)
        given = self._file.options.columns
        if given:
            if len(given) != len(names):
                raise DataError(
                    f"{self.shown}: line {self._lines_before + 1} has "
                    f"{format_count(len(names), 'field')} where `{self._file.header_key}:` names "
                    f"{len(given)}; name every field, in the order of the file"
                )
            self._header_rows = 0
            return given
        self._is_spaced = len(names) > 1 and all(name.startswith(" ") for name in names[1:])
        return tuple(name.lstrip(" ") for name in names) if self._is_spaced else names

    def _strip(self, column: Any) -> Any:
        """Remove the blank before each text of a column, if the names have one too."""
        if not self._is_spaced or not pa.types.is_large_string(column.type):
            return column
        return pc.utf8_ltrim(column, characters=" ")

    def _refuse_other_delimiter(self, names: tuple[str, ...]) -> None:
        if len(names) > 1:
            return
        for other, word in DELIMITER_NAMES.items():
            if other != self._delimiter and other in names[0]:
                raise DataError(
                    f"{self.shown}: line {self._lines_before + 1} has {word} between the names "
                    f"instead of {DELIMITER_NAMES[self._delimiter]}; write "
                    f'`delimiter: "{other if other.isprintable() else "tab"}"`'
                )

    def _read_texts(self, chosen: dict[int, str]) -> Any:
        try:
            return self._parse(dict.fromkeys(chosen, False))
        except pa.ArrowInvalid as fault:
            raise (
                self._find_ragged_line()
                or self._encoding_fault()
                or DataError(
                    f"{self.shown}: cannot be read as CSV"
                    + (self._open_quote() or f": {format_read_error(fault)}")
                )
            ) from None

    def _parse(self, is_number: dict[int, bool]) -> Any:
        from pyarrow import csv as arrow

        data = self._data if self._data.endswith((b"\n", b"\r")) else self._data + b"\n"
        types = {str(i): pa.float64() if number else TEXT for i, number in is_number.items()}
        if not types:  # rows are still to be counted
            types = {"0": TEXT}
        return arrow.read_csv(
            pa.BufferReader(data),
            read_options=arrow.ReadOptions(
                column_names=[str(i) for i in range(len(self.names))],
                skip_rows_after_names=self._header_rows,
                block_size=min(len(data) + 1, BLOCK_BYTES),
            ),
            parse_options=arrow.ParseOptions(
                delimiter=self._delimiter, newlines_in_values=b'"' in data
            ),
            convert_options=arrow.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=[""],  # other words for it are known where numbers are read
                strings_can_be_null=True,
            ),
        )

    def _records(self, data: bytes) -> Iterator[tuple[int, list[str]]]:
        """Each record with the line that it starts on; blank lines are no records."""
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace", newline="")
        reader = csv.reader(text, delimiter=self._delimiter)
        start = self._lines_before + 1
        for record in reader:
            if record:
                yield start, record
            start = self._lines_before + reader.line_num + 1

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        """Return the line of each data row; the header is line 1 if no lines precede it."""
        header = self._header_rows
        if b'"' not in self._data and not self._has_blank_lines():
            return [row + 1 + header + self._lines_before for row in rows]
        last = max(rows, default=-1) + header
        starts = [line for line, _ in _iter_first_records(self._records(self._data), last + 1)]
        return [starts[r + header] if r + header < len(starts) else r + 1 + header for r in rows]

    def _has_blank_lines(self) -> bool:
        return any(two in self._data for two in (b"\n\n", b"\r\r", b"\n\r"))

    def _find_ragged_line(self) -> DataError | None:
        records = self._records(self._data)
        try:
            for line, record in records:
                if len(record) != len(self.names):
                    is_last = not list(_iter_first_records(records, 1))
                    is_cut = is_last and len(record) < len(self.names)
                    cause = "; it is the last line: the file may be cut short" if is_cut else ""
                    return DataError(
                        f"{self.shown}: line {line} has {format_count(len(record), 'field')} "
                        f"where the header has {len(self.names)}{self._open_quote() or cause}"
                    )
        except csv.Error:
            return None
        return None

    def _open_quote(self) -> str:
        is_open = self._data.count(b'"') % 2 == 1
        return "; a quotation mark is opened and never closed" if is_open else ""

    def _encoding_fault(self) -> DataError | None:
        return build_encoding_fault(self._file, self._data, self._lines_before)


def _iter_first_records(
    records: Iterator[tuple[int, list[str]]], count: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first `count` records, as far as they can be read."""
    try:
        for _ in range(count):
            yield next(records)
    except (StopIteration, csv.Error):
        return
