"""Average precision and areas under the precision–recall curve."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from reportgen.kernels.auc import compute_average_precision
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_curves import compute_class_sums, compute_pr_area, spread_to_rows
from reportgen.kernels.cumulative import divide
from reportgen.metrics import questions
from reportgen.metrics.classification.roc import NO_POSITIVE, make_two_class_rows, positive_mask
from reportgen.metrics.metric import METRICS, MonotoneImage, whole
from reportgen.metrics.rows import Classes

Parts = tuple[Vector, Vector, Vector, Vector, Vector]
SAITO = (
    "Saito & Rehmsmeier (2015), The precision-recall plot is more informative than the ROC plot "
    "when evaluating binary classifiers on imbalanced datasets, PLoS ONE 10; "
    "doi:10.1371/journal.pone.0118432"
)
DAVIS = (
    "Davis & Goadrich (2006), The relationship between precision-recall and ROC curves, ICML; "
    "doi:10.1145/1143844.1143874"
)
RISES = "It rises with the share of positives, which is what a random order has."
STRAIGHT = (
    "Between thresholds precision does not run straight, so that the area of trapezoids is too "
    "optimistic, most of all on few rows or many ties."
)
BETWEEN = {
    "davis_goadrich": "Between thresholds it runs as Davis and Goadrich found that it does.",
    "step": "Between thresholds it is a flight of steps: it is the average precision.",
    "max": "At each recall it has the highest precision that this or a higher one reaches, which "
    "is too optimistic, most of all on few rows.",
    "trapezoid": STRAIGHT,
}


def step_parts(p: Vector, a: Vector, b: Vector, n: Vector) -> Parts:
    """Average precision: what each group adds, and its slopes in a, b, p and n, before over P."""
    size = a + b + p + n
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.where(size > 0, (a + p) / size, 0.0)
        inverse = np.where(size > 0, 1 / size, 0.0)
    falls = -p * height * inverse
    return p * height, p * inverse + falls, falls, height + p * inverse + falls, falls


def hyperbola_parts(p: Vector, a: Vector, b: Vector, n: Vector) -> Parts:
    """Compute the area under precision along recall within tied groups, as in `step_parts`."""
    before, size = a + b, p + n
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(size > 0, 1 / size, 0.0)
        log = np.where(before > 0, np.log1p(size / before), 0.0)
        by_end = np.where(before + size > 0, 1 / (before + size), 0.0)
        by_start = np.where(before > 0, 1 / before, 0.0)
    bend = b * p - n * a
    twist = p * bend * one**2
    value = p**2 * one - twist * log
    moved = twist * (by_end - by_start)
    return (
        value,
        np.where(before > 0, p * n * one**2 * log - moved, 0.0),
        np.where(before > 0, -(p**2) * one**2 * log - moved, 0.0),
        2 * p * one
        - p**2 * one**2
        - ((2 * b * p - n * a) * one**2 - 2 * p * bend * one**3) * log
        - twist * by_end,
        -(p**2) * one**2 + (p * a * one**2 + 2 * p * bend * one**3) * log - twist * by_end,
    )


def trapezoid_parts(p: Vector, a: Vector, b: Vector, n: Vector) -> Parts:
    """Compute the area under lines between thresholds, from precision 1, as in `step_parts`."""
    before, size = a + b, a + b + p + n
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.where(before > 0, a / before, 1.0)
        end = np.where(size > 0, (a + p) / size, 0.0)
        by_start = np.where(before > 0, p / (2 * before), 0.0)
        by_end = np.where(size > 0, p / (2 * size), 0.0)
    rises, falls = by_end * (1 - end), -by_end * end
    return (
        p * (start + end) / 2,
        by_start * (1 - start) + rises,
        falls - by_start * start,
        (start + end) / 2 + rises,
        falls,
    )


def _area(parts: Callable[..., Parts], rows: Classes, batch: Batch) -> Vector:
    """Compute the sum over groups under each weighting, divided by the positives' weight, (b,)."""
    tp, fp = compute_class_sums(rows, batch)
    value = parts(np.diff(tp, axis=0), tp[:-1], fp[:-1], np.diff(fp, axis=0))[0].sum(axis=0)
    return np.asarray(np.clip(divide(value, tp[-1]), 0.0, 1.0))


INTERPOLATIONS = {
    "step": step_parts,
    "davis_goadrich": hyperbola_parts,
    "trapezoid": trapezoid_parts,
}


def _average_highest_precision(rows: Classes, batch: Batch) -> Vector:
    """Compute the positives' mean of the highest precision at their score or below, (b,)."""
    tp, fp = compute_class_sums(rows, batch)
    best = np.maximum.accumulate(compute_precisions(tp, fp)[::-1], axis=0)[::-1]
    value = (np.diff(tp, axis=0) * best).sum(axis=0)
    return np.asarray(np.clip(divide(value, tp[-1]), 0.0, 1.0))


def compute_precisions(tp: Matrix, fp: Matrix) -> Matrix:
    """Compute the precision from each group up, 0 where no row has weight."""
    size = (tp + fp)[1:]
    return np.divide(tp[1:], size, out=np.zeros(size.shape), where=size > 0)


