"""Two classes: the target is 1 or 0, the score a probability of 1, or rises with it."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column
from reportgen.rows import Classes
from reportgen.tasks.task import Predictions, Task


def _rows(outcome: Column, found: Predictions) -> Classes:
    code = outcome.once("code", lambda: outcome.values.astype(np.intp))
    return Classes(code, found.score[:, None], ("0", "1"), found.scale, outcome=outcome)


BINARY = Task(
    name="binary",
    target="flag",
    scales=("probability", "score", "rank"),
    rows=_rows,
)
