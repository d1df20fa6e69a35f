"""The cheapest action at some costs of errors, shifts, and what they save."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.report.wording.costs import (
    ALPHA,
    CostWording,
    describe_constant_gain,
    describe_costs_at,
    describe_saving,
    format_ratio,
    format_with_interval,
)
from reportgen.report.wording.names import join_list
from reportgen.report.wording.numbers import (
    choose_format,
    format_level,
    format_percent,
)
from reportgen.results.costs import CostDecision, CostOption, ShiftCost

SHIFT_METHODS = {
    "none": "as it is",
    "optimal": "best constant",
    "fitted": "fitted constant",
    "polynomial": "fitted polynomial",
    "surface": "polynomial with α",
    "soft": "own density",
}
FEASIBLE_METHODS = tuple(method for method in SHIFT_METHODS if method != "optimal")
FLATTERED_NOTE = (
    "Shifts were fitted on ids that they are judged on: what a fitted shift saves is flattered as "
    "far as their rows are alike."
)
_MOST_METHODS = 3


def format_shift_method(name: str, degree: int = 0) -> str:
    """A way to shift, with the degree of a polynomial.

    >>> format_shift_method("polynomial", 2), format_shift_method("none")
    ('fitted polynomial, degree 2', 'as it is')
    """
    return f"{SHIFT_METHODS[name]}, degree {degree}" if degree else SHIFT_METHODS[name]


def find_cheapest_method(costs: Iterable[ShiftCost]) -> ShiftCost | None:
    """The way that costs least of those that can be put to use, by the estimates."""
    known = [
        each for each in costs if each.method in FEASIBLE_METHODS and each.cost.value is not None
    ]
    return min(known, key=method_cost, default=None)


def method_cost(option: CostOption | ShiftCost) -> float:
    """Return what it costs, to sort by."""
    return option.cost.value or 0.0


def describe_cheapest_method(option: CostOption | ShiftCost, terms: CostWording) -> str:
    """Who with what, in a few words: for the title of a figure."""
    how = " as it is" if option.method == "none" else f" with its {SHIFT_METHODS[option.method]}"
    return f"{terms.label(option.model)}{how}"


def describe_equal_methods(best: ShiftCost, costs: Iterable[ShiftCost], terms: CostWording) -> str:
    """Ways not separated from the cheapest, the next cheapest first; empty if none is."""
    ordered = sorted(_list_rivals(best, costs), key=method_cost)
    return join_list(
        [describe_cheapest_method(each, terms) for each in ordered], most=_MOST_METHODS
    )


def title_of_cheapest_method(
    costs: Sequence[ShiftCost], terms: CostWording, *, is_short: bool = False
) -> str:
    """Describe which way costs least at one asymmetry and what it is level with, for a figure.

    `is_short` where more follows: how many it is level with, not which.
    """
    best = find_cheapest_method(costs)
    if best is None:
        return ""
    rivals, many = describe_equal_methods(best, costs, terms), len(_list_rivals(best, costs))
    if is_short and many > 1:
        rivals = f"{many} other ways"
    level_too = f"; the data cannot tell it apart from {rivals}" if rivals else ""
    at = ALPHA.place(best.asymmetry)
    return f"at {at} {describe_cheapest_method(best, terms)} costs least{level_too}"


def describe_methods(costs: Sequence[ShiftCost], terms: CostWording) -> tuple[str, ...]:
    """Sentences of one asymmetry: the cheapest way, its rivals, and the best constant next to it.

    Each follows from the interval of a paired difference.
    """
    best = find_cheapest_method(costs)
    if best is None:
        return ()
    cost, reach = format_with_interval(best.cost, terms.money)
    rivals = describe_equal_methods(best, costs, terms)
    first = (
        f"At {ALPHA.place(best.asymmetry)}, of the ways that can be put to use "
        f"{describe_cheapest_method(best, terms)} costs least: {cost} {terms.per} "
        f"({format_level(terms.level)} interval {reach}){_format_saving(best, terms)}."
    )
    second = f"The data cannot tell it apart from {rivals}." if rivals else ""
    return tuple(filter(None, (first, _against_best(best, terms), second)))


def _list_rivals(best: ShiftCost, costs: Iterable[ShiftCost]) -> list[ShiftCost]:
    known = [
        each for each in costs if each.method in FEASIBLE_METHODS and each.cost.value is not None
    ]
    return [each for each in known if each is not best and not each.excess.is_above_zero]


def _format_saving(best: ShiftCost, terms: CostWording) -> str:
    """Return what the way saves against the baseline as it is."""
    is_baseline = best.model == terms.baseline and best.method == "none"
    if terms.baseline is None or is_baseline or best.saving.value is None:
        return ""
    baseline = terms.label(terms.baseline)
    if not best.saving.is_above_zero:
        return f"; the data cannot tell whether that is less than {baseline} as it is"
    value, reach = format_with_interval(best.saving, terms.money)
    return f", {value} less than {baseline} as it is ({reach})"


def _against_best(best: ShiftCost, terms: CostWording) -> str:
    gap, than = best.gap, "the best constant for these rows, which nobody knows beforehand"
    if gap.is_below_zero:
        value, reach = format_with_interval(gap.opposite, terms.money)
        return f"That is {value} less than with {than} ({reach})."
    if gap.is_above_zero:
        value, reach = format_with_interval(gap, terms.money)
        return f"That is {value} more than with {than} ({reach})."
    form = choose_format(gap.value, gap.low, gap.high, terms.money, (0.0,))
    reach = form.interval(gap.low, gap.high, signed=True)
    return (
        f"The data cannot tell its cost from that with {than}: the difference is "
        f"{form.amount(gap.value, signed=True)} ({reach})."
    )


_MOST_MODELS = 3  # actions that are named


def describe_cheapest(options: Sequence[CostOption], terms: CostWording) -> str:
    """Describe which option costs least at one asymmetry, with what it saves and what is level.

    `options` are all that can be put to use. All savings are against the baseline as it is.
    Empty where there is no model in use, or no ratio of costs.
    """
    if terms.baseline is None or not terms.axis.has_ratio or not options:
        return ""
    if terms.is_alone and len(options) == 1:
        return f"{terms.label(terms.baseline)} is the only model."
    cheapest = next(each for each in options if each.excess.value == 0)
    at = "each row's own costs" if terms.is_by_row else format_ratio(cheapest.asymmetry)
    name = _describe_model(cheapest, terms, options)
    said = f"Cheapest at {at}: {name}{_describe_saving(cheapest, terms)}."
    level = [each for each in options if not each.is_distinguishable and each is not cheapest]
    others = sorted(level, key=method_cost)
    rest = join_list([_describe_model(each, terms, options) for each in others], most=_MOST_MODELS)
    return f"{said} The data cannot tell it apart from {rest}." if rest else said


def _describe_model(option: CostOption, terms: CostWording, options: Sequence[CostOption]) -> str:
    """A model, with what is done to its scores where there is a choice of it."""
    is_plain = all(each.method == "none" for each in options)
    return terms.label(option.model) if is_plain else describe_cheapest_method(option, terms)


def _describe_saving(option: CostOption, terms: CostWording) -> str:
    """Return what an option saves: money where errors have a price, else a share of the loss."""
    if option.model == terms.baseline and option.method == "none":
        return ""
    baseline = terms.label(terms.baseline)
    if not option.saving.is_above_zero:
        return f"; the data cannot tell whether it costs less than {baseline} as it is"
    if terms.is_priced:
        value, reach = format_with_interval(option.saving, terms.money)
        return f", {value} {terms.per} less than {baseline} ({reach})"
    share = option.saving_share
    value = format_percent(share.value)
    if share.low is None:  # as where the cost of the baseline may be nothing
        return f", {value} less than {baseline}"
    ends = f"{format_percent(share.low)} to {format_percent(share.high)}"
    return f", {value} less than {baseline} ({ends})"


def list_cost_details(
    options: Sequence[CostOption], plain: CostDecision, shifted: CostDecision, terms: CostWording
) -> list[str]:
    """List the sentences after the cheapest; its saving is not repeated."""
    cheapest = next(each for each in options if each.excess.value == 0)
    is_described = cheapest.method == "none" and cheapest.model == plain.best
    saving = "" if is_described else describe_saving(plain, terms)
    return [
        f"{describe_costs_at(plain, terms)}.",
        _format_cost(plain, terms, is_described),
        saving,
        describe_constant_gain(plain, shifted, terms),
    ]


def _format_cost(plain: CostDecision, terms: CostWording, is_told: bool) -> str:
    cost, reach = format_with_interval(plain.cheapest.cost, terms.money)
    amount = f"{cost} {terms.per} ({format_level(terms.level)} interval {reach})"
    best = terms.label(plain.best)
    if terms.is_alone:
        return f"As it is, {best} has an expected {terms.quantity} of {amount}."
    if is_told:
        return f"That is {amount}, the lowest of the models as they are."
    return f"Of the models as they are, {best} has the lowest expected {terms.quantity}: {amount}."
