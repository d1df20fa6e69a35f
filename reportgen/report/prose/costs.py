"""Costs and asymmetries in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.wording.names import Case, clean_name, join_list
from reportgen.report.wording.numbers import (
    add_unit,
    choose_declared_precision,
    choose_format,
    format_count,
    format_level,
    format_percent,
    format_ratio,
    format_times,
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


@record
class AsymmetryWording:
    """The axis of a loss: its letter, and the ends beyond which nothing is looked at."""

    symbol: Literal["α", "c"] = "α"
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def from_reach(cls, reaches: Number) -> AsymmetryWording:
        """Make the axis of a cost model: of c where it says how far that reaches."""
        return cls() if reaches is None else cls("c", -reaches, reaches)

    @property
    def has_ratio(self) -> bool:
        """True where an asymmetry stands for a ratio of costs."""
        return self.symbol == "α"

    def number(self, value: float, others_shown: Sequence[float] = ()) -> str:
        """Format an asymmetry as a number alone: three decimals of α, three digits of c.

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
        """Format an asymmetry with what it stands for.

        >>> AsymmetryWording().place(0.8), AsymmetryWording("c", -1, 1).place(0.02)
        ('α = 0.8 (4 : 1)', 'c = 0.02')
        """
        plain = f"{self.symbol} = {self.number(value)}"
        return f"{plain} ({format_ratio(value)})" if self.has_ratio else plain

    def stretch(self, low: float, high: float) -> str:
        """Describe a stretch, with the cost ratios that it stands for.

        >>> AsymmetryWording().stretch(0.8, 1.0)
        'from α = 0.8 (a ratio of 4 : 1) upwards'
        >>> AsymmetryWording().stretch(0.0, 0.5), AsymmetryWording("c", -1, 1).stretch(-1, 1)
        ('up to α = 0.5 (a ratio of 1 : 1)', 'at every c')
        """
        ends = self._format_pair(low, high)
        if self.has_ratio:
            ratios = format_ratio(low), format_ratio(high)
            last = prose.line("stretch.ratios", place=ends[1], low=ratios[0], high=ratios[1])
            ends = ends[0], last
        ends = f"{self.symbol} = {ends[0]}", ends[1]
        return self._join(low, high, self._describe_ratio, ends)

    def span(self, low: float, high: float) -> str:
        """Describe a stretch in few words.

        >>> AsymmetryWording().span(0.2, 1.0), AsymmetryWording().span(0.2, 0.7)
        ('from α = 0.2 upwards', 'from 0.2 to 0.7')
        """
        return self._join(
            low,
            high,
            lambda value: f"{self.symbol} = {self.number(value)}",
            self._format_pair(low, high),
        )

    def ratios(self, low: float, high: float) -> str:
        """Describe a stretch as cost ratios where there are any, in few words.

        >>> AsymmetryWording().ratios(0.8, 1.0), AsymmetryWording().ratios(0.0, 0.5)
        ('from 4 : 1 upwards', 'up to 1 : 1')
        >>> AsymmetryWording().ratios(0.5, 0.8), AsymmetryWording("c", -1, 1).ratios(0.2, 1)
        ('from 1 : 1 to 4 : 1', 'from c = 0.2 upwards')
        """
        if not self.has_ratio:
            return self.span(low, high)
        return self._join(low, high, format_ratio, (format_ratio(low), format_ratio(high)))

    def _join(
        self, low: float, high: float, format_end: Callable[[float], str], ends: tuple[str, str]
    ) -> str:
        """Describe a stretch by the end that it has, or by both."""
        if low <= self.low and high >= self.high:
            is_of_ratios = format_end is format_ratio
            return prose.line("stretch.every", symbol="" if is_of_ratios else self.symbol)
        if high >= self.high:
            return prose.line("stretch.up", low=format_end(low))
        if low <= self.low:
            return prose.line("stretch.down", high=format_end(high))
        return prose.line("stretch.between", low=ends[0], high=ends[1])

    def _format_pair(self, low: float, high: float) -> tuple[str, str]:
        return self.number(low, (high,)), self.number(high, (low,))

    def _describe_ratio(self, value: float) -> str:
        place = f"{self.symbol} = {self.number(value)}"
        if not self.has_ratio:
            return place
        return prose.line("stretch.ratio", place=place, ratio=format_ratio(value))


