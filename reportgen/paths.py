"""Files that can be read to their end, and the names of files as they are printed."""

from __future__ import annotations

import os
import stat
from errno import EINVAL
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read; an OSError where there is none, or something else.

    A named pipe would make the reader wait for ever, and a device may have no end.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(EINVAL, "Not a regular file", str(path))
    # Whatever took the file's place since then must not make the opening wait.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise OSError(EINVAL, "Not a regular file", str(path))
    return file


def as_text(name: str) -> str:
    r"""The name of a file as text of UTF-8: what no letter stands for is written as its code.

    >>> as_text("caf\udce9.csv")
    'caf\\xe9.csv'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")
