"""Read judgements, runs and scores: TREC, BEIR, MS MARCO and LETOR files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from io import BytesIO
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from reportgen.data.arrow import TEXT
from reportgen.data.files.delimited import DelimitedReader
from reportgen.data.files.opening import ReadFile
from reportgen.data.files.sniffing import SNIFFED_RECORDS
from reportgen.data.number_styles import PLAIN
from reportgen.data.table import FileRows, format_count
from reportgen.errors import DataError

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
TRIPLES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    QRELS: ("query", "document", "grade"),
    RUN: ("query", "document", "score"),
}
RANKED = ("query", "document", "rank")
TREC = ("query", "Q0", "document", "rank", "score", "tag")
UNTAGGED = RUN[:5]
ALIASES: Mapping[tuple[str, ...], Mapping[str, str]] = {  # names of a column in other programs
    QRELS: {"query": "query-id", "document": "corpus-id", "grade": "score"},
    RUN: {"query": "query-id", "document": "corpus-id", "score": "rank"},
}


class SpacedReader:
    """A file of fields between white space: each line has one for each of `names`.

    Empty lines are skipped. Lines that begin with # are skipped before the first row; in
    judgements and runs, anywhere. The tag of a run may have several words.
    """

    def __init__(
        self, file: ReadFile, names: tuple[str, ...] | None = None, *, has_header: bool = False
    ) -> None:
        self.shown, self._file = file.shown, file
        self.names = file.fields if names is None else names
        self._comments = 0
        self._rows, self._lines = self._parse(file.data)
        if has_header:
            del self._rows[0], self._lines[0]

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns, all of them as text."""
        named = {
            name: self._column(name, [row[at] for row in self._rows])
            for at, name in enumerate(self.names)
            if name in columns
        }
        notes = self._file.notes
        if self._comments:
            notes = (*notes, f"without {format_count(self._comments, 'line')} that begin with #")
        rows = FileRows(self.shown, len(self._rows), named, "line", self._lines_of, False)
        return replace(rows, notes=notes)

    def _parse(self, data: bytes) -> tuple[list[list[bytes]], list[int]]:
        rows: list[list[bytes]] = []
        lines: list[int] = []
        is_list = self._file.fields in TRIPLES
        for number, line in enumerate(data.split(b"\n"), 1):
            fields = line.split()
            if line.startswith(b"#") and (is_list or not rows):
                self._comments += is_list
                continue
            if not fields:
                continue
            has_words = self.names == RUN and len(fields) > len(RUN)
            if len(fields) != len(self.names) and not has_words:
                raise DataError(
                    f"{self.shown}: line {number} has {format_count(len(fields), 'field')} where "
                    f"{CALLED[self._file.fields]} has {len(self.names)}: {' '.join(self.names)}; "
                    "put white space between fields, none in them"
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


class ListReader:
    """Judgements or a run whose columns may have the names that other programs give them.

    A rank stands for a score: the first document has the highest.
    """

    def __init__(self, reader: DelimitedReader | SpacedReader, file: ReadFile) -> None:
        self.shown, self._reader = reader.shown, reader
        aliases = ALIASES[file.fields].items()
        self._own = {
            name: own for name, own in aliases if name not in reader.names and own in reader.names
        }
        if file.fields == QRELS and "query-id" not in reader.names:
            self._own.pop("grade", None)
        self.names = (*reader.names, *self._own)

    @property
    def first_number(self) -> str:
        """A name that is a number above a number, which a header would not hold; else empty."""
        return self._reader.first_number if isinstance(self._reader, DelimitedReader) else ""

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; where ranks stand for scores, a score is minus the rank."""
        own = {name: self._own.get(name, name) for name in columns}
        texts = {own[name] for name in columns - numbers}
        part = self._reader.read({*own.values()}, {own[name] for name in numbers} - texts)
        named = {name: part.columns[source] for name, source in own.items()}
        if own.get("score") == "rank":
            named["score"] = _negate(named["score"])
            part = replace(part, notes=(*part.notes, "with ranks as scores, rank 1 highest"))
        return replace(part, columns=named)


def read_list(file: ReadFile) -> ListReader:
    """Read judgements or a run in text, by the names in the config or by what its fields hold."""
    return ListReader(_choose_reader(file), file)


def _choose_reader(file: ReadFile) -> DelimitedReader | SpacedReader:
    lines = (line.split() for line in BytesIO(file.data) if not line.startswith(b"#"))
    first = list(islice(filter(None, lines), SNIFFED_RECORDS))
    width = len(first[0]) if first else 0
    given = file.options.columns
    if given:
        return SpacedReader(file, given) if width == len(given) else DelimitedReader(file)
    has_number = [_is_number(field) for field in first[0]] if first else []
    if file.fields == RUN and width > 4 and all(has_number[3:5]):
        return SpacedReader(file, UNTAGGED if width == 5 else RUN)
    if file.fields == QRELS and width == 4 and has_number[3]:
        return SpacedReader(file, QRELS)
    if width == 3 and all(len(fields) == 3 for fields in first):
        if has_number[2]:
            return SpacedReader(file, _name_third_field(file, first))
        is_named = {b"query", b"query-id"} & {*first[0]}
        if file.format == "spaced" and is_named:
            names = tuple(field.decode("utf-8", "replace") for field in first[0])
            return SpacedReader(file, names, has_header=True)
    return SpacedReader(file) if file.format == "spaced" else DelimitedReader(file)


def _name_third_field(file: ReadFile, first: Sequence[list[bytes]]) -> tuple[str, ...]:
    """Name the columns of three fields: the third is a grade, a score or a rank."""
    if file.fields == QRELS or not all(fields[2].isdigit() for fields in first):
        return TRIPLES[file.fields]
    ranks: dict[bytes, int] = {}
    for query, _, rank in first:
        ranks[query] = ranks.get(query, 0) + 1
        if int(rank[:9]) != ranks[query]:
            raise DataError(
                f"{file.shown}: the third field may be a rank or a score; write `columns: [query, "
                f"document, rank]` or `columns: [query, document, score]`{file.header_at}"
            )
    return RANKED


def _negate(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        return pc.negate(values)
    return pc.binary_join_element_wise(
        pa.scalar("-", values.type), values, pa.scalar("", values.type)
    )


def _is_number(field: bytes) -> bool:
    return PLAIN.parse(field.decode("latin-1")) is not None


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
        columns: dict[str, list[bytes | None]] = {name: [] for name in LETOR}
        for number, line in enumerate(file.data.split(b"\n"), 1):
            before, _, comment = line.partition(b"#")
            fields = before.split(None, 2)
            if not fields:
                continue
            self._lines.append(number)
            query = fields[1][4:] if len(fields) > 1 and fields[1].startswith(b"qid:") else None
            named = DOCUMENT.search(comment)
            columns["grade"].append(fields[0])
            columns["query"].append(query)
            columns["document"].append(named[1] if named else None)
        self._refuse_some_without(columns["query"])
        if None in columns["document"]:
            columns["document"] = []
        self._columns = {name: own for name, own in columns.items() if own and None not in own}
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
