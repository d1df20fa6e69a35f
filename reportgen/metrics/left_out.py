"""Slices of a ranking without each row: amounts up to an edge of the weight, for all rows at once.

A row that goes takes its weight with it, so that every edge, a share of the weight that is left,
moves along the ranking. Nothing is searched: each value is that of computing again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Matrix, Vector

AT_ONCE = 1 << 16  # rows without which values are found at a time


def without_each(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over all rows but one, for each: what stands before it plus what stands after it.

    Nothing is subtracted, so a row that outweighs all others leaves no rounding behind.

    >>> without_each(np.array([1.0, 1e20, 2.0]))
    array([1.e+20, 3.e+00, 1.e+20])
    """
    both = np.zeros(values.shape, order="F")
    columns = (np.atleast_2d(each.T) for each in (values, both))
    for column, found in zip(*columns, strict=True):
        np.cumsum(column[:-1], out=found[1:])
        found[:-1] += np.cumsum(column[:0:-1])[::-1]
    return both


def values_without_each(
    weighted: Matrix, weight: Vector, value: Callable[[Matrix, Vector], Vector]
) -> Vector:
    """The value of sums (b, k) of weighted columns, and of totals (b,), without each row, (n,)."""
    sums, totals = without_each(weighted), without_each(weight)
    parts = (slice(first, first + AT_ONCE) for first in range(0, max(len(totals), 1), AT_ONCE))
    return np.concatenate([value(sums[rows], totals[rows]) for rows in parts])


def amounts_without_each(ranking: Column, y: Vector, weight: Vector, ends: Matrix) -> Matrix:
    """Weight times y along the ranking up to `ends` (n, k) of the weight without each row, (n, k).

    Tied rows are below an edge in equal parts.

    >>> ranking, ones = Column(np.array([1.0, 2.0, 3.0])), np.ones(3)
    >>> amounts_without_each(ranking, np.array([5.0, 7.0, 9.0]), ones, np.ones((3, 1))).T
    array([[7., 5., 5.]])
    """
    mass = np.bincount(ranking.group, weight, minlength=ranking.groups)
    amount = np.bincount(ranking.group, weight * y, minlength=ranking.groups)
    masses, amounts = (np.append(0.0, np.cumsum(each)) for each in (mass, amount))
    group, own = ranking.group, weight * y
    first, left = masses[group], mass[group] - weight
    slope = np.zeros(len(y))
    np.divide(amount[group] - own, left, out=slope, where=left > 0)
    found = np.empty_like(ends)
    for k, end in enumerate(ends.T):
        above = np.interp(end + weight, masses, amounts) - own
        inside = amounts[group] + (end - first) * slope
        below = np.interp(end, masses, amounts)
        found[:, k] = np.where(end <= first, below, np.where(end >= first + left, above, inside))
    return found
