"""Findings of checks of the input: whether the data, and each model, support a judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.results.types import Scalar
from reportgen.terms import INPUT_CHECKS, InputCheck

InputOutcome = Literal["passed", "failed", "allowed", "not looked at"]


@dataclass(frozen=True)
class InputFinding:
    """Outcome of a check of the input on a data set, or on one model there.

    `name` is the one that `allow:` takes. `model` is None where it is about all. `numbers` are the
    evidence. `metrics` are the kinds of metrics that it is about; empty for all. `reason` is why
    the config allows it.
    """

    code: str
    name: str
    outcome: InputOutcome
    dataset: str
    model: str | None = None
    numbers: Mapping[str, Scalar] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    reason: str = ""

    @property
    def check(self) -> InputCheck:
        """The check itself."""
        return INPUT_CHECKS[self.name]

    def covers(self, kind: str) -> bool:
        """Tell whether it is about metrics of a kind."""
        return not self.metrics or kind in self.metrics
