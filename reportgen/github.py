"""What a run tells GitHub Actions: annotations at the gates, a summary, outputs for later steps.

Limits as GitHub documents them: ten annotations of a kind a step, and 1 MiB of summary, of which
one byte more drops all. Nothing here opens a connection; only the files that the runner names are
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reportgen.manifest import digest
from reportgen.outputs import FILES, MANIFEST
from reportgen.results import Finding, Results
from reportgen.text import line

MOST = 10
LARGEST_SUMMARY = 900_000


def marks(results: Results) -> Iterator[str]:
    """A workflow command for each gate that failed or is open, where it is written."""
    failed = [gate for gate in results.gates if gate.is_failure]
    thin = [gate for gate in results.gates if gate.status == "inconclusive"]
    left = [gate for gate in thin if not gate.is_failure]
    for level, gates in (("error", failed), ("warning", left)):
        few = gates if len(gates) <= MOST else gates[: MOST - 1]
        yield from (_command(level, gate) for gate in few)
        if len(gates) > len(few):
            yield f"::{level}::{_data(f'and {len(gates) - len(few)} more gates; see the report')}"


def tell(outcome: Any, environ: Mapping[str, str]) -> Iterator[str]:
    """Write the summary and the outputs; the lines to print, a note where a file is not named."""
    yield from marks(outcome.results)
    for name, text in (
        ("GITHUB_STEP_SUMMARY", _summary(outcome)),
        ("GITHUB_OUTPUT", _outputs(outcome)),
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


def _summary(outcome: Any) -> str:
    """The Markdown report, or the verdict and the gates where none was made."""
    page = outcome.files.get(FILES["markdown"])
    if page is not None:
        found: str = page.decode()
        return found
    gates = [f"- {line(gate.name)}: {gate.status}" for gate in outcome.results.gates]
    return "\n".join((line(outcome.headline), "", *gates)) + "\n"


def _outputs(outcome: Any) -> str:
    failed = sum(gate.is_failure for gate in outcome.results.gates)
    told = {
        "verdict": line(outcome.headline),
        "gates-failed": failed,
        "manifest-sha256": digest(outcome.files[MANIFEST]),
    }
    return "".join(f"{name}={value}\n" for name, value in told.items())


def _command(level: str, gate: Finding) -> str:
    place = {"title": f"gate {gate.name}"}
    if gate.line is not None:
        place = {"file": gate.file, "line": str(gate.line), **place}
    told = ",".join(f"{key}={_property(value)}" for key, value in place.items())
    return f"::{level} {told}::{_data(gate.reason)}"


def _data(text: str) -> str:
    """A message as a workflow command takes it."""
    return line(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
