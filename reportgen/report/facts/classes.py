"""Facts about classes: what a mean over them is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact

ClassAverage = Literal[
    "macro",
    "ovr",
    "ovo",
    "weighted",
    "ovr_weighted",
    "ovo_weighted",
    "micro",
    "macro_pr",
    "samples",
]


@dataclass(frozen=True)
class ClassMean(Fact):
    """A mean over the classes, or labels, of a target."""

    message: ClassVar[str] = "class_mean.{average}"
    average: ClassAverage
    many: str
    cases: str
