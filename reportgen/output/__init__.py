"""Files to disk: one generation of them or the other, and never a file of somebody else.

A folder that holds our files alone is exchanged as one with a folder made beside it. One that has
to stay (with files of others in it, a mount, the current folder, or where the system cannot
exchange two folders) gets its files one by one, under a marker: whatever reads a report refuses a
folder so marked, and the next run into it first does the rest.

What is ours is what a results.json of ours names, and of that only regular files. Mode and owner
of what is replaced stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from reportgen import signals
from reportgen.errors import OutputError, UsageError
from reportgen.output import exchange, holdings, marker, staging
from reportgen.output.likeness import made_alike
from reportgen.output.places import resolved, state, synced
from reportgen.text import shorten

__all__ = ["check", "standing", "write"]


class _Last:
    """The folder that the program writes to, and whether it holds the new report yet."""

    folder: Path | None = None
    is_placed = False


def check(folder: Path) -> None:
    """Stop before any work is done if a report could not be put there."""
    short = _short(folder)
    _Last.folder, _Last.is_placed = None, False
    try:
        _Last.folder = resolved(folder)
        _check(_Last.folder)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{short}: {_why(error)}; choose another --out") from None


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put exactly these files, of those that are ours, into the folder."""
    short = _short(folder)
    _Last.folder, _Last.is_placed = None, False
    try:
        _Last.folder = folder = resolved(folder)
        _made_parents(folder)
        marker.finish(folder)
        held = holdings.ours(folder)
        stranger = holdings.stranger(folder, held)
        if stranger is not None:
            raise OutputError(f"{short}: {_refusal(stranger)}; {standing()}")
        staging.sweep(folder.parent)
        staging.sweep(folder)
        if not (exchange.is_possible(folder, held) and _exchanged(files, folder, held)):
            _replaced(files, folder, held)
    except (OSError, LookupError, RuntimeError, ValueError) as error:
        raise OutputError(f"{short}: {_how_it_ended(error)}") from None


def standing() -> str:
    """What is true of the report when a run is stopped now."""
    if _Last.is_placed:
        return "the new report is in place"
    if _Last.folder is not None and _is_marked(_Last.folder):
        return (
            f"{_short(_Last.folder)} may hold files of two reports and is marked as incomplete; "
            "run again to finish it"
        )
    return "the last report is unchanged"


def _is_marked(folder: Path) -> bool:
    try:
        return marker.read(folder) is not None
    except OSError:
        return marker.stands(folder)


def _check(folder: Path) -> None:
    found = next(path for path in (folder, *folder.parents) if state(path) is not None)
    if not found.is_dir():
        what = "is a file" if found == folder else f"{_short(found)} is a file"
        raise UsageError(f"{_short(folder)}: {what}; give --out a folder")
    for part in folder.relative_to(found).parts:
        state(found / part)  # a name that the system cannot take is an error here
    if not os.access(found, os.W_OK | os.X_OK):
        raise UsageError(f"{_short(folder)}: the folder cannot be written to; choose another --out")
    stranger = holdings.stranger(folder, holdings.ours(folder))
    if stranger is not None:
        raise UsageError(f"{_short(folder)}: {_refusal(stranger)}")


def _exchanged(files: Mapping[str, bytes], folder: Path, held: Collection[str]) -> bool:
    """Put a new folder in the place of the old in one step; False where that cannot be done."""
    is_there = state(folder) is not None
    with staging.made(folder.parent, staging.PRIVATE if is_there else staging.USUAL) as staged:
        if is_there and not made_alike(staged, folder):
            return False
        staging.fill(staged, files, folder)
        with signals.held():
            if not exchange.done(staged, folder, held):
                return False
            _Last.is_placed = True
            synced(folder.parent)
    return True


def _replaced(files: Mapping[str, bytes], folder: Path, held: Collection[str]) -> None:
    """Replace file by file, under a marker, where the folder itself has to stay."""
    with staging.made(folder, staging.PRIVATE) as staged:
        staging.fill(staged, files, folder)
        mark = marker.PlannedExchange.of(staged, files, held)
        with signals.held(), marker.put(mark, staged, folder):
            marker.carry_out(mark, folder)
            _Last.is_placed = True
            synced(folder)


def _made_parents(folder: Path) -> None:
    """Make the folders above, and have the disk know them."""
    missing = [path for path in folder.parents if state(path) is None]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        synced(path.parent)


def _how_it_ended(error: Exception) -> str:
    if _Last.is_placed:
        return f"the new report is in place, but may not outlast a power cut: {_why(error)}"
    return f"could not be written: {_why(error)}; {standing()}"


def _refusal(name: str) -> str:
    return f"holds a {name} that reportgen did not write, and would replace; choose another --out"


def _why(error: Exception) -> str:
    """An error in the system's words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _short(folder: Path) -> str:
    """The folder's name, as far as a line has room for it."""
    return shorten(folder.name or str(folder), 80)
