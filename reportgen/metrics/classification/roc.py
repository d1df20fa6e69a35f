"""ROC AUC, partial AUC, Gini and KS."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.auc import compute_auc_sums
from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.class_curves import (
    compute_class_sums,
    compute_largest_gap,
    compute_window_area,
    spread_to_rows,
)
from reportgen.kernels.row_pairs import compute_lower_and_tied
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import METRICS, MonotoneImage, whole
from reportgen.metrics.monotone import build_forms_on_line
from reportgen.metrics.regression.concordance import (
    HANLEY,
    pair_share_influence,
    pair_share_without_each,
)
from reportgen.metrics.rows import Classes
from reportgen.metrics.traits import ESTIMANDS

DELONG = (
    "DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated "
    "receiver operating characteristic curves, Biometrics 44; doi:10.2307/2531595"
)


def _fast(rows: Classes, batch: Batch) -> Vector:
    return np.clip(compute_auc_sums(rows, batch).auc, 0.0, 1.0)


def _influence(rows: Classes, weight: Vector) -> Vector | None:
    return pair_share_influence(rows, weight, ties="half")


def _auc_without_each_row(rows: Classes, weight: Vector) -> Vector | None:
    return pair_share_without_each(rows, weight, ties="half")


def positive_mask(rows: Classes, **_: Any) -> NDArray[np.bool_]:
    """Return which rows are of the positive class, (n,)."""
    return rows.y.values > 0


_roc_metric = partial(
    whole,
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    needs="order",
    classes=positive_mask,
    answers=questions.CLASSES,
)


@_roc_metric(
    chance=0.5,
    aliases=("auc", "auroc", "c_statistic", "concordance"),
    title="AUC",
    cite=f"{HANLEY}; {DELONG}",
    estimand="share of pairs",
    fast=_fast,
    influence=_influence,
    leave_one_out=_auc_without_each_row,
    formula="Σ w_i w_j ([score_i > score_j] + ½[tied]) / Σ w_i w_j, y_i = 1, y_j = 0",
    undefined="where all rows are of one class",
    asks="how well the scores tell the two classes apart (one half is chance)",
    blind="whether the probabilities are calibrated, and at which threshold the scores are used",
)
def roc_auc(y: Vector, score: Vector, weight: Vector) -> float:
    """Chance that a row of the positive class has a higher score than one of the other.

    Tied scores count one half.
    """
    is_positive = y > 0
    below, tied = compute_lower_and_tied(Column(score), np.where(is_positive, 0.0, weight))
    chosen, others = weight[is_positive], weight[~is_positive].sum()
    if chosen.sum() == 0 or others == 0:
        return np.nan
    right = chosen @ (below + tied / 2)[is_positive]
    return float(np.clip(right / (chosen.sum() * others), 0, 1))


@_roc_metric(
    chance=0.0,
    aliases=("somers_d", "accuracy_ratio", "gini_coefficient"),
    title="Gini coefficient",
    bounds=(-1.0, 1.0),
    cite=f"{HANLEY}; {DELONG}",
    estimand="correlation of pairs",
    formula="2 · AUC − 1",
    undefined="where all rows are of one class",
    asks="how well the scores tell the two classes apart (0 is chance)",
    blind="whether the probabilities are calibrated, and at which threshold the scores are used",
    **build_forms_on_line("roc_auc", -1.0, 2.0),
)
def gini(y: Vector, score: Vector, weight: Vector) -> float:
    """Twice the area under the ROC curve, less 1: Somers' D, in credit scoring the Gini."""
    return 2 * roc_auc(y, score, weight) - 1


Standardize = Literal["none", "share", "mcclish"]
MCCLISH = (
    "McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9; "
    "doi:10.1177/0272989X8900900307"
)
ONE_CLASS = "where all rows are of one class"
NO_POSITIVE = "where no row is positive"


def make_two_class_rows(y: Vector, score: Vector) -> Classes:
    """Rows of two classes, positive above 0, with scores in any unit."""
    code = (y > 0).astype(np.intp)
    return Classes(code, score[:, None], ("0", "1"), "score")


def check_window(low: float, high: float, along: str, standardize: str) -> str | None:
    """Describe an invalid window of a partial area, or return None."""
    wrong = check_range("low", low, 0, 1) or check_range("high", high, 0, 1)
    if wrong or low < high:
        if not wrong and standardize == "mcclish" and (low > 0 or along == "tpr"):
            return "standardize: mcclish takes a window of false positive rates from 0 up"
        return wrong
    return f"low is {low:g}, but must be below high, {high:g}"


def _area_in_window(
    rows: Classes, batch: Batch, *, low: float, high: float, along: str, standardize: str
) -> Vector:
    tp, fp = compute_class_sums(rows, batch)
    with np.errstate(divide="ignore", invalid="ignore"):
        tpr, fpr = tp / tp[-1], fp / fp[-1]
    x, y = (fpr, tpr) if along == "fpr" else (1 - tpr[::-1], 1 - fpr[::-1])
    if along == "tpr":
        low, high = 1 - high, 1 - low
    area = _compute_area_between(x, y, low, high)
    area = _standardize_area(area, low, high, standardize)
    return np.asarray(np.where(np.isfinite(tpr[-1] + fpr[-1]), area, np.nan))