ALPHA = AsymmetryWording()


_Range = TypeVar("_Range", CostRange, CheapestRange)


@record
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
        return "cost" if self.is_priced else prose.line("cost.loss", loss=self.loss)

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
    """Write the sentences of one asymmetry: as the models are, then with their best constants."""
    if plain.cheapest.cost.value is None:
        at = describe_costs_at(plain, terms)
        return (prose.line("cost.too_large", at=at, quantity=terms.quantity),)
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
    return prose.line(
        "constant.deployed",
        at=terms.axis.place(made.asymmetry),
        act=act,
        model=terms.label(made.best),
        bounds=bounds,
        cost=cost,
        per=terms.per,
        limits=reach,
        saved=_describe_saving_at_same_shift(made, terms, is_fitted=True),
        holds=holds,
    )


def describe_harmful(fitted: Iterable[ModelCost], terms: CostWording) -> str:
    """Name the models that a fitted constant makes more expensive; empty if none.

    Said only where the whole interval of the paired difference lies above zero.
    """
    said: list[str] = []
    for each in fitted:
        if each.saving_by_shift.is_below_zero:
            size, bounds = format_with_interval(each.saving_by_shift.opposite, terms.money)
            model = terms.label(each.model)
            said.append(
                prose.line("constant.harm_next", model=model, size=size, limits=bounds)
                if said
                else prose.line(
                    "constant.harm_first", model=model, size=size, per=terms.per, limits=bounds
                )
            )
    return prose.line("constant.harm", models=said, is_one=len(said) == 1) if said else ""


def describe_costs_at(made: CostDecision, terms: CostWording) -> str:
    """Describe what the errors cost at an asymmetry, as the beginning of a sentence."""
    alpha = made.asymmetry
    if not terms.axis.has_ratio:
        return prose.line(
            "cost_at.exponential", loss=terms.loss, c=terms.axis.number(alpha), is_high=alpha > 0
        )
    is_squared, number = terms.loss == "quadquad", terms.axis.number(alpha)
    unit = f"{terms.unit}²" if is_squared and not terms.is_by_row else terms.unit
    one = add_unit("1", unit) if has_unit(terms.unit) else ""
    costs = made.under or 0.0, made.over or 0.0
    if terms.is_by_row:
        under, over = (_rough(cost, terms.money) for cost in costs)
        return prose.line("cost_at.by_row", under=under, over=over, one=one)
    if terms.is_priced:
        under, over = (_format_amount(cost, terms.money) for cost in costs)
        return prose.line(
            "cost_at.priced", is_squared=is_squared, one=one, under=under, over=over, alpha=number
        )
    if alpha == 0.5:
        return prose.line("cost_at.same", is_squared=is_squared, alpha=number)
    is_low = alpha > 0.5
    if alpha in (0.0, 1.0):
        return prose.line("cost_at.one_side", is_squared=is_squared, is_low=is_low, alpha=number)
    times = format_times(max(alpha, 1 - alpha) / min(alpha, 1 - alpha))
    return prose.line(
        "cost_at.times", is_squared=is_squared, is_low=is_low, times=times, alpha=number
    )


def title_of_ranges(
    candidate: str, ranges: Sequence[CostRange], baseline: str, axis: AsymmetryWording = ALPHA
) -> str:
    """Say where a candidate is cheaper or more expensive than the baseline, by the joint band."""
    cheaper, dearer = (
        [axis.ratios(each.low, each.high) for each in ranges if each.verdict == verdict]
        for verdict in ("cheaper", "dearer")
    )
    who = clean_name(candidate, 40)
    if not cheaper and not dearer:
        return prose.line("cost_ranges.open", candidate=who, baseline=baseline)
    return prose.line(
        "cost_ranges.title", candidate=who, baseline=baseline, cheaper=cheaper, dearer=dearer
    )


