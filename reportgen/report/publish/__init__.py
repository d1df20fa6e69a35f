"""Publish a report folder atomically."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from reportgen import signals
from reportgen.errors import OutputError, UsageError
from reportgen.report.publish import marker, staging
from reportgen.report.publish.files import copy_attributes, resolve_folder, stat_path, sync_folder
from reportgen.text import shorten

__all__ = ["check_folder", "describe_folder_state", "publish_files"]


class _PublishState:
    """The folder that the program writes to, and whether it holds the new report yet."""

    folder: Path | None = None
    is_placed = False


def check_folder(folder: Path) -> None:
    """Stop before any work is done if a report could not be put there."""
    short = _short(folder)
    _PublishState.folder, _PublishState.is_placed = None, False
    try:
        _PublishState.folder = resolve_folder(folder)
        _check(_PublishState.folder)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{short}: {_why(error)}; choose another --out") from None


def publish_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Put exactly these files, of those that are ours, into the folder."""
    short = _short(folder)
    _PublishState.folder, _PublishState.is_placed = None, False
    try:
        _PublishState.folder = folder = resolve_folder(folder)
        _make_parents(folder)
        marker.finish_exchange(folder)
        held = marker.list_own_files(folder)
        stranger = marker.find_foreign_file(folder, held)
        if stranger is not None:
            raise OutputError(f"{short}: {_format_refusal(stranger)}; {describe_folder_state()}")
        staging.sweep_staging(folder.parent)
        staging.sweep_staging(folder)
        if not (staging.can_exchange(folder, held) and _exchange_folder(files, folder, held)):
            _replace_files(files, folder, held)
    except (OSError, LookupError, RuntimeError, ValueError) as error:
        raise OutputError(f"{short}: {_describe_end(error)}") from None


def describe_folder_state() -> str:
    """Describe the state of the report if the run is stopped now."""
    if _PublishState.is_placed:
        return "the new report is in place"
    if _PublishState.folder is not None and _is_marked(_PublishState.folder):
        return (
            f"{_short(_PublishState.folder)} may hold files of two reports and is marked as "
            "incomplete; "
            "run again to finish it"
        )
    return "the last report is unchanged"


def _is_marked(folder: Path) -> bool:
    try:
        return marker.read_marker(folder) is not None
    except OSError:
        return marker.is_marked(folder)


def _check(folder: Path) -> None:
    found = next(path for path in (folder, *folder.parents) if stat_path(path) is not None)
    if not found.is_dir():
        what = "is a file" if found == folder else f"{_short(found)} is a file"
        raise UsageError(f"{_short(folder)}: {what}; give --out a folder")
    for part in folder.relative_to(found).parts:
        stat_path(found / part)  # a name that the system cannot take is an error here
    if not os.access(found, os.W_OK | os.X_OK):
        raise UsageError(f"{_short(folder)}: the folder cannot be written to; choose another --out")
    stranger = marker.find_foreign_file(folder, marker.list_own_files(folder))
    if stranger is not None:
        raise UsageError(f"{_short(folder)}: {_format_refusal(stranger)}")


def _exchange_folder(files: Mapping[str, bytes], folder: Path, held: Collection[str]) -> bool:
    """Put a new folder in the place of the old in one step; False where that cannot be done."""
    is_there = stat_path(folder) is not None
    with staging.make_staging(
        folder.parent, staging.PRIVATE if is_there else staging.USUAL
    ) as staged:
        if is_there and not copy_attributes(staged, folder):
            return False
        staging.fill_staging(staged, files, folder)
        with signals.defer_signals():
            if not staging.exchange_folders(staged, folder, held):
                return False
            _PublishState.is_placed = True
            sync_folder(folder.parent)
    return True


def _replace_files(files: Mapping[str, bytes], folder: Path, held: Collection[str]) -> None:
    """Replace file by file, under a marker, where the folder itself has to stay."""
    with staging.make_staging(folder, staging.PRIVATE) as staged:
        staging.fill_staging(staged, files, folder)
        mark = marker.ExchangePlan.from_staging(staged, files, held)
        with signals.defer_signals(), marker.hold_marker(mark, staged, folder):
            marker.carry_out_exchange(mark, folder)
            _PublishState.is_placed = True
            sync_folder(folder)


def _make_parents(folder: Path) -> None:
    """Make the folders above, and have the disk know them."""
    missing = [path for path in folder.parents if stat_path(path) is None]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def _describe_end(error: Exception) -> str:
    if _PublishState.is_placed:
        return f"the new report is in place, but may not outlast a power cut: {_why(error)}"
    return f"could not be written: {_why(error)}; {describe_folder_state()}"


def _format_refusal(name: str) -> str:
    return f"holds a {name} that reportgen did not write, and would replace; choose another --out"


def _why(error: Exception) -> str:
    """Return an error in the system's words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _short(folder: Path) -> str:
    """Shorten the folder's name to what a line has room for."""
    return shorten(folder.name or str(folder), 80)
