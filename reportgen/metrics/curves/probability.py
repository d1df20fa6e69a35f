"""Reliability diagrams and the log loss of single rows."""

from __future__ import annotations

from functools import partial

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import bin_edges, cumulate_to_shares, divide
from reportgen.kernels.score_cells import make_score_cells
from reportgen.metrics.classification.calibration_tests import draw_consistency_band
from reportgen.metrics.classification.decomposition import (
    CORP,
    DSC,
    MCB,
    UNC,
    corp_decomposition,
    isotonic_shares,
    positives_by_cell,
    weight_by_cell,
)
from reportgen.metrics.classification.probability import CALSTER, GNEITING, log_loss
from reportgen.metrics.curves.curve import Presentation, Trace, curve, thin_line
from reportgen.metrics.rows import Classes

HUNDREDTHS = 101


def _hundredths(rows: Classes, weight: Vector) -> Vector:
    return np.linspace(0.0, 1.0, HUNDREDTHS)


_probability_curve = partial(
    curve,
    task="binary",
    needs="probability",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
)


def _steps(rows: Classes, weight: Vector) -> tuple[Vector, Vector]:
    """Probabilities that weigh something, and the rising fit there."""
    cells = make_score_cells(rows)
    both = weight_by_cell(cells, weight)
    fit, use = isotonic_shares(positives_by_cell(rows, cells, weight), both), both > 0
    return cells.score[use], fit[use]


def _trace_reliability(rows: Classes, weight: Vector) -> Trace:
    if not np.any(weight > 0):
        return Trace(np.empty(0), np.empty(0))
    parts = corp_decomposition(rows, Batch.from_weights(weight), "brier")[0]
    named = {"miscalibration": MCB, "discrimination": DSC, "uncertainty": UNC}
    marks = {name: float(parts[place]) for name, place in named.items()}
    return Trace(*thin_line(*_steps(rows, weight)), marks=marks)


