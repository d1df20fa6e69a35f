"""What y is in slices of the scores: buckets of equal weight.

Rows are ordered by score and cut by weight: a row on an edge is shared between its two sides,
and rows with tied scores are spread over the sides in proportion to their weight, which is what
all their orders give on average. Row order never matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Vector
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.quantiles import bucket_means
from reportgen.kernels.weighted_quantile import weighted_quantile
from reportgen.metrics import questions
from reportgen.metrics.bucket_statistics import STATISTICS, Average, of_each_bucket
from reportgen.metrics.images import of_few_buckets, of_two_halves
from reportgen.metrics.left_out import amounts_without_each
from reportgen.metrics.limits import not_inside, outside
from reportgen.metrics.slices import DUST, Slices
from reportgen.metrics.smoothed import bucket_influence
from reportgen.metrics.spec import whole
from reportgen.rows import Amounts

Edges = Literal["fractional", "integer"]
How = tuple[int, Average, float | None, Edges]  # buckets, statistic, quantile, edges
RANKING_CURVE = (
    "Evaluating ranking in regression, https://vitaliset.github.io/evaluating-ranking-in-regression"
)
FEWEST_IN_A_BUCKET = 8  # rows of equal weight, for a standard error by their smoothed influence


def bucket_edges(total: float, buckets: int, edges: Edges) -> Vector:
    """Edges of the buckets in units of weight, shape (buckets + 1,).

    `integer` cuts each edge down to whole units of weight, so that unweighted rows are never
    shared; the buckets then differ in size by up to one row.

    >>> bucket_edges(7.0, 3, "integer")
    array([0., 2., 4., 7.])
    """
    even = np.linspace(0.0, total, buckets + 1)
    return even if edges == "fractional" else np.floor(even * (1 + DUST))


def bucket_values(
    y: Vector,
    score: Vector,
    weight: Vector,
    buckets: int,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
    wanted: Index | None = None,
) -> Vector:
    """The statistic of y in each bucket, from the lowest scores to the highest; (buckets,).

    `quantile` takes the place of the statistic where it is given. Only of the `wanted` buckets,
    counted from 0, where these are given. nan for an empty bucket.

    >>> y, one = np.array([1.0, 5, 3, 7]), np.ones(4)
    >>> bucket_values(y, np.array([1.0, 2, 3, 4]), one, 2)
    array([3., 5.])
    >>> bucket_values(y, np.array([1.0, 2, 2, 4]), one, 4)
    array([1., 4., 4., 7.])
    """
    wanted = np.arange(buckets) if wanted is None else wanted
    if not weight.any():
        return np.full(len(wanted), np.nan)
    if quantile is None and statistic == "mean":
        mass, amount = cumulated(y, score, weight)
        ends = bucket_edges(mass[-1], buckets, edges)
        means = np.full(buckets, np.nan)
        sums, sizes = np.diff(np.interp(ends, mass, amount)), np.diff(ends)
        np.divide(sums, sizes, out=means, where=sizes > 0)
        return means[wanted]
    q = 0.5 if quantile is None else quantile
    found = STATISTICS.get(statistic, partial(weighted_quantile, q=q))
    cut = partial(bucket_edges, buckets=buckets, edges=edges)
    return of_each_bucket(y, score, weight, found, cut, wanted)


def cumulated(y: Vector, score: Vector, weight: Vector) -> tuple[Vector, Vector]:
    """Weight, and weight times y, up to the end of each group of tied scores; both from 0."""
    column = Column(score)
    mass = np.bincount(column.group, weights=weight, minlength=column.groups)
    amount = np.bincount(column.group, weights=weight * y, minlength=column.groups)
    counted = mass > 0
    return (
        np.append(0.0, np.cumsum(mass[counted])),
        np.append(0.0, np.cumsum(amount[counted])),
    )


def _values(
    rows: Amounts,
    batch: Batch,
    buckets: int,
    statistic: Average,
    quantile: float | None,
    edges: Edges,
) -> Matrix:
    """The statistic of y in each bucket under each weighting, shape (b, buckets)."""
    if quantile is None and statistic == "mean" and edges == "fractional":
        return bucket_means(rows, batch, buckets)
    how = (buckets, statistic, quantile, edges)
    return _kept(rows, batch, how, np.arange(buckets))


def _ends(rows: Amounts, batch: Batch, **how: Any) -> Matrix:
    """The statistic of y in the first and the last bucket, shape (b, 2)."""
    if how["quantile"] is None and how["statistic"] == "mean":
        return _values(rows, batch, **how)[:, [0, -1]]
    of = (how["buckets"], how["statistic"], how["quantile"], how["edges"])
    return _kept(rows, batch, of, np.array([0, how["buckets"] - 1]))


def _kept(rows: Amounts, batch: Batch, how: How, wanted: Index) -> Matrix:
    """The statistic in the `wanted` buckets under each weighting: for all metrics of them."""
    name = f"bucket values {how} {len(wanted)}"
    one = partial(_of_some, rows, how, wanted)
    return batch.once(rows, name, lambda: np.array([one(w) for w in batch.weights.T]))


def _of_some(rows: Amounts, how: How, wanted: Index, weight: Vector) -> Vector:
    buckets, statistic, quantile, edges = how
    is_quantile = quantile is not None or statistic == "median"
    if not is_quantile or not weight.any():
        return bucket_values(rows.y.values, rows.score.values, weight, *how, wanted)
    slices = Slices(rows, weight)
    cuts = bucket_edges(slices.total, buckets, edges)
    q = 0.5 if quantile is None else quantile
    return slices.quantiles(cuts[wanted], cuts[wanted + 1], q)


def _last_fast(rows: Amounts, batch: Batch, **how: Any) -> Vector:
    return _ends(rows, batch, **how)[:, 1]


def _first_fast(rows: Amounts, batch: Batch, **how: Any) -> Vector:
    return _ends(rows, batch, **how)[:, 0]


def _difference_fast(rows: Amounts, batch: Batch, **how: Any) -> Vector:
    values = _ends(rows, batch, **how)
    return np.asarray(values[:, 1] - values[:, 0])


def _slope_fast(rows: Amounts, batch: Batch, *, buckets: int, **how: Any) -> Vector:
    steps = np.arange(buckets) - (buckets - 1) / 2
    return np.asarray(_values(rows, batch, buckets, **how) @ steps / (steps @ steps))


def _smoothed(
    rows: Amounts, weight: Vector, per_bucket: Vector, how: Mapping[str, Any]
) -> Vector | None:
    """Smoothed phi of a sum over the buckets; None for quantiles, and where rows are not shared.

    None also where a bucket holds too few rows for the spread of their y to be known.
    """
    is_mean = how["statistic"] == "mean" and how["quantile"] is None
    if not is_mean or how["edges"] != "fractional" or not weight.any():
        return None
    if effective_rows(weight) < FEWEST_IN_A_BUCKET * len(per_bucket):
        return None
    return bucket_influence(rows, weight, per_bucket)


def _last_smoothed(rows: Amounts, weight: Vector, *, buckets: int, **how: Any) -> Vector | None:
    return _smoothed(rows, weight, np.eye(buckets)[-1], how)


def _first_smoothed(rows: Amounts, weight: Vector, *, buckets: int, **how: Any) -> Vector | None:
    return _smoothed(rows, weight, np.eye(buckets)[0], how)


def _difference_smoothed(
    rows: Amounts, weight: Vector, *, buckets: int, **how: Any
) -> Vector | None:
    return _smoothed(rows, weight, np.eye(buckets)[-1] - np.eye(buckets)[0], how)


def _slope_smoothed(rows: Amounts, weight: Vector, *, buckets: int, **how: Any) -> Vector | None:
    steps = np.arange(buckets) - (buckets - 1) / 2
    return _smoothed(rows, weight, steps / (steps @ steps), how)


def _without_each(rows: Amounts, weight: Vector, how: Mapping[str, Any]) -> Matrix | None:
    """The mean of y in each bucket without each row, shape (n, buckets); None for quantiles."""
    if how["quantile"] is not None or how["statistic"] != "mean":
        return None
    left = weight.sum() - weight
    ends = left[:, None] * np.linspace(0.0, 1.0, how["buckets"] + 1)
    if how["edges"] == "integer":
        ends = np.floor(ends * (1 + DUST))
    sums = np.diff(amounts_without_each(rows.score, rows.y.values, weight, ends), axis=1)
    sizes, means = np.diff(ends, axis=1), np.full(sums.shape, np.nan)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    return means


def _last_without_each(rows: Amounts, weight: Vector, **how: Any) -> Vector | None:
    means = _without_each(rows, weight, how)
    return None if means is None else means[:, -1]


def _first_without_each(rows: Amounts, weight: Vector, **how: Any) -> Vector | None:
    means = _without_each(rows, weight, how)
    return None if means is None else means[:, 0]


def _difference_without_each(rows: Amounts, weight: Vector, **how: Any) -> Vector | None:
    means = _without_each(rows, weight, how)
    return None if means is None else np.asarray(means[:, -1] - means[:, 0])


def _slope_without_each(rows: Amounts, weight: Vector, **how: Any) -> Vector | None:
    means, steps = _without_each(rows, weight, how), np.arange(how["buckets"], dtype=np.float64)
    steps -= steps.mean()
    return None if means is None else np.asarray(means @ steps / (steps @ steps))


def bucket_limits(
    buckets: int, statistic: Average, quantile: float | None, edges: Edges
) -> str | None:
    """What is wrong with the parameters of the buckets, or None."""
    wrong = outside("buckets", buckets, 2, inf) or not_inside("quantile", quantile, 0, 1)
    if wrong is None and quantile is not None and statistic != "mean":
        return f"statistic: {statistic} and quantile are both given; give one of them"
    return wrong


@whole(
    title="Last bucket",
    task="regression",
    better="higher",
    bounds=(-inf, inf),
    unit="y",
    cite=RANKING_CURVE,
    estimand="smooth",
    needs="order",
    fast=_last_fast,
    smoothed=_last_smoothed,
    leave_one_out=_last_without_each,
    check=bucket_limits,
    formula="statistic of y in the bucket with the highest scores",
    undefined="where that bucket is empty (edges: integer and fewer rows than buckets)",
    answers=questions.TOP,
    asks="what typically happened where the scores are highest",
    blind="all rows outside the last bucket",
)
def ranking_last(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    buckets: int = 10,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
) -> float:
    """Typical y in the bucket with the highest scores, in the unit of y."""
    return float(bucket_values(y, score, weight, buckets, statistic, quantile, edges)[-1])


@whole(
    title="First bucket",
    task="regression",
    better="lower",
    bounds=(-inf, inf),
    unit="y",
    cite=RANKING_CURVE,
    estimand="smooth",
    needs="order",
    fast=_first_fast,
    smoothed=_first_smoothed,
    leave_one_out=_first_without_each,
    image=of_two_halves,
    check=bucket_limits,
    formula="statistic of y in the bucket with the lowest scores",
    undefined="where that bucket is empty (edges: integer and fewer rows than buckets)",
    answers=questions.TOP,
    asks="what typically happened where the scores are lowest",
    blind="all rows outside the first bucket",
)
def ranking_first(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    buckets: int = 10,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
) -> float:
    """Typical y in the bucket with the lowest scores, in the unit of y."""
    return float(bucket_values(y, score, weight, buckets, statistic, quantile, edges)[0])


@whole(
    title="Last minus first bucket",
    task="regression",
    better="higher",
    bounds=(-inf, inf),
    unit="y",
    cite=RANKING_CURVE,
    estimand="smooth",
    needs="order",
    fast=_difference_fast,
    smoothed=_difference_smoothed,
    leave_one_out=_difference_without_each,
    image=of_two_halves,
    check=bucket_limits,
    formula="statistic of y in the last bucket minus that in the first",
    undefined="where one of the two buckets is empty (edges: integer, fewer rows than buckets)",
    answers=questions.TOP,
    asks="how much more happened where the scores are highest than lowest",
    blind="all rows between the first and the last bucket",
)
def ranking_difference(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    buckets: int = 10,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
) -> float:
    """Typical y of the highest scores minus that of the lowest, in the unit of y."""
    values = bucket_values(y, score, weight, buckets, statistic, quantile, edges)
    return float(values[-1] - values[0])


@whole(
    title="Slope over the buckets",
    task="regression",
    better="higher",
    bounds=(-inf, inf),
    unit="y",
    cite=RANKING_CURVE,
    estimand="smooth",
    needs="order",
    fast=_slope_fast,
    smoothed=_slope_smoothed,
    leave_one_out=_slope_without_each,
    image=of_few_buckets,
    check=bucket_limits,
    formula="least-squares slope of the buckets' values against 0, 1, 2, …",
    undefined="where a bucket is empty (edges: integer and fewer rows than buckets)",
    answers=questions.TOP,
    asks="how much more happens from one bucket of scores to the next",
    blind="the order within a bucket",
)
def ranking_slope(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    buckets: int = 10,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
) -> float:
    """Rise of y from one bucket of scores to the next, in the unit of y a bucket."""
    values = bucket_values(y, score, weight, buckets, statistic, quantile, edges)
    steps = np.arange(buckets) - (buckets - 1) / 2
    return float(steps @ values / (steps @ steps))
