"""Results of costs."""

from __future__ import annotations

from typing import Literal

from reportgen.records import record
from reportgen.results.types import Number, round_number

Shift = Literal["none", "optimal", "fitted"]
ShiftMethod = Literal["none", "optimal", "fitted", "polynomial", "surface", "soft"]
RangeVerdict = Literal["cheaper", "undetermined", "dearer"]


@record
class IntervalEstimate:
    """A value and the limits of its interval, each None where it does not exist."""

    value: Number = None
    low: Number = None
    high: Number = None

    @staticmethod
    def from_limits(value: float, low: float, high: float) -> IntervalEstimate:
        """Build an estimate from value and limits, rounded; what is not finite becomes None."""
        return IntervalEstimate(round_number(value), round_number(low), round_number(high))

    @property
    def is_above_zero(self) -> bool:
        """True where the whole interval is."""
        return self.low is not None and self.low > 0

    @property
    def is_below_zero(self) -> bool:
        """True where the whole interval is."""
        return self.high is not None and self.high < 0

    @property
    def opposite(self) -> IntervalEstimate:
        """The same of the opposite difference.

        >>> IntervalEstimate(1.0, -2.0, 4.0).opposite
        IntervalEstimate(value=-1.0, low=-4.0, high=2.0)
        """
        value, low, high = (None if v is None else -v for v in (self.value, self.high, self.low))
        return IntervalEstimate(value, low, high)

    def scale(self, times: float) -> IntervalEstimate:
        """Return the estimate for `times` the quantity, where `times` is above 0.

        >>> IntervalEstimate(1.0, None, 4.0).scale(0.5)
        IntervalEstimate(value=0.5, low=None, high=2.0)
        """
        ends = (self.value, self.low, self.high)
        return IntervalEstimate(*(None if v is None else round_number(v * times) for v in ends))


@record
class CostModelInfo:
    """The loss, and the money that errors cost.

    `total` is the cost of one unit too low plus that of one too high, of squared units for
    Quad-Quad; the mean of the rows where unit costs differ `by_row`. `money` is the currency, or
    the unit of the target where none `is_priced`. `declared` is the asymmetry of the unit costs,
    None without any. `reaches` says how far c is looked at to both sides, None for α.
    """

    loss: str
    total: Number
    money: str
    cases: int
    is_priced: bool
    declared: Number
    is_by_row: bool
    reaches: Number


@record
class ModelCost:
    """Cost of a model at one asymmetry with one shift.

    `constant` is what was added to its scores, 0 as they are. `saving` is against the baseline as
    it is, without a value where there is no baseline; `saving_by_shift` against the model as it is.
    `excess` is over the cheapest model with the same shift, from which the model is
    distinguishable where the interval lies above zero. `share_best` is the share of the resamples
    in which the model is the cheapest, None of few rows.
    """

    model: str
    constant: IntervalEstimate
    cost: IntervalEstimate
    saving: IntervalEstimate
    excess: IntervalEstimate
    saving_by_shift: IntervalEstimate
    share_best: Number
    is_distinguishable: bool


@record
class CostDecision:
    """The cheapest model at one asymmetry with one shift, and what every model costs.

    `under` and `over` are the costs of one unit too low and too high, None for c. `before` is the
    cost of the best model as it is. Savings are of the best model: `saving_same_shift` against the
    baseline with the same shift, `saving_by_shift` against the model that is cheapest as it is,
    `saving_share` as a share of the cost of the baseline as it is. `not_distinguishable` has the
    models that may cost as little as the best; without any `is_stable` says that it is
    the cheapest in at least the level's share of the resamples.
    """

    asymmetry: float
    under: Number
    over: Number
    shift: Shift
    best: str
    before: IntervalEstimate
    saving_same_shift: IntervalEstimate
    saving_by_shift: IntervalEstimate
    saving_share: IntervalEstimate
    is_stable: bool
    not_distinguishable: tuple[str, ...]
    models: tuple[ModelCost, ...]

    @property
    def cheapest(self) -> ModelCost:
        """The cost of the best model."""
        return next(each for each in self.models if each.model == self.best)


