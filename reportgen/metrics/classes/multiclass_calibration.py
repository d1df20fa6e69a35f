"""How far the probabilities of several classes lie from what happened, in bins."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics import questions
from reportgen.metrics.classes.calibration import NAEINI, bin_limits, expected_error
from reportgen.metrics.spec import whole
from reportgen.rows import Classes

KULL = (
    "Kull, Perello-Nieto, Kängsepp, Silva Filho, Song & Flach (2019), Beyond temperature scaling: "
    "obtaining well-calibrated multi-class probabilities with Dirichlet calibration, NeurIPS; "
    "arXiv:1910.12656"
)


def top_label(rows: Classes) -> Classes:
    """Whether the most probable class is right, with its probability."""

    def made() -> Classes:
        right = (rows.called == rows.code).astype(np.intp)
        return Classes(right, rows.scores.max(axis=1, keepdims=True), ("0", "1"), rows.scale)

    return rows.once("most probable class", made)


def _distance(rows: Classes, batch: Batch, *, average: str, **bins: Any) -> Vector:
    if average == "top_label":
        return expected_error(top_label(rows), batch, **bins)
    each = [expected_error(rows.of(k), batch, **bins) for k in range(len(rows.labels))]
    return np.asarray(np.mean(each, axis=0))


@whole(
    name="multiclass_ece",
    asked_as={"name": "ece"},
    aliases=("expected_calibration_error", "classwise_ece", "top_label_ece"),
    title="Expected calibration error",
    task="multiclass",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=f"{NAEINI}; {KULL}",
    estimand="distance with chance",
    needs="probability",
    inputs=lambda rows, **_: (rows,),
    check=bin_limits,
    fast=_distance,
    formula="Σ over bins of their share of the weight times |share that happened − mean "
    "probability|, or the largest of these: of the most probable class, or the mean over classes",
    undefined="where no row has weight",
    caveat="A calibrated model has more than 0, and the more the fewer rows there are: values of "
    "different data sets do not compare. Over many classes most probabilities are near 0, so that "
    "their mean distance is small whatever the model.",
    answers=questions.PROBABILITY,
    asks="how far the probabilities lie from the shares that happened in bins, chance included",
    blind="that chance alone makes it larger on few rows",
    is_partial=True,
)
def ece(
    rows: Classes,
    weight: Vector,
    *,
    average: Literal["top_label", "classwise"] = "top_label",
    bins: int = 10,
    width: Literal["weight", "equal"] = "weight",
    norm: Literal["l1", "max"] = "l1",
) -> float:
    """Mean distance in bins of the probability of the most probable class, or of each class."""
    how: dict[str, Any] = {"average": average, "bins": bins, "width": width, "norm": norm}
    return float(_distance(rows, Batch.of(weight), **how)[0])
