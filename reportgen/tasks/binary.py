"""Two classes: the target is 1 or 0, the score a probability of 1, or rises with it."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column
from reportgen.rows import Classes
from reportgen.tasks.task import FirstConfig, Predictions, Task


def _rows(outcome: Column, found: Predictions) -> Classes:
    code = outcome.once("code", lambda: outcome.values.astype(np.intp))
    return Classes(code, found.score[:, None], ("0", "1"), found.scale, outcome=outcome,
                   calls=found.calls)  # fmt: skip


BINARY = Task(
    name="binary",
    target="flag",
    scales=("probability", "score", "rank", "label"),
    rows=_rows,
    first=FirstConfig(
        metrics={
            "roc_auc": "do the scores tell the two classes apart?",
            "log_loss": "are the probabilities right?",
            "accuracy": "threshold: 0.5",
        },
        loose_scale="score",
        loose="a score that rises with the probability of 1 and is none",
        gate=("order good enough", "above, metric: roc_auc", "0.7"),
    ),
)
