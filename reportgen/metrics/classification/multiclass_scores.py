"""AUC, probability scores and calibration of several classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.auc import compute_auc_sums, iter_class_pairs
from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.kernels.row_pairs import compute_lower_and_tied
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.weight_blocks import sum_in_order
from reportgen.metrics import questions
from reportgen.metrics.classification.calibration import (
    NAEINI,
    check_bins,
    expected_calibration_error,
)
from reportgen.metrics.classification.multiclass_tables import find_class_place
from reportgen.metrics.classification.probability import BRIER, CLIP, CLIPPED, GNEITING, check_clip
from reportgen.metrics.classification.roc import DELONG, positive_mask
from reportgen.metrics.metric import METRICS, MonotoneImage, rowwise, whole
from reportgen.metrics.regression.concordance import HANLEY, pair_share_influence
from reportgen.metrics.rows import Classes
from reportgen.metrics.traits import ESTIMANDS
from reportgen.records import record

Average = Literal["ovr", "ovr_weighted", "ovo", "ovo_weighted"]
HAND = (
    "Hand & Till (2001), A simple generalisation of the area under the ROC curve for multiple "
    "class classification problems, Machine Learning 45; doi:10.1023/A:1010920819831"
)


def select_two_classes(rows: Classes, one: int, other: int) -> tuple[Index, Classes]:
    """Return the indices of the rows of two classes, and these rows with the first's scores."""

    def select_rows() -> tuple[Index, Classes]:
        index = np.flatnonzero((rows.code == one) | (rows.code == other))
        code = (rows.code[index] == one).astype(np.intp)
        names = (rows.labels[other], rows.labels[one])
        return index, Classes(code, rows.scores[index][:, [one]], names, rows.scale)

    return rows.once(f"classes {one}, {other}", select_rows)


def class_shares(rows: Classes, batch: Batch) -> Matrix:
    """Compute the share of the weight that each class has, (b, k)."""
    flags = rows.once("flags", lambda: np.eye(len(rows.labels))[rows.code])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(weighted_sums(batch, flags) / batch.totals[:, None])


def _iter_average_terms(
    rows: Classes, average: str
) -> Iterator[tuple[tuple[int, ...], Index | None, Classes]]:
    """Yield the areas that make up an average: the classes, the rows' indices, and these rows."""
    k = len(rows.labels)
    if average.startswith("ovr"):
        yield from (((c,), None, rows.isolate(c)) for c in range(k))
        return
    for pair in combinations(range(k), 2):
        for one, other in (pair, pair[::-1]):
            yield (one, other), *select_two_classes(rows, one, other)


def _compute_area_weights(average: str, classes: tuple[int, ...], share: Matrix) -> Vector:
    """Return the weight of an area in the average, (b,): 0 where a class has no rows."""
    held = np.all(share[:, list(classes)] > 0, axis=1)
    plain = np.ones(len(share))
    size = share[:, list(classes)].sum(axis=1) if average.endswith("weighted") else plain
    return np.asarray(held * size)


def _fast(rows: Classes, batch: Batch, *, average: str, of: str | None) -> Vector:
    if average.startswith("ovo"):
        both = batch.once(rows, "areas of pairs", lambda: _compute_pair_areas(rows, batch))
        total, above = both[average]
    else:
        total, above = _sum_one_vs_rest_areas(rows, batch, average)
    return np.asarray(np.clip(divide(above, total), 0.0, 1.0))


def _sum_one_vs_rest_areas(rows: Classes, batch: Batch, average: str) -> tuple[Vector, Vector]:
    """Return the total weight of all areas, and their weighted sum, (b,) each."""
    share = class_shares(rows, batch)
    total, above = np.zeros(batch.size), np.zeros(batch.size)
    for place in range(len(rows.labels)):
        area = compute_auc_sums(rows.isolate(place), batch).auc
        counts = np.where(np.isnan(area), 0.0, _compute_area_weights(average, (place,), share))
        above += counts * np.where(np.isnan(area), 0.0, area)
        total += counts
    return total, above


def _compute_pair_areas(rows: Classes, batch: Batch) -> dict[str, tuple[Vector, Vector]]:
    """Compute the same over pairs of classes, for both averages at once."""
    share = class_shares(rows, batch).T
    found = {name: (np.zeros(batch.size), np.zeros(batch.size)) for name in ("ovo", "ovo_weighted")}
    for one, area in enumerate(_iter_pair_areas(rows, batch)):
        known = ~np.isnan(area)
        area[~known] = 0.0
        for name, (total, above) in found.items():
            counts = known * (share[one] + share) if name == "ovo_weighted" else known * 1.0
            total += sum_in_order(counts)
            above += sum_in_order(counts * area)
    return found


