"""Points to be read with care, each a title and a sentence or two made of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import ColumnProfile, Deletion, MetricInfo, Warning
from reportgen.results.conclusion import BestAction, Care, Judged
from reportgen.wording.answers import phrase_of
from reportgen.wording.asymmetries import ratio
from reportgen.wording.few_rows import FEW
from reportgen.wording.names import ROWS, Case, capital, listed, lowered, name
from reportgen.wording.numbers import count, percent, plain_form
from reportgen.wording.plainly import briefly, consequence
from reportgen.wording.rows import limits, row_form
from reportgen.wording.warnings import heading
from reportgen.wording.warnings import warning as warning_text

Told = tuple[MetricInfo, Judged]


def contradiction(
    model: tuple[str, str],
    metric: MetricInfo,
    worse: Told,
    tied: ColumnProfile | None,
    acts: Sequence[Told],
) -> Care:
    """A model that is better on the primary metric alone: worse on another of its kind."""
    label = name(model[1], 40)
    title = f"Do not pick {label} on {lowered(name(metric.label))} alone."
    lines = []
    if tied is not None:
        lines.append(f"{_tied(tied)}, and {_forgives(metric)}.")
    lead = "With ties counted as half it is worse" if tied is not None else "It is worse"
    lines.append(f"{lead} on {lowered(name(worse[0].label))}: {_values(worse)}.")
    lines += [f"It is worse on {phrase_of(act[0])} too: {_difference(act)}." for act in acts
              if act[0].key != worse[0].key]  # fmt: skip
    return Care("contradicted", title, (" ".join(lines)), model[0], is_forced=True)


def ties(
    label: str, model: str, tied: ColumnProfile, metric: MetricInfo, half: Told | None
) -> Care:
    """A score with many tied pairs, beside its value with ties counted as half."""
    title = f"{name(label, 40)} leaves many pairs tied."
    text = f"{_tied(tied)}, and {_forgives(metric)}."
    if half is not None:
        text += f" With ties counted as half: {lowered(name(half[0].label))} {_values(half)}."
    else:
        text += " No metric of this report counts a tied pair as half; `regression_auc` would."
    return Care("W102", title, (text), model, is_forced=True)


def together(forced: Sequence[Care]) -> Care:
    """Many forced points as one."""
    names = listed([care.title.split(" on ")[0].removeprefix("Do not pick ") for care in forced], 4)
    text = (
        f"{count(len(forced), 'model')} with a better value on the primary metric are worse on "
        "another metric of the same kind, or leave many pairs tied."
    )
    return Care(
        "contradicted", f"Better on this metric only: {names}.", (text), None, is_forced=True
    )


def warning(found: Warning, metric: str, model: str, case: Case = ROWS) -> Care:
    """A coded warning in one line; `metric` and `model` as they are written."""
    text = briefly(found.code, found.numbers, case) if found.numbers else (
        found.text or warning_text(found.code, {}, case)
    )  # fmt: skip
    subject = " of ".join(filter(None, (metric, model)))
    said = f"{subject}: {text[:1].lower()}{text[1:]}" if subject else text
    more = consequence(found.code, case)
    title = f"{capital(heading(found.code))}."
    return Care(found.code, title, (" ".join(filter(None, (said, more)))), found.model)


def of_others(names: Sequence[str], *, has_baseline: bool = False) -> str:
    """That more models have the same warning, the baseline's name first; "" where none has.

    >>> of_others(["In use (0.123)"], has_baseline=True), of_others(["a", "b", "c"])
    (' In use (0.123) has this warning too.', ' 3 other models have this warning too.')
    """
    if not names:
        return ""
    if len(names) <= 2:
        return f" {listed(list(names))} {'has' if len(names) == 1 else 'have'} this warning too."
    among = f", {names[0]} among them" if has_baseline else ""
    return f" {count(len(names), 'other model')} have this warning too{among}."


def one_ratio(advised: BestAction) -> Care:
    """That the costs of all actions are told at one ratio."""
    text = (
        f"All costs are at {ratio(advised.asymmetry)}, too low to too high. At another ratio "
        "another action may be the cheapest."
    )
    return Care("one ratio", "One ratio only.", text, advised.model)


def borderline(sets: Sequence[Deletion], case: tuple[str, str], told: Told, label: str) -> str:
    """What removing very few rows makes of the result; "" where more than five are needed."""
    few = [d for d in sets if d.rows <= FEW and d.verdict is not None]
    moved = [d for d in few if d.is_changed or d.is_stronger]
    if not moved:
        return ""
    least = min(moved, key=lambda d: d.rows)
    there = count(least.rows, *case)
    metric, row = told
    after = _word(least.verdict, has_margin=row.margin is not None)
    return (
        f"Without {there} the result of {name(label, 40)} on {phrase_of(metric)} would be "
        f"“{after}”, not “{row.word}”."
    )


def top(text: str, model: str, level: str) -> Care:
    """A bias that is shown where the scores are highest."""
    return Care("top", "Biased at the top.", f"{text}, {level} CI of this group alone.", model)


def method(model: str) -> Care:
    """A verdict that another method does not share."""
    text = "Another way of making the interval gives another conclusion."
    return Care("method", "The result depends on the interval method.", text, model)


def reversal(segments: Sequence[str], model: str) -> Care:
    """Segments in which the result is the opposite."""
    where = listed(list(segments), 3)
    return Care("reversed", "The result reverses.", f"The opposite is shown for {where}.", model)


def _word(verdict: str | None, *, has_margin: bool) -> str:
    """What page one calls the verdict of a removal."""
    size = "; size unclear" if has_margin else ""
    return {
        "better": f"Better{size}",
        "worse": f"Worse{size}",
        "better beyond the margin": "Better",
        "worse beyond the margin": "Worse",
        "not worse": "Non-inferior",
        "inconclusive": "Not enough evidence",
    }.get(verdict or "", capital(verdict or ""))


def _tied(tied: ColumnProfile) -> str:
    if tied.mode_share is not None and tied.mode is not None and tied.mode_share > 0.2:
        value = plain_form(tied.mode).number(tied.mode)
        value = "zero" if tied.mode == 0 else value
        return f"{percent(tied.mode_share)} of its scores are {value}"
    return f"{percent(tied.tied_pairs)} of the pairs of its scores are tied"


def _forgives(metric: MetricInfo) -> str:
    return f"{lowered(name(metric.label))} forgives the pairs that a score leaves tied"


def _values(told: Told) -> str:
    metric, row = told
    form = row_form([row], metric.unit, has_values=False)
    return f"{form.amount(row.value)}, the baseline {form.amount(row.baseline_value)}"


def _difference(told: Told) -> str:
    metric, row = told
    form = row_form([row], metric.unit)
    return f"{form.amount(row.difference, signed=True)} ({limits(row, form)})"
