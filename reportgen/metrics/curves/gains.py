"""Cumulative gains and lift of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import (
    bin_edges,
    cumulate_to_shares,
    cumulate_values,
    cumulate_weight,
    divide,
)
from reportgen.metrics.curves.curve import (
    FROM_TOP,
    Presentation,
    Trace,
    count_positives,
    count_thinner_rows,
    curve,
)
from reportgen.metrics.lookup import check_range
from reportgen.metrics.rows import Classes

PLACES = 101
PIATETSKY = "Piatetsky-Shapiro & Masand (1999), Estimating campaign benefits and modeling lift, KDD"


def share_grid(rows: Classes, weight: Vector) -> Vector:
    """Hundredths of the weight, from none to all."""
    return np.linspace(0.0, 1.0, PLACES)


def _positive_shares_called(rows: Classes, weight: Vector) -> Vector:
    return share_grid(rows, weight)[1:]


def compute_captured_share(column: Column, rows: Classes, batch: Batch, shares: Vector) -> Matrix:
    """Share of the positives among the rows at the top of a column, (b, s); shares rise."""
    rest = np.append(1.0 - shares[::-1], 1.0)
    sums = cumulate_to_shares(rest, column, rows.y.values, batch)
    return np.asarray(1.0 - divide(sums[:, :-1], sums[:, -1:]))[:, ::-1]


def _trace(rows: Classes, weight: Vector) -> Trace:
    """Return the exact corners, and the area below them."""
    batch = Batch.from_weights(weight)
    x = cumulate_weight(batch, rows.score)[:, 0]
    sums = cumulate_values(batch, rows.score, rows.y.values)[:, 0]
    if not sums[-1] > 0:
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    x, y = 1.0 - x[::-1] / x[-1], 1.0 - sums[::-1] / sums[-1]
    grid = share_grid(rows, weight)
    marks = {"area": float(np.trapezoid(y, x))}
    if len(x) <= PLACES:
        return Trace(x, y, marks=marks)
    return Trace(grid, np.interp(grid, x, y), marks=marks)


def _compute_perfect_lift(grid: Vector) -> Vector:
    """Return how many times the share of the positives that are called a lift is."""
    return np.reciprocal(grid)


def count_rarest_cell(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Count the rows in the rarest cell of the table at each share, as equally weighted ones."""
    shares = compute_captured_share(rows.score, rows, Batch.from_weights(weight), grid)[0]
    y = rows.y.values > 0
    share = float(weight[y].sum() / max(weight.sum(), 1e-300))
    alarms = np.clip((grid - share * shares) / max(1 - share, 1e-300), 0.0, 1.0)
    each = [
        kish_effective_rows(weight[of]) * np.minimum(called, 1 - called)
        for of, called in ((y, shares), (~y, alarms))
    ]
    return np.asarray(np.fmin(*each))


_SHARED: dict[str, Any] = {
    "task": "binary",
    "needs": "order",
    "x_label": "Share of the rows called, from the highest scores down",
    "x_unit": "share",
    "cite": PIATETSKY,
}


