"""Ways to choose a shift, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.results import CostOption, ShiftCost
from reportgen.wording.asymmetries import ALPHA
from reportgen.wording.costs import CostTerms, quoted
from reportgen.wording.names import listed
from reportgen.wording.numbers import form_of, level

METHODS = {
    "none": "as it is",
    "optimal": "best constant",
    "fitted": "fitted constant",
    "polynomial": "fitted polynomial",
    "surface": "polynomial with α",
    "soft": "own density",
}
FEASIBLE = tuple(method for method in METHODS if method != "optimal")
FITTED = ("fitted", "polynomial", "surface")
FLATTERED = (
    "Shifts were fitted on ids that they are judged on: what a fitted shift saves is flattered as "
    "far as their rows are alike."
)
_MOST = 3


def method(name: str, degree: int = 0) -> str:
    """A way to shift, with the degree of a polynomial.

    >>> method("polynomial", 2), method("none")
    ('fitted polynomial, degree 2', 'as it is')
    """
    return f"{METHODS[name]}, degree {degree}" if degree else METHODS[name]


def cheapest(costs: Iterable[ShiftCost]) -> ShiftCost | None:
    """The way that costs least of those that can be put to use, by the estimates."""
    known = [each for each in costs if each.method in FEASIBLE and each.cost.value is not None]
    return min(known, key=by_cost, default=None)


def by_cost(option: CostOption | ShiftCost) -> float:
    """What it costs, to sort by."""
    return option.cost.value or 0.0


def cheapest_way(option: CostOption | ShiftCost, terms: CostTerms) -> str:
    """Who with what, in a few words: for the title of a figure."""
    how = " as it is" if option.method == "none" else f" with its {METHODS[option.method]}"
    return f"{terms.label(option.model)}{how}"


def level_with(best: ShiftCost, costs: Iterable[ShiftCost], terms: CostTerms) -> str:
    """The ways that are not told from the cheapest, the next cheapest first; empty if none is."""
    ordered = sorted(_rivals(best, costs), key=by_cost)
    return listed([cheapest_way(each, terms) for each in ordered], most=_MOST)


def least_title(costs: Sequence[ShiftCost], terms: CostTerms, *, is_short: bool = False) -> str:
    """Which way costs least at one asymmetry and what it is level with, for a figure.

    `is_short` where more follows: how many it is level with, not which.
    """
    best = cheapest(costs)
    if best is None:
        return ""
    rivals, many = level_with(best, costs, terms), len(_rivals(best, costs))
    if is_short and many > 1:
        rivals = f"{many} other ways"
    level_too = f", not distinguishable from {rivals}" if rivals else ""
    at = ALPHA.place(best.asymmetry)
    return f"at {at} {cheapest_way(best, terms)} costs least{level_too}"


def ways(costs: Sequence[ShiftCost], terms: CostTerms) -> tuple[str, ...]:
    """Sentences of one asymmetry: the cheapest way, its rivals, and the best constant beside it.

    Each follows from the interval of a paired difference.
    """
    best = cheapest(costs)
    if best is None:
        return ()
    cost, reach = quoted(best.cost, terms.money)
    rivals = level_with(best, costs, terms)
    first = (
        f"At {ALPHA.place(best.asymmetry)}, of the ways that can be put to use "
        f"{cheapest_way(best, terms)} costs least: {cost} {terms.per} "
        f"({level(terms.level)} interval {reach}){_saving(best, terms)}."
    )
    second = f"Not distinguishable from it: {rivals}." if rivals else ""
    return tuple(filter(None, (first, _against_best(best, terms), second)))


def _rivals(best: ShiftCost, costs: Iterable[ShiftCost]) -> list[ShiftCost]:
    known = [each for each in costs if each.method in FEASIBLE and each.cost.value is not None]
    return [each for each in known if each is not best and not each.excess.is_above_zero]


def _saving(best: ShiftCost, terms: CostTerms) -> str:
    """What the way saves against the baseline as it is."""
    is_baseline = best.model == terms.baseline and best.method == "none"
    if terms.baseline is None or is_baseline or best.saving.value is None:
        return ""
    baseline = terms.label(terms.baseline)
    if not best.saving.is_above_zero:
        return f", which is not shown to be less than {baseline} as it is"
    value, reach = quoted(best.saving, terms.money)
    return f", {value} less than {baseline} as it is ({reach})"


def _against_best(best: ShiftCost, terms: CostTerms) -> str:
    gap, than = best.gap, "the best constant for these rows, which nobody knows beforehand"
    if gap.is_below_zero:
        value, reach = quoted(gap.negated, terms.money)
        return f"That is {value} less than with {than} ({reach})."
    if gap.is_above_zero:
        value, reach = quoted(gap, terms.money)
        return f"That is {value} more than with {than} ({reach})."
    form = form_of(gap.value, gap.low, gap.high, terms.money, (0.0,))
    reach = form.interval(gap.low, gap.high, signed=True)
    return (
        f"Its cost is not distinguishable from that with {than}: the difference is "
        f"{form.amount(gap.value, signed=True)} ({reach})."
    )
