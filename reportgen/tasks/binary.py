"""Two classes: the target is 1 or 0, the score a probability of 1, or rises with it."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column
from reportgen.rows import Classes
from reportgen.tasks.task import Said, Task


def _rows(outcome: Column, said: Said) -> Classes:
    code = outcome.once("code", lambda: outcome.values.astype(np.intp))
    return Classes(code, said.score[:, None], ("0", "1"), said.scale, outcome=outcome)


BINARY = Task(
    name="binary",
    target="flag",
    scales=("probability", "score", "rank"),
    rows=_rows,
)
