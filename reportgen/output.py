"""Files to disk, so that the last whole report is never lost.

Everything is written into a sibling folder first and then exchanged with the old one in one
step, so an interrupt, a kill or a full disk leaves either the old report or the new one. Files
in the folder that are not ours are moved along.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import OutputError, UsageError

OURS = ("results.json", "report.html", "report.pdf", "report.md", "junit.xml")


def check(folder: Path) -> None:
    """Stop before any work is done if a report could not be put there."""
    folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder.name}: is a file; give --out a folder")
    parent = next(p for p in folder.parents if p.exists())
    if not parent.is_dir():
        raise UsageError(f"{folder.name}: {parent.name} is a file; give --out a folder")
    if not os.access(folder if folder.exists() else parent, os.W_OK | os.X_OK):
        raise UsageError(f"{folder.name}: the folder cannot be written to; choose another --out")


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put exactly these files, of those that are ours, into the folder."""
    folder = folder.resolve()
    staging = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _fill(staging, files)
        _exchange(staging, folder)
    except OSError as error:
        raise OutputError(
            f"{folder.name}: could not be written: {error.strerror}; the last report is unchanged"
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _fill(staging: Path, files: Mapping[str, bytes]) -> None:
    """Write every file and wait until the disk has it: a full disk is noticed here."""
    staging.mkdir()
    for name, data in files.items():
        with (staging / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _exchange(staging: Path, folder: Path) -> None:
    """Make the staged folder the real one; what was not ours moves along."""
    if not folder.exists():
        staging.rename(folder)
        return
    foreign = [path for path in folder.iterdir() if path.name not in OURS]
    if foreign or folder.is_mount() or folder == Path.cwd():
        _replace_files(staging, folder)
        return
    if _swapped(staging, folder):  # the old report is now in staging, which the caller removes
        return
    old = folder.with_name(f".{folder.name}.old-{os.getpid()}")
    folder.rename(old)
    try:
        staging.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _swapped(one: Path, other: Path) -> bool:
    """Exchange two folders in a single step, where the system can: no moment without a report."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and (
        rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0
    )


def _replace_files(staging: Path, folder: Path) -> None:
    """Replace file by file where the folder itself has to stay."""
    for name in OURS:
        if (staging / name).exists():
            (staging / name).replace(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
