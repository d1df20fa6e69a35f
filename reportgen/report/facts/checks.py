"""Facts about checks of the input: what they count, what follows, how they are allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact, refuse_impossible
from reportgen.terms import CheckKind


@dataclass(frozen=True)
class UnitsCounted(Fact):
    """Units that are counted: rows of a class, or what rows are drawn in."""

    message: ClassVar[str] = "counted.{unit}"
    unit: Literal["class", "cluster", "query", "time", "fold", "dataset"]
    count: int
    one: str
    many: str
    label: str


@dataclass(frozen=True)
class CheckEffect(Fact):
    """What follows where a check fails."""

    message: ClassVar[str] = "effect.{kind}"
    kind: CheckKind
    name: str
    is_of_model: bool


@dataclass(frozen=True)
class HowToAllow(Fact):
    """What to write where the failure of a check is intended; `at` is the key of the model."""

    message: ClassVar[str] = "allow.{scope}"
    scope: Literal["data", "model"]
    name: str
    at: str

    def __post_init__(self) -> None:
        """Refuse a model without its key."""
        refuse_impossible(self.scope == "model" and not self.at)
