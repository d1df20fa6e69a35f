"""Values of y in buckets of the scores, and in the top of the ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import cumulate_to_shares, divide
from reportgen.kernels.quantiles import compute_bucket_means, weighted_quantile
from reportgen.metrics import questions
from reportgen.metrics.influence import (
    amounts_without_each,
    row_share_below,
    smoothed_bucket_influence,
    smoothed_capture_influence,
    sums_without_each,
)
from reportgen.metrics.lookup import check_exactly_one, check_open_range, check_range
from reportgen.metrics.metric import whole
from reportgen.metrics.monotone import image_of_end_bucket, image_of_few_buckets, image_of_halves
from reportgen.metrics.rows import Amounts
from reportgen.metrics.statistic import (
    DUST,
    STATISTICS,
    Average,
    Function,
    WeightSlices,
    adopt_parameters,
    compute_bucket_statistics,
)

Edges = Literal["fractional", "integer"]
How = tuple[int, Average, float | None, Edges]  # buckets, statistic, quantile, edges
RANKING_CURVE = (
    "Evaluating ranking in regression, https://vitaliset.github.io/evaluating-ranking-in-regression"
)
FEWEST_IN_A_BUCKET = 5  # rows of equal weight, for a standard error by their smoothed influence


def compute_bucket_edges(total: float, buckets: int, edges: Edges) -> Vector:
    """Edges of the buckets in units of weight, shape (buckets + 1,).

    `integer` cuts each edge down to whole units of weight, so that unweighted rows are never
    shared; the buckets then differ in size by up to one row.

    >>> compute_bucket_edges(7.0, 3, "integer")
    array([0., 2., 4., 7.])
    """
    even = np.linspace(0.0, total, buckets + 1)
    return even if edges == "fractional" else np.floor(even * (1 + DUST))


def compute_bucket_values(
    y: Vector,
    score: Vector,
    weight: Vector,
    buckets: int,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
    wanted: Index | None = None,
) -> Vector:
    """Compute the statistic of y in each bucket, from lowest scores to highest; (buckets,).

    `quantile` takes the place of the statistic where it is given. Only of the `wanted` buckets,
    counted from 0, where these are given. nan for an empty bucket.

    >>> y, one = np.array([1.0, 5, 3, 7]), np.ones(4)
    >>> compute_bucket_values(y, np.array([1.0, 2, 3, 4]), one, 2)
    array([3., 5.])
    >>> compute_bucket_values(y, np.array([1.0, 2, 2, 4]), one, 4)
    array([1., 4., 4., 7.])
    """
    wanted = np.arange(buckets) if wanted is None else wanted
    if not weight.any():
        return np.full(len(wanted), np.nan)
    if quantile is None and statistic == "mean":
        mass, amount = cumulate_by_score(y, score, weight)
        ends = compute_bucket_edges(mass[-1], buckets, edges)
        return divide(np.diff(np.interp(ends, mass, amount)), np.diff(ends))[wanted]
    q = 0.5 if quantile is None else quantile
    found = STATISTICS.get(statistic, partial(weighted_quantile, q=q))
    cut = partial(compute_bucket_edges, buckets=buckets, edges=edges)
    return compute_bucket_statistics(y, score, weight, found, cut, wanted)


def cumulate_by_score(y: Vector, score: Vector, weight: Vector) -> tuple[Vector, Vector]:
    """Weight, and weight times y, up to the end of each group of tied scores; both from 0."""
    column = Column(score)
    mass = np.bincount(column.group, weights=weight, minlength=column.groups)
    amount = np.bincount(column.group, weights=weight * y, minlength=column.groups)
    counted = mass > 0
    return (np.append(0.0, np.cumsum(mass[counted])), np.append(0.0, np.cumsum(amount[counted])))


def _values(
    rows: Amounts,
    batch: Batch,
    buckets: int,
    statistic: Average,
    quantile: float | None,
    edges: Edges,
) -> Matrix:
    """Compute the statistic of y in each bucket under each weighting, shape (b, buckets)."""
    if quantile is None and statistic == "mean" and edges == "fractional":
        return compute_bucket_means(rows, batch, buckets)
    how = (buckets, statistic, quantile, edges)
    return _cache_bucket_values(rows, batch, how, np.arange(buckets))


def _ends(rows: Amounts, batch: Batch, **how: Any) -> Matrix:
    """Compute the statistic of y in the first and the last bucket, shape (b, 2)."""
    if how["quantile"] is None and how["statistic"] == "mean":
        return _values(rows, batch, **how)[:, [0, -1]]
    of = (how["buckets"], how["statistic"], how["quantile"], how["edges"])
    return _cache_bucket_values(rows, batch, of, np.array([0, how["buckets"] - 1]))


def _cache_bucket_values(rows: Amounts, batch: Batch, how: How, wanted: Index) -> Matrix:
    """Compute the statistic in the `wanted` buckets per weighting, once for all metrics of them."""
    name = f"bucket values {how} {len(wanted)}"
    one = partial(_compute_wanted_buckets, rows, how, wanted)
    return batch.once(rows, name, lambda: np.array([one(w) for w in batch.weights.T]))


def _compute_wanted_buckets(rows: Amounts, how: How, wanted: Index, weight: Vector) -> Vector:
    buckets, statistic, quantile, edges = how
    is_quantile = quantile is not None or statistic == "median"
    if not is_quantile or not weight.any():
        return compute_bucket_values(rows.y.values, rows.score.values, weight, *how, wanted)
    slices = WeightSlices(rows, weight)
    cuts = compute_bucket_edges(slices.total, buckets, edges)
    q = 0.5 if quantile is None else quantile
    return slices.quantiles(cuts[wanted], cuts[wanted + 1], q)


def _smooth_bucket_influence(
    rows: Amounts, weight: Vector, per_bucket: Vector, how: Mapping[str, Any]
) -> Vector | None:
    """Smoothed phi of a sum over the buckets; None for quantiles, and where rows are not shared.

    None also where a bucket holds too few rows for the spread of their y to be known.
    """
    is_mean = how["statistic"] == "mean" and how["quantile"] is None
    if not is_mean or how["edges"] != "fractional" or not weight.any():
        return None
    if kish_effective_rows(weight) < FEWEST_IN_A_BUCKET * len(per_bucket) - DUST:
        return None
    return smoothed_bucket_influence(rows, weight, per_bucket)


def _count_edge_df(rows: Amounts, weight: Vector, per_bucket: Vector) -> float:
    """Count the equally weighted rows in the buckets that count, less one for each."""
    edges = np.linspace(0.0, float(weight.sum()), len(per_bucket) + 1)
    below = [row_share_below(rows.score, weight, float(edge)) for edge in edges]
    each = (high - low for low, high in pairwise(below))
    inside = [weight * one for one, times in zip(each, per_bucket, strict=True) if times]
    return sum(kish_effective_rows(one) - 1 for one in inside)


def _means_without_each_row(rows: Amounts, weight: Vector, how: Mapping[str, Any]) -> Matrix | None:
    """Compute the mean of y in each bucket without each row, (n, buckets); None for quantiles."""
    if how["quantile"] is not None or how["statistic"] != "mean":
        return None
    left = weight.sum() - weight
    ends = left[:, None] * np.linspace(0.0, 1.0, how["buckets"] + 1)
    if how["edges"] == "integer":
        ends = np.floor(ends * (1 + DUST))
    sums = np.diff(amounts_without_each(rows.score, rows.y.values, weight, ends), axis=1)
    return divide(sums, np.diff(ends, axis=1))


def check_buckets(
    buckets: int, statistic: Average, quantile: float | None, edges: Edges
) -> str | None:
    """Describe invalid parameters of the buckets, or return None."""
    wrong = check_range("buckets", buckets, 2, inf) or check_open_range("quantile", quantile, 0, 1)
    if wrong is None and quantile is not None and statistic != "mean":
        return f"statistic: {statistic} and quantile are both given; give one of them"
    return wrong


_ranking_metric = partial(
    whole,
    task="regression",
    better="higher",
    bounds=(-inf, inf),
    unit="y",
    cite=RANKING_CURVE,
    estimand="mean at an edge",
    needs="order",
    answers=questions.TOP,
)


def _bucket_metric(*, is_of_ends: bool = True, **about: Any) -> Callable[[Function], Function]:
    """Register f(values) -> (…), of the statistic of y in each bucket, (…, buckets).

    If it `is_of_ends`, only the first and the last bucket are found where that is faster.
    """
    return partial(_register, is_of_ends, about)


def _register(is_of_ends: bool, about: dict[str, Any], combine: Callable[[Matrix], Vector]) -> Any:
    def value(
        y: Vector,
        score: Vector,
        weight: Vector,
        *,
        buckets: int = 10,
        statistic: Average = "mean",
        quantile: float | None = None,
        edges: Edges = "fractional",
    ) -> float:
        how = (buckets, statistic, quantile, edges)
        return float(combine(compute_bucket_values(y, score, weight, *how)))

    def fast(rows: Amounts, batch: Batch, **how: Any) -> Vector:
        return combine((_ends if is_of_ends else _values)(rows, batch, **how))

    def smoothed(rows: Amounts, weight: Vector, **how: Any) -> Vector | None:
        return _smooth_bucket_influence(rows, weight, combine(np.eye(how["buckets"])), how)

    def edge_df(rows: Amounts, weight: Vector, **how: Any) -> float:
        return _count_edge_df(rows, weight, combine(np.eye(how["buckets"])))

    def leave_one_out(rows: Amounts, weight: Vector, **how: Any) -> Vector | None:
        means = _means_without_each_row(rows, weight, how)
        return None if means is None else combine(means)

    adopt_parameters(value, combine, value)
    forms = {"fast": fast, "smoothed": smoothed, "edge_df": edge_df, "leave_one_out": leave_one_out}
    _ranking_metric(check=check_buckets, **forms, **about)(value)
    return value


@_bucket_metric(
    reference="random order",
    title="Last bucket",
    formula="statistic of y in the bucket with the highest scores",
    undefined="where that bucket is empty (edges: integer and fewer rows than buckets)",
    asks="what typically happened where the scores are highest",
    blind="all rows outside the last bucket",
)
def ranking_last(values: Matrix) -> Vector:
    """Typical y in the bucket with the highest scores, in the unit of y."""
    return values[..., -1]


@_bucket_metric(
    reference="random order",
    title="First bucket",
    better="lower",
    image=image_of_halves,
    formula="statistic of y in the bucket with the lowest scores",
    undefined="where that bucket is empty (edges: integer and fewer rows than buckets)",
    asks="what typically happened where the scores are lowest",
    blind="all rows outside the first bucket",
)
def ranking_first(values: Matrix) -> Vector:
    """Typical y in the bucket with the lowest scores, in the unit of y."""
    return values[..., 0]


@_bucket_metric(
    chance=0.0,
    title="Last minus first bucket",
    image=image_of_halves,
    formula="statistic of y in the last bucket minus that in the first",
    undefined="where one of the two buckets is empty (edges: integer, fewer rows than buckets)",
    asks="how much more happened where the scores are highest than lowest",
    blind="all rows between the first and the last bucket",
)
def ranking_difference(values: Matrix) -> Vector:
    """Typical y of the highest scores minus that of the lowest, in the unit of y."""
    return np.asarray(values[..., -1] - values[..., 0])


@_bucket_metric(
    chance=0.0,
    is_of_ends=False,
    title="Slope over the buckets",
    image=image_of_few_buckets,
    formula="least-squares slope of the buckets' values against 0, 1, 2, …",
    undefined="where a bucket is empty (edges: integer and fewer rows than buckets)",
    asks="how much more happens from one bucket of scores to the next",
    blind="the order within a bucket",
)
def ranking_slope(values: Matrix) -> Vector:
    """Rise of y from one bucket of scores to the next, in the unit of y a bucket."""
    buckets = values.shape[-1]
    steps = np.arange(buckets) - (buckets - 1) / 2
    return np.asarray(values @ steps / (steps @ steps))


GAINS = "Piatetsky-Shapiro & Masand (1999), Estimating campaign benefits and modeling lift, KDD"
BY_COUNT = {
    "duplicate": "k cases are the share k/n of the weight, and a repeated row changes n",
    "zero": "k cases are the share k/n of the weight, and a missing row changes n",
}


def check_top_size(
    k: int | None, share: float | None, budget: float | None, cost: float | None
) -> str | None:
    """Describe an invalid size of the top, or return None."""
    if (budget is None) != (cost is None):
        return "budget and cost (of one case) belong together; give both"
    pair = None if budget is None else f"{budget}, {cost}"
    wrong = check_exactly_one(
        {"k": k, "share": share, "the pair of budget and cost": pair}, "share: 0.1"
    )
    if wrong is None and share is not None and not 0 < share <= 1:
        return f"share is {share}, but must be above 0 and at most 1"
    if wrong is None and budget is not None and cost is not None and not 0 < cost <= budget < inf:
        return f"a budget of {budget} pays for no case at a cost of {cost}"
    return wrong or check_range("k", k, 1, inf)


def resolve_top_share(
    n: int, *, k: int | None, share: float | None, budget: float | None, cost: float | None
) -> float:
    """Return the share of the weight in the top, at most 1; nan without rows.

    >>> resolve_top_share(50, k=None, share=None, budget=100.0, cost=9.0)
    0.22
    """
    if share is not None:
        return share
    if budget is not None and cost is not None:
        k = int(budget * (1 + DUST) // cost)
    return np.nan if k is None or n == 0 else min(1.0, k / n)


def accept_top_size(function: Callable[..., float]) -> Callable[..., float]:
    """Return f(y, score, weight, top) with the parameters that say how large the top is.

    `top` is its share of the weight.
    """

    def value(
        y: Vector,
        score: Vector,
        weight: Vector,
        *,
        k: int | None = None,
        share: float | None = None,
        budget: float | None = None,
        cost: float | None = None,
    ) -> float:
        top = resolve_top_share(len(y), k=k, share=share, budget=budget, cost=cost)
        return function(y, score, weight, top)

    adopt_parameters(value, function, value)
    return value


def _capture_fast(rows: Amounts, batch: Batch, **size: Any) -> Vector:
    """Compute the share of all y that the rest of the ranking, the lowest scores, leaves, (b,)."""
    top = resolve_top_share(len(rows), **size)
    if np.isnan(top):
        return np.full(batch.size, np.nan)
    y = rows.y.values
    sums = cumulate_to_shares(np.array([1.0 - top, 1.0]), rows.score, y, batch)
    found: Vector = np.clip(1.0 - divide(sums[:, 0], sums[:, 1]), 0.0, 1.0)
    below = np.flatnonzero(y < 0)
    if len(below):
        found[(batch.weights[below] > 0).any(axis=0)] = np.nan
    return found


def _capture_without_each(rows: Amounts, weight: Vector, **size: Any) -> Vector | None:
    """Exactly where y is nowhere below 0; else None, as only a row's absence may define it."""
    y, n = rows.y.values, len(rows)
    if (y[weight > 0] < 0).any():
        return None
    if n < 2:
        return np.full(n, np.nan)
    top = resolve_top_share(n - 1, **size)
    ends = (top * (weight.sum() - weight))[:, None]
    held = amounts_without_each(Column(-rows.score.values), y, weight, ends)[:, 0]
    return np.asarray(np.clip(divide(held, sums_without_each(weight * y)), 0.0, 1.0))


