"""Scores that were computed elsewhere: a row is a data set, and holds what each model reached."""

from __future__ import annotations

from reportgen.kernels.batch import Column
from reportgen.rows import FinishedScores
from reportgen.tasks.task import FirstConfig, Predictions, Task


def _rows(outcome: Column, found: Predictions) -> FinishedScores:
    return FinishedScores(outcome, found.score, found.scale)


FINISHED = Task(
    name="finished",
    target="none",
    scales=("amount",),
    rows=_rows,
    first=FirstConfig(
        metrics={"finished_score": "how good is each model on a data set, on average?"},
        loose_scale="amount",
        loose="a score that each data set has of each model",
        gate=("no worse", "non_inferior, metric: finished_score", "0.01"),
    ),
)
