"""What errors cost on a dataset: one class for each kind of row, read by its attributes.

An asymmetry is α, the share of the cost that lies on under-estimation, from 0 to 1; or c of an
exponential loss, in one over the unit of the target. A `shift` says what was added to the scores:
nothing, the best constant for these rows, or the constant that was fitted on others. Costs are in
the `money` of the cost model for its number of `cases`, errors in the unit of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.results.numbers import Number, rounded

Shift = Literal["none", "optimal", "fitted"]
RangeVerdict = Literal["cheaper", "undetermined", "dearer"]


@dataclass(frozen=True)
class IntervalEstimate:
    """A value and the limits of its interval, each None where it does not exist."""

    value: Number = None
    low: Number = None
    high: Number = None

    @staticmethod
    def of(value: float, low: float, high: float) -> IntervalEstimate:
        """The three, rounded on entering the results; what is not finite becomes None."""
        return IntervalEstimate(rounded(value), rounded(low), rounded(high))


@dataclass(frozen=True)
class CostModel:
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


@dataclass(frozen=True)
class CheapestRange:
    """A range of asymmetries over which a model has the lowest cost, as estimated."""

    shift: Shift
    model: str
    low: float
    high: float


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Crossing:
    """An asymmetry at which two models cost the same, and those at which they may.

    `low` and `high` bound the piece of the axis over which the interval of the difference holds
    zero, None where it nowhere does; a piece without a crossing has no `asymmetry`. The cheaper
    model on either side is None where neither is shown to be. From `judged_low` to `judged_high`
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class CostAnalysis:
    """All that is found of costs on one dataset.

    Nothing is found over the asymmetries where unit costs differ by row. `mixtures` has the
    neighbours on the hull.
    """

    dataset: str
    model: CostModel
    decompositions: tuple[ErrorDecomposition, ...]
    envelope: tuple[CheapestRange, ...] = ()
    ranges: tuple[CostRange, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    points: tuple[RrocPoint, ...] = ()
    mixtures: tuple[Mixture, ...] = ()
