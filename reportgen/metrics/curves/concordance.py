"""Concordance along the ranking, and AUC by cut-off."""

from __future__ import annotations

from functools import partial

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.cumulative import (
    average_by_part,
    bin_edges,
    bin_middles,
    compute_midranks,
    cumulate_values,
    divide,
)
from reportgen.kernels.curve_heights import (
    CurveHeights,
    compute_concordance_heights,
    compute_cutoff_heights,
    compute_sign_sums,
)
from reportgen.kernels.row_pairs import compute_best_concordance, compute_row_pairs
from reportgen.kernels.score_cells import compute_grid_sums
from reportgen.metrics.curves.curve import BY_RANK, Trace, curve, ranking_figure
from reportgen.metrics.lookup import check_range
from reportgen.metrics.rows import Amounts


def compute_cell_concordance(rows: Amounts, batch: Batch, grid: Vector, *, bins: int) -> Matrix:
    """Mean share of the weight that rows agree with, in equal parts of the weight by score."""
    shares, totals = bin_edges(bins), batch.totals
    sums = compute_grid_sums(rows, batch, shares)
    heights = sums.cumulate_to(shares, (sums.weight * totals[:, None] + sums.signs) / 2)
    return average_by_part(CurveHeights(heights, totals**2, heights[:, -1]))


