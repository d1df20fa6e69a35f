"""How far a second judge of the same rows agrees with the target, and the models beside that."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.core import Comparison, Estimate


@dataclass(frozen=True)
class Agreement:
    """What one metric of calls says of a second judge, and of the models, on the same rows.

    `column` holds the classes by the second judge, `n` counts the rows that have one and weigh
    anything, of `of` rows. `point` names the operating point at which models call, "" where classes
    have scores of their own. `judge` holds the judge against the target as if it were a model,
    `estimates` the models; `comparisons` are each model less the judge, each interval at its own
    level. `only` is the class that the judge names on all of these rows, "" where there are
    several.
    """

    dataset: str
    column: str
    metric: str
    title: str
    point: str
    n: int
    of: int
    judge: Estimate
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    only: str = ""
