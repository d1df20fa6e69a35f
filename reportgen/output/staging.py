"""Folders that a report is made in before anybody sees it.

Their names are random and made exclusively, and a lock on each, which ends with its process, tells
what a killed run left from the work of a run beside this one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reportgen.output import marker
from reportgen.output.holdings import names_in
from reportgen.output.likeness import made_alike
from reportgen.output.locks import locked
from reportgen.output.names import MARKER, is_ours, is_staging, new_staging
from reportgen.output.places import is_file, is_folder, state, synced
from reportgen.outputs import TABLES

PRIVATE, USUAL = 0o700, 0o777  # the second less what the user's mask takes away


@contextmanager
def made(place: Path, mode: int) -> Iterator[Path]:
    """A new folder in this place; at the end it goes, with what was staged and not used."""
    with ExitStack() as stack:
        staged = _new(place, mode, stack)
        try:
            yield staged
        finally:
            _clear(staged)


def fill(staged: Path, files: Mapping[str, bytes], folder: Path) -> None:
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
    synced(staged)


def _make_tables(staged: Path, folder: Path) -> None:
    """The folder of tables, as private as the one that it replaces or as the report's folder."""
    like = folder / TABLES if is_folder(folder / TABLES) else folder
    if is_folder(like):
        (staged / TABLES).mkdir(PRIVATE)
        made_alike(staged / TABLES, like)
    else:
        (staged / TABLES).mkdir()


def sweep(place: Path) -> None:
    """Remove what runs that were killed left in this place, where that can be told."""
    with suppress(OSError):
        for path in [path for path in place.iterdir() if is_staging(path.name)]:
            with suppress(OSError), locked(path, tries=1) as is_sure:
                if is_sure and _is_own(path):
                    _clear(path)


def _new(place: Path, mode: int, stack: ExitStack) -> Path:
    while True:
        staged = place / new_staging()
        staged.mkdir(mode)
        try:
            stack.enter_context(locked(staged, tries=1))
            if state(staged) is not None:
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
            made_alike(path, like)
        os.fsync(handle)


def _is_own(path: Path) -> bool:
    found = state(path)
    return found is not None and found.st_uid == os.geteuid()


def _clear(staged: Path) -> None:
    """Remove a staging folder with the files by our names in it; any other keeps it there."""
    with suppress(OSError):
        mark = marker.read(staged.parent)
        if mark is not None and mark.staging == staged.name:
            return  # the next run finishes from it
        for name in names_in(staged):
            if (name == MARKER or is_ours(name)) and is_file(staged / name):
                (staged / name).unlink()
        if is_folder(staged / TABLES):
            (staged / TABLES).rmdir()
        staged.rmdir()
