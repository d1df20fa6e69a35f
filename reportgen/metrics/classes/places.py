"""Calls at one place of a curve: at a false positive rate, a recall, or a share of the rows.

Where the calls end moves with the weights. Rows with tied scores come in together, each in part,
which is what all their orders give on average.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_areas import classes_along
from reportgen.kernels.class_sums import along, class_sums
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.cuts import FN, FP, TP, TopShare
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics import questions
from reportgen.metrics.binary import positives
from reportgen.metrics.call_table import CallTable, moving_table
from reportgen.metrics.classes.order import NO_POSITIVE, ONE_CLASS, as_classes
from reportgen.metrics.cutoff import HANLEY
from reportgen.metrics.images import as_the_end_bucket
from reportgen.metrics.limits import outside
from reportgen.metrics.spec import METRICS, Image, whole
from reportgen.metrics.top_of_ranking import BY_COUNT, GAINS, top_share, topk_limits
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows import Classes

MOVES = ESTIMANDS["share of a cut that moves"]
ONE_PLACE = "every other place of the curve, and how sure the model was"
CHOSEN = "The place is a choice; name it before looking at the curve."
SURE = "how sure the model was"
_PLACE: dict[str, Any] = {
    "kind": "decision",
    "bounds": (0.0, 1.0),
    "unit": "share",
    "cite": HANLEY,
    "estimand": MOVES,
    "needs": "order",
    "classes": positives,
    "answers": questions.CAUGHT,
    "blind": ONE_PLACE,
    "is_partial": True,
}


def _rate_limits(name: str, given: float) -> str | None:
    wrong = outside(name, given, 0, 1)
    return wrong or (f"{name} is {given:g}, where nothing can be told" if given in (0, 1) else None)


def _found(
    rows: Classes, batch: Batch, share: float, *, of_positives: bool
) -> tuple[Vector, Vector, Vector]:
    """The other class's weight at a share of one, and the weight of both, (b,) each."""
    each = classes_along(
        rows, batch, np.array([share]), of_positives=of_positives, is_fewest=of_positives
    )
    return each[0][0], each[1], each[2]


def _defined(
    rows: Classes, weight: Vector, share: float, *, of_positives: bool
) -> tuple[Matrix, Matrix, Matrix]:
    """The same from all corners of the curve, under one weighting."""
    tp, fp = class_sums(rows, Batch.of(weight))
    one, other = (tp, fp) if of_positives else (fp, tp)
    at = np.full((1, 1), share) * one[-1]
    return along(one, other, at, is_fewest=of_positives), one[-1:], other[-1:]


def _within(found: Vector, of: Vector, beside: Vector) -> Vector:
    """A share of one class where both weigh anything, else nan."""
    return np.where(beside > 0, ratio(found[:, None], of[:, None])[:, 0], np.nan)


def _fast_recall(rows: Classes, batch: Batch, *, fpr: float) -> Vector:
    found, negative, positive = _found(rows, batch, fpr, of_positives=False)
    return _within(found, positive, negative)


@whole(
    name="binary_recall_at",
    asked_as={"name": "recall_at"},
    aliases=("tpr_at", "sensitivity_at", "tpr_at_fpr"),
    title="Recall at a false positive rate",
    task="binary",
    better="higher",
    check=lambda fpr: _rate_limits("fpr", fpr),
    fields_for=lambda fpr: {"estimand": replace(MOVES, window=(1.0, fpr))},
    fast=_fast_recall,
    formula="the height of the ROC curve where so large a share of the negatives is called",
    undefined=ONE_CLASS,
    caveat=CHOSEN,
    asks="how many of the positives are called where few negatives may be",
    **_PLACE,
)
def recall_at(y: Vector, score: Vector, weight: Vector, *, fpr: float = 0.1) -> float:
    """Share of the positives that are called where a share `fpr` of the negatives is."""
    found, negative, positive = _defined(as_classes(y, score), weight, fpr, of_positives=False)
    return float(_within(found[0], positive[0], negative[0])[0])


def _fast_fpr(rows: Classes, batch: Batch, *, recall: float) -> Vector:
    found, positive, negative = _found(rows, batch, recall, of_positives=True)
    return _within(found, negative, positive)


def _few_positives(recall: float) -> Mapping[str, Any]:
    return {"estimand": replace(MOVES, window=(min(recall, 1 - recall), 1.0))}


@whole(
    aliases=("fpr_at_recall", "fpr_at_tpr", "fpr95"),
    title="False positive rate at a recall",
    task="binary",
    better="lower",
    check=lambda recall: _rate_limits("recall", recall),
    fields_for=_few_positives,
    fast=_fast_fpr,
    formula="the share of the negatives that is called where so large a share of the positives is",
    undefined=ONE_CLASS,
    caveat=CHOSEN,
    asks="how many negatives are called before enough of the positives are",
    **_PLACE,
)
def fpr_at(y: Vector, score: Vector, weight: Vector, *, recall: float = 0.8) -> float:
    """Share of the negatives that are called where a share `recall` of the positives is."""
    found, positive, negative = _defined(as_classes(y, score), weight, recall, of_positives=True)
    return float(_within(found[0], negative[0], positive[0])[0])


