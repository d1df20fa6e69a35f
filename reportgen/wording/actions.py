"""The best action in words: what to do, what it saves, what is level with it, what is not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor, log10

from reportgen.results import IntervalEstimate
from reportgen.results.conclusion import BestAction, Total, UsableAction
from reportgen.wording.names import Case, listed, name
from reportgen.wording.numbers import Form, count, form_of, level

CORRECTIONS: Mapping[str, str] = {
    "none": "unadjusted",
    "fitted": "with a fitted constant",
    "polynomial": "with a fitted polynomial correction",
    "surface": "with a fitted correction by score and cost ratio",
    "soft": "corrected by its own predictive distribution",
}
BRIEFLY: Mapping[str, str] = {
    "none": "unadjusted",
    "fitted": "fitted constant",
    "polynomial": "fitted polynomial",
    "surface": "fitted by score and ratio",
    "soft": "own distribution",
}
NOT_TRIED = (
    "No fitted correction was tried, for want of other rows to fit one on: one might be cheaper "
    "still."
)


@dataclass(frozen=True)
class ActionTerms:
    """What is shared by the sentences of one report: names, the money, the noun of a row."""

    labels: Mapping[str, str]
    baseline: str
    money: str
    case: Case
    target: str = ""

    @property
    def unit(self) -> str:
        """Money per row."""
        return f"{self.money} per {name(self.case[0])}"

    def briefly(self, action: UsableAction) -> str:
        """The same in the fewest words, for a row."""
        return f"{self.labels[action.model]}, {BRIEFLY[action.method]}"

    def who(self, action: UsableAction | BestAction) -> str:
        """A model with its correction."""
        return f"{self.labels[action.model]} {CORRECTIONS[action.method]}"


def answers(
    action: BestAction, labels: Mapping[str, str], baseline: str, *, helps: bool
) -> list[str]:
    """What to do, in ever fewer words; `helps` says whether a constant would, in hindsight."""
    model, base = labels[action.model], labels[baseline]
    if not action.is_tried:
        first = f"{'Keep' if action.is_today else 'Use'} {model}"
        known = "a constant could help it, but none was fitted" if helps else (
            "a constant is not shown to help it, other corrections are untried"
        )  # fmt: skip
        return [f"{first}; {known}.", f"{first}; corrections are untried.", f"{first}."]
    if action.is_today:
        return [f"Keep {base} as it is: nothing that can be put to use is shown cheaper.",
                f"Keep {base} as it is."]  # fmt: skip
    if action.model == baseline:
        how = CORRECTIONS[action.method]
        return [f"Keep {base} and correct its scores, {how}.", f"Keep {base} {how}.",
                f"Keep {base} and correct its scores."]  # fmt: skip
    if action.method == "none":
        return [f"Use {model} as it is, which is cheaper than {base}.", f"Use {model} as it is.",
                f"Use {model}."]  # fmt: skip
    how = CORRECTIONS[action.method]
    return [f"Use {model} {how}: cheaper than {base} as it is.", f"Use {model} {how}.",
            f"Use {model} and correct its scores."]  # fmt: skip


def sentence(action: BestAction, terms: ActionTerms, total: Total | None = None) -> str:
    """What it costs beside what is done today, over all rows too, and what is level with it."""
    form = form_of_difference(action, terms)
    if action.is_today:
        cost = form.amount(action.cost)
        return f"{terms.who(action)} costs {cost}; no other action is shown to cost less."
    interval = f"{level(action.level)} CI {_interval(action, form)}"
    of = f", adjusted for all {action.options} usable actions" if action.options > 2 else ""
    return (
        f"{terms.who(action)} costs {_short(form).amount(action.cost)} against "
        f"{_short(form).amount(action.today)} for {terms.labels[terms.baseline]} unadjusted, a "
        f"difference of {difference_of(action, terms)} ({interval}{of})."
        f"{_total(total, terms)}{_level(action, terms)}"
    )


def difference_of(action: BestAction, terms: ActionTerms) -> str:
    """By how much it costs more or less than the baseline as it is."""
    saving = action.saving
    form = form_of_difference(action, terms)
    return form.amount(None if saving is None else -saving, signed=True)


def form_of_difference(action: BestAction, terms: ActionTerms) -> Form:
    """Decimals at which both costs subtract to the difference, in money per row."""
    form = form_of(action.saving, action.low, action.high, terms.unit)
    if action.cost is None or action.today is None or not action.saving:
        return form
    least = max(form.decimals, 1 - floor(log10(abs(action.saving))), 0)  # two digits that count
    for decimals in range(least, least + 3):
        cost, today, saving = (round(x, decimals) for x in
                               (action.cost, action.today, action.saving))  # fmt: skip
        if abs(today - cost - saving) < 10.0**-decimals / 2:
            break
    return replace(form, decimals=decimals, least=0)


def beside_best(gap: IntervalEstimate, terms: ActionTerms) -> str:
    """What it costs not to know the best constant for these rows: `gap` over it, per row."""
    if gap.value is None:
        return ""
    form = form_of(gap.value, gap.low, gap.high, terms.unit, (0.0,))
    if gap.is_below_zero:
        more = gap.negated
        return (
            "Even the best constant for these rows, known only in hindsight, would cost "
            f"{form.amount(more.value)} more ({form.interval(more.low, more.high)}) than the "
            "correction advised."
        )
    interval = form.interval(gap.low, gap.high)
    if gap.is_above_zero:
        return (
            "Not to know the best constant for these rows beforehand costs "
            f"{form.amount(gap.value)} ({interval})."
        )
    return (
        "It is not shown to cost more than the best constant for these rows, known only in "
        f"hindsight: {form.amount(gap.value, signed=True)} ({interval})."
    )


def hindsight(
    action: BestAction, constant: IntervalEstimate, saved: IntervalEstimate, terms: ActionTerms
) -> str:
    """The best constant for these rows, and what it would save of one model's cost per row."""
    if constant.value is None or saved.value is None:
        return ""
    form = form_of(constant.value, constant.low, constant.high, terms.target)
    money = replace(form_of(saved.value, saved.low, saved.high, terms.unit), least=0)
    known = f" ({level(action.level)} CI {form.interval(constant.low, constant.high, signed=True)})"
    amount, within = money.amount(saved.value), money.interval(saved.low, saved.high, signed=True)
    saves = f"it would save {amount} ({within})"
    if not saved.is_above_zero:
        saves = f"that it would save anything is not shown: {amount} ({within})"
    return (
        f"In hindsight, the best constant to add to {terms.labels[action.model]} on these rows is "
        f"{form.amount(constant.value, signed=True)}{known}; {saves}."
    )


def _short(form: Form) -> Form:
    """Without the noun of a row, which the difference has."""
    return replace(form, unit=form.unit.partition(" per ")[0])


def _interval(action: BestAction, form: Form) -> str:
    low, high = (None if x is None else -x for x in (action.high, action.low))
    return form.interval(low, high, signed=True)


def _total(total: Total | None, terms: ActionTerms) -> str:
    if total is None or total.value is None:
        return ""
    form = form_of(total.value, total.low, total.high, terms.money)
    said = f" Over these {count(total.cases)} {name(terms.case[1])} that comes to about"
    interval = form.interval(total.low, total.high, signed=True)
    return f"{said} {form.amount(total.value, signed=True)} ({interval})."


def _level(action: BestAction, terms: ActionTerms) -> str:
    others = [f"{terms.labels[model]} {CORRECTIONS[method]}" for model, method in action.level_with]
    if not others:
        return ""
    return f" Not distinguishable from the cheapest: {listed(others, 3)}."
