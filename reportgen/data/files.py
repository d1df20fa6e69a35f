"""From a path or a glob to the bytes of each file, with what identifies them.

A path that leads nowhere is a mistake in the config; a file that is there but cannot be read
as what its name says is a mistake in the data.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from glob import has_magic
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Literal

from reportgen.data.request import TableRequest
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.paths import as_text
from reportgen.text import foreign

Format = Literal["csv", "tsv", "parquet", "feather", "jsonl"]

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
MAY_BE_COMPRESSED = ("csv", "tsv", "jsonl")
KNOWN = ".csv, .tsv, .jsonl, .ndjson (each also .gz or .zst), .parquet, .feather"


@dataclass(frozen=True)
class File:
    """A file that was read: `data` is its content after decompression."""

    shown: str
    format: Format
    data: bytes
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Location:
    """A file that exists: where, how it is shown, and what its name says it is."""

    path: Path
    shown: str
    format: Format


def find_files(request: TableRequest) -> tuple[Location, ...]:
    """Find the files of a path, a folder of Parquet files, or a glob, sorted by their path."""
    try:
        path = Path(request.path)
        if path.exists():
            return _of_path(path, request)
        if has_magic(request.path):
            return _of_glob(request)
    except OSError as fault:
        text = f"no file {request.shown!r} can be reached: {fault.strerror}"
        raise ConfigError([Problem(text, request.at)]) from None
    except ValueError:  # no path at all, such as one with a zero byte
        pass
    raise ConfigError([Problem(f"no file {request.shown!r}", request.at)])


def read_file(location: Location) -> File:
    """Read and decompress a file."""
    try:
        data = location.path.read_bytes()
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None
    if not data:
        raise DataError(f"{location.shown}: the file is empty")
    plain = _decompressed(data, location)
    return File(location.shown, location.format, plain, sha256(data).hexdigest(), len(data))


def never_absolute(shown: str) -> str:
    """The last part of an absolute path: a report must not depend on the folder it is made in."""
    path = PurePath(shown)
    if not path.is_absolute():
        return shown
    if not has_magic(shown):
        return path.name
    return PurePath(*path.parts[len(_fixed(shown).parts) :]).as_posix()


def _of_path(path: Path, request: TableRequest) -> tuple[Location, ...]:
    shown = never_absolute(request.shown)
    if not path.is_dir():
        return (Location(path, shown, _format_of(path, request)),)
    names = [p.relative_to(path) for p in path.rglob("*") if p.suffix in (".parquet", ".pq")]
    visible = [name for name in names if not any(part[0] in "._" for part in name.parts)]
    if not visible:
        raise DataError(f"{shown}: is a folder without a Parquet file; name a file or a glob")
    return tuple(
        Location(path / name, as_text((PurePath(shown) / name).as_posix()), "parquet")
        for name in sorted(visible, key=PurePath.as_posix)
    )


def _of_glob(request: TableRequest) -> tuple[Location, ...]:
    root, shown_root = Path(_fixed(request.path)), _fixed(never_absolute(request.shown))
    pattern = PurePath(request.path).relative_to(root).as_posix()
    files = sorted((path for path in root.glob(pattern) if path.is_file()), key=Path.as_posix)
    if not files:
        raise ConfigError([Problem(f"no file matches {request.shown!r}", request.at)])
    return tuple(
        Location(path, as_text(name.as_posix()), _format_of(path, request))
        for path in files
        for name in [shown_root / path.relative_to(root)]
    )


def _fixed(pattern: str) -> PurePath:
    """The folder before the first part with a wildcard."""
    parts = PurePath(pattern).parts
    fixed = next(i for i, part in enumerate([*parts, "*"]) if has_magic(part))
    return PurePath(*parts[:fixed])


def _format_of(path: Path, request: TableRequest) -> Format:
    suffixes = path.suffixes[-2:]
    is_compressed = bool(suffixes) and suffixes[-1] in COMPRESSIONS
    kept = suffixes[:-1] if is_compressed else suffixes
    kind = FORMATS.get(kept[-1]) if kept else None
    if kind is None or (is_compressed and kind not in MAY_BE_COMPRESSED):
        raise ConfigError(
            [Problem(f"cannot tell what {request.shown!r} is; known: {KNOWN}", request.at)]
        )
    return kind


def _decompressed(data: bytes, location: Location) -> bytes:
    try:
        if location.path.suffix == ".gz":
            return gzip.decompress(data)
        if location.path.suffix == ".zst":
            return _zstd(data)
    except (OSError, EOFError, zlib.error, ValueError) as fault:
        kind = location.path.suffix
        raise DataError(
            f"{location.shown}: is not a whole {kind} file ({foreign(fault)}); "
            "was it cut off or renamed?"
        ) from None
    return data


def _zstd(data: bytes) -> bytes:
    """Decompress every frame; unlike the library's one-shot call, notice a frame cut short."""
    import zstandard

    frames = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            frames.append(frame.decompress(data))
        except zstandard.ZstdError as fault:
            raise ValueError(str(fault)) from None
        if not frame.eof:
            raise ValueError("the data ends inside a frame")
        data = frame.unused_data
    return b"".join(frames)
