"""How large errors are, and where along the ranking they lie."""

from __future__ import annotations

import numpy as np

from reportgen.curves.concordance import MOST_ROWS
from reportgen.curves.presentation import BY_RANK, Presentation
from reportgen.curves.ranking import (
    Edges,
    bucket_cuts,
    bucket_means,
    check_buckets,
    means_of_y,
    reads_of_y,
)
from reportgen.curves.spec import Trace, curve, thinned
from reportgen.kernels.batch import Batch, Column, Matrix, Places, Vector
from reportgen.kernels.cumulative import (
    at_shares,
    bin_middles,
    edges_of,
    midrank,
    ratio,
    weight_up_to,
)
from reportgen.kernels.together import Reads
from reportgen.kernels.walks import Short, short, sums_by_bin
from reportgen.metrics.limits import outside
from reportgen.rows import Amounts


def _tolerances(rows: Amounts, weight: Vector) -> Vector:
    """Sizes of error that share the weight evenly, the largest among them; at most 200."""
    size = rows.absolute_error
    up = weight_up_to(Batch.of(weight), size)[1:, 0]
    if not len(up) or up[-1] <= 0:
        return np.empty(0)
    reached = np.searchsorted(up, np.linspace(0.0, 1.0, 200) * up[-1] * (1 - 1e-12))
    return np.asarray(size.values[size.order][size.is_last][np.unique(reached)])


def _rec_trace(rows: Amounts, weight: Vector) -> Trace:
    """The exact steps. The area over the curve up to the largest error is the MAE."""
    size = rows.absolute_error
    up = weight_up_to(Batch.of(weight), size)[1:, 0]
    is_step = np.diff(up, prepend=0.0) > 0
    sizes, shares = size.values[size.order][size.is_last][is_step], up[is_step]
    if not len(sizes):
        return Trace(np.empty(0), np.empty(0), marks={"area over": np.nan})
    shares = shares / shares[-1]
    over = float(np.diff(sizes, prepend=0.0) @ (1.0 - np.append(0.0, shares[:-1])))
    largest = float(sizes[-1])
    first = 2 if sizes[0] == 0 else 0  # rows without error are within at once
    x = np.repeat(np.append(0.0, sizes), 2)[1:][first:]
    y = np.repeat(np.append(0.0, shares), 2)[:-1][first:]
    area = 1.0 - over / largest if largest > 0 else np.nan
    return Trace(*thinned(x, y), marks={"area over": over, "tolerance": largest, "area": area})


