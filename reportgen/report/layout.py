"""Lay out results as a document, section by section."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import Block, Document, Figure, Fold, Heading, Section, Text
from reportgen.report.prose.warnings import format_warning
from reportgen.report.render.theme import Theme
from reportgen.report.sections import (
    across_datasets,
    classes,
    classification,
    data,
    evaluations,
    folds,
    method,
    page_one,
    points_to_check,
    queries,
    robustness,
    run_changes,
    scores,
    segments,
    two_classes,
)
from reportgen.report.sections.costs import costs
from reportgen.report.sections.curves import curves
from reportgen.report.sections.index import fold_after_lead
from reportgen.report.sections.page_one import build_header
from reportgen.report.wording.names import make_names_distinct
from reportgen.results import Results
from reportgen.results.core import Warning
from reportgen.results.sensitivity import Sensitivity

MAX_CHARACTERS = 20
FRONT_SECTIONS = "decision"
"""The section of page one, which every report has."""

_OPEN = (FRONT_SECTIONS, "results")
"""The sections that are read whole; the others are closed to what they say first."""

_Make = Callable[[Results], Section | None]


@record
class Chapter:
    """A section as a config names it: its title, what it tells, and what it is made of."""

    title: str
    about: str
    parts: tuple[_Make, ...]
    is_titled_by_its_part: bool = False


SECTIONS: Mapping[str, Chapter] = {
    FRONT_SECTIONS: Chapter(
        "Decision",
        "The answer, the number it rests on, what to read with care. It is there in every report.",
        (page_one.build_page_one_section,),
    ),
    "results": Chapter(
        "Results",
        "Every model on every metric, points to check, classes, thresholds, queries and curves.",
        (
            scores.build_scores_section,
            points_to_check.build_requirements_section,
            points_to_check.build_points_section,
            evaluations.build_samples_section,
            evaluations.build_judge_section,
            two_classes.build_two_classes_section,
            classification.build_thresholds_section,
            classification.build_second_rater_section,
            folds.build_generalization_section,
            classification.build_rare_class_section,
            classification.build_calibration_section,
            queries.build_queries_section,
            curves.build_curves_section,
        ),
    ),
    "classes": Chapter(
        "Classes",
        "Each class by itself: differences, reports of all models, what is taken for what.",
        (classes.build_classes_section,),
        is_titled_by_its_part=True,
    ),
    "costs": Chapter(
        "Costs", "Which model is cheapest at which costs of an error.", (costs.build_costs_section,)
    ),
    "segments": Chapter(
        "Segments",
        "Where a candidate is ahead and where not, the worst first.",
        (segments.build_segments_section,),
        is_titled_by_its_part=True,
    ),
    "folds": Chapter(
        "Folds",
        "What folds tell about the algorithm and about the models that scored the rows.",
        (folds.build_folds_section,),
    ),
    "across": Chapter(
        "Across datasets",
        "The primary dataset beside the others.",
        (across_datasets.build_across_section,),
    ),
    "changes": Chapter(
        "Since the last run",
        "What changed since the previous run: rule, causes, requirements, values; earlier runs.",
        (run_changes.build_changes_section,),
    ),
    "robustness": Chapter(
        "Robustness",
        "What this sample could show, and what would have changed the answer.",
        (robustness.build_robustness_section,),
    ),
    "data": Chapter(
        "Data",
        "Which rows were used, what their columns look like, the files.",
        (data.build_data_section,),
    ),
    "method": Chapter(
        "Method",
        "What each metric is, how its interval and test were made, the design, the limits.",
        (method.build_method_section,),
    ),
    "files": Chapter(
        "Files",
        "The command, versions, seeds and hashes; the resolved config; the files of the report.",
        (method.build_provenance_section,),
    ),
}
"""Every section by its key, in the order of the page."""


def build_document(results: Results) -> Document:
    """Build the whole report as plain data, the sections with any content in their order."""
    return _build_sections(_list_wanted_sections(results), results)


def build_first_page(results: Results) -> Document:
    """Build the report's first page alone, without links to what is not on it."""
    front = _build_sections((FRONT_SECTIONS,), results)
    targets = {f"#{section.id}" for section in front.sections}
    return replace(
        front, sections=tuple(_drop_outside_links(each, targets) for each in front.sections)
    )


