"""Metrics of the scores of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics import questions
from reportgen.metrics.classification.multiclass_tables import average_over_classes
from reportgen.metrics.classification.multilabel_calls import (
    NO_ROW,
    check_average,
    get_scored_labels,
    label_fields,
)
from reportgen.metrics.classification.precision_recall import SAITO
from reportgen.metrics.classification.probability import BRIER, CLIP, CLIPPED, GNEITING, check_clip
from reportgen.metrics.classification.roc import DELONG
from reportgen.metrics.metric import METRICS, BoundMetric, rowwise, whole
from reportgen.metrics.regression.concordance import HANLEY
from reportgen.metrics.rows import Classes, Flags, LabelSets
from reportgen.metrics.statistic import Function
from reportgen.metrics.traits import Question

SCHAPIRE = (
    "Schapire & Singer (2000), BoosTexter: a boosting-based system for text categorization, "
    "Machine Learning 39; doi:10.1023/A:1007649029923"
)
IN_A_ROW = Question(
    "Do a row's own labels come first?",
    "Ask it where somebody reads the labels of a row from the most likely on.",
)
WHOLE = "how the scores of one row compare with those of another, and which labels are predicted"


def rank_labels(had: Flags, scores: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.intp], Matrix]:
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


_label_ranking_metric = partial(
    rowwise,
    task="multilabel",
    better="lower",
    bounds=(0.0, 1.0),
    cite=SCHAPIRE,
    estimand="mean",
    needs="order",
    inputs=get_scored_labels,
    undefined=NO_ROW,
    answers=IN_A_ROW,
    reference="label shares",
)


@_label_ranking_metric(
    aliases=("label_ranking_average_precision", "label_ranking_average_precision_score"),
    title="Label ranking average precision",
    better="higher",
    unit="1",
    formula="mean over rows of the mean over their labels of (own labels up to its rank / its "
    "rank); labels with tied scores have the last rank among them",
    caveat="A row without labels, or with all, counts 1 for any model.",
    asks="how far up a row's own labels stand among all labels",
    blind=WHOLE,
)
def lrap(had: Flags, scores: Matrix) -> Vector:
    """Mean precision of a row's labels at the rank of each of its own."""
    own, rank, above = rank_labels(had, scores)
    count = own.sum(axis=1)
    found = np.sum(np.where(own, above / rank, 0.0), axis=1) / np.maximum(count, 1)
    return np.where((count == 0) | (count == had.shape[1]), 1.0, found)


@_label_ranking_metric(
    title="Coverage error",
    bounds=(0.0, inf),
    unit="labels",
    formula="mean over rows of the last rank of one of their own labels; labels with tied scores "
    "have the last rank among them",
    caveat="At best the mean number of labels of a row, not 0. A row without labels counts 0.",
    asks="how many labels must be read, the likeliest first, until none of a row's own is missing",
    blind=WHOLE,
)
def coverage_error(had: Flags, scores: Matrix) -> Vector:
    """Labels that must be read, the highest score first, to have all of a row's own."""
    own, rank, _ = rank_labels(had, scores)
    return np.asarray(np.max(np.where(own, rank, 0), axis=1, initial=0), dtype=np.float64)


@_label_ranking_metric(
    aliases=("label_ranking_loss",),
    title="Ranking loss",
    unit="share",
    formula="mean over rows of the share of pairs of a label that is there and one that is not "
    "whose scores are tied or in the wrong order",
    caveat="A row without labels, or with all, counts 0 for any model. A tie counts as wrong.",
    asks="how often a label that is not there stands above one that is",
    blind=WHOLE,
)
def ranking_loss(had: Flags, scores: Matrix) -> Vector:
    """Share of a row's pairs of own and other labels that the scores put in the wrong order."""
    own, rank, above = rank_labels(had, scores)
    count = own.sum(axis=1)
    pairs = count * (had.shape[1] - count)
    wrong = np.sum(np.where(own, rank - above, 0.0), axis=1)
    return np.asarray(wrong / np.maximum(pairs, 1))


