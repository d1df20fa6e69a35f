"""Facts about requirements: what each needs, its value, how many are met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact, refuse_impossible
from reportgen.report.facts.values import Limits, Quantity
from reportgen.results.input_checks import HoldingCheck
from reportgen.results.types import GateRule, RequirementStatus


@dataclass(frozen=True)
class RequirementText(Fact):
    """The text of a requirement.

    `heading` is the metric at the start of a sentence, `ranked` the rows that a metric of order
    ranks, `drop` the loss on one row that counts as
    harm, `groups` the segments between which a gap lies.
    """

    message: ClassVar[str] = "requirement.{rule}"
    rule: GateRule
    metric: str
    heading: str
    model: str
    baseline: str
    bound: Quantity
    drop: Quantity
    rows: str
    where: str
    ranked: str
    is_named: bool
    is_size: bool
    groups: str = ""

    @property
    def has_bound(self) -> bool:
        """True if the bound is not zero."""
        return bool(self.bound.value)


@dataclass(frozen=True)
class RequirementValue(Fact):
    """The value that a requirement is about, with what it needs."""

    message: ClassVar[str] = "requirement_value.{of}"
    of: Literal["value", "difference"]
    value: Quantity
    limits: Limits | None
    needs: str
    reason: str


@dataclass(frozen=True)
class StatusCount(Fact):
    """The number of requirements with a status."""

    message: ClassVar[str] = "status_count"
    count: int
    status: RequirementStatus

    def __post_init__(self) -> None:
        """Refuse a status that no requirement has."""
        refuse_impossible(self.count < 1)


@dataclass(frozen=True)
class RequirementsSummary(Fact):
    """The outcome of all requirements.

    `answer_model` is the model that the answer names and that no requirement is about.
    """

    message: ClassVar[str] = "requirements.{outcome}"
    outcome: Literal["all met", "all met without gain", "mixed"]
    total: int
    counts: tuple[StatusCount, ...]
    answer_model: str | None

    def __post_init__(self) -> None:
        """Refuse a summary of nothing."""
        refuse_impossible(self.total < 1)


@dataclass(frozen=True)
class HeldRequirement(Fact):
    """Why a check of the input decides a requirement in place of the numbers."""

    message: ClassVar[str] = "requirement.{check}"
    check: HoldingCheck
    case: str
    cases: str
