"""AUC and average precision with weights that decay by rank."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_curves import compute_class_sums
from reportgen.metrics import questions
from reportgen.metrics.classification.roc import NO_POSITIVE, ONE_CLASS, positive_mask
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import METRICS, MonotoneImage, whole
from reportgen.metrics.regression.concordance import HANLEY, TRUCHON
from reportgen.metrics.rows import Classes
from reportgen.metrics.traits import ESTIMANDS

DecayedClass = Literal["negatives", "rows", "trapezia"]
HALF_LIFE = 0.1  # of the rows passed, unless a config says otherwise
SMALL = 1e-2  # below it a series is more exact than the formula
BY_HALF_LIFE = "d is ½ to the power of 1 / (half_life × their weight), or the given decay"


def decay_rate(total: Vector, half_life: float | None, decay: float | None) -> Vector:
    """Return how fast the weights fall: those of a place x below the top are exp(−rate · x), (b,).

    >>> decay_rate(np.array([20.0]), 0.25, None) * 5 / np.log(2), decay_rate(np.ones(1), None, 1.0)
    (array([1.]), array([0.]))
    """
    if decay is not None:
        return np.full(len(total), -np.log(decay) + 0.0)
    rate = np.zeros(len(total))
    share = HALF_LIFE if half_life is None else half_life
    np.divide(np.log(2) / share, total, out=rate, where=total > 0)
    return rate


def integrate_decay(passed: Matrix, size: Matrix, rate: Vector) -> Matrix:
    """Integrate exp(−rate · x) from `passed` to `passed` + `size`: the weight of that stretch."""
    z = rate * size
    mean = np.ones(z.shape)
    np.divide(-np.expm1(-z), z, out=mean, where=z > 0)
    return np.asarray(np.exp(-rate * passed) * size * mean)


def integrate_rising_decay(passed: Matrix, size: Matrix, rate: Vector) -> Matrix:
    """Compute the same with positions that count from 0 at the first to 1 at the last, linearly."""
    z = rate * size
    mean = 1 / 2 - z / 3 + z**2 / 8 - z**3 / 30 + z**4 / 144 - z**5 / 840
    np.divide(-np.expm1(-z) - z * np.exp(-z), z**2, out=mean, where=z > SMALL)
    return np.asarray(np.exp(-rate * passed) * size * mean)


def _divide_or_zero(part: Matrix, size: Matrix) -> Matrix:
    found = np.zeros(size.shape)
    np.divide(part, size, out=found, where=size > 0)
    return found


def _below_first(passed: Matrix, part: Matrix) -> Matrix:
    """Return how far each group stands below the first that has some of a class, at least 0."""
    first = np.argmax(part > 0, axis=0)
    return np.maximum(passed - np.take_along_axis(passed, first[None, :], axis=0), 0.0)


def _sum_over_negatives(tp: Matrix, fp: Matrix, rate: Vector) -> tuple[Vector, Vector]:
    """Return the weighted sum of recall over negatives, and the sum of the weights."""
    negatives = np.diff(fp, axis=0)
    area = tp[:-1] * integrate_decay(fp[:-1], negatives, rate)
    area += np.diff(tp, axis=0) * integrate_rising_decay(fp[:-1], negatives, rate)
    return area.sum(axis=0) / tp[-1], integrate_decay(np.zeros(len(rate)), fp[-1], rate)


def _sum_over_trapezia(tp: Matrix, fp: Matrix, rate: Vector, top: Matrix) -> tuple[Vector, Vector]:
    """Return the same sums where a negative counts by its rank among all rows."""
    p, n = np.diff(tp, axis=0), np.diff(fp, axis=0)
    share, each = _divide_or_zero(n, p + n), integrate_decay(top, p + n, rate)
    area = share * (tp[:-1] * each + p * integrate_rising_decay(top, p + n, rate))
    return area.sum(axis=0) / tp[-1], (share * each).sum(axis=0)


def _sum_over_row_pairs(tp: Matrix, fp: Matrix, rate: Vector) -> tuple[Vector, Vector]:
    """Pairs in order and all pairs where both rows count by their ranks among all rows."""
    p, n, passed = np.diff(tp, axis=0), np.diff(fp, axis=0), (tp + fp)[:-1]
    upper = _divide_or_zero(p, p + n) * integrate_decay(_below_first(passed, p), p + n, rate)
    lower = _divide_or_zero(n, p + n) * integrate_decay(_below_first(passed, n), p + n, rate)
    above = np.cumsum(upper, axis=0) - upper / 2
    return (lower * above).sum(axis=0), upper.sum(axis=0) * lower.sum(axis=0)


def _find_first_row_scale(rate: Vector, decay: float | None) -> Vector:
    """Return the factor that makes a whole first row count 1 where ranks are counted in rows."""
    unit = np.ones(len(rate))
    if decay is not None:
        np.divide(rate, -np.expm1(-rate), out=unit, where=rate > 0)
    return unit


def _auc(
    rows: Classes,
    batch: Batch,
    *,
    on: DecayedClass,
    half_life: float | None,
    decay: float | None,
    normalise: bool,
) -> Vector:
    tp, fp = compute_class_sums(rows, batch)
    passed = fp if on == "negatives" else tp + fp
    rate = decay_rate(passed[-1], half_life, decay)
    with np.errstate(divide="ignore", invalid="ignore"):
        if on == "rows":
            area, most = _sum_over_row_pairs(tp, fp, rate)
        elif on == "negatives":
            area, most = _sum_over_negatives(tp, fp, rate)
        else:
            place = passed[:-1]
            top = _below_first(place, np.diff(fp, axis=0)) if normalise else place
            area, most = _sum_over_trapezia(tp, fp, rate, top)
        most = most if normalise else fp[-1] / _find_first_row_scale(rate, decay)
        value = area / most
    value = np.where((tp[-1] > 0) & (fp[-1] > 0), value, np.nan)
    return np.asarray(np.clip(value, 0.0, 1.0 if normalise else None))


def _precision(
    rows: Classes, batch: Batch, *, half_life: float | None, decay: float | None, normalise: bool
) -> Vector:
    tp, fp = compute_class_sums(rows, batch)
    p, both = np.diff(tp, axis=0), tp + fp
    rate, size = decay_rate(both[-1], half_life, decay), np.diff(both, axis=0)
    each = (
        _divide_or_zero(p, size)
        * integrate_decay(both[:-1], size, rate)
        * _divide_or_zero(tp[1:], both[1:])
    )
    best = integrate_decay(np.zeros(len(rate)), tp[-1], rate)
    most = best if normalise else tp[-1] / _find_first_row_scale(rate, decay)
    value = np.full(batch.size, np.nan)
    np.divide(each.sum(axis=0), most, out=value, where=tp[-1] > 0)
    return np.asarray(np.clip(value, 0.0, 1.0 if normalise else None))


def _check_decay(half_life: float | None, decay: float | None, **params: Any) -> str | None:
    if half_life is not None and decay is not None:
        return "half_life and decay are both given; give one of them"
    if params.get("on") == "rows" and not params["normalise"]:
        return "normalise: false goes with on: negatives or trapezia"
    return check_range("half_life", half_life, 1e-3, 1) or check_range("decay", decay, 1e-3, 1)


def _fields(decay: float | None, normalise: bool, **_: Any) -> dict[str, Any]:
    """Its range: rows of little weight count up to rate / (1 − d) of that, undivided."""
    if normalise or (decay is not None and not 0 < decay <= 1):
        return {}  # what is out of bounds is refused
    most = (
        1.0 if decay is None else float(_find_first_row_scale(np.array([-np.log(decay)]), decay)[0])
    )
    return {"bounds": (0.0, most), "estimand": ESTIMANDS["smooth"]}


def _image_of_auc(
    n: int, *, on: DecayedClass, half_life: float | None, decay: float | None, normalise: bool
) -> MonotoneImage | None:
    """Without a decay it is the AUC; on negatives what it is divided by is the same for all."""
    if decay == 1:
        return MonotoneImage(METRICS["roc_auc"], (0.0, 1.0))
    if normalise or on != "negatives":
        return None
    return MonotoneImage(METRICS["decayed_auc"].use(half_life=half_life, decay=decay))


def _image_of_precision(
    n: int, *, half_life: float | None, decay: float | None, normalise: bool
) -> MonotoneImage | None:
    """Without a decay it is average precision; what it is divided by is the same for all."""
    if decay == 1:
        return MonotoneImage(METRICS["average_precision"], (0.0, 1.0))
    if normalise:
        return None
    return MonotoneImage(METRICS["decayed_average_precision"].use(half_life=half_life, decay=decay))


def _make_rows(y: Vector, score: Vector) -> Classes:
    return Classes((y > 0).astype(np.intp), score[:, None], ("0", "1"), "score")


_decay_metric = partial(
    whole,
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    estimand="share of an area",
    needs="order",
    check=_check_decay,
    fields_for=_fields,
    classes=positive_mask,
    answers=questions.CLASSES,
    blind="most of what happens at the bottom, and whether the probabilities are calibrated",
    is_partial=True,
)


@_decay_metric(
    chance=0.5,
    aliases=("weighted_auc", "weighted_roc_auc"),
    title="AUC weighted by rank",
    cite=f"{TRUCHON}; {HANLEY}",
    image=_image_of_auc,
    fast=_auc,
    formula="Σ over negatives of d^k · TPR above it / Σ d^k, k the negatives above it; with on: "
    "trapezia the rows above it, with on: rows the AUC where each row weighs d^(rows above it); "
    f"{BY_HALF_LIFE}; with normalise: false over the number of negatives",
    undefined=ONE_CLASS,
    caveat="How fast the weights fall is a choice (a half_life of 0.1 unless one is given); name "
    "it before looking at the curve. On rows or "
    "trapezia the value may fall where a positive moves up past a negative: compare on negatives.",
    asks="how well the scores tell the two classes apart, the top of the order counting most",
)
def decayed_auc(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    on: DecayedClass = "negatives",
    half_life: float | None = None,
    decay: float | None = None,
    normalise: bool = True,
) -> float:
    """Area under the ROC curve in which the top of the order counts most.

    Weights fall to a half after the share `half_life` of the negatives, a tenth unless given; on
    rows or trapezia of all rows. They fall to `decay` of that before by each row instead. Divided
    by their sum, a perfect order has 1.
    """
    return float(
        _auc(
            _make_rows(y, score),
            Batch.from_weights(weight),
            on=on,
            half_life=half_life,
            decay=decay,
            normalise=normalise,
        )[0]
    )


@_decay_metric(
    reference="random order",
    aliases=("weighted_average_precision",),
    title="Average precision weighted by rank",
    cite=TRUCHON,
    image=_image_of_precision,
    fast=_precision,
    formula="Σ over positives of d^k · precision there / the same of a perfect order, k the rows "
    f"above it; {BY_HALF_LIFE}; with normalise: false over the number of positives",
    undefined=NO_POSITIVE,
    caveat="How fast the weights fall is a choice (a half_life of 0.1 unless one is given); name "
    "it before looking at the curve. It rises "
    "with the share of positives.",
    asks="how pure the flagged rows stay as more positives are found, the first rows counting most",
)
def decayed_average_precision(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    half_life: float | None = None,
    decay: float | None = None,
    normalise: bool = True,
) -> float:
    """Average precision where the first ranks count most, 1 for a perfect order.

    Weights fall to a half after the share `half_life` of the rows, a tenth unless given, or to
    `decay` of that before by each row.
    """
    return float(
        _precision(
            _make_rows(y, score),
            Batch.from_weights(weight),
            half_life=half_life,
            decay=decay,
            normalise=normalise,
        )[0]
    )
