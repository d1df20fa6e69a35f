"""Results to document: one file a section, put in order here. Sections select, order and word."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.document import Document, Section
from reportgen.results import Results
from reportgen.sections import (
    comparisons,
    costs,
    curves,
    data,
    headlines,
    look,
    method,
    provenance,
    robustness,
    scores,
    segments,
    verdict,
)
from reportgen.sections.distinct import told_apart
from reportgen.sections.header import header

SECTIONS: tuple[Callable[[Results], Section | None], ...] = (
    verdict.section,
    headlines.section,
    look.section,
    scores.section,
    curves.section,
    costs.section,
    segments.section,
    robustness.section,
    data.section,
    method.section,
    comparisons.section,
    provenance.section,
)


def document(results: Results) -> Document:
    """The whole report as plain data, the sections that have something to say in their order."""
    results = told_apart(results)
    made = (section(results) for section in SECTIONS)
    versions = results.provenance.get("versions")
    version = versions.get("reportgen", "") if isinstance(versions, dict) else ""
    maker = f"Made by reportgen {version}".strip()
    return Document(
        header(results),
        tuple(section for section in made if section is not None),
        f"{maker}. Every number of this report is in results.json.",
    )
