"""The ranking curve: y in buckets by score."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import (
    CumulativeReads,
    bin_edges,
    compute_column_quantiles,
    cumulate_to_shares,
    cumulate_weight,
    divide,
)
from reportgen.kernels.curve_heights import cumulate_to_targets
from reportgen.metrics.curves.curve import Presentation, Trace, curve
from reportgen.metrics.lookup import check_open_range, check_range
from reportgen.metrics.rows import Amounts
from reportgen.metrics.statistic import (
    STATISTICS,
    Average,
    BucketStatistic,
    WeightSlices,
    compute_bucket_statistics,
)

Edges = Literal["fractional", "integer"]
DUST = 1e-12  # a share of the weight that is rounding
MANY = 50  # edges, from which buckets are faster found together than one by one


def compute_bucket_cuts(batch: Batch, buckets: int, edges: Edges) -> Matrix:
    """Compute the weight below each edge under each weighting, shape (b, buckets + 1)."""
    even = np.linspace(0.0, 1.0, buckets + 1)[None, :] * batch.totals[:, None]
    return even if edges == "fractional" else np.floor(even * (1 + DUST))


def compute_bucket_sums(rows: Amounts, batch: Batch, cuts: Matrix, values: Vector) -> Matrix:
    """Weighted sum of `values` in each bucket of the score, shape (b, buckets)."""
    return np.diff(cumulate_to_targets(rows.score, values, batch, cuts), axis=1)


def compute_bucket_means(rows: Amounts, batch: Batch, cuts: Matrix, values: Vector) -> Matrix:
    """Weighted mean of `values` in each bucket of the score; nan in an empty one."""
    inside = np.diff(cuts, axis=1)
    return divide(compute_bucket_sums(rows, batch, cuts, values), inside)


def compute_mean_outcomes(rows: Amounts, batch: Batch, buckets: int, edges: Edges) -> Matrix:
    """Weighted mean of y in each bucket of the score; nan in an empty one."""
    cuts = compute_bucket_cuts(batch, buckets, edges)
    if edges == "integer":
        return compute_bucket_means(rows, batch, cuts, rows.y.values)
    sums = cumulate_to_shares(bin_edges(buckets), rows.score, rows.y.values, batch)
    return divide(np.diff(sums, axis=1), np.diff(cuts, axis=1))


def plan_outcome_reads(
    rows: Amounts, grid: Vector, *, buckets: int = 10, edges: Edges = "fractional", **_: object
) -> CumulativeReads | None:
    """Plan the reads of `compute_mean_outcomes`; None where edges move to whole units of weight."""
    if edges == "integer":
        return None
    return CumulativeReads(rows.score, rows.y.values, bin_edges(buckets))


def _ranking_reads(
    rows: Amounts,
    grid: Vector,
    *,
    statistic: Average = "mean",
    quantile: float | None = None,
    **how: Any,
) -> CumulativeReads | None:
    if statistic != "mean" or quantile is not None:
        return None
    return plan_outcome_reads(rows, grid, **how)


def compute_bucket_quantiles(rows: Amounts, batch: Batch, cuts: Matrix, q: float) -> Matrix:
    """Weighted q-quantile of y in each bucket of the score; nan in an empty one."""
    if cuts.shape[1] > MANY:
        return _compute_bucket_quantiles(rows, batch, cuts, q)
    groups = _groups_between(cumulate_weight(batch, rows.score), cuts)
    each = zip(cuts.T[:-1], cuts.T[1:], groups, strict=True)
    found = [_quantile_between(rows, batch, low, high, q, of) for low, high, of in each]
    return np.stack(found, axis=1)


def check_buckets(
    buckets: int = 10, statistic: Average = "mean", quantile: float | None = None, **_: object
) -> str | None:
    """Describe invalid parameters of a curve of buckets, or return None."""
    if quantile is not None and statistic != "mean":
        return f"statistic: {statistic} and quantile are both given; give one of them"
    return check_range("buckets", buckets, 1, 200) or check_open_range("quantile", quantile, 0, 1)


def _bucket_numbers(rows: Amounts, weight: Vector, *, buckets: int = 10, **_: object) -> Vector:
    return np.arange(1.0, buckets + 1)


def _ranking_trace(
    rows: Amounts,
    weight: Vector,
    *,
    buckets: int = 10,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
) -> Trace:
    batch = Batch.from_weights(weight)
    grid = _bucket_numbers(rows, weight, buckets=buckets)
    y = _statistic(rows, batch, compute_bucket_cuts(batch, buckets, edges), statistic, quantile)[0]
    whole = np.stack([np.zeros(1), batch.totals], axis=1)
    marks = {
        "random": float(_statistic(rows, batch, whole, statistic, quantile)[0, 0]),
        "first": float(y[0]),
        "last": float(y[-1]),
        "difference": float(y[-1] - y[0]),
        "slope": float(fit_slope(grid, y)),
    }
    return Trace(grid, y, marks=marks)


@curve(
    title="Ranking curve",
    reads=_ranking_reads,
    task="regression",
    needs="order",
    x_label="Bucket, from the lowest scores to the highest",
    y_label="y in the bucket",
    x_unit="1",
    y_unit="y",
    bounds=(-np.inf, np.inf),
    is_monotone=False,
    cite="Evaluating ranking in regression, "
    "https://vitaliset.github.io/evaluating-ranking-in-regression",
    grid=_bucket_numbers,
    trace=_ranking_trace,
    is_level_of_y=True,
    check=check_buckets,
    shown=Presentation(
        topic="ranking",
        place=10,
        is_detail=True,
        title="Ranking curve",
        x_label="bucket of rows, from the lowest scores to the highest",
        y_label="{statistic} {target}{unit}",
        reading="Rows in {buckets} equal buckets by each model's score; points are the {statistic} "
        "{target} in the bucket. A model that ranks well starts low and ends high.",
        finding="In the top bucket",
        is_compared=True,
        marks={"random": "random order"},
        has_markers=True,
    ),
)
def ranking(
    rows: Amounts,
    batch: Batch,
    grid: Vector,
    *,
    buckets: int = 10,
    statistic: Average = "mean",
    quantile: float | None = None,
    edges: Edges = "fractional",
) -> Matrix:
    """Mean, median or a quantile of y in each bucket of the score: steep where ranking is good.

    `quantile` takes the place of the statistic where it is given. nan in a bucket where nothing
    weighs.
    """
    if statistic == "mean" and quantile is None:
        return compute_mean_outcomes(rows, batch, buckets, edges)
    return _statistic(rows, batch, compute_bucket_cuts(batch, buckets, edges), statistic, quantile)


def fit_slope(x: Vector, y: Vector) -> float:
    """Least-squares slope of the line through the points; nan for fewer than two."""
    centred = x - x.mean()
    spread = centred @ centred
    return float(centred @ y / spread) if spread > 0 else np.nan


def _statistic(
    rows: Amounts, batch: Batch, cuts: Matrix, statistic: Average, quantile: float | None
) -> Matrix:
    if quantile is None and statistic == "mean":
        return compute_bucket_means(rows, batch, cuts, rows.y.values)
    if statistic in STATISTICS:
        return _compute_bucket_statistic(rows, batch, cuts, STATISTICS[statistic])
    return compute_bucket_quantiles(rows, batch, cuts, 0.5 if quantile is None else quantile)


def _compute_bucket_statistic(
    rows: Amounts, batch: Batch, cuts: Matrix, found: BucketStatistic
) -> Matrix:
    """Evaluate a user's function on each bucket."""
    y, score = rows.y.values, rows.score.values
    weightings = zip(batch.weights.T, cuts, strict=True)
    return np.array(
        [_compute_bucket_means(y, score, weight, found, cut) for weight, cut in weightings]
    )


