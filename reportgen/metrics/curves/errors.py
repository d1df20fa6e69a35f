"""Curves of errors and of calibration of amounts."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Places, Vector
from reportgen.kernels.calibration_fits import fit_isotonic, iter_isotonic_fits
from reportgen.kernels.cumulative import (
    CumulativeReads,
    bin_edges,
    bin_middles,
    compute_midranks,
    cumulate_to_shares,
    cumulate_weight,
    divide,
)
from reportgen.kernels.curve_heights import Short, compute_bin_sums, shorten_bins
from reportgen.metrics.curves.concordance import MOST_ROWS, bin_grid, check_bins
from reportgen.metrics.curves.curve import BY_RANK, Trace, curve, ranking_figure, thin_line
from reportgen.metrics.curves.ranking import (
    Edges,
    check_buckets,
    compute_bucket_cuts,
    compute_bucket_means,
    compute_mean_outcomes,
    plan_outcome_reads,
)
from reportgen.metrics.regression.errors import CORP, decompose_loss
from reportgen.metrics.rows import Amounts


def _tolerances(rows: Amounts, weight: Vector) -> Vector:
    """Sizes of error that share the weight evenly, the largest among them; at most 200."""
    size = rows.absolute_error
    up = cumulate_weight(Batch.from_weights(weight), size)[1:, 0]
    if not len(up) or up[-1] <= 0:
        return np.empty(0)
    reached = np.searchsorted(up, np.linspace(0.0, 1.0, 200) * up[-1] * (1 - 1e-12))
    return np.asarray(size.values[size.order][size.is_last][np.unique(reached)])


def _rec_trace(rows: Amounts, weight: Vector) -> Trace:
    """Return the exact steps; the area over the curve up to the largest error is the MAE."""
    size = rows.absolute_error
    up = cumulate_weight(Batch.from_weights(weight), size)[1:, 0]
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
    return Trace(*thin_line(x, y), marks={"area over": over, "tolerance": largest, "area": area})


_error_curve = partial(
    curve,
    task="regression",
    needs="amount",
    x_unit="y",
    y_unit="y",
    bounds=(-np.inf, np.inf),
    is_monotone=False,
)


@_error_curve(
    title="REC curve",
    x_label="Tolerance: size of the error",
    y_label="Share of the rows within it",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite="Bi & Bennett (2003), Regression error characteristic curves, ICML",
    grid=_tolerances,
    trace=_rec_trace,
    shown=ranking_figure(
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
    reached = rows.once(name, lambda: _find_first_tolerance(rows.absolute_error, grid))
    within = np.cumsum(compute_bin_sums(batch, reached, len(grid) + 1), axis=1)
    return divide(within[:, :-1], within[:, -1:])


def _find_first_tolerance(size: Column, grid: Vector) -> Places | Short:
    """Find the first tolerance that holds each row's error, (n,)."""
    reached = np.empty(len(size), dtype=np.int32)
    reached[size.order] = np.searchsorted(grid, size.values[size.order], side="left")
    return shorten_bins(reached, len(grid) + 1)


def _residual_trace(rows: Amounts, weight: Vector, *, bins: int) -> Trace:
    batch, error = Batch.from_weights(weight), rows.error.values
    marks = {"mean": float(divide(weight @ error, batch.totals)[0])}
    if len(rows) > MOST_ROWS:
        return Trace(bin_middles(bins), _mean_errors(rows, batch, bins)[0], marks=marks)
    order = rows.score.order[weight[rows.score.order] > 0]
    x = divide(compute_midranks(batch, rows.score)[:, 0], batch.totals)
    return Trace(x[order], error[order], marks=marks)


def _mean_errors(rows: Amounts, batch: Batch, bins: int) -> Matrix:
    sums = cumulate_to_shares(bin_edges(bins), rows.score, rows.error.values, batch)
    return divide(np.diff(sums, axis=1), batch.totals[:, None] / bins)


def _error_read(rows: Amounts, grid: Vector, *, bins: int) -> CumulativeReads:
    return CumulativeReads(rows.score, rows.error.values, bin_edges(bins))


@_error_curve(
    title="Errors by rank",
    reads=_error_read,
    x_label="Share of the rows, from the lowest scores to the highest",
    y_label="Error (score minus y)",
    x_unit="share",
    cite="",
    grid=bin_grid,
    trace=_residual_trace,
    check=check_bins,
    shown=ranking_figure(
        place=190,
        title="Errors by rank",
        x_label=BY_RANK,
        y_label="score minus {target}{unit}",
        reading="Above zero the score is too high, below it too low. The band is that of the mean "
        "over a stretch of rows.",
        y_scale="symlog",
        marks={"mean": "mean error"},
    ),
)
def error_by_rank(rows: Amounts, batch: Batch, grid: Vector, *, bins: int = 25) -> Matrix:
    """The error of each row along the model's ranking: above 0 the score was too high.

    The band is that of the mean in `bins` equal parts of the weight; up to 100 rows are drawn one
    by one, more as those means.
    """  # noqa: D401
    return _mean_errors(rows, batch, bins)