def _iter_pair_areas(rows: Classes, batch: Batch) -> Iterator[Matrix]:
    """Yield each class's areas, by its own score, against every other, (k, b); nan at its own."""
    code = rows.once("codes", lambda: rows.code.astype(np.int32))
    scores = [rows.isolate(place).score for place in range(len(rows.labels))]
    for one, pairs in enumerate(iter_class_pairs(code, scores, batch)):
        area = pairs.auc
        area[one] = np.nan
        yield area


def _influence(rows: Classes, weight: Vector, *, average: str, of: str | None) -> Vector | None:
    """Each row's pull: on the areas, and where they are weighted on what each counts for."""
    pulled = (
        _compute_pair_influence if average.startswith("ovo") else _compute_one_vs_rest_influence
    )
    found = pulled(rows, weight, average)
    if not found.total > 0:
        return None
    return (found.on_sum - found.on_total * found.above / found.total) / found.total


@record
class _AreaInfluence:
    """The weights of all areas, their weighted sum, and the pull of each row on both, (n,)."""

    total: float
    above: float
    on_sum: Vector
    on_total: Vector


def _compute_one_vs_rest_influence(rows: Classes, weight: Vector, average: str) -> _AreaInfluence:
    share = class_shares(rows, Batch.from_weights(weight))
    on_sum, on_total, total, above = np.zeros(len(rows)), np.zeros(len(rows)), 0.0, 0.0
    for place in range(len(rows.labels)):
        some, counts = (
            rows.isolate(place),
            float(_compute_area_weights(average, (place,), share)[0]),
        )
        area = float(compute_auc_sums(some, Batch.from_weights(weight)).auc[0])
        if counts == 0 or np.isnan(area):
            continue
        on_sum += counts * pair_share_influence(some, weight, ties="half")
        if average.endswith("weighted"):
            moves = (rows.code == place) - share[0, place]
            on_total += moves
            on_sum += moves * area
        total, above = total + counts, above + counts * area
    return _AreaInfluence(total, above, on_sum, on_total)


def _compute_pair_influence(rows: Classes, weight: Vector, average: str) -> _AreaInfluence:
    own = np.bincount(rows.code, weight, len(rows.labels))
    on_sum, total, above = np.zeros(len(rows)), 0.0, 0.0
    sum_by_class, total_by_class = np.zeros((2, len(own)))  # where areas are weighted
    for one, areas in enumerate(_iter_pair_areas(rows, Batch.from_weights(weight))):
        known = ~np.isnan(areas[:, 0])
        area, size = np.where(known, areas[:, 0], 0.0), (own[one] + own) / weight.sum()
        counts = known * 1.0
        if average.endswith("weighted"):
            counts = known * size
            for by_class, each in ((sum_by_class, area), (total_by_class, known * 1.0)):
                by_class += each - each @ size
                by_class[one] += each.sum()
        if known.any():
            on_sum += _compute_class_influence(rows, weight, one, area, counts)
        total, above = total + float(counts.sum()), above + float(counts @ area)
    on_sum += sum_by_class[rows.code]
    return _AreaInfluence(total, above, on_sum, total_by_class[rows.code])


def _compute_class_influence(
    rows: Classes, weight: Vector, one: int, area: Vector, counts: Vector
) -> Vector:
    """Compute each row's influence on the weighted areas of one class, by its score, (n,).

    A row of the class is on the side of all others, of which each counts by its own class: the
    weight below it is found once for all of them.
    """
    own = np.bincount(rows.code, weight, len(area))
    each, score = np.zeros(len(area)), rows.isolate(one).score
    np.divide(counts * weight.sum(), own[one] * own, out=each, where=counts > 0)
    is_one = rows.code == one
    below, tied = compute_lower_and_tied(score, weight * each[rows.code])
    one_below, one_tied = compute_lower_and_tied(score, np.where(is_one, weight, 0.0))
    one_above = own[one] - one_below - one_tied
    lost = each[rows.code] * (one_above + one_tied / 2 - area[rows.code] * own[one])
    return np.where(is_one, below + tied / 2 - (each * area) @ own, lost)


def _one_class_fields(**params: Any) -> dict[str, Any]:
    """Return the fields of an area of one class against the rest, which is a two-class area."""
    of = params.get("of")
    if not of:
        return {"estimand": ESTIMANDS["share of an area"], "title": "AUC"}
    two = METRICS["roc_auc"]
    return {
        "estimand": two.estimand,
        "title": f"AUC of {of}",
        "derive": _select_one_vs_rest,
        "inputs": None,
        "function": _ignore_parameters(two.function),
        "fast": _ignore_parameters(two.fast),
        "influence": _ignore_parameters(two.influence),
        "leave_one_out": _ignore_parameters(two.leave_one_out),
        "classes": positive_mask,
    }