@record
class CostOption:
    """A model with a shift that can be put to use, at one asymmetry.

    `degree` is that of a polynomial, else 0; `constant` is known of fitted constants alone.
    `saving` is against the baseline as it is, `saving_share` as a share of what that costs.
    `excess` is over the cheapest option, from which this one is distinguishable where it is shown
    to cost more. One option is advised where there is a baseline.
    """

    asymmetry: float
    model: str
    method: ShiftMethod
    degree: int
    constant: IntervalEstimate
    cost: IntervalEstimate
    saving: IntervalEstimate
    saving_share: IntervalEstimate
    excess: IntervalEstimate
    is_distinguishable: bool
    is_advised: bool


@record
class ShiftCost:
    """A model with one method of choosing its shift, beside the best constant, at one asymmetry.

    `gap` is the cost over that with the best constant for these rows. `saving` is against the
    baseline as it is; `excess` over the cheapest method that can be put to use, without a value
    for the best constant, which cannot. `resamples` counts those in which the gap is known, 0
    where the shift is given.
    """

    asymmetry: float
    model: str
    method: ShiftMethod
    degree: int
    cost: IntervalEstimate
    gap: IntervalEstimate
    saving: IntervalEstimate
    excess: IntervalEstimate
    resamples: int


@record
class CheapestRange:
    """A range of asymmetries over which a model has the lowest cost, as estimated."""

    shift: Shift
    model: str
    low: float
    high: float


@record
class CostRange:
    """A range of asymmetries over which a candidate costs less than another model, or more.

    By the band of the difference, which holds at all asymmetries and for all pairs at once.
    """

    shift: Shift
    candidate: str
    baseline: str
    verdict: RangeVerdict
    low: float
    high: float


@record
class Crossing:
    """An asymmetry at which two models cost the same, and those at which they may.

    `low` and `high` bound the piece of the axis over which the interval of the difference holds
    zero, None where it nowhere does; a piece without a crossing has no `asymmetry`. The cheaper
    model on either side is None where the data cannot tell. From `judged_low` to `judged_high`
    there are intervals.
    """

    shift: Shift
    first: str
    second: str
    asymmetry: Number
    low: Number
    high: Number
    cheaper_below: str | None
    cheaper_above: str | None
    judged_low: Number
    judged_high: Number


@record
class RrocPoint:
    """Mean over- and under-estimation of a row: of a model, a constant, or scores in random order.

    `bias` is their sum. Only of models it is known whether they are the cheapest at some
    asymmetry, as they are: on these rows, and in which share of the resamples. `dominated_by` is
    the first model that costs less at every asymmetry, None without one.
    """

    name: str
    kind: Literal["model", "constant", "random order"]
    over: IntervalEstimate
    under: IntervalEstimate
    bias: IntervalEstimate
    dominated_by: str | None
    is_on_hull: bool | None = None
    share_on_hull: Number = None
    best_from: Number = None
    best_to: Number = None


@record
class ErrorDecomposition:
    """The mean squared error of a model: its squared mean error plus the variance of the error.

    `unit` is that of all squares. `share_of_bias` is None where every error is zero. `aoc`, the
    area over the RROC curve, is half the variance.
    """

    model: str
    unit: str
    mse: IntervalEstimate
    squared_bias: Number
    share_of_bias: Number
    bias: IntervalEstimate
    variance: IntervalEstimate
    aoc: IntervalEstimate


@record
class Mixture:
    """Two models, neighbours on the hull, mixed at random to meet a target in expectation.

    `quantity` says what is to meet it: the mean error, or the mean over-estimation. `share` is
    that of the rows on which the first is used, None where no mixture meets it; `over` and `under`
    are the mixture's. Both models cost the same at the `asymmetry`.
    """

    first: str
    second: str
    asymmetry: float
    first_over: Number
    second_over: Number
    first_bias: Number
    second_bias: Number
    quantity: Literal["bias", "over"]
    target: Number
    share: IntervalEstimate
    over: Number
    under: Number


@record
class CostAnalysis:
    """Results about costs on one dataset.

    `options` has what changes least first. Nothing is found over the asymmetries where unit costs
    differ by row. `mixtures` has the neighbours on the hull. `shifts` is empty where none was
    fitted and no model has a density.
    """

    dataset: str
    model: CostModelInfo
    decisions: tuple[CostDecision, ...]
    options: tuple[CostOption, ...]
    decompositions: tuple[ErrorDecomposition, ...]
    envelope: tuple[CheapestRange, ...] = ()
    ranges: tuple[CostRange, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    points: tuple[RrocPoint, ...] = ()
    mixtures: tuple[Mixture, ...] = ()
    shifts: tuple[ShiftCost, ...] = ()
