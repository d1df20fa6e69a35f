"""What of a folder is ours: the regular files that a results.json of ours names."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from reportgen.output import marker
from reportgen.output.names import MARKER, OURS
from reportgen.output.places import content, is_file, state
from reportgen.outputs import DRAWN, RESULTS

MOST_BYTES = 1 << 30


def ours(folder: Path) -> frozenset[str]:
    """The names of the files that a run of ours left here."""
    mark = marker.read(folder)
    named = (mark.names if mark else frozenset()) | _named(folder)
    return frozenset(name for name in named if is_file(folder / name))


def stranger(folder: Path, held: Collection[str]) -> str | None:
    """The first name that a report would take, and that something has which is not held by us."""
    free = [name for name in OURS if name not in held]
    if marker.read(folder) is None:
        free.insert(0, MARKER)
    return next((name for name in free if state(folder / name) is not None), None)


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
    return frozenset((RESULTS, *(name for name in OURS if name in files)))


def _parsed(text: bytes | None) -> object:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _part(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None
