"""Mode, owner and further attributes of what is replaced, for what takes its place."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP)


def made_alike(path: Path, like: Path) -> bool:
    """Give a file or folder the owner, mode and attributes of another; False if it may not be.

    Where the group cannot be kept, the group's rights are dropped: nobody may read it who could
    not read the other.
    """
    is_owned = _owned_alike(path, like)
    shutil.copystat(like, path)
    os.utime(path)
    if not is_owned:
        mode, group = path.stat().st_mode, path.stat().st_gid
        if group != like.stat().st_gid:
            path.chmod(mode & 0o707)
    return is_owned


def _owned_alike(path: Path, like: Path) -> bool:
    if not hasattr(os, "chown"):
        return True
    old, new = like.stat(), path.stat()
    if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
        return True
    if _chowned(path, old.st_uid, old.st_gid):
        return True
    _chowned(path, -1, old.st_gid)
    return False


def _chowned(path: Path, user: int, group: int) -> bool:
    try:
        os.chown(path, user, group)
    except OSError as error:
        if error.errno in _FORBIDDEN:
            return False
        raise
    return True
