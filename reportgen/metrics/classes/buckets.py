"""Share of positives in buckets of equal weight along the scores: the ranking curve of two classes.

What buckets of an amount tell, with the share of positives in the place of its mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.effective import effective_rows
from reportgen.metrics import questions
from reportgen.metrics.binary import positives
from reportgen.metrics.buckets import RANKING_CURVE
from reportgen.metrics.limits import outside
from reportgen.metrics.smoothed import share_below
from reportgen.metrics.spec import METRICS, Image, Shares, whole
from reportgen.metrics.statistic import Function
from reportgen.rows import Amounts

MEANS: dict[str, Any] = {"statistic": "mean", "quantile": None, "edges": "fractional"}


def _limits(buckets: int) -> str | None:
    return outside("buckets", buckets, 2, inf)


def _of_two_halves(n: int, *, buckets: int) -> Image | None:
    """Of two buckets the shares make up that of all rows, so that one gives the other."""
    return Image(METRICS["binary_ranking_last"].use(buckets=2)) if buckets == 2 else None


def _of_few(n: int, *, buckets: int) -> Image | None:
    """Over two or three buckets the slope is that from the first to the last."""
    if buckets > 3:
        return None
    both = METRICS["binary_ranking_difference"].use(buckets=buckets)
    return Image(both, (0.0, 1.0 / (buckets - 1)))


def _share_at_an_end(rows: Amounts, weight: Vector, *, buckets: int, is_last: bool) -> Shares:
    """The share in the last bucket, or the first, and its effective rows; () without any."""
    total = float(weight.sum())
    edge = total * (buckets - 1) / buckets if is_last else total / buckets
    below = share_below(rows.score, weight, edge)
    inside = weight * (1 - below if is_last else below)
    if not inside.any():
        return ()
    p = float(inside[rows.y.values > 0].sum() / inside.sum())
    return ((min(p, 1.0), effective_rows(inside)),)


def _of_amounts(name: str, **about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, weight, *, buckets) as the same of an amount is found, by its name."""
    own = METRICS[name]
    assert own.fast is not None and own.smoothed is not None and own.leave_one_out is not None
    return whole(
        name=f"binary_{name}",
        asked_as={"name": name},
        kind="decision",
        title=own.title,
        better=own.better,
        cite=RANKING_CURVE,
        needs="order",
        fast=partial(own.fast, **MEANS),
        smoothed=partial(own.smoothed, **MEANS),
        leave_one_out=partial(own.leave_one_out, **MEANS),
        check=_limits,
        classes=positives,
        undefined="where no row has weight",
        answers=questions.TOP,
        **{"estimand": "smooth", **about},
    )


def _found(name: str, y: Vector, score: Vector, weight: Vector, buckets: int) -> float:
    is_positive = (y > 0).astype(np.float64)
    found = METRICS[name].function(is_positive, score, weight, buckets=buckets, **MEANS)
    return float(found)


@_of_amounts(
    "ranking_last",
    task="binary",
    bounds=(0.0, 1.0),
    unit="share",
    estimand="proportion of rows at an end",
    shares=partial(_share_at_an_end, is_last=True),
    formula="share of positives in the bucket with the highest scores",
    asks="how often a row with one of the highest scores is positive",
    blind="all rows outside the last bucket",
)
def ranking_last(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Share of positives in the bucket with the highest scores."""
    return _found("ranking_last", y, score, weight, buckets)


@_of_amounts(
    "ranking_first",
    task="binary",
    image=_of_two_halves,
    bounds=(0.0, 1.0),
    unit="share",
    estimand="proportion of rows at an end",
    shares=partial(_share_at_an_end, is_last=False),
    formula="share of positives in the bucket with the lowest scores",
    asks="how often a row with one of the lowest scores is positive",
    blind="all rows outside the first bucket",
)
def ranking_first(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Share of positives in the bucket with the lowest scores."""
    return _found("ranking_first", y, score, weight, buckets)


@_of_amounts(
    "ranking_difference",
    task="binary",
    image=_of_two_halves,
    bounds=(-1.0, 1.0),
    unit="share",
    formula="share of positives in the last bucket minus that in the first",
    asks="how much more often a row is positive where the scores are highest than lowest",
    blind="all rows between the first and the last bucket",
)
def ranking_difference(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Share of positives of the highest scores minus that of the lowest."""
    return _found("ranking_difference", y, score, weight, buckets)


def _steepest(buckets: int) -> dict[str, Any]:
    """The slope where all buckets of the upper half are positive, and no other."""
    steps = np.arange(buckets) - (buckets - 1) / 2
    most = float(np.maximum(steps, 0.0).sum() / (steps @ steps))
    return {"bounds": (-most, most)}


@_of_amounts(
    "ranking_slope",
    task="binary",
    image=_of_few,
    bounds=(-1.0, 1.0),
    unit="share",
    fields_for=_steepest,
    formula="least-squares slope of the buckets' shares against 0, 1, 2, …",
    asks="how much more often a row is positive from one bucket of scores to the next",
    blind="the order within a bucket",
)
def ranking_slope(y: Vector, score: Vector, weight: Vector, *, buckets: int = 10) -> float:
    """Rise of the share of positives from one bucket of scores to the next."""
    return _found("ranking_slope", y, score, weight, buckets)
