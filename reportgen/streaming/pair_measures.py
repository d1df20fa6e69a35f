"""Measures of pairs and of ranks from the weight in cells, with how far each can be off.

Bounds are for the rows at hand; how far these are from others is said by intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.rows import Amounts, Rows
from reportgen.streaming.axes import BinnedAxis
from reportgen.streaming.grids import Counts
from reportgen.streaming.pair_bounds import BLOCK, not_told_apart
from reportgen.streaming.pair_cells import Groups, MarginalWeights, PairCells, Plane


@dataclass(frozen=True, eq=False)
class PairTable:
    """A measure of pairs from bins: what its influence is made of.

    Influence is `scale` times the balance in the cell, and what either code adds; of ranks it is
    `scale` times the product of these instead.
    """

    axes: tuple[BinnedAxis, BinnedAxis]
    level: float
    bound: float
    scale: float
    by_y: Vector
    by_score: Vector
    balance: Matrix | None = None
    ranks: tuple[Vector, Vector] | None = None

    @property
    def largest(self) -> float:
        """No row has a larger influence."""
        top = 0.0 if self.balance is None else float(np.abs(self.balance).max())
        if self.ranks is not None:
            top = float(np.abs(self.ranks[0]).max() * np.abs(self.ranks[1]).max())
        ends = float(np.abs(self.by_y).max() + np.abs(self.by_score).max())
        return abs(self.scale) * top + ends

    def of(self, rows: Rows) -> Vector:
        """The influence of each row, (n,)."""
        assert isinstance(rows, Amounts)
        by_y, by_score = self.axes
        y, score = by_y.codes(rows.y), by_score.codes(rows.score)
        found = self.by_y[y] + self.by_score[score]
        if self.ranks is not None:
            found += self.scale * (self.ranks[0][y] * self.ranks[1][score])
        if self.balance is not None:
            found += self.scale * self.balance[by_y.coarse[y], by_score.coarse[score]]
        return np.asarray(found)


def measures(plane: Plane, cells: PairCells, squares: float) -> Mapping[str, PairTable]:
    """Every measure of one model by name; `squares` is the sum of the squares of the weights."""
    y, score = MarginalWeights(plane.y, cells.y), MarginalWeights(plane.score, cells.score)
    balance = _balance(cells.grid)
    known = float(np.sum(cells.grid * balance)) / 2 + _told(cells.by_y) + _told(cells.by_score)
    unknown = not_told_apart(y, score, cells, plane)
    found = _KnownPairs(plane, y, score, cells.grid, balance, known, unknown, squares)
    return {
        "kendall": found.kendall(),
        "kendall_a": found.kendall_a(),
        "regression_auc": found.regression_auc(),
        "spearman": _spearman(plane, y, score, cells),
    }


def _sides(table: Counts, axis: int) -> Counts:
    """By cell what lies before it along an axis, less what lies after it."""
    upto = np.cumsum(table, axis=axis)
    return np.asarray(2 * upto - table - upto.take([-1], axis=axis))


def _balance(grid: Counts) -> Matrix:
    """By cell the weight that lies on the same side of it in both, less that on opposite sides."""
    return _sides(_sides(grid, 0), 1).astype(np.float64)


def _told(table: Counts) -> float:
    """Concordant less discordant pairs of different groups and fine bins of one coarse bin."""
    found = 0.0
    for start in range(0, len(table), BLOCK):
        part = table[start : start + BLOCK]
        balance = _sides(_sides(part, 1), 2).astype(np.float64)
        found += float(np.sum(part * balance)) / 2
    return found


@dataclass(frozen=True, eq=False)
class _KnownPairs:
    """What is known of the pairs of rows of one model.

    balance    (m, m) by cell of the grid the weight concordant with a row, less the discordant
    known      concordant less discordant pairs, as far as they are told
    unknown    how much the pairs that are not told weigh
    squares    the sum of the squares of the weights
    """

    plane: Plane
    y: MarginalWeights
    score: MarginalWeights
    grid: Counts
    balance: Matrix
    known: float
    unknown: float
    squares: float

    def table(
        self, value: float, bound: float, scale: float, by_y: Vector | None = None,
        by_score: Vector | None = None,
    ) -> PairTable:  # fmt: skip
        """A measure with its influence, which is brought to a mean of 0."""
        own, other = self.y, self.score
        of_y = np.zeros(len(own.counts)) if by_y is None else by_y
        of_score = np.zeros(len(other.counts)) if by_score is None else by_score
        mean = scale * float(np.sum(self.grid * self.balance))
        mean += float(np.sum(own.counts * of_y)) + float(np.sum(other.counts * of_score))
        axes = self.plane.y, self.plane.score
        return PairTable(axes, value, bound, scale, of_y - mean / own.total, of_score, self.balance)

    def kendall(self) -> PairTable:
        """Kendall's τ-b, S / √(Dy Ds): S is known but for pairs not told, D from the margins.

        With |S - S'| <= U and D0 <= D <= D' for the product D of both, S' / √D' is off by at most
        U / √D0 + |S'| (1 / √D0 - 1 / √D').
        """
        y, score, total = self.y, self.score, self.y.total
        size, least = sqrt(y.untied * score.untied), sqrt(y.least * score.least)
        if size == 0:
            return _undefined(self.plane)
        value = float(np.clip(self.known / size, -1.0, 1.0))
        off = self.unknown + abs(self.known) * (1 - least / size)
        bound = min(off / least if least > 0 else inf, 1 + abs(value))
        ends = [-total * value * (total - e.tied) / (2 * e.untied) for e in (y, score)]
        return self.table(value, bound, total / size, *ends)

    def kendall_a(self) -> PairTable:
        """Kendall's τ-a, S over all pairs: off by no more than those not told."""
        total = self.y.total
        everything = (total**2 - self.squares) / 2
        if not everything > 0:
            return _undefined(self.plane)
        value = float(np.clip(self.known / everything, -1.0, 1.0))
        bound = min(self.unknown / everything, 1 + abs(value))
        return self.table(value, bound, total / everything)

    def regression_auc(self) -> PairTable:
        """The share of pairs in the right order, half of those with tied scores: (1 + S / Dy) / 2.

        With D0 <= Dy <= D' it is off by at most half of U / D0 + |S'| (1 / D0 - 1 / D').
        """
        y, total = self.y, self.y.total
        if y.untied == 0:
            return _undefined(self.plane)
        value = float(np.clip(0.5 + self.known / (2 * y.untied), 0.0, 1.0))
        off = self.unknown + abs(self.known) * (1 - y.least / y.untied)
        bound = min(off / (2 * y.least) if y.least > 0 else inf, max(value, 1 - value))
        end = total * (0.5 - value) * (total - y.tied) / y.untied
        return self.table(value, bound, total / (2 * y.untied), end)


