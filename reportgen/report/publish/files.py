"""Files and folders on disk: state, names, locks, ownership."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from reportgen.terms import DRAWN, RESULTS, TABLES, VOUCHING

_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)


def resolve_folder(folder: Path) -> Path:
    """Resolve the folder itself, behind all links; raise OSError if links lead in a circle."""
    with suppress(FileNotFoundError, NotADirectoryError):
        folder.stat()
    return folder.resolve()


def stat_path(path: Path) -> os.stat_result | None:
    """Return the status of a path, not of what it links to; None if nothing is there."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_folder(path: Path) -> bool:
    """Return whether a folder itself is there, and no link to one."""
    found = stat_path(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def is_file(path: Path) -> bool:
    """Return whether a regular file is there: no folder, link, pipe or device."""
    found = stat_path(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def read_content(path: Path, most: int) -> bytes | None:
    """Read a regular file; None if there is no such file, or one with more bytes than `most`."""
    if not is_file(path):
        return None
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, os.O_RDONLY | flags), "rb") as file:  # noqa: PTH123
        held = os.fstat(file.fileno())
        return file.read() if stat.S_ISREG(held.st_mode) and held.st_size <= most else None


def sync_folder(folder: Path) -> None:
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


OWN_NAMES = (RESULTS, *DRAWN.values(), *VOUCHING)
_TABLE = re.compile(rf"{TABLES}/[a-z0-9][a-z0-9-]{{0,99}}\.(csv|yaml|json)")
MARKER_NAME = ".reportgen-incomplete"
_STAGING = re.compile(r"\.reportgen-([0-9a-f]{16})-([0-9a-f]{8})")


def is_own_name(name: str) -> bool:
    """Return whether a report takes this name, relative to its folder.

    >>> is_own_name("report.pdf"), is_own_name("tables/gain.csv"), is_own_name("tables/../gain.csv")
    (True, True, False)
    """
    return name in OWN_NAMES or _TABLE.fullmatch(name) is not None


def new_staging_name() -> str:
    """Return a random staging folder name; its last part distinguishes it from similar names."""
    token = secrets.token_hex(8)
    return f".reportgen-{token}-{_check(token)}"


def is_staging_name(name: str) -> bool:
    """Return whether `new_staging_name` can have made this name."""
    found = _STAGING.fullmatch(name)
    return found is not None and found[2] == _check(found[1])


def _check(token: str) -> str:
    return sha256(f"reportgen staging {token}".encode()).hexdigest()[:8]


if sys.platform != "win32":
    import fcntl

_TRIES, _PAUSE = 50, 0.1  # five seconds: another run replaces its files in a fraction of one


@contextmanager
def lock_path(path: Path, tries: int = _TRIES) -> Iterator[bool]:
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


_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP)


def copy_attributes(path: Path, like: Path) -> bool:
    """Give a file or folder the owner, mode and attributes of another; False if it may not be.

    Where the group cannot be kept, the group's rights are dropped: nobody may read it who could
    not read the other.
    """
    is_owned = _match_owner(path, like)
    shutil.copystat(like, path)
    os.utime(path)
    if not is_owned:
        mode, group = path.stat().st_mode, path.stat().st_gid
        if group != like.stat().st_gid:
            path.chmod(mode & 0o707)
    return is_owned


def _match_owner(path: Path, like: Path) -> bool:
    if not hasattr(os, "chown"):
        return True
    old, new = like.stat(), path.stat()
    if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
        return True
    if _change_owner(path, old.st_uid, old.st_gid):
        return True
    _change_owner(path, -1, old.st_gid)
    return False


def _change_owner(path: Path, user: int, group: int) -> bool:
    try:
        os.chown(path, user, group)
    except OSError as error:
        if error.errno in _FORBIDDEN:
            return False
        raise
    return True
