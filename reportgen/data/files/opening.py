"""Find, open and decompress files."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from glob import has_magic
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Literal

from reportgen.data.requests import TableRequest
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.paths import decode_name, format_path, open_regular
from reportgen.text import format_foreign_error

GB = 10**9
_PIECE = 1 << 20
_PACKED_PIECE = 1 << 10  # zstd can make 128 kB of four bytes: this much makes 32 MB
_CONTAINER = Path("/sys/fs/cgroup/memory.max")
BROKEN = (OSError, EOFError, zlib.error, ValueError)


class TooLarge(Exception):
    """A file that unpacks to more than is allowed."""


def decompress(data: bytes, suffix: str, most: int) -> bytes:
    """Decompress a .gz or .zst file; raise one of `BROKEN` where it is not whole."""
    pieces = _gzip(data) if suffix == ".gz" else _zstd(data)
    found = bytearray()
    for piece in pieces:
        if len(found) + len(piece) > most:
            raise TooLarge
        found += piece
    return bytes(found)


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


def _zstd(data: bytes) -> Iterator[bytes]:
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


Format = Literal["csv", "tsv", "parquet", "feather", "jsonl", "spaced", "nested", "letor"]

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
COMPRESSIONS = (".gz", ".zst")
NESTED = ".json"  # where judgements or a run are meant; TREC's files have any other name
BY_KEY: dict[tuple[str, ...], Format] = {  # what the config says of a file, whatever its name
    ("query", "document", "grade"): "letor",
    ("score",): "spaced",
    ("documents",): "spaced",
}
MAY_BE_COMPRESSED = ("csv", "tsv", "jsonl", "spaced", "nested", "letor")
KNOWN = ".csv, .tsv, .jsonl, .ndjson (each also .gz or .zst), .parquet, .feather"


@dataclass(frozen=True)
class ReadFile:
    """A file that was read: `data` is its content, of which `most` bytes may be unpacked."""

    shown: str
    format: Format
    data: bytes
    sha256: str
    size_bytes: int
    most: int
    delimiter: str | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileLocation:
    """A file that exists: where, how it is shown, and what its name says it is."""

    path: Path
    shown: str
    format: Format


def find_files(request: TableRequest) -> tuple[FileLocation, ...]:
    """Find the files of a path, a folder of Parquet files, or a glob, sorted by their path."""
    try:
        path = Path(request.path)
        if path.exists():
            return _list_path_locations(path, request)
        if has_magic(request.path):
            return _list_glob_locations(request)
    except OSError as fault:
        text = f"no file {request.shown!r} can be reached: {fault.strerror}"
        raise ConfigError([Problem(text, request.at)]) from None
    except ValueError:  # no path at all, such as one with a zero byte
        pass
    raise ConfigError([Problem(f"no file {request.shown!r}", request.at)])


def read_files(request: TableRequest) -> tuple[ReadFile, ...]:
    """Read all files of a request, unpacked; the limit to that holds for them together."""
    left = half_memory_bytes() if request.max_unpacked is None else request.max_unpacked
    files: list[ReadFile] = []
    for location in find_files(request):
        files.append(_apply_request(_read_file(location, left), request))
        left -= len(files[-1].data) if location.path.suffix in COMPRESSIONS else 0
    return tuple(files)


def _apply_request(file: ReadFile, request: TableRequest) -> ReadFile:
    """Return a file with the delimiter and fields that the request gives it."""
    return replace(file, delimiter=request.delimiter, fields=request.fields)


def build_too_large_error(shown: str, most: int) -> DataError:
    """Return the error for a file that holds more than may be unpacked."""
    return DataError(
        f"{shown}: unpacks to more than {most / GB:,.3g} GB; if so much is meant, write "
        "`max_unpacked:` with the GB it may have"
    )


def _read_file(location: FileLocation, most: int) -> ReadFile:
    try:
        with open_regular(location.path) as file:
            data = file.read()
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None
    if not data:
        raise DataError(f"{location.shown}: the file is empty")
    plain, digest = _unpack(data, location, most), sha256(data).hexdigest()
    return ReadFile(location.shown, location.format, plain, digest, len(data), most)


def format_request_path(request: TableRequest) -> str:
    """Format the path of a request as reports print it, independent of where they are made."""
    return request.printed or format_path(request.shown, Path(), Path())


def format_file_name(shown: str, request: TableRequest) -> str:
    """Return the name of a file; one from the environment is followed by its owner."""
    is_told = request.is_hidden and request.purpose
    return f"{shown} ({request.purpose})" if is_told else shown


def _list_path_locations(path: Path, request: TableRequest) -> tuple[FileLocation, ...]:
    shown = format_request_path(request)
    if not path.is_dir():
        return (FileLocation(path, format_file_name(shown, request), _find_format(path, request)),)
    found = _list_matching_files(path, "**/*", request)
    names = [p.relative_to(path) for p in found if p.suffix in (".parquet", ".pq")]
    visible = [name for name in names if not any(part[0] in "._" for part in name.parts)]
    if not visible:
        raise DataError(
            f"{format_file_name(shown, request)}: is a folder without a Parquet file; name a "
            "file or a glob"
        )
    return tuple(
        FileLocation(path / name, decode_name((PurePath(shown) / name).as_posix()), "parquet")
        for name in sorted(visible, key=PurePath.as_posix)
    )


def _list_glob_locations(request: TableRequest) -> tuple[FileLocation, ...]:
    root, printed = Path(_find_fixed_folder(request.path)), format_request_path(request)
    pattern = PurePath(request.path).relative_to(root).as_posix()
    files = _list_matching_files(root, pattern, request)
    if not files:
        raise ConfigError([Problem(f"no file matches {request.shown!r}", request.at)])
    if request.is_hidden:  # a name that the wildcards found may hold what the rest of them hides
        names = [
            format_file_name(f"{printed} ({number})", request)
            for number in range(1, len(files) + 1)
        ]
    else:
        names = [
            (_find_fixed_folder(printed) / path.relative_to(root)).as_posix() for path in files
        ]
    return tuple(
        FileLocation(path, decode_name(name), _find_format(path, request))
        for path, name in zip(files, names, strict=True)
    )


def _list_matching_files(root: Path, pattern: str, request: TableRequest) -> list[Path]:
    try:
        return find_matching_files(root, pattern)
    except FolderEscapeError:
        said = "leaves its folder: '..' may stand only before the first wildcard"
    except TooManyEntries:
        said = f"has more than {MOST_ENTRIES:,} files and folders to look at; name it more closely"
    raise ConfigError([Problem(f"{request.shown!r} {said}", request.at)])


def _find_fixed_folder(pattern: str) -> PurePath:
    """Find the folder before the first part with a wildcard."""
    parts = PurePath(pattern).parts
    fixed = next(i for i, part in enumerate([*parts, "*"]) if has_magic(part))
    return PurePath(*parts[:fixed])


def _find_format(path: Path, request: TableRequest) -> Format:
    suffixes = path.suffixes[-2:]
    is_compressed = bool(suffixes) and suffixes[-1] in COMPRESSIONS
    kept = suffixes[:-1] if is_compressed else suffixes
    kind = FORMATS.get(kept[-1]) if kept else None
    if request.fields in BY_KEY:
        return BY_KEY[request.fields]
    if request.fields and kind is None:  # TREC's files have any name, or none after a point
        kind = "nested" if kept and kept[-1] == NESTED else "spaced"
    if kind is None or (is_compressed and kind not in MAY_BE_COMPRESSED):
        raise ConfigError(
            [Problem(f"cannot tell what {request.shown!r} is; known: {KNOWN}", request.at)]
        )
    return kind


def _unpack(data: bytes, location: FileLocation, most: int) -> bytes:
    suffix = location.path.suffix
    if suffix not in COMPRESSIONS:
        return data
    try:
        return decompress(data, suffix, most)
    except TooLarge:
        raise build_too_large_error(location.shown, most) from None
    except BROKEN as fault:
        raise DataError(
            f"{location.shown}: is not a whole {suffix} file ({format_foreign_error(fault)}); "
            "was it cut off or renamed?"
        ) from None