def _spearman(
    plane: Plane, y: MarginalWeights, score: MarginalWeights, cells: PairCells
) -> PairTable:
    """Spearman's ρ, the correlation of midranks: the sum of what rows add to it, so without level.

    The mean midrank of a code is the middle of it, whatever the order within. So a midrank is that
    of its code and a rest that adds up to 0 in each code, and whose squares add up to no more than
    w = Σ (T³ - T) / 12 over mixed codes. By Cauchy and Schwarz the cross moment of true midranks is
    off by at most √(wy Vs) + √(ws Vy) + √(wy ws), where V are moments of the middles; a true second
    moment lies between V and V + w. The value takes V + w, and |ρ| <= 1.
    """
    (least_y, most_y), (least_s, most_s) = y.spread, score.spread
    size, least = sqrt(most_y * most_s), sqrt(least_y * least_s)
    if size == 0:
        return _undefined(plane)
    wy, ws = most_y - least_y, most_s - least_s
    cross = sqrt(wy * least_s) + sqrt(ws * least_y) + sqrt(wy * ws)
    bound = min(cross / least + size / least - 1 if least > 0 else inf, 2.0)
    beside_y = _beside(y, score, cells.grid, cells.by_y, plane.score_groups)
    beside_score = _beside(score, y, cells.grid.T, cells.by_score, plane.y_groups)
    near = float(np.sum(y.counts * y.rank * beside_y[1])) / (y.total * size)
    ends = []
    for margin, most, (above, _) in ((y, most_y, beside_y), (score, most_s, beside_score)):
        tied = (margin.tied / margin.total) ** 2
        end = (margin.rank / 2 + above) / size - near * (1 - tied) / (8 * most)
        ends.append(end - float(np.sum(margin.counts * end)) / margin.total)
    return PairTable((plane.y, plane.score), 0.0, bound, 1 / size, ends[0], ends[1],
                     ranks=(y.rank, score.rank))  # fmt: skip


def _beside(
    margin: MarginalWeights, other: MarginalWeights, grid: Counts, table: Counts, groups: Groups
) -> tuple[Vector, Vector]:
    """By code, of the midranks of the other: their sum over rows above, and their mean beside.

    Sums are shares of the weight, midranks are shares from 0 to 1 above and about one half beside.
    Those of a group are the mean of its cells, each at the middle of its coarse bin. They make up
    influences alone, and no value.
    """
    most, fine, _ = table.shape
    weight = np.bincount(other.axis.coarse, weights=other.counts, minlength=most)
    sums = np.bincount(other.axis.coarse, weights=other.counts * other.rank, minlength=most)
    middle = np.divide(sums, weight, out=np.zeros(most), where=weight > 0)
    at = (np.arange(most)[:, None] * fine + groups).ravel()
    held = np.bincount(at, weights=grid.ravel(), minlength=most * fine)
    moment = np.bincount(at, weights=(grid * middle).ravel(), minlength=most * fine)
    of_group = np.divide(moment, held, out=np.zeros(most * fine), where=held > 0)
    own = np.empty((most, fine))
    for start in range(0, most, BLOCK):
        part = slice(start, start + BLOCK)
        mean = of_group.reshape(most, fine, 1)[part]
        own[part] = np.sum(table[part] * mean, axis=1)
    size = table.sum(axis=1).ravel().astype(np.float64)
    about = own.ravel()
    whole = about + size / 2
    above = (whole.sum() - np.cumsum(whole) + whole / 2) / margin.total
    mean = np.divide(about, size, out=np.zeros(len(size)), where=size > 0)
    return above[margin.axis.bins], mean[margin.axis.bins]


def _undefined(plane: Plane) -> PairTable:
    """A measure that these rows have no value of."""
    nothing = np.zeros(len(plane.y.coarse)), np.zeros(len(plane.score.coarse))
    return PairTable((plane.y, plane.score), nan, 0.0, 0.0, *nothing)
