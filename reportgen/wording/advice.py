"""What to do about costs, in words for somebody who decides: nothing but intervals behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.results import CostRange, Scalar
from reportgen.wording.asymmetries import times_of
from reportgen.wording.costs import LOSSES, CostTerms, Row
from reportgen.wording.names import listed
from reportgen.wording.numbers import count, form_of, has_unit, level, percent, with_unit
from reportgen.wording.shifts import METHODS, TAUGHT, cheapest_way

_WORTH = 0.01  # of a cost: what brings less than that is not worth a line of advice
_MOST = 3  # actions that are named


def advice(
    actions: Sequence[Row],
    terms: CostTerms,
    ranges: Sequence[CostRange],
    shifted: Row | None = None,
) -> str:
    """Whether to change what is done at one asymmetry, what it brings, and for which cost ratios.

    `actions` are all that can be put to use, of which the analysis advises one: nothing is changed
    while what is done now is among those not told from the cheapest. All savings are against the
    baseline as it is. `shifted` is the cheapest model with the best constant for these rows. Empty
    where there is no model in use, or no ratio of costs.
    """
    advised = next((row for row in actions if row["is_advised"]), None)
    if terms.baseline is None or not terms.axis.has_ratio or advised is None:
        return ""
    cheapest = next(row for row in actions if row["excess"] == 0)
    said = (
        _kept(advised, cheapest, actions, terms)
        if _is_today(advised, terms)
        else _changed(advised, cheapest, actions, terms, ranges)
    )
    return f"{said} {_to_learn(advised, actions, shifted, terms)}".strip()


def _is_today(row: Row, terms: CostTerms) -> bool:
    return row["model"] == terms.baseline and row["method"] == "none"


def _kept(today: Row, cheapest: Row, actions: Sequence[Row], terms: CostTerms) -> str:
    """Why nothing is changed."""
    baseline = terms.label(terms.baseline)
    if terms.is_alone and len(actions) == 1:
        return f"Nothing is compared: {baseline} is the only model."
    if _is_today(cheapest, terms):
        same = [r for r in actions if r is not cheapest and _is_nothing(r, "excess")]
        if same:
            return f"Keep {baseline}: {_who(same[0], terms, actions)} costs the same."
        if len(actions) > len({row["model"] for row in actions}):
            return f"Keep {baseline} as it is: nothing else that can be put to use is cheaper."
        return f"Keep {baseline}: no other model is cheaper as it is."
    return (
        f"Keep {baseline} for now: {_who(cheapest, terms, actions)} came out cheaper, but with "
        f"{terms.allowed_for(_number(today['alpha']))} allowed for, it may have been chance."
    )


def _changed(
    advised: Row,
    cheapest: Row,
    actions: Sequence[Row],
    terms: CostTerms,
    ranges: Sequence[CostRange],
) -> str:
    """What to do instead, what it brings, where that holds, and what is level with it."""
    baseline, model = terms.label(terms.baseline), terms.label(advised["model"])
    reach = ""
    if advised["method"] == "none":
        pair = ("none", advised["model"], terms.baseline)
        own = [r for r in ranges if (r.shift, r.candidate, r.baseline) == pair]
        reach = _reach(_number(advised["alpha"]), own, terms, (baseline, model))
    said = f"{_act(advised, terms)}{_gain(advised, terms, baseline)}"
    return " ".join(filter(None, (said, reach, _level(advised, cheapest, actions, terms))))


def _act(row: Row, terms: CostTerms) -> str:
    """An action as what to do."""
    model, baseline = terms.label(row["model"]), terms.label(terms.baseline)
    is_kept, way = row["model"] == terms.baseline, str(row["method"])
    if way == "none":
        return f"Use {model} in place of {baseline}"
    if way == "fitted":
        constant = f"{_constant(row, terms)}, as other rows taught"
        return f"Keep {model}, {constant}" if is_kept else (
            f"Use {model} in place of {baseline}, {constant}"
        )  # fmt: skip
    how = f"with its {METHODS[way]}"
    return f"Keep {model}, but {how}" if is_kept else f"Use {model} {how} in place of {baseline}"


def _constant(row: Row, terms: CostTerms) -> str:
    """What is done to every score."""
    constant = _number(row["constant"])
    bounds = (_number(row["constant_low"]), _number(row["constant_high"]))
    size = form_of(constant, *bounds, terms.unit).amount(abs(constant))
    start, where = ("adding", "to") if constant >= 0 else ("taking", "off")
    return f"{start} {size} {where} every score"


def _level(advised: Row, cheapest: Row, actions: Sequence[Row], terms: CostTerms) -> str:
    """Which other actions are not told from the cheapest."""
    others = [r for r in actions if r["is_level"] and r is not advised and r is not cheapest]
    others.sort(key=lambda row: _number(row["cost"]))
    rest = listed([_who(row, terms, actions) for row in others], most=_MOST)
    if advised is cheapest:
        return f"Its cost is not told from that of {rest}." if rest else ""
    too = f"; nor is {rest} told from it" if rest else ""
    return (
        f"{_who(cheapest, terms, actions)} came out cheapest, but is not shown to cost less than "
        f"that, and changes more{too}."
    )


def _who(row: Row, terms: CostTerms, actions: Sequence[Row]) -> str:
    """A model, with what is done to its scores where there is a choice of it."""
    is_plain = all(each["method"] == "none" for each in actions)
    return terms.label(row["model"]) if is_plain else cheapest_way(row, terms)


def _gain(row: Row, terms: CostTerms, baseline: str) -> str:
    """What a change saves: money where errors have a price, else a share of the loss."""
    low, value, high = (_number(row[k]) for k in ("saved_low", "saved", "saved_high"))
    if terms.is_priced:
        form = form_of(value, low, high, terms.money, (0.0,))
        return (
            f". For every {count(terms.cases)} cases expect to save about {form.amount(value)} "
            f"({level(terms.level)} interval {form.interval(low, high)})."
        )
    keys = ("saved_share", "saved_share_low", "saved_share_high")
    shares = [percent(_number(row[key])) for key in keys]
    if row["saved_share_low"] is None:  # as where the cost of the baseline may be nothing
        return (
            f": it lowers the expected {LOSSES[terms.loss]} loss by about {shares[0]} of what is "
            f"estimated for {baseline}."
        )
    return (
        f": it lowers the expected {LOSSES[terms.loss]} loss by about {shares[0]} of what "
        f"{baseline} has ({level(terms.level)} interval {shares[1]} to {shares[2]})."
    )


def _to_learn(advised: Row, actions: Sequence[Row], shifted: Row | None, terms: CostTerms) -> str:
    """What a constant would still bring, where no rows taught one."""
    is_taught = any(row["method"] in TAUGHT for row in actions)
    if shifted is None or is_taught or not _is_worth(advised, shifted, terms):
        return ""
    cost, low, high = (_number(shifted[key]) for key in ("cost", "cost_low", "cost_high"))
    form = form_of(cost, low, high, terms.money, (0.0,))
    return (
        f"Yet {_constant(shifted, terms)} of {terms.label(shifted['best'])} would cost "
        f"{form.amount(cost)} {terms.per} against {form.amount(_number(advised['cost']))} of "
        f"{terms.label(advised['model'])} as it is: worth learning such a constant on other rows "
        "(role: fit)."
    )


def _is_worth(advised: Row, shifted: Row, terms: CostTerms) -> bool:
    """Whether a constant is shown to save more than the models as they are, and not a trifle."""
    if _number(shifted["alpha"]) in (0.0, 1.0) or advised["method"] != "none":
        return False
    bounds = [_number(shifted[f"constant_{end}"]) for end in ("low", "high")]
    if shifted["best"] == advised["model"] and bounds[0] <= 0 <= bounds[1]:
        return False
    key = "saved" if _is_today(advised, terms) else "gained"
    is_much = _number(shifted[key]) > _WORTH * _number(advised["cost"])
    return is_much and _is_shown(shifted, key) and _is_shown(shifted, "gained")


def _is_shown(row: Row, key: str) -> bool:
    """Whether an interval lies wholly above zero."""
    low = row[f"{key}_low"]
    return isinstance(low, float) and low > 0


def _is_nothing(row: Row, key: str) -> bool:
    return not any(_number(row[name]) for name in (key, f"{key}_low", f"{key}_high"))


def _reach(alpha: float, own: Sequence[CostRange], terms: CostTerms, names: tuple[str, str]) -> str:
    """Over which cost ratios that is shown, and from where on the opposite is."""
    if terms.is_by_row:
        return ""
    here = next((k for k, r in enumerate(own) if r.low <= alpha <= r.high), None)
    if here is None or own[here].verdict != "cheaper":
        return "That is for this cost ratio alone: over all ratios at once it is not shown."
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


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
