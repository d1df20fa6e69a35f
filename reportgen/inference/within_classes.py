"""What rows of one class say of a number, apart from those of others."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Index, Vector


def unseen(group: Index, influence: Vector, weight: Vector, moves: Vector) -> float:
    """The variance of one row more in each group of rows, as far as its own rows show less.

    `moves` (g,) is by how much a value moves if one row of a group is called otherwise. A group
    none of whose few rows differs from another shows no variance, and is not known the better for
    that: it may hold as much as one row more. `group`, `influence` and `weight` (n,) are those of
    rows, or of kinds of rows with the roots of their summed squares.

    >>> group, moves = np.array([0, 0, 1, 1]), np.array([0.25, 0.25])
    >>> unseen(group, np.array([0.25, -0.25, 0.0, 0.0]), np.ones(4), moves)
    0.0625
    """
    size = len(moves)
    squares = np.bincount(group, influence**2, size)
    product = np.bincount(group, influence * weight, size)
    weights = np.bincount(group, weight**2, size)
    mean = np.divide(product**2, weights, out=np.zeros(size), where=weights > 0)
    return float(np.maximum(moves**2 - (squares - mean), 0.0).sum())


def spread(squares: Vector) -> float:
    """The sum of squares with m/(m − 1); nan of less than two."""
    m = len(squares)
    return float(squares.sum()) * m / (m - 1) if m > 1 else np.nan
