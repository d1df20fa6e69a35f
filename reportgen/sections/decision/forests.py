"""The forest of page one: every candidate on what decides, or every action that costs advise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import floor, log10

from reportgen import wording
from reportgen.conclusion.action import is_answer
from reportgen.document import Forest, ForestRow, Tone
from reportgen.results import MetricInfo
from reportgen.results.conclusion import BestAction, Conclusion, Judged, UsableAction
from reportgen.sections.index import Index
from reportgen.wording import actions, answers, folds, prevalence, rows
from reportgen.wording.numbers import Form
from reportgen.wording.words import TONES, WITHOUT_MARGIN

CARES = "①②③④⑤⑥⑦⑧⑨"
MOST_ROWS = 12
MOST_ACTIONS = 8
LONGEST_ZERO = 12  # signs of a name that stand under an axis


def shows_actions(found: Conclusion) -> bool:
    """Whether the answer is an action of several, so that the forest has those."""
    return is_answer(found.decision, found.action)


def of_actions(index: Index, best: BestAction) -> Forest:
    """Every action that can be put to use beside the baseline as it is, the cheapest first."""
    terms = terms_of(index)
    form = actions.form_of_difference(best, terms)
    today = (terms.baseline, "none")
    known = [a for a in best.actions if (a.model, a.method) != today and a.difference is not None]
    shown = known[:MOST_ACTIONS]
    low, high = _ends(-x for a in shown for x in (a.difference, a.low, a.high) if x is not None)
    base = f"{wording.name(index.label(terms.baseline), 24)} unadjusted"
    return Forest(
        id="actions",
        title="How sure is that?",
        caption=_caption_of_actions(index, best, base, len(known) - len(shown)),
        axis=f"difference in cost, {terms.unit}",
        right=f"cheaper than {base} →",
        axis_low=low,
        axis_high=high,
        ticks=tuple(_ticks(low, high, -1.0, form, base)),
        rows=tuple(_action_row(a, form, terms) for a in shown),
    )


def of_candidates(index: Index, found: Conclusion) -> Forest:
    """Every candidate on the primary metric, on one axis where better is to the right."""
    metric = wording.per_case(
        next(m for m in index.results.metrics if m.key == found.rows[0].key), index.main
    )
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
        rows=tuple(
            _row(index, found, row, form, sign, is_mixed=rows.is_mixed(found.rows)) for row in shown
        ),
        margin=shown[0].margin,
    )


def terms_of(index: Index) -> actions.ActionTerms:
    """What the sentences on actions share."""
    costs, baseline = index.costs[index.main.name], index.baseline
    assert baseline is not None
    labels = {model.name: wording.name(model.label, 40) for model in index.results.models}
    return actions.ActionTerms(labels, baseline.name, costs.model.money, index.main.case)


def _caption_of_actions(index: Index, best: BestAction, base: str, left: int) -> str:
    level, ratio = wording.level(best.level), wording.ratio(best.asymmetry)
    cases = wording.count(index.main.n, *index.main.case)
    said = (
        f"Difference from {base} in cost, too low to too high {ratio}, with {level} confidence "
        f"intervals (CI), adjusted for {wording.count(best.options, 'usable action')}; {cases}. "
        f"{WITHOUT_MARGIN}"
    )
    if best.level_with:
        said += " Level with it: not distinguishable from the one advised."
    return (
        f"{said} {wording.capital(wording.count(left, 'more action'))}: see Costs."
        if left
        else said
    )


def _action_row(action: UsableAction, form: Form, terms: actions.ActionTerms) -> ForestRow:
    difference = form.amount(action.difference, signed=True)
    interval = form.interval(action.low, action.high, signed=True)
    word, tone = _word_of(action)
    more = ", advised" if action.is_advised else ", level with it" * action.is_level
    ends = [None if x is None else -x for x in (action.difference, action.high, action.low)]
    return ForestRow(
        name=terms.briefly(action),
        difference=difference,
        interval=interval,
        word=f"{word}{more}",
        tone=tone,
        description=f"{terms.who(action)}: {difference} ({interval}), {word}",
        value=ends[0],
        low=ends[1],
        high=ends[2],
        is_strong=action.is_advised,
    )


def _word_of(action: UsableAction) -> tuple[str, Tone]:
    if action.high is not None and action.high < 0:
        return "Better", "good"
    if action.low is not None and action.low > 0:
        return "Worse", "bad"
    return "Not enough evidence", "neutral"


def _caption(index: Index, found: Conclusion, metric: MetricInfo, left: int) -> str:
    """What the forest shows: of what, at which level, adjusted for how many, on how many rows."""
    row = found.rows[0]
    level = wording.level(index.results.inference.level)
    adjusted = rows.adjustment_of(
        max(found.rows, key=lambda each: each.adjusted_for), are_others_bare=_has_bare(found.rows)
    )
    if rows.is_mixed(found.rows):
        adjusted += f" unless “{wording.NOT_ADJUSTED}” stands beside them"
    what = wording.lowered(wording.name(metric.label))
    size = wording.distance(metric)
    cases = wording.count(row.n, *index.main.case)
    if len(index.tests) > 1:
        cases += f" of dataset {wording.name(index.main.name, 40)} alone"
    baseline = wording.name(index.label(row.baseline), 40)
    weights = prevalence.weighted_to(index.results.config, index.main)
    said = (
        f"Difference from {baseline} in {size}{what}, with {level} confidence intervals (CI)"
        f"{f', {adjusted}' if adjusted else ''}; {cases}{f', {weights}' if weights else ''}."
    )
    off_by = max(index.off_by(each.key, each.candidate, each.baseline) for each in found.rows)
    if off_by:
        size = wording.off_by(off_by, metric.unit)
        said += f" Found from bins of values: off by {size} at most, which intervals include."
    if index.main.question is not None:
        said += f" Intervals are about {folds.question(index.main)}."
    if row.margin is not None:
        size = wording.margin_size(row.margin, metric)
        said += f" Shaded: less than {size}, too small to matter."
    if left > 0:
        said += f" {wording.capital(wording.count(left, 'other candidate'))}: see Basis."
    return said


def _has_bare(shown: Sequence[Judged]) -> bool:
    """Whether some comparisons have no interval, and the others are those that are adjusted for."""
    judged = [row for row in shown if (row.low, row.high) != (None, None)]
    return len(judged) < len(shown) and {row.adjusted_for for row in judged} == {len(judged)}


def _row(
    index: Index, found: Conclusion, row: Judged, form: Form, sign: float, *, is_mixed: bool
) -> ForestRow:
    label = wording.name(index.label(row.candidate), 40)
    difference = form.amount(row.difference, signed=True)
    interval = rows.limits(row, form) if row.difference is not None else ""
    if row.word == "Equivalent" and row.low is not None:
        interval = f"{rows.interval_of(row)}: {interval}"
    if is_mixed and row.adjusted_for == 0:
        interval = f"{interval}, {wording.NOT_ADJUSTED}"
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
    places = [*(side * (shown[0].margin or 0.0) for side in (-1.0, 1.0))]
    places += [turn * x for row in shown for x in (row.difference, row.low, row.high)
               if x is not None]  # fmt: skip
    return _ends(places)


def _ends(places: Iterable[float]) -> tuple[float, float]:
    """Zero and all places, with some room."""
    every = (0.0, *places)
    low, high = min(every), max(every)
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
    said = Form(decimals, unit).amount(value, signed=True)
    return said.replace(" points", "")
