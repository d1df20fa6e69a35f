"""Find, open and decompress files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Literal
from zipfile import BadZipFile, ZipFile

from reportgen.data.requests import FileOptions
from reportgen.errors import DataError
from reportgen.records import record

GB = 10**9
_PIECE = 1 << 20
_PACKED_PIECE = 1 << 10  # zstd can make 128 kB of four bytes: this much makes 32 MB
_CONTAINER = Path("/sys/fs/cgroup/memory.max")
BROKEN = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    BadZipFile,
    ValueError,
    NotImplementedError,
)
WORKBOOK = "is a workbook, which is not read here; save its sheet as CSV"
WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # of xlsx, xlsb and ods


class SeveralFiles(Exception):
    """A zip file that cannot be read as one file; the argument says why."""


class TooLarge(Exception):
    """A file that unpacks to more than is allowed."""


def decompress(data: bytes, suffix: str, most: int) -> bytes:
    """Decompress a file by the end of its name; raise one of `BROKEN` where it is damaged."""
    content = bytearray()
    for piece in _PIECES[suffix](data):
        if len(content) + len(piece) > most:
            raise TooLarge
        content += piece
    return bytes(content)


def half_memory_bytes() -> int:
    """Half of the memory that this process may have, in bytes; 4 GB where none tells (Windows)."""
    if not hasattr(os, "sysconf"):
        return 4 * GB
    known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError, ValueError):  # no container, or one without a limit
        known.append(int(_CONTAINER.read_text(encoding="ascii")))
    return min(known) // 2


def _gzip(data: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        while piece := file.read(_PIECE):
            yield piece


def _bzip2(data: bytes) -> Iterator[bytes]:
    with bz2.BZ2File(io.BytesIO(data)) as file:
        while piece := file.read(_PIECE):
            yield piece


def _xz(data: bytes) -> Iterator[bytes]:
    with lzma.LZMAFile(io.BytesIO(data)) as file:
        while piece := file.read(_PIECE):
            yield piece


def _zip(data: bytes) -> Iterator[bytes]:
    with ZipFile(io.BytesIO(data)) as archive:
        names = [each for each in archive.infolist() if not each.is_dir()]
        own = [each for each in names if not each.filename.startswith("__MACOSX/")]
        if any(each.filename in WORKBOOKS for each in own):
            raise SeveralFiles(WORKBOOK)
        if len(own) != 1:
            raise SeveralFiles(f"is a zip file of {len(own)} files; zip one file by itself")
        if own[0].flag_bits & 1:
            raise SeveralFiles("is a zip file with a password; save it without one")
        with archive.open(own[0]) as file:
            while piece := file.read(_PIECE):
                yield piece


def iter_zstd(data: bytes) -> Iterator[bytes]:
    """Every frame; unlike the library's one-shot call, notice a frame that is cut short."""
    import zstandard

    at = 0
    while at < len(data):
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            if at >= len(data):
                raise ValueError("the data ends inside a frame")
            piece = data[at : at + _PACKED_PIECE]
            at += len(piece)
            try:
                yield frame.decompress(piece)
            except zstandard.ZstdError as fault:
                raise ValueError(str(fault)) from None
        at -= len(frame.unused_data)


_PIECES = {".gz": _gzip, ".zst": iter_zstd, ".bz2": _bzip2, ".xz": _xz, ".zip": _zip}
MOST_ENTRIES = 100_000  # files and folders that are looked at


class TooManyEntries(Exception):
    """A glob that would look at more files and folders than can be meant."""


class FolderEscapeError(Exception):
    """A glob that leaves its folder."""


def find_matching_files(root: Path, pattern: str) -> list[Path]:
    """Find the regular files below `root` whose relative path matches the pattern, sorted."""
    parts = PurePath(pattern).parts
    if ".." in parts:
        raise FolderEscapeError
    return sorted(_walk_matches(root, parts), key=Path.as_posix)


def _walk_matches(root: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    """Walk with the places in the pattern that each folder may stand at."""
    seen = 0
    folders = [(root, _expand_positions({0}, parts))]
    while folders:
        folder, places = folders.pop()
        for entry in _list_entries(folder):
            seen += 1
            if seen > MOST_ENTRIES:
                raise TooManyEntries
            path, after = folder / entry.name, _advance_positions(entry, places, parts)
            if len(parts) in after and entry.is_file():
                yield path
            if (after := after - {len(parts)}) and entry.is_dir():
                folders.append((path, after))


def _advance_positions(
    entry: os.DirEntry[str], places: set[int], parts: tuple[str, ...]
) -> set[int]:
    """Return the positions in a pattern after matching a name at some of them."""
    named = {k + 1 for k in places if parts[k] != "**" and fnmatchcase(entry.name, parts[k])}
    if not entry.is_symlink():
        named |= {k for k in places if parts[k] == "**"}
    return _expand_positions(named, parts)


def _expand_positions(places: set[int], parts: tuple[str, ...]) -> set[int]:
    """Return some positions, and those that follow where `**` stands for no folder at all."""
    reached = set(places)
    for k, part in enumerate(parts):
        if k in reached and part == "**":
            reached.add(k + 1)
    return reached


def _list_entries(folder: Path) -> list[os.DirEntry[str]]:
    """List what a folder holds; nothing where it does not exist or may not be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


Format = Literal[
    "csv",
    "tsv",
    "parquet",
    "feather",
    "workbook",
    "jsonl",
    "records",
    "spaced",
    "nested",
    "letor",
    "log",
]


@record
class ReadFile:
    """A file that was read: `data` is its content, of which `most` bytes may be unpacked.

    `options` are what the config says of it, at the places that `keys_at` and `header_at` name.
    `notes` say what was skipped or decoded, `partition` which columns its folders hold.
    `unpacked_bytes` is the size of the content of a compressed file.
    """

    shown: str
    format: Format
    data: bytes
    sha256: str
    size_bytes: int
    most: int
    options: FileOptions = field(default_factory=FileOptions)
    fields: tuple[str, ...] = ()
    keys_at: str = ""
    header_at: str = ""
    header_key: str = "columns"
    unpacked_bytes: int = 0
    notes: tuple[str, ...] = ()
    partition: tuple[tuple[str, str | int | None], ...] = ()
    statement: str | None = None
    connection: str | None = None
    driver: str | None = None


def build_too_large_error(shown: str, most: int) -> DataError:
    """Return the error for a file that holds more than may be unpacked."""
    return DataError(
        f"{shown}: unpacks to more than {most / GB:,.3g} GB; if this is intended, write "
        "`max_unpacked:` with the GB it may have"
    )