def _select_one_vs_rest(rows: Classes, *, of: str, average: str) -> Classes:
    place = find_class_place(rows, of)
    assert place is not None
    return rows.isolate(place)


def _ignore_parameters(function: Any) -> Callable[..., Any]:
    """Return the same function, made to ignore the parameters that name the class."""

    def value(*given: Any, **_: Any) -> Any:
        return function(*given)

    value.__module__ = function.__module__
    return value


def _check_average(average: str = "ovr", of: str | None = None) -> str | None:
    return (
        f"average: {average} is of all classes, and of: {of} names one"
        if of and (average != "ovr")
        else None
    )


@whole(
    name="multiclass_roc_auc",
    asked_as={"name": "roc_auc"},
    aliases=("auc", "auroc", "c_statistic", "m_measure"),
    chance=0.5,
    title="AUC",
    task="multiclass",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=f"{HAND}; {HANLEY}; {DELONG}",
    estimand="share of an area",
    needs="order",
    inputs=lambda rows, **_: (rows,),
    fields_for=_one_class_fields,
    check=_check_average,
    fast=_fast,
    influence=_influence,
    formula="ovr: mean over classes of the AUC of one against the rest by its score; ovo: mean "
    "over pairs of classes of both AUCs of one against the other (Hand & Till's M); weighted: by "
    "the weight of the classes",
    undefined="where all rows are of one class, or none of the class",
    caveat="One against the rest depends on how many rows the classes have; ovo without weights "
    "does not.",
    answers=questions.CLASSES,
    asks="how well the scores of each class tell its rows from the others (one half is chance)",
    blind="whether the probabilities are calibrated, and which class is predicted",
)
def roc_auc(
    rows: Classes, weight: Vector, *, average: Average = "ovr", of: str | None = None
) -> float:
    """Chance that a row of a class has a higher score of it than one of another, on average."""
    share = np.bincount(rows.code, weight, len(rows.labels)) / (weight.sum() or 1.0)
    total = above = 0.0
    for classes, index, some in _iter_average_terms(rows, average):
        counts = float(_compute_area_weights(average, classes, share[None, :])[0])
        own = weight if index is None else weight[index]
        area = METRICS["roc_auc"].function(some.y.values, some.score.values, own)
        if counts and not np.isnan(area):
            total, above = total + counts, above + counts * area
    return float(above / total) if total else float("nan")


EPSTEIN = (
    "Epstein (1969), A scoring system for probability forecasts of ranked categories, Journal of "
    "Applied Meteorology 8; doi:10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2"
)


def get_code_and_scores(rows: Classes, **_: Any) -> tuple[NDArray[Any], ...]:
    """Return the index of each row's class, (n,), and the scores of all classes, (n, k)."""
    return rows.code, rows.scores


def true_class_scores(code: Index, scores: Matrix) -> Vector:
    """Return the score of each row's own class, (n,)."""
    return np.asarray(scores[np.arange(len(code)), code])


_class_score_metric = partial(
    rowwise,
    task="multiclass",
    better="lower",
    unit="1",
    estimand="mean",
    needs="probability",
    inputs=get_code_and_scores,
    undefined="where no row has weight",
    answers=questions.PROBABILITY,
    reference="class shares",
)


@_class_score_metric(
    name="multiclass_log_loss",
    asked_as={"name": "log_loss"},
    title="Log loss",
    bounds=(0.0, inf),
    cite=GNEITING,
    check=check_clip,
    formula="−Σ w ln p(y) / Σ w",
    caveat=CLIPPED.format(what="class", how=""),
    asks="how far off the probabilities are, sure mistakes counting most",
    blind="how the rest of the probability is shared out among the classes that did not happen",
)
def log_loss(code: Index, scores: Matrix, *, clip: float = CLIP) -> Vector:
    """Minus the natural logarithm of the probability given to the true class, on average."""
    return np.asarray(-np.log(np.clip(true_class_scores(code, scores), clip, 1.0)))


