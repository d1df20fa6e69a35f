"""The cheapest action at some costs of errors, shifts, and what they save."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.report import prose
from reportgen.report.prose.costs import (
    ALPHA,
    CostWording,
    describe_constant_gain,
    describe_costs_at,
    describe_saving,
    format_with_interval,
)
from reportgen.report.wording.names import join_list
from reportgen.report.wording.numbers import (
    choose_format,
    format_level,
    format_percent,
    format_ratio,
)
from reportgen.results.costs import CostDecision, CostOption, ShiftCost

FEASIBLE_METHODS = ("none", "fitted", "polynomial", "surface", "soft")
_MOST_METHODS = 3


def format_shift_method(name: str, degree: int = 0) -> str:
    """Name a way to shift, with the degree of a polynomial.

    >>> format_shift_method("polynomial", 2), format_shift_method("none")
    ('fitted polynomial, degree 2', 'uncorrected')
    """
    if not degree:
        return prose.term("shift", name)
    return prose.line("way.degree", method=name, degree=degree)


def find_cheapest_method(costs: Iterable[ShiftCost]) -> ShiftCost | None:
    """Find the way that costs least of those that can be put to use, by the estimates."""
    known = [
        each for each in costs if each.method in FEASIBLE_METHODS and each.cost.value is not None
    ]
    return min(known, key=method_cost, default=None)


def method_cost(option: CostOption | ShiftCost) -> float:
    """Return what it costs, to sort by."""
    return option.cost.value or 0.0


def describe_cheapest_method(option: CostOption | ShiftCost, terms: CostWording) -> str:
    """Name who with what, in a few words: for the title of a figure."""
    return prose.line("way.model", model=terms.label(option.model), method=option.method)


def describe_equal_methods(best: ShiftCost, costs: Iterable[ShiftCost], terms: CostWording) -> str:
    """List ways not separated from the cheapest, the next cheapest first; empty if none is."""
    ordered = sorted(_list_rivals(best, costs), key=method_cost)
    return join_list(
        [describe_cheapest_method(each, terms) for each in ordered], most=_MOST_METHODS
    )


def title_of_cheapest_method(costs: Sequence[ShiftCost], terms: CostWording) -> str:
    """Describe which way costs least at one asymmetry and what it is level with, for a figure.

    `is_short` where more follows: how many it is level with, not which.
    """
    best = find_cheapest_method(costs)
    if best is None:
        return ""
    rivals = _list_rivals(best, costs)
    return prose.line(
        "way.title",
        at=ALPHA.place(best.asymmetry),
        way=describe_cheapest_method(best, terms),
        count=len(rivals) if len(rivals) > 1 else 0,
        rival=describe_equal_methods(best, costs, terms),
    )


def describe_methods(costs: Sequence[ShiftCost], terms: CostWording) -> tuple[str, ...]:
    """Write the sentences of one asymmetry: the cheapest way, the best constant, rivals.

    Each follows from the interval of a paired difference.
    """
    best = find_cheapest_method(costs)
    if best is None:
        return ()
    cost, reach = format_with_interval(best.cost, terms.money)
    rivals = describe_equal_methods(best, costs, terms)
    is_baseline = best.model == terms.baseline and best.method == "none"
    is_saving = terms.baseline is not None and not is_baseline and best.saving.value is not None
    saved, saved_limits = format_with_interval(best.saving, terms.money)
    first = prose.line(
        "way.cheapest",
        at=ALPHA.place(best.asymmetry),
        way=describe_cheapest_method(best, terms),
        cost=cost,
        per=terms.per,
        level=format_level(terms.level),
        limits=reach,
        baseline=terms.label(terms.baseline) if is_saving else "",
        saved=saved if is_saving and best.saving.is_above_zero else "",
        saved_limits=saved_limits,
    )
    second = prose.line("way.rivals", rivals=rivals) if rivals else ""
    return tuple(filter(None, (first, _against_best(best, terms), second)))


def _list_rivals(best: ShiftCost, costs: Iterable[ShiftCost]) -> list[ShiftCost]:
    known = [
        each for each in costs if each.method in FEASIBLE_METHODS and each.cost.value is not None
    ]
    return [each for each in known if each is not best and not each.excess.is_above_zero]


def _against_best(best: ShiftCost, terms: CostWording) -> str:
    gap = best.gap
    if gap.is_below_zero or gap.is_above_zero:
        size = gap.opposite if gap.is_below_zero else gap
        value, reach = format_with_interval(size, terms.money)
        return prose.line("way.against_best", value=value, is_less=gap.is_below_zero, limits=reach)
    form = choose_format(gap.value, gap.low, gap.high, terms.money, (0.0,))
    reach = form.plain_interval(gap.low, gap.high, signed=True)
    value = form.amount(gap.value, signed=True)
    return prose.line("way.level_with_best", value=value, limits=reach)


def describe_cheapest(options: Sequence[CostOption], terms: CostWording) -> str:
    """Describe which option costs least at one asymmetry, with what it saves and what is level.

    `options` are all that can be put to use. All savings are against the baseline as it is.
    Empty where there is no model in use, or no ratio of costs.
    """
    if terms.baseline is None or not terms.axis.has_ratio or not options:
        return ""
    if terms.is_alone and len(options) == 1:
        return prose.line("option.only", model=terms.label(terms.baseline))
    cheapest = next(each for each in options if each.excess.value == 0)
    level = [each for each in options if not each.is_distinguishable and each is not cheapest]
    is_baseline = cheapest.model == terms.baseline and cheapest.method == "none"
    saved, limits = _format_saving(cheapest, terms)
    return prose.line(
        "option.cheapest",
        ratio="" if terms.is_by_row else format_ratio(cheapest.asymmetry),
        option=_describe_model(cheapest, terms, options),
        saved="" if is_baseline else saved,
        per=terms.per if terms.is_priced else "",
        baseline="" if is_baseline else terms.label(terms.baseline),
        limits=limits,
        rivals=[_describe_model(each, terms, options) for each in sorted(level, key=method_cost)],
    )


def _describe_model(option: CostOption, terms: CostWording, options: Sequence[CostOption]) -> str:
    """Name a model, with what is done to its scores where there is a choice of it."""
    is_plain = all(each.method == "none" for each in options)
    return terms.label(option.model) if is_plain else describe_cheapest_method(option, terms)


def _format_saving(option: CostOption, terms: CostWording) -> tuple[str, str]:
    """Format what an option saves, with its interval; "" where the data cannot tell.

    It is money where errors have a price, else a share of the loss.
    """
    if not option.saving.is_above_zero:
        return "", ""
    if terms.is_priced:
        return format_with_interval(option.saving, terms.money)
    share = option.saving_share
    value = format_percent(share.value)
    if share.low is None:  # as where the cost of the baseline may be nothing
        return value, ""
    low, high = format_percent(share.low), format_percent(share.high)
    return value, prose.line("stretch.ends", low=low, high=high)


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
    level, best = format_level(terms.level), terms.label(plain.best)
    if terms.is_alone:
        return prose.line(
            "cost.alone",
            model=best,
            quantity=terms.quantity,
            cost=cost,
            per=terms.per,
            level=level,
            limits=reach,
        )
    if is_told:
        return prose.line("cost.said", cost=cost, per=terms.per, level=level, limits=reach)
    return prose.line(
        "cost.of_models",
        model=best,
        quantity=terms.quantity,
        cost=cost,
        per=terms.per,
        level=level,
        limits=reach,
    )
