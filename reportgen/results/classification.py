"""Results of classes: operating points, confusion matrices, calibration."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from reportgen.records import record
from reportgen.results.core import Comparison, Estimate
from reportgen.results.costs import IntervalEstimate
from reportgen.results.types import Number, Numbers, Params, Word

PointRule = Literal["fixed", "cost", "share", "learnt"]


@record
class PointOutcome:
    """One outcome of the flags, and how far it is from that of the baseline's calls.

    `metric` is `flagged` (a share), `found`, `missed`, `false_positives` (of 1,000 rows) or
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


@record
class CostDifference(IntervalEstimate):
    """Cost of one row at an operating point minus that of flagging everyone, or nobody.

    The interval is unadjusted, `word` its verdict: better is cheaper.
    """

    word: Word = "no result"


@record
class OperatingPoint:
    """The calls of one model at one operating point, on all rows of a dataset.

    `rule` says how the point is set: a `fixed` threshold, that of `cost`, a `share` of the weight,
    or `learnt` by a `goal`, such as {"maximize": "f"}, whose metric is titled `aim`. `threshold` is
    None where the point moves with the weights or no threshold will do. `threshold_low` and
    `threshold_high` say where resamples of the rows that taught it put it, and `learnt_on` names
    their dataset, which may be this one. Of a `share`, `lowest_flagged` is the lowest score that is
    flagged on these rows (the highest of a model whose low scores say more), in part if more rows
    are tied there than are flagged. The cells are sums of weights: counts of rows where no weight
    is declared. Where calls have costs, `cost_of_none` and `cost_of_all` are those of one row if no
    row is flagged, and if every one is; `pays_from` is the probability from which flagging costs no
    more than it saves, where that is one for all rows. `against_everyone` and `against_nobody`
    compare the cost with these two. The rates are shares of a class that are classified wrongly,
    None where it weighs nothing.
    """

    dataset: str
    name: str
    rule: PointRule
    model: str
    true_negatives: Number
    false_positives: Number
    false_negatives: Number
    true_positives: Number
    outcomes: tuple[PointOutcome, ...]
    goal: Params
    share: Number = None
    threshold: Number = None
    threshold_low: Number = None
    threshold_high: Number = None
    learnt_on: str | None = None
    lowest_flagged: Number = None
    aim: str = ""
    cost_of_none: Number = None
    cost_of_all: Number = None
    pays_from: Number = None
    against_everyone: CostDifference | None = None
    against_nobody: CostDifference | None = None
    false_positive_rate: Number = None
    false_negative_rate: Number = None

    def turn_scores(self, end: float) -> OperatingPoint:
        """Return the point with its scores reversed: negated, or taken from an `end` of 1."""
        return replace(
            self,
            threshold=turn_score(self.threshold, end),
            threshold_low=turn_score(self.threshold_high, end),
            threshold_high=turn_score(self.threshold_low, end),
            lowest_flagged=turn_score(self.lowest_flagged, end),
        )


def turn_score(value: Number, end: float) -> Number:
    """Negate a score, or take it from an `end` of 1; None stays None.

    >>> turn_score(0.2, 1.0), turn_score(3.0, 0.0), turn_score(None, 1.0)
    (0.8, -3.0, None)
    """
    return None if value is None else round(end - value, 12)


@record
class ClassValues:
    """One metric of one class, or of all of them together, for every model.

    `value` is the class, "" where `average` says over which classes the mean is. `metric` and
    `title` are those of the metric whatever the class. `n` counts the rows of the class that weigh
    anything; where they are too few to judge there are no `comparisons`, which have a family of
    their own: all classes, metrics and pairs.
    """

    dataset: str
    value: str
    average: str
    metric: str
    title: str
    n: int
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...] = ()
    point: str = ""


@record
class ConfusionMatrix:
    """The weight of the rows of each class, (k, k), by the class that one model calls them.

    Rows and columns are in the order of the dataset's `classes`. A cell is None where it is hidden,
    or where nobody knows the classes of all rows that are predicted so.
    """

    dataset: str
    model: str
    weight: tuple[Numbers, ...]


@record
class LabelConfusion:
    """Confusion matrix of one model for a label `value`, one of several that a row may have.

    The cells are sums of weights: counts of rows where no weight is declared. `threshold` is the
    score from which the label is flagged, None of a model that names labels without scores, and
    `point` the operating point that says so, "" where none is declared. Where only flagged rows
    tell whether they have the label, the cells of others are None.
    """

    dataset: str
    model: str
    value: str
    point: str
    threshold: Number
    true_negatives: Number
    false_positives: Number
    false_negatives: Number
    true_positives: Number


@record
class ConfusionDifference:
    """Share of rows of class `value` that are predicted as `predicted`, candidate minus baseline.

    Limits allow for all cells and candidates; `is_shown` says that they leave out zero.
    """

    dataset: str
    value: str
    predicted: str
    candidate: str
    baseline: str
    difference: Number
    low: Number
    high: Number
    is_shown: bool


@record
class ModelCalibration:
    """Calibration of the probabilities of one model, on all rows of a dataset.

    The parts are of the Brier score: the first less the second plus the third. `p_calibrated` is
    the share of `draws` samples of a calibrated model with as much miscalibration, None where rows
    hang together. `spiegelhalter` is a z with its p. Limits are each at `level`. Of all rows
    together the probabilities say that the share `said` is positive, where `happened` was: limits
    are those of the one over the other, `p_total` is a test of their being the same.
    """

    dataset: str
    model: str
    n: int
    miscalibration: Number
    discrimination: Number
    uncertainty: Number
    slope: Number
    slope_low: Number
    slope_high: Number
    level: float
    spiegelhalter: Number = None
    p_spiegelhalter: Number = None
    p_calibrated: Number = None
    draws: int = 0
    said: Number = None
    happened: Number = None
    ratio_low: Number = None
    ratio_high: Number = None
    p_total: Number = None


@record
class ClassCalibration:
    """Mean predicted probability of a class, or label, by one model, and its observed share.

    `label` None is the class that each row is predicted as: how probable it is said, how often it
    is right. `is_off` says that the one test of all of them finds this one's probabilities not
    right, None where there is no test.
    """

    dataset: str
    model: str
    label: str | None
    said: Number
    happened: Number
    is_off: bool | None


@record
class RareClassComparison:
    """A candidate and the baseline at the same `recall`, where few rows are positive.

    Each pair is that of the candidate, then of the baseline. `low` and `high` are the limits of the
    difference in precision, from paired resamples. `differ` says that the intervals of the area
    under the ROC curve and of average precision do not agree on the side of zero.
    """

    dataset: str
    candidate: str
    baseline: str
    positives: Number
    recall: Number
    false_positive_rates: tuple[Number, Number]
    precisions: tuple[Number, Number]
    differ: bool = False
    low: Number = None
    high: Number = None


@record
class Agreement:
    """One classification metric of a second rater, and of the models, on the same rows.

    `column` holds the classes by the second judge, `n` counts the rows that have one and weigh
    anything, of `of` rows. `point` names the operating point at which models call, "" where classes
    have scores of their own. `judge` holds the judge against the target as if it were a model,
    `estimates` the models; `comparisons` are each model less the judge, each interval at its own
    level. `only` is the class that the judge names on all of these rows, "" where there are
    several.
    """

    dataset: str
    column: str
    metric: str
    title: str
    point: str
    n: int
    of: int
    judge: Estimate
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    only: str = ""
