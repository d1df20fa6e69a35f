"""What stands above the answer: the question, the report's title and number, its status, date."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Header
from reportgen.results import Results

_LONG = 200


def header(results: Results) -> Header:
    """The header; the date is the run's own, as provenance recorded it."""
    info = results.report
    return Header(
        title=wording.name(info.title, _LONG),
        id=wording.name(info.id or "", _LONG),
        question=wording.name(info.question or "", 2 * _LONG),
        status=info.status,
        status_reason=wording.name(info.status_reason, _LONG),
        classification=wording.name(info.classification or "", _LONG),
        date=date_of(results),
        audience=wording.name(info.audience or "", _LONG),
    )


def date_of(results: Results) -> str:
    """The time of the run, ISO 8601, as provenance recorded it."""
    return str(results.provenance.get("time", ""))
