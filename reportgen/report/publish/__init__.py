"""Publish a report folder atomically."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reportgen import signals
from reportgen.errors import OutputError, ReportgenError, UsageError
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
    resolve_folder,
    stat_path,
    sync_folder,
)
from reportgen.report.publish.marker import list_folder
from reportgen.terms import RESULTS, TABLES
from reportgen.text import shorten

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


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
        sweep_staging(folder.parent)
        sweep_staging(folder)
        if not (can_exchange(folder, held) and _exchange_folder(files, folder, held)):
            _replace_files(files, folder, held)
    except (OSError, LookupError, RuntimeError, ValueError) as error:
        raise OutputError(f"{short}: {_describe_end(error)}") from None


def replace_file(path: Path, data: bytes) -> None:
    """Put a file in place in one step: a full disk leaves the old one as it was, or none."""
    draft: Path | None = None
    try:
        place = path.resolve()
        is_there = stat_path(place) is not None
        if is_there and not (is_file(place) and os.access(place.parent, os.W_OK)):
            place.write_bytes(data)  # a pipe, a device, or a file in a folder of somebody else
            return
        draft = place.with_name(new_staging_name())
        _write(draft, data, place if is_there else None)
        draft.replace(place)
    except (OSError, RuntimeError, ValueError) as error:
        raise build_write_error(path, error) from None
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def build_write_error(path: Path, error: Exception) -> ReportgenError:
    """Build the error of a file that cannot be written: its name is wrong, or the disk is full."""
    kind = OutputError if getattr(error, "errno", None) in _DISK_FULL else UsageError
    return kind(f"{path}: cannot be written: {_why(error)}")


def describe_folder_state() -> str:
    """Describe the state of the report if the run is stopped now."""
    if _PublishState.is_placed:
        return "the new report is in place"
    folder = _PublishState.folder
    if folder is not None and _is_marked(folder):
        return (
            f"{_short(folder)} may hold files of two reports and is marked as incomplete; "
            "run again to finish it"
        )
    with suppress(OSError, ValueError):  # of a name that no folder can have
        if folder is not None and is_file(folder / RESULTS):
            return "the last report is unchanged"
    return "no report was written"


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
    with make_staging(folder.parent, PRIVATE if is_there else USUAL) as staged:
        if is_there and not copy_attributes(staged, folder):
            return False
        fill_staging(staged, files, folder)
        with signals.defer_signals():
            if not exchange_folders(staged, folder, held):
                return False
            _PublishState.is_placed = True
            sync_folder(folder.parent)
    return True


def _replace_files(files: Mapping[str, bytes], folder: Path, held: Collection[str]) -> None:
    """Replace file by file, under a marker, where the folder itself has to stay."""
    with make_staging(folder, PRIVATE) as staged:
        fill_staging(staged, files, folder)
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
