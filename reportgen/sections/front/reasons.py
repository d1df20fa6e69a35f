"""Why a verdict holds, and what it does not show: at most three short lines of each."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Phrase, Span, phrase
from reportgen.results import Comparison, MetricInfo, Warning
from reportgen.sections.index import Index, excludes_zero, gain

MOST = 3
_KINDS = {"order": "rank measures", "amount": "error measures"}


def reasons(index: Index, comparison: Comparison) -> tuple[Phrase, ...]:
    """What speaks for the verdict of one candidate on the primary metric."""
    found = [
        *_settling(index, comparison),
        *_families(index, comparison),
        *_lone(index, comparison),
        *_segments(index, comparison),
        *_probability(index, comparison),
    ]
    return tuple(phrase(line) for line in found[:MOST])


def _whose(index: Index, model: str, line: str) -> str:
    """A line with the candidate's name before it, where there are several.

    The line begins small, unless with a name.
    """
    if len(index.candidates) == 1:
        return wording.capital(line)
    return f"{wording.name(index.label(model), 40)}: {line}"


def caveats(index: Index, candidate: str | None) -> tuple[Phrase, ...]:
    """What the verdict leaves open, the weightiest first."""
    found: list[Phrase] = []
    if candidate is not None:
        found += _flipped(index, candidate) + hanging(index, candidate)
        found += _against(index, candidate)
    found += _warned(index)
    found += [phrase(wording.prose(text, 200)) for text in index.results.report.limitations[:1]]
    if index.results.report.limitations == ():
        found.append(phrase("No limitations were provided by the authors."))
    if not index.main.segments:
        found.append(phrase("No segments were declared: whether it holds in each is not tested."))
    if len(index.tests) == 1:
        found.append(phrase("One test dataset: whether it lasts over time is not tested."))
    return tuple(found[:MOST])


def briefly(warning: Warning) -> str:
    """A warning's short line; its own text where there is nothing to make one of."""
    if not warning.numbers:
        return warning.text or wording.warning(warning.code, {})
    return wording.briefly(warning.code, warning.numbers)


def subject_of(index: Index, metric: MetricInfo | None, model: str | None) -> str:
    """What a warning is about: a metric, a model, or a metric of a model."""
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
    said = wording.without_few(found, candidate, index.labels)
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
    rows = wording.count(comparison.n, "row")
    form = wording.form_for(comparison, metric)
    size = form.amount(abs(comparison.difference or 0.0))
    interval = wording.interval_without_sign(comparison, form) or "no interval"
    on = wording.lowered(wording.name(metric.label))
    return f"{ahead} is better than {behind} on {on} by {size} ({interval}) among {rows}."


def _settling(index: Index, comparison: Comparison) -> list[str]:
    least = comparison.smallest_detectable
    if comparison.verdict != "inconclusive" or least is None:
        return []
    metric = next(m for m in index.results.metrics if m.key == comparison.key)
    form = wording.form_of(least, None, None, metric.unit)
    on = wording.lowered(wording.name(metric.label))
    there = wording.units(comparison.units or comparison.n, comparison.counted)
    return [
        f"A sample of {there} shows a true difference in {on} of {form.amount(least)} four times "
        "in five, and smaller ones less often."
    ]


def _families(index: Index, comparison: Comparison) -> list[str]:
    """How many measures of each kind speak for the side that the verdict takes."""
    side = "worse" if comparison.verdict == "worse" else "better"
    pairs = index.compared(comparison.candidate)
    lines = []
    for needs, kind in _KINDS.items():
        family = [c for metric, c in pairs if metric.needs == needs and c.status == "ok"]
        agreeing = [c for c in family if c.verdict == side]
        if 2 * len(agreeing) > len(family) > 1:
            named = f"all {len(family)}" if len(agreeing) == len(family) else (
                f"{len(agreeing)} of {len(family)}"
            )  # fmt: skip
            who = wording.name(index.label(comparison.candidate), 40)
            lines.append(f"{who} is clearly {side} on {named} {kind}.")
    return lines


