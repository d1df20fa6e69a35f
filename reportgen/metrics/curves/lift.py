"""Gains and lift of two classes; lift, gain, concentration and Lorenz curves of amounts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import (
    CumulativeReads,
    bin_edges,
    compute_midranks,
    cumulate_to_shares,
    cumulate_values,
    cumulate_weight,
    divide,
)
from reportgen.kernels.curve_heights import cumulate_ranks
from reportgen.metrics.curves.concordance import compute_cell_rank_lift
from reportgen.metrics.curves.curve import (
    BY_RANK,
    FROM_TOP,
    Presentation,
    Trace,
    count_positives,
    count_thinner_rows,
    curve,
    ranking_figure,
)
from reportgen.metrics.lookup import check_range
from reportgen.metrics.rows import Amounts, Classes

Order = Literal["score", "best", "worst"]
PLACES = 101  # where curves over a share of the rows have their bands
Holdings = Callable[[Amounts, Batch], Vector | Matrix]


def compute_inverse_ranks(rows: Amounts, batch: Batch) -> Matrix:
    """Inverse rank of the truth: the weight of the rows with lower y, and half of those tied."""
    return compute_midranks(batch, rows.y)


def get_amounts(rows: Amounts, batch: Batch) -> Vector:
    """Return the amounts themselves."""
    return rows.y.values


def get_sizes(rows: Amounts, batch: Batch) -> Vector:
    """Return the same; nan where one is below zero, as shares of a total are of sizes."""
    is_of_sizes = rows.y.values.min(initial=0.0) >= 0
    return rows.y.values if is_of_sizes else np.full(len(rows), np.nan)


def compute_top_share(
    amounts: Holdings, order: Order, rows: Amounts, batch: Batch, shares: Vector
) -> Matrix:
    """Share of all amounts that the top shares of the rows hold, shape (b, s).

    Shares rise or fall. nan where the amounts do not sum to more than zero.
    """
    if order == "worst":
        return 1.0 - compute_top_share(amounts, "best", rows, batch, 1.0 - shares)
    column = rows.y if order == "best" else rows.score
    rest = 1.0 - shares
    if len(rest) > 1 and rest[0] > rest[-1]:
        return compute_top_share(amounts, order, rows, batch, shares[::-1])[:, ::-1]
    if amounts is compute_inverse_ranks:
        walk = cumulate_ranks(column, rows.y, batch, rest)
        return 1.0 - divide(walk.height, walk.end[:, None])
    sums = cumulate_to_shares(np.append(rest, 1.0), column, amounts(rows, batch), batch)
    return 1.0 - divide(sums[:, :-1], sums[:, -1:])


def _reads_at_shares(
    of: Callable[[Vector], Vector], rows: Amounts, grid: Vector
) -> CumulativeReads:
    """Plan the reads of y along the score at the shares `of` the grid."""
    return CumulativeReads(rows.score, rows.y.values, np.append(np.sort(1.0 - of(grid)), 1.0))


def _points(
    amounts: Holdings, order: Order, rows: Amounts, weight: Vector
) -> tuple[Vector, Vector]:
    """Return the exact corners of the curve, from (0, 0) to (1, 1); nan where it is undefined."""
    batch = Batch.from_weights(weight)
    column: Column = rows.score if order == "score" else rows.y
    x, sums = (
        cumulate_weight(batch, column)[:, 0],
        cumulate_values(batch, column, amounts(rows, batch)),
    )
    x, y = divide(x, x[-1:]), divide(sums[:, 0], sums[-1])
    return (x, y) if order == "worst" else (1.0 - x[::-1], 1.0 - y[::-1])


def _area(points: tuple[Vector, Vector]) -> float:
    return float(np.trapezoid(points[1], points[0]))


def _gain_trace(amounts: Holdings, order: Order, rows: Amounts, weight: Vector) -> Trace:
    points = _points(amounts, order, rows, weight)
    area, best = _area(points), _area(_points(amounts, "best", rows, weight))
    share = (area - 0.5) / (best - 0.5) if best > 0.5 else np.nan
    marks = {"area": area, "best area": best, "share of best": share}
    if amounts is compute_inverse_ranks:
        marks["rank area"] = _rank_area(order, rows, weight)
    return Trace(*_thin_corners(points), marks=marks)


def _thin_corners(points: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """Return the corners where they are few, else the curve at the positions of its band."""
    if len(points[0]) <= PLACES:
        return points
    grid = np.linspace(0.0, 1.0, PLACES)
    return grid, np.interp(grid, *points)


def _rank_area(order: Order, rows: Amounts, weight: Vector) -> float:
    """Sum over all rows of the cumulative inverse rank, counted in ranks from 1, in unit steps.

    Σi² − R without ties or weights, R = Σi² − Σ i·s_i. Weights are counted in their mean.
    """
    counted = weight > 0
    if not counted.any():
        return np.nan
    n = counted.sum()
    x, y = _points(compute_inverse_ranks, order, rows, weight)
    # Ranks from 1 are midranks and one half: n²/2 in all, and n/2.
    lift = n**2 / 2 * y + n / 2 * x
    return float(n * np.trapezoid(lift, x) + lift[-1] / 2)


def share_grid(rows: Amounts | Classes, weight: Vector) -> Vector:
    """Hundredths of the weight, from none to all."""
    return np.linspace(0.0, 1.0, PLACES)


NO_SHARE = "where the target has values below zero, or none above zero"
PIATETSKY = "Piatetsky-Shapiro & Masand (1999), Estimating campaign benefits and modeling lift, KDD"
_gain_curve = partial(
    curve,
    task="regression",
    needs="order",
    x_label="Share of the rows, from the highest scores down",
    y_label="Share of the total of y",
    x_unit="share",
    y_unit="share",
    bounds=(-np.inf, np.inf),
    is_monotone=False,
    cite=PIATETSKY,
    grid=share_grid,
)
_rank_lift_curve = partial(
    _gain_curve,
    y_label="Share of the cumulative inverse rank of y",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite="doi:10.1007/s10115-006-0037-3",
)
_lorenz_curve = partial(
    _gain_curve,
    undefined=NO_SHARE,
    x_label="Share of the rows, from the lowest scores up",
    cite="Lorenz (1905), Methods of measuring the concentration of wealth, Publications of the "
    "American Statistical Association 9, 209–219",
)


@_rank_lift_curve(
    title="Rank lift",
    by_grid=compute_cell_rank_lift,
    trace=partial(_gain_trace, compute_inverse_ranks, "score"),
    shown=ranking_figure(
        place=100,
        is_detail=True,
        title="Lift of cumulative inverse rank",
        x_label=FROM_TOP,
        y_label="share of the inverse ranks of {target}",
        reading="How much of the highest ranks the top of each model's order holds, between the "
        "worst and the best order there could be.",
        noted={"share of best": "share of the best"},
        has_diagonal=True,
        has_equal_axes=True,
    ),
)
def rank_lift(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the inverse ranks of y (the highest y has the most) among the rows scored highest.

    A random order runs along the diagonal. The share of best is that of the area over it.
    """
    return compute_top_share(compute_inverse_ranks, "score", rows, batch, grid)


