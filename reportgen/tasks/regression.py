"""Regression: the target is an amount, and so is the score, or an order of the rows."""

from __future__ import annotations

from reportgen.kernels.batch import Column
from reportgen.rows import Amounts
from reportgen.tasks.task import FirstConfig, Predictions, Task


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
    first=FirstConfig(
        metrics={
            "kendall": "does the order agree?",
            "spearman": "",
            "mae": "how far off, on average, in the target's unit?",
            "rmse": "",
        },
        loose_scale="rank",
        loose="a score that only orders the rows and is no amount",
        gate=("error in bounds", "below, metric: mae", "40"),
    ),
    has_side_costs=True,
    has_densities=True,
)
