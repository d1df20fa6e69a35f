"""CSV and TSV: the first line names the columns, every line has as many fields as it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.opening import File
from reportgen.data.table import FileRows, counted
from reportgen.errors import DataError
from reportgen.text import foreign

HEADER_BYTES = 1 << 20
BLOCK_BYTES = 1 << 26
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
FOUND = (",", ";", "\t")  # delimiters that are found without being named
LOOKED_AT = 20  # records
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Delimited:
    """A CSV or TSV file whose header has been read."""

    def __init__(self, file: File) -> None:
        self.shown = file.shown
        bare = file.data.removeprefix(BYTE_ORDER_MARK)
        self._data = bare.lstrip(b"\r\n")
        blank = bare[: len(bare) - len(self._data)]
        self._lines_before = len(blank.splitlines())
        usual = "\t" if file.format == "tsv" else ","
        self._delimiter = file.delimiter or _delimiter(self._data[:HEADER_BYTES], usual)
        self.names = self._header()

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; those of `numbers` as floats where every field is one."""
        wanted = {at: name for at, name in enumerate(self.names) if name in columns}
        try:
            table = self._parsed({i: name in numbers for i, name in wanted.items()})
        except pa.ArrowInvalid:
            # A field that is no number, or a line that is no record: text tells which.
            table = self._as_text(wanted)
        named = {name: table.column(str(i)) for i, name in wanted.items()}
        return FileRows(self.shown, table.num_rows, named, "line", self._lines_of, False)

    def _header(self) -> tuple[str, ...]:
        if self._data.startswith(UTF_16):
            raise DataError(f"{self.shown}: is encoded in UTF-16; save it as UTF-8")
        try:
            names = tuple(next(self._records(self._data[:HEADER_BYTES]))[1])
        except StopIteration:
            raise DataError(f"{self.shown}: the file is empty") from None
        except csv.Error as fault:
            raise DataError(
                f"{self.shown}: line 1 cannot be read as a header: {foreign(fault)}"
            ) from None
        if any("\ufffd" in name for name in names):
            raise self._encoding_fault() or DataError(f"{self.shown}: line 1 is not UTF-8")
        self._refuse_other_delimiter(names)
        return names

    def _refuse_other_delimiter(self, names: tuple[str, ...]) -> None:
        if len(names) > 1:
            return
        for other, word in WORDS.items():
            if other != self._delimiter and other in names[0]:
                raise DataError(
                    f"{self.shown}: line 1 has {word} between the names where "
                    f"{WORDS[self._delimiter]} are meant; write "
                    f'`delimiter: "{other if other.isprintable() else "tab"}"`'
                )

    def _as_text(self, wanted: dict[int, str]) -> Any:
        try:
            return self._parsed(dict.fromkeys(wanted, False))
        except pa.ArrowInvalid as fault:
            raise (
                self._ragged_fault()
                or self._encoding_fault()
                or DataError(
                    f"{self.shown}: cannot be read as CSV"
                    + (self._open_quote() or f": {foreign(fault)}")
                )
            ) from None

    def _parsed(self, is_number: dict[int, bool]) -> Any:
        from pyarrow import csv as arrow

        data = self._data if self._data.endswith((b"\n", b"\r")) else self._data + b"\n"
        types = {str(i): pa.float64() if number else TEXT for i, number in is_number.items()}
        if not types:  # rows are still to be counted
            types = {"0": TEXT}
        return arrow.read_csv(
            pa.BufferReader(data),
            read_options=arrow.ReadOptions(
                column_names=[str(i) for i in range(len(self.names))],
                skip_rows_after_names=1,
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
        """The line of each data row; the header is line 1 where nothing stands before it."""
        if b'"' not in self._data and not self._has_blank_lines():
            return [row + 2 + self._lines_before for row in rows]
        last = max(rows, default=-1) + 1
        starts = [line for line, _ in _first(self._records(self._data), last + 1)]
        return [starts[row + 1] if row + 1 < len(starts) else row + 2 for row in rows]

    def _has_blank_lines(self) -> bool:
        return any(two in self._data for two in (b"\n\n", b"\r\r", b"\n\r"))

    def _ragged_fault(self) -> DataError | None:
        try:
            for line, record in self._records(self._data):
                if len(record) != len(self.names):
                    return DataError(
                        f"{self.shown}: line {line} has {counted(len(record), 'field')} "
                        f"where the header has {len(self.names)}{self._open_quote()}"
                    )
        except csv.Error:
            return None
        return None

    def _open_quote(self) -> str:
        is_open = self._data.count(b'"') % 2 == 1
        return "; a quotation mark is opened and never closed" if is_open else ""

    def _encoding_fault(self) -> DataError | None:
        try:
            self._data.decode("utf-8")
        except UnicodeDecodeError as fault:
            line = self._data.count(b"\n", 0, fault.start) + 1 + self._lines_before
            byte = self._data[fault.start]
            return DataError(
                f"{self.shown}: line {line} is not UTF-8 (byte 0x{byte:02x}); save it as UTF-8"
            )
        return None


def _delimiter(data: bytes, usual: str) -> str:
    """The delimiter that cuts the first records into as many fields each, and the most of them.

    The usual one where no other cuts them, or another cuts them no better.
    """
    text = data.decode("utf-8", "replace")
    widths = {sign: _width(text, sign) for sign in dict.fromkeys((usual, *FOUND))}
    best = max(widths, key=widths.__getitem__)
    return best if widths[best] > 1 else usual


def _width(text: str, delimiter: str) -> int:
    """How many fields each of the first records has; 0 where they differ."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        records = list(islice(filter(None, reader), LOOKED_AT))
    except csv.Error:
        return 0
    if len(records) > 1 and len(records) < LOOKED_AT and len(text) >= HEADER_BYTES:
        records.pop()  # cut off where the look ends
    counts = {len(record) for record in records}
    return counts.pop() if len(counts) == 1 else 0


def _first(records: Iterator[tuple[int, list[str]]], count: int) -> Iterator[tuple[int, list[str]]]:
    """The first of some records, as far as they can be read."""
    try:
        for _ in range(count):
            yield next(records)
    except (StopIteration, csv.Error):
        return