def _compute_bucket_means(
    y: Vector, score: Vector, weight: Vector, found: BucketStatistic, cut: Vector
) -> Vector:
    return compute_bucket_statistics(
        y, score, weight, found, lambda total: cut, np.arange(len(cut) - 1)
    )


def _compute_bucket_quantiles(rows: Amounts, batch: Batch, cuts: Matrix, q: float) -> Matrix:
    """Return all buckets of one weighting together: the values of a loop over the buckets."""
    weightings = zip(batch.weights.T, cuts, strict=True)
    return np.array(
        [WeightSlices(rows, w).quantiles(cut[:-1], cut[1:], q) for w, cut in weightings]
    )


def _quantile_between(
    rows: Amounts, batch: Batch, low: Vector, high: Vector, q: float, groups: tuple[int, int]
) -> Vector:
    """Quantile of y over the rows between two cuts, each weighing the share of it inside.

    `groups` are the first and one past the last group that lie between the cuts.
    """
    score, weight = rows.score, cumulate_weight(batch, rows.score)
    first, last = groups
    inside = np.minimum(weight[first + 1 : last + 1], high) - np.maximum(weight[first:last], low)
    share = np.nan_to_num(
        divide(np.maximum(inside, 0.0), np.diff(weight[first : last + 1], axis=0))
    )
    start, stop = np.searchsorted(score.group[score.order], groups)
    picked = score.order[start:stop]
    picked = picked[np.argsort(rows.y.group[picked], kind="stable")]
    weights = batch.weights[picked] * share[score.group[picked] - first]
    return compute_column_quantiles(rows.y.values[picked], weights, q)


def _groups_between(weight: Matrix, cuts: Matrix) -> list[tuple[int, int]]:
    """First and one past the last group that lies in each bucket under any weighting."""
    weightings = list(zip(weight.T, cuts, strict=True))
    firsts = np.min(
        [np.searchsorted(running, cut[:-1], side="right") for running, cut in weightings], axis=0
    )
    lasts = np.max(
        [np.searchsorted(running, cut[1:], side="left") for running, cut in weightings], axis=0
    )
    firsts = np.maximum(firsts - 1, 0)
    lasts = np.maximum(np.minimum(lasts, len(weight) - 1), firsts)
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
