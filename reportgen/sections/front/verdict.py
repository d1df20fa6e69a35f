"""The verdict: one sentence, what it rests on, why, what it does not show, the gates."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Bullets, Callout, Phrase, Section, Span, Tone, phrase
from reportgen.results import Comparison, Finding, MetricInfo, ModelInfo, Results
from reportgen.sections.datasets import elsewhere
from reportgen.sections.front.reasons import caveats, reasons
from reportgen.sections.index import TONES, Index, gain

_GATE_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "inconclusive": "open"}
_MOST_LINES = 10


def section(results: Results) -> Section:
    """The verdict on the declared primary metric, or why there is none."""
    index = Index(results)
    return Section("verdict", "Verdict", (_callout(index),))


def _callout(index: Index) -> Callout:
    metric, baseline = index.primary, index.baseline
    if baseline is None:
        return _scores_only(index)
    if metric is None:
        return _undeclared(index)
    pairs = [(m, index.comparison(m.name, metric.key)) for m in index.candidates]
    compared = [(m, c) for m, c in pairs if c is not None]
    if not compared:
        return _uncompared(index, metric)
    if len(compared) == 1:
        return _one(index, metric, compared[0][1], baseline)
    return _several(index, metric, compared, baseline)


def _one(index: Index, metric: MetricInfo, found: Comparison, baseline: ModelInfo) -> Callout:
    label = index.label(found.candidate)
    disagreement = wording.disagreement(index.compared(found.candidate), label, baseline.label)
    said = f"{wording.gloss(metric)} {wording.sentence(found, metric)}".strip()
    lines = (said, disagreement)
    return Callout(
        _tone(index, TONES[found.verdict]),
        wording.TAGS[found.verdict],
        wording.title(found, metric, label, baseline.label),
        (*_failures(index), *(phrase(line) for line in lines if line), *elsewhere(index)),
        _columns(index, reasons(index, found), caveats(index, found.candidate)),
    )


def _tone(index: Index, tone: Tone) -> Tone:
    """The colour of the verdict: no green above a gate that fails the run."""
    return "bad" if any(gate.is_failure for gate in index.results.gates) else tone


def _several(
    index: Index,
    metric: MetricInfo,
    compared: list[tuple[ModelInfo, Comparison]],
    baseline: ModelInfo,
) -> Callout:
    verdicts = [(model.label, c.verdict) for model, c in compared]
    better = [(m, c) for m, c in compared if c.verdict == "better"]
    level = index.level_with_best(metric.key)
    found = {verdict for _, verdict in verdicts}
    tag = "Better" if better else "No winner"
    tone: Tone = "good" if better else "open"
    if len(found) == 1:
        tag, tone = wording.TAGS[verdicts[0][1]], TONES[verdicts[0][1]]
    leader = max((c for _, c in better or compared), key=_strength)
    return Callout(
        _tone(index, tone),
        tag,
        wording.several_title(verdicts, baseline.label, metric, _leader(level, better)),
        (
            *_failures(index),
            *_lines(metric, compared),
            *_level(index, metric, level),
            *elsewhere(index),
        ),
        _columns(index, reasons(index, leader), caveats(index, leader.candidate)),
    )


def _strength(comparison: Comparison) -> float:
    return gain(comparison) if comparison.status == "ok" else float("-inf")


def _leader(level: set[str], better: list[tuple[ModelInfo, Comparison]]) -> str:
    """The one winner that is separated from every other model, if there is one."""
    return next((m.label for m, _ in better if level == {m.name}), "")


def _lines(metric: MetricInfo, compared: list[tuple[ModelInfo, Comparison]]) -> list[Phrase]:
    """One line a candidate, in the order of the config; another interval is named in its line."""
    told = [wording.interval_name(c) for _, c in compared if wording.has_interval(c)]
    usual = max(told, key=told.count) if told else wording.interval_name(compared[0][1])

    def is_other(c: Comparison) -> bool:
        return wording.has_interval(c) and wording.interval_name(c) != usual

    shown = [
        phrase(
            Span(f"{wording.name(model.label)}:", is_strong=True),
            " ",
            Span(c.verdict, tone=TONES[c.verdict]),
            f", {_shown(c, metric)}",
            f", {wording.interval_name(c)}" if is_other(c) else "",
            " beyond the margin" if c.beyond_margin else "",
            ", method-sensitive" if c.is_method_sensitive else "",
            ".",
        )
        for model, c in compared[:_MOST_LINES]
    ]
    first = next((c for _, c in compared if c.status == "ok"), compared[0][1])
    head = f"Differences in {wording.what_differs(metric)} from the baseline"
    margin = ""
    if first.margin is not None:
        margin = f", against a margin of {wording.margin_size(first.margin, metric)}"
    wide = " (wide enough for all of them together)" if usual.startswith("adjusted") else ""
    held = f", with the {usual}{wide}" if told else ""
    lead = " ".join(filter(None, (wording.gloss(metric), f"{head}{held}{margin}:")))
    return [phrase(lead), *shown]


def _shown(comparison: Comparison, metric: MetricInfo) -> str:
    """The difference in short, or why there is none."""
    if comparison.status != "ok":
        return wording.name(comparison.reason.rstrip("."), 200) or "no difference"
    return wording.short(comparison, metric)


def _level(index: Index, metric: MetricInfo, level: set[str]) -> list[Phrase]:
    names = [m.label for m in index.results.models if m.name in level]
    if len(names) < 2:
        return []
    on = wording.lowered(wording.name(metric.label))
    listed = wording.listed([wording.name(label, 40) for label in names], most=10)
    return [phrase(f"Not separated from the best on {on}: {listed}.")]


def _scores_only(index: Index) -> Callout:
    model, metric = index.results.models[0], index.leading
    estimate = index.estimate(model.name, metric.key)
    said = "" if estimate is None else wording.alone(estimate, metric, model.label)
    note = "Only one model is reported, so there is no difference to judge."
    return Callout(
        "neutral",
        "Scores only",
        f"{wording.name(model.label)} is reported alone, without a comparison.",
        (*_failures(index), *(phrase(line) for line in (said, note) if line)),
        _columns(index, (), caveats(index, None)),
    )


def _undeclared(index: Index) -> Callout:
    note = (
        "Naming the metric that decides, and a margin, before looking at the numbers is what makes "
        "a verdict worth having. The comparisons below stand beside one another, none above the "
        "others."
    )
    return Callout(
        "neutral",
        "No verdict",
        "No primary metric was declared.",
        (*_failures(index), phrase(note)),
        _columns(index, (), caveats(index, None)),
    )


def _uncompared(index: Index, metric: MetricInfo) -> Callout:
    on = wording.lowered(wording.name(metric.label))
    return Callout(
        "open",
        "No verdict",
        f"No candidate was compared with the baseline on {on}.",
        _failures(index),
        _columns(index, (), caveats(index, None)),
    )


def _columns(
    index: Index, why: tuple[Phrase, ...], caveat: tuple[Phrase, ...]
) -> tuple[Bullets, ...]:
    columns = (
        Bullets(why, "Why"),
        Bullets(caveat, "What this does not show"),
        Bullets(tuple(_gates(index)), "Gates"),
    )
    return tuple(column for column in columns if column.items)


def _failures(index: Index) -> tuple[Phrase, ...]:
    said = wording.failed(index.results.gates)
    return (phrase(Span(said, is_strong=True, tone="bad", href="#decision")),) if said else ()


def _gates(index: Index) -> list[Phrase]:
    """Failed gates first, then open ones, then those passed; the reason where not passed."""
    gates: tuple[Finding, ...] = index.results.gates
    if not gates:
        return [phrase("No gates were declared.")]
    order = {"fail": 0, "inconclusive": 1, "pass": 2}
    ranked = sorted(gates, key=lambda f: (not f.is_failure, order[f.status]))
    lines = [
        phrase(
            Span(
                wording.gate_tag(f),
                is_strong=True,
                tone="bad" if f.is_failure else _GATE_TONES[f.status],
            ),
            f" {wording.name(f.name)}",
            "" if f.status == "pass" else f": {wording.finding(f, index.unit(f.key))}",
        )
        for f in ranked[:6]
    ]
    if len(ranked) > len(lines):
        lines.append(phrase(f"and {wording.count(len(ranked) - len(lines), 'other gate')}"))
    return lines
