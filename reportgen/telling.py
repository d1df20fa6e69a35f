"""What a run says at its end: the files, what failed, and where to look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from reportgen.manifest import digest
from reportgen.outputs import MANIFEST, RESULTS, VOUCHING
from reportgen.text import LONGEST_QUOTE, shorten

LONGEST_VERDICT = 300  # letters: a unit or a name may be as long as somebody likes


def of_data(datasets: Iterable[Any]) -> Iterator[str]:
    """What the report will warn of in rows as they were read, with its code."""
    from reportgen import wording

    for each in datasets:
        for found in each.warnings:
            of = f" of {shorten(found.model, LONGEST_QUOTE)}" if found.model else ""
            text = wording.warning(found.code, found.numbers)
            yield f"{shorten(each.info.name, LONGEST_QUOTE)}{of}: {text} ({found.code})"


def said_first(outcome: Any, folder: Path) -> Iterator[str]:
    """The files, the gates that failed, the warnings that the config calls fatal, the verdict."""
    for name in dict.fromkeys(map(_shown, outcome.files)):
        yield str(folder / name)
    for gate in outcome.results.gates:
        if gate.is_failure:
            yield f"gate failed: {shorten(gate.name, LONGEST_QUOTE)}: {gate.reason}"
    for warning in outcome.results.warnings:
        if warning.is_fatal:
            yield f"fatal warning {warning.code}: {warning.text}"
    yield shorten(outcome.headline, LONGEST_VERDICT)


def said_last(outcome: Any, folder: Path) -> Iterator[str]:
    """How the gates ended with the file to open, and the number that vouches for all files."""
    yield _ended(outcome, folder)
    yield f"manifest sha256 {digest(outcome.files[MANIFEST])}: record it in the ticket"


def _ended(outcome: Any, folder: Path) -> str:
    """How many gates ended in which way, as page one counts them, and the file to open."""
    drawn = [name for name in outcome.files if name not in (RESULTS, *VOUCHING)] or [RESULTS]
    path = folder / ("report.html" if "report.html" in drawn else drawn[0])
    gates = outcome.results.gates
    if not gates:
        return f"no gates: {path}"
    failed = [gate for gate in gates if gate.is_failure]
    passed = sum(gate.status == "pass" for gate in gates)
    thin = sum(gate.status == "inconclusive" for gate in failed)
    why = f" ({thin} inconclusive, which fails here)" if thin else ""
    skipped = sum(gate.status == "skipped" for gate in gates)
    left = len(gates) - len(failed) - passed - skipped
    beside = f", {skipped} skipped" if skipped else ""
    return f"{len(failed)} failed{why}, {passed} passed, {left} inconclusive{beside}: {path}"


def _shown(name: str) -> str:
    """A file's name; of those in a folder of the report, the folder."""
    inside, _, own = name.rpartition("/")
    return f"{inside}/" if inside else own
