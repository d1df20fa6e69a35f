"""Recall, precision, lift at a point of the ranking; rates in buckets of equal weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_curves import (
    compute_class_heights,
    compute_class_sums,
    interpolate_other_class,
)
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import divide
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.thresholds import FN, FP, TP, TopShare, sum_flagged
from reportgen.metrics import questions
from reportgen.metrics.classification.roc import (
    NO_POSITIVE,
    ONE_CLASS,
    make_two_class_rows,
    positive_mask,
)
from reportgen.metrics.count_tables import CallTable, build_moving_table
from reportgen.metrics.influence import row_share_below
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import METRICS, MonotoneImage, Shares, whole
from reportgen.metrics.monotone import image_of_end_bucket
from reportgen.metrics.regression.buckets import (
    BY_COUNT,
    GAINS,
    RANKING_CURVE,
    accept_top_size,
    capture_by_chance,
    check_top_size,
    resolve_top_share,
)
from reportgen.metrics.regression.concordance import HANLEY
from reportgen.metrics.rows import Amounts, Classes
from reportgen.metrics.statistic import Function
from reportgen.metrics.traits import ESTIMANDS

MOVES = ESTIMANDS["share of a cut that moves"]
ONE_PLACE = "every other place of the curve, and how sure the model was"
CHOSEN = "The place is a choice; name it before looking at the curve."
SURE = "how sure the model was"
_metric_at_rate = partial(
    whole,
    task="binary",
    kind="decision",
    bounds=(0.0, 1.0),
    unit="share",
    cite=HANLEY,
    estimand=MOVES,
    needs="order",
    classes=positive_mask,
    answers=questions.CAUGHT,
    blind=ONE_PLACE,
    is_partial=True,
    reference="random order",
)


def _check_rate(name: str, given: float) -> str | None:
    wrong = check_range(name, given, 0, 1)
    return wrong or (f"{name} is {given:g}, where nothing can be told" if given in (0, 1) else None)


def _find_weights_at_share(
    rows: Classes, batch: Batch, share: float, *, of_positives: bool
) -> tuple[Vector, Vector, Vector]:
    """Return the other class's weight at a share of one class, and both totals, (b,) each."""
    each = compute_class_heights(
        rows, batch, np.array([share]), of_positives=of_positives, is_fewest=of_positives
    )
    return each[0][0], each[1], each[2]


