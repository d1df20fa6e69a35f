"""Whether the pages of a report say what its results.json holds: they are made from it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reportgen.errors import UsageError
from reportgen.output.places import content
from reportgen.outputs import MANIFEST, RESULTS, VOUCHING
from reportgen.pipeline import outcome_from_results
from reportgen.provenance import versions
from reportgen.verification import Discrepancy, manifest_in

_MOST_BYTES = 1 << 32


def edited(folder: Path, template_dir: Path | None) -> Iterator[Discrepancy]:
    """The files that results.json does not lead to; a UsageError where that cannot be told."""
    manifest = manifest_in(folder)
    here = versions()
    other = [name for name in here if here[name] != manifest.versions.get(name)]
    if other:
        raise UsageError(
            f"{folder / MANIFEST}: cannot tell whether the pages were edited: {other[0]} was "
            f"{manifest.versions.get(other[0])}, here it is {here[other[0]]}; use the same versions"
        )
    made = outcome_from_results(folder / RESULTS, template_dir).files
    for name in sorted(set(manifest.outputs) - {RESULTS, *VOUCHING}):
        if made.get(name) != content(folder / name, _MOST_BYTES):
            yield Discrepancy(name, "does not say what results.json holds")
