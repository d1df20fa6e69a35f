"""Points to check in words: warnings, verdicts that depend on few rows, metrics that disagree."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Phrase, Span, phrase
from reportgen.results import Comparison, MetricInfo, Warning
from reportgen.sections.index import Index


def briefly(index: Index, warning: Warning) -> str:
    """A warning's short line; its own text where there is nothing to make one of."""
    case = index.main.case
    if not warning.numbers:
        return warning.text or wording.warning(warning.code, {}, case)
    numbers = wording.by_label(warning.numbers, index.labels)
    return wording.briefly(warning.code, numbers, case)


def subject_of(index: Index, metric: MetricInfo | None, model: str | None) -> str:
    """What a doubt is about: a metric, a model, or a metric of a model."""
    parts = (
        wording.name(metric.label, 40) if metric is not None else "",
        wording.name(index.label(model), 40) if model else "",
    )
    return " of ".join(filter(None, parts))


def after(subject: str, text: str) -> str:
    """A sentence after what it concerns, if anything, and a colon."""
    return f"{subject}: {text[:1].lower()}{text[1:]}" if subject else text


def hanging(index: Index, candidate: str, head: str = "") -> list[Phrase]:
    """What the verdict on a candidate would be without very few rows, if it hangs on them."""
    against = None if index.baseline is None else index.baseline.name
    found = [
        each
        for deletion in index.sensitivity.deletions
        for each in deletion.sets
        if each.baseline == against
    ]
    said = wording.without_few(found, candidate, index.labels, index.main.case)
    if not said:
        return []
    line = _whose(index, candidate, said[:1].lower() + said[1:])
    lead = (Span(head, is_strong=True), " ") if head else ()
    return [phrase(*lead, f"{line} ", Span("Robustness", href="#robustness"))]


def disagreements(index: Index) -> list[str]:
    """One sentence a candidate on whom its metrics disagree."""
    if index.baseline is None:
        return []
    against = index.baseline.label
    said = (wording.disagreement(index.compared(m.name), m.label, against)
            for m in index.candidates)  # fmt: skip
    return [text for text in said if text]


def flipped(index: Index, comparison: Comparison, metric: MetricInfo) -> str:
    """Who is ahead of whom in a segment, by how much, among how many."""
    pair = [wording.name(index.label(m)) for m in (comparison.candidate, comparison.baseline)]
    ahead, behind = pair if comparison.favours == comparison.candidate else reversed(pair)
    rows = wording.count(comparison.n, *index.main.case)
    form = wording.form_for(comparison, metric)
    size = form.amount(abs(comparison.difference or 0.0))
    interval = wording.interval_without_sign(comparison, form) or "no interval"
    on = wording.lowered(wording.name(metric.label))
    return f"{ahead} is better than {behind} on {on} by {size} ({interval}) among {rows}."


def _whose(index: Index, model: str, line: str) -> str:
    """A line with the candidate's name before it, where there are several.

    The line begins small, unless with a name.
    """
    if len(index.candidates) == 1:
        return wording.capital(line)
    return f"{wording.name(index.label(model), 40)}: {line}"
