"""How many rows stand behind the height of a curve of two classes, as equally weighted ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.effective import effective_rows
from reportgen.rows import Classes

ADDED = 2  # rows that are added to each cell of a table before its spread is judged


class Unseen(NamedTuple):
    """What rows like none at hand leave open at each point of a curve, (g,) each.

    `error` is the least standard error; `below` and `above` are how far such rows may move the
    height down and up.
    """

    error: Vector
    below: Vector
    above: Vector


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


def unseen_prices(shares: Matrix, prices: Matrix, rows: float) -> Unseen:
    """What a mean price of so many independent rows leaves open to rows like none of these.

    `shares` (k, g) of the rows have each of the `prices` (k, g). Two rows more of each price stand
    for those that other samples would have, as in Agresti and Coull's limits of a proportion (1998,
    doi:10.1080/00031305.1998.10480550): a call that nobody made yet varies in no resample. Those
    that cost more than the mean move it up, the others down. The error is that of the rows at hand,
    which is wider than that of as many with those added. `rows` is what weights leave of them;
    that clusters are worth fewer is not counted.

    >>> found = unseen_prices(np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]), 96.0)
    >>> found.error.round(4), found.below, found.above
    (array([0.0143]), array([0.]), array([0.02]))
    """
    total = rows + ADDED * len(shares)
    held, own = (shares * rows + ADDED) / total, (shares * prices).sum(axis=0)
    mean = (held * prices).sum(axis=0)
    squares = (held * prices**2).sum(axis=0) - mean**2
    error = np.sqrt(np.maximum(squares, 0.0) / max(rows, 1.0))
    moved = ADDED / total * (prices - own)
    below, above = np.maximum(-moved, 0.0).sum(axis=0), np.maximum(moved, 0.0).sum(axis=0)
    return Unseen(error, below, above)
