"""The rising fit of two classes on probabilities, and what calibrated models of this size show.

Outcomes are drawn anew with given probabilities on the same rows, with the same scores and
weights: what comes of them is what chance alone makes of a model that is right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.score_cells import ScoreCells, cells_by, every_score
from reportgen.rows import Classes

ONE_BY_ONE = 20_000  # rows up to which each is drawn; of more, a number for each cell
FEW_CELLS = 1000  # at most
AT_ONCE = 2_000_000  # numbers that are drawn at once


def rising(upper: Vector, both: Vector) -> Vector:
    """The least-squares fit of the share of the upper class that never falls, (c,).

    nan in cells that weigh nothing.

    >>> rising(np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0]))
    array([0.5, 0.5, 1. , nan])
    """
    from scipy.optimize import isotonic_regression  # here, since a list of metrics must not wait

    fit, filled = np.full(len(both), np.nan), both > 0
    if filled.any():
        share = upper[filled] / both[filled]
        fit[filled] = (
            share if len(share) < 2 else isotonic_regression(share, weights=both[filled]).x
        )
    return fit


def drawn_from(rows: Classes) -> ScoreCells:
    """The cells in which outcomes are drawn."""
    if len(rows) <= ONE_BY_ONE:
        return every_score(rows)
    return rows.once("cells of draws", lambda: evenly_uncertain(rows, FEW_CELLS))


def evenly_uncertain(rows: Classes, most: int) -> ScoreCells:
    """At most so many cells, as even in the variance p(1 − p) that is promised as in rows.

    The few rows where a rare class is to be expected have cells of their own.
    """
    p = np.clip(rows.score.values, 0.0, 1.0)
    spread = p * (1 - p)
    return cells_by(rows, 1 / len(p) + spread / max(float(spread.sum()), 1e-300), most)


def draws(
    rows: Classes, weight: Vector, chance: Vector, number: int, seed: int
) -> Iterator[Matrix]:
    """Weights of the upper class in the cells of `drawn_from`, (some, c), `number` in all.

    `chance` (c,) is the probability of the upper class in each cell.
    """
    cells, rng = drawn_from(rows), np.random.default_rng(seed)
    if len(rows) > ONE_BY_ONE:
        yield draws_by_cell(cells, weight, chance, number, rng)
        return
    order: Index = np.argsort(cells.number, kind="stable")
    starts = np.searchsorted(cells.number[order], np.arange(len(cells.score)))
    limits, heavy = chance[cells.number[order]], weight[order]
    most = max(AT_ONCE // max(len(rows), 1), 1)
    for first in range(0, number if len(rows) else 0, most):
        some = min(most, number - first)
        hit = (rng.random((some, len(rows))) < limits) * heavy
        yield np.add.reduceat(hit, starts, axis=1)


def weight_in(cells: ScoreCells, weight: Vector) -> Vector:
    """Weight of each cell, (c,)."""
    return np.asarray(np.bincount(cells.number, weight, len(cells.score)))


def positives_in(rows: Classes, cells: ScoreCells, weight: Vector) -> Vector:
    """Weight of the upper class in each cell, (c,)."""
    return np.asarray(cells.weights(rows, Batch.of(weight)).upper[0])


def draws_by_cell(
    cells: ScoreCells, weight: Vector, chance: Vector, number: int, rng: np.random.Generator
) -> Matrix:
    """The same, with as many rows a cell as its weights are worth (Kish)."""
    total, squares = weight_in(cells, weight), weight_in(cells, weight**2)
    worth = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0), 0.0)
    trials = np.maximum(np.rint(worth), 1).astype(np.int64)
    hits = rng.binomial(trials, np.clip(chance, 0.0, 1.0), (number, len(total)))
    return np.asarray(hits * (total / trials))
