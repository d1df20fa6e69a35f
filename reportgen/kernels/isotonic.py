"""The rising fit of y on the score: what scores would have said, had they been right on average.

Rows with tied scores are one group, as no rising line can part them. Groups are pooled until
their means rise (pool adjacent violators), which is the least-squares fit, and the best rising
fit under every loss whose best constant is the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Batch, Scored, Vector


@dataclass(frozen=True)
class RisingFit:
    """Groups of tied scores that weigh something, by rising score; all of shape (g,).

    `mean` is that of y; `fit` rises.
    """

    score: Vector
    weight: Vector
    mean: Vector
    fit: Vector


def rising_fits(rows: Scored, batch: Batch) -> Iterator[RisingFit]:
    """The fit under each weighting, one after the other."""
    for count in batch.count.T:
        weight = count.astype(np.float64)
        yield rising_fit(rows, weight if batch.weight is None else weight * batch.weight)


def rising_fit(rows: Scored, weight: Vector) -> RisingFit:
    """The weighted least-squares fit of y among all lines that never fall in the score.

    >>> from reportgen.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 5, 3, 7]), np.array([1.0, 2, 3, 4]))
    >>> rising_fit(rows, np.ones(4)).fit
    array([1., 4., 4., 7.])
    """
    from scipy.optimize import isotonic_regression  # here, since a list of metrics must not wait

    column = rows.score
    every: Vector = np.bincount(column.group, weight, column.groups).astype(np.float64)
    amount = np.bincount(column.group, weight * rows.y.values, column.groups)
    filled = every > 0
    score, mass = column.values[column.order][column.is_last][filled], every[filled]
    mean = amount[filled] / mass
    if len(mean) < 2:
        return RisingFit(score, mass, mean, mean)
    fit = isotonic_regression(mean, weights=mass).x
    return RisingFit(score, mass, mean, np.asarray(fit, dtype=np.float64))
