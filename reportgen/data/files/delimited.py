"""Readers of CSV, TSV, TREC and LETOR files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.opening import ReadFile
from reportgen.data.table import FileRows, format_count
from reportgen.errors import DataError
from reportgen.text import format_foreign_error

HEADER_BYTES = 1 << 20
BLOCK_BYTES = 1 << 26
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DELIMITER_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SNIFFED_DELIMITERS = (",", ";", "\t")  # delimiters that are found without being named
LOOKED_AT = 20  # records
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class DelimitedReader:
    """A CSV or TSV file whose header has been read."""

    def __init__(self, file: ReadFile) -> None:
        self.shown = file.shown
        bare = file.data.removeprefix(BYTE_ORDER_MARK)
        self._data = bare.lstrip(b"\r\n")
        blank = bare[: len(bare) - len(self._data)]
        self._lines_before = len(blank.splitlines())
        usual = "\t" if file.format == "tsv" else ","
        self._delimiter = file.delimiter or _find_delimiter(self._data[:HEADER_BYTES], usual)
        self.names = self._header()

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; those of `numbers` as floats where every field is one."""
        wanted = {at: name for at, name in enumerate(self.names) if name in columns}
        try:
            table = self._parse({i: name in numbers for i, name in wanted.items()})
        except pa.ArrowInvalid:
            # A field that is no number, or a line that is no record: text tells which.
            table = self._read_texts(wanted)
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
                f"{self.shown}: line 1 cannot be read as a header: {format_foreign_error(fault)}"
            ) from None
        if any("\ufffd" in name for name in names):
            raise self._encoding_fault() or DataError(f"{self.shown}: line 1 is not UTF-8")
        self._refuse_other_delimiter(names)
        return names

    def _refuse_other_delimiter(self, names: tuple[str, ...]) -> None:
        if len(names) > 1:
            return
        for other, word in DELIMITER_NAMES.items():
            if other != self._delimiter and other in names[0]:
                raise DataError(
                    f"{self.shown}: line 1 has {word} between the names where "
                    f"{DELIMITER_NAMES[self._delimiter]} are meant; write "
                    f'`delimiter: "{other if other.isprintable() else "tab"}"`'
                )

    def _read_texts(self, wanted: dict[int, str]) -> Any:
        try:
            return self._parse(dict.fromkeys(wanted, False))
        except pa.ArrowInvalid as fault:
            raise (
                self._find_ragged_line()
                or self._encoding_fault()
                or DataError(
                    f"{self.shown}: cannot be read as CSV"
                    + (self._open_quote() or f": {format_foreign_error(fault)}")
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
        """Return the line of each data row; the header is line 1 if no lines precede it."""
        if b'"' not in self._data and not self._has_blank_lines():
            return [row + 2 + self._lines_before for row in rows]
        last = max(rows, default=-1) + 1
        starts = [line for line, _ in _iter_first_records(self._records(self._data), last + 1)]
        return [starts[row + 1] if row + 1 < len(starts) else row + 2 for row in rows]

    def _has_blank_lines(self) -> bool:
        return any(two in self._data for two in (b"\n\n", b"\r\r", b"\n\r"))

    def _find_ragged_line(self) -> DataError | None:
        try:
            for line, record in self._records(self._data):
                if len(record) != len(self.names):
                    return DataError(
                        f"{self.shown}: line {line} has {format_count(len(record), 'field')} "
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


def _find_delimiter(data: bytes, usual: str) -> str:
    """Find the delimiter that splits the first records into equally many fields, and the most.

    The usual one where no other cuts them, or another cuts them no better.
    """
    text = data.decode("utf-8", "replace")
    widths = {
        sign: _count_fields(text, sign) for sign in dict.fromkeys((usual, *SNIFFED_DELIMITERS))
    }
    best = max(widths, key=widths.__getitem__)
    return best if widths[best] > 1 else usual


def _count_fields(text: str, delimiter: str) -> int:
    """Count the fields of the first records; 0 where they differ."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        records = list(islice(filter(None, reader), LOOKED_AT))
    except csv.Error:
        return 0
    if len(records) > 1 and len(records) < LOOKED_AT and len(text) >= HEADER_BYTES:
        records.pop()  # cut off where the look ends
    counts = {len(record) for record in records}
    return counts.pop() if len(counts) == 1 else 0


def _iter_first_records(
    records: Iterator[tuple[int, list[str]]], count: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first `count` records, as far as they can be read."""
    try:
        for _ in range(count):
            yield next(records)
    except (StopIteration, csv.Error):
        return


QRELS = ("query", "iteration", "document", "grade")
RUN = ("query", "Q0", "document", "rank", "score", "tag")
SCORES = ("score",)
SIZES = ("documents",)
CALLED: Mapping[tuple[str, ...], str] = {
    QRELS: "a file of judgements",
    RUN: "a run",
    SCORES: "a file of scores",
    SIZES: "a file of sizes of queries",
}


class SpacedReader:
    """A file of fields between white space, as many on every line as there are `names`.

    Empty lines are skipped, and so are lines that begin with # before the first other one.
    """

    def __init__(self, file: ReadFile) -> None:
        self.shown, self.names = file.shown, file.fields
        self._rows, self._lines = self._parse(file.data.removeprefix(BYTE_ORDER_MARK))

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns, all of them as text."""
        named = {
            name: self._column(name, [row[at] for row in self._rows])
            for at, name in enumerate(self.names)
            if name in columns
        }
        return FileRows(self.shown, len(self._rows), named, "line", self._lines_of, False)

    def _parse(self, data: bytes) -> tuple[list[list[bytes]], list[int]]:
        rows: list[list[bytes]] = []
        lines: list[int] = []
        for number, line in enumerate(data.split(b"\n"), 1):
            fields = line.split()
            if not fields or (not rows and line.startswith(b"#")):
                continue
            if len(fields) != len(self.names):
                found = f"{len(fields)} field" + "s" * (len(fields) != 1)
                raise DataError(
                    f"{self.shown}: line {number} has {found} where {CALLED[self.names]} has "
                    f"{len(self.names)}: {' '.join(self.names)}; put white space between fields, "
                    "none in them"
                )
            rows.append(fields)
            lines.append(number)
        return rows, lines

    def _column(self, name: str, fields: list[bytes]) -> pa.Array:
        try:
            return pa.array(fields, pa.large_binary()).cast(pa.large_string())
        except pa.ArrowInvalid:
            bad = next(at for at, field in enumerate(fields) if not _is_text(field))
            raise DataError(
                f"{self.shown}: line {self._lines[bad]}: its {name} is not UTF-8; save the file so"
            ) from None

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        return [self._lines[row] for row in rows]


def _is_text(field: bytes) -> bool:
    try:
        field.decode()
    except UnicodeDecodeError:
        return False
    return True


LETOR = ("query", "document", "grade")
DOCUMENT = re.compile(rb"\bdocid\s*=\s*(\S+)")


class LetorReader:
    """A file of documents with their grades; one without any name or query has no such column."""

    def __init__(self, file: ReadFile) -> None:
        self.shown = file.shown
        self._lines: list[int] = []
        found: dict[str, list[bytes | None]] = {name: [] for name in LETOR}
        for number, line in enumerate(file.data.removeprefix(BYTE_ORDER_MARK).split(b"\n"), 1):
            said, _, comment = line.partition(b"#")
            fields = said.split(None, 2)
            if not fields:
                continue
            self._lines.append(number)
            query = fields[1][4:] if len(fields) > 1 and fields[1].startswith(b"qid:") else None
            named = DOCUMENT.search(comment)
            found["grade"].append(fields[0])
            found["query"].append(query)
            found["document"].append(named[1] if named else None)
        self._refuse_some_without(found["query"])
        if None in found["document"]:
            found["document"] = []
        self._columns = {name: own for name, own in found.items() if own and None not in own}
        self.names = tuple(self._columns)

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns, all of them as text."""
        named = {name: self._column(name) for name in self.names if name in columns}
        return FileRows(self.shown, len(self._lines), named, "line", self._lines_of, False)

    def _refuse_some_without(self, queries: Sequence[bytes | None]) -> None:
        if b"" in queries:
            raise DataError(
                f"{self.shown}: line {self._lines[queries.index(b'')]} names no query behind "
                "`qid:`; write it without a space, as in qid:10"
            )
        lacking = [at for at, query in enumerate(queries) if query is None]
        if lacking and len(lacking) < len(queries):
            raise DataError(
                f"{self.shown}: line {self._lines[lacking[0]]} has no qid after its grade, other "
                "lines have; a line is `grade qid:QUERY feature:value …`"
            )

    def _column(self, name: str) -> pa.Array:
        try:
            return pa.array(self._columns[name], pa.large_binary()).cast(TEXT)
        except pa.ArrowInvalid:
            raise DataError(f"{self.shown}: a {name} is not UTF-8") from None

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        return [self._lines[row] for row in rows]