def _fast_window(
    rows: Classes, batch: Batch, *, low: float, high: float, along: str, standardize: str
) -> Vector:
    """Compute the same in one pass; along recall it is what false positives leave of the window."""
    if along == "fpr":
        area = compute_window_area(rows, batch, low, high, of_positives=False)
    else:
        area = (high - low) - compute_window_area(rows, batch, low, high, of_positives=True)
        low, high = 1 - high, 1 - low
    return _standardize_area(area, low, high, standardize)


def _standardize_area(area: Vector, low: float, high: float, standardize: str) -> Vector:
    if standardize == "share":
        return area / (high - low)
    if standardize == "mcclish":
        least = (high**2 - low**2) / 2
        return np.asarray((1 + (area - least) / (high - low - least)) / 2)
    return area


def _compute_area_between(x: Matrix, y: Matrix, low: float, high: float) -> Vector:
    """Compute the area under straight lines from low to high, x rising down each column."""
    left, right = np.clip(x[:-1], low, high), np.clip(x[1:], low, high)
    step, rise = np.diff(x, axis=0), np.diff(y, axis=0)
    slope = np.zeros(step.shape)
    np.divide(rise, step, out=slope, where=step > 0)
    middle = y[:-1] + slope * ((left + right) / 2 - x[:-1])
    return np.asarray(((right - left) * middle).sum(axis=0))


def _window_fields(low: float, high: float, along: str, standardize: str) -> dict[str, Any]:
    """Return the bounds, for a plain area at most the window's width, and the window's estimand."""
    width = high - low
    window = (1.0, width) if along == "fpr" else (width, 1.0)
    return {
        "bounds": (0.0, width if standardize == "none" else 1.0),
        "estimand": replace(ESTIMANDS["smooth"], window=window),
    }


def _image_of_whole_area(
    n: int, *, low: float, high: float, along: str, standardize: str
) -> MonotoneImage | None:
    """Over the whole axis it is the area; else a straight line of the mean over the window."""
    width = high - low
    if width == 1:
        return MonotoneImage(METRICS["roc_auc"], (0.0, 1.0))
    if standardize == "share":
        return None
    mean = METRICS["partial_auc"].use(low=low, high=high, along=along)
    if standardize == "none":
        return MonotoneImage(mean, (0.0, width))
    least = high**2 / 2
    rest = 2 * (width - least)
    return MonotoneImage(mean, (0.5 - least / rest, width / rest))


@_roc_metric(
    reference="random order",
    aliases=("pauc", "partial_roc_auc"),
    title="Partial AUC",
    cite=MCCLISH,
    estimand="smooth",
    check=check_window,
    fields_for=_window_fields,
    image=_image_of_whole_area,
    fast=_fast_window,
    formula="∫ TPR d FPR over the window, over its width if `share`, or as McClish makes a random "
    "order ½ and a perfect one 1",
    undefined=ONE_CLASS,
    caveat="The window is a choice; name it before looking at the curve.",
    asks="how well the scores tell the classes apart where few false positives are allowed",
    blind="the order outside the window, and whether the probabilities are calibrated",
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
    found = _area_in_window(
        make_two_class_rows(y, score),
        Batch.from_weights(weight),
        low=low,
        high=high,
        along=along,
        standardize=standardize,
    )
    return float(found[0])


def _largest_gap(rows: Classes, batch: Batch) -> Vector:
    tp, fp = compute_class_sums(rows, batch)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (tp / tp[-1] - fp / fp[-1]).max(axis=0)
    return np.asarray(np.where((tp[-1] > 0) & (fp[-1] > 0), gap, np.nan))


def _gap_influence(rows: Classes, weight: Vector) -> Vector | None:
    """With the best cut held: that it moves is of second order."""
    tp, fp = (each[:, 0] for each in compute_class_sums(rows, Batch.from_weights(weight)))
    if not (tp[-1] > 0 and fp[-1] > 0):
        return None
    best = int(np.argmax(tp / tp[-1] - fp / fp[-1]))
    called = spread_to_rows(rows, (np.arange(len(tp) - 1) < best).astype(np.float64))
    is_positive = rows.y.values > 0
    phi = np.where(
        is_positive, (called - tp[best] / tp[-1]) / tp[-1], -(called - fp[best] / fp[-1]) / fp[-1]
    )
    return np.asarray(weight.sum() * phi)


@_roc_metric(
    chance=0.0,
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    title="Kolmogorov–Smirnov distance",
    cite="Hand (2012), Assessing the performance of classification methods, International "
    "Statistical Review 80; doi:10.1111/j.1751-5823.2012.00183.x",
    estimand="best of many",
    fast=compute_largest_gap,
    influence=_gap_influence,
    formula="max over thresholds of TPR − FPR",
    undefined=ONE_CLASS,
    caveat="It is the height at the one threshold that suits these rows best, which is too good on "
    "few rows; its interval takes the half of that bias away that resamples show.",
    asks="how far apart the two classes are at the best threshold",
    blind="every other threshold, and whether the probabilities are calibrated",
    is_partial=True,
)
def ks(y: Vector, score: Vector, weight: Vector) -> float:
    """The largest distance between the distributions of the scores of both classes, from 0 to 1."""  # noqa: D401
    return float(_largest_gap(make_two_class_rows(y, score), Batch.from_weights(weight))[0])
