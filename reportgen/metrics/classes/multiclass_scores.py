"""How good the scores of several classes are: probabilities row by row, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.auc import auc_sums
from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics import questions
from reportgen.metrics.binary import DELONG, positives
from reportgen.metrics.classes.of_calls import place_of
from reportgen.metrics.concordance import auc_influence
from reportgen.metrics.cutoff import HANLEY
from reportgen.metrics.probability import BRIER, CLIP, CLIPPED, GNEITING, clip_limits
from reportgen.metrics.spec import METRICS, Image, rowwise, whole
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows import Classes

Average = Literal["ovr", "ovr_weighted", "ovo", "ovo_weighted"]
HAND = (
    "Hand & Till (2001), A simple generalisation of the area under the ROC curve for multiple "
    "class classification problems, Machine Learning 45; doi:10.1023/A:1010920819831"
)


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


def of_two(rows: Classes, one: int, other: int) -> tuple[Index, Classes]:
    """The rows of two classes, and the same with the scores of the first."""

    def found() -> tuple[Index, Classes]:
        index = np.flatnonzero((rows.code == one) | (rows.code == other))
        code = (rows.code[index] == one).astype(np.intp)
        names = (rows.labels[other], rows.labels[one])
        return index, Classes(code, rows.scores[index][:, [one]], names, rows.scale)

    return rows.once(f"classes {one}, {other}", found)


def shares_of(rows: Classes, batch: Batch) -> Matrix:
    """The share of the weight that each class has, (b, k)."""
    flags = rows.once("flags", lambda: np.eye(len(rows.labels))[rows.code])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(weighted_sums(batch, flags) / batch.totals[:, None])


def _terms(rows: Classes, average: str) -> Iterator[tuple[tuple[int, ...], Index | None, Classes]]:
    """The areas that an average is made of: its classes, the rows it is on, and these."""
    k = len(rows.labels)
    if average.startswith("ovr"):
        yield from (((c,), None, rows.of(c)) for c in range(k))
        return
    for pair in combinations(range(k), 2):
        for one, other in (pair, pair[::-1]):
            yield (one, other), *of_two(rows, one, other)


def _weights(average: str, classes: tuple[int, ...], share: Matrix) -> Vector:
    """What an area counts for, (b,): nothing where a class has no rows."""
    held = np.all(share[:, list(classes)] > 0, axis=1)
    plain = np.ones(len(share))
    size = share[:, list(classes)].sum(axis=1) if average.endswith("weighted") else plain
    return np.asarray(held * size)


def _fast(rows: Classes, batch: Batch, *, average: str, of: str | None) -> Vector:
    share = shares_of(rows, batch)
    total, above = np.zeros(batch.size), np.zeros(batch.size)
    for classes, index, some in _terms(rows, average):
        area = auc_sums(some, batch if index is None else batch.slice(index)).auc
        counts = np.where(np.isnan(area), 0.0, _weights(average, classes, share))
        above += counts * np.where(np.isnan(area), 0.0, area)
        total += counts
    found = np.full(batch.size, np.nan)
    np.divide(above, total, out=found, where=total > 0)
    return np.asarray(np.clip(found, 0.0, 1.0))


def _influence(rows: Classes, weight: Vector, *, average: str, of: str | None) -> Vector | None:
    """Each row's pull: on the areas, and where they are weighted on what each counts for."""
    share = shares_of(rows, Batch.of(weight))
    phi, pull, total, above = np.zeros(len(rows)), np.zeros(len(rows)), 0.0, 0.0
    for classes, index, some in _terms(rows, average):
        counts = float(_weights(average, classes, share)[0])
        at = slice(None) if index is None else index
        own = weight[at]
        area = float(auc_sums(some, Batch.of(own)).auc[0])
        if counts == 0 or np.isnan(area):
            continue
        scaled = weight.sum() / own.sum()
        phi[at] += counts * scaled * auc_influence(some, own, ties="half")
        if average.endswith("weighted"):
            moves = np.isin(rows.code, classes) - share[0, list(classes)].sum()
            pull += moves
            phi += moves * area
        total, above = total + counts, above + counts * area
    return (phi - pull * above / total) / total if total > 0 else None


def _of_one(**params: Any) -> dict[str, Any]:
    """The fields of an area of one class against the rest, which is that of two classes."""
    of = params.get("of")
    if not of:
        return {"estimand": ESTIMANDS["share of an area"], "title": "AUC"}
    two = METRICS["roc_auc"]
    return {
        "estimand": two.estimand,
        "title": f"AUC of {of}",
        "derive": _against_the_rest,
        "inputs": None,
        "function": _plain(two.function),
        "fast": _plain(two.fast),
        "influence": _plain(two.influence),
        "leave_one_out": _plain(two.leave_one_out),
        "classes": positives,
    }


def _against_the_rest(rows: Classes, *, of: str, average: str) -> Classes:
    place = place_of(rows, of)
    assert place is not None
    return rows.of(place)


def _plain(function: Any) -> Callable[..., Any]:
    """The same, deaf to what names the class."""

    def value(*given: Any, **_: Any) -> Any:
        return function(*given)

    value.__module__ = function.__module__
    return value


def _area_limits(average: str = "ovr", of: str | None = None) -> str | None:
    return (
        f"average: {average} is of all classes, and of: {of} names one"
        if of and (average != "ovr")
        else None
    )


@whole(
    name="multiclass_roc_auc",
    asked_as={"name": "roc_auc"},
    aliases=("auc", "auroc", "c_statistic", "m_measure"),
    title="AUC",
    task="multiclass",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=f"{HAND}; {HANLEY}; {DELONG}",
    estimand="share of an area",
    needs="order",
    inputs=lambda rows, **_: (rows,),
    fields_for=_of_one,
    check=_area_limits,
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
    blind="whether the probabilities are right, and which class is called",
)
def roc_auc(
    rows: Classes, weight: Vector, *, average: Average = "ovr", of: str | None = None
) -> float:
    """Chance that a row of a class has a higher score of it than one of another, on average."""
    share = np.bincount(rows.code, weight, len(rows.labels)) / (weight.sum() or 1.0)
    total = above = 0.0
    for classes, index, some in _terms(rows, average):
        counts = float(_weights(average, classes, share[None, :])[0])
        own = weight if index is None else weight[index]
        area = METRICS["roc_auc"].function(some.y.values, some.score.values, own)
        if counts and not np.isnan(area):
            total, above = total + counts, above + counts * area
    return float(above / total) if total else float("nan")
