"""The files of the study's counts: a block of runs a line, and how newer ones replace older."""

from __future__ import annotations

import json
from math import isclose
from pathlib import Path
from typing import Any

from coverage_cells import OF_ALL

Lines = dict[int, dict[str, Any]]  # the blocks of a file by their first run


def merge(source: Path, out: Path) -> None:
    """Put what comes out otherwise in one folder in the place of all older counts of the same."""
    for path in sorted(source.glob("*.jsonl")):
        newer, older = lines_of(path), lines_of(out / path.name)
        if len({line["replicates"] for line in (*newer.values(), *older.values())}) != 1:
            raise SystemExit(f"{path}: other replicates than {out / path.name}")
        again = changed(newer, older)
        lines = []
        for first in sorted(newer.keys() | older.keys()):
            line = older.get(first) or newer[first]
            kept = {name: cell for name, cell in line["cells"].items() if asks(name) not in again}
            found = newer[first]["cells"] if first in newer else {}
            found = {name: cell for name, cell in found.items() if asks(name) in again}
            lines.append(json.dumps(line | {"cells": kept | found}) + "\n")
        save(out / path.name, "".join(lines))


def changed(newer: Lines, older: Lines) -> set[str]:
    """The metrics and kinds that are new, or of which any count differs in a block of both."""
    return {
        asks(name)
        for first, line in newer.items()
        for name, counts in line["cells"].items()
        if first not in older or not is_same(counts, older[first]["cells"].get(name, {}))
    }


def asks(cell: str) -> str:
    """Metric and kind of a cell, whose methods are judged on the same samples."""
    return cell.rpartition(" ")[0]


def is_same(counts: dict[str, float], others: dict[str, float]) -> bool:
    """Whether two cells count the same, by all that they can hold, and their widths agree."""
    names = (counts.keys() | others.keys()) - OF_ALL
    return all(isclose(counts.get(n, 0), others.get(n, 0), rel_tol=1e-6) for n in names)


def lines_of(path: Path) -> Lines:
    """The blocks of a file; none where there is no file."""
    if not path.exists():
        return {}
    return {line["first"]: line for line in map(json.loads, path.read_text().splitlines())}


def save(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_suffix(".part")
    draft.write_text(text)
    draft.replace(path)
