"""Curves of order from rows in the cells of a grid: for bands of many rows, not for the curves."""

from __future__ import annotations

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cells import cell_sums
from reportgen.kernels.cumulative import edges_of, means_along, ratio
from reportgen.kernels.walks import Walk
from reportgen.rows import Amounts


def concordance_by_cells(rows: Amounts, batch: Batch, grid: Vector, *, bins: int) -> Matrix:
    """Mean share of the weight that rows agree with, in equal parts of the weight by score."""
    shares, totals = edges_of(bins), batch.totals
    sums = cell_sums(rows, batch, shares)
    heights = sums.at(shares, (sums.weight * totals[:, None] + sums.signs) / 2)
    return means_along(Walk(heights, totals**2, heights[:, -1]))


def rank_lift_by_cells(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the midranks of y that the top shares of the weight by score hold."""
    rest = 1.0 - grid[::-1]
    sums = cell_sums(rows, batch, rest)
    held = sums.at(rest, sums.ranks)
    return (1.0 - ratio(held, sums.ranks.sum(axis=1)[:, None]))[:, ::-1]
