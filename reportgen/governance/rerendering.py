"""Render a finished report again from its results.json, without the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from reportgen.errors import UsageError
from reportgen.governance.outputs import Outcome, render_outputs
from reportgen.governance.provenance import list_versions
from reportgen.governance.verification import Discrepancy, read_manifest
from reportgen.planning.result_assembly import add_missing_curve_infos
from reportgen.progress import SilentProgress
from reportgen.report import archive
from reportgen.report.document import Document
from reportgen.report.publish.files import read_content
from reportgen.report.render.theme import describe_missing_theme, restore_theme
from reportgen.report.sections import build_document
from reportgen.results import Results
from reportgen.terms import MANIFEST, RESULTS, USUAL, VOUCHING


def rerender_results(path: Path, template_dir: Path | None) -> Outcome:
    """Make every other output from a results.json, without the data."""
    found = archive.load_any_results(path)
    results = add_missing_curve_infos(found.results)
    outputs = results.config.get("outputs")
    wanted = tuple(map(str, outputs)) if isinstance(outputs, list | tuple) else USUAL
    theme = restore_theme(results, template_dir)
    outcome = render_outputs(results, _lay_out(results, path), wanted, theme, SilentProgress())
    left = describe_missing_theme(results) if set(wanted) & {"html", "pdf"} else ""
    notes = (*found.notes, left) if left else found.notes
    return replace(outcome, notes=tuple(f"{path.name}: {note}" for note in notes))


def _lay_out(results: Results, path: Path) -> Document:
    """Build the document of a results file; if that fails, the file is at fault, not `run`."""
    try:
        return build_document(results)
    except (LookupError, TypeError, ValueError) as error:
        raise archive.explain_unreadable(path, results, error) from error


_MAX_BYTES = 1 << 32


def find_edited_files(folder: Path, template_dir: Path | None) -> Iterator[Discrepancy]:
    """Yield files that results.json does not lead to; raise UsageError if it cannot be checked."""
    manifest = read_manifest(folder)
    here = list_versions()
    other = [name for name in here if here[name] != manifest.versions.get(name)]
    if other:
        raise UsageError(
            f"{folder / MANIFEST}: cannot tell whether the pages were edited: {other[0]} was "
            f"{manifest.versions.get(other[0])}, here it is {here[other[0]]}; use the same versions"
        )
    made = rerender_results(folder / RESULTS, template_dir).files
    for name in sorted(set(manifest.outputs) - {RESULTS, *VOUCHING}):
        if made.get(name) != read_content(folder / name, _MAX_BYTES):
            yield Discrepancy(name, "does not say what results.json holds")
