"""From a path or a glob to the bytes of each file, with what identifies them.

A path that leads nowhere is a mistake in the config; a file that is there but cannot be read
as what its name says is a mistake in the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from glob import has_magic
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Literal

from reportgen.data.files.globs import MOST_ENTRIES, Climbing, TooMany, matching
from reportgen.data.files.unpacking import BROKEN, GB, TooLarge, half_of_memory, unpacked
from reportgen.data.request import TableRequest
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.paths import as_text, open_regular, shown_path
from reportgen.text import foreign

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
class File:
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


def read_files(request: TableRequest) -> tuple[File, ...]:
    """Read all files of a request, unpacked; the limit to that holds for them together."""
    left = half_of_memory() if request.max_unpacked is None else request.max_unpacked
    files: list[File] = []
    for location in find_files(request):
        files.append(_asked(_read(location, left), request))
        left -= len(files[-1].data) if location.path.suffix in COMPRESSIONS else 0
    return tuple(files)


def _asked(file: File, request: TableRequest) -> File:
    """A file with what the request knows of it."""
    return replace(file, delimiter=request.delimiter, fields=request.fields)


def too_large(shown: str, most: int) -> DataError:
    """What is said of a file that holds more than may be unpacked."""
    return DataError(
        f"{shown}: unpacks to more than {most / GB:,.3g} GB; if so much is meant, write "
        "`max_unpacked:` with the GB it may have"
    )


def _read(location: Location, most: int) -> File:
    try:
        with open_regular(location.path) as file:
            data = file.read()
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None
    if not data:
        raise DataError(f"{location.shown}: the file is empty")
    plain, digest = _unpacked(data, location, most), sha256(data).hexdigest()
    return File(location.shown, location.format, plain, digest, len(data), most)


def printed_path(request: TableRequest) -> str:
    """The path of a request as reports print it: they do not depend on where they are made."""
    return request.printed or shown_path(request.shown, Path(), Path())


def told(shown: str, request: TableRequest) -> str:
    """The name of a file; beside one that came from the environment stands whose it is."""
    is_told = request.is_hidden and request.of
    return f"{shown} ({request.of})" if is_told else shown


def _of_path(path: Path, request: TableRequest) -> tuple[Location, ...]:
    shown = printed_path(request)
    if not path.is_dir():
        return (Location(path, told(shown, request), _format_of(path, request)),)
    found = _matching(path, "**/*", request)
    names = [p.relative_to(path) for p in found if p.suffix in (".parquet", ".pq")]
    visible = [name for name in names if not any(part[0] in "._" for part in name.parts)]
    if not visible:
        raise DataError(
            f"{told(shown, request)}: is a folder without a Parquet file; name a file or a glob"
        )
    return tuple(
        Location(path / name, as_text((PurePath(shown) / name).as_posix()), "parquet")
        for name in sorted(visible, key=PurePath.as_posix)
    )


def _of_glob(request: TableRequest) -> tuple[Location, ...]:
    root, printed = Path(_fixed(request.path)), printed_path(request)
    pattern = PurePath(request.path).relative_to(root).as_posix()
    files = _matching(root, pattern, request)
    if not files:
        raise ConfigError([Problem(f"no file matches {request.shown!r}", request.at)])
    if request.is_hidden:  # a name that the wildcards found may hold what the rest of them hides
        names = [told(f"{printed} ({number})", request) for number in range(1, len(files) + 1)]
    else:
        names = [(_fixed(printed) / path.relative_to(root)).as_posix() for path in files]
    return tuple(
        Location(path, as_text(name), _format_of(path, request))
        for path, name in zip(files, names, strict=True)
    )


def _matching(root: Path, pattern: str, request: TableRequest) -> list[Path]:
    try:
        return matching(root, pattern)
    except Climbing:
        said = "leaves its folder: '..' may stand only before the first wildcard"
    except TooMany:
        said = f"has more than {MOST_ENTRIES:,} files and folders to look at; name it more closely"
    raise ConfigError([Problem(f"{request.shown!r} {said}", request.at)])


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
    if request.fields in BY_KEY:
        return BY_KEY[request.fields]
    if request.fields and kind is None:  # TREC's files have any name, or none after a point
        kind = "nested" if kept and kept[-1] == NESTED else "spaced"
    if kind is None or (is_compressed and kind not in MAY_BE_COMPRESSED):
        raise ConfigError(
            [Problem(f"cannot tell what {request.shown!r} is; known: {KNOWN}", request.at)]
        )
    return kind


def _unpacked(data: bytes, location: Location, most: int) -> bytes:
    suffix = location.path.suffix
    if suffix not in COMPRESSIONS:
        return data
    try:
        return unpacked(data, suffix, most)
    except TooLarge:
        raise too_large(location.shown, most) from None
    except BROKEN as fault:
        raise DataError(
            f"{location.shown}: is not a whole {suffix} file ({foreign(fault)}); "
            "was it cut off or renamed?"
        ) from None