@_label_ranking_metric(
    title="One-error",
    unit="share",
    formula="Σ w [the label with the highest score is not there] / Σ w; tied labels by chance",
    caveat="A row without labels counts 1 for any model.",
    asks="how often the likeliest label of a row is none of its own",
    blind="all labels but the one with the highest score",
)
def one_error(had: Flags, scores: Matrix) -> Vector:
    """Share of the rows whose label with the highest score is none of their own."""
    is_top = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(np.sum(is_top & ~had, axis=1) / is_top.sum(axis=1))


def _make_label_fields(name: str) -> Any:
    return lambda **params: label_fields(f"multilabel_{name}", name, params)


@_label_ranking_metric(
    asked_as={"name": "log_loss"},
    title="Log loss",
    bounds=(0.0, inf),
    unit="1",
    cite=GNEITING,
    needs="probability",
    fields_for=_make_label_fields("log_loss"),
    check=check_clip,
    formula="−Σ w Σ_k (y_k ln p_k + (1 − y_k) ln(1 − p_k)) / (K Σ w), K labels",
    caveat=CLIPPED.format(what="label", how=" to be there, and not to be"),
    answers=questions.PROBABILITY,
    asks="how far off the probabilities of a row's labels are, sure mistakes counting most",
    blind="whether labels come together: each is judged by itself",
)
def multilabel_log_loss(
    had: Flags, scores: Matrix, *, of: str | None = None, clip: float = CLIP
) -> Vector:
    """Minus the mean logarithm of the probability of the outcome, over all labels or of one."""
    p = np.clip(scores, clip, 1 - clip)
    return np.asarray(-np.where(had, np.log(p), np.log1p(-p)).mean(axis=1))


@_label_ranking_metric(
    asked_as={"name": "brier"},
    aliases=("brier_score", "brier_score_loss"),
    title="Brier score",
    unit="1",
    cite=BRIER,
    needs="probability",
    fields_for=_make_label_fields("brier"),
    formula="Σ w Σ_k (p_k − y_k)² / (K Σ w), K labels",
    caveat="Where labels are rare it is small for any model.",
    answers=questions.PROBABILITY,
    asks="how far off the probabilities of a row's labels are, in squares",
    blind="whether labels come together: each is judged by itself",
)
def multilabel_brier(had: Flags, scores: Matrix, *, of: str | None = None) -> Vector:
    """Mean squared distance of the probability of a label from whether it is there."""
    return np.asarray(((scores - had) ** 2).mean(axis=1))


Average = Literal["macro", "weighted", "micro"]
EACH = (
    "macro: the mean of the labels that have one; weighted: each by the weight that has it; micro: "
    "all cells of rows and labels as rows of one label."
)


def flatten_labels(rows: LabelSets) -> Classes:
    """Every row with every label as a row of its own, (n k,), row by row."""

    def build_rows() -> Classes:
        code = rows.flags.ravel().astype(np.intp)
        return Classes(code, rows.scores.reshape(-1, 1), ("not there", "there"), rows.scale)

    return rows.once("cells", build_rows)


def row_of_label_cell(rows: LabelSets) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return the row of each cell, (n k,)."""
    return np.repeat(np.arange(len(rows)), len(rows.labels))


def _iter_label_metrics(name: str, rows: LabelSets) -> Iterator[BoundMetric]:
    """Yield the two-class metric bound to each label."""
    return (METRICS[name].bind(rows.isolate(k)) for k in range(len(rows.labels)))


def _shares(rows: LabelSets, batch: Batch) -> Matrix:
    """Compute the share of the weight with each label, (b, k)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = weighted_sums(batch, rows.flags.astype(np.float64))
        return np.asarray(sums / batch.totals[:, None])


def _fast(name: str, rows: LabelSets, batch: Batch, *, average: str, **_: Any) -> Vector:
    if average == "micro":
        return METRICS[name].bind(flatten_labels(rows))(batch.slice(row_of_label_cell(rows)))
    each = np.stack([bound(batch) for bound in _iter_label_metrics(name, rows)], axis=1)
    return np.clip(average_over_classes(each, _shares(rows, batch), average, "skip"), 0.0, 1.0)


