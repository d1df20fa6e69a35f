"""How good the scores of several classes are, row by row: probabilities, and the first few."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.probability import BRIER, CLIP, CLIPPED, GNEITING, clip_limits
from reportgen.metrics.spec import METRICS, Image, rowwise
from reportgen.rows import Classes

EPSTEIN = (
    "Epstein (1969), A scoring system for probability forecasts of ranked categories, Journal of "
    "Applied Meteorology 8; doi:10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2"
)


def code_and_scores(rows: Classes, **_: Any) -> tuple[NDArray[Any], ...]:
    """The class of each row by its place, (n,), and the scores of all classes, (n, k)."""
    return rows.code, rows.scores


def of_the_true(code: Index, scores: Matrix) -> Vector:
    """The score of each row's own class, (n,)."""
    return np.asarray(scores[np.arange(len(code)), code])


@rowwise(
    name="multiclass_log_loss",
    asked_as={"name": "log_loss"},
    title="Log loss",
    task="multiclass",
    better="lower",
    bounds=(0.0, inf),
    unit="1",
    cite=GNEITING,
    estimand="mean",
    needs="probability",
    inputs=code_and_scores,
    check=clip_limits,
    formula="−Σ w ln p(y) / Σ w",
    undefined="where no row has weight",
    caveat=CLIPPED.format(what="class", how=""),
    answers=questions.PROBABILITY,
    asks="how far off the probabilities are, sure mistakes counting most",
    blind="how the rest of the probability is shared out among the classes that did not happen",
)
def log_loss(code: Index, scores: Matrix, *, clip: float = CLIP) -> Vector:
    """Minus the natural logarithm of the probability given to the true class, on average."""
    return np.asarray(-np.log(np.clip(of_the_true(code, scores), clip, 1.0)))


@rowwise(
    name="multiclass_brier",
    asked_as={"name": "brier"},
    aliases=("brier_score", "brier_score_loss"),
    title="Brier score",
    task="multiclass",
    better="lower",
    bounds=(0.0, 2.0),
    unit="1",
    cite=BRIER,
    estimand="mean",
    needs="probability",
    inputs=code_and_scores,
    image=lambda n, *, half: Image(METRICS["multiclass_brier"], (0.0, 0.5)) if half else None,
    formula="Σ w Σ_k (p_k − [y = k])² / Σ w; with half: true one half of it",
    undefined="where no row has weight",
    caveat="From 0 to 2, as Brier has it; with half: true from 0 to 1, which for two classes is "
    "the score of the upper one.",
    answers=questions.PROBABILITY,
    asks="how far off the probabilities of all classes are, in squares",
    blind="whether a probability of 0.001 should be 0.0001: both are near 0",
)
def brier(code: Index, scores: Matrix, *, half: bool = False) -> Vector:
    """Mean squared distance of the probabilities of all classes from what happened."""
    squares = np.sum((scores - (np.arange(scores.shape[1]) == code[:, None])) ** 2, axis=1)
    return np.asarray(squares / 2 if half else squares)


@rowwise(
    aliases=("ranked_probability_score",),
    title="Ranked probability score",
    task="multiclass",
    better="lower",
    bounds=(0.0, 1.0),
    unit="1",
    cite=EPSTEIN,
    estimand="mean",
    needs="probability",
    inputs=code_and_scores,
    formula="Σ w Σ_j (P(class ≤ j) − [y ≤ j])² / ((K − 1) Σ w), j over all K classes but the last",
    undefined="where no row has weight",
    caveat="The order of the classes is that of the config, or of their values; where they have "
    "none the number says nothing.",
    answers=questions.PROBABILITY,
    asks="how far off the probabilities are, in squares, a class further away counting more",
    blind="how far apart two neighbouring classes are",
)
def rps(code: Index, scores: Matrix) -> Vector:
    """Mean squared distance of the cumulative probabilities of classes in an order from the truth.

    Of two classes it is the Brier score of the upper one.
    """
    below = np.cumsum(scores, axis=1)[:, :-1]
    happened = code[:, None] <= np.arange(scores.shape[1] - 1)
    return np.asarray(((below - happened) ** 2).mean(axis=1))


@rowwise(
    title="Top-k accuracy",
    task="multiclass",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite="Lapin, Hein & Schiele (2016), Loss functions for top-k error; arXiv:1512.00486",
    estimand="mean",
    needs="order",
    kind="decision",
    inputs=code_and_scores,
    check=lambda k: None if k > 1 else f"k is {k}, but must be at least 2; the first is accuracy",
    formula="Σ w [class among the k highest scores] / Σ w; a tie at the k-th counts by its chance",
    undefined="where no row has weight",
    caveat="With as many classes as k it is 1 for any model.",
    answers=questions.CALLS,
    asks="how often the class is among the first few that the model names",
    blind="which of these it is, and how sure the model was",
)
def top_k_accuracy(code: Index, scores: Matrix, *, k: int = 2) -> Vector:
    """Share of the rows whose class is among the k with the highest scores, ties by chance."""
    own = of_the_true(code, scores)[:, None]
    above, tied = np.sum(scores > own, axis=1), np.sum(scores == own, axis=1)
    return np.asarray(np.clip((k - above) / tied, 0.0, 1.0))
