"""Blocks of runs as lines of a file: what is not there yet is run, and all of it is added up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

Cells = dict[str, dict[str, int]]


def read(path: Path) -> list[dict[str, Any]]:
    """The lines that are there."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def go_on(
    path: Path,
    jobs: Mapping[tuple[Any, ...], Mapping[str, Any]],
    work: Callable[..., Cells],
    processes: int = 1,
) -> None:
    """Do each job that no line of the file names, work(*job), and write its line."""
    known = [{k: v for k, v in line.items() if k != "cells"} for line in read(path)]
    with ProcessPoolExecutor(processes) as pool:
        running = {
            pool.submit(work, *job): dict(named)
            for job, named in jobs.items()
            if not any(named.items() <= line.items() for line in known)
        }
        for done in as_completed(running):
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(running[done] | {"cells": done.result()}) + "\n")


def summed(runs: Iterable[Mapping[str, Counter[str]]]) -> Cells:
    """The counts of several runs, cell by cell."""
    counts: dict[str, Counter[str]] = {}
    for run in runs:
        for cell, seen in run.items():
            counts.setdefault(cell, Counter()).update(seen)
    return {cell: dict(seen) for cell, seen in counts.items()}


def by_ground(lines: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Counter[str]]]:
    """The counts of all lines, by population and cell."""
    total: dict[str, dict[str, Counter[str]]] = {}
    for line in lines:
        cells = total.setdefault(line["ground"], {})
        for cell, seen in line["cells"].items():
            cells.setdefault(cell, Counter()).update(seen)
    return total
