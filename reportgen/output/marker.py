"""The marker of a folder whose files are being replaced one by one.

It is written and synced before the first file is replaced and goes after the last. It names the
staging folder within, each file that is to come from there with its digest, and each that is to
go: so whoever finds the marker, and not the program that set it, can do the rest, any number of
times and from any point.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from reportgen.output.likeness import made_alike
from reportgen.output.locks import locked
from reportgen.output.names import MARKER, is_ours, is_staging
from reportgen.output.places import content, is_file, is_folder, state, synced
from reportgen.outputs import TABLES

_ABOUT = "reportgen was replacing the files of this folder; run it again to finish"
_MOST_BYTES = 1_000_000
_MOST_FILE = 1 << 32
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES)


@dataclass(frozen=True)
class PlannedExchange:
    """What is to be done: files to come from `staging`, by name and digest, and those to go."""

    staging: str
    files: dict[str, str]
    gone: tuple[str, ...]

    @classmethod
    def of(cls, staged: Path, files: Mapping[str, bytes], held: Collection[str]) -> PlannedExchange:
        """What makes a folder that holds some files of ours hold exactly the staged ones."""
        digests = {name: sha256(data).hexdigest() for name, data in files.items()}
        return cls(staged.name, digests, tuple(sorted(set(held) - set(files))))

    @property
    def names(self) -> frozenset[str]:
        """Every file that the marker speaks of."""
        return frozenset((*self.files, *self.gone))

    def text(self) -> bytes:
        """The marker's content."""
        told = {"about": _ABOUT, "staging": self.staging, "files": self.files, "gone": self.gone}
        return (json.dumps(told, indent=1) + "\n").encode()


def stands(folder: Path) -> bool:
    """Whether anything by the marker's name is there, or it cannot be told."""
    try:
        return state(folder / MARKER) is not None
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG


def read(folder: Path) -> PlannedExchange | None:
    """The marker of a folder; None if it has none, or something else by that name."""
    try:
        told = json.loads(content(folder / MARKER, _MOST_BYTES) or b"null")
        found = PlannedExchange(told["staging"], dict(told["files"]), tuple(told["gone"]))
        is_sound = is_staging(found.staging) and all(map(is_ours, found.names))
        return found if is_sound and told["about"] == _ABOUT else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


@contextmanager
def put(mark: PlannedExchange, staged: Path, folder: Path) -> Iterator[None]:
    """Set the marker and hold it, so that no other run takes its work for that of a dead one."""
    draft = staged / MARKER
    with draft.open("xb") as file:
        file.write(mark.text())
        file.flush()
        os.fsync(file.fileno())
    with ExitStack() as stack:
        stack.enter_context(locked(draft))
        if stands(folder):  # of a run that nobody can finish: what it staged is lost
            stack.enter_context(locked(folder / MARKER))
            draft.replace(folder / MARKER)
        else:
            _linked(draft, folder / MARKER)
        synced(folder)
        yield


def carry_out(mark: PlannedExchange, folder: Path) -> None:
    """Do what the marker says, or what is left of it, and take the marker away."""
    _make_tables(mark, folder)
    for name, digest in mark.files.items():
        staged = folder / mark.staging / name
        if _holds(staged, digest):
            staged.replace(folder / name)
        elif not _holds(folder / name, digest):
            raise LookupError(f"{name} was staged, and is lost")
    for name in mark.gone:
        if is_file(folder / name):
            (folder / name).unlink()
    if any(name.startswith(f"{TABLES}/") for name in mark.names):
        _leave_tables(folder)
    synced(folder)
    (folder / MARKER).unlink()


def finish(folder: Path) -> None:
    """Do the rest of what a run that was stopped left; nothing where what it staged is lost."""
    mark = read(folder)
    if mark is None:
        return
    with locked(folder / MARKER):
        if read(folder) != mark:  # the other run was alive, and has ended
            return
        try:
            carry_out(mark, folder)
        except LookupError:
            return
        synced(folder)


def _make_tables(mark: PlannedExchange, folder: Path) -> None:
    """Make the folder of tables before the first file comes into it."""
    tables, staged = folder / TABLES, folder / mark.staging / TABLES
    if state(tables) is None and is_folder(staged):
        tables.mkdir(0o700)
        made_alike(tables, staged)


def _leave_tables(folder: Path) -> None:
    """Have the disk know what is in the folder of tables; one that nothing is left in goes."""
    if is_folder(folder / TABLES):
        synced(folder / TABLES)
        with suppress(OSError):
            (folder / TABLES).rmdir()


def _linked(draft: Path, place: Path) -> None:
    """Give a file a second name that nobody has; where there are no links, a new name."""
    try:
        place.hardlink_to(draft)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        draft.rename(place)


def _holds(path: Path, digest: str) -> bool:
    found = content(path, _MOST_FILE)
    return found is not None and sha256(found).hexdigest() == digest