@_class_score_metric(
    name="multiclass_brier",
    asked_as={"name": "brier"},
    aliases=("brier_score", "brier_score_loss"),
    title="Brier score",
    bounds=(0.0, 2.0),
    cite=BRIER,
    image=lambda n, *, half: (
        MonotoneImage(METRICS["multiclass_brier"], (0.0, 0.5)) if half else None
    ),
    formula="Σ w Σ_k (p_k − [y = k])² / Σ w; with half: true one half of it",
    caveat="From 0 to 2, as Brier has it; with half: true from 0 to 1, which for two classes is "
    "the score of the upper one.",
    asks="how far off the probabilities of all classes are, in squares",
    blind="whether a probability of 0.001 should be 0.0001: both are near 0",
)
def brier(code: Index, scores: Matrix, *, half: bool = False) -> Vector:
    """Mean squared distance of the probabilities of all classes from the outcome."""
    squares = np.sum((scores - (np.arange(scores.shape[1]) == code[:, None])) ** 2, axis=1)
    return np.asarray(squares / 2 if half else squares)


@_class_score_metric(
    aliases=("ranked_probability_score",),
    title="Ranked probability score",
    bounds=(0.0, 1.0),
    cite=EPSTEIN,
    formula="Σ w Σ_j (P(class ≤ j) − [y ≤ j])² / ((K − 1) Σ w), j over all K classes but the last",
    caveat="The order of the classes is that of the config, or of their values; where they have "
    "none the number says nothing.",
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


@_class_score_metric(
    title="Top-k accuracy",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite="Lapin, Hein & Schiele (2016), Loss functions for top-k error; arXiv:1512.00486",
    needs="order",
    kind="decision",
    check=lambda k: None if k > 1 else f"k is {k}, but must be at least 2; the first is accuracy",
    formula="Σ w [class among the k highest scores] / Σ w; a tie at the k-th counts by its chance",
    caveat="With as many classes as k it is 1 for any model.",
    answers=questions.CALLS,
    asks="how often the class is among the first few that the model names",
    blind="which of these it is, and how sure the model was",
)
def top_k_accuracy(code: Index, scores: Matrix, *, k: int = 2) -> Vector:
    """Share of the rows whose class is among the k with the highest scores, ties by chance."""
    own = true_class_scores(code, scores)[:, None]
    above, tied = np.sum(scores > own, axis=1), np.sum(scores == own, axis=1)
    return np.asarray(np.clip((k - above) / tied, 0.0, 1.0))


KULL = (
    "Kull, Perello-Nieto, Kängsepp, Silva Filho, Song & Flach (2019), Beyond temperature scaling: "
    "obtaining well-calibrated multi-class probabilities with Dirichlet calibration, NeurIPS; "
    "arXiv:1910.12656"
)


def top_label_rows(rows: Classes) -> Classes:
    """Return whether the most probable class is right, with its probability."""

    def build_rows() -> Classes:
        right = (rows.prediction == rows.code).astype(np.intp)
        return Classes(right, rows.scores.max(axis=1, keepdims=True), ("0", "1"), rows.scale)

    return rows.once("most probable class", build_rows)


def _compute_calibration_error(rows: Classes, batch: Batch, *, average: str, **bins: Any) -> Vector:
    if average == "top_label":
        return expected_calibration_error(top_label_rows(rows), batch, **bins)
    each = [
        expected_calibration_error(rows.isolate(k), batch, **bins) for k in range(len(rows.labels))
    ]
    return np.asarray(np.mean(each, axis=0))


@whole(
    name="multiclass_ece",
    asked_as={"name": "ece"},
    aliases=("expected_calibration_error", "classwise_ece", "top_label_ece"),
    no_reference="a constant attains the best value",
    title="Expected calibration error",
    task="multiclass",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=f"{NAEINI}; {KULL}",
    estimand="distance with chance",
    needs="probability",
    inputs=lambda rows, **_: (rows,),
    check=check_bins,
    fast=_compute_calibration_error,
    formula="Σ over bins of their share of the weight times |share that happened − mean "
    "probability|, or the largest of these: of the most probable class, or the mean over classes",
    undefined="where no row has weight",
    caveat="A calibrated model has more than 0, and the more the fewer rows there are: values of "
    "different data sets do not compare. Over many classes most probabilities are near 0, so that "
    "their mean distance is small whatever the model.",
    answers=questions.PROBABILITY,
    asks="how far the probabilities lie from the shares that happened in bins, chance included",
    blind="that chance alone makes it larger on few rows",
    is_partial=True,
)
def ece(
    rows: Classes,
    weight: Vector,
    *,
    average: Literal["top_label", "classwise"] = "top_label",
    bins: int = 10,
    width: Literal["weight", "equal"] = "weight",
    norm: Literal["l1", "max"] = "l1",
) -> float:
    """Mean distance in bins of the probability of the most probable class, or of each class."""
    how: dict[str, Any] = {"average": average, "bins": bins, "width": width, "norm": norm}
    return float(_compute_calibration_error(rows, Batch.from_weights(weight), **how)[0])
