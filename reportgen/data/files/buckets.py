"""Find and read files in a bucket of S3; keys and the server come from the environment."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path
from typing import Any

from reportgen.data.files.remote import require_remote
from reportgen.errors import ConfigError, ConfigPath, DatabaseError, Problem
from reportgen.paths import BUCKET

_PLAIN = re.compile(r"s3://[^/@:?*\[\]]+(/[^?]*)?")
CONNECT_SECONDS, REQUEST_SECONDS, ATTEMPTS = 10, 60, 3


def find_objects(path: str, shown: str, at: ConfigPath) -> tuple[Path, list[Path]]:
    """Return the folder that a URI names, and the files in it, relative to it.

    A URI of one file is its folder with this file, a glob that before its first wildcard with the
    files that match.
    """
    if not _PLAIN.fullmatch(path):
        text = "must look like s3://bucket/folder/ or s3://bucket/folder/file.parquet"
        way = "keys and another server are set by AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL …"
        raise ConfigError([Problem(f"an S3 path {text}; {way}", at)])
    require_remote(shown, at)
    from pyarrow import fs

    parts = Path(path.removeprefix(BUCKET)).parts
    fixed = next((k for k, part in enumerate(parts) if has_magic(part)), len(parts))
    root, pattern = Path(*parts[:fixed]), parts[fixed:]
    with _explain_faults(shown):
        system = _open_system(root.parts[0])
        if not pattern and system.get_file_info(root.as_posix()).type == fs.FileType.File:
            return root.parent, [Path(root.name)]
        listed = system.get_file_info(fs.FileSelector(root.as_posix(), recursive=True))
    files = [each.path for each in listed if each.type == fs.FileType.File and each.size]
    names = [Path(name).relative_to(root) for name in files]
    found = [name for name in names if not pattern or _matches(name.parts, pattern)]
    if pattern and not found:
        raise ConfigError([Problem(f"no file matches {shown!r}", at)])
    return root, found


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether the parts of a path match those of a glob, of which `**` is any number."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[k:], pattern[1:]) for k in range(len(parts) + 1))
    is_first = bool(parts) and fnmatchcase(parts[0], pattern[0])
    return is_first and _matches(parts[1:], pattern[1:])


def copy_object(path: Path, shown: str, at: ConfigPath, copy: Path) -> None:
    """Copy a file of a bucket to a local one, piece by piece."""
    require_remote(shown, at)
    with (
        _explain_faults(shown),
        _open_system(path.parts[0]).open_input_stream(path.as_posix()) as file,
        copy.open("wb") as written,
    ):
        shutil.copyfileobj(file, written)


def read_object(path: Path, shown: str, at: ConfigPath = ()) -> bytes:
    """Read a file of a bucket, by the path that begins with the bucket's name."""
    require_remote(shown, at)
    with _explain_faults(shown):
        with _open_system(path.parts[0]).open_input_stream(path.as_posix()) as file:
            data: bytes = file.read()
        return data


def _open_system(bucket: str) -> Any:
    """Open the server that the environment names, or else that of the bucket's region."""
    from pyarrow import fs

    server = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    scheme, sign, host = server.rpartition("://")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return fs.S3FileSystem(
        region=region or ("us-east-1" if server else fs.resolve_s3_region(bucket)),
        endpoint_override=host or None,
        scheme=scheme if sign else "https",
        connect_timeout=CONNECT_SECONDS,
        request_timeout=REQUEST_SECONDS,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
    )


@contextmanager
def _explain_faults(shown: str) -> Iterator[None]:
    """Say what a server answered, without its text."""
    try:
        yield
    except OSError as fault:
        if fault.errno == ENOSPC:
            raise DatabaseError(f"{shown}: its copy finds no room; set TMPDIR to another") from None
        text = str(fault)
        if any(sign in text for sign in ("ACCESS_DENIED", "HTTP status 403", "InvalidAccessKeyId")):
            why = "the server refused access; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        elif isinstance(fault, FileNotFoundError) or "HTTP status 404" in text:
            why = "there is no such bucket, folder or file; check the path"
        else:
            why = "no S3 server answers; check the network and AWS_ENDPOINT_URL"
        raise DatabaseError(f"{shown}: {why}") from None
