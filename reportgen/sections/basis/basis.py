"""Basis: the verdict on every metric, what was compared on which rows, and who signs."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import (
    Block,
    Bullets,
    Cell,
    Phrase,
    Section,
    Table,
    TableColumn,
    phrase,
)
from reportgen.results import Comparison, MetricInfo, Results
from reportgen.sections.basis import benchmarks, points, signing
from reportgen.sections.cells import metric_cell, with_bins
from reportgen.sections.decision.required import MOST_REQUIREMENTS, required
from reportgen.sections.index import Index
from reportgen.wording import folds, methods, prevalence
from reportgen.wording.classes import words_of
from reportgen.wording.words import is_equal_here

_NOTHING = "–"
MOST_REASONS = 4  # a sentence each; Scores has all of them
_MARKS = {"better": "▲", "worse": "▼", "equivalent": "≈", "not worse": "≥", "inconclusive": "○"}
_READ = {
    "▲": "better",
    "▲▲": "better beyond the margin",
    "▼": "worse",
    "▼▼": "worse beyond the margin",
    "≈": "equivalent, inside the margin",
    "≥": "not worse by the margin or more",
    "○": "not enough evidence",
    "=": "equal on these rows: no difference can be shown",
    _NOTHING: "no value, or not compared",
}


def section(results: Results) -> Section:
    """A matrix of marks, a few lines on the comparison, points to check, the sign-off block."""
    index = Index(results)
    blocks: list[Block] = []
    if index.baseline is not None:
        blocks.append(_matrix(index))
        said = (f"{_key(index)}.", *_not_applicable(index))
        blocks.append(Bullets(tuple(map(phrase, said))))
    blocks.append(Bullets(tuple(_compared(index)), "What was compared"))
    blocks += _other_requirements(results)
    blocks += points.blocks(index)
    blocks += signing.findings(results)
    blocks.append(signing.sign_off(results))
    return Section("basis", "Basis", tuple(blocks))


def _other_requirements(results: Results) -> list[Block]:
    """Those that page one has no room for."""
    conclusion = results.conclusion
    others = () if conclusion is None else conclusion.requirements[MOST_REQUIREMENTS:]
    return [Bullets(tuple(map(required, others)), "Other requirements")] if others else []


def _matrix(index: Index) -> Table:
    """Metrics down, of the same kind together; candidates across, then simple benchmarks."""
    models = [*index.candidates, *(m for m in index.results.models if m.role == "benchmark")]
    against = wording.name(index.baseline.label if index.baseline else "", 40)
    level = wording.level(index.results.inference.level)
    rows = wording.name(index.main.case[1])
    caption = f"Difference from {against} on all {rows}, with its {level} interval."
    return Table(
        "basis-verdicts",
        caption,
        (
            TableColumn("Metric", is_numeric=False),
            *(
                TableColumn(
                    wording.name(m.label, 40),
                    is_numeric=False,
                    note="a benchmark" if m.role == "benchmark" else "",
                )
                for m in models
            ),
        ),
        tuple(
            (
                metric_cell(index, metric),
                *(_cell(index, index.comparison(m.name, metric.key), metric) for m in models),
            )
            for metric in _by_kind(index)
        ),
    )


def _by_kind(index: Index) -> list[MetricInfo]:
    """The metrics, the primary one first, then those of its kind, then the others."""
    kinds = list(dict.fromkeys(metric.needs for metric in index.metrics))
    return sorted(index.metrics, key=lambda metric: kinds.index(metric.needs))


def _cell(index: Index, found: Comparison | None, metric: MetricInfo) -> Cell:
    if found is None:
        return Cell(_NOTHING, note="not compared")
    if found.status != "ok" or found.difference is None:
        return Cell(_NOTHING, note=found.verdict)
    form = wording.form_for(found, metric)
    interval = wording.interval_text(found, form)
    shown = form.number(found.difference, signed=True)
    note = "no interval" if interval.startswith(wording.MISSING) else interval
    off_by = index.off_by(found.key, found.candidate, found.baseline)
    return Cell(
        f"{mark(found)} {shown}",
        note=with_bins(note, off_by, metric),
        value=found.difference,
        tone=index.tone(found),
    )


def mark(found: Comparison) -> str:
    """The sign of a verdict; doubled where it is beyond the margin."""
    if found.is_same or (found.status == "ok" and is_equal_here(found)):
        return "="
    sign = _MARKS.get(found.verdict, _NOTHING)
    return 2 * sign if found.beyond_margin and found.verdict in {"better", "worse"} else sign


def _key(index: Index) -> str:
    """How to read the marks that occur."""
    shown = [m for m in index.results.models if m.role != "baseline"]
    pairs = [c for m in shown for _, c in index.compared(m.name)]
    used = {mark(c) if c.status == "ok" else _NOTHING for c in pairs}
    return "; ".join(f"{sign} {words}" for sign, words in _READ.items() if sign in used)


def _not_applicable(index: Index) -> Iterator[str]:
    """Why metrics have no value for a model, all with the same reason in one sentence."""
    labels: dict[str, dict[str, None]] = {}
    for metric in _by_kind(index):
        for model in index.results.models:
            found = index.comparison(model.name, metric.key)
            if found is not None and found.status == "not applicable" and found.reason:
                labels.setdefault(found.reason, {})[metric.label] = None
    for reason, metrics in [*labels.items()][:MOST_REASONS]:
        names = wording.listed([wording.name(label) for label in metrics], 5)
        verb = "are" if len(metrics) > 1 else "is"
        yield f"{names} {verb} not applicable: {wording.prose(reason, 120)}."


def _compared(index: Index) -> Iterator[Phrase]:
    """Which rows, which models, how intervals are made and how several are allowed for."""
    info, main = index.results.inference, index.main
    models = wording.listed([wording.name(m.label, 40) for m in index.results.models], 10)
    where = f" of {wording.name(main.name, 40)}" if len(index.tests) > 1 else ""
    rounds = "" if main.rounds is None else f" in {wording.count(main.rounds, 'round')}"
    rows = f"the same {wording.count(main.n, *main.case)}{rounds}{where}"
    y = next((c for c in main.columns if c.role == "y"), None)
    zeros = f" ({wording.zeros(y, main.classes)})" if y is not None and y.n and y.zeros else ""
    if main.unlabelled:
        known = wording.count(main.n - main.unlabelled)
        zeros = f" (known of the {known} that a model calls)"
    if len(main.classes) > 2 or main.labels_per_row is not None:
        words = words_of(main)
        zeros = f" ({wording.count(len(main.classes), words.one, words.many)})"
    target = wording.name(main.target_label or main.target, 40)
    of_target = f"; target {target}{zeros}" if target else ""
    yield phrase(f"{models}, on {rows}{of_target}.")
    if weights := prevalence.weights(index.results.config, main):
        yield phrase(weights)
    yield from benchmarks.lines(index)
    metric = index.primary
    if metric is None:
        yield phrase("No primary metric was declared.")
    elif index.baseline is not None:
        label = wording.lowered(wording.name(metric.label))
        title = wording.title_behind(metric)
        behind = f" ({wording.lowered(title)})" if title else ""
        yield phrase(f"Decided on {label}{behind}{_margin(metric)}.")
    yield phrase(f"{wording.capital(wording.level(info.level))} intervals {_found(index)}.")
    if main.question is not None:
        yield phrase(f"They are about {folds.question(main)}.")
    if index.baseline is None:
        return
    yield phrase(f"A difference is the candidate minus {wording.name(index.baseline.label)}.")
    if any(wording.is_adjusted(c) for c in index.results.comparisons):
        said = "Intervals of differences allow for all comparisons of their family"
        if any(wording.is_unadjusted(c) for c in index.results.comparisons):
            said += f", unless “{wording.NOT_ADJUSTED}” stands beside them"
        yield phrase(f"{said}: {wording.adjustment(info.adjust)}.")
    if any(0 in wording.bounds(c) for c in index.results.comparisons
           if c.verdict in {"better", "worse"}):  # fmt: skip
        yield phrase(
            "“Above 0” or “below 0” says that zero is left out, but not by how much: zero is "
            "rejected one step after the comparisons that are surer, at a level that limits for "
            "all of them together do not have."
        )


def _found(index: Index) -> str:
    """From what intervals are found."""
    if index.main.question == "procedure":
        return f"from the differences between {folds.folds(index.main)}"
    drawn = f"{wording.count(index.resamples)} resamples, seed {index.results.inference.seed}"
    mine = index.main.name
    values = [e.method for e in index.results.estimates if (e.dataset, e.segment) == (mine, None)]
    differences = [
        c.method for c in index.results.comparisons if (c.dataset, c.segment) == (mine, None)
    ]
    return methods.sources(values, differences, drawn)


def _margin(metric: MetricInfo) -> str:
    if metric.margin is not None:
        return f", with a margin of {wording.margin_size(metric.margin, metric)}"
    return (
        f", with a margin of {metric.margin_text}" if metric.margin_text else ", without a margin"
    )
