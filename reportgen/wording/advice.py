"""What to do about costs, in words for somebody who decides: nothing but intervals behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.results import CostDecision, CostOption, CostRange, IntervalEstimate
from reportgen.wording.asymmetries import times_of
from reportgen.wording.costs import LOSSES, CostTerms, constant_in_words, quoted
from reportgen.wording.names import listed
from reportgen.wording.numbers import form_of, has_unit, level, percent, with_unit
from reportgen.wording.shifts import FITTED, METHODS, by_cost, cheapest_way

_WORTH = 0.01  # of a cost: what brings less than that is not worth a line of advice
_MOST = 3  # actions that are named


def advice(
    options: Sequence[CostOption],
    terms: CostTerms,
    ranges: Sequence[CostRange],
    shifted: CostDecision | None = None,
    is_drawn: bool = False,
) -> str:
    """Whether to change what is done at one asymmetry, what it brings, and for which cost ratios.

    `options` are all that can be put to use, of which the analysis advises one: nothing is changed
    while what is done now is among those not told from the cheapest. All savings are against the
    baseline as it is. `shifted` is the cheapest model with the best constant for these rows. Where
    a figure beside it has the cost ratios (`is_drawn`), they are not told again. Empty where there
    is no model in use, or no ratio of costs.
    """
    advised = next((each for each in options if each.is_advised), None)
    if terms.baseline is None or not terms.axis.has_ratio or advised is None:
        return ""
    cheapest = next(each for each in options if each.excess.value == 0)
    said = (
        _kept(advised, cheapest, options, terms)
        if _is_today(advised, terms)
        else _changed(advised, cheapest, options, terms, ranges, is_drawn)
    )
    return f"{said} {_to_learn(advised, options, shifted, terms)}".strip()


def _is_today(option: CostOption, terms: CostTerms) -> bool:
    return option.model == terms.baseline and option.method == "none"


def _kept(
    today: CostOption, cheapest: CostOption, options: Sequence[CostOption], terms: CostTerms
) -> str:
    """Why nothing is changed."""
    baseline = terms.label(terms.baseline)
    if terms.is_alone and len(options) == 1:
        return f"Nothing is compared: {baseline} is the only model."
    if _is_today(cheapest, terms):
        same = [o for o in options if o is not cheapest and _is_nothing(o.excess)]
        if same:
            return f"Keep {baseline}: {_who(same[0], terms, options)} costs the same."
        if len(options) > len({option.model for option in options}):
            return f"Keep {baseline} as it is: nothing else that can be put to use is cheaper."
        return f"Keep {baseline}: no other model is cheaper as it is."
    return (
        f"Keep {baseline} for now: {_who(cheapest, terms, options)} came out cheaper, but with "
        f"{terms.allowed_for(today.asymmetry)} allowed for, it may have been chance."
    )


def _changed(
    advised: CostOption,
    cheapest: CostOption,
    options: Sequence[CostOption],
    terms: CostTerms,
    ranges: Sequence[CostRange],
    is_drawn: bool,
) -> str:
    """What to do instead, what it brings, where that holds, and what is level with it."""
    baseline, model = terms.label(terms.baseline), terms.label(advised.model)
    reach = ""
    if advised.method == "none":
        pair = ("none", advised.model, terms.baseline)
        own = [r for r in ranges if (r.shift, r.candidate, r.baseline) == pair]
        reach = _reach(advised.asymmetry, own, terms, (baseline, model), is_drawn)
    said = f"{_act(advised, terms)}{_gain(advised, terms, baseline)}"
    return " ".join(filter(None, (said, reach, _level(advised, cheapest, options, terms))))


def _act(option: CostOption, terms: CostTerms) -> str:
    """An option as what to do."""
    model, baseline = terms.label(option.model), terms.label(terms.baseline)
    is_kept = option.model == terms.baseline
    if option.method == "none":
        return f"Use {model} in place of {baseline}"
    if option.method == "fitted":
        constant = f"{constant_in_words(option.constant, terms)[0]}, as fitted on other rows"
        return f"Keep {model}, {constant}" if is_kept else (
            f"Use {model} in place of {baseline}, {constant}"
        )  # fmt: skip
    how = f"with its {METHODS[option.method]}"
    return f"Keep {model}, but {how}" if is_kept else f"Use {model} {how} in place of {baseline}"


def _level(
    advised: CostOption, cheapest: CostOption, options: Sequence[CostOption], terms: CostTerms
) -> str:
    """Which other options are not told from the cheapest."""
    level = [each for each in options if not each.is_distinguishable]
    others = sorted((o for o in level if o is not advised and o is not cheapest), key=by_cost)
    rest = listed([_who(each, terms, options) for each in others], most=_MOST)
    if advised is cheapest:
        return f"Its cost is not distinguishable from that of {rest}." if rest else ""
    too = f"; nor is {rest} distinguishable from it" if rest else ""
    return (
        f"{_who(cheapest, terms, options)} came out cheapest, but is not shown to cost less than "
        f"that, and changes more{too}."
    )


def _who(option: CostOption, terms: CostTerms, options: Sequence[CostOption]) -> str:
    """A model, with what is done to its scores where there is a choice of it."""
    is_plain = all(each.method == "none" for each in options)
    return terms.label(option.model) if is_plain else cheapest_way(option, terms)


def _gain(option: CostOption, terms: CostTerms, baseline: str) -> str:
    """What a change saves: money where errors have a price, else a share of the loss."""
    if terms.is_priced:
        value, reach = quoted(option.saving, terms.money)
        return (
            f". For every {terms.many} expect to save about {value} "
            f"({level(terms.level)} interval {reach})."
        )
    share = option.saving_share
    said = f": it lowers the expected {LOSSES[terms.loss]} loss by about {percent(share.value)} of"
    if share.low is None:  # as where the cost of the baseline may be nothing
        return f"{said} what is estimated for {baseline}."
    ends = f"{percent(share.low)} to {percent(share.high)}"
    return f"{said} what {baseline} has ({level(terms.level)} interval {ends})."


def _to_learn(
    advised: CostOption,
    options: Sequence[CostOption],
    shifted: CostDecision | None,
    terms: CostTerms,
) -> str:
    """What a constant would still bring, where none was fitted."""
    is_taught = any(option.method in FITTED for option in options)
    if shifted is None or is_taught or not _is_worth(advised, shifted, terms):
        return ""
    act, _ = constant_in_words(shifted.cheapest.constant, terms)
    cost = shifted.cheapest.cost
    form = form_of(cost.value, cost.low, cost.high, terms.money, (0.0,))
    return (
        f"Yet {act} of {terms.label(shifted.best)} would cost "
        f"{form.amount(cost.value)} {terms.per} against {form.amount(advised.cost.value)} of "
        f"{terms.label(advised.model)} as it is: worth learning such a constant on other rows "
        "(role: fit)."
    )


def _is_worth(advised: CostOption, shifted: CostDecision, terms: CostTerms) -> bool:
    """Whether a constant is shown to save more than the models as they are, and not a trifle."""
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
    terms: CostTerms,
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
    said, unit = [], with_unit("1", terms.unit) if has_unit(terms.unit) else "one unit"
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
    """What is known of the two models beyond both ends of the stretch that is shown."""
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
    return times_of(alpha / (1 - alpha)) if alpha < 1 else "any number of"
