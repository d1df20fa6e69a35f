"""The standard error of every replicate, from sums alone: what the bootstrap-t needs.

For a metric that is a function of weighted means, a replicate's own influence values need no pass
over its rows: products of each unit's sums, added up with the resample's multiplicities, give
their squares. So one more matrix product gives all standard errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector

Finish = Callable[[Matrix], Vector]


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
        slopes[:, k] = (finish(means + step) - finish(means - step)) / (2 * step[:, k])
    return slopes
