"""How well scores tell the rows above a cut-off of y from those below it: a share of pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Vector
from reportgen.kernels.rowpairs import spread
from reportgen.kernels.weighted_quantile import quantile_interval
from reportgen.metrics import questions
from reportgen.metrics.concordance import ROSSET, auc_influence, auc_without_each
from reportgen.metrics.limits import not_inside, not_one_of
from reportgen.metrics.spec import whole
from reportgen.rows import Amounts

TRUCHON = (
    "Truchon & Bayly (2007), Evaluating virtual screening methods: good and bad metrics for the "
    '"early recognition" problem, J. Chem. Inf. Model. 47; doi:10.1021/ci600426e'
)
HANLEY = (
    "Hanley & McNeil (1982), The meaning and use of the area under a receiver operating "
    "characteristic (ROC) curve, Radiology 143; doi:10.1148/radiology.143.1.7063747"
)


def cutoff_limits(above: float | None, quantile: float | None) -> str | None:
    """What is wrong with the parameters of a cut-off, or None."""
    wrong = not_one_of({"above": above, "quantile": quantile}, "above: 0")
    return wrong or not_inside("quantile", quantile, 0, 1)


def _cutoff_influence(
    rows: Amounts, weight: Vector, *, above: float | None, quantile: float | None
) -> Vector | None:
    if above is None:
        return None
    return auc_influence(_cut(rows, above), weight, ties="half")


def _cutoff_without_each(
    rows: Amounts, weight: Vector, *, above: float | None, quantile: float | None
) -> Vector | None:
    if above is None:
        return None
    return auc_without_each(_cut(rows, above), weight, ties="half")


def _cutoff_classes(
    rows: Amounts, *, above: float | None, quantile: float | None
) -> NDArray[np.bool_] | None:
    """None for a quantile, whose place the weights move."""
    return None if above is None else rows.y.values > above


@whole(
    title="AUC at a cut-off of y",
    task="regression",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=f"{ROSSET}; {HANLEY}",
    estimand="share of pairs",
    needs="order",
    check=cutoff_limits,
    influence=_cutoff_influence,
    leave_one_out=_cutoff_without_each,
    classes=_cutoff_classes,
    formula="Σ w_i w_j ([score_i > score_j] + ½[tied]) / Σ w_i w_j, y_i above the cut, y_j not",
    undefined="where no row, or every row, lies above the cut-off",
    answers=questions.TOP,
    asks="how well the scores tell rows above a cut-off from rows below it",
    blind="the order among the rows above the cut-off, and among those below it",
)
def cutoff_auc(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    above: float | None = None,
    quantile: float | None = None,
) -> float:
    """Chance that a row with y above the cut-off has a higher score than one with y not above.

    The cut-off is a value (`above`) or a quantile of y, which is found anew for each weighting.
    Tied scores count one half.
    """
    if above is None:
        above = quantile_interval(y, weight, np.nan if quantile is None else quantile)[0]
    is_above = y > above
    below, tied = spread(Column(score), np.where(is_above, 0.0, weight))
    chosen, others = weight[is_above], weight[~is_above].sum()
    if chosen.sum() == 0 or others == 0:
        return np.nan
    right = chosen @ (below + tied / 2)[is_above]
    return float(np.clip(right / (chosen.sum() * others), 0, 1))


def _cut(rows: Amounts, above: float) -> Amounts:
    """The same rows with y only as above the cut-off or not."""
    is_above = rows.y.values > above
    return rows.once(f"above {above}", lambda: Amounts(is_above.astype(np.float64), rows.score))
