"""How good the scores of labels are: their order within a row, and the probabilities."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.classes.of_labels import NO_ROW, fields_of, scored
from reportgen.metrics.probability import BRIER, CLIP, CLIPPED, GNEITING, clip_limits
from reportgen.metrics.spec import Question, rowwise
from reportgen.rows.label_sets import Flags

SCHAPIRE = (
    "Schapire & Singer (2000), BoosTexter: a boosting-based system for text categorization, "
    "Machine Learning 39; doi:10.1023/A:1007649029923"
)
IN_A_ROW = Question(
    "Do a row's own labels come first?",
    "Ask it where somebody reads the labels of a row from the most likely on.",
)
WHOLE = "how the scores of one row compare with those of another, and which labels are called"


def ranked(had: Flags, scores: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.intp], Matrix]:
    """Labels of each row from the highest score on: had or not, rank, and how many had up to it.

    Labels with tied scores all have the last rank among them. Each is (n, k).
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    value, own = np.take_along_axis(scores, order, axis=1), np.take_along_axis(had, order, axis=1)
    k = scores.shape[1]
    is_last = np.ones(value.shape, dtype=bool)
    is_last[:, :-1] = value[:, :-1] > value[:, 1:]
    last = np.where(is_last, np.arange(k), k)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    above = np.take_along_axis(np.cumsum(own, axis=1), last, axis=1)
    return own, np.asarray(last + 1), above.astype(np.float64)


@rowwise(
    aliases=("label_ranking_average_precision", "label_ranking_average_precision_score"),
    title="Label ranking average precision",
    task="multilabel",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=SCHAPIRE,
    estimand="mean",
    needs="order",
    inputs=scored,
    formula="mean over rows of the mean over their labels of (own labels up to its rank / its "
    "rank); labels with tied scores have the last rank among them",
    undefined=NO_ROW,
    caveat="A row without labels, or with all, counts 1 for any model.",
    answers=IN_A_ROW,
    asks="how far up a row's own labels stand among all labels",
    blind=WHOLE,
)
def lrap(had: Flags, scores: Matrix) -> Vector:
    """Mean precision of a row's labels at the rank of each of its own."""
    own, rank, above = ranked(had, scores)
    count = own.sum(axis=1)
    found = np.sum(np.where(own, above / rank, 0.0), axis=1) / np.maximum(count, 1)
    return np.where((count == 0) | (count == had.shape[1]), 1.0, found)


@rowwise(
    title="Coverage error",
    task="multilabel",
    better="lower",
    bounds=(0.0, inf),
    unit="labels",
    cite=SCHAPIRE,
    estimand="mean",
    needs="order",
    inputs=scored,
    formula="mean over rows of the last rank of one of their own labels; labels with tied scores "
    "have the last rank among them",
    undefined=NO_ROW,
    caveat="At best the mean number of labels of a row, not 0. A row without labels counts 0.",
    answers=IN_A_ROW,
    asks="how many labels must be read, the likeliest first, until none of a row's own is missing",
    blind=WHOLE,
)
def coverage_error(had: Flags, scores: Matrix) -> Vector:
    """Labels that must be read, the highest score first, to have all of a row's own."""
    own, rank, _ = ranked(had, scores)
    return np.asarray(np.max(np.where(own, rank, 0), axis=1, initial=0), dtype=np.float64)


@rowwise(
    aliases=("label_ranking_loss",),
    title="Ranking loss",
    task="multilabel",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=SCHAPIRE,
    estimand="mean",
    needs="order",
    inputs=scored,
    formula="mean over rows of the share of pairs of a label that is there and one that is not "
    "whose scores are tied or in the wrong order",
    undefined=NO_ROW,
    caveat="A row without labels, or with all, counts 0 for any model. A tie counts as wrong.",
    answers=IN_A_ROW,
    asks="how often a label that is not there stands above one that is",
    blind=WHOLE,
)
def ranking_loss(had: Flags, scores: Matrix) -> Vector:
    """Share of a row's pairs of own and other labels that the scores put in the wrong order."""
    own, rank, above = ranked(had, scores)
    count = own.sum(axis=1)
    pairs = count * (had.shape[1] - count)
    wrong = np.sum(np.where(own, rank - above, 0.0), axis=1)
    return np.asarray(wrong / np.maximum(pairs, 1))


@rowwise(
    title="One-error",
    task="multilabel",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=SCHAPIRE,
    estimand="mean",
    needs="order",
    inputs=scored,
    formula="Σ w [the label with the highest score is not there] / Σ w; tied labels by chance",
    undefined=NO_ROW,
    caveat="A row without labels counts 1 for any model.",
    answers=IN_A_ROW,
    asks="how often the likeliest label of a row is none of its own",
    blind="all labels but the one with the highest score",
)
def one_error(had: Flags, scores: Matrix) -> Vector:
    """Share of the rows whose label with the highest score is none of their own."""
    is_top = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(np.sum(is_top & ~had, axis=1) / is_top.sum(axis=1))


def _of(name: str) -> Any:
    return lambda **params: fields_of(f"multilabel_{name}", name, params)


@rowwise(
    asked_as={"name": "log_loss"},
    title="Log loss",
    task="multilabel",
    better="lower",
    bounds=(0.0, inf),
    unit="1",
    cite=GNEITING,
    estimand="mean",
    needs="probability",
    inputs=scored,
    fields_for=_of("log_loss"),
    check=clip_limits,
    formula="−Σ w Σ_k (y_k ln p_k + (1 − y_k) ln(1 − p_k)) / (K Σ w), K labels",
    undefined=NO_ROW,
    caveat=CLIPPED.format(what="label", how=" to be there, and not to be"),
    answers=questions.PROBABILITY,
    asks="how far off the probabilities of a row's labels are, sure mistakes counting most",
    blind="whether labels come together: each is judged by itself",
)
def multilabel_log_loss(
    had: Flags, scores: Matrix, *, of: str | None = None, clip: float = CLIP
) -> Vector:
    """Minus the mean logarithm of the probability of what happened, over all labels or of one."""
    p = np.clip(scores, clip, 1 - clip)
    return np.asarray(-np.where(had, np.log(p), np.log1p(-p)).mean(axis=1))


@rowwise(
    asked_as={"name": "brier"},
    aliases=("brier_score", "brier_score_loss"),
    title="Brier score",
    task="multilabel",
    better="lower",
    bounds=(0.0, 1.0),
    unit="1",
    cite=BRIER,
    estimand="mean",
    needs="probability",
    inputs=scored,
    fields_for=_of("brier"),
    formula="Σ w Σ_k (p_k − y_k)² / (K Σ w), K labels",
    undefined=NO_ROW,
    caveat="Where labels are rare it is small for any model.",
    answers=questions.PROBABILITY,
    asks="how far off the probabilities of a row's labels are, in squares",
    blind="whether labels come together: each is judged by itself",
)
def multilabel_brier(had: Flags, scores: Matrix, *, of: str | None = None) -> Vector:
    """Mean squared distance of the probability of a label from whether it is there."""
    return np.asarray(((scores - had) ** 2).mean(axis=1))
