"""How far each row agrees with all others about order, for many weightings at once.

Row i's sign sum is Σ_j w_j · sign(y_i − y_j) · sign(score_i − score_j): the weight of the rows that
y and the score put on the same side of it, minus that of the rows they put on opposite sides.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column, Index, Matrix


def sign_sums(y: Column, score: Column, weights: Matrix) -> Matrix:
    """Sign sum of each row under each weighting, shape (n, b). O(n log n) a weighting.

    >>> sign_sums(Column(np.array([1.0, 2, 3])), Column(np.array([5.0, 7, 6])), np.ones((3, 1))).T
    array([[2., 0., 0.]])
    """
    # With "<" for below, "≤" for below or tied, in y and then in score, the sum is
    # N(<,<) + N(≤,≤) + N(<,≤) + N(≤,<) + W − N(y<) − N(y≤) − N(s<) − N(s≤).
    lanes = np.ascontiguousarray(weights.T)
    y_below, y_tied = _spread(y, lanes)
    score_below, score_tied = _spread(score, lanes)
    sums = 4 * _weight_below(y, score, lanes)
    sums += lanes.sum(axis=1)[:, None] - 2 * (y_below + score_below) - y_tied - score_tied
    if y.groups == len(y) and score.groups == len(score):
        return np.asarray((sums + lanes).T)
    before, tied = _spread(_cells(y, score), lanes)
    other_before, _ = _spread(_cells(score, y), lanes)
    sums += 2 * (before - y_below) + 2 * (other_before - score_below) + tied
    return np.asarray(sums.T)


def _spread(column: Column, lanes: Matrix) -> tuple[Matrix, Matrix]:
    """For each row, the weight of the rows with a lower value, and with the same (its own too)."""
    below, tied = np.empty(lanes.shape), np.empty(lanes.shape)
    for lane, weight in enumerate(lanes):
        ends = np.append(0.0, np.cumsum(weight[column.order])[column.is_last])
        below[lane] = ends[:-1][column.group]
        tied[lane] = np.diff(ends)[column.group]
    return below, tied


def _weight_below(y: Column, score: Column, lanes: Matrix) -> Matrix:
    """For each row, the weight of the rows strictly below it in both y and score, shape (b, n).

    The rows stand in order of score and are parted by the bits of their place in y, highest
    first. A row's bit 1 meets every row below it exactly once: in the part where their places
    first differ, as a bit 0 that stands before it. Ties are ordered so that they never count.
    """
    n = len(y)
    place = np.empty(n, dtype=np.intp)
    place[np.lexsort((-score.group, y.group))] = np.arange(n)
    rows: Index = np.lexsort((-place, score.group))
    below = np.zeros(lanes.shape)
    for bit in reversed(range(max(n - 1, 0).bit_length())):
        now = place[rows]
        is_high = (now >> bit & 1).astype(bool)
        start = now >> (bit + 1) << (bit + 1)  # places have no gaps, so a part begins here
        before = np.append(0, np.cumsum(~is_high))
        low, high = rows[~is_high], rows[is_high]
        until, since = before[:-1][is_high], before[start[is_high]]
        for weight, gained in zip(lanes, below, strict=True):
            running = np.append(0.0, np.cumsum(weight[low]))
            gained[high] += running[until] - running[since]
        low_rank = before[:-1] - before[start]
        high_rank = np.arange(n) - start - low_rank
        parted = np.empty_like(rows)
        parted[start + np.where(is_high, (1 << bit) + high_rank, low_rank)] = rows
        rows = parted
    return below


def _cells(first: Column, second: Column) -> Column:
    """Rows in order of the first column, then of the second; tied where both are."""
    return Column(first.group.astype(np.float64) * second.groups + second.group)