def _bucket_scores(rows: Amounts, weight: Vector, *, buckets: int, edges: Edges) -> Vector:
    batch = Batch.from_weights(weight)
    cuts = compute_bucket_cuts(batch, buckets, edges)
    means: Vector = compute_bucket_means(rows, batch, cuts, rows.score.values)[0]
    return means


def _trace_buckets(rows: Amounts, weight: Vector, *, buckets: int, edges: Edges) -> Trace:
    x = _bucket_scores(rows, weight, buckets=buckets, edges=edges)
    cuts = compute_bucket_cuts(Batch.from_weights(weight), buckets, edges)
    y = compute_bucket_means(rows, Batch.from_weights(weight), cuts, rows.y.values)[0]
    slope, intercept = fit_calibration_line(rows, weight)
    return Trace(x, y, marks={"slope": slope, "intercept": intercept})


def fit_calibration_line(rows: Amounts, weight: Vector) -> tuple[float, float]:
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


@_error_curve(
    title="Calibration by bucket",
    reads=plan_outcome_reads,
    x_label="Mean score in the bucket",
    y_label="Mean y in the bucket",
    cite="",
    grid=_bucket_scores,
    trace=_trace_buckets,
    is_level_of_y=True,
    check=check_buckets,
    shown=ranking_figure(
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
    return compute_mean_outcomes(rows, batch, buckets, edges)


EHM = (
    "Ehm, Gneiting, Jordan & Krüger (2016), Of quantiles and expectiles: consistent scoring "
    "functions, Choquet representations and forecast rankings, Journal of the Royal Statistical "
    "Society B 78; doi:10.1111/rssb.12154"
)
ENDS = 0.05  # share of the weight at each end of y where a threshold has no limits
MURPHY_PLACES = 100  # positions by shares of the weight, and as many again at even distances


def compute_even_quantiles(column: Column, weight: Vector) -> Vector:
    """Values that share the weight evenly, the lowest and the highest among them; rising."""
    up = cumulate_weight(Batch.from_weights(weight), column)[1:, 0]
    if not len(up) or up[-1] <= 0:
        return np.empty(0)
    shares = np.linspace(0.0, 1.0, MURPHY_PLACES) * (1 - 1e-12)
    first = np.searchsorted(up, 0.0, side="right")
    reached = np.maximum(np.searchsorted(up, shares * up[-1]), first)
    return np.asarray(column.values[column.order][column.is_last][np.unique(reached)])


def _scores(rows: Amounts, weight: Vector) -> Vector:
    return compute_even_quantiles(rows.score, weight)


def _count_smaller_side(rows: Amounts, weight: Vector, grid: Vector) -> Vector:
    """Rows up to each score, or from it on, whichever are fewer."""
    values = np.sort(rows.score.values[weight > 0])
    up_to = np.searchsorted(values, grid, side="right")
    return np.minimum(up_to, len(values) - np.searchsorted(values, grid, side="left")).astype(float)


def _trace_isotonic(rows: Amounts, weight: Vector) -> Trace:
    if not np.any(weight > 0):
        return Trace(np.empty(0), np.empty(0))
    fit = fit_isotonic(rows, weight)
    return Trace(*thin_line(fit.score, fit.fit), marks=asdict(decompose_loss(rows, weight)))


@_error_curve(
    title="Calibration",
    x_label="Score",
    y_label="Mean y at that score, by the rising fit",
    is_monotone=True,
    cite=CORP,
    grid=_scores,
    trace=_trace_isotonic,
    thin=_count_smaller_side,
    is_level_of_y=True,
    is_on_request=True,
    shown=ranking_figure(
        place=30,
        title="Calibration",
        x_label="score{unit}",
        y_label="mean {target} at that score{unit}",
        reading="The mean of {target} at each score, as far as it rises with the score. Above the "
        "diagonal scores are too low, below it too high. The mean squared error is "
        "miscalibration (what better calibrated scores would save) less discrimination (what "
        "their order saves) plus uncertainty; on few rows the first two are too large.",
        noted={
            "miscalibration": "miscalibration",
            "discrimination": "discrimination",
            "uncertainty": "uncertainty",
        },
        has_diagonal=True,
        has_equal_axes=True,
    ),
)
def calibration(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Mean of y at each score, as far as it rises with the score: on the diagonal if right.

    The rising (isotonic) fit needs no bins. Beside it stand the parts of the mean squared error:
    miscalibration, discrimination and uncertainty, of which it is the first less the second plus
    the third. They have no interval: the fit follows the chance of these rows, so that on few rows
    the first two are too large.
    """
    values = np.full((batch.size, len(grid)), np.nan)
    for b, fit in enumerate(iter_isotonic_fits(rows, batch)):
        if len(fit.fit):
            values[b] = np.interp(grid, fit.score, fit.fit)
    return values


def _places(rows: Amounts, weight: Vector) -> Vector:
    """Places over the range of y, the same for every score: evenly apart, and by its quantiles."""
    quantiles = compute_even_quantiles(rows.y, weight)
    if not len(quantiles):
        return quantiles
    return np.unique(np.append(np.linspace(quantiles[0], quantiles[-1], MURPHY_PLACES), quantiles))


def _thresholds(rows: Amounts, weight: Vector) -> Vector:
    """Choose thresholds between the outer twentieths of y: beyond, too few rows say much."""
    quantiles, places = compute_even_quantiles(rows.y, weight), _places(rows, weight)
    if not len(quantiles):
        return quantiles
    up = cumulate_weight(Batch.from_weights(weight), rows.y)[1:, 0]
    ends = np.searchsorted(up, np.array([ENDS, 1 - ENDS]) * up[-1])
    low, high = rows.y.values[rows.y.order][rows.y.is_last][ends]
    return np.asarray(places[(places >= low) & (places <= high)])


def _murphy_trace(rows: Amounts, weight: Vector) -> Trace:
    places = _places(rows, weight)
    return Trace(places, murphy(rows, Batch.from_weights(weight), places)[0])


def _rows_between(rows: Amounts, weight: Vector, grid: Vector) -> Vector:
    """Rows whose score and y lie on different sides of each threshold."""
    counted = weight > 0
    low, high = _find_row_spans(rows)
    return np.asarray(
        _sum_over_spans(Batch.from_weights(counted.astype(float)), low, high, grid, None)[0]
    )


@_error_curve(
    title="Murphy diagram",
    x_label="Threshold",
    y_label="Mean elementary loss",
    bounds=(0.0, np.inf),
    cite=EHM,
    grid=_thresholds,
    trace=_murphy_trace,
    thin=_rows_between,
    is_level_of_loss=True,
    is_on_request=True,
    shown=ranking_figure(
        place=40,
        title="Murphy diagram: the loss at every threshold",
        x_label="threshold of {target}{unit}",
        y_label="mean elementary loss{unit}",
        reading="How far {target} lies from the threshold, where the score lies on its other "
        "side. A model that is lower at every threshold is better under every loss whose "
        "best score is the mean.",
        is_compared=True,
        difference="Below zero the candidate is better at that threshold. All below zero, it "
        "is better under every loss whose best score is the mean.",
        is_better_below=True,
    ),
)
def murphy(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Mean distance from y to a threshold, over the rows whose score is on its other side.

    Every loss whose best score is the mean is a mixture of these losses over the thresholds: a
    model that is lower everywhere is better by all of them. The area under the curve, over all
    thresholds, is half the mean squared error. It is drawn over the range of y, with a band over
    the middle nine tenths of it.
    """
    (low, high), y = _find_row_spans(rows), rows.y.values
    sign = np.where(rows.score.values > y, 1.0, -1.0)
    centre = float(np.median(y)) if len(y) else 0.0
    sides = _sum_over_spans(batch, low, high, grid, sign)
    amounts = _sum_over_spans(batch, low, high, grid, sign * (y - centre))
    losses = (grid - centre)[None, :] * sides - amounts
    return divide(np.maximum(losses, 0.0), batch.totals[:, None])


def _find_row_spans(rows: Amounts) -> tuple[Vector, Vector]:
    y, score = rows.y.values, rows.score.values
    return np.minimum(y, score), np.maximum(y, score)


def _sum_over_spans(
    batch: Batch, low: Vector, high: Vector, grid: Vector, values: Vector | None
) -> Matrix:
    """Weighted sum of `values` (of ones) over the rows with low <= threshold < high; (b, g)."""
    size = len(grid) + 1
    begun, ended = (
        np.cumsum(
            compute_bin_sums(batch, np.searchsorted(grid, ends, side="left"), size, values), axis=1
        )
        for ends in (low, high)
    )
    return np.asarray((begun - ended)[:, :-1])