def title_of_envelope(
    envelope: Sequence[CheapestRange],
    labels: Mapping[str, str],
    axis: AsymmetryWording = ALPHA,
    shift: str = "",
) -> str:
    """Say who is the cheapest where, by the estimates, in the order of the asymmetries."""
    highs = [each.high for each in envelope]
    ends = [
        format_ratio(high) if axis.has_ratio else f"{axis.symbol} = {axis.number(high, highs)}"
        for high in highs
    ]
    *first, last = [labels.get(each.model, each.model) for each in envelope]
    if not first:
        return prose.line(
            "cheapest_line.all",
            model=last,
            has_ratio=axis.has_ratio,
            symbol=axis.symbol,
            shift=shift,
        )
    named = list(zip(first, ends, strict=False))
    return prose.line("cheapest_line.several", first=named, last=last, shift=shift)


def describe_cost_scale(model: CostModelInfo) -> str:
    """Describe what turns the loss of a figure over ratios into the declared costs.

    It says nothing if it is those.

    >>> describe_cost_scale(CostModelInfo("linlin", 5.0, "$", 1000, True, 0.8, False, None))
    'Here an error of $1 too low and one of $1 too high together cost $2 at every ratio. \
Multiply by 2.5 for the declared costs, which add up to $5.'
    """
    total, is_plain = model.total, model.loss == "linlin" and not model.is_by_row
    if total is None or total == 2 or not (is_plain and model.is_priced):
        return ""
    one, two, all_ = (
        add_unit(choose_declared_precision(x).number(x), model.money) for x in (1, 2, total)
    )
    times = choose_declared_precision(total / 2).number(total / 2)
    return prose.line("cost.scale", one=one, two=two, times=times, total=all_)


def describe_cheapest_ranges(spans: Sequence[tuple[str, float, float]]) -> str:
    """Describe which model is shown the cheapest at which cost ratios.

    >>> describe_cheapest_ranges([("CLV", 0.0, 0.5), ("Boosting", 0.8, 1.0)])
    'CLV is cheapest up to 1 : 1 and Boosting from 4 : 1 upwards'
    """
    said = [f"{model} {ALPHA.ratios(low, high)}" for model, low, high in spans]
    (model, low, high), *_ = spans
    said[0] = prose.line("cheapest_at.first", model=model, stretch=ALPHA.ratios(low, high))
    return join_list(said)


def _cheapest(plain: CostDecision, terms: CostWording) -> str:
    cost, limits = format_with_interval(plain.cheapest.cost, terms.money)
    return prose.line(
        "cost.lowest",
        at=describe_costs_at(plain, terms),
        model=terms.label(plain.best),
        is_alone=terms.is_alone,
        quantity=terms.quantity,
        cost=cost,
        per=terms.per,
        level=format_level(terms.level),
        limits=limits,
    )


def describe_saving(plain: CostDecision, terms: CostWording) -> str:
    """Describe what the choice saves against the baseline as it is."""
    if terms.baseline is None:
        return ""
    baseline = terms.label(terms.baseline)
    if plain.best == terms.baseline:
        return prose.line("saving.baseline", is_alone=terms.is_alone)
    value, interval = format_with_interval(plain.cheapest.saving, terms.money)
    if not any(digit in value for digit in "123456789"):
        return prose.line("saving.nothing", baseline=baseline, limits=interval)
    is_open = not plain.cheapest.saving.is_above_zero
    return prose.line(
        "saving.amount", value=value, baseline=baseline, limits=interval, is_open=is_open
    )


def _surety(plain: CostDecision, terms: CostWording) -> str:
    if terms.is_alone:
        return ""
    share = plain.cheapest.share_best
    rivals = [terms.label(model) for model in plain.not_distinguishable]
    often = "" if share is None else format_percent(share)
    return prose.line("cost.surety", share=often, rivals=rivals)


