"""Findings of checks of the input: whether the data, and each model, support a judgement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal

from reportgen.records import record
from reportgen.results.core import MetricInfo
from reportgen.results.types import Scalar
from reportgen.terms import INPUT_CHECKS, InputCheck

HELD = ("too_good", "below_alone")
"""Checks that leave requirements on a model open, whatever its values are."""
HEAVY_TAIL = "heavy_tail"
"""The check that leaves open a requirement that a value meets which a few units decide."""
HoldingCheck = Literal["constant", "too_good", "below_alone", "heavy_tail"]
"""A check that decides the status of a requirement in place of the numbers."""
PLACE = ("at", "threshold", "is_usual")
"""Numbers that say which metrics a check is about."""
InputOutcome = Literal["passed", "failed", "allowed", "not looked at"]


@record
class InputFinding:
    """Outcome of a check of the input on a data set, or on one model there.

    `name` is the one that `allow:` takes. `model` is None where it is about all. `numbers` are the
    evidence: `at` is the operating point that it is about, with its `threshold`; `is_usual` says
    that it is that of metrics that name none. `metrics` are the kinds of metrics that it is about;
    empty for all. `reason` is why the config allows it. `is_hidden` says that its evidence may not
    be printed.
    """

    code: str
    name: str
    outcome: InputOutcome
    dataset: str
    model: str | None = None
    numbers: Mapping[str, Scalar] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    reason: str = ""
    is_hidden: bool = False

    @property
    def check(self) -> InputCheck:
        """The check itself."""
        return INPUT_CHECKS[self.name]

    @property
    def is_stop(self) -> bool:
        """True where it failed and forbids a judgement."""
        return self.outcome == "failed" and self.check.kind == "stop"

    def covers(self, kind: str) -> bool:
        """Tell whether it is about metrics of a kind."""
        return not self.metrics or kind in self.metrics

    def covers_metric(self, metric: MetricInfo) -> bool:
        """Tell whether it is about a metric: of its kind, and at its operating point if at one."""
        if not self.covers(metric.kind) or "at" not in self.numbers:
            return self.covers(metric.kind)
        at, threshold = metric.params.get("at"), metric.params.get("threshold")
        if at:
            return at == self.numbers["at"]
        if threshold is not None:
            return threshold == self.numbers["threshold"]
        return bool(self.numbers["is_usual"])


def find_failures(
    checks: Iterable[InputFinding], dataset: str, model: str, metric: MetricInfo
) -> dict[str, InputFinding]:
    """Find the checks of a model that failed and are about a metric, by their names."""
    return {
        each.name: each
        for each in checks
        if (each.outcome, each.dataset, each.model) == ("failed", dataset, model)
        and each.covers_metric(metric)
    }
