"""Weights of both classes from the highest score down, for all weightings of a batch at once.

Rows with tied scores come in together: between two groups the weights run straight.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Scored, Vector
from reportgen.kernels.cumulative import KEPT, sum_up_to
from reportgen.kernels.cuts import descending

SLACK = 1e-12  # of the weight: sums that round apart stand at one place


def class_sums(rows: Scored, batch: Batch) -> tuple[Matrix, Matrix]:
    """Weight of the positives and of the negatives in the first g groups, (groups + 1, b) each."""
    if batch.count.size > KEPT:
        return _class_sums(rows, batch)
    return batch.once(rows, "classes up to", lambda: _class_sums(rows, batch))


def along(of: Matrix, other: Matrix, targets: Matrix, *, is_fewest: bool) -> Matrix:
    """The other class's weight where the first one's reaches targets (s, b); (s, b).

    Where the other comes in alone its weight before that is taken if `is_fewest`, else after it.
    """
    found = np.empty(targets.shape)
    for lane in range(targets.shape[1]):
        x, y = of[:, lane], other[:, lane]
        slack = SLACK * x[-1]
        if is_fewest:
            at = targets[:, lane] - slack
            after = np.minimum(np.searchsorted(x, at, side="left"), len(x) - 1)
            before = np.maximum(after - 1, 0)
        else:
            at = targets[:, lane] + slack
            before = np.maximum(np.searchsorted(x, at, side="right") - 1, 0)
            after = np.minimum(before + 1, len(x) - 1)
        step, share = x[after] - x[before], np.zeros(len(at))
        np.divide(at - x[before], step, out=share, where=step > 0)
        found[:, lane] = y[before] + np.clip(share, 0.0, 1.0) * (y[after] - y[before])
    return found


def back_to_rows(rows: Scored, by_group: Vector) -> Vector:
    """A number of each group, highest scores first, as one of each row."""
    group: Index = descending(rows).group.astype(np.intp)
    return np.asarray(by_group[group])


def _class_sums(rows: Scored, batch: Batch) -> tuple[Matrix, Matrix]:
    column = descending(rows)
    is_positive = (rows.y.values > 0).astype(np.float64)
    # Each on its own: a difference of sums would move where only the other class comes in.
    return sum_up_to(batch, column, is_positive), sum_up_to(batch, column, 1.0 - is_positive)
