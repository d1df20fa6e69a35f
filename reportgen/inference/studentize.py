"""The standard error of every replicate, from sums alone: what the bootstrap-t needs.

For a metric that is a function of weighted means, a replicate's own influence values need no pass
over its rows: products of each unit's sums, added up with the resample's multiplicities, give
their squares. So one more matrix product gives all standard errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.spec import BoundMetric, Estimand

Finish = Callable[[Matrix], Vector]
STUDENTIZED: tuple[Estimand, ...] = ("mean", "log mean", "log residual")


class BoundError:
    """The standard error of a metric of means: a statistic itself, one value a weighting.

    Rows of a unit share its products, each by its share of the unit's weight, so that the sums
    over rows are those over units, and all statistics can be found in one product.
    """

    def __init__(self, bound: BoundMetric, weight: Vector, unit: Index | None, units: int) -> None:
        assert bound.columns is not None
        self.identity = ("standard error", *bound.identity)
        self._finish, self._means = bound.metric.finish, bound.columns.shape[1]
        sums = unit_sums(bound.columns, weight, unit, units)
        shares = np.zeros((len(sums), (self._means + 1) * (self._means + 2) // 2))
        np.divide(unit_products(sums), sums[:, :1], out=shares, where=sums[:, :1] > 0)
        self._is_plain = unit is None and bool(np.all(weight == 1))
        if self._is_plain:
            # Rows that count alike: the first products are the sums that are there anyway.
            shares = shares[:, self._means + 1 :]
        self.columns: Matrix = np.hstack([bound.columns, shares if unit is None else shares[unit]])

    def __call__(self, batch: Batch) -> Vector:
        """The standard error under each weighting, shape (b,); nan where it does not exist."""
        return self.from_sums(weighted_sums(batch, self.columns), batch.totals)

    def from_sums(self, sums: Matrix, totals: Vector) -> Vector:
        """The same from weighted column sums (b, k) and totals (b,)."""
        units = np.column_stack([totals, sums[:, : self._means]])
        products = sums[:, self._means :]
        if self._is_plain:
            products = np.hstack([units, products])
        return replicate_errors(units, products, self._finish)


def is_studentized(bound: BoundMetric) -> bool:
    """Whether replicates of this metric are measured in standard errors of their own."""
    metric = bound.metric
    return bound.columns is not None and metric.scale is None and metric.estimand in STUDENTIZED


def unit_sums(columns: Matrix, weight: Vector, unit: Index | None = None, units: int = 0) -> Matrix:
    """Each unit's weight and weighted column sums, (units, k + 1); None: each row is a unit."""
    rows = np.column_stack([weight, weight[:, None] * columns])
    if unit is None:
        return rows
    added = [np.bincount(unit, weights=column, minlength=units) for column in rows.T]
    return np.column_stack(added)


def unit_products(sums: Matrix) -> Matrix:
    """Products of each unit's sums with each other, shape (units, (k + 1)(k + 2)/2)."""
    first, second = np.triu_indices(sums.shape[1])
    products: Matrix = sums[:, first] * sums[:, second]
    return products


def replicate_errors(sums: Matrix, products: Matrix, finish: Finish | None = None) -> Vector:
    """Standard error of each replicate, shape (B,), by its influence; nan where undefined.

    `sums` (B, k + 1) and `products` (B, q) are those of the units added up with the
    multiplicities; `finish` maps means (B, k) to values, None for a single mean.
    """
    total = np.where(sums[:, 0] > 0, sums[:, 0], np.nan)
    means = sums[:, 1:] / total[:, None]
    slopes = np.ones_like(means) if finish is None else _slopes(finish, means)
    # A unit's influence is g'v / W with v its sums and g = (−slopes · means, slopes).
    g = np.column_stack([-np.sum(slopes * means, axis=1), slopes])
    first, second = np.triu_indices(sums.shape[1])
    twice = np.where(first == second, 1.0, 2.0)
    squares = np.sum(products * twice * g[:, first] * g[:, second], axis=1)
    errors: Vector = np.sqrt(np.maximum(squares, 0.0)) / total
    return errors


def taking_part(columns: Matrix, weight: Vector) -> float:
    """Kish's effective number of rows that take part: those with a column that is not zero.

    For one column every row takes part; for a ratio of two, the rows of its denominator.
    """
    part = weight if columns.shape[1] == 1 else weight[np.any(columns != 0, axis=1)]
    squares = float(part @ part)
    return float(part.sum()) ** 2 / squares if squares > 0 else 0.0


def _slopes(finish: Finish, means: Matrix) -> Matrix:
    slopes = np.empty_like(means)
    for k in range(means.shape[1]):
        step = np.zeros_like(means)
        step[:, k] = np.maximum(np.abs(means[:, k]), 1e-300) * 1e-6
        # Losses that are all zero have no root below them: no slope, and no error of their own.
        with np.errstate(invalid="ignore"):
            slopes[:, k] = (finish(means + step) - finish(means - step)) / (2 * step[:, k])
    return slopes