def _holding(
    made: CostDecision,
    terms: CostWording,
    ranges: Sequence[CostRange],
    envelope: Sequence[CheapestRange],
) -> str:
    """Say over which asymmetries the choice holds: by its band, and by what is estimated."""
    if terms.is_alone or terms.is_by_row:
        return ""
    span = stretch = baseline = ""
    if made.best != terms.baseline and terms.baseline is not None:
        pair, baseline = (made.best, terms.baseline), terms.label(terms.baseline)
        own = [each for each in ranges if (each.candidate, each.baseline) == pair]
        here = _find_range(made.asymmetry, own)
        if here is not None and here.verdict == "cheaper":
            span = terms.axis.stretch(here.low, here.high)
    line = _find_range(made.asymmetry, envelope)
    if line is not None:
        stretch = terms.axis.stretch(line.low, line.high)
    if not baseline and not stretch:
        return ""
    symbol = terms.axis.symbol
    return prose.line("cost.holds", span=span, baseline=baseline, symbol=symbol, line=stretch)


def describe_constant_gain(plain: CostDecision, shifted: CostDecision, terms: CostWording) -> str:
    """Describe what a constant added to every score would still change."""
    if terms.axis.has_ratio and plain.asymmetry in (0.0, 1.0):
        return prose.line("constant.one_sided")
    constant, is_same = shifted.cheapest.constant, shifted.best == plain.best
    if is_same and constant.value == 0:
        return prose.line("constant.useless")
    act, bounds = describe_constant(constant, terms)
    if is_same and not (constant.is_above_zero or constant.is_below_zero):
        form = choose_format(constant.value, constant.low, constant.high, terms.unit)
        best = form.amount(constant.value, signed=True)
        return prose.line("constant.open", constant=best, limits=bounds)
    cost, reach = format_with_interval(shifted.cheapest.cost, terms.money)
    return prose.line(
        "constant.gain",
        is_alone=terms.is_alone,
        is_same=is_same,
        model=terms.label(shifted.best),
        at=terms.axis.place(shifted.asymmetry),
        act=act,
        bounds=bounds,
        quantity=terms.quantity,
        cost=cost,
        per=terms.per,
        limits=reach,
        saved=_describe_saving_at_same_shift(shifted, terms),
    )


def _describe_saving_at_same_shift(
    made: CostDecision, terms: CostWording, *, is_fitted: bool = False
) -> str:
    """Describe the saving against the baseline with a constant of its own."""
    if terms.baseline is None or made.best == terms.baseline:
        return ""
    value, interval = format_with_interval(made.saving_same_shift, terms.money)
    return prose.line(
        "constant.saved",
        value=value,
        baseline=terms.label(terms.baseline),
        is_fitted=is_fitted,
        limits=interval,
        is_open=not made.saving_same_shift.is_above_zero,
    )


def describe_constant(constant: IntervalEstimate, terms: CostWording) -> tuple[str, str]:
    """Describe what is done to every score, and the interval of the constant."""
    value, low, high = constant.value or 0.0, constant.low, constant.high
    form = choose_format(value, low, high, terms.unit)
    size = form.amount(abs(value))
    act = prose.line("constant.act", is_added=value >= 0, size=size)
    return act, form.plain_interval(low, high, signed=True)


def format_with_interval(found: IntervalEstimate, unit: str) -> tuple[str, str]:
    """Format a number with its unit, and its interval."""
    form = choose_format(found.value, found.low, found.high, unit, (0.0,))
    is_signed = found.low is not None and found.low < 0
    return form.amount(found.value), form.plain_interval(found.low, found.high, signed=is_signed)


def _find_range(alpha: float, ranges: Iterable[_Range]) -> _Range | None:
    """Find the range that holds an asymmetry."""
    return next((each for each in ranges if each.low <= alpha <= each.high), None)


def _format_amount(value: float, unit: str) -> str:
    return add_unit(choose_declared_precision(round(value, 6)).number(value), unit)


def _rough(value: float, unit: str) -> str:
    return choose_format(value, None, None, unit, (0.0,)).amount(value)
