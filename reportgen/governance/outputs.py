"""Render the outputs that a config names, with the manifest that vouches for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from reportgen.errors import OutputError, UsageError
from reportgen.governance.manifest import (
    SHORT_DIGEST,
    attach_results,
    build_manifest_files,
    digest_bytes,
    list_attachments,
)
from reportgen.governance.provenance import list_versions
from reportgen.governance.verification import Discrepancy, read_manifest, refuse_changed_results
from reportgen.planning.result_assembly import add_missing_curve_infos
from reportgen.progress import SILENT, Progress
from reportgen.records import record
from reportgen.report import archive, prose
from reportgen.report.document import Document
from reportgen.report.publish import build_write_error
from reportgen.report.publish.files import read_content
from reportgen.report.render.theme import Theme, describe_missing_theme, restore_theme
from reportgen.results import Results
from reportgen.terms import DRAWN, FILES, RESULTS, TABLES, USUAL, VOUCHING


@record
class Outcome:
    """A finished run: the results, the files by name, and which outputs could not be made.

    `notes` say where this differs from the run that the results come from.
    """

    results: Results
    files: Mapping[str, bytes]
    failures: tuple[str, ...]
    headline: str
    notes: tuple[str, ...] = ()


def render_outputs(
    results: Results, document: Document, outputs: Sequence[str], theme: Theme, progress: Progress
) -> Outcome:
    """Render the files: results.json first and always, then what else is wanted and possible.

    The results name the files and are carried by some of them, so where an output cannot be made
    the others are made once more without it.
    """
    from reportgen.report.render.outputs import ATTACHING_OUTPUTS, list_output_files, render_output

    wanted = [output for output in outputs if output in DRAWN or output == TABLES]
    carried = list_attachments(document, results) if set(wanted) & ATTACHING_OUTPUTS else ()
    failures: list[str] = []
    while True:
        listed = (name for output in wanted for name in list_output_files(output, carried))
        results = replace(results, files=(RESULTS, *listed, *VOUCHING))
        attachment = attach_results(results)
        document = replace(document, digest=digest_bytes(attachment.content)[:SHORT_DIGEST])
        files, failed = {attachment.path: attachment.content}, []
        for output in wanted:
            progress.stage(f"rendering {output}")
            try:
                files |= render_output(output, document, results, theme, (*carried, attachment))
            except OutputError as error:
                failures += error.lines
                failed.append(output)
        if not failed:
            files |= build_manifest_files(results, document, files)
            return Outcome(results, files, tuple(failures), document.headline)
        wanted = [output for output in wanted if output not in failed]


_MAX_BYTES = 1 << 32


def rerender_results(
    path: Path, template_dir: Path | None, outputs: Sequence[str] | None = None
) -> Outcome:
    """Make other outputs from a results.json, without the data; by default those of its config."""
    from reportgen.report.layout import build_document  # here: a comparison may lay out nothing

    found = archive.load_any_results(path)
    refuse_changed_results(path, found.digest)
    results = add_missing_curve_infos(found.results)
    listed = results.config.get("outputs") if outputs is None else outputs
    wanted = tuple(map(str, listed)) if isinstance(listed, list | tuple) else USUAL
    with archive.explain_unreadable(path, {"provenance": results.provenance}):
        theme = restore_theme(results, template_dir)
        with prose.use_messages(prose.load_messages(template_dir)):
            document = build_document(results)
        outcome = render_outputs(results, document, wanted, theme, SILENT)
    left = describe_missing_theme(results) if set(wanted) & {"html", "pdf"} else ""
    notes = (*found.notes, left) if left else found.notes
    return replace(outcome, notes=tuple(f"{path.name}: {note}" for note in notes))


def write_figures(folder: Path, out: Path, template_dir: Path | None) -> int:
    """Write the figures of a report's folder into another one; return how many there are."""
    outcome = rerender_results(folder / RESULTS, template_dir, ("figures",))
    if outcome.failures:
        raise OutputError(*outcome.failures)
    with ZipFile(BytesIO(outcome.files[FILES["figures"]])) as packed:
        names = packed.namelist()
        try:
            out.mkdir(parents=True, exist_ok=True)
            packed.extractall(out)
        except OSError as error:
            raise build_write_error(out, error) from None
    return sum(name.endswith(".svg") for name in names)


def find_edited_files(folder: Path, template_dir: Path | None) -> Iterator[Discrepancy]:
    """Yield every file, the manifest too, that differs from what results.json leads to.

    Raise UsageError where that cannot be told.
    """
    path = folder / RESULTS
    made_by = archive.load_any_results(path).results.provenance.get("versions")
    versions, here = made_by if isinstance(made_by, Mapping) else {}, list_versions()
    for name, version in here.items():
        if version != versions.get(name):
            raise UsageError(
                f"{path}: cannot tell whether the pages were edited: {name} was "
                f"{versions.get(name)}, here it is {version}; use the same versions"
            )
    made = rerender_results(path, template_dir).files
    for name in sorted({*made, *read_manifest(folder).outputs}):
        content = read_content(folder / name, _MAX_BYTES)
        if content is None:
            yield Discrepancy(name, "missing")
        elif made.get(name) != content:
            yield Discrepancy(name, "does not say what results.json holds")
