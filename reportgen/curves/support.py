"""How many rows stand behind the height of a curve of two classes, as equally weighted ones."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.effective import effective_rows
from reportgen.rows import Classes


def of_class(rows: Classes, weight: Vector, *, upper: bool) -> float:
    """Those of one class."""
    return effective_rows(weight[(rows.y.values > 0) == upper])


def positives_among(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """The positive ones, wherever the curve stands: it is a share of these."""
    return np.full(len(grid), of_class(rows, weight, upper=True))


def all_among(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """All of them, wherever the curve stands: it is a share of these."""
    return np.full(len(grid), effective_rows(weight))


def positives_beside(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """The positive ones on the thinner side of each share of these."""
    return of_class(rows, weight, upper=True) * np.minimum(grid, 1 - grid)


def negatives_beside(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """The negative ones on the thinner side of each share of these."""
    return of_class(rows, weight, upper=False) * np.minimum(grid, 1 - grid)


def rows_beside(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Those on the thinner side of each share of the rows."""
    return effective_rows(weight) * np.minimum(grid, 1 - grid)
