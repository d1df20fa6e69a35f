"""How far apart the segments of a column are, of one model and of a model against another."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.types import Number


@dataclass(frozen=True)
class OmittedSegment:
    """A segment that a gap leaves out, by its value, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
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
