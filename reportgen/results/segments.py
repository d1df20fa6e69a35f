"""Segments: how far apart they are, and whether a comparison is the same in all of them."""

from __future__ import annotations

from dataclasses import field

from reportgen.records import record
from reportgen.results.costs import IntervalEstimate
from reportgen.results.types import Number


@record
class OmittedSegment:
    """A segment that a gap leaves out, by its value, and why."""

    name: str
    reason: str


@record
class GroupGap:
    """The gap between the segments of the column `by` on one metric.

    Of one `model` the largest value of a segment minus the smallest, those of `highest` and
    `lowest`; of two segments `between` which it is, the first minus the second, with its sign.
    With `against`, how much larger the model's gap is than that model's, which is `gap_against`;
    the gap of two segments is then the size of their difference. `segments` counts those with a
    value and an interval, `omitted` are the others. `p_value` tests that there is no gap, or
    that it is the same. `tail_reach`, `is_decided_by_few`: the largest of the segments' estimates.
    """

    dataset: str
    key: str
    model: str
    against: str | None
    by: str
    between: tuple[str, ...]
    level: float
    value: Number = None
    low: Number = None
    high: Number = None
    p_value: Number = None
    highest: str = ""
    lowest: str = ""
    gap_against: Number = None
    segments: int = 0
    omitted: tuple[OmittedSegment, ...] = ()
    reason: str = ""
    tail_reach: Number = None
    is_decided_by_few: bool = False

    @property
    def place(self) -> tuple[str, str, str, str | None, str, tuple[str, ...]]:
        """What distinguishes it from all others."""
        return self.dataset, self.key, self.model, self.against, self.by, self.between

    @property
    def is_established(self) -> bool:
        """True if there is a gap, or a change of it, at the level of the interval."""
        if self.low is None or self.high is None:
            return False
        return self.low > 0 or self.high < 0


@record
class GroupDifference:
    """Candidate minus baseline in one segment, or in one window of time.

    `name` is the segment's value, or the first and the last time of the window. The limits are
    unadjusted.
    """

    name: str
    n: int
    difference: Number
    low: Number
    high: Number


@record
class Stability:
    """Whether the difference of two models on the primary metric is the same everywhere.

    `by` is the column of the segments; empty where `is_time` holds. `left_out` counts groups with
    too few units. Of segments, `statistic` tests that all differences are equal, an F with `df` and
    `error_df`; None where too little is known. `within` is the mean of the differences, each with
    the share of the weight that its group has. In time, `change` is the fitted difference in the
    last window minus that in the first, and `last` the difference in the last window minus that in
    all before it, each with a p-value. A p-value below (1 − level)/`tests` is a finding.
    `differs_by_segment`: the differences are not all equal. `is_reversed`: at the level of the
    tests, `within` favours one model and all rows together favour the other.
    """

    dataset: str
    key: str
    candidate: str
    baseline: str
    by: str
    is_time: bool
    groups: tuple[GroupDifference, ...]
    left_out: int
    level: float
    tests: int
    statistic: Number = None
    df: Number = None
    error_df: Number = None
    p_value: Number = None
    differs_by_segment: bool = False
    within: IntervalEstimate = field(default_factory=IntervalEstimate)
    is_reversed: bool = False
    change: IntervalEstimate = field(default_factory=IntervalEstimate)
    change_p: Number = None
    last: IntervalEstimate = field(default_factory=IntervalEstimate)
    last_p: Number = None

    @property
    def is_changing(self) -> bool:
        """True if the difference is established to rise or to fall over time."""
        return _is_below(self.change_p, self)

    @property
    def differs_in_last_period(self) -> bool:
        """True if the last window is established to differ from those before it."""
        return _is_below(self.last_p, self)


def _is_below(p_value: Number, of: Stability) -> bool:
    return p_value is not None and p_value < (1 - of.level) / of.tests
