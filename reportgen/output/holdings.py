"""What of a folder is ours: the regular files that a results.json of ours names."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from reportgen.output import marker
from reportgen.output.names import MARKER, OURS, is_ours
from reportgen.output.places import content, is_file, is_folder, state
from reportgen.outputs import DRAWN, RESULTS, TABLES

MOST_BYTES = 1 << 30


def ours(folder: Path) -> frozenset[str]:
    """The names of the files that a run of ours left here."""
    mark = marker.read(folder)
    named = (mark.names if mark else frozenset()) | _named(folder)
    has_tables = is_folder(folder / TABLES)
    return frozenset(
        name for name in named if is_file(folder / name) and (has_tables or name in OURS)
    )


def names_in(folder: Path) -> list[str]:
    """All that is in a folder, by name; of its folder of tables, if it is one, what is in that."""
    found = [path.name for path in folder.iterdir()]
    if TABLES in found and is_folder(folder / TABLES):
        found.remove(TABLES)
        found += [f"{TABLES}/{path.name}" for path in (folder / TABLES).iterdir()]
    return found


def stranger(folder: Path, held: Collection[str]) -> str | None:
    """The first name that a report would take, and that something has which is not held by us."""
    free = [name for name in OURS if name not in held]
    if marker.read(folder) is None:
        free.insert(0, MARKER)
    taken = next((name for name in free if state(folder / name) is not None), None)
    return taken or _strange_table(folder, held)


def _strange_table(folder: Path, held: Collection[str]) -> str | None:
    """What stands in the way of tables: no folder by that name, or a file in it by one of ours."""
    if state(folder / TABLES) is None:
        return None
    if not is_folder(folder / TABLES):
        return TABLES
    there = sorted(f"{TABLES}/{path.name}" for path in (folder / TABLES).iterdir())
    return next((name for name in there if is_ours(name) and name not in held), None)


def _named(folder: Path) -> frozenset[str]:
    """The files that results.json names, itself among them, if it is one of ours."""
    found = _parsed(content(folder / RESULTS, MOST_BYTES))
    versions = _part(_part(found, "provenance"), "versions")
    if not isinstance(_part(versions, "reportgen"), str):
        return frozenset()
    files = _part(found, "files")
    if not isinstance(files, list):
        outputs = _part(_part(found, "config"), "outputs")
        # Written by a version that did not list its files.
        asked = outputs if isinstance(outputs, list) else list(DRAWN)
        files = [DRAWN.get(str(output)) for output in asked]
    named = (str(name) for name in files if isinstance(name, str) and is_ours(name))
    return frozenset((RESULTS, *named))


def _parsed(text: bytes | None) -> object:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _part(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None
