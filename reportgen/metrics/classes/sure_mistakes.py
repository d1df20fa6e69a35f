"""Rows that gave what happened no probability to speak of, and what they hold of the log loss."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.probability import CLIP
from reportgen.metrics.spec import Metric
from reportgen.rows import Classes, LabelSets

CLIPPING = ("log_loss", "multiclass_log_loss", "multilabel_log_loss")


def clip_among(metrics: Iterable[Metric]) -> float:
    """The largest least probability that one of these counts with; as without a word, if none."""
    clips = (m.params.get("clip") for m in metrics if m.name in CLIPPING)
    return max((clip for clip in clips if isinstance(clip, float)), default=CLIP)


def sure_mistakes(
    rows: Classes | LabelSets, weight: Vector, clip: float = CLIP
) -> tuple[int, float]:
    """How many rows that weigh gave what happened less than `clip`, and their share of the loss.

    Of labels a row counts where it has one such mistake, with the loss of these alone.
    """
    given = _given(rows)
    losses = -np.log(np.clip(given, clip, 1.0)) * weight[:, None]
    is_sure = (given < clip) & (weight > 0)[:, None]
    total = float(losses.sum())
    held = float(losses[is_sure].sum()) / total if total > 0 else 0.0
    return int(is_sure.any(axis=1).sum()), held


def _given(rows: Classes | LabelSets) -> Matrix:
    """The probability of what happened: of the class, (n, 1), or of each label, (n, k)."""
    if isinstance(rows, LabelSets):
        return np.where(rows.flags, rows.scores, 1 - rows.scores)
    if rows.scores.shape[1] == 1:
        return np.where(rows.y.values > 0, rows.score.values, 1 - rows.score.values)[:, None]
    return np.asarray(rows.scores[np.arange(len(rows)), rows.code][:, None])