def _find_weights_by_definition(
    rows: Classes, weight: Vector, share: float, *, of_positives: bool
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the same weights from all corners of the curve, under one weighting."""
    tp, fp = compute_class_sums(rows, Batch.from_weights(weight))
    one, other = (tp, fp) if of_positives else (fp, tp)
    at = np.full((1, 1), share) * one[-1]
    return interpolate_other_class(one, other, at, is_fewest=of_positives), one[-1:], other[-1:]


def _share_or_nan(found: Vector, of: Vector, beside: Vector) -> Vector:
    """Return a share of one class where both classes have weight, else nan."""
    return np.where(beside > 0, divide(found, of), np.nan)


def _fast_recall(rows: Classes, batch: Batch, *, fpr: float) -> Vector:
    found, negative, positive = _find_weights_at_share(rows, batch, fpr, of_positives=False)
    return _share_or_nan(found, positive, negative)


@_metric_at_rate(
    name="binary_recall_at",
    asked_as={"name": "recall_at"},
    aliases=("tpr_at", "sensitivity_at", "tpr_at_fpr"),
    title="Recall at a false positive rate",
    better="higher",
    check=lambda fpr: _check_rate("fpr", fpr),
    fields_for=lambda fpr: {"estimand": replace(MOVES, window=(1.0, fpr))},
    fast=_fast_recall,
    formula="the height of the ROC curve where so large a share of the negatives is flagged",
    undefined=ONE_CLASS,
    caveat=CHOSEN,
    asks="how many of the positives are found where few negatives may be",
)
def recall_at(y: Vector, score: Vector, weight: Vector, *, fpr: float = 0.1) -> float:
    """Share of the positives that are flagged where a share `fpr` of the negatives is."""
    found, negative, positive = _find_weights_by_definition(
        make_two_class_rows(y, score), weight, fpr, of_positives=False
    )
    return float(_share_or_nan(found[0], positive[0], negative[0])[0])


def _fast_fpr(rows: Classes, batch: Batch, *, recall: float) -> Vector:
    found, positive, negative = _find_weights_at_share(rows, batch, recall, of_positives=True)
    return _share_or_nan(found, negative, positive)


def _find_recall_estimand(recall: float) -> Mapping[str, Any]:
    return {"estimand": replace(MOVES, window=(min(recall, 1 - recall), 1.0))}


@_metric_at_rate(
    aliases=("fpr_at_recall", "fpr_at_tpr", "fpr95"),
    title="False positive rate at a recall",
    better="lower",
    check=lambda recall: _check_rate("recall", recall),
    fields_for=_find_recall_estimand,
    fast=_fast_fpr,
    formula="the share of the negatives that is flagged where so large a share of the positives is",
    undefined=ONE_CLASS,
    caveat=CHOSEN,
    asks="how many negatives are flagged before enough of the positives are",
)
def fpr_at(y: Vector, score: Vector, weight: Vector, *, recall: float = 0.8) -> float:
    """Share of the negatives that are flagged where a share `recall` of the positives is."""
    found, positive, negative = _find_weights_by_definition(
        make_two_class_rows(y, score), weight, recall, of_positives=True
    )
    return float(_share_or_nan(found[0], negative[0], positive[0])[0])


def _fast_precision(rows: Classes, batch: Batch, *, recall: float) -> Vector:
    found, positive, _ = _find_weights_at_share(rows, batch, recall, of_positives=True)
    return _compute_precision(found, positive * recall)


def _compute_precision(false: Vector, true: Vector) -> Vector:
    return divide(true, true + false)


def _image_of_fpr(n: int, *, recall: float) -> MonotoneImage:
    """Return precision: of models with one recall, fewer false positives make it higher."""
    return MonotoneImage(METRICS["fpr_at"].use(recall=recall))


@_metric_at_rate(
    name="binary_precision_at",
    asked_as={"name": "precision_at"},
    aliases=("precision_at_recall", "ppv_at"),
    title="Precision at a recall",
    better="higher",
    check=lambda recall: _check_rate("recall", recall),
    fields_for=_find_recall_estimand,
    image=_image_of_fpr,
    fast=_fast_precision,
    formula="TP / (TP + FP) where so large a share of the positives is found",
    undefined=NO_POSITIVE,
    caveat=f"{CHOSEN} It falls with the share of positives in the data, whatever the model.",
    asks="how often a flagged row is positive where enough of the positives are found",
)
def precision_at(y: Vector, score: Vector, weight: Vector, *, recall: float = 0.8) -> float:
    """Share of the flagged rows that are positive where a share `recall` of the positives is."""
    found, positive, _ = _find_weights_by_definition(
        make_two_class_rows(y, score), weight, recall, of_positives=True
    )
    return float(_compute_precision(found[0], positive[0] * recall)[0])


def _fast_capture(rows: Classes, batch: Batch, **size: Any) -> Vector:
    top = resolve_top_share(len(rows), **size)
    if np.isnan(top):
        return np.full(batch.size, np.nan)
    y = (rows.y.values > 0).astype(np.float64)[:, None]
    held = sum_flagged(TopShare(top), rows, batch, y)
    found: Vector = np.minimum(divide(held, weighted_sums(batch, y))[:, 0], 1.0)
    return found


def _compute_capture_by_definition(y: Vector, score: Vector, weight: Vector, top: float) -> float:
    """Compute the capture from the corners of the flagged weight and of its positives."""
    if np.isnan(top):
        return np.nan
    tp, fp = (
        each[:, 0]
        for each in compute_class_sums(make_two_class_rows(y, score), Batch.from_weights(weight))
    )
    if not tp[-1] > 0:
        return np.nan
    return float(np.interp(top * (tp[-1] + fp[-1]), tp + fp, tp) / tp[-1])


def _build_top_table(rows: Classes, weight: Vector, **size: Any) -> CallTable | None:
    """Build the table where the top is what is flagged."""
    top = resolve_top_share(len(rows), **size)
    return None if np.isnan(top) else build_moving_table(rows, weight, TopShare(top), _recall)


def _find_capture_portion(rows: Classes, weight: Vector, **size: Any) -> Shares:
    table = _build_top_table(rows, weight, **size) if weight.any() else None
    return () if table is None else table.find_portion(weight)


def _recall(table: Matrix) -> Vector:
    with np.errstate(invalid="ignore"):
        return np.asarray(table[:, TP] / (table[:, TP] + table[:, FN]))


_metric_of_top = partial(
    whole,
    task="binary",
    kind="decision",
    better="higher",
    cite=GAINS,
    estimand=MOVES,
    needs="order",
    check=check_top_size,
    exempt_from=BY_COUNT,
    calls=_build_top_table,
    classes=positive_mask,
    undefined=NO_POSITIVE,
    answers=questions.TOP,
    blind=f"the order within the top and below it, and {SURE}",
)


@_metric_of_top(
    aliases=("topk_capture", "recall_at_k", "cumulative_gain"),
    reference="random order",
    fields_for=capture_by_chance,
    title="Capture of the top",
    bounds=(0.0, 1.0),
    unit="share",
    fast=_fast_capture,
    shares=_find_capture_portion,
    image=lambda n, **size: image_of_end_bucket(resolve_top_share(n, **size), "binary_"),
    formula="positives among the rows with the highest scores / all positives",
    asks="how many of the positives the rows with the highest scores hold",
)
@accept_top_size
def capture(y: Vector, score: Vector, weight: Vector, top: float) -> float:
    """Share of the positives among the rows with the highest scores, from 0 to 1.

    The top is `k` rows, a `share` of the weight, or as many whole cases as `budget` pays for at
    `cost` each; k of n rows are the share k/n of the weight.
    """
    return _compute_capture_by_definition(y, score, weight, top)


def _fast_lift(rows: Classes, batch: Batch, **size: Any) -> Vector:
    return np.asarray(_fast_capture(rows, batch, **size) / resolve_top_share(len(rows), **size))


def _image_of_capture(n: int, **size: Any) -> MonotoneImage | None:
    top = resolve_top_share(n, **size)
    return None if np.isnan(top) else MonotoneImage(METRICS["capture"].use(**size), (0.0, 1 / top))


def _lift_bounds(share: float | None, **size: Any) -> Mapping[str, Any]:
    return {"bounds": (0.0, inf if share is None else 1 / share)}


@_metric_of_top(
    aliases=("lift_at", "lift_score", "top_decile_lift"),
    chance=1.0,
    title="Lift of the top",
    bounds=(0.0, inf),
    unit="1",
    fast=_fast_lift,
    fields_for=_lift_bounds,
    image=_image_of_capture,
    formula="share of positives among the rows with the highest scores / that among all rows",
    caveat="It is at most one over the share of positives, so that rare positives allow for more.",
    asks="how many times as often as in all rows a row with one of the highest scores is positive",
)
@accept_top_size
def lift(y: Vector, score: Vector, weight: Vector, top: float) -> float:
    """How many times as often as in all rows a row with one of the highest scores is positive.

    1 is a random order. The top is `k` rows, a `share` of the weight, or as many whole cases as
    `budget` pays for at `cost` each.
    """
    return _compute_capture_by_definition(y, score, weight, top) / top


def _check_fap_parameters(beta: float, **size: Any) -> str | None:
    wrong = None if all(each is None for each in size.values()) else check_top_size(**size)
    return wrong or (f"beta is {beta:g}, but must be above 0" if not 0 < beta < inf else None)


def _find_top_share(n: int, **size: Any) -> float:
    """Return the share of the weight in the top: all of it where no size is given."""
    return 1.0 if all(each is None for each in size.values()) else resolve_top_share(n, **size)


def _image_of_fap(n: int, *, beta: float, **size: Any) -> MonotoneImage | None:
    """F of all rows is the same for all models."""
    return MonotoneImage(METRICS["average_precision"]) if _find_top_share(n, **size) == 1 else None


def _build_fap_table(
    rows: Classes, weight: Vector, *, beta: float, **size: Any
) -> CallTable | None:
    """Build the table where the top is flagged, and its F, which flags alone decide in FAP."""
    top = _find_top_share(len(rows), **size)

    def finish(table: Matrix) -> Vector:
        called, positive = table[:, TP] + table[:, FP], table[:, TP] + table[:, FN]
        with np.errstate(invalid="ignore"):
            return np.asarray((1 + beta**2) * table[:, TP] / (called + beta**2 * positive))

    return None if np.isnan(top) else build_moving_table(rows, weight, TopShare(top), finish)


def _fap(rows: Classes, batch: Batch, *, beta: float, **size: Any) -> Vector:
    """Compute FAP from the corners of the flagged weight and of its positives, up to the cut."""
    top = _find_top_share(len(rows), **size)
    tp, fp = compute_class_sums(rows, batch)
    called, positive = tp + fp, tp[-1]
    each = np.diff(called, axis=0)
    inside = np.divide(
        top * called[-1] - called[:-1], each, out=np.zeros(each.shape), where=each > 0
    ).clip(0.0, 1.0)
    gained, size_of = inside * np.diff(tp, axis=0), inside * each
    held = np.divide(
        tp[:-1] + gained, called[:-1] + size_of, out=np.zeros(each.shape), where=size_of > 0
    )
    f = divide((1 + beta**2) * gained.sum(axis=0), beta**2 * positive + top * called[-1])
    ap = divide((gained * held).sum(axis=0), positive)
    below = beta**2 * f + ap
    joined = np.divide((1 + beta**2) * f * ap, below, out=np.zeros(len(f)), where=below > 0)
    return np.where(np.isfinite(below), np.clip(joined, 0.0, 1.0), np.nan)


@whole(
    name="binary_fap",
    asked_as={"name": "fap"},
    kind="decision",
    reference="random order",
    title="FAP",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite="no paper of FAP itself was found: it joins F and average precision as F joins precision "
    "and recall",
    estimand=MOVES,
    needs="order",
    check=_check_fap_parameters,
    exempt_from=BY_COUNT,
    calls=_build_fap_table,
    image=_image_of_fap,
    fast=_fap,
    classes=positive_mask,
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
    return float(
        _fap(make_two_class_rows(y, score), Batch.from_weights(weight), beta=beta, **size)[0]
    )


MEAN_TITLES: dict[str, Any] = {"statistic": "mean", "quantile": None, "edges": "fractional"}


def _check_bucket_count(buckets: int) -> str | None:
    return check_range("buckets", buckets, 2, inf)


def _image_of_two_buckets(n: int, *, buckets: int) -> MonotoneImage | None:
    """Return the other bucket: the shares of two make up that of all rows."""
    return MonotoneImage(METRICS["binary_ranking_last"].use(buckets=2)) if buckets == 2 else None


def _image_of_few_buckets(n: int, *, buckets: int) -> MonotoneImage | None:
    """Over two or three buckets the slope is that from the first to the last."""
    if buckets > 3:
        return None
    both = METRICS["binary_ranking_difference"].use(buckets=buckets)
    return MonotoneImage(both, (0.0, 1.0 / (buckets - 1)))


def _find_end_bucket_share(rows: Amounts, weight: Vector, *, buckets: int, is_last: bool) -> Shares:
    """Return the share in the last bucket, or the first, and its effective rows; () if empty."""
    total = float(weight.sum())
    edge = total * (buckets - 1) / buckets if is_last else total / buckets
    below = row_share_below(rows.score, weight, edge)
    inside = weight * (1 - below if is_last else below)
    if not inside.any():
        return ()
    p = float(inside[rows.y.values > 0].sum() / inside.sum())
    return ((min(p, 1.0), kish_effective_rows(inside)),)


def _register_from_amounts(name: str, **about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, weight, *, buckets) as the same of an amount is found, by its name."""
    own = METRICS[name]
    assert own.fast is not None and own.smoothed is not None and own.leave_one_out is not None
    return whole(
        name=f"binary_{name}",
        asked_as={"name": name},
        task="binary",
        kind="decision",
        title=own.title,
        reference=own.reference,
        chance=own.chance,
        better=own.better,
        unit="share",
        cite=RANKING_CURVE,
        needs="order",
        fast=partial(own.fast, **MEAN_TITLES),
        smoothed=partial(own.smoothed, **MEAN_TITLES),
        leave_one_out=partial(own.leave_one_out, **MEAN_TITLES),
        check=_check_bucket_count,
        classes=positive_mask,
        undefined="where no row has weight",
        answers=questions.TOP,
        **{"estimand": "smooth", **about},
    )


def _bucket_shares(name: str, y: Vector, score: Vector, weight: Vector, buckets: int) -> float:
    is_positive = (y > 0).astype(np.float64)
    found = METRICS[name].function(is_positive, score, weight, buckets=buckets, **MEAN_TITLES)
    return float(found)


@_register_from_amounts(
    "ranking_last",
    bounds=(0.0, 1.0),
    estimand="proportion of rows at an end",
    shares=partial(_find_end_bucket_share, is_last=True),
    formula="share of positives in the bucket with the highest scores",
    asks="how often a row with one of the highest scores is positive",
    blind="all rows outside the last bucket",
)
def ranking_last(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Share of positives in the bucket with the highest scores."""
    return _bucket_shares("ranking_last", y, score, weight, buckets)


@_register_from_amounts(
    "ranking_first",
    image=_image_of_two_buckets,
    bounds=(0.0, 1.0),
    estimand="proportion of rows at an end",
    shares=partial(_find_end_bucket_share, is_last=False),
    formula="share of positives in the bucket with the lowest scores",
    asks="how often a row with one of the lowest scores is positive",
    blind="all rows outside the first bucket",
)
def ranking_first(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Share of positives in the bucket with the lowest scores."""
    return _bucket_shares("ranking_first", y, score, weight, buckets)


@_register_from_amounts(
    "ranking_difference",
    image=_image_of_two_buckets,
    bounds=(-1.0, 1.0),
    formula="share of positives in the last bucket minus that in the first",
    asks="how much more often a row is positive where the scores are highest than lowest",
    blind="all rows between the first and the last bucket",
)
def ranking_difference(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Share of positives of the highest scores minus that of the lowest."""
    return _bucket_shares("ranking_difference", y, score, weight, buckets)


def _find_slope_bounds(buckets: int) -> dict[str, Any]:
    """Return the range of the slope, reached if all and only upper-half buckets are positive."""
    steps = np.arange(buckets) - (buckets - 1) / 2
    most = float(np.maximum(steps, 0.0).sum() / (steps @ steps))
    return {"bounds": (-most, most)}


@_register_from_amounts(
    "ranking_slope",
    image=_image_of_few_buckets,
    bounds=(-1.0, 1.0),
    fields_for=_find_slope_bounds,
    formula="least-squares slope of the buckets' shares against 0, 1, 2, …",
    asks="how much more often a row is positive from one bucket of scores to the next",
    blind="the order within a bucket",
)
def ranking_slope(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Rise of the share of positives from one bucket of scores to the next."""
    return _bucket_shares("ranking_slope", y, score, weight, buckets)
