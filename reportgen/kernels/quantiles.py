"""Weighted quantiles, and means of y in buckets of equal weight by score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Matrix, Scored, Vector
from reportgen.kernels.ties import Groups, find_groups, sum_weights
from reportgen.kernels.weight_blocks import WeightBlock, cumulate_by_column, map_blocks, split_batch

# Where the sum of weights meets q times their total only up to rounding, it meets it.
SLACK = 1e-12


def quantile_interval(values: Vector, weight: Vector, q: float) -> tuple[float, float]:
    """Return all q-quantiles: from inf{v: F(v) >= q} to inf{v: F(v) > q}; nan where nothing weighs.

    F(v) is the share of the weight at values up to v. At q = 0 the interval is the lowest value,
    at q = 1 the highest.

    >>> quantile_interval(np.array([1.0, 2, 3, 4]), np.ones(4), 0.5)
    (2.0, 3.0)
    >>> quantile_interval(np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 1, 3]), 0.75)
    (4.0, 4.0)
    """
    counted = weight > 0
    if not counted.any():
        return np.nan, np.nan
    if not counted.all():
        values, weight = values[counted], weight[counted]
    order = None if np.all(weight == 1) else np.argsort(values, kind="stable")
    shares = np.arange(1.0, len(values) + 1) if order is None else np.cumsum(weight[order])
    shares /= shares[-1]
    last = len(values) - 1
    low = min(int(np.searchsorted(shares, q - SLACK, side="left")), last)
    high = min(int(np.searchsorted(shares, q + SLACK, side="right")), last)
    if order is None:  # rows of one weight need not be sorted
        ascending = np.partition(values, (low, high))
        return float(ascending[low]), float(ascending[high])
    return float(values[order[low]]), float(values[order[high]])


def weighted_quantile(values: Vector, weight: Vector, q: float) -> float:
    """Compute the middle of the interval of q-quantiles, in the values' unit: the usual median.

    >>> weighted_quantile(np.array([1.0, 2, 3, 4]), np.ones(4), 0.5)
    2.5
    """
    low, high = quantile_interval(values, weight, q)
    return low + (high - low) / 2


QUANTILE_SLACK = 1e-12  # shares of the total weight nearer than this are one and the same


def compute_quantiles(column: Column, batch: Batch, q: float) -> Vector:
    """Compute the middle of each weighting's q-quantile interval, shape (b,); nan without weight.

    For q = 1/2 and whole-number weights it is the median of the column written out.

    >>> column = Column(np.array([30.0, 10.0, 20.0]))
    >>> compute_quantiles(column, Batch(np.array([[1, 2], [1, 1], [1, 1]], np.uint8)), 0.5)
    array([20., 25.])
    """
    low, high = compute_quantile_intervals(column, batch, q)
    return np.asarray((low + high) / 2)


def compute_quantile_intervals(column: Column, batch: Batch, q: float) -> tuple[Vector, Vector]:
    """Compute the lowest and highest q-quantile, shape (b,) each: all values between are quantiles.

    inf{v: share of weight at or below v >= q} and inf{v: the same > q}; both are the largest
    value with weight where q is 1, the smallest where q is 0.
    """
    return batch.once(column, f"quantile {q!r}", lambda: _quantile_interval(column, batch, q))


def compute_bucket_means(
    rows: Scored, batch: Batch, buckets: int, edges: Literal["fractional", "integer"] = "fractional"
) -> Matrix:
    """Mean y of each bucket of the rows sorted by score, lowest first: shape (b, buckets).

    Buckets hold equal weight: a row on an edge is shared between both sides. With "integer" an
    edge is cut down to a whole number of units. Tied scores are spread over the places that they
    take, the expected value over all orders of them. nan where a bucket is empty.
    """
    name = f"bucket means {buckets} {edges}"
    return batch.once(rows, name, lambda: _bucket_means(rows, batch, buckets, edges))


def _quantile_interval(column: Column, batch: Batch, q: float) -> tuple[Vector, Vector]:
    totals = sum_weights(batch)
    low = np.maximum(
        (q - QUANTILE_SLACK) * totals, np.finfo(float).tiny
    )  # a row without weight is no value
    high = (q + QUANTILE_SLACK) * totals
    is_empty = ~(totals > 0)
    if len(column) == 0:
        return np.full(batch.size, np.nan), np.full(batch.size, np.nan)
    ends = np.stack([low, high])
    places = map_blocks(batch, lambda block: _places(column, block, ends)).astype(np.intp)
    found = np.where(is_empty, np.nan, column.values[column.order[places]])
    return found[0], found[1]


def _places(column: Column, block: WeightBlock, ends: Matrix) -> NDArray[np.intp]:
    """Per column the place in ascending order where the weight reaches `low`, and passes `high`."""
    ends = _select_block_columns(block, ends)
    order, n = find_groups(column).order, len(column)
    if native.is_native():
        out = np.empty((2, block.width), dtype=np.int64)
        if block.is_bytes:
            low, high = np.ceil(ends[0]).astype(np.uint32), np.floor(ends[1]).astype(np.uint32)
            native.call_kernel("whole_quantile", block.weight, order, n, low, high, out)
        else:
            native.call_kernel("real_quantile", block.width, block.weight, order, n, *ends, out)
        return out
    weight = np.take(block.weight, order, axis=0)
    running = cumulate_by_column(weight)[:, 1:]
    places = np.empty((2, block.width), dtype=np.intp)
    for b in range(block.width):
        places[0, b] = np.searchsorted(running[b], ends[0, b], side="left")
        places[1, b] = np.searchsorted(running[b], ends[1, b], side="right")
    lower = np.minimum(places[0], n - 1)
    return np.stack([lower, np.where(places[1] < n, places[1], lower)])


def _select_block_columns(block: WeightBlock, values: Matrix) -> Matrix:
    """Select the block's columns, with zeros for columns that pad; (k, width), contiguous."""
    here = values[:, block.first : block.first + block.width]
    filled = np.zeros((len(values), block.width))
    filled[:, : here.shape[1]] = here
    return filled


