"""Render the outputs that a config names, with the manifest that vouches for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.errors import OutputError
from reportgen.governance.manifest import (
    SHORT_DIGEST,
    attach_results,
    build_manifest_files,
    digest_bytes,
    list_attachments,
)
from reportgen.progress import Progress
from reportgen.report.document import Callout, Document
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.terms import DRAWN, RESULTS, TABLES, VOUCHING


@dataclass(frozen=True)
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
            files |= build_manifest_files(results, get_headline(document), files)
            return Outcome(results, files, tuple(failures), get_headline(document))
        wanted = [output for output in wanted if output not in failed]


def get_headline(document: Document) -> str:
    """Return the verdict in one line."""
    blocks = (block for section in document.sections for block in section.blocks)
    verdict = next(block for block in blocks if isinstance(block, Callout))
    return verdict.title
