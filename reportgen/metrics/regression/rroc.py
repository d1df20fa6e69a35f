"""Where a model stands in RROC space."""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.influence import center_values
from reportgen.metrics.metric import rowwise
from reportgen.metrics.monotone import image_of_mean, image_of_variance
from reportgen.metrics.regression.errors import (
    RAW_IS_A_SUM,
    RROC,
    scale_if_raw,
    variance_of_means,
)


def scale_squared_if_raw(totals: Vector, *, raw: bool) -> Vector:
    """Turn a mean over pairs into a sum on request."""
    return totals**2 if raw else np.ones_like(totals)


def distance_from_origin(means: Matrix) -> Vector:
    """Distance of a point of two coordinates from the origin."""
    return np.asarray(np.hypot(means[:, 0], means[:, 1]))


def half_variance(means: Matrix) -> Vector:
    """Half the variance, from the mean and the mean square about any fixed centre."""
    return variance_of_means(means) / 2


_rroc_metric = partial(
    rowwise,
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=RROC,
    needs="amount",
    scale=scale_if_raw,
    exempt_from=RAW_IS_A_SUM,
    answers=questions.LEVEL,
)


@_rroc_metric(
    no_reference="a constant attains the best value",
    is_partial=True,
    title="Over-estimation",
    estimand="mean",
    image=image_of_mean("over"),
    formula="Σ w max(ŷ − y, 0), divided by Σ w unless raw",
    asks="how much too high the scores are, on average",
    blind="every error below y",
)
def over(y: Vector, score: Vector, *, raw: bool = False) -> Vector:
    """How much the scores are too high, in the unit of y a row; their sum over all rows if raw."""
    return np.maximum(score - y, 0.0)


@_rroc_metric(
    no_reference="a constant attains the best value",
    is_partial=True,
    title="Under-estimation",
    better="higher",
    bounds=(-inf, 0.0),
    estimand="mean",
    image=image_of_mean("under"),
    formula="Σ w min(ŷ − y, 0), divided by Σ w unless raw",
    asks="how much too low the scores are, on average, as a number below zero",
    blind="every error above y",
)
def under(y: Vector, score: Vector, *, raw: bool = False) -> Vector:
    """How much the scores are too low, in the unit of y a row, never above 0; their sum if raw."""
    return np.minimum(score - y, 0.0)


@_rroc_metric(
    reference="best constant",
    title="Distance to RROC heaven",
    estimand="log function",
    finish=distance_from_origin,
    image=image_of_mean("heaven_distance"),
    formula="√(OVER² + UNDER²), of means a row unless raw",
    asks="how far the scores are from no error, one-sided errors counting more",
    blind="which rows the errors fall on, and whether too low or too high costs more",
)
def heaven_distance(y: Vector, score: Vector, *, raw: bool = False) -> Matrix:
    """How far a model's point in RROC space lies from the corner without error, in the unit of y.

    Of models with one mean absolute error it is least for the one whose too high and too low are
    equal, and √2 times as much where all errors lie on one side.
    """
    error = score - y
    return np.stack([np.maximum(error, 0.0), np.minimum(error, 0.0)]).T


@_rroc_metric(
    reference="mean",
    title="Area over the RROC curve",
    unit="y²",
    estimand="log mean",
    finish=half_variance,
    scale=scale_squared_if_raw,
    image=image_of_variance,
    formula="½ Σ w(e − ē)² / Σ w, with e = ŷ − y; times (Σ w)² if raw",
    answers=questions.SPREAD,
    asks="how widely the errors spread, whatever constant is added to the scores",
    blind="a constant that all scores are off by",
)
def aoc(y: Vector, score: Vector, *, raw: bool = False) -> Matrix:
    """Area between the RROC curve and its ideal corner, in squared units of y: half the variance.

    No constant added to the scores changes it. Raw is the area in sums, as the paper prints it.
    """
    about = center_values(score - y)
    return np.stack([about, about**2]).T