def _compute_highest_influence(rows: Classes, weight: Vector) -> Vector | None:
    """phi_i with the place of the highest precision held: that it moves is of second order."""
    tp, fp = compute_class_sums(rows, Batch.from_weights(weight))
    if not tp[-1, 0] > 0:
        return None
    precision, size = compute_precisions(tp, fp)[:, 0], (tp + fp)[1:, 0]
    best = np.maximum.accumulate(precision[::-1])[::-1]
    last = len(best) - 1 - np.searchsorted(best[::-1], best, side="left")  # where it is reached
    held = np.bincount(last, np.diff(tp[:, 0]), minlength=len(best))
    one = np.divide(held, size, out=np.zeros(len(size)), where=size > 0)
    from_here = [np.cumsum(each[::-1])[::-1] for each in (one, one * precision)]
    rises, falls = (spread_to_rows(rows, each) for each in from_here)
    is_positive = rows.y.values > 0
    value = float(np.diff(tp[:, 0]) @ best / tp[-1, 0])
    own = is_positive * (spread_to_rows(rows, best) - value + rises) - falls
    phi = weight.sum() * own / tp[-1, 0]
    return np.asarray(phi - weight @ phi / weight.sum())


def _fast_pr(rows: Classes, batch: Batch, *, interpolation: str) -> Vector:
    if interpolation == "max":
        return _average_highest_precision(rows, batch)
    if interpolation == "step":
        return _fast_ap(rows, batch)
    if interpolation == "trapezoid":
        return _area(trapezoid_parts, rows, batch)
    clipped: Vector = np.clip(compute_pr_area(rows, batch), 0.0, 1.0)
    return clipped


def _pr_influence(rows: Classes, weight: Vector, *, interpolation: str) -> Vector | None:
    if interpolation == "max":
        return _compute_highest_influence(rows, weight)
    return _compute_area_influence(INTERPOLATIONS[interpolation], rows, weight)


def _image_of_average_precision(n: int, *, interpolation: str) -> MonotoneImage | None:
    is_ap = interpolation == "step"
    return MonotoneImage(METRICS["average_precision"], (0.0, 1.0)) if is_ap else None


def _compute_area_influence(
    parts: Callable[..., Parts], rows: Classes, weight: Vector
) -> Vector | None:
    """phi_i: what a row adds to its own group and to all below it, less its share of P."""
    tp, fp = (each[:, 0] for each in compute_class_sums(rows, Batch.from_weights(weight)))
    if not tp[-1] > 0:
        return None
    value, by_a, by_b, by_p, by_n = parts(np.diff(tp), tp[:-1], fp[:-1], np.diff(fp))
    below_a, below_b = (np.cumsum(each[::-1])[::-1] - each for each in (by_a, by_b))
    is_positive = rows.y.values > 0
    own = np.where(
        is_positive, spread_to_rows(rows, by_p + below_a), spread_to_rows(rows, by_n + below_b)
    )
    phi = weight.sum() * (own - is_positive * value.sum() / tp[-1]) / tp[-1]
    return np.asarray(phi - weight @ phi / weight.sum())


def _fast_ap(rows: Classes, batch: Batch) -> Vector:
    clipped: Vector = np.clip(compute_average_precision(rows, batch), 0.0, 1.0)
    return clipped


_precision_area = partial(
    whole,
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    estimand="share of an area",
    needs="order",
    classes=positive_mask,
    undefined=NO_POSITIVE,
    answers=questions.CLASSES,
    asks="how pure the flagged rows stay as more and more positives are found",
    blind="the order of negatives below the last positive, and whether the probabilities are "
    "calibrated",
)


@_precision_area(
    reference="random order",
    aliases=("auprc_steps", "pr_auc_steps"),
    title="Average precision",
    cite=SAITO,
    fast=_fast_ap,
    influence=lambda rows, weight: _compute_area_influence(step_parts, rows, weight),
    formula="Σ over distinct scores of the recall gained there times the precision from there up",
    caveat=RISES,
)
def average_precision(y: Vector, score: Vector, weight: Vector) -> float:
    """Mean over the positives of the precision at their score; tied scores are flagged together."""
    return float(_area(step_parts, make_two_class_rows(y, score), Batch.from_weights(weight))[0])


@_precision_area(
    reference="random order",
    aliases=("auprc", "aucpr", "area_under_pr"),
    title="Area under precision–recall",
    cite=DAVIS,
    fast=_fast_pr,
    influence=_pr_influence,
    image=_image_of_average_precision,
    formula="∫ precision d recall, false positives in proportion to true ones within tied scores",
    caveat=f"{RISES} {STRAIGHT}",
    fields_for=lambda interpolation: {"caveat": f"{RISES} {BETWEEN[interpolation]}"},
)
def pr_auc(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    interpolation: Literal["davis_goadrich", "step", "max", "trapezoid"] = "davis_goadrich",
) -> float:
    """Area under the curve of precision over recall.

    Between thresholds it runs as Davis and Goadrich found that it does. With `step` it is the
    average precision; with `max` each recall has the highest precision that it or a higher one
    reaches, and with `trapezoid` lines are straight: both are too optimistic.
    """
    rows, batch = make_two_class_rows(y, score), Batch.from_weights(weight)
    if interpolation == "max":
        return float(_average_highest_precision(rows, batch)[0])
    return float(_area(INTERPOLATIONS[interpolation], rows, batch)[0])
