"""Costs and asymmetries in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from reportgen.report.wording.names import Case, capitalize, clean_name, join_list
from reportgen.report.wording.numbers import (
    add_unit,
    choose_declared_precision,
    choose_format,
    format_count,
    format_level,
    format_percent,
    has_unit,
    round_half_up,
)
from reportgen.results.costs import (
    CheapestRange,
    CostDecision,
    CostModelInfo,
    CostRange,
    IntervalEstimate,
    ModelCost,
)
from reportgen.results.types import Number

_MOST_DIGITS = 8


@dataclass(frozen=True)
class AsymmetryWording:
    """The axis of a loss: its letter, and the ends beyond which nothing is looked at."""

    symbol: Literal["α", "c"] = "α"
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def from_reach(cls, reaches: Number) -> AsymmetryWording:
        """The axis of a cost model: of c where it says how far that reaches."""
        return cls() if reaches is None else cls("c", -reaches, reaches)

    @property
    def has_ratio(self) -> bool:
        """True where an asymmetry stands for a ratio of costs."""
        return self.symbol == "α"

    def number(self, value: float, others_shown: Sequence[float] = ()) -> str:
        """An asymmetry as a number alone: three decimals of α, three digits of c.

        As many more as tell it from `others_shown`, and an α from an end.

        >>> AsymmetryWording().number(0.8), AsymmetryWording("c", -1, 1).number(-0.012345)
        ('0.8', '−0.0123')
        >>> AsymmetryWording().number(0.000403), AsymmetryWording().number(
        ...     0.99996), AsymmetryWording().number(1)
        ('0.0004', '0.99996', '1')
        >>> AsymmetryWording().number(0.91973, (0.92004,)), AsymmetryWording().number(0.92004, (
        ...     0.91973,))
        ('0.9197', '0.92')
        """
        others = {*others_shown, *((0.0, 1.0) if self.has_ratio else ())}
        others -= {value}
        rounded = next(
            (
                x
                for d in range(3, _MOST_DIGITS)
                if (x := self._round(value, d)) not in {self._round(other, d) for other in others}
            ),
            self._round(value, 3),
        )
        return choose_declared_precision(rounded).number(rounded)

    def _round(self, value: float, digits: int) -> float:
        return (
            float(round_half_up(value, digits)) if self.has_ratio else float(f"{value:.{digits}g}")
        )

    def place(self, value: float) -> str:
        """An asymmetry with what it stands for.

        >>> AsymmetryWording().place(0.8), AsymmetryWording("c", -1, 1).place(0.02)
        ('α = 0.8 (4 : 1)', 'c = 0.02')
        """
        plain = f"{self.symbol} = {self.number(value)}"
        return f"{plain} ({format_ratio(value)})" if self.has_ratio else plain

    def stretch(self, low: float, high: float) -> str:
        """A stretch in words, with the cost ratios that it stands for.

        >>> AsymmetryWording().stretch(0.8, 1.0)
        'from α = 0.8 (a ratio of 4 : 1) up'
        >>> AsymmetryWording().stretch(0.0, 0.5), AsymmetryWording("c", -1, 1).stretch(-1, 1)
        ('up to α = 0.5 (a ratio of 1 : 1)', 'at every c')
        """
        if low <= self.low and high >= self.high:
            return f"at every {self.symbol}"
        if high >= self.high:
            return f"from {self._describe_ratio(low)} up"
        if low <= self.low:
            return f"up to {self._describe_ratio(high)}"
        ends = f" (ratios of {format_ratio(low)} to {format_ratio(high)})" if self.has_ratio else ""
        return f"from {self.symbol} = {self._between(low, high)}{ends}"

    def span(self, low: float, high: float) -> str:
        """A stretch in few words.

        >>> AsymmetryWording().span(0.2, 1.0), AsymmetryWording().span(0.2, 0.7)
        ('from α = 0.2 up', 'from 0.2 to 0.7')
        """
        if low <= self.low and high >= self.high:
            return f"at every {self.symbol}"
        if high >= self.high:
            return f"from {self.symbol} = {self.number(low)} up"
        if low <= self.low:
            return f"up to {self.symbol} = {self.number(high)}"
        return f"from {self._between(low, high)}"

    def ratios(self, low: float, high: float) -> str:
        """A stretch as cost ratios where there are any, in few words.

        >>> AsymmetryWording().ratios(0.8, 1.0), AsymmetryWording().ratios(0.0, 0.5)
        ('from 4 : 1 up', 'up to 1 : 1')
        >>> AsymmetryWording().ratios(0.5, 0.8), AsymmetryWording("c", -1, 1).ratios(0.2, 1)
        ('from 1 : 1 to 4 : 1', 'from c = 0.2 up')
        """
        if not self.has_ratio:
            return self.span(low, high)
        if low <= self.low and high >= self.high:
            return "at every cost ratio"
        if high >= self.high:
            return f"from {format_ratio(low)} up"
        return (
            f"up to {format_ratio(high)}"
            if low <= self.low
            else f"from {format_ratio(low)} to {format_ratio(high)}"
        )

    def _between(self, low: float, high: float) -> str:
        return f"{self.number(low, (high,))} to {self.number(high, (low,))}"

    def _describe_ratio(self, value: float) -> str:
        plain = f"{self.symbol} = {self.number(value)}"
        return f"{plain} (a ratio of {format_ratio(value)})" if self.has_ratio else plain


ALPHA = AsymmetryWording()


def format_ratio(alpha: float) -> str:
    """Return how many times as much too low costs as too high, as two numbers.

    >>> format_ratio(0.8), format_ratio(0.2), format_ratio(0.5), format_ratio(1.0), format_ratio(
    ...     0.0)
    ('4 : 1', '1 : 4', '1 : 1', '1 : 0', '0 : 1')
    """
    if alpha in (0.0, 1.0):
        return "1 : 0" if alpha else "0 : 1"
    high, low = (alpha, 1 - alpha) if alpha >= 0.5 else (1 - alpha, alpha)
    times = format_times(high / low)
    return f"{times} : 1" if alpha >= 0.5 else f"1 : {times}"


def format_times(times: float) -> str:
    """A ratio with two or three digits."""
    rounded = float(round_half_up(times, 0 if times >= 10 else 1))
    return choose_declared_precision(rounded).number(rounded)


_Range = TypeVar("_Range", CostRange, CheapestRange)
LOSSES: Mapping[str, str] = {
    "linlin": "Lin-Lin",
    "pinball": "pinball",
    "quadquad": "Quad-Quad",
    "linexp": "Lin-Exp",
    "quadexp": "Quad-Exp",
}
UNDECIDED = "undecided"
_UNBEATEN = ": no other is cheaper as it is"


@dataclass(frozen=True)
class CostWording:
    """Words of all sentences: units of costs and of y, the level, names of models, the loss.

    `money` is the currency, or the unit of the loss where nobody gave a price.

    `is_alone` where there is one model only, which nothing is held against. `declared` is the
    asymmetry of the unit costs, whose advice stands alone where others are listed too. Where unit
    costs differ by row (`is_by_row`) no asymmetry is that of all rows.
    """

    money: str
    unit: str
    cases: int
    level: float
    baseline: str | None
    labels: Mapping[str, str]
    """Each with the mark of a model that page one sets aside."""
    is_priced: bool
    loss: str = "linlin"
    axis: AsymmetryWording = ALPHA
    is_alone: bool = False
    declared: float | None = None
    is_one_asymmetry: bool = False
    is_by_row: bool = False
    case: Case = ("case", "cases")

    @property
    def per(self) -> str:
        """The noun that costs are counted for."""
        return f"a {clean_name(self.case[0])}" if self.cases == 1 else f"per {self.many}"

    @property
    def many(self) -> str:
        """The number of rows that costs are counted for, with their noun."""
        return f"{format_count(self.cases)} {clean_name(self.case[self.cases != 1])}"

    @property
    def quantity(self) -> str:
        """The quantity counted: money, or a loss by its name where nobody gave a price."""
        return "cost" if self.is_priced else f"{LOSSES[self.loss]} loss"

    def label(self, model: str | None) -> str:
        """Return what a model is called."""
        return clean_name(self.labels.get(str(model), str(model)), 40)


def describe_decision(
    plain: CostDecision,
    shifted: CostDecision,
    terms: CostWording,
    ranges: Sequence[CostRange],
    envelope: Sequence[CheapestRange],
) -> tuple[str, ...]:
    """The sentences of one asymmetry: as the models are, then with their best constants."""
    if plain.cheapest.cost.value is None:
        return (
            f"{describe_costs_at(plain, terms)}, no model has an expected {terms.quantity}: "
            "errors are so "
            "large that what they cost is too large for a number.",
        )
    own = [each for each in ranges if each.shift == "none"]
    lines = [e for e in envelope if e.shift == "none" and e.model == plain.best]
    return tuple(
        filter(
            None,
            (
                _cheapest(plain, terms),
                describe_saving(plain, terms),
                _surety(plain, terms),
                _holding(plain, terms, own, lines),
                describe_constant_gain(plain, shifted, terms),
            ),
        )
    )


def describe_deployed(
    made: CostDecision,
    terms: CostWording,
    ranges: Sequence[CostRange] = (),
    envelope: Sequence[CheapestRange] = (),
) -> str:
    """Describe what can be put to use.

    That is the best model with its fitted constant, and where it is shown.
    """
    act, bounds = describe_constant(made.cheapest.constant, terms)
    cost, reach = format_with_interval(made.cheapest.cost, terms.money)
    own = [each for each in ranges if each.shift == "fitted"]
    lines = [e for e in envelope if e.shift == "fitted" and e.model == made.best]
    holds = _holding(made, terms, own, lines) if ranges or envelope else ""
    return (
        f"Of the constants fitted on the training rows, one is cheapest at "
        f"{terms.axis.place(made.asymmetry)}: {act} of "
        f"{terms.label(made.best)} ({bounds}, those rows drawn again) costs {cost} {terms.per} "
        f"({reach}){_describe_saving_at_same_shift(made, terms, 'fitted')}. {holds}"
    ).strip()


def describe_harmful(fitted: Iterable[ModelCost], terms: CostWording) -> str:
    """Name the models that a fitted constant makes more expensive; empty if none.

    Said only where the whole interval of the paired difference lies above zero.
    """
    said: list[str] = []
    for each in fitted:
        if each.saving_by_shift.is_below_zero:
            size, bounds = format_with_interval(each.saving_by_shift.opposite, terms.money)
            costlier, per = " dearer" * (not said), f" {terms.per}" * (not said)
            said.append(f"{terms.label(each.model)}{costlier} by {size}{per} ({bounds})")
    if not said:
        return ""
    models = join_list(said, most=4)
    if len(said) == 1:
        return (
            f"On these rows the fitted constant makes {models} than it is unadjusted; the rows "
            "that it was learnt on differ from these."
        )
    return (
        f"On these rows the fitted constants make {models} than they are unadjusted; the rows "
        "that they were learnt on differ from these."
    )


def describe_costs_at(made: CostDecision, terms: CostWording) -> str:
    """Describe what the errors cost at an asymmetry, as the beginning of a sentence."""
    alpha = made.asymmetry
    if not terms.axis.has_ratio:
        side = "high" if alpha > 0 else "low"
        return (
            f"Under the {LOSSES[terms.loss]} loss at c = {terms.axis.number(alpha)}, which grows "
            f"exponentially where a score is too {side}"
        )
    if terms.is_by_row:
        under, over = (_rough(cost or 0.0, terms.money) for cost in (made.under, made.over))
        one = add_unit("1", terms.unit) if has_unit(terms.unit) else "one unit"
        return (
            f"With each row's own unit costs (on average {under} for {one} too low and {over} for "
            f"{one} too high)"
        )
    where = "Where errors count squared and" if terms.loss == "quadquad" else "Where"
    at = f"(α = {terms.axis.number(alpha)})"
    if terms.is_priced:
        under, over = (_format_amount(cost or 0.0, terms.money) for cost in (made.under, made.over))
        square = "²" if terms.loss == "quadquad" else ""
        one = add_unit("1", f"{terms.unit}{square}") if has_unit(terms.unit) else "one unit"
        return f"{where} {one} too low costs {under} and {one} too high {over} {at}"
    if alpha == 0.5:
        return f"{where} too low and too high cost the same {at}"
    more, less = ("low", "high") if alpha > 0.5 else ("high", "low")
    if alpha in (0.0, 1.0):
        return f"{where} only too {more} costs anything {at}"
    times = format_times(max(alpha, 1 - alpha) / min(alpha, 1 - alpha))
    return f"{where} too {more} costs {times} times as much as too {less} {at}"


def title_of_ranges(
    candidate: str, ranges: Sequence[CostRange], baseline: str, axis: AsymmetryWording = ALPHA
) -> str:
    """Say where a candidate is cheaper or more expensive than the baseline, by the joint band."""
    said: list[str] = []
    for verdict, word in (("cheaper", f"cheaper than {baseline}"), ("dearer", "more expensive")):
        found = [axis.ratios(each.low, each.high) for each in ranges if each.verdict == verdict]
        if found:
            word = word if said or verdict == "cheaper" else f"{word} than {baseline}"
            said.append(f"{word} {join_list(found)}")
    if not said:
        nothing = "is nowhere established as cheaper or more expensive than"
        return f"{clean_name(candidate, 40)} {nothing} {baseline}"
    return f"{clean_name(candidate, 40)} is {' and '.join(said)}"


def title_of_envelope(
    envelope: Sequence[CheapestRange], labels: Mapping[str, str], axis: AsymmetryWording = ALPHA
) -> str:
    """Who is the cheapest where, by the estimates, in the order of the asymmetries."""
    said: list[str] = []
    highs = [each.high for each in envelope]
    for each in envelope:
        model, high = labels.get(each.model, each.model), each.high
        last = (
            format_ratio(high) if axis.has_ratio else f"{axis.symbol} = {axis.number(high, highs)}"
        )
        said.append(model if high >= axis.high else f"{model} up to {last}")
    if len(said) == 1:
        every = "cost ratio" if axis.has_ratio else axis.symbol
        return f"By the estimates {said[0]} is the cheapest at every {every}"
    return (
        f"By the estimates the cheapest is {', '.join(said[:-1])}, then {said[-1]}" if said else ""
    )


def describe_cost_scale(model: CostModelInfo) -> str:
    """Describe what turns the loss of a figure over ratios into the declared costs.

    It says nothing if it is those.

    >>> describe_cost_scale(CostModelInfo("linlin", 5.0, "$", 1000, True, 0.8, False, None))
    'At every ratio $1 too low and $1 too high cost $2 together here; times 2.5 it is the costs \
declared, $5 together.'
    """
    total, is_plain = model.total, model.loss == "linlin" and not model.is_by_row
    if total is None or total == 2 or not (is_plain and model.is_priced):
        return ""
    one, two, all_ = (
        add_unit(choose_declared_precision(x).number(x), model.money) for x in (1, 2, total)
    )
    return (
        f"At every ratio {one} too low and {one} too high cost {two} together here; times "
        f"{choose_declared_precision(total / 2).number(total / 2)} it is the costs declared, "
        f"{all_} together."
    )


def describe_cheapest_ranges(spans: Sequence[tuple[str, float, float]]) -> str:
    """Describe which model is shown the cheapest at which cost ratios.

    >>> describe_cheapest_ranges([("CLV", 0.0, 0.5), ("Boosting", 0.8, 1.0)])
    'CLV is cheapest up to 1 : 1 and Boosting from 4 : 1 up'
    """
    said = [f"{model} {ALPHA.ratios(low, high)}" for model, low, high in spans]
    if not said:
        return "At no cost ratio the data decide which model is cheapest"
    first, *_ = spans
    said[0] = f"{first[0]} is cheapest {ALPHA.ratios(first[1], first[2])}"
    return join_list(said)


def _cheapest(plain: CostDecision, terms: CostWording) -> str:
    best, cost = terms.label(plain.best), format_with_interval(plain.cheapest.cost, terms.money)
    which = "this" if terms.is_alone else "the lowest"
    return (
        f"{describe_costs_at(plain, terms)}, {best} as it is has {which} expected {terms.quantity}"
        f": {cost[0]} {terms.per} ({format_level(terms.level)} interval {cost[1]})."
    )


def describe_saving(plain: CostDecision, terms: CostWording) -> str:
    """Describe what the choice saves against the baseline as it is."""
    if terms.baseline is None:
        return ""
    baseline = terms.label(terms.baseline)
    if plain.best == terms.baseline:
        return f"It is the model in use{_UNBEATEN if not terms.is_alone else ''}."
    value, interval = format_with_interval(plain.cheapest.saving, terms.money)
    if not any(digit in value for digit in "123456789"):
        return f"That is no less than {baseline} as it is, as far as can be seen ({interval})."
    if plain.cheapest.saving.is_above_zero:
        return f"That is {value} less than {baseline} as it is ({interval})."
    return (
        f"That is {value} less than {baseline} as it is ({interval}); the data cannot tell whether "
        "it saves anything."
    )


def _surety(plain: CostDecision, terms: CostWording) -> str:
    if terms.is_alone:
        return ""
    share = plain.cheapest.share_best
    rivals = [terms.label(model) for model in plain.not_distinguishable]
    often = "on these rows" if share is None else f"in {format_percent(share)} of the resamples"
    said = f"It is the cheapest {often}"
    if rivals:
        others = join_list(rivals)
        return f"{said}; the data cannot tell it apart from {others}."
    return f"{said}, and differs significantly from every other model."


def _holding(
    made: CostDecision,
    terms: CostWording,
    ranges: Sequence[CostRange],
    envelope: Sequence[CheapestRange],
) -> str:
    """Over which asymmetries the choice holds: by its band, and by what is estimated."""
    said: list[str] = []
    if terms.is_alone or terms.is_by_row:
        return ""
    if made.best != terms.baseline and terms.baseline is not None:
        pair = (made.best, terms.baseline)
        own = [each for each in ranges if (each.candidate, each.baseline) == pair]
        here = _find_range(made.asymmetry, own)
        if here is not None and here.verdict == "cheaper":
            span = terms.axis.stretch(here.low, here.high)
            said.append(f"it costs less than {terms.label(terms.baseline)} {span}")
        else:
            said.append(
                f"the band over all {terms.axis.symbol} at once does not show it here to cost less "
                f"than {terms.label(terms.baseline)}"
            )
    line = _find_range(made.asymmetry, envelope)
    if line is not None:
        span = terms.axis.stretch(line.low, line.high)
        said.append(f"by the estimates it stays the cheapest of all {span}")
    return f"{capitalize('; '.join(said))}." if said else ""


def describe_constant_gain(plain: CostDecision, shifted: CostDecision, terms: CostWording) -> str:
    """Describe what a constant added to every score would still change."""
    if terms.axis.has_ratio and plain.asymmetry in (0.0, 1.0):
        return "A one-sided cost makes any constant free that goes far enough, of every model."
    constant, is_same = shifted.cheapest.constant, shifted.best == plain.best
    if is_same and constant.value == 0:
        return "No constant added to its scores makes it, or any other model, cheaper than that."
    act, bounds = describe_constant(constant, terms)
    if is_same and not (constant.is_above_zero or constant.is_below_zero):
        form = choose_format(constant.value, constant.low, constant.high, terms.unit)
        return (
            "With constants added it stays the cheapest, but the data cannot tell whether its own "
            f"helps: the best is {form.amount(constant.value, signed=True)} ({bounds})."
        )
    cost, reach = format_with_interval(shifted.cheapest.cost, terms.money)
    who = "it stays" if is_same else f"{terms.label(shifted.best)} is"
    at = terms.axis.place(shifted.asymmetry)
    who = "" if terms.is_alone else f", {who} the cheapest at {at}"
    return (
        f"If a constant may be added to the scores{who}: {act} ({bounds}) brings "
        f"its {terms.quantity} to {cost} {terms.per} "
        f"({reach}){_describe_saving_at_same_shift(shifted, terms)}. The "
        "constant was found on these same rows, which flatters it a little."
    )


def _describe_saving_at_same_shift(
    made: CostDecision, terms: CostWording, which: str = "best"
) -> str:
    """The saving against the baseline with a constant of its own."""
    if terms.baseline is None or made.best == terms.baseline:
        return ""
    value, interval = format_with_interval(made.saving_same_shift, terms.money)
    end = "" if made.saving_same_shift.is_above_zero else ", which holds zero"
    baseline = terms.label(terms.baseline)
    return f", {value} less than {baseline} with its own {which} constant ({interval}{end})"


def describe_constant(constant: IntervalEstimate, terms: CostWording) -> tuple[str, str]:
    """Describe what is done to every score, and the interval of the constant."""
    value, low, high = constant.value or 0.0, constant.low, constant.high
    form = choose_format(value, low, high, terms.unit)
    verb, where = ("adding", "to") if value >= 0 else ("taking", "off")
    act = f"{verb} {form.amount(abs(value))} {where} every score"
    return act, form.interval(low, high, signed=True)


def format_with_interval(found: IntervalEstimate, unit: str) -> tuple[str, str]:
    """A number with its unit, and its interval."""
    form = choose_format(found.value, found.low, found.high, unit, (0.0,))
    is_signed = found.low is not None and found.low < 0
    return form.amount(found.value), form.interval(found.low, found.high, signed=is_signed)


def _find_range(alpha: float, ranges: Iterable[_Range]) -> _Range | None:
    """The range that holds an asymmetry."""
    return next((each for each in ranges if each.low <= alpha <= each.high), None)


def _format_amount(value: float, unit: str) -> str:
    return add_unit(choose_declared_precision(round(value, 6)).number(value), unit)


def _rough(value: float, unit: str) -> str:
    return choose_format(value, None, None, unit, (0.0,)).amount(value)
