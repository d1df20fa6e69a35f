"""metrics.txt: values, intervals and gates as OpenMetrics text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reportgen.report.document import Document
from reportgen.results import Results
from reportgen.results.types import Number
from reportgen.text import format_line

_GAUGES = {
    "reportgen_value": "Value of a metric.",
    "reportgen_low": "Lower limit of its interval.",
    "reportgen_high": "Upper limit of its interval.",
}


def render(document: Document, results: Results, *_: object) -> bytes:
    """Render the file, without values that do not exist; a gate is 1, 0, or −1 where it is open."""
    return "".join(f"{each}\n" for each in _iter_lines(results)).encode()


def _iter_lines(results: Results) -> Iterator[str]:
    for name, help_ in _GAUGES.items():
        yield from (f"# TYPE {name} gauge", f"# HELP {name} {help_}")
        for e in results.estimates:
            value: Number = getattr(e, name.removeprefix("reportgen_"))
            if value is not None:
                labels = {
                    "dataset": e.dataset,
                    "segment": e.segment or "",
                    "model": e.model,
                    "metric": e.key,
                }
                yield f"{name}{_format_labels(labels)} {value!r}"
    yield from ("# TYPE reportgen_gate gauge", "# HELP reportgen_gate 1 passed, 0 failed, -1 open.")
    for place, gate in enumerate(results.gates):
        named = {"gate": gate.name, "number": str(place)}
        grade = 1 if gate.is_passed else 0 if gate.status == "not met" else -1
        yield f"reportgen_gate{_format_labels(named)} {grade}"
    yield from ("# TYPE reportgen_run info", "# HELP reportgen_run The report.")
    run = {
        "title": results.report.title,
        "status": results.report.status,
        "time": str(results.provenance.get("time", "")),
    }
    yield f"reportgen_run_info{_format_labels(run)} 1"
    yield "# EOF"


def _format_labels(named: Mapping[str, str]) -> str:
    """Labels in braces, their values escaped."""
    return "{" + ",".join(f'{key}="{_escape_label(value)}"' for key, value in named.items()) + "}"


def _escape_label(text: str) -> str:
    return format_line(text).replace("\\", "\\\\").replace('"', '\\"')
