"""What folds tell: each metric on each fold, and each comparison by the two questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.results.numbers import Number

FoldQuestion = Literal["procedure", "fitted"]


@dataclass(frozen=True)
class FoldValue:
    """One metric of one model on the `n` rows of one fold; `round` is "" where there is one."""

    dataset: str
    round: str
    fold: str
    n: int
    key: str
    model: str
    value: Number


@dataclass(frozen=True)
class FoldComparison:
    """A candidate minus the baseline on all rows, with the interval that answers one question.

    `procedure` asks of the way to learn, fitted again on other rows of this number; `fitted` of the
    models that made these scores. `is_asked` marks the one on which verdicts and gates rest. No
    interval allows for other comparisons.
    """

    dataset: str
    key: str
    candidate: str
    baseline: str
    question: FoldQuestion
    is_asked: bool
    difference: Number
    low: Number
    high: Number
    level: float
    p_value: Number
    method: str
    test: str
