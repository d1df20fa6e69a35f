"""What a report decides, and about which model: one rule for the plan and for page one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.results.types import DecisionKind


@dataclass(frozen=True)
class ReportQuestion:
    """What is decided, and the model that it is about; None where it is about all candidates."""

    decision: DecisionKind
    about: str | None


def settle_question(
    declared: DecisionKind | None,
    about: str | None,
    baseline: str | None,
    models: Sequence[str],
) -> ReportQuestion:
    """Settle the question from what is declared and from the candidates, in their order.

    One candidate, or one that is named, replaces the baseline or does not; among several a model
    is chosen. Without another model, one meets its requirements or does not. A replacement by
    one of several that names none is about the first.

    >>> settle_question(None, None, "base", ["c1", "c2"])
    ReportQuestion(decision='choose', about=None)
    >>> settle_question(None, "c2", "base", ["c1", "c2"])
    ReportQuestion(decision='replace', about='c2')
    >>> settle_question(None, None, None, ["only"])
    ReportQuestion(decision='meets', about='only')
    """
    if baseline is None or not models:
        return ReportQuestion("meets", next(iter(models), baseline))
    decision = declared or ("replace" if about is not None or len(models) < 2 else "choose")
    if decision == "replace":
        return ReportQuestion(decision, about or next(iter(models), None))
    return ReportQuestion(decision, about)
