"""What to do about costs, in words for somebody who decides: nothing but intervals behind it."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import Scalar
from reportgen.wording.asymmetries import times_of
from reportgen.wording.costs import LOSSES, CostTerms, Row
from reportgen.wording.numbers import count, form_of, has_unit, level, percent, with_unit
from reportgen.wording.shifts import cheapest, cheapest_way, level_with

_WORTH = 0.01  # of a cost: what brings less than that is not worth a line of advice


def advice(
    plain: Row,
    terms: CostTerms,
    ranges: Sequence[Row],
    shifted: Row | None = None,
    fitted: Row | None = None,
    ways: Sequence[Row] = (),
) -> str:
    """Whether to change models at one asymmetry, what it brings, and for which cost ratios.

    A change is advised only where the interval of what it saves leaves out zero, and so is a
    constant, a polynomial or a density. All savings are against the baseline as it is. Empty where
    there is no model in use, or no ratio of costs.
    """
    if terms.baseline is None or not terms.axis.has_ratio:
        return ""
    said = _models(plain, terms, ranges)
    return f"{said} {_more(plain, terms, shifted, fitted, ways)}".strip()


def _models(plain: Row, terms: CostTerms, ranges: Sequence[Row]) -> str:
    """Which model to use, as the scores are."""
    baseline, best = terms.label(terms.baseline), terms.label(plain["best"])
    if terms.is_alone:
        return f"Nothing is compared: {baseline} is the only model."
    if plain["best"] == terms.baseline:
        return f"Keep {baseline}: no other model is cheaper as it is."
    if not _is_shown(plain, "saved"):
        if not any(_number(plain[key]) for key in ("saved", "saved_low", "saved_high")):
            return f"Keep {baseline}: {best} costs the same."
        return f"Keep {baseline} for now: {best} came out cheaper, but it may have been chance."
    own = [r for r in ranges if r["shift"] == "none" and r["candidate"] == plain["best"]]
    reach = _reach(_number(plain["alpha"]), own, terms, (baseline, best))
    return f"Use {best} in place of {baseline}{_gain(plain, terms, baseline)} {reach}"


def _gain(plain: Row, terms: CostTerms, baseline: str) -> str:
    """What a change saves: money where errors have a price, else a share of the loss."""
    low, value, high = (_number(plain[k]) for k in ("saved_low", "saved", "saved_high"))
    if terms.is_priced:
        form = form_of(value, low, high, terms.money, (0.0,))
        return (
            f". For every {count(terms.cases)} cases expect to save about {form.amount(value)} "
            f"({level(terms.level)} interval {form.interval(low, high)})."
        )
    keys = ("saved_share", "saved_share_low", "saved_share_high")
    shares = [percent(_number(plain.get(key))) for key in keys]
    if plain.get("saved_share_low") is None:  # results of an earlier version
        before = _number(plain["cost"]) + value
        return (
            f": it lowers the expected {LOSSES[terms.loss]} loss by about "
            f"{percent(value / before)} of what is estimated for {baseline}."
        )
    return (
        f": it lowers the expected {LOSSES[terms.loss]} loss by about {shares[0]} of what "
        f"{baseline} has ({level(terms.level)} interval {shares[1]} to {shares[2]})."
    )


def _more(
    plain: Row, terms: CostTerms, shifted: Row | None, fitted: Row | None, ways: Sequence[Row]
) -> str:
    """What a shift of the scores would still bring: one that is known, else one to be learnt."""
    if _number(plain["alpha"]) in (0.0, 1.0):
        return ""
    best = cheapest(ways)
    if best is not None and best["method"] not in ("none", "fitted"):
        today = next(
            (r for r in ways if (r["model"], r["method"]) == (plain["best"], "none")), None
        )
        is_more = today is not None and _number(today["excess_low"]) > 0
        if is_more and _is_shown(best, "saved"):
            rivals = level_with(best, ways, terms)
            level_too = f"; level with it: {rivals}" if rivals else ""
            way = cheapest_way(best, terms)
            return f"Better still, {way} costs {_told(best, terms)}{level_too}."
    if fitted is not None:
        if not _is_worth(plain, fitted, terms):
            return ""
        return (
            f"Better still, {_act(fitted, terms)}, as other rows taught, costs "
            f"{_told(fitted, terms)}."
        )
    if shifted is None or not _is_worth(plain, shifted, terms):
        return ""
    before, against = _before(plain, terms)
    cost, low, high = (_number(shifted[key]) for key in ("cost", "cost_low", "cost_high"))
    form = form_of(cost, low, high, terms.money, (0.0,))
    return (
        f"Yet {_act(shifted, terms)} would cost {form.amount(cost)} {terms.per} against "
        f"{form.amount(before)} of {against} as it is: worth learning such a constant on "
        "other rows (role: fit)."
    )


def _is_worth(plain: Row, row: Row, terms: CostTerms) -> bool:
    """Whether a constant is shown to save more than the models as they are, and not a trifle."""
    bounds = [_number(row[f"constant_{end}"]) for end in ("low", "high")]
    if row["best"] == plain["best"] and bounds[0] <= 0 <= bounds[1]:
        return False
    key = "gained" if _is_changed(plain, terms) else "saved"
    is_much = _number(row[key]) > _WORTH * _number(plain["cost"])
    return is_much and _is_shown(row, key) and _is_shown(row, "gained")


def _is_changed(plain: Row, terms: CostTerms) -> bool:
    return plain["best"] != terms.baseline and _is_shown(plain, "saved")


def _before(plain: Row, terms: CostTerms) -> tuple[float, str]:
    """The cost of the model that is advised as it is, and its name."""
    is_changed = _is_changed(plain, terms)
    cost = _number(plain["cost"]) + (0.0 if is_changed else _number(plain["saved"]))
    who = terms.label(plain["best"] if is_changed else terms.baseline)
    return cost, who


def _act(row: Row, terms: CostTerms) -> str:
    """A constant as what to do."""
    constant = _number(row["constant"])
    bounds = (_number(row["constant_low"]), _number(row["constant_high"]))
    size = form_of(constant, *bounds, terms.unit).amount(abs(constant))
    start, where = ("adding", "to") if constant >= 0 else ("taking", "off")
    return f"{start} {size} {where} every score of {terms.label(row['best'])}"


def _told(row: Row, terms: CostTerms) -> str:
    """A cost, and what it saves against the baseline as it is."""
    cost = _number(row["cost"])
    low, value, high = (_number(row[k]) for k in ("saved_low", "saved", "saved_high"))
    form = form_of(value, low, high, terms.money, (0.0,))
    size = form_of(cost, _number(row["cost_low"]), _number(row["cost_high"]), terms.money, (0.0,))
    return (
        f"{size.amount(cost)} {terms.per}, {form.amount(value)} less than "
        f"{terms.label(terms.baseline)} as it is ({form.interval(low, high)})"
    )


def _is_shown(row: Row, key: str) -> bool:
    """Whether an interval lies wholly above zero."""
    low = row[f"{key}_low"]
    return isinstance(low, float) and low > 0


def _reach(alpha: float, own: Sequence[Row], terms: CostTerms, names: tuple[str, str]) -> str:
    """Over which cost ratios that is shown, and from where on the opposite is."""
    here = next((k for k, r in enumerate(own) if _low(r) <= alpha <= _high(r)), None)
    if here is None or own[here]["verdict"] != "cheaper":
        return "That is for this cost ratio alone: over all ratios at once it is not shown."
    said, unit = [], with_unit("1", terms.unit) if has_unit(terms.unit) else "one unit"
    if _low(own[here]) > 0:
        said.append(f"at least {_times(_low(own[here]))}")
    if _high(own[here]) < 1:
        said.append(f"at most {_times(_high(own[here]))}")
    if not said:
        return "That holds whatever the cost ratio."
    square = " squared" if terms.loss == "quadquad" else ""
    holds = (
        f"That holds while {unit}{square} too low costs {' and '.join(said)} times as much as "
        f"{unit}{square} too high"
    )
    turns = [_turn(own, k, names) for k in (here - 1, here + 1)]
    return "; ".join(filter(None, (holds, *turns))) + "."


def _turn(own: Sequence[Row], k: int, names: tuple[str, str]) -> str:
    """What is known of the two models beyond an end of the stretch that is shown."""
    if not 0 <= k < len(own):
        return ""
    row, cheaper = own[k], f"{names[0]} is cheaper than {names[1]}"
    beyond = [r for r in own if r["verdict"] == "dearer"]
    if row["verdict"] == "dearer":
        return f"beyond that, {cheaper}"
    before = [r for r in beyond if _high(r) <= _low(row) + 1e-9]
    after = [r for r in beyond if _low(r) >= _high(row) - 1e-9]
    if before:
        return f"under {_times(_high(before[-1]))} times {cheaper}, in between it is open"
    if after:
        return f"over {_times(_low(after[0]))} times {cheaper}, in between it is open"
    return "beyond that it is open"


def _times(alpha: float) -> str:
    return times_of(alpha / (1 - alpha)) if alpha < 1 else "any number of"


def _low(row: Row) -> float:
    return _number(row["low"])


def _high(row: Row) -> float:
    return _number(row["high"])


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
