"""Where the log loss comes from: what single rows cost, and the share of the costliest rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve, thinned
from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.cumulative import at_shares, ratio
from reportgen.metrics.probability import GNEITING, log_loss
from reportgen.rows import Classes

MOST_MARKED = 10  # rows, and at most a tenth of them
STEPS = 101
TOP = 0.01  # share of the weight whose part of the loss is told


def _given(rows: Classes) -> Vector:
    """The probability that each row's own class was given, (n,)."""
    p = rows.score.values
    return np.where(rows.y.values > 0, p, 1 - p)


def _costs(rows: Classes) -> Column:
    """Minus the log loss of each row, so that the costliest come first."""
    return rows.once(
        "log losses from the costliest", lambda: Column(-log_loss(rows.y.values, rows.score.values))
    )


def _loss_at(given: Vector) -> Vector:
    return log_loss(np.ones(len(given)), given)


def _reached(rows: Classes, weight: Vector) -> Vector:
    """Positions between the lowest and the highest probability given to what happened."""
    given = _given(rows)[weight > 0]
    if not len(given):
        return np.empty(0)
    low, high = float(given.min()), float(given.max())
    even = np.linspace(low, high, STEPS)
    close = low + (high - low) * np.geomspace(1e-4, 0.1, STEPS // 2)
    return np.unique(np.concatenate([even, np.clip(close, low, high)]))


def _trace(rows: Classes, weight: Vector) -> Trace:
    """The loss along the probabilities that were given, and what share of it the top 1% is."""
    at = _reached(rows, weight)
    if not len(at):
        return Trace(at, at)
    if np.count_nonzero(weight) < 1 / TOP:
        return Trace(at, _loss_at(at))
    top = log_loss_shares(rows, Batch.of(weight), np.array([TOP]))[0, 0]
    return Trace(at, _loss_at(at), marks={"top": float(top)})


def _costliest(rows: Classes, weight: Vector) -> Trace:
    """The rows whose loss, times their weight, is largest, by rising probability."""
    cost = -_costs(rows).values * weight
    most = min(MOST_MARKED, -(-np.count_nonzero(weight) // 10))
    order = np.argsort(-cost, kind="stable")[:most]
    given = _given(rows)[order[cost[order] > 0]]
    given = np.sort(given)
    return Trace(given, _loss_at(given))


def _places(rows: Classes, weight: Vector) -> Vector:
    return np.linspace(0.0, 1.0, STEPS)


def _shares_trace(rows: Classes, weight: Vector) -> Trace:
    at = _places(rows, weight)
    return Trace(*thinned(at, log_loss_shares(rows, Batch.of(weight), at)[0]))


_OF_ROWS: dict[str, Any] = {
    "task": "binary",
    "needs": "probability",
    "x_label": "Probability given to what happened",
    "x_unit": "share",
    "y_unit": "1",
    "bounds": (0.0, np.inf),
    "is_monotone": True,
    "cite": GNEITING,
    "has_band": False,
}


@curve(
    title="Log loss of a row",
    y_label="Log loss of the row",
    grid=_reached,
    trace=_trace,
    brings=("costliest_rows",),
    shown=Presentation(
        "Log loss of a row by the probability given to what happened",
        "probability given to what happened",
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
    **_OF_ROWS,
)
def row_log_loss(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Log loss of a row by the probability given to what happened to it.

    The line is the same for every model; how far it reaches, which rows are marked, and the share
    of the loss that the costliest rows make up, are the model's own.
    """
    return np.tile(_loss_at(grid), (batch.size, 1))


@curve(
    title="Rows with the largest log loss",
    y_label="Log loss of the row",
    grid=lambda rows, weight: _costliest(rows, weight).x,
    trace=_costliest,
    shown=Presentation(
        "the rows that cost most",
        "probability given to what happened",
        "log loss of the row",
        place=18,
        onto="row_log_loss",
        is_points=True,
        is_apart=True,
        is_detail=True,
    ),
    **_OF_ROWS,
)
def costliest_rows(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Log loss of the rows that add most to it, a tenth of them and at most ten.

    They stand at the probability that each gave to what happened.
    """
    return np.tile(_loss_at(grid), (batch.size, 1))


@curve(
    title="Log loss by row",
    task="binary",
    needs="probability",
    x_label="Share of the rows, from the largest log loss down",
    y_label="Share of the log loss",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=GNEITING,
    grid=_places,
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
    cost = _costs(rows)
    sums = -at_shares(grid, cost, cost.values, batch)
    total = -(batch.weights.T @ cost.values)[:, None]
    return np.clip(ratio(sums, total), 0.0, 1.0)
