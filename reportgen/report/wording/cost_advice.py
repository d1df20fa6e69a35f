"""Advice on costs: actions, shifts, and what they save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reportgen.report.wording.costs import (
    ALPHA,
    LOSSES,
    CostWording,
    describe_constant,
    describe_constant_gain,
    describe_costs_at,
    describe_saving,
    format_times,
    format_with_interval,
)
from reportgen.report.wording.names import join_list
from reportgen.report.wording.numbers import (
    add_unit,
    choose_format,
    format_level,
    format_percent,
    has_unit,
)
from reportgen.results.costs import CostDecision, CostOption, CostRange, IntervalEstimate, ShiftCost

SHIFT_METHODS = {
    "none": "as it is",
    "optimal": "best constant",
    "fitted": "fitted constant",
    "polynomial": "fitted polynomial",
    "surface": "polynomial with α",
    "soft": "own density",
}
FEASIBLE_METHODS = tuple(method for method in SHIFT_METHODS if method != "optimal")
FITTED = ("fitted", "polynomial", "surface")
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
    level_too = f", not distinguishable from {rivals}" if rivals else ""
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
    second = f"Not distinguishable from it: {rivals}." if rivals else ""
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
        return f", which is not shown to be less than {baseline} as it is"
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
        f"Its cost is not distinguishable from that with {than}: the difference is "
        f"{form.amount(gap.value, signed=True)} ({reach})."
    )


_WORTH = 0.01  # of a cost: what brings less than that is not worth a line of advice
_MOST_MODELS = 3  # actions that are named


def advise(
    options: Sequence[CostOption],
    terms: CostWording,
    ranges: Sequence[CostRange],
    shifted: CostDecision | None = None,
    is_drawn: bool = False,
) -> str:
    """Say whether to change what is done at one asymmetry, and what it brings.

    Also for which cost ratios that holds.

    `options` are all that can be put to use, of which the analysis advises one: nothing is changed
    while what is done is among those not separated from the cheapest. All savings are against the
    baseline as it is. `shifted` is the cheapest model with the best constant for these rows. Where
    a figure next to it has the cost ratios (`is_drawn`), they are not said again. Empty where there
    is no model in use, or no ratio of costs.
    """
    advised = next((each for each in options if each.is_advised), None)
    if terms.baseline is None or not terms.axis.has_ratio or advised is None:
        return ""
    cheapest = next(each for each in options if each.excess.value == 0)
    said = (
        _explain_no_change(advised, cheapest, options, terms)
        if _is_today(advised, terms)
        else _describe_change(advised, cheapest, options, terms, ranges, is_drawn)
    )
    return f"{said} {_describe_learnable_saving(advised, options, shifted, terms)}".strip()


def _is_today(option: CostOption, terms: CostWording) -> bool:
    return option.model == terms.baseline and option.method == "none"


def _explain_no_change(
    today: CostOption, cheapest: CostOption, options: Sequence[CostOption], terms: CostWording
) -> str:
    """Why nothing is changed."""
    baseline = terms.label(terms.baseline)
    if terms.is_alone and len(options) == 1:
        return f"Nothing is compared: {baseline} is the only model."
    if _is_today(cheapest, terms):
        same = [o for o in options if o is not cheapest and _is_nothing(o.excess)]
        if same:
            return f"Keep {baseline}: {_describe_model(same[0], terms, options)} costs the same."
        if len(options) > len({option.model for option in options}):
            return f"Keep {baseline} as it is: nothing else that can be put to use is cheaper."
        return f"Keep {baseline}: no other model is cheaper as it is."
    return (
        f"Keep {baseline} for now: {_describe_model(cheapest, terms, options)} came out "
        "cheaper, but with "
        f"{terms.describe_allowance(today.asymmetry)} allowed for, it may have been chance."
    )


def _describe_change(
    advised: CostOption,
    cheapest: CostOption,
    options: Sequence[CostOption],
    terms: CostWording,
    ranges: Sequence[CostRange],
    is_drawn: bool,
) -> str:
    """Describe what to do instead, what it brings, where that holds, and what is level with it."""
    baseline, model = terms.label(terms.baseline), terms.label(advised.model)
    reach = ""
    if advised.method == "none":
        pair = ("none", advised.model, terms.baseline)
        own = [r for r in ranges if (r.shift, r.candidate, r.baseline) == pair]
        reach = _reach(advised.asymmetry, own, terms, (baseline, model), is_drawn)
    said = f"{_act(advised, terms)}{_format_gain(advised, terms, baseline)}"
    return " ".join(filter(None, (said, reach, _advice_level(advised, cheapest, options, terms))))


def _act(option: CostOption, terms: CostWording) -> str:
    """An option as what to do."""
    model, baseline = terms.label(option.model), terms.label(terms.baseline)
    is_kept = option.model == terms.baseline
    if option.method == "none":
        return f"Use {model} in place of {baseline}"
    if option.method == "fitted":
        constant = f"{describe_constant(option.constant, terms)[0]}, as fitted on other rows"
        return (
            f"Keep {model}, {constant}"
            if is_kept
            else (f"Use {model} in place of {baseline}, {constant}")
        )
    how = f"with its {SHIFT_METHODS[option.method]}"
    return f"Keep {model}, but {how}" if is_kept else f"Use {model} {how} in place of {baseline}"


def _advice_level(
    advised: CostOption, cheapest: CostOption, options: Sequence[CostOption], terms: CostWording
) -> str:
    """Return which other options are not separated from the cheapest."""
    level = [each for each in options if not each.is_distinguishable]
    others = sorted((o for o in level if o is not advised and o is not cheapest), key=method_cost)
    rest = join_list([_describe_model(each, terms, options) for each in others], most=_MOST_MODELS)
    if advised is cheapest:
        return f"Its cost is not distinguishable from that of {rest}." if rest else ""
    too = f"; nor is {rest} distinguishable from it" if rest else ""
    return (
        f"{_describe_model(cheapest, terms, options)} came out cheapest, but is not shown to "
        "cost less than "
        f"that, and changes more{too}."
    )


def _describe_model(option: CostOption, terms: CostWording, options: Sequence[CostOption]) -> str:
    """A model, with what is done to its scores where there is a choice of it."""
    is_plain = all(each.method == "none" for each in options)
    return terms.label(option.model) if is_plain else describe_cheapest_method(option, terms)


def _format_gain(option: CostOption, terms: CostWording, baseline: str) -> str:
    """Return what a change saves: money where errors have a price, else a share of the loss."""
    if terms.is_priced:
        value, reach = format_with_interval(option.saving, terms.money)
        return (
            f". For every {terms.many} expect to save about {value} "
            f"({format_level(terms.level)} interval {reach})."
        )
    share = option.saving_share
    said = (
        f": it lowers the expected {LOSSES[terms.loss]} loss by about "
        f"{format_percent(share.value)} of"
    )
    if share.low is None:  # as where the cost of the baseline may be nothing
        return f"{said} what is estimated for {baseline}."
    ends = f"{format_percent(share.low)} to {format_percent(share.high)}"
    return f"{said} what {baseline} has ({format_level(terms.level)} interval {ends})."


def _describe_learnable_saving(
    advised: CostOption,
    options: Sequence[CostOption],
    shifted: CostDecision | None,
    terms: CostWording,
) -> str:
    """Describe what a constant would still bring, where none was fitted."""
    is_taught = any(option.method in FITTED for option in options)
    if shifted is None or is_taught or not _is_worth(advised, shifted, terms):
        return ""
    act, _ = describe_constant(shifted.cheapest.constant, terms)
    cost = shifted.cheapest.cost
    form = choose_format(cost.value, cost.low, cost.high, terms.money, (0.0,))
    return (
        f"Yet {act} of {terms.label(shifted.best)} would cost "
        f"{form.amount(cost.value)} {terms.per} against {form.amount(advised.cost.value)} of "
        f"{terms.label(advised.model)} as it is: worth learning such a constant on other rows "
        "(role: fit)."
    )


def _is_worth(advised: CostOption, shifted: CostDecision, terms: CostWording) -> bool:
    """Tell whether a constant is shown to save more than a trifle on the models as they are."""
    if shifted.asymmetry in (0.0, 1.0) or advised.method != "none":
        return False
    best = shifted.cheapest
    is_apart = best.constant.is_above_zero or best.constant.is_below_zero
    if shifted.best == advised.model and not is_apart:
        return False
    saving = best.saving if _is_today(advised, terms) else shifted.saving_by_shift
    is_much = (saving.value or 0.0) > _WORTH * (advised.cost.value or 0.0)
    return is_much and saving.is_above_zero and shifted.saving_by_shift.is_above_zero


def _is_nothing(found: IntervalEstimate) -> bool:
    return not any((found.value, found.low, found.high))


def _reach(
    alpha: float,
    own: Sequence[CostRange],
    terms: CostWording,
    names: tuple[str, str],
    is_drawn: bool,
) -> str:
    """Over which cost ratios that is shown, and from where on the opposite is."""
    if terms.is_by_row:
        return ""
    here = next((k for k, r in enumerate(own) if r.low <= alpha <= r.high), None)
    if here is None or own[here].verdict != "cheaper":
        return "That is for this cost ratio alone: over all ratios at once it is not shown."
    if is_drawn:
        return ""
    said, unit = [], add_unit("1", terms.unit) if has_unit(terms.unit) else "one unit"
    if own[here].low > 0:
        said.append(f"at least {_times(own[here].low)}")
    if own[here].high < 1:
        said.append(f"at most {_times(own[here].high)}")
    if not said:
        return "That holds whatever the cost ratio."
    square = " squared" if terms.loss == "quadquad" else ""
    holds = (
        f"That holds while {unit}{square} too low costs {' and '.join(said)} times as much as "
        f"{unit}{square} too high"
    )
    return "; ".join((holds, *_turns(own, here, names))) + "."


def _turns(own: Sequence[CostRange], here: int, names: tuple[str, str]) -> Iterator[str]:
    """Return what is known of the two models beyond both ends of the stretch that is shown."""
    opposite, is_known = [], True
    for side, rows in (("under", own[:here][::-1]), ("over", own[here + 1 :])):
        turn = next((row for row in rows if row.verdict == "dearer"), None)
        if turn is not None:
            edge = turn.high if side == "under" else turn.low
            opposite.append(f"{side} {_times(edge)} times")
        is_known = is_known and (not rows or turn is rows[0])
    if opposite:
        yield f"{' and '.join(opposite)} {names[0]} is cheaper than {names[1]}"
    if not is_known:
        yield f"{'elsewhere' if opposite else 'beyond that'} neither is shown to be cheaper"


def _times(alpha: float) -> str:
    return format_times(alpha / (1 - alpha)) if alpha < 1 else "any number of"


def format_advice(advice: str, plain: CostDecision, terms: CostWording) -> str:
    """The advice, after the costs of errors that it is for."""
    return f"{describe_costs_at(plain, terms)}, {advice[0].lower()}{advice[1:]}"


def list_advice_details(
    options: Sequence[CostOption], plain: CostDecision, shifted: CostDecision, terms: CostWording
) -> list[str]:
    """The sentences after an advice: its saving is not said again, unless another model's is."""
    advised = next(each for each in options if each.is_advised)
    is_told = advised.method == "none" and advised.model == plain.best
    saving = "" if is_told else describe_saving(plain, terms)
    return [
        _format_cost(plain, terms, is_told),
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
