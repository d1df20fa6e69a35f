"""The marker of a replacement in progress, and what of a folder is ours."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from reportgen.records import record
from reportgen.report.publish.files import (
    MARKER_NAME,
    OWN_NAMES,
    copy_attributes,
    is_file,
    is_folder,
    is_own_name,
    is_staging_name,
    lock_path,
    read_content,
    stat_path,
    sync_folder,
)
from reportgen.terms import DRAWN, RESULTS, TABLES

_ABOUT = "reportgen was replacing the files of this folder; run it again to finish"
_MOST_BYTES = 1_000_000
_MOST_FILE = 1 << 32
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES)


@record
class ExchangePlan:
    """Plan of an exchange: files to come from `staging`, by name and digest, and those to go."""

    staging: str
    files: dict[str, str]
    gone: tuple[str, ...]

    @classmethod
    def from_staging(
        cls, staged: Path, files: Mapping[str, bytes], held: Collection[str]
    ) -> ExchangePlan:
        """Plan how a folder with some files of ours comes to hold exactly the staged ones."""
        digests = {name: sha256(data).hexdigest() for name, data in files.items()}
        return cls(staged.name, digests, tuple(sorted(set(held) - set(files))))

    @property
    def names(self) -> frozenset[str]:
        """Every file that the marker speaks of."""
        return frozenset((*self.files, *self.gone))

    def text(self) -> bytes:
        """Return the marker's content."""
        content = {"about": _ABOUT, "staging": self.staging, "files": self.files, "gone": self.gone}
        return (json.dumps(content, indent=1) + "\n").encode()


def is_marked(folder: Path) -> bool:
    """Tell whether anything by the marker's name is there, or might be."""
    try:
        return stat_path(folder / MARKER_NAME) is not None
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG


def read_marker(folder: Path) -> ExchangePlan | None:
    """Read the marker of a folder; None if it has none, or something else by that name."""
    try:
        content = json.loads(read_content(folder / MARKER_NAME, _MOST_BYTES) or b"null")
        found = ExchangePlan(content["staging"], dict(content["files"]), tuple(content["gone"]))
        is_sound = is_staging_name(found.staging) and all(map(is_own_name, found.names))
        return found if is_sound and content["about"] == _ABOUT else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


@contextmanager
def hold_marker(mark: ExchangePlan, staged: Path, folder: Path) -> Iterator[None]:
    """Set the marker and hold it, so that no other run takes its work for that of a dead one."""
    draft = staged / MARKER_NAME
    with draft.open("xb") as file:
        file.write(mark.text())
        file.flush()
        os.fsync(file.fileno())
    with ExitStack() as stack:
        stack.enter_context(lock_path(draft))
        if is_marked(folder):  # of a run that nobody can finish: what it staged is lost
            stack.enter_context(lock_path(folder / MARKER_NAME))
            draft.replace(folder / MARKER_NAME)
        else:
            _link_file(draft, folder / MARKER_NAME)
        sync_folder(folder)
        yield


def carry_out_exchange(mark: ExchangePlan, folder: Path) -> None:
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
    sync_folder(folder)
    (folder / MARKER_NAME).unlink()


def finish_exchange(folder: Path) -> None:
    """Do the rest of what a run that was stopped left; nothing where what it staged is lost."""
    mark = read_marker(folder)
    if mark is None:
        return
    with lock_path(folder / MARKER_NAME):
        if read_marker(folder) != mark:  # the other run was alive, and has ended
            return
        try:
            carry_out_exchange(mark, folder)
        except LookupError:
            return
        sync_folder(folder)


def _make_tables(mark: ExchangePlan, folder: Path) -> None:
    """Make the folder of tables before the first file comes into it."""
    tables, staged = folder / TABLES, folder / mark.staging / TABLES
    if stat_path(tables) is None and is_folder(staged):
        tables.mkdir(0o700)
        copy_attributes(tables, staged)


def _leave_tables(folder: Path) -> None:
    """Have the disk know what is in the folder of tables; one that nothing is left in goes."""
    if is_folder(folder / TABLES):
        sync_folder(folder / TABLES)
        with suppress(OSError):
            (folder / TABLES).rmdir()


def _link_file(draft: Path, place: Path) -> None:
    """Give a file a second name that nobody has; where there are no links, a new name."""
    try:
        place.hardlink_to(draft)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        draft.rename(place)


def _holds(path: Path, digest: str) -> bool:
    found = read_content(path, _MOST_FILE)
    return found is not None and sha256(found).hexdigest() == digest


MOST_BYTES = 1 << 30


def list_own_files(folder: Path) -> frozenset[str]:
    """Return the names of the files that a run of ours left here."""
    mark = read_marker(folder)
    named = (mark.names if mark else frozenset()) | _list_named_files(folder)
    has_tables = is_folder(folder / TABLES)
    return frozenset(
        name for name in named if is_file(folder / name) and (has_tables or name in OWN_NAMES)
    )


def list_folder(folder: Path) -> list[str]:
    """List a folder by name; its folder of tables, if it is one, with what is in that."""
    found = [path.name for path in folder.iterdir()]
    if TABLES in found and is_folder(folder / TABLES):
        found.remove(TABLES)
        found += [f"{TABLES}/{path.name}" for path in (folder / TABLES).iterdir()]
    return found


def find_foreign_file(folder: Path, held: Collection[str]) -> str | None:
    """Find the first name that a report would take and that something not held by us has."""
    free = [name for name in OWN_NAMES if name not in held]
    if read_marker(folder) is None:
        free.insert(0, MARKER_NAME)
    taken = next((name for name in free if stat_path(folder / name) is not None), None)
    return taken or _strange_table(folder, held)


def _strange_table(folder: Path, held: Collection[str]) -> str | None:
    """Find what blocks the tables: a non-folder of that name, or a file in it by our names."""
    if stat_path(folder / TABLES) is None:
        return None
    if not is_folder(folder / TABLES):
        return TABLES
    there = sorted(f"{TABLES}/{path.name}" for path in (folder / TABLES).iterdir())
    return next((name for name in there if is_own_name(name) and name not in held), None)


def _list_named_files(folder: Path) -> frozenset[str]:
    """Return the files that results.json names, itself among them, if it is one of ours."""
    found = _parse_or_none(read_content(folder / RESULTS, MOST_BYTES))
    versions = _part(_part(found, "provenance"), "versions")
    if not isinstance(_part(versions, "reportgen"), str):
        return frozenset()
    files = _part(found, "files")
    if not isinstance(files, list):
        outputs = _part(_part(found, "config"), "outputs")
        # Written by a version that did not list its files.
        asked = outputs if isinstance(outputs, list) else list(DRAWN)
        files = [DRAWN.get(str(output)) for output in asked]
    named = (str(name) for name in files if isinstance(name, str) and is_own_name(name))
    return frozenset((RESULTS, *named))


def _parse_or_none(text: bytes | None) -> object:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _part(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None