@_rank_lift_curve(
    title="Best rank lift",
    is_of_target=True,
    has_band=False,
    trace=partial(_gain_trace, compute_inverse_ranks, "best"),
    shown=ranking_figure(
        "best", FROM_TOP, "share of the inverse ranks", place=110, onto="rank_lift"
    ),
)
def rank_lift_best(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """The rank lift of a score in the order of y: 1 − (1 − x)² without ties."""  # noqa: D401
    return compute_top_share(compute_inverse_ranks, "best", rows, batch, grid)


@_rank_lift_curve(
    title="Worst rank lift",
    is_of_target=True,
    has_band=False,
    trace=partial(_gain_trace, compute_inverse_ranks, "worst"),
    shown=ranking_figure(
        "worst", FROM_TOP, "share of the inverse ranks", place=120, onto="rank_lift"
    ),
)
def rank_lift_worst(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """The rank lift of a score in the reverse order of y: x² without ties."""  # noqa: D401
    return compute_top_share(compute_inverse_ranks, "worst", rows, batch, grid)


@_gain_curve(
    title="Gain",
    reads=partial(_reads_at_shares, np.positive),
    trace=partial(_gain_trace, get_sizes, "score"),
    undefined=NO_SHARE,
    shown=ranking_figure(
        place=5,
        title="How much of all {target} the rows with the highest scores hold",
        x_label=FROM_TOP,
        y_label="share of all {target}",
        reading="The line “best” is a perfect ranking.",
        noted={"share of best": "share of the best"},
        has_diagonal=True,
        diagonal="random order",
        x_high=0.5,
        is_paired=True,
    ),
)
def gain(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the total of y that the rows scored highest hold; undefined for a y below zero.

    A random order runs along the diagonal. The share of best is that of the area over it.
    """
    return compute_top_share(get_sizes, "score", rows, batch, grid)


@_gain_curve(
    title="Best gain",
    is_of_target=True,
    has_band=False,
    trace=partial(_gain_trace, get_sizes, "best"),
    undefined=NO_SHARE,
    shown=ranking_figure("best", FROM_TOP, "share of all {target}", place=140, onto="gain"),
)
def gain_best(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """The gain of a score in the order of y: no score holds more."""  # noqa: D401
    return compute_top_share(get_sizes, "best", rows, batch, grid)


def _top_shares(rows: Amounts, weight: Vector) -> Vector:
    return np.linspace(0.01, 1.0, 100)


@_gain_curve(
    title="Lift",
    reads=partial(_reads_at_shares, np.positive),
    y_label="Mean of y in the top, over the mean of y",
    y_unit="1",
    grid=_top_shares,
    shown=ranking_figure(
        place=150,
        is_detail=True,
        title="Lift",
        x_label=FROM_TOP,
        y_label="mean {target} in the top, over its mean",
        reading="How many times the overall mean the top of each model's order has; 1 is a random "
        "order.",
    ),
)
def lift(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """How many times the overall mean of y the rows scored highest have; 1 is a random order."""
    return compute_top_share(get_amounts, "score", rows, batch, grid) / grid


def _lorenz_trace(order: Order, rows: Amounts, weight: Vector) -> Trace:
    x, y = _points(get_sizes, order, rows, weight)
    own = 2 * _area(_points(get_sizes, "best", rows, weight)) - 1
    ranked = 2 * _area((x, y)) - 1
    marks = {"gini": ranked, "gini of y": own, "share of best": ranked / own if own else np.nan}
    return Trace(*_thin_corners((1.0 - x[::-1], 1.0 - y[::-1])), marks=marks)


@_lorenz_curve(
    title="Concentration of y",
    reads=partial(_reads_at_shares, partial(np.subtract, 1.0)),
    trace=partial(_lorenz_trace, "score"),
    shown=ranking_figure(
        place=160,
        is_detail=True,
        title="Concentration of {target}",
        x_label=BY_RANK,
        y_label="share of all {target}",
        reading="The further below the diagonal, the more of {target} lies with the highest "
        "scores; no order can pass the Lorenz curve of {target} itself.",
        noted={"gini": "Gini"},
        has_diagonal=True,
        has_equal_axes=True,
    ),
)
def concentration(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the total of y that the rows scored lowest hold; undefined for a y below zero.

    Its Gini index is twice the area between diagonal and curve: at most that of y itself.
    """
    return 1.0 - compute_top_share(get_sizes, "score", rows, batch, 1.0 - grid)


@_lorenz_curve(
    title="Lorenz curve of y",
    x_label="Share of the rows, from the lowest y up",
    is_of_target=True,
    trace=partial(_lorenz_trace, "best"),
    shown=ranking_figure(
        "Lorenz curve of {target}",
        BY_RANK,
        "share of all {target}",
        place=170,
        onto="concentration",
    ),
)
def lorenz(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the total of y that the rows with the lowest y hold: how unequal y is."""
    return 1.0 - compute_top_share(get_sizes, "best", rows, batch, 1.0 - grid)


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
    """Return how many times the share of the positives that are flagged a lift is."""
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


_flagged_share_curve = partial(
    curve,
    task="binary",
    needs="order",
    x_label="Share of the rows flagged, from the highest scores down",
    y_label="Share of the positives found",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=PIATETSKY,
    grid=share_grid,
)


@_flagged_share_curve(
    title="Cumulative gains",
    aliases=("gain", "gains"),
    trace=_trace,
    thin=count_thinner_rows,
    among=count_positives,
    rarest=count_rarest_cell,
    brings=("best_cumulative_gains",),
    shown=Presentation(
        "Cumulative gains: how many positives the first rows hold",
        FROM_TOP,
        "share of the positives found",
        reading="The higher, the more positives are found among as many flagged rows. A random "
        "order runs along the diagonal; the line “best” is a perfect ranking.",
        place=3,
        has_diagonal=True,
        diagonal="a random order",
        noted={"area": "area under the curve"},
        is_compared=True,
        difference="Above zero the candidate finds more among as many flagged rows.",
        is_paired=True,
        is_detail=True,
    ),
)
def cumulative_gains(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positives among the rows with the highest scores, at each share of the rows."""
    return compute_captured_share(rows.score, rows, batch, grid)


@_flagged_share_curve(
    title="Best cumulative gains",
    is_of_target=True,
    has_band=False,
    shown=Presentation(
        "best", FROM_TOP, "share of the positives found", place=4, onto="cumulative_gains"
    ),
)
def best_cumulative_gains(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """The same of an order with all positives first: no score finds more."""  # noqa: D401
    return compute_captured_share(rows.y, rows, batch, grid)


@_flagged_share_curve(
    title="Cumulative lift",
    aliases=("lift",),
    y_label="Share of positives among the rows flagged, over that of all rows",
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
        reading="How many times as often a flagged row is positive as a row drawn at random; 1 is "
        "a random order.",
        place=5,
        is_compared=True,
        difference="Above zero more of the candidate's first rows are positive.",
        is_paired=True,
    ),
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
