"""Hand's H measure: what calls save of the least cost, averaged over what an error may cost.

At a cost c of a false alarm, and 1 − c of a positive missed, a row is best called where the rising
fit q of what happened on the score is above c. Over a weight u(c) of the costs the mean loss is
that of a proper score of q, so that the measure is the share of a constant's loss that the order
saves.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.isotonic import rising_blocks
from reportgen.kernels.score_cells import ClassWeights, ScoreCells, every_score, over_cells
from reportgen.metrics import questions
from reportgen.metrics.binary import positives
from reportgen.metrics.classes.order import ONE_CLASS
from reportgen.metrics.classes.recalibrated import (
    drawn_from,
    draws,
    positives_in,
    rising,
    weight_in,
)
from reportgen.metrics.limits import outside
from reportgen.metrics.spec import whole
from reportgen.rows import Classes

HAND = (
    "Hand (2009), Measuring classifier performance: a coherent alternative to the area under the "
    "ROC curve, Machine Learning 77; doi:10.1007/s10994-009-5119-5; Hand & Anagnostopoulos (2014), "
    "A better Beta for the H measure of classification performance, Pattern Recognition Letters "
    "40; doi:10.1016/j.patrec.2013.12.011"
)
Severity = Literal["beta_pi", "ratio"]
Shape = tuple[float, float]
DRAWS, SEED = 199, 15_072
STEP = 1e-6  # in the share of positives, of a slope that is measured


def shape_of(severity: str, ratio: float | None, share: float) -> Shape:
    """The weight over costs as a Beta distribution, by the share of positives.

    >>> shape_of("beta_pi", None, 0.2), shape_of("ratio", 0.25, 0.5)
    ((1.2, 1.8), (2.0, 5.0))
    """
    if severity == "beta_pi":
        return share + 1, 2 - share
    return 2.0, 1 + 1 / (share / (1 - share) if ratio is None else ratio)


def losses_at(q: Vector, shape: Shape) -> tuple[Vector, Vector]:
    """The mean loss of a negative and of a positive row whose calls are best for q."""
    from scipy.special import betainc  # here, since a list of metrics must not wait for it

    a, b = shape
    mean = a / (a + b)
    false_alarm = mean * betainc(a + 1, b, q)
    return false_alarm, 1 - mean - (betainc(a, b, q) - false_alarm)


def _mean_loss(q: Vector, share: Vector, shape: Shape) -> float:
    """The mean of the losses where a share q of each cell is positive, (c,)."""
    negative, positive = losses_at(q, shape)
    return float(share @ ((1 - q) * negative + q * positive))


def _of_blocks(upper: Vector, lower: Vector, severity: str, ratio: float | None) -> float:
    """From the weights of both classes in the blocks of the rising fit, (m,)."""
    both = (upper + lower)[upper + lower > 0]
    total, positive = float(both.sum()), float(upper.sum())
    if not 0 < positive < total:
        return np.nan
    fit, constant = upper[: len(both)] / both, np.array([positive / total])
    shape = shape_of(severity, ratio, positive / total)
    found = 1 - _mean_loss(fit, both / total, shape) / _mean_loss(constant, np.ones(1), shape)
    return float(np.clip(found, 0.0, 1.0))


def _fast(rows: Classes, batch: Batch, *, severity: str, ratio: float | None) -> Vector:
    def fits(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        sides = zip(*rising_blocks(weights), strict=True)
        return np.array([[_of_blocks(upper, lower, severity, ratio)] for upper, lower in sides])

    return np.asarray(over_cells(rows, batch, f"H, {severity} {ratio}", fits)[:, 0])


def _influence(
    rows: Classes, weight: Vector, *, severity: str, ratio: float | None
) -> Vector | None:
    """With the fit held, whose moving is of second order; where costs follow the classes, both."""
    cells, y = every_score(rows), rows.y.values
    both, upper = weight_in(cells, weight), positives_in(rows, cells, weight)
    total, positive = float(both.sum()), float(upper.sum())
    if not 0 < positive < total:
        return None
    pi, fit = positive / total, rising(upper, both)[cells.number]
    fit, share = np.where(np.isfinite(fit), fit, pi), weight / total

    def means(prior: float) -> tuple[Vector, Vector, float, float]:
        shape = shape_of(severity, ratio, prior)
        own, plain = (losses_at(np.broadcast_to(q, y.shape), shape) for q in (fit, pi))
        each = [np.where(y > 0, positive_, negative) for negative, positive_ in (own, plain)]
        return each[0], each[1], float(share @ each[0]), float(share @ each[1])

    own, plain, loss, most = means(pi)
    phi = (loss * (plain - most) / most - (own - loss)) / most
    ends = [1 - of[2] / of[3] for of in (means(pi + STEP), means(pi - STEP))]
    phi = phi + (ends[0] - ends[1]) / (2 * STEP) * (y - pi)
    return np.asarray(phi - share @ phi)


def _bias(rows: Classes, weight: Vector, *, severity: str, ratio: float | None) -> float:
    """By how much chance adds where the rising fit is true: its best thresholds are of these rows.

    Of each draw from the fit another one is fitted; the draws' mean stands against the fit's value.
    """
    cells = drawn_from(rows)
    both, upper = weight_in(cells, weight), positives_in(rows, cells, weight)
    use = both > 0
    chances = np.where(use, np.nan_to_num(rising(upper, both)), 0.0)
    true = _of_cells(chances[use] * both[use], both[use], severity, ratio)
    found = [
        _of_cells(one[use], both[use], severity, ratio)
        for several in draws(rows, weight, chances, DRAWS, SEED)
        for one in several
    ]
    known = [value for value in found if np.isfinite(value)]
    return float(np.mean(known)) - true if known else np.nan


def _of_cells(upper: Vector, both: Vector, severity: str, ratio: float | None) -> float:
    """The measure of the rising fit to cells with the weights of positives and of all rows."""
    fitted = rising(upper, both) * both
    return _of_blocks(fitted, both - fitted, severity, ratio)


def _limits(severity: Severity, ratio: float | None) -> str | None:
    if ratio is not None and severity != "ratio":
        return "ratio goes with severity: ratio"
    return outside("ratio", ratio, 1e-3, 1e3)


@whole(
    aliases=("h", "hand_h"),
    title="H measure",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=HAND,
    estimand="fitted",
    needs="order",
    check=_limits,
    fast=_fast,
    influence=_influence,
    bias=_bias,
    classes=positives,
    formula="1 − L/L_max, L the least mean cost over thresholds, averaged over the cost c of a "
    "false alarm beside 1 − c of a positive missed by a Beta weight: (π₁ + 1, π₀ + 1), or with "
    "severity: ratio (2, 1 + 1/r), r = π₁/π₀ unless given",
    undefined=ONE_CLASS,
    caveat="The weight over costs is a choice, the same for all models; name it beside the number. "
    "The thresholds are the best of these rows, which flatters it on few of them.",
    answers=questions.CLASSES,
    asks="how much of the cost of errors the order of the scores can save, over what they may cost",
    blind="whether the probabilities are right, and where calls begin in use",
)
def h_measure(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    severity: Severity = "beta_pi",
    ratio: float | None = None,
) -> float:
    """Share of the least cost of a constant that the best calls save, over a weight of costs."""
    code = (y > 0).astype(np.intp)
    rows = Classes(code, score[:, None], ("0", "1"), "score")
    return float(_fast(rows, Batch.of(weight), severity=severity, ratio=ratio)[0])
