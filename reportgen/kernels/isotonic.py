"""The rising fit of y on the score: what scores would have said, had they been right on average.

Rows with tied scores are one group, as no rising line can part them. Groups are pooled until
their means rise (pool adjacent violators), which is the least-squares fit, and the best rising
fit under every loss whose best constant is the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Matrix, Scored, Vector
from reportgen.kernels.buffers import room
from reportgen.kernels.score_cells import ClassWeights, Table


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


def rising_blocks(weights: ClassWeights) -> tuple[Matrix, Matrix]:
    """Weight of the upper and of the lower class in the blocks of their rising fit, (b, m) each.

    Cells rise; the share of the upper class in a block is its fit. Past the last block both are 0.

    >>> upper, lower = np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 0.0, 0.0]])
    >>> rising_blocks(ClassWeights.of(upper, lower))
    (array([[1., 1.]]), array([[1., 0.]]))
    """
    find = _blocks if native.is_native() else _blocks_by_scipy
    parts = [find(weights, table) for table in weights.tables]
    most = max(part.shape[2] for part in parts)
    wide = [np.pad(part, ((0, 0), (0, 0), (0, most - part.shape[2]))) for part in parts]
    lower, upper = np.concatenate(wide, axis=1)[:, : weights.size]
    return upper, lower


def _blocks(weights: ClassWeights, table: Table) -> Matrix:
    """Lower and upper weights of each lane's blocks, (2, width, m)."""
    width, number = table.shape[1], np.empty(table.shape[1], np.int64)
    with room((width, len(table) // 2, 2), table.dtype) as blocks:
        weights.run("rising_blocks", table, number, blocks)
        found = blocks[:, : number.max(initial=0)].astype(np.float64).transpose(2, 0, 1)
    return np.where(np.arange(found.shape[2]) < number[:, None], found, 0.0)


def _blocks_by_scipy(weights: ClassWeights, table: Table) -> Matrix:
    from scipy.optimize import isotonic_regression  # here, since a list of metrics must not wait

    lanes = []
    for lane in table.T:
        cells = lane.reshape(-1, 2)[lane.reshape(-1, 2).any(axis=1)]
        both = cells.sum(axis=1)
        starts = np.arange(len(cells))
        if len(cells) > 1:
            starts = isotonic_regression(cells[:, 1] / both, weights=both).blocks[:-1]
        lanes.append(np.add.reduceat(cells, starts, axis=0) if len(cells) else cells)
    found = np.zeros((2, len(lanes), max(map(len, lanes))))
    for place, blocks in enumerate(lanes):
        found[:, place, : len(blocks)] = blocks.T
    return found