def _lone(index: Index, comparison: Comparison) -> list[str]:
    """Measures of the other kind that agree with the verdict, with their differences."""
    kind = next(m.needs for m in index.results.metrics if m.key == comparison.key)
    return [
        _whose(index, c.candidate, f"{wording.difference(c, metric)}.")
        for metric, c in index.compared(comparison.candidate)
        if metric.needs != kind and c.verdict == comparison.verdict in {"better", "worse"}
    ][:1]


def _segments(index: Index, comparison: Comparison) -> list[str]:
    inside = [c for c in index.in_segments(comparison.candidate, comparison.key)
              if c.status == "ok"]  # fmt: skip
    if not inside:
        return []
    sign = -1.0 if comparison.verdict == "worse" else 1.0
    agreeing = [c for c in inside if sign * gain(c) > 0]
    clear = sum(excludes_zero(c) for c in agreeing)
    word = "behind" if sign < 0 else "ahead"
    share = f"all {len(inside)}" if len(agreeing) == len(inside) else (
        f"{len(agreeing)} of {len(inside)}"
    )  # fmt: skip
    if 2 * len(agreeing) <= len(inside):
        return []
    sure = f"in {clear} of them" if clear else "in none of them"
    said = f"{word} in {share} segments, {sure} clearly."
    return [_whose(index, comparison.candidate, said)]


def _probability(index: Index, comparison: Comparison) -> list[str]:
    share = comparison.probability_better
    if share is None or not comparison.difference:
        return []
    candidate = wording.name(index.label(comparison.candidate))
    metric = next(m for m in index.results.metrics if m.key == comparison.key)
    on = wording.lowered(wording.name(metric.label))
    ahead = wording.fraction_ahead(share, index.resamples)
    return [f"{candidate} is ahead on {on} in {ahead} of the resamples."]


def _flipped(index: Index, candidate: str) -> list[Phrase]:
    metric = index.leading
    flips = index.flips(candidate, metric.key)
    return [
        phrase(
            Span(f"Not in {wording.name(c.segment or '')}:", is_strong=True, href="#segments"),
            f" {flipped(index, c, metric)}",
        )
        for c in flips[:1]
    ]


def _against(index: Index, candidate: str) -> list[Phrase]:
    """Measures on which the verdict's loser wins, unless the verdict itself names them."""
    if len(index.candidates) == 1 and disagreements(index):
        return []
    overall = index.comparison(candidate, index.leading.key)
    other = "better" if overall is not None and overall.verdict == "worse" else "worse"
    pairs = [(m, c) for m, c in index.compared(candidate) if c.verdict == other]
    if not pairs:
        return []
    labels = wording.listed([wording.lowered(wording.name(m.label, 40)) for m, _ in pairs], 3)
    who = wording.name(index.label(candidate))
    return [phrase(Span("Not on every measure:", is_strong=True, href="#results"),
                   f" {who} is {other} on {labels}.")]  # fmt: skip


def _warned(index: Index) -> list[Phrase]:
    """Warnings on the primary metric first, then on other metrics' full rows, one a code."""
    mine = index.main.name
    warnings = [
        w for w in index.results.warnings if w.segment is None and w.dataset in {None, mine}
    ]
    order = sorted(warnings, key=lambda w: w.key not in {None, index.leading.key})
    seen: dict[str, Warning] = {}
    for warning in order:
        seen.setdefault(warning.code, warning)
    return [warning_phrase(index, warning) for warning in seen.values()]


def warning_phrase(index: Index, warning: Warning) -> Phrase:
    """A warning with what it concerns and a link to its explanation."""
    metric = next((m for m in index.results.metrics if m.key == warning.key), None)
    parts = (
        subject_of(index, metric, warning.model),
        wording.name(warning.segment) if warning.segment else "",
    )
    subject = ", ".join(filter(None, parts))
    means = wording.consequence(warning.code)
    said = " ".join(filter(None, (after(subject, briefly(warning)), means)))
    return phrase(f"{said} ", Span(warning.code, href="#method"))
