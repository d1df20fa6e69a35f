"""Cells of a target and a score in which the weight of rows is counted, and the margins of these.

Weights are whole numbers. p(T) = T (T - 1) / 2 stands for the pairs among rows of weight T: so much
they weigh where each weighs 1, and no more where each weighs 1 or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Vector
from reportgen.streaming.axes import BinnedAxis
from reportgen.streaming.grids import Counts

Groups = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Plane:
    """The axes of the target and of a score, and groups of coarse bins of one along the other."""

    y: BinnedAxis
    score: BinnedAxis
    score_groups: Groups
    y_groups: Groups

    def empty(self) -> PairCells:
        """Cells without weight."""
        most, fine = self.y.most, self.y.fine
        shapes = ((len(self.y.coarse),), (len(self.score.coarse),), (most, most),
                  (most, fine, fine), (most, fine, fine))  # fmt: skip
        return PairCells(*(np.zeros(shape, np.int64) for shape in shapes))


@dataclass(frozen=True, eq=False)
class PairCells:
    """The weight by code of either axis, and in the three tables.

    y, score       (codes,)
    grid           (m, m) by coarse bins of the target and of the score
    by_y           (m, f, f) by a coarse bin of the target, a group of the score, and the fine bin
    by_score       (m, f, f) by a coarse bin of the score, a group of the target, and the fine bin
    """

    y: Counts
    score: Counts
    grid: Counts
    by_y: Counts
    by_score: Counts

    def arrays(self) -> dict[str, Counts]:
        """All of them by name."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class MarginalWeights:
    """What is known of one axis: where rows are tied for sure, and how many pairs are not.

    A code is mixed where its rows may differ. `tied` (codes,) is the weight tied with a row, its
    own too: all of a code that is not mixed, else 1, as rows that lie between two values seldom
    are equal. So `untied` is the most that pairs with different values can weigh, `least` the
    least.
    """

    axis: BinnedAxis
    counts: Counts

    @cached_property
    def total(self) -> float:
        """The whole weight."""
        return float(self.counts.sum())

    @cached_property
    def is_mixed(self) -> NDArray[np.bool_]:
        """Whether rows of a code may differ."""
        return self.axis.is_between & (self.counts > 1)

    @cached_property
    def tied(self) -> Vector:
        """The weight tied with a row of each code."""
        return np.where(self.is_mixed, 1.0, self.counts.astype(np.float64))

    @cached_property
    def below(self) -> Vector:
        """The weight of lower codes."""
        return (np.cumsum(self.counts) - self.counts).astype(np.float64)

    @cached_property
    def least(self) -> float:
        """The pairs of rows with different codes."""
        return float(np.sum(self.counts * self.below))

    @cached_property
    def untied(self) -> float:
        """These and all pairs that may differ."""
        return self.least + float(np.sum(pairs(self.counts[self.is_mixed])))

    @cached_property
    def rank(self) -> Vector:
        """The mean midrank of the rows of a code, as a share of the weight about one half."""
        middle = self.below + self.counts / 2
        return np.asarray((middle - self.total / 2) / self.total)

    @cached_property
    def spread(self) -> tuple[float, float]:
        """The least and the most that the second moment of the midranks can be, as a share."""
        share = self.counts / self.total
        mixed = self.counts[self.is_mixed].astype(np.float64)
        within = float(np.sum(mixed * (mixed**2 - 1))) / (12 * self.total**3)
        least = float(np.sum(share * self.rank**2))
        return least, least + within

    def is_one(self, bins: NDArray[np.intp], size: int) -> NDArray[np.bool_]:
        """Whether all rows in each of so many bins are tied for sure; true of an empty one."""
        filled = np.bincount(bins, weights=self.counts > 0, minlength=size)
        mixed = np.bincount(bins, weights=self.is_mixed, minlength=size)
        return np.asarray((filled <= 1) & (mixed == 0))

    @cached_property
    def is_coarse_one(self) -> NDArray[np.bool_]:
        """The same of coarse bins."""
        return self.is_one(self.axis.coarse, self.axis.most)

    @cached_property
    def is_fine_one(self) -> NDArray[np.bool_]:
        """The same of the bins within each, (m, f)."""
        most, fine = self.axis.most, self.axis.fine
        return self.is_one(self.axis.bins, most * fine).reshape(most, fine)


def pairs(weight: NDArray[np.int64]) -> NDArray[np.float64]:
    """The most that pairs among rows of so much weight can weigh."""
    size = weight.astype(np.float64)
    return np.asarray(size * np.maximum(size - 1, 0) / 2)
