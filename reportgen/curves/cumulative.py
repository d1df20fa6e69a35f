"""Sums along a sorted column, for all weightings of a batch at once.

Rows with equal values are one group, and sums are known only where a group ends, so no curve can
depend on the order of tied rows. Between two ends a sum runs straight: its expected value over
all orders of the tied rows.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Rows, Vector
from reportgen.metrics.quantile import SLACK

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


def y_by_score(batch: Batch, rows: Rows) -> Matrix:
    """Weighted sum of y over the first g groups of the score: what many curves are made of."""
    if batch.count.size > KEPT:
        return sum_up_to(batch, rows.score, rows.y.values)
    return batch.once(rows, "y by score", lambda: sum_up_to(batch, rows.score, rows.y.values))


def midrank(batch: Batch, column: Column) -> Matrix:
    """Weight of the rows below each row, and half of those tied with it, shape (n, b)."""
    up = weight_up_to(batch, column)
    return ((up[1:] + up[:-1]) / 2)[column.group]


def between_shares(bins: int, width: Matrix, sums: Matrix) -> Matrix:
    """Mean height of a step curve in each of `bins` equal shares of its axis, shape (b, bins).

    `width` and `sums` grow along the curve: the axis, and the area so far, as (points, b). The
    mean of the result is the area over the width. nan where there is no width.
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    areas = np.diff(at_shares(edges, width, sums), axis=1)
    return ratio(areas, np.diff(edges)[None, :] * width[-1][:, None])


def bin_middles(bins: int) -> Vector:
    """The middles of `bins` equal parts of [0, 1]."""
    return (np.arange(bins) + 0.5) / bins


def at_shares(shares: Vector, weight: Matrix, sums: Matrix) -> Matrix:
    """Sums over the first share of each weighting's weight, shape (b, s).

    `weight` and `sums` are as `weight_up_to` and `sum_up_to` give them.
    """
    return at_weights(shares[None, :] * weight[-1][:, None], weight, sums)


def at_weights(targets: Matrix, weight: Matrix, sums: Matrix) -> Matrix:
    """Sums over the first rows that weigh as much as `targets`, of shape (b, s), say."""
    if len(weight) < 2:
        return np.zeros(targets.shape)
    lane = np.arange(weight.shape[1])[:, None]
    right = _first_reaching(targets, weight)
    below, above = weight[right - 1, lane], weight[right, lane]
    start, end = sums[right - 1, lane], sums[right, lane]
    share = np.divide(targets - below, above - below, where=above > below, out=0.0 * targets)
    return np.asarray(start + np.clip(share, 0.0, 1.0) * (end - start))


def _first_reaching(targets: Matrix, weight: Matrix) -> Index:
    """The first place, from 1, at which each lane's weight is no less than its target."""
    lane = np.arange(weight.shape[1])[:, None]
    low = np.ones(targets.shape, dtype=np.intp)
    high = np.full(targets.shape, len(weight) - 1, dtype=np.intp)
    for _ in range((len(weight) - 1).bit_length()):
        middle = (low + high) // 2
        is_reached = weight[middle, lane] >= targets
        high = np.where(is_reached, middle, high)
        low = np.where(is_reached, low, np.minimum(middle + 1, high))
    return high


def sums_by_bin(batch: Batch, bins: Index, size: int, values: Vector | None = None) -> Matrix:
    """Weight, or weighted sum of `values`, of the rows in each bin, shape (b, size)."""
    n = len(bins)
    data = np.ones(n) if values is None else values
    from scipy.sparse import csr_array  # here, since a list of curves must not wait for it

    member = csr_array((data, (bins, np.arange(n))), shape=(size, n))
    sums: Matrix = np.ascontiguousarray((member @ batch.weights).T)
    return sums


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
