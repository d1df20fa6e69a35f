"""Sniff a file: find its format, its encoding, its delimiter and its header in its content."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from dataclasses import replace
from itertools import islice

from reportgen.data.files.opening import Format, ReadFile
from reportgen.data.table import format_count, parse_number
from reportgen.errors import DataError
from reportgen.records import record

HEAD = 1 << 20  # bytes that are sniffed
MARKLESS_HEAD = 64  # bytes of which every second one is 0 in UTF-16 without a mark
SNIFFED_RECORDS = 20
DELIMITER_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SNIFFED_DELIMITERS = (",", ";", "\t")  # delimiters that are found without being named
MAGIC: tuple[tuple[re.Pattern[bytes], Format], ...] = (  # none begins a header of text
    (re.compile(rb"PAR1[^\t\n\r\x20-\x7e]"), "parquet"),
    (re.compile(rb"ARROW1\x00"), "feather"),
)
PACKED = (
    (re.compile(rb"\x1f\x8b"), ".gz"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), ".zst"),
    (re.compile(rb"BZh[1-9]1AY&SY"), ".bz2"),
    (re.compile(rb"\xfd7zXZ\x00"), ".xz"),
    (re.compile(rb"PK\x03\x04"), ".zip"),
)
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
UNDEFINED = b"\x81\x8d\x8f\x90\x9d"  # bytes that no text in cp1252 has


def find_packing(data: bytes) -> str | None:
    """Find how a file is compressed, as the end of a name says it."""
    return next((suffix for magic, suffix in PACKED if magic.match(data)), None)


def find_format(data: bytes) -> Format | None:
    """Find the format of unpacked content; None for delimited text.

    >>> find_format(b'[{"id": 1}]'), find_format(b'{"id": 1}'), find_format(b"id,y")
    ('records', 'jsonl', None)
    """
    for magic, kind in MAGIC:
        if magic.match(data):
            return kind
    text = data[:HEAD].removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return "records" if text[1:].lstrip()[:1] in (b"{", b"]") else None
    if text.startswith(b"{"):
        try:
            return "jsonl" if isinstance(json.loads(text.splitlines()[0]), dict) else None
        except (ValueError, RecursionError):
            return None
    return None


def decode_text(file: ReadFile) -> ReadFile:
    """Convert a text file to UTF-8, from the encoding that its mark or the config names."""
    given = file.options.encoding
    if file.data.startswith(UTF_32):
        raise DataError(f"{file.shown}: is encoded in UTF-32; save it as UTF-8")
    mark, encoding = next(
        ((mark, name) for mark, name in MARKS if file.data.startswith(mark)),
        (b"", given or "utf-8"),
    )
    if encoding == "utf-8":
        if name := _find_unmarked_utf_16(file.data):
            way = f", or write `encoding: {name}`{file.keys_at}" if file.keys_at else ""
            text = "is UTF-16 without a mark (every second byte is 0)"
            raise DataError(f"{file.shown}: {text}; save it as UTF-8{way}")
        return replace(file, data=file.data.removeprefix(mark))
    try:
        text = file.data.removeprefix(mark).decode(encoding)
    except UnicodeDecodeError as fault:
        known = "UTF-16, as its first bytes say" if mark else f"{encoding}, as `encoding:` says"
        way = "save it as UTF-8" if mark else "name its encoding, or save it as UTF-8"
        raise DataError(
            f"{file.shown}: byte {fault.start + len(mark) + 1:,} is not {known}; {way}"
        ) from None
    note = f"as {'UTF-16' if mark else encoding}"
    data = text.encode("utf-8", "surrogatepass")
    return replace(file, data=data, notes=(*file.notes, note))


def _find_unmarked_utf_16(data: bytes) -> str:
    """Find which UTF-16 the first bytes of a text are in, or return an empty text.

    >>> [_find_unmarked_utf_16("id,y".encode(name)) for name in ("utf-16-le", "utf-16-be", "utf-8")]
    ['utf-16-le', 'utf-16-be', '']
    """
    evens, odds = data[:MARKLESS_HEAD:2], data[1:MARKLESS_HEAD:2]
    if odds and all(evens) and not any(odds):
        return "utf-16-le"
    return "utf-16-be" if odds and all(odds) and not any(evens) else ""


def build_encoding_fault(file: ReadFile, data: bytes, lines_before: int = 0) -> DataError | None:
    """Return the error for text that is not UTF-8, with the way out; None for text that is."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1 + lines_before
        name = "latin-1" if any(byte in data for byte in UNDEFINED) else "cp1252"
        way = f", or write `encoding: {name}`{file.keys_at}" if file.keys_at else ""
        byte = f"byte 0x{data[fault.start]:02x}"
        return DataError(f"{file.shown}: line {line} is not UTF-8 ({byte}); save it as UTF-8{way}")
    return None