def _smooth_capture_influence(rows: Amounts, weight: Vector, **size: Any) -> Vector | None:
    """Smoothed phi of the capture; None where the top holds too few rows, or all."""
    top = resolve_top_share(len(rows), **size)
    if not 0 < top < 1 or kish_effective_rows(weight) * top < FEWEST_IN_A_BUCKET - DUST:
        return None
    return smoothed_capture_influence(rows, weight, top)


def _count_top_df(rows: Amounts, weight: Vector, **size: Any) -> float:
    """Count the equally weighted rows in the top, less one."""
    edge = (1 - resolve_top_share(len(rows), **size)) * float(weight.sum())
    return kish_effective_rows(weight * (1 - row_share_below(rows.score, weight, edge))) - 1


def capture_by_chance(share: float | None, **_: Any) -> dict[str, Any]:
    """Return what a random order holds of the top: its share, where that is known beforehand."""
    return {} if share is None else {"reference": "", "chance": share}


@_ranking_metric(
    kind="decision",
    reference="random order",
    fields_for=capture_by_chance,
    title="Capture of the top",
    aliases=("capture",),
    estimand="share of a sum",
    bounds=(0.0, 1.0),
    unit="share",
    cite=GAINS,
    fast=_capture_fast,
    smoothed=_smooth_capture_influence,
    edge_df=_count_top_df,
    leave_one_out=_capture_without_each,
    image=lambda n, **size: image_of_end_bucket(resolve_top_share(n, **size)),
    check=check_top_size,
    exempt_from=BY_COUNT,
    formula="Σ w y over the top of the ranking / Σ w y",
    undefined="where a y is below 0, or all are 0",
    asks="how much of the total the rows with the highest scores hold",
    blind="the order within the top and below it, and what the scores say of amounts",
)
@accept_top_size
def topk_capture(y: Vector, score: Vector, weight: Vector, top: float) -> float:
    """Share of all y that the rows with the highest scores hold, from 0 to 1.

    The top is `k` rows, a `share` of the weight, or as many whole cases as `budget` pays for at
    `cost` each; k of n rows are the share k/n of the weight.
    """
    counted = weight > 0
    if not counted.any() or (y[counted] < 0).any() or not y[counted].any():
        return np.nan
    mass, amount = cumulate_by_score(y, -score, weight)
    captured = np.interp(top * mass[-1], mass, amount)
    return float(np.clip(captured / amount[-1], 0, 1))
