"""What comes of calling rows positive from an operating point on, of each 1,000 rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.results.numbers import Number, Params

PointRule = Literal["fixed", "cost", "share", "learnt"]


@dataclass(frozen=True)
class CallOutcome:
    """One thing that comes of the calls, and how far it is from that of the baseline's calls.

    `metric` is `called` (a share), `caught`, `missed`, `false_alarms` (of 1,000 rows) or
    `misclassification_cost` (of one row). Intervals are each at `level` on its own; a difference is
    model minus baseline, None of the baseline.
    """

    metric: str
    unit: str
    value: Number
    low: Number
    high: Number
    level: float
    difference: Number = None
    difference_low: Number = None
    difference_high: Number = None


@dataclass(frozen=True)
class OperatingPoint:
    """The calls of one model at one operating point, on all rows of a dataset.

    `rule` says how the point is set: a `fixed` threshold, that of `cost`, a `share` of the weight,
    or `learnt` by a `goal`, such as {"maximize": "f"}, whose metric is titled `aim`. `threshold` is
    None where the point moves with the weights or no threshold will do. `threshold_low` and
    `threshold_high` say where resamples of the rows that taught it put it, and `learnt_on` names
    their dataset, which may be this one. Of a `share`, `lowest_called` is the lowest score that is
    called on these rows (the highest of a model whose low scores say more), in part if more rows
    are tied there than are called. The cells are sums of weights: counts of rows where no weight is
    declared. Where calls have costs, `cost_of_none` and `cost_of_all` are those of one row if
    no row is called, and if every one is; `pays_from` is the probability from which a call
    costs no more than it saves, where that is one for all rows. The rates are shares of a class
    that are called wrong, None where it weighs nothing.
    """

    dataset: str
    name: str
    rule: PointRule
    model: str
    true_negatives: Number
    false_positives: Number
    false_negatives: Number
    true_positives: Number
    outcomes: tuple[CallOutcome, ...]
    goal: Params
    share: Number = None
    threshold: Number = None
    threshold_low: Number = None
    threshold_high: Number = None
    learnt_on: str | None = None
    lowest_called: Number = None
    aim: str = ""
    cost_of_none: Number = None
    cost_of_all: Number = None
    pays_from: Number = None
    false_positive_rate: Number = None
    false_negative_rate: Number = None
