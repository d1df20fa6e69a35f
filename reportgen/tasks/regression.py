"""Regression: the target is an amount, and so is the score, or an order of the rows."""

from __future__ import annotations

from reportgen.kernels.batch import Column
from reportgen.rows import Amounts
from reportgen.tasks.task import Predictions, Task


def _rows(outcome: Column, found: Predictions) -> Amounts:
    return Amounts(
        outcome,
        found.score,
        found.parts,
        found.fit,
        found.scale,
        found.unit_costs,
    )


REGRESSION = Task(
    name="regression",
    target="amount",
    scales=("amount", "rank"),
    rows=_rows,
    has_side_costs=True,
)
