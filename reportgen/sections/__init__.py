"""Results to document: one file a section, put in order here. Sections select, order and word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from reportgen.document import Document, Section
from reportgen.results import Results
from reportgen.sections.about import data, method, provenance
from reportgen.sections.costs import costs
from reportgen.sections.curves import curves
from reportgen.sections.distinct import told_apart
from reportgen.sections.front import headlines, look, verdict
from reportgen.sections.front.header import header
from reportgen.sections.robustness import robustness
from reportgen.sections.scores import comparisons, scores, segments

FRONT: tuple[Callable[[Results], Section | None], ...] = (
    verdict.section,
    headlines.section,
    look.section,
)
SECTIONS: tuple[Callable[[Results], Section | None], ...] = (
    *FRONT,
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
    return _of(SECTIONS, results)


def page_one(results: Results) -> Document:
    """The report's first page alone, without links to what is not on it."""
    front = _of(FRONT, results)
    targets = {f"#{section.id}" for section in front.sections}
    return replace(front, sections=tuple(_within(each, targets) for each in front.sections))


def _of(sections: Sequence[Callable[[Results], Section | None]], results: Results) -> Document:
    results = told_apart(results)
    made = (section(results) for section in sections)
    versions = results.provenance.get("versions")
    version = versions.get("reportgen", "") if isinstance(versions, dict) else ""
    maker = f"Made by reportgen {version}".strip()
    return Document(
        header(results),
        tuple(section for section in made if section is not None),
        f"{maker}. Every number of this report is in results.json.",
    )


def _within(part: Any, targets: Collection[str]) -> Any:
    """A part of a document whose links lead only to these targets, or out of it."""
    if isinstance(part, tuple):
        return tuple(_within(each, targets) for each in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    own = {field.name: _within(getattr(part, field.name), targets) for field in fields(part)}
    href = own.get("href", "")
    if href.startswith("#") and href not in targets:
        own["href"] = ""
    return replace(part, **own)
