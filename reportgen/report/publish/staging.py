"""Stage a folder and exchange it with the old one."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reportgen.report.publish import marker
from reportgen.report.publish.files import (
    MARKER_NAME,
    copy_attributes,
    is_file,
    is_folder,
    is_own_name,
    is_staging_name,
    lock_path,
    new_staging_name,
    stat_path,
    sync_folder,
)
from reportgen.report.publish.marker import list_folder
from reportgen.terms import TABLES

_RENAME = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD, RENAME_EXCHANGE


def can_exchange(folder: Path, held: Collection[str]) -> bool:
    """Tell whether a new folder may take this one's place.

    Nothing but our files would move with it.
    """
    if stat_path(folder) is None:
        return True
    return (
        _RENAME is not None
        and os.access(folder.parent, os.W_OK | os.X_OK)
        and not folder.is_mount()
        and not _is_current(folder)
        and _holds_only(folder, held)
    )


def exchange_folders(staged: Path, folder: Path, held: Collection[str]) -> bool:
    """Put the staged folder in place, and the old one, if any, in its; False if it cannot be."""
    if stat_path(folder) is None:
        staged.rename(folder)
        return True
    if not _swap_paths(staged, folder):
        return False
    try:
        is_ours = _holds_only(staged, held)
    except OSError:
        is_ours = False
    if not is_ours:  # a file of somebody else came at this very moment
        _swap_paths(staged, folder)
    return is_ours


def _holds_only(folder: Path, held: Collection[str]) -> bool:
    return all(name in held and is_file(folder / name) for name in list_folder(folder))


def _is_current(folder: Path) -> bool:
    try:
        return folder.samefile(Path.cwd())
    except OSError:  # the current folder is gone
        return False


def _swap_paths(one: Path, other: Path) -> bool:
    if _RENAME is None:
        return False
    return bool(_RENAME(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


PRIVATE, USUAL = 0o700, 0o777  # the second less what the user's mask takes away


@contextmanager
def make_staging(place: Path, mode: int) -> Iterator[Path]:
    """Make a new folder in this place; at the end remove it, with what was staged and not used."""
    with ExitStack() as stack:
        staged = _new(place, mode, stack)
        try:
            yield staged
        finally:
            _clear(staged)


def fill_staging(staged: Path, files: Mapping[str, bytes], folder: Path) -> None:
    """Write every file and wait until the disk has it: a full disk is noticed here.

    A file gets the mode and owner of the one that it replaces, or else of the folder's
    results.json: what was private stays so.
    """
    if any(name.startswith(f"{TABLES}/") for name in files):
        _make_tables(staged, folder)
    for name, data in files.items():
        held = (path for path in (folder / name, folder / "results.json") if is_file(path))
        like = next(held, None)
        _write(staged / name, data, like)
    sync_folder(staged)


def _make_tables(staged: Path, folder: Path) -> None:
    """Make the folder of tables, as private as the one that it replaces or the report's folder."""
    like = folder / TABLES if is_folder(folder / TABLES) else folder
    if is_folder(like):
        (staged / TABLES).mkdir(PRIVATE)
        copy_attributes(staged / TABLES, like)
    else:
        (staged / TABLES).mkdir()


def sweep_staging(place: Path) -> None:
    """Remove what runs that were killed left in this place, where that can be known."""
    with suppress(OSError):
        for path in [path for path in place.iterdir() if is_staging_name(path.name)]:
            with suppress(OSError), lock_path(path, tries=1) as is_sure:
                if is_sure and _is_own(path):
                    _clear(path)


def _new(place: Path, mode: int, stack: ExitStack) -> Path:
    while True:
        staged = place / new_staging_name()
        staged.mkdir(mode)
        try:
            stack.enter_context(lock_path(staged, tries=1))
            if stat_path(staged) is not None:
                return staged
        except (FileNotFoundError, BlockingIOError):
            continue  # a run that sweeps was quicker than the lock
        except BaseException:
            _clear(staged)
            raise


def _write(path: Path, data: bytes, like: Path | None) -> None:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o666 if like is None else 0o600)
    with open(handle, "wb") as file:  # noqa: PTH123
        file.write(data)
        file.flush()
        if like is not None:
            copy_attributes(path, like)
        os.fsync(handle)


def _is_own(path: Path) -> bool:
    found = stat_path(path)
    return found is not None and found.st_uid == os.geteuid()


def _clear(staged: Path) -> None:
    """Remove a staging folder with the files by our names in it; any other keeps it there."""
    with suppress(OSError):
        mark = marker.read_marker(staged.parent)
        if mark is not None and mark.staging == staged.name:
            return  # the next run finishes from it
        for name in list_folder(staged):
            if (name == MARKER_NAME or is_own_name(name)) and is_file(staged / name):
                (staged / name).unlink()
        if is_folder(staged / TABLES):
            (staged / TABLES).rmdir()
        staged.rmdir()
