"""Points to check, and requirements that page one has no room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.report import prose
from reportgen.report.document import (
    Block,
    Bullets,
    Phrase,
    Section,
    Span,
    Text,
    make_phrase,
)
from reportgen.report.prose.warnings import (
    describe_consequence,
    describe_warning_plainly,
    format_code_heading,
    format_warning,
)
from reportgen.report.sections.costs.tables import describe_harms
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.page_one import MOST_REQUIREMENTS, build_requirements_table
from reportgen.report.sections.robustness import list_method_sensitive
from reportgen.report.wording import verdicts
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    format_segment,
    join_list,
    lower_first_word,
    replace_by_labels,
)
from reportgen.report.wording.numbers import format_count
from reportgen.results import Results
from reportgen.results.core import Comparison, MetricInfo, ModelInfo, Warning
from reportgen.results.verdicts import word_side


def describe_warning_briefly(index: Index, warning: Warning) -> str:
    """Return a warning's short line, or its own text where it has no numbers."""
    case = index.main.case
    if not warning.numbers:
        return warning.text or format_warning(warning.code, {}, case)
    numbers = replace_by_labels(warning.numbers, index.labels)
    return describe_warning_plainly(warning.code, numbers, case)


def describe_subject(index: Index, metric: MetricInfo | None, model: str | None) -> str:
    """Describe what a doubt is about: a metric, a model, or a metric of a model."""
    parts = (
        clean_name(metric.label, 40) if metric is not None else "",
        index.short_label(model) if model else "",
    )
    return " of ".join(filter(None, parts))


def prefix_subject(subject: str, text: str) -> str:
    """Prefix a sentence with what it concerns, if anything, and a colon."""
    return f"{subject}: {text[:1].lower()}{text[1:]}" if subject else text


def describe_flip(index: Index, comparison: Comparison, metric: MetricInfo) -> str:
    """Describe who is ahead of whom in a segment, by how much, among how many rows."""
    pair = [index.short_label(m) for m in (comparison.candidate, comparison.baseline)]
    ahead, behind = pair if comparison.favours == comparison.candidate else reversed(pair)
    form = verdicts.choose_difference_format(comparison, metric)
    return prose.line(
        "points.one_flip",
        ahead=ahead,
        behind=behind,
        metric=lower_first_word(clean_name(metric.label)),
        size=form.amount(abs(comparison.difference or 0.0)),
        limits=verdicts.format_unsigned_interval(comparison, form),
        rows=format_count(comparison.n, *index.main.case),
    )


MOST_POINTS = 5
_MOST = 3
_MOST_PLACES = 2  # of a warning: page one is to hold everything


def build_points_to_check(index: Index) -> list[Block]:
    """Build the list of what may change how the answer is read, the gravest first."""
    items = (
        *_list_harmful_constants(index),
        *_list_flips(index),
        *_list_warnings(index),
        *_list_method_sensitive_verdicts(index),
        *_list_undefined_values(index),
    )
    if not items:
        return [Text(make_phrase(_explain_nothing_to_check(index)))]
    shown, rest = items[:MOST_POINTS], items[MOST_POINTS:]
    title = prose.line("points.rest", count=len(rest))
    folded = fold_for_full_report(title, [Bullets(rest)] if rest else [])
    return [Bullets(shown, is_numbered=True), *folded]


def _explain_nothing_to_check(index: Index) -> str:
    """Explain why there is nothing to check, and what was not tested."""
    if not index.candidates:
        return prose.line("points.nothing")
    calibrations = index.main_calibrations
    is_untested = bool(calibrations) and all(c.p_calibrated is None for c in calibrations)
    has_segments = any(c.segment is not None for c in index.results.comparisons)
    has_failed = any(each.outcome == "failed" for each in index.results.checks)
    return prose.line(
        "points.none", has_failed=has_failed, has_segments=has_segments, is_untested=is_untested
    )


def _list_harmful_constants(index: Index) -> list[Phrase]:
    """List the constants that make models cost more, one line an asymmetry."""
    lines = [said for costs in index.results.costs for said in describe_harms(index, costs)]
    head = Span(prose.line("points.harm"), is_strong=True)
    return [make_phrase(head, f" {said} ", Span("Costs", href="#costs")) for said in lines[:_MOST]]


def _list_flips(index: Index) -> list[Phrase]:
    metric = index.leading
    found = [line for model in index.candidates if (line := _build_flip(index, model, metric))]
    rest = len(found) - _MOST
    tail = [prose.phrase("points.flips", count=rest)] if rest > 0 else []
    return found[:_MOST] + tail


