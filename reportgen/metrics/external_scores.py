"""Scores that were computed elsewhere, one a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.metrics import questions
from reportgen.metrics.metric import rowwise
from reportgen.metrics.statistic import Scalar, inspect_parameters

DEMSAR = (
    "Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of "
    "Machine Learning Research 7"
)


def check_score_range(low: float | None, high: float | None, **_: Scalar) -> str | None:
    """Describe what is wrong with the range of a score, or return None."""
    if low is not None and high is not None and not low < high:
        return f"low {low:g} must be below high {high:g}"
    return None


def _fields(
    better: str, low: float | None, high: float | None, unit: str, **_: Any
) -> Mapping[str, Any]:
    """Return the direction, range and unit of the score, which the page need not repeat."""
    bounds = (-inf if low is None else low, inf if high is None else high)
    values = {"better": better, "low": low, "high": high, "unit": unit}
    usual = tuple(
        replace(each, default=values[each.name]) for each in inspect_parameters(finished_score)
    )
    return {"better": better, "bounds": bounds, "unit": unit, "parameters": usual}


@rowwise(
    no_reference="what is good without a model, only the config knows",
    title="Score",
    task="finished",
    better="higher",
    bounds=(-inf, inf),
    unit="1",
    cite=DEMSAR,
    estimand="mean",
    needs="amount",
    check=check_score_range,
    fields_for=_fields,
    formula="Σ w s / Σ w",
    undefined="where no row has weight",
    caveat="A mean over data sets counts a point on an easy one as much as a point on a hard one.",
    answers=questions.OVER_DATASETS,
    asks="how good a model is on a data set, on average",
    blind="on how many data sets a model is ahead: one large difference outweighs many small ones",
)
def finished_score(
    score: Vector,
    *,
    better: Literal["higher", "lower"] = "higher",
    low: float | None = None,
    high: float | None = None,
    unit: str = "1",
) -> Vector:
    """Mean over data sets of a score that was computed elsewhere, in its own unit."""
    return np.asarray(score)
