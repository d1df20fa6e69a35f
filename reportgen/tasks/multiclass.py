"""Several classes: the target names one a row, the scores are one a class, or name one."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column
from reportgen.rows import Classes
from reportgen.tasks.task import FirstConfig, Predictions, Task


def _rows(outcome: Column, found: Predictions) -> Classes:
    code = outcome.once("code", lambda: outcome.values.astype(np.intp))
    if found.scale == "label":
        scores = np.eye(len(found.classes))[found.score.astype(np.intp)]
    else:
        scores = np.stack([found.parts[name] for name in found.parts], axis=1)
    return Classes(code, scores, found.classes, found.scale, prices=found.prices)


MULTICLASS = Task(
    name="multiclass",
    target="class",
    scales=("probability", "score", "label"),
    rows=_rows,
    first=FirstConfig(
        metrics={
            "accuracy": "how often is the class right?",
            "f": "the same class by class, the rare ones counting alike",
            "log_loss": "are the probabilities right?",
        },
        loose_scale="label",
        loose="a column with the class that the model names",
        gate=("right often enough", "above, metric: accuracy", "0.8"),
    ),
    per_class=("precision", "recall", "f", "roc_auc"),
)