@record
class TextLayout:
    """The records of a delimited text, the lines before them, and the delimiter."""

    data: bytes
    lines_before: int
    delimiter: str
    notes: tuple[str, ...]


def find_layout(file: ReadFile) -> TextLayout:
    """Find the first record of a delimited text, and its delimiter."""
    data, skipped, notes = file.data, file.options.skip_rows, list(file.notes)
    lines = _split_lines(data, skipped)
    data, before = data[sum(map(len, lines)) :], len(lines)
    if lines:
        notes.append(f"without {format_count(len(lines), 'line')} before the header")
    delimiter = file.options.delimiter
    data, before = _skip_blank_lines(data, before)
    first = _split_lines(data, 1)
    named = first[0].rstrip(b"\r\n") if first else b""
    if (
        len(named) == 5
        and named.lower().startswith(b"sep=")
        and named[4:].decode("latin-1") in (*DELIMITER_NAMES,)
    ):
        delimiter = delimiter or named[4:].decode("latin-1")
        data, before = _skip_blank_lines(data[len(first[0]) :], before + 1)
    usual = "\t" if file.format == "tsv" else ","
    comments, rest = _split_comments(data)
    if comments and rest:
        sign = delimiter or find_delimiter(rest[:HEAD], usual)
        counts = [_count_fields(line.decode("utf-8", "replace"), sign) for line in comments]
        header = _count_fields(_split_lines(rest, 1)[0].decode("utf-8", "replace"), sign)
        if header > 1 and header not in counts:
            data, before = _skip_blank_lines(rest, before + len(comments))
            notes.append(f"without {format_count(len(comments), 'line')} that begin with #")
    return TextLayout(data, before, delimiter or find_delimiter(data[:HEAD], usual), tuple(notes))


def find_number_in_header(names: tuple[str, ...], first: list[str]) -> str:
    """Return a name of a header that is a number above a number; an empty text if none is."""
    for name, value in zip(names, first, strict=False):
        both = parse_number(name), parse_number(value)
        if all(number is not None and number == number for number in both):
            return name
    return ""


def find_delimiter(data: bytes, usual: str) -> str:
    """Find the delimiter that splits the first records into equally many fields, and the most.

    Return the usual one where no other splits them, or none splits them better.
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
        records = list(islice(filter(None, reader), SNIFFED_RECORDS))
    except csv.Error:
        return 0
    if len(records) > 1 and len(records) < SNIFFED_RECORDS and len(text) >= HEAD:
        records.pop()  # the last one may be cut off
    counts = {len(record) for record in records}
    return counts.pop() if len(counts) == 1 else 0


def _split_lines(data: bytes, most: int) -> list[bytes]:
    """Return the first lines of a text with their ends."""
    return list(islice(io.BytesIO(data), most))


def _skip_blank_lines(data: bytes, before: int) -> tuple[bytes, int]:
    """Skip blank lines; return what follows, and how many lines stand before it."""
    bare = data.lstrip(b"\r\n")
    return bare, before + len(data[: len(data) - len(bare)].splitlines())


def _split_comments(data: bytes) -> tuple[list[bytes], bytes]:
    """Split off the lines that begin with #, at the start of a text."""
    comments: list[bytes] = []
    for line in io.BytesIO(data):
        if not line.startswith(b"#"):
            break
        comments.append(line)
    return comments, data[sum(map(len, comments)) :]
