"""How well scores tell one class from the other, by order alone: a share of pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.auc import auc_sums
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.kernels.rowpairs import spread
from reportgen.metrics import questions
from reportgen.metrics.concordance import auc_influence, auc_without_each
from reportgen.metrics.cutoff import HANLEY
from reportgen.metrics.images import as_another
from reportgen.metrics.spec import whole
from reportgen.rows import Classes

DELONG = (
    "DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated "
    "receiver operating characteristic curves, Biometrics 44; doi:10.2307/2531595"
)


def _fast(rows: Classes, batch: Batch) -> Vector:
    return np.clip(auc_sums(rows, batch).auc, 0.0, 1.0)


def _influence(rows: Classes, weight: Vector) -> Vector | None:
    return auc_influence(rows, weight, ties="half")


def _without_each(rows: Classes, weight: Vector) -> Vector | None:
    return auc_without_each(rows, weight, ties="half")


def positives(rows: Classes, **_: Any) -> NDArray[np.bool_]:
    """The rows of the positive class, (n,)."""
    return rows.y.values > 0


@whole(
    aliases=("auc", "auroc", "c_statistic", "concordance"),
    title="AUC",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=f"{HANLEY}; {DELONG}",
    estimand="share of pairs",
    needs="order",
    fast=_fast,
    influence=_influence,
    leave_one_out=_without_each,
    classes=positives,
    formula="Σ w_i w_j ([score_i > score_j] + ½[tied]) / Σ w_i w_j, y_i = 1, y_j = 0",
    undefined="where all rows are of one class",
    answers=questions.CLASSES,
    asks="how well the scores tell the two classes apart (one half is chance)",
    blind="whether the probabilities are right, and at which threshold the scores are used",
)
def roc_auc(y: Vector, score: Vector, weight: Vector) -> float:
    """Chance that a row of the positive class has a higher score than one of the other.

    Tied scores count one half.
    """
    is_positive = y > 0
    below, tied = spread(Column(score), np.where(is_positive, 0.0, weight))
    chosen, others = weight[is_positive], weight[~is_positive].sum()
    if chosen.sum() == 0 or others == 0:
        return np.nan
    right = chosen @ (below + tied / 2)[is_positive]
    return float(np.clip(right / (chosen.sum() * others), 0, 1))


def _fast_gini(rows: Classes, batch: Batch) -> Vector:
    return 2 * _fast(rows, batch) - 1


def _influence_of_gini(rows: Classes, weight: Vector) -> Vector | None:
    phi = _influence(rows, weight)
    return None if phi is None else 2 * phi


def _gini_without_each(rows: Classes, weight: Vector) -> Vector | None:
    values = _without_each(rows, weight)
    return None if values is None else 2 * values - 1


@whole(
    aliases=("somers_d", "accuracy_ratio", "gini_coefficient"),
    title="Gini coefficient",
    task="binary",
    better="higher",
    bounds=(-1.0, 1.0),
    unit="1",
    cite=f"{HANLEY}; {DELONG}",
    estimand="correlation of pairs",
    needs="order",
    fast=_fast_gini,
    influence=_influence_of_gini,
    leave_one_out=_gini_without_each,
    classes=positives,
    image=as_another("roc_auc", -1.0, 2.0),
    formula="2 · AUC − 1",
    undefined="where all rows are of one class",
    answers=questions.CLASSES,
    asks="how well the scores tell the two classes apart (0 is chance)",
    blind="whether the probabilities are right, and at which threshold the scores are used",
)
def gini(y: Vector, score: Vector, weight: Vector) -> float:
    """Twice the area under the ROC curve, less 1: Somers' D, in credit scoring the Gini."""
    return 2 * roc_auc(y, score, weight) - 1
