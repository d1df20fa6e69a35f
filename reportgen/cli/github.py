"""Annotations, summary and outputs for GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reportgen.governance.manifest import digest_bytes
from reportgen.results import Results
from reportgen.results.core import Finding
from reportgen.terms import FILES, MANIFEST
from reportgen.text import format_line

MOST_ANNOTATIONS = 10
LARGEST_SUMMARY = 900_000


def iter_annotations(results: Results) -> Iterator[str]:
    """Yield a workflow command for each gate that failed or is open, where it is written."""
    failed = [gate for gate in results.gates if gate.is_failure]
    thin = [gate for gate in results.gates if gate.status == "inconclusive"]
    left = [gate for gate in thin if not gate.is_failure]
    for level, gates in (("error", failed), ("warning", left)):
        few = gates if len(gates) <= MOST_ANNOTATIONS else gates[: MOST_ANNOTATIONS - 1]
        yield from (_format_command(level, gate) for gate in few)
        if len(gates) > len(few):
            yield f"::{level}::{_escape(f'and {len(gates) - len(few)} more gates; see the report')}"


def write_github_outputs(outcome: Any, environ: Mapping[str, str]) -> Iterator[str]:
    """Write the summary and the outputs; the lines to print, a note where a file is not named."""
    yield from iter_annotations(outcome.results)
    for name, text in (
        ("GITHUB_STEP_SUMMARY", _format_summary(outcome)),
        ("GITHUB_OUTPUT", _format_outputs(outcome)),
    ):
        place = environ.get(name)
        if not place:
            yield f"{name} is not set, so it is not written"
            continue
        try:
            yield from _append(Path(place), text, name)
        except OSError as error:
            yield f"{name}: cannot be written: {error.strerror}"


def _append(file: Path, text: str, name: str) -> Iterator[str]:
    """Add to a file of the runner; what would make a summary too large is not added."""
    content = text.encode()
    held = file.stat().st_size if file.exists() else 0
    if name == "GITHUB_STEP_SUMMARY" and held + len(content) > LARGEST_SUMMARY:
        yield f"{name} would be larger than {LARGEST_SUMMARY:,} bytes, so it is left as it is"
        return
    with file.open("ab") as out:
        out.write(content)


def _format_summary(outcome: Any) -> str:
    """Return the Markdown report, or the verdict and the gates where none was made."""
    page = outcome.files.get(FILES["markdown"])
    if page is not None:
        found: str = page.decode()
        return found
    gates = [f"- {format_line(gate.name)}: {gate.status}" for gate in outcome.results.gates]
    return "\n".join((format_line(outcome.headline), "", *gates)) + "\n"


def _format_outputs(outcome: Any) -> str:
    failed = sum(gate.is_failure for gate in outcome.results.gates)
    outputs = {
        "verdict": format_line(outcome.headline),
        "gates-failed": failed,
        "manifest-sha256": digest_bytes(outcome.files[MANIFEST]),
    }
    return "".join(f"{name}={value}\n" for name, value in outputs.items())


def _format_command(level: str, gate: Finding) -> str:
    place = {"title": f"gate {gate.name}"}
    if gate.line is not None:
        place = {"file": gate.file, "line": str(gate.line), **place}
    properties = ",".join(f"{key}={_escape_property(value)}" for key, value in place.items())
    return f"::{level} {properties}::{_escape(gate.reason)}"


def _escape(text: str) -> str:
    """Escape a message for use in a workflow command."""
    return format_line(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
