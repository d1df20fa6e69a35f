"""Regression: the target is an amount, and so is the score, or an order of the rows."""

from __future__ import annotations

from reportgen.kernels.batch import Column
from reportgen.rows import Amounts
from reportgen.tasks.task import Said, Task


def _rows(outcome: Column, said: Said) -> Amounts:
    return Amounts(outcome, said.score, said.parts, said.fit, said.scale, said.unit_costs)


REGRESSION = Task(
    name="regression",
    target="amount",
    scales=("amount", "rank"),
    rows=_rows,
    has_side_costs=True,
)
