"""Log loss, Brier score and their skill scores."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import inf

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import Metric, rowwise
from reportgen.metrics.monotone import image_of_metric
from reportgen.metrics.rows import Classes, LabelSets

CLIP = float(np.finfo(np.float64).eps)  # the probability that a class has at least
SURE = 1e-12  # the probability under which what happened had none
CLIPPED = (
    "A probability of 0 for the outcome has no logarithm: every {what} counts as at least `clip` "
    "likely{how}, which costs 36 where that is 2.2e-16."
)
GNEITING = (
    "Gneiting & Raftery (2007), Strictly proper scoring rules, prediction, and estimation, Journal "
    "of the American Statistical Association 102; doi:10.1198/016214506000001437"
)

BRIER = (
    "Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather "
    "Review 78; doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2"
)
CALSTER = (
    "Van Calster et al. (2019), Calibration: the Achilles heel of predictive analytics, BMC "
    "Medicine 17; doi:10.1186/s12916-019-1466-7"
)


def check_clip(clip: float, **_: object) -> str | None:
    """Describe an invalid minimum probability to clip to, or return None."""
    return check_range("clip", clip, CLIP, 0.1)


_probability_metric = partial(
    rowwise,
    task="binary",
    unit="1",
    estimand="mean",
    needs="probability",
    undefined="where no row has weight",
    answers=questions.PROBABILITY,
)


@_probability_metric(
    reference="share",
    title="Log loss",
    better="lower",
    bounds=(0.0, inf),
    cite=GNEITING,
    check=check_clip,
    formula="−Σ w (y ln p + (1 − y) ln(1 − p)) / Σ w",
    caveat=CLIPPED.format(what="class", how=""),
    asks="how far off the probabilities are, sure mistakes counting most",
    blind="what the decision is: probabilities far from any threshold count as those near it",
)
def log_loss(y: Vector, score: Vector, *, clip: float = CLIP) -> Vector:
    """Minus the natural logarithm of the probability given to the true class, on average."""
    p = np.clip(score, clip, 1 - clip)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)))


def brier_skill_of_means(means: Matrix) -> Vector:
    """1 less the mean square over that of a constant, (b,), from means of its columns, (b, 3)."""
    return _skill(means, means[:, 1] * means[:, 2])


def log_loss_skill_of_means(means: Matrix) -> Vector:
    """1 less the mean surprise over that of a constant, (b,), from means of its columns, (b, 3)."""
    from scipy.special import xlogy  # here, since a list of metrics must not wait for it

    return _skill(means, -np.asarray(xlogy(means[:, 1:], means[:, 1:]).sum(axis=1)))


def _skill(means: Matrix, constant: Vector) -> Vector:
    skill = np.full(len(means), np.nan)
    has_both = means[:, 1:].min(axis=1) > 0
    np.divide(means[:, 0], constant, out=skill, where=has_both)
    return 1 - skill


def _stack_class_columns(loss: Vector, y: Vector) -> Matrix:
    """Stack a loss and both classes as columns, each class 0 where a row is of the other."""
    return np.stack([loss, y, 1 - y], axis=1)


@_probability_metric(
    reference="share",
    aliases=("brier_score", "brier_score_loss"),
    title="Brier score",
    better="lower",
    bounds=(0.0, 1.0),
    cite=BRIER,
    formula="Σ w (p − y)² / Σ w",
    caveat="Where one class is rare it is small for any model; `brier_skill` sets it against a "
    "constant.",
    asks="how far off the probabilities are, in squares",
    blind="whether a probability of 0.001 should be 0.0001: both are near 0",
)
def brier(y: Vector, score: Vector) -> Vector:
    """Mean squared distance of the probability from the outcome."""
    return np.asarray((score - y) ** 2)


@_probability_metric(
    reference="share",
    aliases=("brier_skill_score", "bss", "d2_brier_score"),
    title="Brier skill",
    better="higher",
    bounds=(-inf, 1.0),
    cite=BRIER,
    estimand="log residual of bounded losses",
    is_led_by_a_loss=True,
    finish=brier_skill_of_means,
    image=image_of_metric("brier"),
    formula="1 − Σ w (p − y)² / Σ w (ȳ − y)², ȳ the share of positives",
    undefined="where all rows are of one class",
    caveat="0 is what the share of positives in these rows has as the probability of each row.",
    asks="how much better than a constant the probabilities are, in squares",
    blind="whether a probability of 0.001 should be 0.0001: both are near 0",
)
def brier_skill(y: Vector, score: Vector) -> Matrix:
    """Share of the Brier score of a constant that the model saves; below 0 it adds."""
    return _stack_class_columns((score - y) ** 2, y)


@_probability_metric(
    reference="share",
    aliases=("d2_log_loss_score", "mcfadden"),
    title="Log loss skill",
    better="higher",
    bounds=(-inf, 1.0),
    cite=GNEITING,
    estimand="log residual",
    is_led_by_a_loss=True,
    finish=log_loss_skill_of_means,
    image=image_of_metric("log_loss"),
    formula="1 − L(p) / L(ȳ), L the log loss and ȳ the share of positives",
    undefined="where all rows are of one class",
    caveat="0 is what the share of positives in these rows has as the probability of each row.",
    asks="how much better than a constant the probabilities are, sure mistakes counting most",
    blind="what the decision is: probabilities far from any threshold count as those near it",
)
def log_loss_skill(y: Vector, score: Vector) -> Matrix:
    """Share of the log loss of a constant that the model saves; below 0 it adds."""
    return _stack_class_columns(log_loss(y, score), y)


@_probability_metric(
    no_reference="a constant attains the best value",
    aliases=("calibration_in_the_large",),
    title="Calibration bias",
    better="zero",
    bounds=(-1.0, 1.0),
    unit="share",
    cite=CALSTER,
    formula="Σ w (p − y) / Σ w",
    caveat="Probabilities too high for some rows and too low for others cancel.",
    asks="how far the probabilities are too high, or below zero too low, on average",
    blind="which rows they are too high for: errors of both signs cancel",
)
def calibration_bias(y: Vector, score: Vector) -> Vector:
    """Mean probability less the share of positives: above zero more is promised than happened."""
    return np.asarray(score - y)


CLIPPING = ("log_loss", "multiclass_log_loss", "multilabel_log_loss")


def largest_clip(metrics: Iterable[Metric]) -> float:
    """Return the largest minimum probability that a metric clips to; the default if none does."""
    clips = (m.params.get("clip") for m in metrics if m.name in CLIPPING)
    return max((clip for clip in clips if isinstance(clip, float)), default=CLIP)


def count_confident_mistakes(
    rows: Classes | LabelSets, weight: Vector, clip: float = CLIP
) -> tuple[int, float]:
    """Count weighted rows that gave the observed class less than `clip`, and their loss share.

    A probability that is all but 0 counts too. Of labels a row counts where it has one such
    mistake, with the loss of these alone.
    """
    given = _probability_of_outcome(rows)
    losses = -np.log(np.clip(given, clip, 1.0)) * weight[:, None]
    is_sure = (given < max(clip, SURE)) & (weight > 0)[:, None]
    total = float(losses.sum())
    held = float(losses[is_sure].sum()) / total if total > 0 else 0.0
    return int(is_sure.any(axis=1).sum()), held


def _probability_of_outcome(rows: Classes | LabelSets) -> Matrix:
    """Return the probability of what happened: of the class, (n, 1), or of each label, (n, k)."""
    if isinstance(rows, LabelSets):
        return np.where(rows.flags, rows.scores, 1 - rows.scores)
    if rows.scores.shape[1] == 1:
        return np.where(rows.y.values > 0, rows.score.values, 1 - rows.score.values)[:, None]
    return np.asarray(rows.scores[np.arange(len(rows)), rows.code][:, None])