@curve(
    title="Cumulative gains",
    aliases=("gain", "gains"),
    y_label="Share of the positives called",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    grid=share_grid,
    trace=_trace,
    thin=count_thinner_rows,
    among=count_positives,
    rarest=count_rarest_cell,
    brings=("best_cumulative_gains",),
    shown=Presentation(
        "Cumulative gains: how many positives the first calls catch",
        FROM_TOP,
        "share of the positives called",
        reading="The higher, the more positives are caught by the same number of calls. A random "
        "order runs along the diagonal; no order passes the line called best.",
        place=3,
        has_diagonal=True,
        diagonal="a random order",
        noted={"area": "area under the curve"},
        is_compared=True,
        difference="Above zero the candidate catches more by the same number of calls.",
        is_paired=True,
        is_detail=True,
    ),
    **_SHARED,
)
def cumulative_gains(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positives among the rows with the highest scores, at each share of the rows."""
    return compute_captured_share(rows.score, rows, batch, grid)


@curve(
    title="Best cumulative gains",
    y_label="Share of the positives called",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    grid=share_grid,
    is_of_target=True,
    has_band=False,
    shown=Presentation(
        "best", FROM_TOP, "share of the positives called", place=4, onto="cumulative_gains"
    ),
    **_SHARED,
)
def best_cumulative_gains(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """The same of an order with all positives first: no score catches more."""  # noqa: D401
    return compute_captured_share(rows.y, rows, batch, grid)


@curve(
    title="Cumulative lift",
    aliases=("lift",),
    y_label="Share of positives among the rows called, over that of all rows",
    y_unit="1",
    bounds=(0.0, np.inf),
    is_monotone=False,
    grid=_positive_shares_called,
    thin=count_thinner_rows,
    among=count_positives,
    rarest=count_rarest_cell,
    multiple=_compute_perfect_lift,
    is_on_request=True,
    shown=Presentation(
        "Cumulative lift",
        FROM_TOP,
        "share of positives, over that of all rows",
        reading="How many times as often a call is right as that of a row drawn at random; 1 is a "
        "random order.",
        place=5,
        is_compared=True,
        difference="Above zero the candidate's first calls are right more often.",
        is_paired=True,
    ),
    **_SHARED,
)
def cumulative_lift(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """How many times as often as in all rows a row with one of the highest scores is positive."""
    return compute_captured_share(rows.score, rows, batch, grid) / grid


def _bucket_numbers(rows: Classes, weight: Vector, *, buckets: int) -> Vector:
    return np.arange(1.0, buckets + 1)


def _bucket_trace(rows: Classes, weight: Vector, *, buckets: int) -> Trace:
    """Return the shares, and that of all rows, which a random order has throughout."""
    grid, batch = _bucket_numbers(rows, weight, buckets=buckets), Batch.from_weights(weight)
    share = divide((rows.y.values > 0) @ batch.weights, batch.totals)[0]
    y = positives_by_bucket(rows, batch, grid, buckets=buckets)[0]
    return Trace(grid, y, marks={"random": float(share)})


def _rows_in_bucket(rows: Classes, weight: Vector, grid: Vector, *, buckets: int) -> Vector:
    return np.full(len(grid), kish_effective_rows(weight) / buckets)


@curve(
    title="Positives by bucket",
    task="binary",
    needs="order",
    aliases=("ranking", "deciles"),
    x_label="Bucket, from the lowest scores to the highest",
    y_label="Share of positives in the bucket",
    x_unit="1",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=False,
    cite="Evaluating ranking in regression, "
    "https://vitaliset.github.io/evaluating-ranking-in-regression",
    check=lambda buckets: check_range("buckets", buckets, 2, 200),
    grid=_bucket_numbers,
    trace=_bucket_trace,
    thin=_rows_in_bucket,
    among=_rows_in_bucket,
    is_on_request=True,
    shown=Presentation(
        "Positives in buckets of the scores",
        "bucket of rows, from the lowest scores to the highest",
        "share of positives",
        reading="Rows in buckets of equal weight by each model's score; points are the share of "
        "positives in the bucket. A model that orders well starts low and ends high.",
        place=6,
        marks={"random": "random order"},
        has_markers=True,
        is_compared=True,
        difference="In the top bucket a difference above zero is good, in the first one below.",
        is_paired=True,
    ),
)
def positives_by_bucket(rows: Classes, batch: Batch, grid: Vector, *, buckets: int = 10) -> Matrix:
    """Share of positives in buckets of equal weight by rising score, ties in equal parts."""
    sums = np.diff(cumulate_to_shares(bin_edges(buckets), rows.score, rows.y.values, batch), axis=1)
    return divide(sums * buckets, batch.totals[:, None])
