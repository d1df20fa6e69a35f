"""Find and read files in a bucket of S3; keys and the server come from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reportgen.data.files.remote import require_remote
from reportgen.errors import ConfigError, ConfigPath, DatabaseError, Problem
from reportgen.paths import BUCKET

_PLAIN = re.compile(r"s3://[^/@:?*\[\]]+(/[^?*\[\]]*)?")
CONNECT_SECONDS, REQUEST_SECONDS, ATTEMPTS = 10, 60, 3


def find_objects(path: str, shown: str, at: ConfigPath) -> tuple[Path, list[Path]]:
    """Return the folder that a URI names, and the files in it, relative to it.

    A URI of one file is its folder with this file.
    """
    if not _PLAIN.fullmatch(path):
        text = "must look like s3://bucket/folder/ or s3://bucket/folder/file.parquet"
        way = "keys and another server are set by AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL …"
        raise ConfigError([Problem(f"an S3 path {text}; {way}", at)])
    require_remote(shown, at)
    from pyarrow import fs

    root = Path(path.removeprefix(BUCKET))
    with _explain_faults(shown):
        system = _open_system(root.parts[0])
        if system.get_file_info(root.as_posix()).type == fs.FileType.File:
            return root.parent, [Path(root.name)]
        listed = system.get_file_info(fs.FileSelector(root.as_posix(), recursive=True))
    files = [each.path for each in listed if each.type == fs.FileType.File and each.size]
    return root, [Path(name).relative_to(root) for name in files]


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
        text = str(fault)
        if any(sign in text for sign in ("ACCESS_DENIED", "HTTP status 403", "InvalidAccessKeyId")):
            why = "the server refused access; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        elif isinstance(fault, FileNotFoundError) or "HTTP status 404" in text:
            why = "there is no such bucket, folder or file; check the path"
        else:
            why = "no S3 server answers; check the network and AWS_ENDPOINT_URL"
        raise DatabaseError(f"{shown}: {why}") from None