def _fast_precision(rows: Classes, batch: Batch, *, recall: float) -> Vector:
    found, positive, _ = _found(rows, batch, recall, of_positives=True)
    return _pure(found, positive * recall)


def _pure(false: Vector, true: Vector) -> Vector:
    return ratio(true[:, None], (true + false)[:, None])[:, 0]


def _as_fpr(n: int, *, recall: float) -> Image:
    """Of models with one recall the one with fewer false alarms has the higher precision."""
    return Image(METRICS["fpr_at"].use(recall=recall))


@whole(
    name="binary_precision_at",
    asked_as={"name": "precision_at"},
    aliases=("precision_at_recall", "ppv_at"),
    title="Precision at a recall",
    task="binary",
    better="higher",
    check=lambda recall: _rate_limits("recall", recall),
    fields_for=_few_positives,
    image=_as_fpr,
    fast=_fast_precision,
    formula="TP / (TP + FP) where so large a share of the positives is called",
    undefined=NO_POSITIVE,
    caveat=f"{CHOSEN} It falls with the share of positives in the data, whatever the model.",
    asks="how often a call is right where enough of the positives are called",
    **_PLACE,
)
def precision_at(y: Vector, score: Vector, weight: Vector, *, recall: float = 0.8) -> float:
    """Share of the rows called that are positive where a share `recall` of the positives is."""
    found, positive, _ = _defined(as_classes(y, score), weight, recall, of_positives=True)
    return float(_pure(found[0], positive[0] * recall)[0])


def _fast_capture(rows: Classes, batch: Batch, **size: Any) -> Vector:
    top = top_share(len(rows), **size)
    if np.isnan(top):
        return np.full(batch.size, np.nan)
    y = (rows.y.values > 0).astype(np.float64)[:, None]
    held = TopShare(top).sums(rows, batch, y)
    found: Vector = np.minimum(ratio(held, weighted_sums(batch, y))[:, 0], 1.0)
    return found


def _captured(y: Vector, score: Vector, weight: Vector, top: float) -> float:
    """From the corners of the weight called and of the positives among it."""
    if np.isnan(top):
        return np.nan
    tp, fp = (each[:, 0] for each in class_sums(as_classes(y, score), Batch.of(weight)))
    if not tp[-1] > 0:
        return np.nan
    return float(np.interp(top * (tp[-1] + fp[-1]), tp + fp, tp) / tp[-1])


def _calls(rows: Classes, weight: Vector, **size: Any) -> CallTable | None:
    """The top as what is called."""
    top = top_share(len(rows), **size)
    return None if np.isnan(top) else moving_table(rows, weight, TopShare(top), _recall)


def _recall(table: Matrix) -> Vector:
    with np.errstate(invalid="ignore"):
        return np.asarray(table[:, TP] / (table[:, TP] + table[:, FN]))


_TOP: dict[str, Any] = {
    "kind": "decision",
    "better": "higher",
    "cite": GAINS,
    "estimand": MOVES,
    "needs": "order",
    "check": topk_limits,
    "exempt_from": BY_COUNT,
    "calls": _calls,
    "classes": positives,
    "undefined": NO_POSITIVE,
    "answers": questions.TOP,
    "blind": f"the order within the top and below it, and {SURE}",
}


@whole(
    aliases=("topk_capture", "recall_at_k", "cumulative_gain"),
    title="Capture of the top",
    task="binary",
    bounds=(0.0, 1.0),
    unit="share",
    fast=_fast_capture,
    image=lambda n, **size: as_the_end_bucket(top_share(n, **size), "binary_"),
    formula="positives among the rows with the highest scores / all positives",
    asks="how many of the positives the rows with the highest scores hold",
    **_TOP,
)
def capture(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    k: int | None = None,
    share: float | None = None,
    budget: float | None = None,
    cost: float | None = None,
) -> float:
    """Share of the positives among the rows with the highest scores, from 0 to 1.

    The top is `k` rows, a `share` of the weight, or as many whole cases as `budget` pays for at
    `cost` each; k of n rows are the share k/n of the weight.
    """
    return _captured(
        y, score, weight, top_share(len(y), k=k, share=share, budget=budget, cost=cost)
    )


def _fast_lift(rows: Classes, batch: Batch, **size: Any) -> Vector:
    return np.asarray(_fast_capture(rows, batch, **size) / top_share(len(rows), **size))


def _as_capture(n: int, **size: Any) -> Image | None:
    top = top_share(n, **size)
    return None if np.isnan(top) else Image(METRICS["capture"].use(**size), (0.0, 1 / top))


