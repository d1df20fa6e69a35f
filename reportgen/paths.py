"""Files that can be read to their end, and the names of files as they are printed."""

from __future__ import annotations

import os
import stat
from errno import EINVAL
from glob import has_magic
from pathlib import Path, PurePath
from typing import BinaryIO


class NotRegularFile(OSError):
    """A folder, a pipe, a device or a socket, where a file is wanted."""

    def __init__(self, path: Path) -> None:
        super().__init__(EINVAL, "Not a regular file", str(path))


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read; NotRegular for anything else, an OSError where nothing is.

    A named pipe would make the reader wait for ever, and a device may have no end.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise NotRegularFile(path)
    # Whatever took the file's place since then must not make the opening wait.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise NotRegularFile(path)
    return file


BUCKET = "s3://"


def format_path(written: str, base: Path, home: Path) -> str:
    """Format a path, or a glob, as a report prints it: below `home`, or else by its last part.

    `written` begins at `base`. What leads out of both, upwards or from the root, tells of the
    machine and not of the report; of a glob the parts with wildcards are kept. A URI of S3 is kept.
    """
    path = PurePath(written)
    if written.startswith(BUCKET):
        return written
    if not path.is_absolute() and ".." not in path.parts:
        return path.as_posix()
    whole = PurePath(os.path.normpath(base / path))
    home = Path(os.path.normpath(home))
    if whole.is_relative_to(home) and whole != home:
        return whole.relative_to(home).as_posix()
    parts = whole.parts
    first = next((i for i, part in enumerate(parts) if has_magic(part)), len(parts) - 1)
    return PurePath(*parts[first:]).as_posix() if first >= 0 else ""


def decode_name(name: str) -> str:
    r"""Decode a file name as UTF-8 text, with bytes that stand for no letter as their codes.

    >>> decode_name("caf\udce9.csv")
    'caf\\xe9.csv'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def find_templates_folder() -> Path:
    """Find the built-in templates: inside the package (wheel), else next to it (checkout)."""
    package = Path(__file__).resolve().parent
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / "html").is_dir():
            return folder
    raise FileNotFoundError(f"no templates in {package} or next to it")