def _bucket_means(
    rows: Scored, batch: Batch, buckets: int, edges: Literal["fractional", "integer"]
) -> Matrix:
    cuts = np.linspace(np.zeros(batch.size), sum_weights(batch), buckets + 1)
    if edges == "integer":
        cuts = np.trunc(cuts)
    y = rows.y.values
    parts = [cumulate_rows_to_cuts(rows.score, y, block, cuts) for block in split_batch(batch)]
    upto = np.concatenate(parts, axis=1)
    sums = np.diff(upto[:, : batch.size], axis=0)
    sizes = np.diff(cuts, axis=0)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    return means.T


def cumulate_rows_to_cuts(
    column: Column, values: Vector, block: WeightBlock, cuts: Matrix
) -> Matrix:
    """Sum of weight * value up to each cut in the column's order, linear across groups of ties.

    `values` are by row; `cuts` has shape (k, b) and rises from 0 to the columns' totals.
    """
    cuts, groups = _select_block_columns(block, cuts), find_groups(column)
    values = column.ascending if values is column.values else values[groups.order]
    if block.is_bytes:
        return np.asarray(cumulate_columns_to_cuts(column, [values], block.weight, cuts)[0])
    if not native.is_native():
        return _upto_in_numpy(values, block, cuts, groups)
    out = np.zeros_like(cuts)
    where = (block.weight, groups.order, groups.last, values, len(values), cuts, len(cuts) - 1, out)
    native.call_kernel("real_upto", block.width, *where)
    return out


def cumulate_columns_to_cuts(
    column: Column, columns: Sequence[Vector], count: NDArray[np.uint8], cuts: Matrix
) -> NDArray[np.float64]:
    """Cumulate columns as `cumulate_rows_to_cuts` does, compiled: (m, k, 64).

    `columns`, (n,) each, stand in the order of `column`.
    """
    groups, n = find_groups(column), len(column)
    out = np.zeros((len(columns), *cuts.shape))
    where = (count, groups.order, groups.last, native.get_addresses(columns), len(columns), n)
    native.call_kernel("whole_upto", *where, cuts, len(cuts) - 1, out)
    return out


def _upto_in_numpy(values: Vector, block: WeightBlock, cuts: Matrix, groups: Groups) -> Matrix:
    ends = np.append(0, groups.end)
    weight = np.take(block.weight, groups.order, axis=0)
    reached = cumulate_by_column(weight)[:, ends]
    summed = cumulate_by_column(weight * values[:, None])[:, ends]
    out = np.zeros_like(cuts)
    for b in range(block.width):
        out[:, b] = _interpolate_at_cuts(reached[b], summed[b], cuts[:, b])
    return out


def _interpolate_at_cuts(reached: Vector, summed: Vector, cuts: Vector) -> Vector:
    """Interpolate `summed` where `reached` passes each cut; the last is exactly the end."""
    first_weight = np.searchsorted(reached[1:], 0, side="right")
    group = np.maximum(np.searchsorted(reached[1:], cuts, side="left"), first_weight)
    inside = np.minimum(group, max(len(reached) - 2, 0))
    after = np.minimum(inside + 1, len(reached) - 1)
    width = reached[after] - reached[inside]
    share = np.divide(cuts - reached[inside], width, out=np.zeros_like(cuts), where=width > 0)
    sums: Vector = summed[inside] + share * (summed[after] - summed[inside])
    sums[0], sums[-1] = 0, summed[-1]
    return sums


MOST_POINTS = 100  # quantiles that summarise a column
FEWEST_ROWS = 5  # between two of them


def summarise_quantiles(ascending: Vector) -> Vector:
    """Summarise sorted values by those at k places in the middle of equal parts, (k,).

    Each part has at least five rows, and there are at most a hundred. The share of values up to any
    number is then known to half a part.

    >>> summarise_quantiles(np.arange(20.0))
    array([ 2.,  7., 12., 17.])
    """
    n = len(ascending)
    points = min(MOST_POINTS, n // FEWEST_ROWS)
    levels = (np.arange(points) + 0.5) / max(points, 1)
    return np.asarray(ascending[np.minimum((levels * n).astype(np.intp), n - 1)])
