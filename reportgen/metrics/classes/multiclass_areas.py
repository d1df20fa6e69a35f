"""Areas under the ROC curves of several classes: each against the rest, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from reportgen.kernels.auc import auc_sums
from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.class_pairs import class_pairs
from reportgen.kernels.lanes import ordered_sum
from reportgen.kernels.rowpairs import spread
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics import questions
from reportgen.metrics.binary import DELONG, positives
from reportgen.metrics.classes.of_calls import place_of
from reportgen.metrics.concordance import auc_influence
from reportgen.metrics.cutoff import HANLEY
from reportgen.metrics.spec import METRICS, whole
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows import Classes

Average = Literal["ovr", "ovr_weighted", "ovo", "ovo_weighted"]
HAND = (
    "Hand & Till (2001), A simple generalisation of the area under the ROC curve for multiple "
    "class classification problems, Machine Learning 45; doi:10.1023/A:1010920819831"
)


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
    if average.startswith("ovo"):
        both = batch.once(rows, "areas of pairs", lambda: _of_pairs(rows, batch))
        total, above = both[average]
    else:
        total, above = _against_rest(rows, batch, average)
    found = np.full(batch.size, np.nan)
    np.divide(above, total, out=found, where=total > 0)
    return np.asarray(np.clip(found, 0.0, 1.0))


def _against_rest(rows: Classes, batch: Batch, average: str) -> tuple[Vector, Vector]:
    """What all areas count for, and their sum as they count, (b,) each."""
    share = shares_of(rows, batch)
    total, above = np.zeros(batch.size), np.zeros(batch.size)
    for place in range(len(rows.labels)):
        area = auc_sums(rows.of(place), batch).auc
        counts = np.where(np.isnan(area), 0.0, _weights(average, (place,), share))
        above += counts * np.where(np.isnan(area), 0.0, area)
        total += counts
    return total, above


def _of_pairs(rows: Classes, batch: Batch) -> dict[str, tuple[Vector, Vector]]:
    """The same over pairs of classes, by both averages at once."""
    share = shares_of(rows, batch).T
    found = {name: (np.zeros(batch.size), np.zeros(batch.size)) for name in ("ovo", "ovo_weighted")}
    for one, area in enumerate(_areas(rows, batch)):
        known = ~np.isnan(area)
        area[~known] = 0.0
        for name, (total, above) in found.items():
            counts = known * (share[one] + share) if name == "ovo_weighted" else known * 1.0
            total += ordered_sum(counts)
            above += ordered_sum(counts * area)
    return found


def _areas(rows: Classes, batch: Batch) -> Iterator[Matrix]:
    """Of each class its areas, by its own score, against every other, (k, b); nan at its own."""
    code = rows.once("codes", lambda: rows.code.astype(np.int32))
    scores = [rows.of(place).score for place in range(len(rows.labels))]
    for one, pairs in enumerate(class_pairs(code, scores, batch)):
        area = pairs.auc
        area[one] = np.nan
        yield area


def _influence(rows: Classes, weight: Vector, *, average: str, of: str | None) -> Vector | None:
    """Each row's pull: on the areas, and where they are weighted on what each counts for."""
    pulled = _pulls_of_pairs if average.startswith("ovo") else _pulls_against_rest
    found = pulled(rows, weight, average)
    if not found.total > 0:
        return None
    return (found.on_sum - found.on_total * found.above / found.total) / found.total


@dataclass(frozen=True)
class _Pulls:
    """What all areas count for, their sum as they count, and the pull of each row on both, (n,)."""

    total: float
    above: float
    on_sum: Vector
    on_total: Vector


def _pulls_against_rest(rows: Classes, weight: Vector, average: str) -> _Pulls:
    share = shares_of(rows, Batch.of(weight))
    on_sum, on_total, total, above = np.zeros(len(rows)), np.zeros(len(rows)), 0.0, 0.0
    for place in range(len(rows.labels)):
        some, counts = rows.of(place), float(_weights(average, (place,), share)[0])
        area = float(auc_sums(some, Batch.of(weight)).auc[0])
        if counts == 0 or np.isnan(area):
            continue
        on_sum += counts * auc_influence(some, weight, ties="half")
        if average.endswith("weighted"):
            moves = (rows.code == place) - share[0, place]
            on_total += moves
            on_sum += moves * area
        total, above = total + counts, above + counts * area
    return _Pulls(total, above, on_sum, on_total)


def _pulls_of_pairs(rows: Classes, weight: Vector, average: str) -> _Pulls:
    own = np.bincount(rows.code, weight, len(rows.labels))
    on_sum, total, above = np.zeros(len(rows)), 0.0, 0.0
    sum_by_class, total_by_class = np.zeros((2, len(own)))  # where areas are weighted
    for one, areas in enumerate(_areas(rows, Batch.of(weight))):
        known = ~np.isnan(areas[:, 0])
        area, size = np.where(known, areas[:, 0], 0.0), (own[one] + own) / weight.sum()
        counts = known * 1.0
        if average.endswith("weighted"):
            counts = known * size
            for by_class, each in ((sum_by_class, area), (total_by_class, known * 1.0)):
                by_class += each - each @ size
                by_class[one] += each.sum()
        if known.any():
            on_sum += _pulls_along(rows, weight, one, area, counts)
        total, above = total + float(counts.sum()), above + float(counts @ area)
    on_sum += sum_by_class[rows.code]
    return _Pulls(total, above, on_sum, total_by_class[rows.code])


def _pulls_along(rows: Classes, weight: Vector, one: int, area: Vector, counts: Vector) -> Vector:
    """The pull of each row on the areas of one class, by its score, as they count, (n,).

    A row of the class is on the side of all others, of which each counts by its own class: the
    weight below it is found once for all of them.
    """
    own = np.bincount(rows.code, weight, len(area))
    each, score = np.zeros(len(area)), rows.of(one).score
    np.divide(counts * weight.sum(), own[one] * own, out=each, where=counts > 0)
    is_one = rows.code == one
    below, tied = spread(score, weight * each[rows.code])
    one_below, one_tied = spread(score, np.where(is_one, weight, 0.0))
    one_above = own[one] - one_below - one_tied
    lost = each[rows.code] * (one_above + one_tied / 2 - area[rows.code] * own[one])
    return np.where(is_one, below + tied / 2 - (each * area) @ own, lost)


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
