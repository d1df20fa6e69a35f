"""What a rare class hides: two models at one recall, by both rates that false alarms have."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.numbers import Number


@dataclass(frozen=True)
class RareClass:
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