def _list_wanted_sections(results: Results) -> list[str]:
    """Return the keys of the front and of the sections the config names, or all, in page order."""
    asked = {FRONT_SECTIONS, *(results.report.sections or SECTIONS)}
    return [key for key in SECTIONS if key in asked]


def _build_sections(keys: Sequence[str], results: Results) -> Document:
    results = make_names_distinct(results)
    inner = _keep_values(results)
    made = (
        _join_parts(key, SECTIONS[key], results if key == FRONT_SECTIONS else inner) for key in keys
    )
    versions = results.provenance.get("versions")
    version = versions.get("reportgen", "") if isinstance(versions, dict) else ""
    shown = tuple(section for section in made if section is not None)
    targets = {f"#{section.id}" for section in shown}
    return Document(
        build_header(results),
        tuple(_drop_outside_links(section, targets) for section in shown),
        prose.line("document.footer", version=version),
        replaced=tuple(sorted(prose.get_messages().own)),
    )


def _keep_values(results: Results) -> Results:
    """Return the results without any comparison, where page one gives no verdict at all.

    What is left are values, intervals and curves, of models that none is the baseline of.
    """
    found = results.conclusion
    if found is None or not found.recommendation.is_silent:
        return results
    return replace(
        results,
        models=tuple(replace(model, role="candidate") for model in results.models),
        comparisons=(),
        classes=tuple(replace(each, comparisons=()) for each in results.classes),
        sensitivity=Sensitivity(),
    )


def _join_parts(key: str, chapter: Chapter, results: Results) -> Section | None:
    """Join the parts of a section into one, those after the first under headings."""
    found = [part for make in chapter.parts if (part := make(results)) is not None]
    if not found:
        return None
    first, *others = found
    blocks = (*first.blocks, *(block for part in others for block in _iter_headed_blocks(part)))
    title = first.title if chapter.is_titled_by_its_part else chapter.title
    whole = Section(key, title, blocks, first.lede)
    return whole if key in _OPEN else fold_after_lead(whole)


def _iter_headed_blocks(part: Section) -> Iterator[Block]:
    if not isinstance(part.blocks[0], Fold):
        yield Heading(part.title, part.id)
    if part.lede:
        yield Text(part.lede)
    yield from part.blocks


def _drop_outside_links(part: Any, targets: Collection[str]) -> Any:
    """Drop links within a document that lead to none of these targets."""
    if isinstance(part, tuple):
        return tuple(_drop_outside_links(each, targets) for each in part)
    if not is_dataclass(part) or isinstance(part, type | Figure):
        return part
    own = {
        field.name: _drop_outside_links(getattr(part, field.name), targets)
        for field in fields(part)
    }
    href = own.get("href", "")
    if href.startswith("#") and href not in targets:
        own["href"] = ""
    return replace(part, **own)


def lay_out_results(results: Results, theme: Theme) -> tuple[Results, Document]:
    """Build the document; W205 is added where its fonts lack characters that it uses."""
    from reportgen.report.render.plain import find_missing_characters  # what draws takes room

    with prose.use_messages(prose.load_messages(theme.template_dir)):
        document = build_document(results)
        missing = find_missing_characters(document, theme)
        if not missing:
            return results, document
        warned = add_glyph_warning(results, missing)
        return warned, build_document(warned)


def add_glyph_warning(results: Results, missing: tuple[str, ...]) -> Results:
    """Add a warning to the results if the report uses characters that none of its fonts has."""
    if not missing:
        return results
    fatal = "W205" in str(results.config.get("warnings", ""))
    numbers = {"characters": " ".join(f"U+{ord(sign):04X}" for sign in missing[:MAX_CHARACTERS])}
    text = format_warning("W205", dict(numbers))
    added = Warning(code="W205", text=text, numbers=dict(numbers), is_fatal=fatal)
    return replace(results, warnings=(*results.warnings, added))