def _build_flip(index: Index, model: ModelInfo, metric: MetricInfo) -> Phrase:
    flips = index.flips(model.name, metric.key)
    overall = index.comparison(model.name, metric.key)
    if not flips or overall is None or overall.favours is None:
        return ()
    return prose.phrase(
        "points.flip",
        count=len(flips),
        segments=[format_segment(index.main, c.segment) for c in flips],
        cases=clean_name(index.main.case[1]),
        ahead=index.short_label(overall.favours),
        is_unsure=not word_side(overall.word),
        flip=describe_flip(index, flips[0], metric) if len(flips) == 1 else "",
        leader=index.short_label(flips[0].favours or ""),
    )


def _list_warnings(index: Index) -> list[Phrase]:
    """List one line a code: the first places where it was raised, and how many more."""
    codes = sorted({w.code for w in index.results.warnings})
    return [
        _build_warning_phrase(index, [w for w in index.results.warnings if w.code == code])
        for code in codes
    ]


def _build_warning_phrase(index: Index, warnings: Sequence[Warning]) -> Phrase:
    first = warnings[0]
    fatal = " (fatal)" if any(w.is_fatal for w in warnings) else ""
    head = Span(f"{capitalize(format_code_heading(first.code))}{fatal}.", is_strong=True)
    means = describe_consequence(first.code, index.main.case)
    means = f" {means}" if means else ""
    places_by_text = _group_places_by_text(index, warnings)
    if len(places_by_text) == 1:
        [(text, places)] = places_by_text.items()
        named = join_list(places, most=_MOST)
        return make_phrase(head, f" {prefix_subject(named, text)}{means} ", _build_link(first))
    shown = list(places_by_text.items())[:_MOST_PLACES]
    lines = [prefix_subject(join_list(places, most=_MOST), text) for text, places in shown]
    rest = sum(len(places) or 1 for places in places_by_text.values())
    rest -= sum(len(places) or 1 for _, places in shown)
    more = ""
    if rest:
        more = f" {prose.line('points.more', count=format_count(rest, 'other value'))}"
    return make_phrase(head, f" {' '.join(lines)}{more}{means} ", _build_link(first))


def _group_places_by_text(index: Index, warnings: Sequence[Warning]) -> dict[str, list[str]]:
    """Group the places where warnings were raised by their text, each place once.

    Of several operating points none is named: a place is a measure, which judges calls at one.
    """
    if len({w.numbers.get("at") for w in warnings}) > 1:
        warnings = [
            replace(w, numbers={k: v for k, v in w.numbers.items() if k != "at"}) for w in warnings
        ]
    places_by_text: dict[str, list[str]] = {}
    for each in warnings:
        places, place = (
            places_by_text.setdefault(describe_warning_briefly(index, each), []),
            describe_place(index, each),
        )
        if place and place not in places:
            places.append(place)
    return places_by_text


def describe_place(index: Index, warning: Warning) -> str:
    """Describe what a warning is about: its metric, model, segment and, of several, dataset."""
    metric = next((m for m in index.results.metrics if m.key == warning.key), None)
    is_plain = len(index.tests) < 2 and warning.dataset == index.main.name
    dataset = None if is_plain else warning.dataset
    at = index.datasets.get(warning.dataset or "", index.main)
    parts = (
        describe_subject(index, metric, warning.model),
        format_segment(at, warning.segment) if warning.segment else "",
        clean_name(dataset, 40) if dataset else "",
    )
    return ", ".join(filter(None, parts))


def _build_link(warning: Warning) -> Span:
    target = "#data" if warning.code.startswith("W2") else "#method"
    if warning.segment is not None:
        target = "#segments"
    return Span(warning.code, href=target)


def _list_method_sensitive_verdicts(index: Index) -> list[Phrase]:
    found = list_method_sensitive(index)
    if not found:
        return []
    return [prose.phrase("points.method", metrics=found)]


def _list_undefined_values(index: Index) -> list[Phrase]:
    mine = [e for e in index.results.estimates if e.status == "undefined" and e.segment is None]
    metrics: dict[str, MetricInfo] = {m.key: m for m in index.results.metrics}
    lines = [
        prose.phrase(
            "points.undefined",
            model=index.short_label(e.model),
            reason=verdicts.explain_absence(metrics[e.key], e.status, e.reason),
        )
        for e in mine[:_MOST]
    ]
    if len(mine) > _MOST:
        lines.append(prose.phrase("points.more_undefined", count=len(mine) - _MOST))
    return lines


def build_points_section(results: Results) -> Section:
    """Build the points to check."""
    blocks = tuple(build_points_to_check(Index(results)))
    return Section("points", prose.line("points.title"), blocks)


def build_requirements_section(results: Results) -> Section | None:
    """Build the requirements for which page one has no place."""
    conclusion = results.conclusion
    others = () if conclusion is None else conclusion.requirements[MOST_REQUIREMENTS:]
    if not others:
        return None
    table = build_requirements_table(Index(results), others, "other-requirements", "", "")
    return Section("requirements", prose.line("requirements.others"), (table,))
