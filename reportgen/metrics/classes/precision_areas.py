"""Areas under precision along recall, with each way to draw it between two thresholds.

Rows with tied scores are called together: a threshold never splits them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from reportgen.kernels.auc import average_precision as fast_average_precision
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_areas import hyperbolas
from reportgen.kernels.class_sums import back_to_rows, class_sums
from reportgen.metrics import questions
from reportgen.metrics.binary import positives
from reportgen.metrics.classes.order import NO_POSITIVE, as_classes
from reportgen.metrics.spec import METRICS, Image, whole
from reportgen.rows import Classes

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


def of_steps(p: Vector, a: Vector, b: Vector, n: Vector) -> Parts:
    """Average precision: what each group adds, and its slopes in a, b, p and n, before over P."""
    size = a + b + p + n
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.where(size > 0, (a + p) / size, 0.0)
        inverse = np.where(size > 0, 1 / size, 0.0)
    falls = -p * height * inverse
    return p * height, p * inverse + falls, falls, height + p * inverse + falls, falls


def of_hyperbolas(p: Vector, a: Vector, b: Vector, n: Vector) -> Parts:
    """The area under precision along recall within tied groups, as `of_steps`."""
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
        2 * p * one - p**2 * one**2
        - ((2 * b * p - n * a) * one**2 - 2 * p * bend * one**3) * log - twist * by_end,
        -(p**2) * one**2 + (p * a * one**2 + 2 * p * bend * one**3) * log - twist * by_end,
    )  # fmt: skip


def of_trapezoids(p: Vector, a: Vector, b: Vector, n: Vector) -> Parts:
    """The area under straight lines between thresholds, from precision 1, as `of_steps`."""
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
    """The sum over groups under each weighting, over the weight of the positives, (b,)."""
    tp, fp = class_sums(rows, batch)
    value = parts(np.diff(tp, axis=0), tp[:-1], fp[:-1], np.diff(fp, axis=0))[0].sum(axis=0)
    found = np.full(batch.size, np.nan)
    np.divide(value, tp[-1], out=found, where=tp[-1] > 0)
    return np.asarray(np.clip(found, 0.0, 1.0))


PARTS = {"step": of_steps, "davis_goadrich": of_hyperbolas, "trapezoid": of_trapezoids}


def _highest(rows: Classes, batch: Batch) -> Vector:
    """The mean over the positives of the highest precision at their score or below, (b,)."""
    tp, fp = class_sums(rows, batch)
    best = np.maximum.accumulate(precisions(tp, fp)[::-1], axis=0)[::-1]
    value = (np.diff(tp, axis=0) * best).sum(axis=0)
    found = np.full(batch.size, np.nan)
    np.divide(value, tp[-1], out=found, where=tp[-1] > 0)
    return np.asarray(np.clip(found, 0.0, 1.0))


def precisions(tp: Matrix, fp: Matrix) -> Matrix:
    """The precision from each group up, 0 where nothing weighs."""
    size = (tp + fp)[1:]
    return np.divide(tp[1:], size, out=np.zeros(size.shape), where=size > 0)


def _highest_slopes(rows: Classes, weight: Vector) -> Vector | None:
    """phi_i with the place of the highest precision held: that it moves is of second order."""
    tp, fp = class_sums(rows, Batch.of(weight))
    if not tp[-1, 0] > 0:
        return None
    precision, size = precisions(tp, fp)[:, 0], (tp + fp)[1:, 0]
    best = np.maximum.accumulate(precision[::-1])[::-1]
    last = len(best) - 1 - np.searchsorted(best[::-1], best, side="left")  # where it is reached
    held = np.bincount(last, np.diff(tp[:, 0]), minlength=len(best))
    one = np.divide(held, size, out=np.zeros(len(size)), where=size > 0)
    from_here = [np.cumsum(each[::-1])[::-1] for each in (one, one * precision)]
    rises, falls = (back_to_rows(rows, each) for each in from_here)
    is_positive = rows.y.values > 0
    value = float(np.diff(tp[:, 0]) @ best / tp[-1, 0])
    own = is_positive * (back_to_rows(rows, best) - value + rises) - falls
    phi = weight.sum() * own / tp[-1, 0]
    return np.asarray(phi - weight @ phi / weight.sum())


def _fast_pr(rows: Classes, batch: Batch, *, interpolation: str) -> Vector:
    if interpolation == "max":
        return _highest(rows, batch)
    if interpolation == "step":
        return _fast_ap(rows, batch)
    if interpolation == "trapezoid":
        return _area(of_trapezoids, rows, batch)
    clipped: Vector = np.clip(hyperbolas(rows, batch), 0.0, 1.0)
    return clipped


def _pr_influence(rows: Classes, weight: Vector, *, interpolation: str) -> Vector | None:
    if interpolation == "max":
        return _highest_slopes(rows, weight)
    return _slopes(PARTS[interpolation], rows, weight)


def _steps_are_ap(n: int, *, interpolation: str) -> Image | None:
    is_ap = interpolation == "step"
    return Image(METRICS["average_precision"], (0.0, 1.0)) if is_ap else None


def _slopes(parts: Callable[..., Parts], rows: Classes, weight: Vector) -> Vector | None:
    """phi_i: what a row adds to its own group and to all below it, less its share of P."""
    tp, fp = (each[:, 0] for each in class_sums(rows, Batch.of(weight)))
    if not tp[-1] > 0:
        return None
    value, by_a, by_b, by_p, by_n = parts(np.diff(tp), tp[:-1], fp[:-1], np.diff(fp))
    below_a, below_b = (np.cumsum(each[::-1])[::-1] - each for each in (by_a, by_b))
    is_positive = rows.y.values > 0
    own = np.where(is_positive, back_to_rows(rows, by_p + below_a),
                   back_to_rows(rows, by_n + below_b))  # fmt: skip
    phi = weight.sum() * (own - is_positive * value.sum() / tp[-1]) / tp[-1]
    return np.asarray(phi - weight @ phi / weight.sum())


def _fast_ap(rows: Classes, batch: Batch) -> Vector:
    clipped: Vector = np.clip(fast_average_precision(rows, batch), 0.0, 1.0)
    return clipped


@whole(
    aliases=("auprc_steps", "pr_auc_steps"),
    title="Average precision",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=SAITO,
    estimand="share of an area",
    needs="order",
    fast=_fast_ap,
    influence=lambda rows, weight: _slopes(of_steps, rows, weight),
    classes=positives,
    formula="Σ over distinct scores of the recall gained there times the precision from there up",
    undefined=NO_POSITIVE,
    caveat=RISES,
    answers=questions.CLASSES,
    asks="how pure the calls stay as more and more positives are called",
    blind="the order of negatives below the last positive, and whether the probabilities are right",
)
def average_precision(y: Vector, score: Vector, weight: Vector) -> float:
    """Mean over the positives of the precision at their score; tied scores are called together."""
    return float(_area(of_steps, as_classes(y, score), Batch.of(weight))[0])


@whole(
    aliases=("auprc", "aucpr", "area_under_pr"),
    title="Area under precision–recall",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=DAVIS,
    estimand="share of an area",
    needs="order",
    fast=_fast_pr,
    influence=_pr_influence,
    image=_steps_are_ap,
    classes=positives,
    formula="∫ precision d recall, false positives in proportion to true ones within tied scores",
    undefined=NO_POSITIVE,
    caveat=f"{RISES} {STRAIGHT}",
    fields_for=lambda interpolation: {"caveat": f"{RISES} {BETWEEN[interpolation]}"},
    answers=questions.CLASSES,
    asks="how pure the calls stay as more and more positives are called",
    blind="the order of negatives below the last positive, and whether the probabilities are right",
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
    rows, batch = as_classes(y, score), Batch.of(weight)
    if interpolation == "max":
        return float(_highest(rows, batch)[0])
    return float(_area(PARTS[interpolation], rows, batch)[0])
