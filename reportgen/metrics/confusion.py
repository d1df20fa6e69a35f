"""What calls get right and wrong: metrics of the confusion matrix, a table of four cells.

A row is called positive where its score is at least the threshold. Each metric says in which cell
a row falls and makes its value from the shares of the weight in the cells, so that all metrics of
one threshold are found in one pass.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.limits import outside
from reportgen.metrics.spec import counted

CELLS = 4  # true negatives, false positives, false negatives, true positives
POWERS = (
    "Powers (2011), Evaluation: from precision, recall and F-measure to ROC, informedness, "
    "markedness and correlation, Journal of Machine Learning Technologies 2; arXiv:2010.16061"
)


def right_calls(table: Matrix) -> Vector:
    """The share of the weight on the diagonal, (b,), from shares of the cells, (b, 4)."""
    return np.asarray(table[:, 0] + table[:, 3])


def threshold_limits(threshold: float) -> str | None:
    """What is wrong with a threshold on a probability, or None."""
    return outside("threshold", threshold, 0, 1)


@counted(
    kind="decision",
    cells=CELLS,
    title="Accuracy",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion",
    needs="probability",
    check=threshold_limits,
    finish=right_calls,
    formula="Σ w [called = y] / Σ w, called where the probability is at least the threshold",
    undefined="where no row has weight",
    caveat="Where one class is rare, calling every row the other class is nearly always right.",
    answers=questions.CALLS,
    asks="how often a row is called right",
    blind="which of the two errors is made, and how sure the model was",
)
def accuracy(y: Vector, score: Vector, *, threshold: float = 0.5) -> Index:
    """Share of the rows that are called right, called positive at the threshold and above."""
    called = score >= threshold
    return np.asarray(2 * (y > 0) + called, dtype=np.intp)