@_probability_curve(
    title="Reliability",
    aliases=("calibration", "calibration_curve"),
    x_label="Probability",
    y_label="Share of positives at that probability, by the rising fit",
    cite=CORP,
    grid=_hundredths,
    trace=_trace_reliability,
    has_band=False,
    by_chance=draw_consistency_band,
    shown=Presentation(
        "Reliability: observed share at each probability",
        "probability",
        "share of positives",
        reading="The share of positives at each probability, as far as it rises with it. Above the "
        "diagonal more happens than was promised, below it less.",
        place=10,
        has_diagonal=True,
        diagonal="",
        has_equal_axes=True,
        is_apart=True,
    ),
)
def reliability(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of positives at each probability, as far as it rises with it: the CORP diagram.

    It needs no bins. The band is where the fit would lie if the probabilities were right.
    """
    values = np.full((batch.size, len(grid)), np.nan)
    for b, weight in enumerate(batch.weights.T):
        x, fit = _steps(rows, weight)
        if len(x):
            values[b] = np.interp(grid, x, fit)
    return values


def _mean_probabilities(rows: Classes, weight: Vector, *, bins: int) -> Vector:
    batch = Batch.from_weights(weight)
    if not np.any(weight > 0):
        return np.empty(0)
    sums = np.diff(
        cumulate_to_shares(bin_edges(bins), rows.score, rows.score.values, batch), axis=1
    )[0]
    return np.asarray(np.maximum.accumulate(sums * bins / batch.totals))


def _rows_in_bin(rows: Classes, weight: Vector, grid: Vector, *, bins: int) -> Vector:
    return np.full(len(grid), kish_effective_rows(weight) / bins)


@_probability_curve(
    title="Reliability in bins",
    x_label="Mean probability of the bin",
    y_label="Share of positives",
    is_monotone=False,
    cite=CALSTER,
    grid=_mean_probabilities,
    thin=_rows_in_bin,
    among=_rows_in_bin,
    is_on_request=True,
    shown=Presentation(
        "Reliability in bins of equal weight",
        "mean probability of the bin",
        "share of positives",
        reading="Rows by rising probability in bins of equal weight. Above the diagonal "
        "more happens than was promised, below it less.",
        place=11,
        has_diagonal=True,
        diagonal="",
        has_equal_axes=True,
        has_markers=True,
        is_apart=True,
    ),
)
def reliability_bins(rows: Classes, batch: Batch, grid: Vector, *, bins: int = 10) -> Matrix:
    """Share of positives in bins of equal weight by rising probability."""
    sums = np.diff(cumulate_to_shares(bin_edges(bins), rows.score, rows.y.values, batch), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums * bins / batch.totals[:, None])


MOST_MARKED = 10  # rows, and at most a tenth of them
COSTLIEST_SHARE = 0.01  # share of the weight whose part of the loss is told


def _probability_of_outcome(rows: Classes) -> Vector:
    """Return the probability that each row's own class was given, (n,)."""
    p = rows.score.values
    return np.where(rows.y.values > 0, p, 1 - p)


def _negate_losses(rows: Classes) -> Column:
    """Minus the log loss of each row, so that the costliest come first."""
    return rows.once(
        "log losses from the costliest", lambda: Column(-log_loss(rows.y.values, rows.score.values))
    )


def _loss_at(given: Vector) -> Vector:
    return log_loss(np.ones(len(given)), given)


def _choose_probability_grid(rows: Classes, weight: Vector) -> Vector:
    """Positions between the lowest and the highest probability given to the true class."""
    given = _probability_of_outcome(rows)[weight > 0]
    if not len(given):
        return np.empty(0)
    low, high = float(given.min()), float(given.max())
    even = np.linspace(low, high, HUNDREDTHS)
    close = low + (high - low) * np.geomspace(1e-4, 0.1, HUNDREDTHS // 2)
    return np.unique(np.concatenate([even, np.clip(close, low, high)]))


def _trace_row_losses(rows: Classes, weight: Vector) -> Trace:
    """Return the loss along the probabilities given, and the share of it that the top 1% has."""
    at = _choose_probability_grid(rows, weight)
    if not len(at):
        return Trace(at, at)
    if np.count_nonzero(weight) < 1 / COSTLIEST_SHARE:
        return Trace(at, _loss_at(at))
    top = log_loss_shares(rows, Batch.from_weights(weight), np.array([COSTLIEST_SHARE]))[0, 0]
    return Trace(at, _loss_at(at), marks={"top": float(top)})


def _costliest(rows: Classes, weight: Vector) -> Trace:
    """Find the rows whose loss, times their weight, is largest, by rising probability."""
    cost = -_negate_losses(rows).values * weight
    most = min(MOST_MARKED, -(-np.count_nonzero(weight) // 10))
    order = np.argsort(-cost, kind="stable")[:most]
    given = _probability_of_outcome(rows)[order[cost[order] > 0]]
    given = np.sort(given)
    return Trace(given, _loss_at(given))


def _shares_trace(rows: Classes, weight: Vector) -> Trace:
    at = _hundredths(rows, weight)
    return Trace(*thin_line(at, log_loss_shares(rows, Batch.from_weights(weight), at)[0]))


_row_loss_curve = partial(
    _probability_curve,
    x_label="Probability given to the true class",
    y_label="Log loss of the row",
    y_unit="1",
    bounds=(0.0, np.inf),
    cite=GNEITING,
    has_band=False,
)


@_row_loss_curve(
    title="Log loss of a row",
    grid=_choose_probability_grid,
    trace=_trace_row_losses,
    brings=("costliest_rows",),
    shown=Presentation(
        "Log loss of a row by the probability given to the true class",
        "probability given to the true class",
        "log loss of the row",
        reading="A row costs minus the natural logarithm of the probability that its own class "
        "was given: nothing at 100%, 0.69 at 50%, and without limit towards 0%. The line reaches "
        "as far as the model's probabilities do; marks are the rows that cost most: a "
        "tenth of them, at most ten.",
        place=17,
        noted={"top": "share of the log loss that falls on the costliest 1% of rows"},
        is_apart=True,
        is_detail=True,
    ),
)
def row_log_loss(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Log loss of a row by the probability given to its true class.

    The line is the same for every model; how far it reaches, which rows are marked, and the share
    of the loss that the costliest rows make up, are the model's own.
    """
    return np.tile(_loss_at(grid), (batch.size, 1))


@_row_loss_curve(
    title="Rows with the largest log loss",
    grid=lambda rows, weight: _costliest(rows, weight).x,
    trace=_costliest,
    shown=Presentation(
        "the rows that cost most",
        "probability given to the true class",
        "log loss of the row",
        place=18,
        onto="row_log_loss",
        is_points=True,
        is_apart=True,
        is_detail=True,
    ),
)
def costliest_rows(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Log loss of the rows that add most to it, a tenth of them and at most ten.

    They stand at the probability that each gave to the true class.
    """
    return np.tile(_loss_at(grid), (batch.size, 1))


@_probability_curve(
    title="Log loss by row",
    x_label="Share of the rows, from the largest log loss down",
    y_label="Share of the log loss",
    cite=GNEITING,
    grid=_hundredths,
    trace=_shares_trace,
    is_on_request=True,
    shown=Presentation(
        "Share of the log loss in the rows that cost most",
        "share of rows, from the largest log loss down",
        "share of the log loss",
        reading="How much of the log loss the rows that cost most make up. On the diagonal all "
        "rows cost the same; a steep start says that few rows decide.",
        place=19,
        has_diagonal=True,
        diagonal="all rows cost the same",
        has_equal_axes=True,
    ),
)
def log_loss_shares(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the log loss that falls on the rows with the largest losses, by their share."""
    cost = _negate_losses(rows)
    sums = -cumulate_to_shares(grid, cost, cost.values, batch)
    total = -(batch.weights.T @ cost.values)[:, None]
    return np.clip(divide(sums, total), 0.0, 1.0)
