"""Locks that end with their process: they tell the work of a killed run from that of a live one."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_TRIES, _PAUSE = 50, 0.1  # five seconds: another run replaces its files in a fraction of one


@contextmanager
def locked(path: Path, tries: int = _TRIES) -> Iterator[bool]:
    """Hold a file or folder against other runs; BlockingIOError where another keeps it.

    Yields whether it is surely held: some file systems have no locks.
    """
    if sys.platform == "win32":
        yield False
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        yield _lock(handle, tries)
    finally:
        os.close(handle)


def _lock(handle: int, tries: int) -> bool:
    for _ in range(tries):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(_PAUSE if tries > 1 else 0)
        except OSError:
            return False
    raise BlockingIOError(errno.EWOULDBLOCK, "another run is writing to it")
