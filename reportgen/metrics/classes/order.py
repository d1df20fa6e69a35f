"""Measures of order of two classes beside the AUC: areas and heights of ROC and precision–recall.

Rows with tied scores are called together: a threshold never splits them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_areas import largest_gap, window_area
from reportgen.kernels.class_sums import back_to_rows, class_sums
from reportgen.metrics import questions
from reportgen.metrics.binary import positives
from reportgen.metrics.limits import outside
from reportgen.metrics.spec import METRICS, Image, whole
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows import Classes

Standardize = Literal["none", "share", "mcclish"]
MCCLISH = (
    "McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9; "
    "doi:10.1177/0272989X8900900307"
)
ONE_CLASS = "where all rows are of one class"
NO_POSITIVE = "where no row is positive"


def as_classes(y: Vector, score: Vector) -> Classes:
    """Rows of two classes, positive above 0, with scores in any unit."""
    code = (y > 0).astype(np.intp)
    return Classes(code, score[:, None], ("0", "1"), "score")


def window_limits(low: float, high: float, along: str, standardize: str) -> str | None:
    """What is wrong with the window of a partial area, or None."""
    wrong = outside("low", low, 0, 1) or outside("high", high, 0, 1)
    if wrong or low < high:
        if not wrong and standardize == "mcclish" and (low > 0 or along == "tpr"):
            return "standardize: mcclish takes a window of false positive rates from 0 up"
        return wrong
    return f"low is {low:g}, but must be below high, {high:g}"


def _in_window(
    rows: Classes,
    batch: Batch,
    *,
    low: float,
    high: float,
    along: str,
    standardize: str,
) -> Vector:
    tp, fp = class_sums(rows, batch)
    with np.errstate(divide="ignore", invalid="ignore"):
        tpr, fpr = tp / tp[-1], fp / fp[-1]
    x, y = (fpr, tpr) if along == "fpr" else (1 - tpr[::-1], 1 - fpr[::-1])
    if along == "tpr":
        low, high = 1 - high, 1 - low
    area = _clipped_area(x, y, low, high)
    area = _standardized(area, low, high, standardize)
    return np.asarray(np.where(np.isfinite(tpr[-1] + fpr[-1]), area, np.nan))


def _fast_window(
    rows: Classes, batch: Batch, *, low: float, high: float, along: str, standardize: str
) -> Vector:
    """The same by one walk; beside true positives it is what false ones leave of the window."""
    if along == "fpr":
        area = window_area(rows, batch, low, high, of_positives=False)
    else:
        area = (high - low) - window_area(rows, batch, low, high, of_positives=True)
        low, high = 1 - high, 1 - low
    return _standardized(area, low, high, standardize)


def _standardized(area: Vector, low: float, high: float, standardize: str) -> Vector:
    if standardize == "share":
        return area / (high - low)
    if standardize == "mcclish":
        least = (high**2 - low**2) / 2
        return np.asarray((1 + (area - least) / (high - low - least)) / 2)
    return area


def _clipped_area(x: Matrix, y: Matrix, low: float, high: float) -> Vector:
    """The area under straight lines between low and high, x rising down each column."""
    left, right = np.clip(x[:-1], low, high), np.clip(x[1:], low, high)
    step, rise = np.diff(x, axis=0), np.diff(y, axis=0)
    slope = np.zeros(step.shape)
    np.divide(rise, step, out=slope, where=step > 0)
    middle = y[:-1] + slope * ((left + right) / 2 - x[:-1])
    return np.asarray(((right - left) * middle).sum(axis=0))


def _most(low: float, high: float, along: str, standardize: str) -> dict[str, Any]:
    """The range of its values, a plain area at most the width of the window, which rests on few."""
    width = high - low
    window = (1.0, width) if along == "fpr" else (width, 1.0)
    return {
        "bounds": (0.0, width if standardize == "none" else 1.0),
        "estimand": replace(ESTIMANDS["smooth"], window=window),
    }


def _of_whole_axis(
    n: int, *, low: float, high: float, along: str, standardize: str
) -> Image | None:
    """Over the whole axis it is the area; else a straight line of the mean over the window."""
    width = high - low
    if width == 1:
        return Image(METRICS["roc_auc"], (0.0, 1.0))
    if standardize == "share":
        return None
    mean = METRICS["partial_auc"].use(low=low, high=high, along=along)
    if standardize == "none":
        return Image(mean, (0.0, width))
    least = high**2 / 2
    rest = 2 * (width - least)
    return Image(mean, (0.5 - least / rest, width / rest))


@whole(
    aliases=("pauc", "partial_roc_auc"),
    title="Partial AUC",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=MCCLISH,
    estimand="smooth",
    needs="order",
    check=window_limits,
    fields_for=_most,
    image=_of_whole_axis,
    fast=_fast_window,
    classes=positives,
    formula="∫ TPR d FPR over the window, over its width if `share`, or as McClish makes a random "
    "order ½ and a perfect one 1",
    undefined=ONE_CLASS,
    caveat="The window is a choice; name it before looking at the curve.",
    answers=questions.CLASSES,
    asks="how well the scores tell the classes apart where few false alarms are allowed",
    blind="the order outside the window, and whether the probabilities are right",
    is_partial=True,
)
def partial_auc(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    low: float = 0.0,
    high: float = 0.1,
    along: Literal["fpr", "tpr"] = "fpr",
    standardize: Standardize = "share",
) -> float:
    """Area under the ROC curve over a window of false positive rates, or beside one of true ones.

    By default it is the mean recall over the window, from 0 to 1.
    """
    found = _in_window(as_classes(y, score), Batch.of(weight), low=low, high=high, along=along,
                       standardize=standardize)  # fmt: skip
    return float(found[0])


def _largest_gap(rows: Classes, batch: Batch) -> Vector:
    tp, fp = class_sums(rows, batch)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (tp / tp[-1] - fp / fp[-1]).max(axis=0)
    return np.asarray(np.where((tp[-1] > 0) & (fp[-1] > 0), gap, np.nan))


def _gap_influence(rows: Classes, weight: Vector) -> Vector | None:
    """With the best cut held: that it moves is of second order."""
    tp, fp = (each[:, 0] for each in class_sums(rows, Batch.of(weight)))
    if not (tp[-1] > 0 and fp[-1] > 0):
        return None
    best = int(np.argmax(tp / tp[-1] - fp / fp[-1]))
    called = back_to_rows(rows, (np.arange(len(tp) - 1) < best).astype(np.float64))
    is_positive = rows.y.values > 0
    phi = np.where(is_positive, (called - tp[best] / tp[-1]) / tp[-1],
                   -(called - fp[best] / fp[-1]) / fp[-1])  # fmt: skip
    return np.asarray(weight.sum() * phi)


@whole(
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    title="Kolmogorov–Smirnov distance",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite="Hand (2012), Assessing the performance of classification methods, International "
    "Statistical Review 80; doi:10.1111/j.1751-5823.2012.00183.x",
    estimand="best of many",
    needs="order",
    fast=largest_gap,
    influence=_gap_influence,
    classes=positives,
    formula="max over thresholds of TPR − FPR",
    undefined=ONE_CLASS,
    caveat="It is the height at the one threshold that suits these rows best, which is too good on "
    "few rows; its interval takes the half of that bias away that resamples show.",
    answers=questions.CLASSES,
    asks="how far apart the two classes are at the best threshold",
    blind="every other threshold, and whether the probabilities are right",
    is_partial=True,
)
def ks(y: Vector, score: Vector, weight: Vector) -> float:
    """The largest distance between the distributions of the scores of both classes, from 0 to 1."""
    return float(_largest_gap(as_classes(y, score), Batch.of(weight))[0])
