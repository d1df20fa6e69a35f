"""Results about answers to items: samples, and a judge's scores next to a human's."""

from __future__ import annotations

from reportgen.records import record
from reportgen.results.costs import IntervalEstimate
from reportgen.results.types import Number


@record
class SamplePlan:
    """What a difference would be known by with other numbers of samples.

    `se` is the standard error with as many items, `half_width` that of the unadjusted interval;
    `items_to_detect` show the margin with 80% power, None without a margin.
    """

    samples: int
    se: Number
    items_to_detect: int | None = None
    half_width: Number = None


@record
class SampleVariance:
    """The variance of a difference between items and within one.

    `between` is ω², None where each item has one sample; `within` the sum of both models' variances
    of one sample; `share_within` what part of the variance sampling brings, at present.
    """

    key: str
    candidate: str
    baseline: str
    between: Number
    within: Number
    plans: tuple[SamplePlan, ...] = ()
    share_within: Number = None


@record
class JudgeAgreement:
    """A judge and a human on the samples that a human labelled; of all models if `model` is None.

    Counts by who lets a sample pass. Limits treat items of a cluster as one. `reason` is why κ, or
    its interval, does not exist.
    """

    model: str | None
    both: int
    judge_alone: int
    human_alone: int
    neither: int
    kappa: IntervalEstimate
    ac1: IntervalEstimate
    sensitivity: IntervalEstimate
    specificity: IntervalEstimate
    reason: str = ""


@record
class JudgeFavour:
    """By how much more a judge scores the candidate above the human than the baseline."""

    candidate: str
    baseline: str
    error: IntervalEstimate
    reason: str = ""


@record
class CorrectedScore:
    """A judge's mean corrected by a human's labels; of a difference if there is a `baseline`.

    `weight` is how far the judge is trusted; `labelled` items have both scores, `others` the
    judge's alone.
    """

    model: str
    baseline: str | None
    corrected: IntervalEstimate
    human: IntervalEstimate
    judge: Number
    weight: Number
    labelled: int
    others: int
    se: Number = None
    reason: str = ""


@record
class Evaluation:
    """What is known of the answers of one dataset.

    Items have `fewest` to `most` samples. `judge` names the judge's score, "" if there is none, and
    `unit` is its unit. `passes_from` is the score from which a sample passes where the human's
    labels are passes and the judge's scores are not; the judge is then taken as passes too.
    """

    dataset: str
    fewest: int
    most: int
    level: float
    variances: tuple[SampleVariance, ...] = ()
    judge: str = ""
    unit: str = ""
    passes_from: Number = None
    agreements: tuple[JudgeAgreement, ...] = ()
    favours: tuple[JudgeFavour, ...] = ()
    corrected: tuple[CorrectedScore, ...] = ()