@curve(
    title="REC curve",
    task="regression",
    needs="amount",
    x_label="Tolerance: size of the error",
    y_label="Share of the rows within it",
    x_unit="y",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite="Bi & Bennett (2003), Regression error characteristic curves, ICML",
    grid=_tolerances,
    trace=_rec_trace,
    shown=Presentation(
        topic="ranking",
        place=180,
        is_detail=True,
        title="Share of rows within an error",
        x_label="size of the error{unit}",
        y_label="share of rows",
        reading="The higher the curve, the more rows are predicted to within that error.",
        x_scale="log",
        drawing="steps",
        noted={"area": "area"},
    ),
)
def rec(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the rows whose error is no larger than a tolerance: steps that end at 1.

    The area over the curve up to the largest error is the MAE; `area` is the share of the box up
    to that tolerance which lies under the curve.
    """
    name = f"tolerance reached {hash(grid.tobytes())}"
    reached = rows.once(name, lambda: _reached(rows.absolute_error, grid))
    within = np.cumsum(sums_by_bin(batch, reached, len(grid) + 1), axis=1)
    return ratio(within[:, :-1], within[:, -1:])


def _reached(size: Column, grid: Vector) -> Places | Short:
    """The first tolerance that holds each row's error, (n,)."""
    reached = np.empty(len(size), dtype=np.int32)
    reached[size.order] = np.searchsorted(grid, size.values[size.order], side="left")
    return short(reached, len(grid) + 1)


def _middles(rows: Amounts, weight: Vector, *, bins: int) -> Vector:
    return bin_middles(bins)


def _residual_trace(rows: Amounts, weight: Vector, *, bins: int) -> Trace:
    batch, error = Batch.of(weight), rows.error.values
    marks = {"mean": float(ratio(weight @ error, batch.totals)[0])}
    if len(rows) > MOST_ROWS:
        return Trace(bin_middles(bins), _mean_errors(rows, batch, bins)[0], marks=marks)
    order = rows.score.order[weight[rows.score.order] > 0]
    x = ratio(midrank(batch, rows.score)[:, 0], batch.totals)
    return Trace(x[order], error[order], marks=marks)


def _mean_errors(rows: Amounts, batch: Batch, bins: int) -> Matrix:
    sums = at_shares(edges_of(bins), rows.score, rows.error.values, batch)
    return ratio(np.diff(sums, axis=1), batch.totals[:, None] / bins)


def _error_read(rows: Amounts, grid: Vector, *, bins: int) -> Reads:
    return Reads(rows.score, rows.error.values, edges_of(bins))


def _check_bins(*, bins: int) -> str | None:
    return outside("bins", bins, 1, 200)


@curve(
    title="Errors by rank",
    reads=_error_read,
    task="regression",
    needs="amount",
    x_label="Share of the rows, from the lowest scores to the highest",
    y_label="Error (score minus y)",
    x_unit="share",
    y_unit="y",
    bounds=(-np.inf, np.inf),
    is_monotone=False,
    cite="",
    grid=_middles,
    trace=_residual_trace,
    check=_check_bins,
    shown=Presentation(
        topic="ranking",
        place=190,
        title="Errors by rank",
        x_label=BY_RANK,
        y_label="score minus {target}{unit}",
        reading="Above zero the score is too high, below it too low. The band is that of the mean "
        "over a stretch of rows. The axis is logarithmic on both sides of a middle that is not.",
        y_scale="symlog",
        marks={"mean": "mean error"},
    ),
)
def error_by_rank(rows: Amounts, batch: Batch, grid: Vector, *, bins: int = 25) -> Matrix:
    """The error of each row along the model's ranking: above 0 the score was too high.

    The band is that of the mean in `bins` equal parts of the weight; up to 100 rows are drawn one
    by one, more as those means.
    """
    return _mean_errors(rows, batch, bins)


def _bucket_scores(rows: Amounts, weight: Vector, *, buckets: int, edges: Edges) -> Vector:
    batch = Batch.of(weight)
    cuts = bucket_cuts(batch, buckets, edges)
    means: Vector = bucket_means(rows, batch, cuts, rows.score.values)[0]
    return means


def _calibration_trace(rows: Amounts, weight: Vector, *, buckets: int, edges: Edges) -> Trace:
    x = _bucket_scores(rows, weight, buckets=buckets, edges=edges)
    cuts = bucket_cuts(Batch.of(weight), buckets, edges)
    y = bucket_means(rows, Batch.of(weight), cuts, rows.y.values)[0]
    slope, intercept = calibration_line(rows, weight)
    return Trace(x, y, marks={"slope": slope, "intercept": intercept})


def calibration_line(rows: Amounts, weight: Vector) -> tuple[float, float]:
    """Slope and intercept of the weighted least-squares line of y on the score, over all rows.

    (1, 0) is a score that is right on average at every height; nan for a constant score.
    """
    y, score = rows.y.values, rows.score.values
    total = weight.sum()
    if not total > 0:
        return np.nan, np.nan
    mean_y, mean_score = weight @ y / total, weight @ score / total
    spread = weight @ (score - mean_score) ** 2
    if not spread > 0:
        return np.nan, np.nan
    slope = weight @ ((score - mean_score) * (y - mean_y)) / spread
    return float(slope), float(mean_y - slope * mean_score)


@curve(
    title="Calibration by bucket",
    reads=reads_of_y,
    task="regression",
    needs="amount",
    x_label="Mean score in the bucket",
    y_label="Mean y in the bucket",
    x_unit="y",
    y_unit="y",
    bounds=(-np.inf, np.inf),
    is_monotone=False,
    cite="",
    grid=_bucket_scores,
    trace=_calibration_trace,
    is_level_of_y=True,
    check=check_buckets,
    shown=Presentation(
        topic="ranking",
        place=20,
        title="Calibration by bucket",
        x_label="mean score in the bucket{unit}",
        y_label="mean {target} in the bucket{unit}",
        reading="Rows in {buckets} equal buckets by score. Points above the diagonal are predicted "
        "too low, points below it too high.",
        noted={"slope": "slope"},
        has_diagonal=True,
        diagonal="predicted = observed",
        has_markers=True,
        has_equal_axes=True,
        x_scale="log",
        y_scale="log",
    ),
)
def bucket_calibration(
    rows: Amounts, batch: Batch, grid: Vector, *, buckets: int = 10, edges: Edges = "fractional"
) -> Matrix:
    """Mean y of each bucket of the score against its mean score: on the diagonal if right.

    `slope` and `intercept` are those of the line of y on the score over all rows.
    """
    return means_of_y(rows, batch, buckets, edges)
