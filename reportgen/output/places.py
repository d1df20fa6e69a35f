"""Paths as the system has them: whether they are there, what they hold, that the disk has them."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)


def resolved(folder: Path) -> Path:
    """The folder itself, behind all links; an OSError where links lead in a circle."""
    with suppress(FileNotFoundError, NotADirectoryError):
        folder.stat()
    return folder.resolve()


def state(path: Path) -> os.stat_result | None:
    """What the system knows of a path, not of what it links to; None if nothing is there."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_folder(path: Path) -> bool:
    """Whether a folder itself is there, and no link to one."""
    found = state(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def is_file(path: Path) -> bool:
    """Whether a regular file is there: no folder, link, pipe or device."""
    found = state(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def content(path: Path, most: int) -> bytes | None:
    """What a regular file holds; None if there is no such file, or one with more bytes."""
    if not is_file(path):
        return None
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, os.O_RDONLY | flags), "rb") as file:  # noqa: PTH123
        held = os.fstat(file.fileno())
        return file.read() if stat.S_ISREG(held.st_mode) and held.st_size <= most else None


def synced(folder: Path) -> None:
    """Wait until the disk has the folder's names, where the system can promise that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(handle)
