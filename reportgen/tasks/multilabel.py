"""Any number of labels a row: the target says which are there, the scores are one a label."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column
from reportgen.rows import LabelSets
from reportgen.tasks.task import FirstConfig, Predictions, Task


def _rows(outcome: Column, found: Predictions) -> LabelSets:
    assert found.flags is not None
    scores = np.stack([found.parts[name] for name in found.parts], axis=1)
    return LabelSets(found.flags, scores, found.classes, found.scale, found.points, outcome)


MULTILABEL = Task(
    name="multilabel",
    target="labels",
    scales=("probability", "score", "label"),
    rows=_rows,
    first=FirstConfig(
        metrics={
            "f": "the mean of the labels, the rare ones counting alike",
            "hamming_loss": "how often is a label wrong?",
            "log_loss": "are the probabilities right?",
        },
        loose_scale="label",
        loose="columns of 1 and 0 for the labels that the model names",
        gate=("labels good enough", "above, metric: f", "0.5"),
    ),
    per_class=("precision", "recall", "f", "roc_auc"),
)
