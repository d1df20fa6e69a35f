"""Page one: the answer, the number it rests on, every candidate, what else would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10

from reportgen import wording
from reportgen.conclusion import conclude
from reportgen.document import (
    Block,
    Bullets,
    Callout,
    Cell,
    Forest,
    ForestRow,
    Phrase,
    Section,
    SideBySide,
    Span,
    Table,
    TableColumn,
    Tone,
    phrase,
)
from reportgen.results import MetricInfo, Results
from reportgen.results.conclusion import Conclusion, Judged, Requirement
from reportgen.sections.index import Index
from reportgen.sections.scores import operating
from reportgen.wording import answers, rows
from reportgen.wording.numbers import Form
from reportgen.wording.requirements import STATUS
from reportgen.wording.words import TONES

CARES = "①②③④⑤⑥⑦⑧⑨"
MOST_ROWS = 12
MOST_REQUIREMENTS = 5
MOST_LIMITS = 4
LONGEST_LIMIT = 160
LONGEST_ZERO = 12  # signs of a name that stand under an axis
_DIRECTIONS = {"lower": "lower is better", "zero": "nearer to 0 is better"}
_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "inconclusive": "open"}


def section(results: Results) -> Section:
    """The blocks of page one, as the conclusion has them."""
    found, index = results.conclusion or conclude(results), Index(results)
    blocks: list[Block] = [_answer(index, found)]
    if found.rows:
        blocks.append(_forest(index, found))
    if found.consequences:
        blocks.append(_consequences(index, found))
    if found.values:
        blocks.append(_values(index, found))
    blocks.append(SideBySide(((_cares(found),), (*_requirements(found), _limits(found)))))
    return Section("decision", "Decision", tuple(blocks))


def _answer(index: Index, found: Conclusion) -> Callout:
    """The answer, with the paragraph that has the number."""
    body = [_sentence(index, found)] if found.sentence else []
    beside = list(found.beside)
    if found.chosen == "best" and found.about is not None and found.rows:
        label = wording.name(index.label(found.about), 40)
        beside.insert(0, f"{label} has the best value of {found.best_of} candidates.")
    body += [phrase(" ".join(beside))] if beside else []
    if index.results.points and index.results.config.get("thresholds"):
        body.append(phrase(operating.told_first(index)))
    best = found.action
    if best is not None and _is_another(found):
        body.insert(0 if found.decision == "shift" else len(body), phrase(best.text))
    return Callout(found.tone, "", found.answer, tuple(body), id="answer")


def _is_another(found: Conclusion) -> bool:
    """Whether the best action is asked for, or is not the use of the model asked about alone."""
    best = found.action
    return best is not None and (
        found.decision == "shift" or (best.model, best.method) != (found.about, "none")
    )


def _sentence(index: Index, found: Conclusion) -> Phrase:
    """The sentence, its number in bold."""
    metric, said = index.primary, found.sentence
    if not found.rows or metric is None or found.rows[0].difference is None:
        return phrase(said)
    bold = answers.bold_of(found.rows[0], wording.per_case(metric, index.main))
    before, number, after = said.partition(bold)
    return phrase(before, Span(number, is_strong=True), after) if number else phrase(said)


def _forest(index: Index, found: Conclusion) -> Forest:
    """Every candidate on the primary metric, on one axis where better is to the right."""
    metric = wording.per_case(_metric(index, found.rows[0].key), index.main)
    shown = found.rows[:MOST_ROWS]
    form = rows.row_form(shown, metric.unit, has_values=False)
    low, high = _axis(shown)
    sign = 1.0 if metric.better == "higher" else -1.0
    baseline = wording.name(index.label(shown[0].baseline), 24)
    return Forest(
        id="candidates",
        title="How sure is that?",
        caption=_caption(index, found, metric, len(found.rows) - len(shown)),
        axis=f"difference in {answers.phrase_of(metric)}",
        right=f"better than {baseline} →",
        axis_low=low,
        axis_high=high,
        ticks=tuple(_ticks(low, high, sign, form, baseline)),
        rows=tuple(_row(index, found, row, form, sign) for row in shown),
        margin=shown[0].margin,
    )


def _caption(index: Index, found: Conclusion, metric: MetricInfo, left: int) -> str:
    """What the forest shows: of what, at which level, adjusted for how many, on how many rows."""
    row = found.rows[0]
    level = wording.level(index.results.inference.level)
    adjusted = rows.adjustment_of(max(found.rows, key=lambda each: each.adjusted_for))
    what = wording.lowered(wording.name(metric.label))
    size = "size of " * (metric.better == "zero")
    cases = wording.count(row.n, *index.main.case)
    baseline = wording.name(index.label(row.baseline), 40)
    said = (
        f"Difference from {baseline} in {size}{what}, with {level} confidence intervals (CI)"
        f"{f', {adjusted}' if adjusted else ''}; {cases}."
    )
    if row.margin is not None:
        size = wording.margin_size(row.margin, metric)
        said += f" Shaded: less than {size}, too small to matter."
    if left > 0:
        said += f" {wording.capital(wording.count(left, 'other candidate'))}: see Basis."
    return said


def _row(index: Index, found: Conclusion, row: Judged, form: Form, sign: float) -> ForestRow:
    label = wording.name(index.label(row.candidate), 40)
    difference = rows.difference_amount(form, row.difference)
    interval = rows.limits(row, form) if row.difference is not None else ""
    if row.word == "Equivalent" and row.low is not None:
        interval = f"{rows.interval_of(row)}: {interval}"
    care = f" {CARES[row.care - 1]}" if row.care is not None else ""
    ends = [None if x is None else sign * x for x in (row.low, row.high)]
    ends.sort(key=lambda x: (x is None, x))
    shown = row.difference is not None
    said = f"{label}: {difference} ({interval}), {row.word}" if shown else f"{label}: {row.word}"
    return ForestRow(
        name=label,
        difference=difference if shown else wording.MISSING,
        interval=interval,
        word=f"{row.word}{care}",
        tone=TONES[row.word],
        description=said,
        value=None if row.difference is None else sign * row.difference,
        low=ends[0],
        high=ends[1],
        note="" if shown else wording.prose(row.reason, 120),
        is_strong=row.candidate == found.about,
    )


def _axis(shown: Sequence[Judged]) -> tuple[float, float]:
    """The ends of the axis: all intervals, zero, and the margin, with some room."""
    turn = 1.0 if shown[0].better == "higher" else -1.0
    places = [0.0, *(side * (shown[0].margin or 0.0) for side in (-1.0, 1.0))]
    places += [turn * x for row in shown for x in (row.difference, row.low, row.high)
               if x is not None]  # fmt: skip
    low, high = min(places), max(places)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _ticks(
    low: float, high: float, sign: float, form: Form, baseline: str
) -> Iterator[tuple[float, str]]:
    """Round places with the differences that stand there; zero says whose value it is."""
    step = _step(high - low)
    for k in range(-10, 11):
        place = k * step
        if low <= place <= high:
            zero = f"0 = {baseline}" if len(baseline) <= LONGEST_ZERO else "0"
            yield place, _tick(place * sign, step, form) if k else zero


def _step(length: float) -> float:
    """A round step that leaves at most six ticks."""
    power = 10.0 ** floor(log10(length / 4)) if length > 0 else 1.0
    return next((power * times for times in (1, 2, 5) if length / (power * times) <= 6), 10 * power)


def _tick(value: float, step: float, form: Form) -> str:
    scale = 100.0 if form.unit == "share" else 1.0
    decimals = max(0, -floor(log10(step * scale) + 1e-9))
    unit = form.unit.partition(" per ")[0]
    said = rows.difference_amount(Form(decimals, unit), value)
    return said.replace(" points", "")


def _consequences(index: Index, found: Conclusion) -> Table:
    """One row for each thing that would change: both values, the difference, a word."""
    first = found.consequences[0]
    about, baseline = (wording.name(index.label(m), 24) for m in (first.candidate, first.baseline))
    level = wording.level(index.results.inference.level)
    asks = {
        "replace": f"What would change with {about} in place of {baseline}?",
        "enough": f"What else is known of {about}?",
    }.get(found.decision, f"What else would change with {about}?")
    return Table(
        "consequences",
        _families(found),
        (
            TableColumn("", is_numeric=False),
            TableColumn(baseline),
            TableColumn(about),
            TableColumn("Difference", note=f"{level} CI"),
            TableColumn("Verdict", is_numeric=False),
        ),
        tuple(_consequence(index, row) for row in found.consequences),
        is_stacked=True,
        title=asks,
    )


def _families(found: Conclusion) -> str:
    """For how many comparisons the intervals of the table are adjusted."""
    plain = {r.adjusted_for for r in found.consequences if r.segment is None} - {1}
    inside = {r.adjusted_for for r in found.consequences if r.segment is not None} - {1}
    if 0 in plain | inside:
        return "CIs are not adjusted for the number of comparisons."
    parts = [f"{max(plain)} of these metrics"] if plain else []
    parts += [f"{max(inside)} within segments"] if inside else []
    return f"CIs are adjusted for the number of comparisons: {', '.join(parts)}." if parts else ""


def _consequence(index: Index, row: Judged) -> tuple[Cell, ...]:
    dataset = index.datasets[row.dataset]
    metric = wording.per_case(_metric(index, row.key), dataset)
    unit, _, per = metric.unit.partition(" per ")
    form = rows.row_form([row], unit)
    name, note = _named(index, row, metric, f"per {per}" if per else "")
    if row.difference is None:
        said = wording.prose(row.reason, 80)
        return (Cell(name, note), Cell(wording.MISSING), Cell(wording.MISSING),
                Cell(wording.MISSING, said), _word(row))  # fmt: skip
    interval = rows.limits(row, form)
    if row.word == "Equivalent" and row.low is not None:
        interval = f"{interval}, {rows.interval_of(row)}"
    return (
        Cell(name, note),
        Cell((form.amount(row.baseline_value)), value=row.baseline_value),
        Cell((form.amount(row.value)), value=row.value),
        Cell(rows.difference_amount(form, row.difference), interval, value=row.difference),
        _word(row),
    )


def _word(row: Judged) -> Cell:
    return Cell(row.word, tone=TONES[row.word], is_strong=True)


def _named(index: Index, row: Judged, metric: MetricInfo, per: str) -> tuple[str, str]:
    """What a row is about, and the small line under it."""
    dataset = index.datasets[row.dataset]
    said = wording.capital(answers.phrase_of(metric))
    notes = [wording.lowered(wording.name(metric.label))] if metric.phrase else []
    notes += [per] if per else []
    notes += [_DIRECTIONS[metric.better]] if metric.better in _DIRECTIONS else []
    if row.segment is not None:
        share = (wording.percent(row.n / dataset.n)) if dataset.n else ""
        notes.append(f"{wording.count(row.n, *dataset.case)}, {share} of all")
        if row.worst_of is not None and row.worst_of > 1:
            notes.append(f"worst of {row.worst_of} segments")
        segment = wording.segment_name(dataset, row.segment)
        said = f"{segment}{',' if ':' in segment else ':'} {answers.phrase_of(metric)}"
    elif dataset is not index.main:
        said = f"{said}, dataset {wording.name(row.dataset, 40)}"
        notes.append(wording.count(row.n, *dataset.case))
    return said, "; ".join(notes)


def _values(index: Index, found: Conclusion) -> Table:
    """One model alone: its value on a metric of each kind."""
    label = wording.name(index.label(found.values[0].model), 24)
    level = wording.level(index.results.inference.level)
    made = []
    for row in found.values:
        metric = wording.per_case(_metric(index, row.key), index.main)
        said = wording.capital(answers.phrase_of(metric))
        note = wording.lowered(wording.name(metric.label)) if metric.phrase else ""
        shown, _, interval = answers.value_of(metric, row).partition(" (")
        interval = interval.rstrip(")").partition("CI ")[2] or interval.rstrip(")")
        if row.value is None:
            shown, interval = row.status, wording.prose(row.reason, 80)
        made.append((Cell(said, note), Cell(shown, interval, value=row.value)))
    return Table(
        "values",
        "",
        (TableColumn("Metric", is_numeric=False), TableColumn(label, note=f"{level} CI")),
        tuple(made),
        is_stacked=True,
        title=f"What is known of {label}?",
    )


def _cares(found: Conclusion) -> Bullets:
    """At most three points; those that a row of the forest refers to have its mark."""
    cited = {row.care for row in found.rows}
    items = tuple(
        phrase(
            Span(f"{CARES[number - 1]} {care.title}" if number in cited else care.title,
                 is_strong=True),
            f" {care.text}",
        )
        for number, care in enumerate(found.cares, 1)
    )  # fmt: skip
    nothing = (phrase("No caveat was found beyond the limits."),)
    return Bullets(items or nothing, "Read with care")


def _requirements(found: Conclusion) -> Iterator[Bullets]:
    """Every gate with its slack, those not met first."""
    every = found.requirements
    if not every:
        yield Bullets((phrase("No requirements were declared."),), "Requirements")
        return
    met = sum(r.status == "pass" for r in every)
    lines = [_required(each) for each in every[:MOST_REQUIREMENTS]]
    left = len(every) - len(lines)
    if left:
        lines.append(phrase(f"and {wording.count(left, 'other')}, in results.json"))
    note = f"{met} of {len(every)} met, each by its own CI, not adjusted for the others"
    yield Bullets(tuple(lines), "Requirements", note)


def _required(each: Requirement) -> Phrase:
    status = STATUS[each.status]
    if each.is_failure and each.status == "inconclusive":
        status = "not shown, counted as failed"
    tone: Tone = "bad" if each.is_failure else _TONES[each.status]
    head = Span(status, is_strong=True, tone=tone)
    return phrase(head, f" {each.name}. ", Span(wording.capital(each.text), tone="neutral"))


def _limits(found: Conclusion) -> Bullets:
    """What the authors say that the report cannot show."""
    lines = [phrase(wording.prose(text, LONGEST_LIMIT)) for text in found.limits[:MOST_LIMITS]]
    left = len(found.limits) - len(lines)
    if left:
        lines.append(phrase(f"and {wording.count(left, 'other')}; see Method"))
    return Bullets(
        tuple(lines) or (phrase("No limitations were provided by the authors."),),
        "Limits stated by the authors",
    )


def _metric(index: Index, key: str) -> MetricInfo:
    return next(metric for metric in index.results.metrics if metric.key == key)
