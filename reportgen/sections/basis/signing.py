"""Who signs, and what a review found that whoever signs should know of."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Cell, SignOff, Table, TableColumn
from reportgen.results import Results

_BLANK = (("", "Model owner", "", ""), ("", "Validator", "", ""))
_FINDING = ("id", "text", "severity", "owner", "due", "status")
_TITLES = ("Finding", "What was found", "Severity", "Owner", "Due", "Status")


def sign_off(results: Results) -> SignOff:
    """Those named in the config, or two blank lines."""
    named = tuple(
        (
            wording.name(person.get("name", "")),
            wording.name(person.get("role", "")),
            wording.name(person.get("decision", "")),
            wording.name(str(person.get("date", ""))),
        )
        for person in results.report.sign_off
    )
    return SignOff(named or _BLANK)


def findings(results: Results) -> list[Table]:
    """The findings of a review as a table, with the columns that any of them has."""
    found = results.report.findings
    if not found:
        return []
    shown = [(key, title) for key, title in zip(_FINDING, _TITLES, strict=True)
             if any(each.get(key) for each in found)]  # fmt: skip
    return [Table(
        "basis-findings",
        "Findings of the review, as the config states them.",
        tuple(TableColumn(title, is_numeric=False) for _, title in shown),
        tuple(
            tuple(Cell(wording.prose(each.get(key, ""), 300)) for key, _ in shown)
            for each in found
        ),
    )]  # fmt: skip
