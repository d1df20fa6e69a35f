"""Facts about families: how many comparisons are allowed for together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact

FamilyName = Literal["asked", "choice", "others", "best", "declared", "metrics", "segments"]


@dataclass(frozen=True)
class FamilySize(Fact):
    """The size of the largest family of a kind."""

    message: ClassVar[str] = "family.{family}"
    family: FamilyName
    size: int
