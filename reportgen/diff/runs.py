"""A run as a file has it, or as it is being made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from reportgen import archive
from reportgen.errors import DataError
from reportgen.outputs import RESULTS
from reportgen.paths import open_regular
from reportgen.results import Results


@dataclass(frozen=True)
class Run:
    """Results, the digest of their file if they are from one, and what of it could not be read."""

    results: Results
    digest: str = ""
    notes: tuple[str, ...] = ()


def run_in(place: Path) -> Run:
    """The run of a report's folder, or of a results.json; a DataError where there is none."""
    path = place / RESULTS if place.is_dir() else place
    found = archive.reading(path)
    try:
        with open_regular(path) as file:
            digest = sha256(file.read()).hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    return Run(found.results, digest, found.notes)


def renamed(results: Results, names: Mapping[str, str]) -> Results:
    """Results in which models are called as `names` says, old name to new.

    A model that nobody names keeps its name, unless that is given to another: then it is left out.
    """
    taken = set(names.values()) - set(names)
    known = {m.name for m in results.models}
    to = {name: names.get(name, name) for name in known if name in names or name not in taken}

    def shown(rows: Any, *keys: str) -> Any:
        kept = (row for row in rows if all(getattr(row, key) in (None, *to) for key in keys))
        return tuple(
            replace(row, **{key: to.get(getattr(row, key)) for key in keys}) for row in kept
        )

    told = results.digests
    if told is not None:
        told = replace(told, datasets=tuple(
            replace(
                each,
                scores={to[m]: value for m, value in each.scores.items() if m in to},
                replicates={to[m]: value for m, value in each.replicates.items() if m in to},
            )
            for each in told.datasets
        ))  # fmt: skip
    return replace(
        results,
        digests=told,
        models=shown(results.models, "name"),
        estimates=shown(results.estimates, "model"),
        comparisons=shown(results.comparisons, "candidate", "baseline"),
    )
