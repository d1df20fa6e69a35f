"""How much the pairs of rows weigh whose order is not known from the cells they are counted in."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.streaming.grids import Counts
from reportgen.streaming.pair_cells import Groups, MarginalWeights, PairCells, Plane, pairs

BLOCK = 32  # coarse bins of which all fine cells are looked at at a time


def not_told_apart(
    y: MarginalWeights, score: MarginalWeights, cells: PairCells, plane: Plane
) -> float:
    """The weight of all pairs whose order by target and by score is not known from the tables.

    Two rows in different coarse bins of both are told by the grid. Of those that share a coarse bin
    of the target, rows in different fine bins and different groups are told by `by_y`; rows in one
    fine bin whose rows are all tied count as nothing, as they should. The others are not told:

    - pairs of one group but different coarse bins of the score. They weigh what pairs of the group
      do, less those of one cell of the grid, or less those tied for sure: whichever is more;
    - pairs of different groups in one fine bin whose rows may differ;
    - pairs in one cell of the grid, where neither bin is of a single value.

    No more are unknown than all pairs of the coarse bin but those tied for sure. With target and
    score changed over it is the same, and pairs in one cell of the grid may be counted with either.
    """
    of_cells = pairs(cells.grid)
    mixed = ~y.is_coarse_one, ~score.is_coarse_one
    of_cells_mixed = of_cells * np.outer(*mixed)
    ends = []
    for margin, table, grid, groups, own in (
        (y, cells.by_y, of_cells, plane.score_groups, of_cells_mixed),
        (score, cells.by_score, of_cells.T, plane.y_groups, of_cells_mixed.T),
    ):
        apart, most = _along(margin, table, grid, groups)
        is_mixed = ~margin.is_coarse_one
        both = np.minimum(apart + own.sum(axis=1), most)
        alone = np.minimum(apart, most)
        ends.append((float(np.sum(both[is_mixed])), float(np.sum(alone[is_mixed]))))
    return min(ends[0][0] + ends[1][1], ends[0][1] + ends[1][0])


def _along(
    margin: MarginalWeights, table: Counts, of_cells: Matrix, groups: Groups
) -> tuple[Vector, Vector]:
    """By coarse bin: pairs of different cells that are not told, and all not tied for sure."""
    most, fine, _ = table.shape
    at = np.arange(most)[:, None] * fine + groups
    of_groups = np.bincount(at.ravel(), weights=of_cells.ravel(), minlength=most * fine)
    of_groups = of_groups.reshape(most, fine)
    apart, all_but_tied = np.empty(most), np.empty(most)
    for start in range(0, most, BLOCK):
        part = slice(start, start + BLOCK)
        within, is_one = pairs(table[part]), margin.is_fine_one[part]
        tied = np.sum(within * is_one[:, None, :], axis=2)
        one_group = pairs(table[part].sum(axis=2)) - np.maximum(of_groups[part], tied)
        of_fine = pairs(table[part].sum(axis=1))
        one_bin = np.sum((of_fine - within.sum(axis=1)) * ~is_one, axis=1)
        apart[part] = np.maximum(one_group, 0.0).sum(axis=1) + np.maximum(one_bin, 0.0)
        weight = table[part].sum(axis=(1, 2))
        all_but_tied[part] = np.maximum(pairs(weight) - np.sum(of_fine * is_one, axis=1), 0.0)
    return apart, all_but_tied
