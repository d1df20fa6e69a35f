"""Sums along a sorted column, for all weightings of a batch at once.

Rows with equal values are one group, and sums are known only where a group ends, so no curve can
depend on the order of tied rows. Between two ends a sum runs straight: its expected value over
all orders of the tied rows.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.together import known_sums
from reportgen.kernels.walks import Walk, sums_at
from reportgen.kernels.weighted_quantile import SLACK

# Prefix sums are kept with their batch up to this many numbers, so that many rows fit in memory.
KEPT = 4_000_000
CHUNK = 1024  # rows whose weights stay in the cache while they are summed


def weight_up_to(batch: Batch, column: Column) -> Matrix:
    """Weight of the rows in the first g groups of the column, shape (groups + 1, b)."""
    if batch.count.size > KEPT:
        return _up_to(batch, column, None)
    return batch.once(column, "weight up to", lambda: _up_to(batch, column, None))


def sum_up_to(batch: Batch, column: Column, values: Vector | Matrix) -> Matrix:
    """Weighted sum of `values` over the first g groups of the column, shape (groups + 1, b).

    Values have shape (n,), or (n, b) where they differ between weightings.
    """
    return _up_to(batch, column, values if values.ndim == 2 else values[:, None])


def midrank(batch: Batch, column: Column) -> Matrix:
    """Weight of the rows below each row, and half of those tied with it, shape (n, b)."""
    up = weight_up_to(batch, column)
    return ((up[1:] + up[:-1]) / 2)[column.group]


def means_along(walk: Walk) -> Matrix:
    """Mean height gained in each of equal shares of a walk, from its start to its end, (b, parts).

    The mean of the result is the last height over the length. nan where there is no length.
    """
    parts = walk.height.shape[1] - 1
    return ratio(np.diff(walk.height, axis=1), walk.length[:, None] / parts)


def edges_of(bins: int) -> Vector:
    """The ends of `bins` equal parts of [0, 1]."""
    return np.linspace(0.0, 1.0, bins + 1)


def bin_middles(bins: int) -> Vector:
    """The middles of `bins` equal parts of [0, 1]."""
    return (np.arange(bins) + 0.5) / bins


def at_shares(shares: Vector, column: Column, values: Vector, batch: Batch) -> Matrix:
    """Weighted sum of `values` over the first shares of the weight by the column, shape (b, s).

    Shares rise.
    """
    known = known_sums(batch, column, values, shares)
    if known is not None:
        return known
    return sums_at(column, values, batch, shares[None, :] * batch.totals[:, None])


def ratio(top: Matrix, bottom: Matrix) -> Matrix:
    """Top over bottom, nan where the bottom is not above zero."""
    top, bottom = np.broadcast_arrays(top, bottom)
    quotient = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=quotient, where=bottom > 0)
    return quotient


def lane_quantiles(ascending: Vector, weights: Matrix, q: float) -> Vector:
    """The q-quantile of ascending values under each weighting, shape (b,); 0 < q < 1.

    The middle of the interval of all q-quantiles, so the usual median; nan where nothing weighs.
    """
    totals = weights.sum(axis=0)
    shares = ratio(np.cumsum(weights, axis=0), totals[None, :])
    if not len(ascending):
        return np.full(len(totals), np.nan)
    low = ascending[np.argmax(shares >= q - SLACK, axis=0)]
    high = ascending[np.argmax(shares > q + SLACK, axis=0)]
    return np.where(totals > 0, low + (high - low) / 2, np.nan)


def _up_to(batch: Batch, column: Column, values: Matrix | None) -> Matrix:
    """Prefix sums where groups end, a chunk of rows at a time, each on top of the one before."""
    sums = np.zeros((column.groups + 1, batch.size))
    if batch.size == 1:  # one line of numbers, which needs no chunks to stay in the cache
        terms = batch.weights[:, 0] if values is None else batch.weights[:, 0] * values[:, 0]
        sums[1:, 0] = np.cumsum(terms[column.order])[column.is_last]
        return sums
    filled, carried = 1, np.zeros(batch.size)
    for start in range(0, len(column), CHUNK):
        rows = column.order[start : start + CHUNK]
        running = batch.weights[rows]
        if values is not None:
            running *= values[rows]
        running[0] += carried
        np.cumsum(running, axis=0, out=running)
        carried = running[-1]
        ends = running[column.is_last[start : start + CHUNK]]
        sums[filled : filled + len(ends)] = ends
        filled += len(ends)
    return sums
