"""One folder put in the place of another, in a single step."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection
from pathlib import Path

from reportgen.output.holdings import names_in
from reportgen.output.places import is_file, state

_RENAME = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD, RENAME_EXCHANGE


def is_possible(folder: Path, held: Collection[str]) -> bool:
    """Whether a new folder may take this one's place: nothing but our files would move with it."""
    if state(folder) is None:
        return True
    return (
        _RENAME is not None
        and os.access(folder.parent, os.W_OK | os.X_OK)
        and not folder.is_mount()
        and not _is_current(folder)
        and _holds_only(folder, held)
    )


def done(staged: Path, folder: Path, held: Collection[str]) -> bool:
    """Put the staged folder in place, and the old one, if any, in its; False if it cannot be."""
    if state(folder) is None:
        staged.rename(folder)
        return True
    if not _swapped(staged, folder):
        return False
    try:
        is_ours = _holds_only(staged, held)
    except OSError:
        is_ours = False
    if not is_ours:  # a file of somebody else came at this very moment
        _swapped(staged, folder)
    return is_ours


def _holds_only(folder: Path, held: Collection[str]) -> bool:
    return all(name in held and is_file(folder / name) for name in names_in(folder))


def _is_current(folder: Path) -> bool:
    try:
        return folder.samefile(Path.cwd())
    except OSError:  # the current folder is gone
        return False


def _swapped(one: Path, other: Path) -> bool:
    if _RENAME is None:
        return False
    return bool(_RENAME(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)