def _evaluate_definition(name: str, rows: LabelSets, weight: Vector, average: str) -> float:
    if average == "micro":
        return METRICS[name].bind(flatten_labels(rows)).define(weight[row_of_label_cell(rows)])
    each = np.array([[bound.define(weight) for bound in _iter_label_metrics(name, rows)]])
    total = weight.sum()
    share = (weight @ rows.flags / total if total else np.zeros(len(rows.labels)))[None, :]
    return float(average_over_classes(each, share, average, "skip")[0])


def _influence(
    name: str, rows: LabelSets, weight: Vector, *, average: str, **_: Any
) -> Vector | None:
    """Each row's pull on every area, and where they are weighted on what each counts for."""
    if average == "micro":
        phi = METRICS[name].bind(flatten_labels(rows)).influence(weight[row_of_label_cell(rows)])
        return None if phi is None else np.asarray(phi.reshape(len(rows), -1).mean(axis=1))
    share = (weight @ rows.flags) / weight.sum()
    pulls, total = [], 0.0
    for k, bound in enumerate(_iter_label_metrics(name, rows)):
        area, phi = float(bound(Batch.from_weights(weight))[0]), bound.influence(weight)
        if np.isnan(area) or phi is None or not share[k]:
            continue
        counts = float(share[k]) if average == "weighted" else 1.0
        moves = rows.flags[:, k] - share[k] if average == "weighted" else np.zeros(len(rows))
        pulls.append((counts, area, phi, moves))
        total += counts
    if not pulls:
        return None
    mean = sum(counts * area for counts, area, _, _ in pulls) / total
    parts = [counts * phi + moves * (area - mean) for counts, area, phi, moves in pulls]
    return np.asarray(np.sum(parts, axis=0) / total)


def multilabel_area(**about: Any) -> Callable[[Function], Function]:
    """Register f(rows, weight, average, of), the metric of two classes of each label, or of all."""
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    own = function.__name__
    two = own.removeprefix("multilabel_")
    whole(
        **about,
        asked_as={"name": two},
        task="multilabel",
        better="higher",
        bounds=(0.0, 1.0),
        unit="1",
        estimand="share of an area",
        needs="order",
        inputs=lambda rows, **_: (rows,),
        check=check_average,
        fields_for=lambda **params: label_fields(own, two, params),
        fast=partial(_fast, two),
        influence=partial(_influence, two),
        answers=questions.CLASSES,
        blind="whether the probabilities are calibrated, and which labels are predicted",
    )(function)
    return function


@multilabel_area(
    reference="label shares",
    aliases=("auc", "auroc", "c_statistic"),
    title="AUC",
    cite=f"{HANLEY}; {DELONG}",
    formula=f"of a label: Σ w_i w_j ([score_i > score_j] + ½[tied]) / Σ w_i w_j, i has it, j does "
    f"not. {EACH}",
    undefined="where no label is there on some rows and missing on others",
    caveat="In micro, scores of one label are held against those of another: a common label that "
    "is scored high makes it high.",
    asks="how well the scores of a label tell the rows with it from those without (one half is "
    "chance)",
)
def multilabel_roc_auc(
    rows: LabelSets, weight: Vector, *, average: Average = "macro", of: str | None = None
) -> float:
    """Chance that a row with a label has a higher score of it than one without, on average."""
    return _evaluate_definition("roc_auc", rows, weight, average)


@multilabel_area(
    reference="label shares",
    aliases=("auprc_steps", "pr_auc_steps"),
    title="Average precision",
    cite=SAITO,
    formula="of a label: Σ over thresholds of the gain in recall times the precision there. "
    f"{EACH}",
    undefined="where no row has a label",
    caveat="Of a label it rises with the share of rows that have it, which is what a random order "
    "has.",
    asks="how clean the rows predicted to have a label stay as more of those with it are found",
)
def multilabel_average_precision(
    rows: LabelSets, weight: Vector, *, average: Average = "macro", of: str | None = None
) -> float:
    """Mean precision of the flags of a label along recall, on average over labels."""
    return _evaluate_definition("average_precision", rows, weight, average)