def compute_cell_rank_lift(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the midranks of y that the top shares of the weight by score hold."""
    rest = 1.0 - grid[::-1]
    sums = compute_grid_sums(rows, batch, rest)
    held = sums.cumulate_to(rest, sums.ranks)
    return (1.0 - divide(held, sums.ranks.sum(axis=1)[:, None]))[:, ::-1]


DIGITS = 4  # of places that are only drawn
MOST_ROWS = 100  # so many rows are drawn one by one; of more, the means that the band is of


def compute_concordances(rows: Amounts, batch: Batch) -> Matrix:
    """Weight of the other rows that each row agrees with, ties half; shape (n, b)."""
    weights = batch.weights
    others = weights.sum(axis=0) - weights
    if batch.size == 1:  # kept for all that asks of the same weights
        pairs = compute_row_pairs(rows, weights[:, 0])
        signs: Matrix = (pairs.concordant - pairs.discordant)[:, None]
    else:
        signs = compute_sign_sums(rows.y, rows.score, weights)
    agreed: Matrix = (others + signs) / 2
    return agreed


def compute_best_concordances(rows: Amounts, batch: Batch) -> Matrix:
    """Compute the maximum weight that each row could agree with at any score; shape (n, b)."""
    columns = [compute_best_concordance(rows.y, rows.score, weight) for weight in batch.weights.T]
    return np.stack(columns, axis=1)


def bin_grid(rows: Amounts, weight: Vector, *, bins: int) -> Vector:
    """Return the middles of equal parts of the axis."""
    return bin_middles(bins)


def check_bins(*, bins: int) -> str | None:
    """Describe an invalid number of parts of the axis, or return None."""
    return check_range("bins", bins, 1, 200)


def _average_by_rank(rows: Amounts, batch: Batch, agreed: Matrix, bins: int) -> Matrix:
    """Mean of c_i/(W − w_i) in equal parts of the axis, on which row i is w_i(W − w_i) wide."""
    others = batch.weights.sum(axis=0) - batch.weights
    length, height = (cumulate_values(batch, rows.score, amounts) for amounts in (others, agreed))
    shares, columns = bin_edges(bins), zip(length.T, height.T, strict=True)
    heights = np.stack([np.interp(shares * x[-1], x, y) for x, y in columns])
    return average_by_part(CurveHeights(heights, length[-1], height[-1]))


def _row_trace(best: bool, rows: Amounts, weight: Vector, *, bins: int) -> Trace:
    """Return a point per row, tied scores in the middle of their group; of many rows, means."""
    batch = Batch.from_weights(weight)
    agreed = (compute_best_concordances if best else compute_concordances)(rows, batch)
    others = weight.sum() - weight
    height, width = divide(agreed[:, 0], others), Batch.from_weights(weight * others)
    marks = {
        "area": float(divide(weight @ agreed, width.totals)[0]),
        "below half": float(divide(weight @ (height < 0.5), weight.sum()[None])[0]),
        "random": 0.5,
    }
    if len(rows) > MOST_ROWS:
        return Trace(bin_middles(bins), _average_by_rank(rows, batch, agreed, bins)[0], marks=marks)
    order = rows.score.order[width.weights[rows.score.order, 0] > 0]
    x = divide(compute_midranks(width, rows.score)[:, 0], width.totals)
    return Trace(x[order], height[order], marks=marks)


_concordance_curve = partial(
    curve,
    task="regression",
    needs="order",
    x_label="Share of the rows, from the lowest scores to the highest",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=False,
    cite="doi:10.1007/s10115-006-0037-3",
    grid=bin_grid,
    check=check_bins,
    exempt_from={
        "weight 2 = row twice": "a row is no pair with itself, but two copies of it are a tie"
    },
)


@_concordance_curve(
    title="Concordance by rank",
    by_grid=compute_cell_concordance,
    y_label="Share of the other rows that a row agrees with",
    trace=partial(_row_trace, False),
    shown=ranking_figure(
        place=50,
        is_detail=True,
        title="Concordance of each row",
        x_label=BY_RANK,
        y_label="share of the other rows in the right order",
        reading="How many of the other rows each row is in the right order with. Below one half, a "
        "row misleads more than it tells: points mark such rows, all of them up to 100, of "
        "more the lowest in each fiftieth of the axis. The band is that of the mean over a "
        "stretch.",
        marks={"random": "random order"},
        noted={"area": "area", "below half": "rows below one half"},
    ),
)
def concordance(rows: Amounts, batch: Batch, grid: Vector, *, bins: int = 25) -> Matrix:
    """How much of the rest each row is in the right order with, along the model's ranking.

    The band is that of the mean in `bins` equal parts of the axis; up to 100 rows are drawn one by
    one, more as those means.
    Area: τ̃, the share of concordant pairs, ties half. 0.5 is a random order.
    """
    return average_by_part(compute_concordance_heights(rows, batch, bin_edges(bins)))


@_concordance_curve(
    title="Best concordance by rank",
    has_band=False,
    y_label="Share of the other rows that a row could agree with",
    trace=partial(_row_trace, True),
    shown=ranking_figure(
        "best", BY_RANK, "share that a row could agree with", place=60, onto="concordance"
    ),
)
def concordance_envelope(rows: Amounts, batch: Batch, grid: Vector, *, bins: int = 25) -> Matrix:
    """The best share that each row could reach if its score stood anywhere, all others fixed.

    The distance to the curve of concordance is what moving that one row could gain.
    """  # noqa: D401
    return _average_by_rank(rows, batch, compute_best_concordances(rows, batch), bins)


def _lowest_trace(rows: Amounts, weight: Vector, *, bins: int) -> Trace:
    """Return the rows below one half: all if they are few, else the lowest per part of the axis."""
    place, height = _places(rows, Batch.from_weights(weight))
    x, y = place[:, 0], height[:, 0]
    below = np.flatnonzero(y < 0.5)
    if len(below) > MOST_ROWS:
        worst = below[np.lexsort((y[below], _parts(x[below], bins)))]
        below = worst[np.unique(_parts(x[worst], bins), return_index=True)[1]]
    below = below[np.argsort(x[below], kind="stable")]
    return Trace(np.round(x[below], DIGITS), np.round(y[below], DIGITS))


def _places(rows: Amounts, batch: Batch) -> tuple[Matrix, Matrix]:
    """Compute each row's position and the share it agrees with, (n, b); nan without weight.

    Tied scores stand in the middle of their group.
    """
    others = batch.weights.sum(axis=0) - batch.weights
    height = divide(compute_concordances(rows, batch), others)
    columns = [Batch.from_weights(width) for width in (batch.weights * others).T]
    place = [
        divide(compute_midranks(column, rows.score)[:, 0], column.totals) for column in columns
    ]
    is_there = batch.weights > 0
    x = np.stack(place, axis=1) if columns else np.empty(batch.weights.shape)
    return np.where(is_there, x, np.nan), np.where(is_there, height, np.nan)


def _parts(place: Vector, bins: int) -> Index:
    """In which of equal parts of the axis a place lies."""
    return np.minimum((place * bins * (1 + 1e-12)).astype(np.intp), bins - 1)


@_concordance_curve(
    title="Lowest concordance by rank",
    has_band=False,
    y_label="Share of the other rows that the lowest row agrees with",
    trace=_lowest_trace,
    shown=ranking_figure(
        place=70,
        title="row below one half",
        x_label=BY_RANK,
        y_label="share that a row agrees with",
        onto="concordance",
        is_points=True,
    ),
)
def concordance_lowest(rows: Amounts, batch: Batch, grid: Vector, *, bins: int = 50) -> Matrix:
    """How much of the rest the row that is most out of place agrees with, along the ranking.

    Drawn are the rows below one half alone, those that mislead more than they tell: all of them up
    to 100, of more the lowest in each of `bins` equal parts of the axis.
    """
    place, height = _places(rows, batch)
    lowest = np.full((batch.size, bins), np.inf)
    for column, (x, y) in enumerate(zip(place.T, height.T, strict=True)):
        known = np.isfinite(x) & np.isfinite(y)
        np.minimum.at(lowest[column], _parts(x[known], bins), y[known])
    return np.where(np.isfinite(lowest), lowest, np.nan)


def _cutoff_trace(rows: Amounts, weight: Vector, *, bins: int) -> Trace:
    y = auc_by_cutoff(rows, Batch.from_weights(weight), bin_middles(bins), bins=bins)[0]
    return Trace(bin_middles(bins), y, marks={"area": float(y.mean()), "random": 0.5})


@_concordance_curve(
    title="AUC by cut-off of y",
    x_label="Cut-offs of y from low to high, by the weight that each has in the rank correlation",
    y_label="AUC of telling y above from y below the cut-off",
    exempt_from={},
    trace=_cutoff_trace,
    shown=ranking_figure(
        place=80,
        is_detail=True,
        title="AUC over every cut-off of {target}",
        x_label="cut-offs of {target} from low to high",
        y_label="AUC of telling above from below",
        reading="Each cut-off of {target} asks how well the score tells the rows above it from "
        "those below; one half is a random order. On the axis, each cut-off is as wide as its "
        "weight in the rank correlation.",
        noted={"area": "area"},
        is_compared=True,
        difference="Above zero the candidate tells better what lies above a cut-off. Below it, "
        "the share of the resamples in which the candidate is ahead; lines at 5, 50, 95%.",
    ),
    lead=ranking_figure(
        place=90,
        title="Who is ahead over every cut-off of {target}",
        x_label="cut-offs of {target} from low to high",
        y_label="share of resamples ahead",
        reading="Share of the resamples in which the candidate has the higher AUC, ties one half.",
        is_compared=True,
        under="auc_by_cutoff",
    ),
)
def auc_by_cutoff(rows: Amounts, batch: Batch, grid: Vector, *, bins: int = 100) -> Matrix:
    """How well the score tells rows above a cut-off of y from those below, for every cut-off.

    A cut-off takes g·A·B of the axis (A, B the weights on both sides, g the mean weight of the
    two neighbouring groups of y), so the area is ρ̃ without ties. Drawn as means in `bins` equal
    parts of the axis.
    """
    return average_by_part(compute_cutoff_heights(rows, batch, bin_edges(bins)))