def _most_lift(share: float | None, **size: Any) -> Mapping[str, Any]:
    return {"bounds": (0.0, inf if share is None else 1 / share)}


@whole(
    aliases=("lift_at", "lift_score", "top_decile_lift"),
    title="Lift of the top",
    task="binary",
    bounds=(0.0, inf),
    unit="1",
    fast=_fast_lift,
    fields_for=_most_lift,
    image=_as_capture,
    formula="share of positives among the rows with the highest scores / that among all rows",
    caveat="It is at most one over the share of positives, so that rare positives allow for more.",
    asks="how many times as often as in all rows a row with one of the highest scores is positive",
    **_TOP,
)
def lift(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    k: int | None = None,
    share: float | None = None,
    budget: float | None = None,
    cost: float | None = None,
) -> float:
    """How many times as often as in all rows a row with one of the highest scores is positive.

    1 is a random order. The top is `k` rows, a `share` of the weight, or as many whole cases as
    `budget` pays for at `cost` each.
    """
    top = top_share(len(y), k=k, share=share, budget=budget, cost=cost)
    return _captured(y, score, weight, top) / top


def _fap_limits(beta: float, **size: Any) -> str | None:
    wrong = None if all(each is None for each in size.values()) else topk_limits(**size)
    return wrong or (f"beta is {beta:g}, but must be above 0" if not 0 < beta < inf else None)


def _top(n: int, **size: Any) -> float:
    """The share of the weight that is looked at: all of it where nothing says so."""
    return 1.0 if all(each is None for each in size.values()) else top_share(n, **size)


def _fap_of_all(n: int, *, beta: float, **size: Any) -> Image | None:
    """F of all rows is the same for all models."""
    return Image(METRICS["average_precision"]) if _top(n, **size) == 1 else None


def _fap_calls(rows: Classes, weight: Vector, *, beta: float, **size: Any) -> CallTable | None:
    """The top as what is called, and F of it, the part of FAP that calls alone decide."""
    top = _top(len(rows), **size)

    def finish(table: Matrix) -> Vector:
        called, positive = table[:, TP] + table[:, FP], table[:, TP] + table[:, FN]
        with np.errstate(invalid="ignore"):
            return np.asarray((1 + beta**2) * table[:, TP] / (called + beta**2 * positive))

    return None if np.isnan(top) else moving_table(rows, weight, TopShare(top), finish)


def _fap(rows: Classes, batch: Batch, *, beta: float, **size: Any) -> Vector:
    """From the corners of the weight called and of the positives among it, up to the cut."""
    top = _top(len(rows), **size)
    tp, fp = class_sums(rows, batch)
    called, positive = tp + fp, tp[-1]
    each = np.diff(called, axis=0)
    inside = np.divide(top * called[-1] - called[:-1], each, out=np.zeros(each.shape),
                       where=each > 0).clip(0.0, 1.0)  # fmt: skip
    gained, size_of = inside * np.diff(tp, axis=0), inside * each
    held = np.divide(tp[:-1] + gained, called[:-1] + size_of, out=np.zeros(each.shape),
                     where=size_of > 0)  # fmt: skip
    f = ratio((1 + beta**2) * gained.sum(axis=0), beta**2 * positive + top * called[-1])
    ap = ratio((gained * held).sum(axis=0), positive)
    below = beta**2 * f + ap
    joined = np.divide((1 + beta**2) * f * ap, below, out=np.zeros(len(f)), where=below > 0)
    return np.where(np.isfinite(below), np.clip(joined, 0.0, 1.0), np.nan)


@whole(
    name="binary_fap",
    asked_as={"name": "fap"},
    kind="decision",
    title="FAP",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite="no paper of FAP itself was found: it joins F and average precision as F joins precision "
    "and recall",
    estimand=MOVES,
    needs="order",
    check=_fap_limits,
    exempt_from=BY_COUNT,
    calls=_fap_calls,
    image=_fap_of_all,
    fast=_fap,
    classes=positives,
    formula="(1 + β²) F AP / (β² F + AP) of the rows with the highest scores; 0 where these hold "
    "no positive",
    undefined=NO_POSITIVE,
    caveat="It rises with the share of positives, as both of its parts do.",
    answers=questions.TOP,
    asks="how well the first rows hold the positives and little else, and those first",
    blind=SURE,
)
def fap(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    beta: float = 1.0,
    k: int | None = None,
    share: float | None = None,
    budget: float | None = None,
    cost: float | None = None,
) -> float:
    """Harmonic mean of F and average precision of the rows with the highest scores.

    Which these are `k`, `share` or `budget` with `cost` says, as of `capture`; without them all
    rows are. Average precision has tied scores called together, over all positives.
    """
    size = {"k": k, "share": share, "budget": budget, "cost": cost}
    return float(_fap(as_classes(y, score), Batch.of(weight), beta=beta, **size)[0])
