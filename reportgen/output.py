"""Files to disk, so that the last whole report is never lost.

Everything is written into a sibling folder first and then exchanged with the old one in one
step, so an interrupt, a kill or a full disk leaves either the old report or the new one. Files
in the folder that are not ours stay: then, and where the folder itself cannot be exchanged
because it is a mount or its parent is not ours, its files are replaced one by one.

What a killed run left behind is removed by the next one; a lock on each staging folder, which
ends with its process, tells it from that of a run beside this one.
"""

from __future__ import annotations

import ctypes
import glob
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from reportgen.errors import OutputError, UsageError

if sys.platform != "win32":
    import fcntl

OURS = ("results.json", "report.html", "report.pdf", "report.md", "junit.xml")


def check(folder: Path) -> None:
    """Stop before any work is done if a report could not be put there."""
    folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder.name}: is a file; give --out a folder")
    nearest = next(p for p in (folder, *folder.parents) if p.exists())
    if not nearest.is_dir():
        raise UsageError(f"{folder.name}: {nearest.name} is a file; give --out a folder")
    if not _is_open(nearest):
        raise UsageError(f"{folder.name}: the folder cannot be written to; choose another --out")


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put exactly these files, of those that are ours, into the folder."""
    folder = folder.resolve()
    place = folder if _must_stay(folder) else folder.parent
    staging = place / f".{folder.name}.new-{os.getpid()}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        _sweep(place, folder.name)
        staging.mkdir()
        with _locked(staging):
            _fill(staging, files)
            _exchange(staging, folder)
    except OSError as error:
        raise OutputError(
            f"{folder.name}: could not be written: {error.strerror}; the last report is unchanged"
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _is_open(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _must_stay(folder: Path) -> bool:
    """Whether the folder is there and cannot be exchanged with a sibling."""
    return folder.exists() and (folder.is_mount() or not _is_open(folder.parent))


def _sweep(place: Path, name: str) -> None:
    """Remove what runs that were killed left of this report; put back a report they had moved."""
    for left in sorted(place.glob(f".{glob.escape(name)}.*-*")):
        kind = left.name.removeprefix(f".{name}.").partition("-")[0]
        if kind == "old" and not (place / name).exists():
            left.rename(place / name)
        elif kind in ("new", "old"):
            with suppress(OSError), _locked(left):
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder against other runs; an OSError where another has it."""
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _fill(staging: Path, files: Mapping[str, bytes]) -> None:
    """Write every file and wait until the disk has it: a full disk is noticed here."""
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
    if foreign or _must_stay(folder) or folder == Path.cwd():
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
