"""Results to document: sections by key, put in order here. They select, order and word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from reportgen.document import Block, Document, Figure, Fold, Heading, Section, Text
from reportgen.results import Results
from reportgen.sections import changes
from reportgen.sections.about import data, method, provenance
from reportgen.sections.basis import basis
from reportgen.sections.classes import classes
from reportgen.sections.costs import costs
from reportgen.sections.curves import curves
from reportgen.sections.decision import page_one as first
from reportgen.sections.decision.header import header
from reportgen.sections.folding import led
from reportgen.sections.robustness import robustness
from reportgen.sections.scores import (
    across,
    calibration,
    comparisons,
    folds,
    fresh,
    operating,
    queries,
    rare_class,
    scores,
    second_judge,
    segments,
)
from reportgen.wording import distinctly_named

FRONT = "decision"
"""The section of page one, which every report has."""

_OPEN = (FRONT, "basis")
"""The sections that are read whole; the others are closed to what they say first."""

_Make = Callable[[Results], Section | None]


@dataclass(frozen=True)
class Chapter:
    """A section as a config names it: its title, what it tells, and what it is made of."""

    title: str
    about: str
    parts: tuple[_Make, ...]
    is_titled_by_its_part: bool = False


SECTIONS: Mapping[str, Chapter] = {
    FRONT: Chapter(
        "Decision",
        "The answer, the number it rests on, what to read with care. It is there in every report.",
        (first.section,),
    ),
    "basis": Chapter(
        "Basis",
        "The verdict on every metric, what was compared on which rows, who signs, points to check.",
        (basis.section,),
    ),
    "results": Chapter(
        "Results",
        "What comes of calls, every model on every metric, its wins by query, and its curves.",
        (
            operating.section,
            second_judge.section,
            scores.section,
            fresh.section,
            rare_class.section,
            calibration.section,
            queries.section,
            curves.section,
        ),
    ),
    "classes": Chapter(
        "Classes",
        "Each class by itself: differences, reports of all models, what is taken for what.",
        (classes.section,),
        is_titled_by_its_part=True,
    ),
    "costs": Chapter(
        "Costs", "Which model is cheapest at which costs of an error.", (costs.section,)
    ),
    "segments": Chapter(
        "Segments",
        "Where a candidate is ahead and where not, the worst first.",
        (segments.section,),
    ),
    "folds": Chapter(
        "Folds",
        "What folds tell of the way to learn, and of the models that scored the rows.",
        (folds.section,),
    ),
    "across": Chapter(
        "Across datasets", "The primary dataset beside the others.", (across.section,)
    ),
    "changes": Chapter(
        "Since the last run",
        "What changed since the previous run: rule, causes, requirements, values; earlier runs.",
        (changes.section,),
    ),
    "robustness": Chapter(
        "Robustness",
        "What this sample could show, and what would have changed the answer.",
        (robustness.section,),
    ),
    "data": Chapter(
        "Data", "Which rows were used, what their columns look like, the files.", (data.section,)
    ),
    "method": Chapter(
        "Method",
        "What each metric is, how its interval and test were made, the design, the limits.",
        (method.section,),
    ),
    "reference": Chapter(
        "Reference",
        "The command, versions, seeds and hashes; the resolved config; all comparisons.",
        (provenance.section, comparisons.section),
    ),
}
"""Every section by its key, in the order of the page."""


def document(results: Results) -> Document:
    """The whole report as plain data, the sections that have something to say in their order."""
    return _of(_wanted(results), results)


def page_one(results: Results) -> Document:
    """The report's first page alone, without links to what is not on it."""
    front = _of((FRONT,), results)
    targets = {f"#{section.id}" for section in front.sections}
    return replace(front, sections=tuple(_within(each, targets) for each in front.sections))


def _wanted(results: Results) -> list[str]:
    """The keys that the config names, or all, in the order of the page."""
    asked = {FRONT, *(results.report.sections or SECTIONS)}
    return [key for key in SECTIONS if key in asked]


def _of(keys: Sequence[str], results: Results) -> Document:
    results = distinctly_named(results)
    made = (_joined(key, SECTIONS[key], results) for key in keys)
    versions = results.provenance.get("versions")
    version = versions.get("reportgen", "") if isinstance(versions, dict) else ""
    maker = f"Made by reportgen {version}".strip()
    shown = tuple(section for section in made if section is not None)
    targets = {f"#{section.id}" for section in shown}
    return Document(
        header(results),
        tuple(_within(section, targets) for section in shown),
        f"{maker}. Every number of this report is in results.json.",
    )


def _joined(key: str, chapter: Chapter, results: Results) -> Section | None:
    """The parts of a section as one, those after the first under headings."""
    found = [part for make in chapter.parts if (part := make(results)) is not None]
    if not found:
        return None
    first, *others = found
    blocks = (*first.blocks, *(block for part in others for block in _under_heading(part)))
    title = first.title if chapter.is_titled_by_its_part else chapter.title
    whole = Section(key, title, blocks, first.lede)
    return whole if key in _OPEN else led(whole)


def _under_heading(part: Section) -> Iterator[Block]:
    if not isinstance(part.blocks[0], Fold):
        yield Heading(part.title, part.id)
    if part.lede:
        yield Text(part.lede)
    yield from part.blocks


def _within(part: Any, targets: Collection[str]) -> Any:
    """A part of a document whose links lead only to these targets, or out of it."""
    if isinstance(part, tuple):
        return tuple(_within(each, targets) for each in part)
    if not is_dataclass(part) or isinstance(part, type | Figure):
        return part
    own = {field.name: _within(getattr(part, field.name), targets) for field in fields(part)}
    href = own.get("href", "")
    if href.startswith("#") and href not in targets:
        own["href"] = ""
    return replace(part, **own)
