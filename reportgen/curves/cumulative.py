"""Sums along a sorted column, for all weightings of a batch at once.

Rows with equal values are one group, and sums are known only where a group ends, so no curve can
depend on the order of tied rows. Between two ends a sum runs straight: its expected value over
all orders of the tied rows.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Vector
from reportgen.metrics.quantile import SLACK


def weight_up_to(batch: Batch, column: Column) -> Matrix:
    """Weight of the rows in the first g groups of the column, shape (groups + 1, b)."""
    return batch.once(column, "weight up to", lambda: _up_to(column, batch.weights))


def sum_up_to(batch: Batch, column: Column, values: Vector) -> Matrix:
    """Weighted sum of `values` over the first g groups of the column, shape (groups + 1, b)."""
    return _up_to(column, batch.weights * values[:, None])


def at_shares(shares: Vector, weight: Matrix, sums: Matrix) -> Matrix:
    """Sums over the first share of each weighting's weight, shape (b, s).

    `weight` and `sums` are as `weight_up_to` and `sum_up_to` give them.
    """
    return at_weights(shares[None, :] * weight[-1][:, None], weight, sums)


def at_weights(targets: Matrix, weight: Matrix, sums: Matrix) -> Matrix:
    """Sums over the first rows that weigh as much as `targets`, of shape (b, s), say."""
    lanes = zip(targets, weight.T, sums.T, strict=True)
    return np.array([np.interp(target, x, y) for target, x, y in lanes]).reshape(targets.shape)


def sums_by_bin(batch: Batch, bins: Index, size: int, values: Vector | None = None) -> Matrix:
    """Weight, or weighted sum of `values`, of the rows in each bin, shape (b, size)."""
    n = len(bins)
    data = np.ones(n) if values is None else values
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


def _up_to(column: Column, weights: Matrix) -> Matrix:
    sums = np.zeros((column.groups + 1, weights.shape[1]))
    running = weights[column.order]
    np.cumsum(running, axis=0, out=running)
    sums[1:] = running[column.is_last]
    return sums
