"""Facts about rows that are wrong: how far they can move a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact

Withstands = Literal[
    "nothing",
    "range",
    "rows",
    "pairs",
    "ranks",
    "half",
    "weighted",
    "tied_pairs",
    "tied_ranks",
]
"""What a metric withstands; the last three where rows do not all count alike."""


@dataclass(frozen=True)
class WorstCase(Fact):
    """What wrong rows can do to metrics at most; `share` is of the range of a metric."""

    message: ClassVar[str] = "worst.{withstands}"
    withstands: Withstands
    metrics: tuple[str, ...]
    share: str
    half: int
    case: str
    cases: str
