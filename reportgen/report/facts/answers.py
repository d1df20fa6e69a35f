"""Facts about the answer: the finding on one model, what a model is used for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact, refuse_impossible
from reportgen.report.facts.values import Quantity
from reportgen.results.types import Kind

FindingKind = Literal[
    "clearly better",
    "better",
    "equivalent",
    "identical",
    "constant",
    "same decisions",
    "not worse",
    "not better",
    "cannot tell",
    "cannot tell which",
    "worse",
    "clearly worse",
    "no result",
    "few",
    "conflict",
    "check",
    "reference",
    "trade-off",
    "requirement open",
    "requirements open",
]


@dataclass(frozen=True)
class Finding(Fact):
    """What the data say of one candidate.

    `gain` is what a better model does, `reference` what takes no model, `other` a metric on which
    it is worse, `requirement` what an open requirement asks.
    """

    message: ClassVar[str] = "finding.{kind}"
    kind: FindingKind
    candidate: str
    baseline: str
    metric: str
    gain: str
    problem: str
    case: str
    units: str
    fewest: int
    verdict: str
    purpose: str
    other: str
    other_verdict: str
    other_purpose: str
    requirement: str
    count: int
    margin: Quantity
    reference: str

    def __post_init__(self) -> None:
        """Refuse a failed check without its problem, or a missed reference without its name."""
        refuse_impossible(self.kind == "reference" and not self.reference)
        refuse_impossible(self.kind == "check" and not self.problem)


@dataclass(frozen=True)
class Purpose(Fact):
    """What a model is used for where a metric of this kind decides."""

    message: ClassVar[str] = "purpose.{kind}"
    kind: Kind
    cases: str


@dataclass(frozen=True)
class OpenRequirement(Fact):
    """What a requirement asks of a model, as the end of a sentence."""

    message: ClassVar[str] = "open_requirement.{rule}"
    rule: Literal["below", "above", "other"]
    name: str
    metric: str
    bound: Quantity
    where: str
    is_size: bool


@dataclass(frozen=True)
class SameForAll(Fact):
    """What a model makes the same for every row: its scores, or its decisions at the threshold."""

    message: ClassVar[str] = "note.same_{what}"
    what: Literal["scores", "decisions"]
    case: str
