"""Points to check: what a validator should not pass by, each with a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen import wording
from reportgen.document import Block, Bullets, Heading, Phrase, Span, Text, phrase
from reportgen.results import MetricInfo, ModelInfo, Warning
from reportgen.sections.basis.told import (
    after,
    briefly,
    disagreements,
    flipped,
    hanging,
    subject_of,
)
from reportgen.sections.costs.tables import harms
from reportgen.sections.index import Index
from reportgen.sections.robustness.second_opinion import method_sensitive
from reportgen.wording import calibrations

_MOST = 3
_MOST_PLACES = 2  # of a warning: page one is to hold everything


def blocks(index: Index) -> list[Block]:
    """Harmful constants, reversals, deciding rows, disagreements, warnings, what is undefined."""
    items = (
        *_harmful(index),
        *_flips(index),
        *_hanging(index),
        *_disagreements(index),
        *_warnings(index),
        *_sensitive(index),
        *_absent(index),
    )
    found = Bullets(items, is_numbered=True) if items else Text(phrase(_calm(index)))
    return [Heading("Points to check", "points"), found]


def _calm(index: Index) -> str:
    """Why there is nothing to check: only of what was judged."""
    if not index.candidates:
        return "Nothing was compared, and there is no warning."
    untested = calibrations.untested(index.main_calibrations)
    return f"No issues found: no segment reverses the result, and there is no warning{untested}."


def _harmful(index: Index) -> list[Phrase]:
    """Fitted constants that make models dearer than leaving them alone, one line an asymmetry."""
    lines = [said for costs in index.results.costs for said in harms(index, costs)]
    head = Span("A fitted constant does harm.", is_strong=True)
    return [phrase(head, f" {said} ", Span("Costs", href="#costs")) for said in lines[:_MOST]]


def _flips(index: Index) -> list[Phrase]:
    metric = index.leading
    found = [line for model in index.candidates if (line := _flip(index, model, metric))]
    rest = len(found) - _MOST
    more = f"It reverses for {wording.count(rest, 'other candidate')} too."
    tail = [phrase(Span(more, is_strong=True), " ", Span("Segments", href="#segments"))]
    return found[:_MOST] + (tail if rest > 0 else [])


def _flip(index: Index, model: ModelInfo, metric: MetricInfo) -> Phrase:
    flips = index.flips(model.name, metric.key)
    overall = index.comparison(model.name, metric.key)
    if not flips or overall is None or overall.favours is None:
        return ()
    ahead = wording.name(index.label(overall.favours))
    where = f"{len(flips)} segments" if len(flips) > 1 else "one segment"
    unsure = "" if overall.verdict in {"better", "worse"} else ", though not clearly"
    if len(flips) == 1:
        first = flips[0]
        place = wording.segment_name(index.main, first.segment)
        said = f" In {place} {flipped(index, first, metric)} "
    else:
        leads = wording.name(index.label(flips[0].favours or ""))
        named = wording.listed([wording.segment_name(index.main, c.segment) for c in flips])
        said = f" {leads} is clearly ahead of {ahead} in {named}. "
    return phrase(
        Span(f"The result reverses in {where}.", is_strong=True),
        f" On all {wording.name(index.main.case[1])} {ahead} is ahead{unsure}.{said}",
        Span("Segments", href="#segments"),
    )


def _hanging(index: Index) -> list[Phrase]:
    """The candidates whose verdict depends on few rows."""
    head = "Sensitive to single observations."
    found = [line for m in index.candidates for line in hanging(index, m.name, head)]
    rest = len(found) - _MOST
    more = f"So is the verdict on {wording.count(rest, 'other candidate')}."
    tail = [phrase(Span(more, is_strong=True), " ", Span("Robustness", href="#robustness"))]
    return found[:_MOST] + (tail if rest > 0 else [])


def _disagreements(index: Index) -> list[Phrase]:
    found = disagreements(index)
    lines = []
    for text in found[:_MOST]:
        head, _, rest = text.partition(": ")
        lines.append(
            phrase(Span(f"{head}:", is_strong=True), f" {rest} ", Span("Results", href="#results"))
        )
    if len(found) > _MOST:
        more = wording.count(len(found) - _MOST, "other candidate")
        lines.append(phrase(f"So it is for {more}. ", Span("Results", href="#results")))
    return lines


def _warnings(index: Index) -> list[Phrase]:
    """One line a code: the first few places where it was raised, and how many more."""
    codes = sorted({w.code for w in index.results.warnings})
    return [_warned(index, [w for w in index.results.warnings if w.code == code]) for code in codes]


def _warned(index: Index, warnings: Sequence[Warning]) -> Phrase:
    first = warnings[0]
    fatal = " (fatal)" if any(w.is_fatal for w in warnings) else ""
    head = Span(f"{wording.capital(wording.heading(first.code))}{fatal}.", is_strong=True)
    means = wording.consequence(first.code, index.main.case)
    means = f" {means}" if means else ""
    told = _places_by_text(index, warnings)
    if len(told) == 1:
        [(text, places)] = told.items()
        named = wording.listed(places, most=_MOST)
        return phrase(head, f" {after(named, text)}{means} ", _link(first))
    shown = list(told.items())[:_MOST_PLACES]
    lines = [after(wording.listed(places, most=_MOST), text) for text, places in shown]
    rest = sum(len(places) or 1 for places in told.values())
    rest -= sum(len(places) or 1 for _, places in shown)
    more = f" And {wording.count(rest, 'other place')}." if rest else ""
    return phrase(head, f" {' '.join(lines)}{more}{means} ", _link(first))


def _places_by_text(index: Index, warnings: Sequence[Warning]) -> dict[str, list[str]]:
    """Where each text was raised, each place once.

    Of several operating points none is told: a place is a measure, which judges calls at one.
    """
    if len({w.numbers.get("at") for w in warnings}) > 1:
        warnings = [replace(w, numbers={k: v for k, v in w.numbers.items() if k != "at"})
                    for w in warnings]  # fmt: skip
    told: dict[str, list[str]] = {}
    for each in warnings:
        places, place = told.setdefault(briefly(index, each), []), _place(index, each)
        if place and place not in places:
            places.append(place)
    return told


def _place(index: Index, warning: Warning) -> str:
    metric = next((m for m in index.results.metrics if m.key == warning.key), None)
    is_plain = len(index.tests) < 2 and warning.dataset == index.main.name
    dataset = None if is_plain else warning.dataset
    at = index.datasets.get(warning.dataset or "", index.main)
    parts = (
        subject_of(index, metric, warning.model),
        wording.segment_name(at, warning.segment) if warning.segment else "",
        wording.name(dataset, 40) if dataset else "",
    )
    return ", ".join(filter(None, parts))


def _link(warning: Warning) -> Span:
    target = "#data" if warning.code.startswith("W2") else "#method"
    if warning.segment is not None:
        target = "#segments"
    return Span(warning.code, href=target)


def _sensitive(index: Index) -> list[Phrase]:
    found = method_sensitive(index)
    if not found:
        return []
    named = wording.listed(found, most=_MOST)
    return [
        phrase(
            Span("The method matters.", is_strong=True),
            f" A second method gives another verdict for {named}. ",
            Span("Robustness", href="#robustness"),
        )
    ]


def _absent(index: Index) -> list[Phrase]:
    mine = [e for e in index.results.estimates if e.status == "undefined" and e.segment is None]
    metrics: dict[str, MetricInfo] = {m.key: m for m in index.results.metrics}
    lines = [
        phrase(
            Span("Undefined.", is_strong=True),
            f" {wording.name(index.label(e.model))}: "
            f"{wording.absence(metrics[e.key], e.status, e.reason)} ",
            Span("Results", href="#results"),
        )
        for e in mine[:_MOST]
    ]
    if len(mine) > _MOST:
        more = f"{wording.count(len(mine) - _MOST, 'other value')} undefined."
        lines.append(phrase(Span(more, is_strong=True), " ", Span("Results", href="#results")))
    return lines
