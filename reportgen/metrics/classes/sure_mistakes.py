"""Probability 0 given to what happened: on how many rows, and what they hold of the log loss."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.probability import CLIP
from reportgen.rows import Classes, LabelSets


def sure_mistakes(rows: Classes | LabelSets, weight: Vector) -> tuple[int, float]:
    """How many rows that weigh gave what happened probability 0, and their share of the log loss.

    Of labels a row counts where it has one such mistake, with the loss of these alone.
    """
    given = _given(rows)
    losses = -np.log(np.clip(given, CLIP, 1.0)) * weight[:, None]
    is_sure = (given == 0) & (weight > 0)[:, None]
    total = float(losses.sum())
    held = float(losses[is_sure].sum()) / total if total > 0 else 0.0
    return int(is_sure.any(axis=1).sum()), held


def _given(rows: Classes | LabelSets) -> Matrix:
    """The probability of what happened: of the class, (n, 1), or of each label, (n, k)."""
    if isinstance(rows, LabelSets):
        return np.where(rows.flags, rows.scores, 1 - rows.scores)
    return np.asarray(rows.scores[np.arange(len(rows)), rows.code][:, None])
