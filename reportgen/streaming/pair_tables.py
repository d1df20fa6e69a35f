"""Pair metrics from tables of target and score, with error bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Matrix, Places, Vector
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Amounts, Rows
from reportgen.streaming.layout import Of
from reportgen.streaming.rank_bins import (
    BinnedAxis,
    Binning,
    Counts,
    RankTables,
    ScoreBins,
    build_axis,
    choose_edges,
    find_binned_line,
    group_bins,
)
from reportgen.streaming.sums import State

Groups = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class PairPlane:
    """The axes of the target and of a score, and groups of coarse bins of one along the other."""

    y: BinnedAxis
    score: BinnedAxis
    score_groups: Groups
    y_groups: Groups

    def empty(self) -> PairCells:
        """Cells without weight."""
        most, fine = self.y.most, self.y.fine
        shapes = (
            (len(self.y.coarse),),
            (len(self.score.coarse),),
            (most, most),
            (most, fine, fine),
            (most, fine, fine),
        )
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
    are equal. So `untied_weight` is the most that pairs with different values can weigh, `least`
    the least.
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
    def untied_weight(self) -> float:
        """These and all pairs that may differ."""
        return self.least + float(np.sum(most_pairs(self.counts[self.is_mixed])))

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


def most_pairs(weight: NDArray[np.int64]) -> NDArray[np.float64]:
    """The most that pairs among rows of so much weight can weigh."""
    size = weight.astype(np.float64)
    return np.asarray(size * np.maximum(size - 1, 0) / 2)


BLOCK = 32  # coarse bins of which all fine cells are looked at at a time


def sum_unresolved_pairs(
    y: MarginalWeights, score: MarginalWeights, cells: PairCells, plane: PairPlane
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
    of_cells = most_pairs(cells.grid)
    mixed = ~y.is_coarse_one, ~score.is_coarse_one
    of_cells_mixed = of_cells * np.outer(*mixed)
    ends = []
    for margin, table, grid, groups, own in (
        (y, cells.by_y, of_cells, plane.score_groups, of_cells_mixed),
        (score, cells.by_score, of_cells.T, plane.y_groups, of_cells_mixed.T),
    ):
        apart, most = _count_untold_pairs(margin, table, grid, groups)
        is_mixed = ~margin.is_coarse_one
        both = np.minimum(apart + own.sum(axis=1), most)
        alone = np.minimum(apart, most)
        ends.append((float(np.sum(both[is_mixed])), float(np.sum(alone[is_mixed]))))
    return min(ends[0][0] + ends[1][1], ends[0][1] + ends[1][0])


def _count_untold_pairs(
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
        within, is_one = most_pairs(table[part]), margin.is_fine_one[part]
        tied = np.sum(within * is_one[:, None, :], axis=2)
        one_group = most_pairs(table[part].sum(axis=2)) - np.maximum(of_groups[part], tied)
        of_fine = most_pairs(table[part].sum(axis=1))
        one_bin = np.sum((of_fine - within.sum(axis=1)) * ~is_one, axis=1)
        apart[part] = np.maximum(one_group, 0.0).sum(axis=1) + np.maximum(one_bin, 0.0)
        weight = table[part].sum(axis=(1, 2))
        all_but_tied[part] = np.maximum(most_pairs(weight) - np.sum(of_fine * is_one, axis=1), 0.0)
    return apart, all_but_tied


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


def compute_pair_measures(
    plane: PairPlane, cells: PairCells, squares: float
) -> Mapping[str, PairTable]:
    """Every measure of one model by name; `squares` is the sum of the squares of the weights."""
    y, score = MarginalWeights(plane.y, cells.y), MarginalWeights(plane.score, cells.score)
    balance = _balance(cells.grid)
    known = (
        float(np.sum(cells.grid * balance)) / 2
        + _count_concordance(cells.by_y)
        + _count_concordance(cells.by_score)
    )
    unknown = sum_unresolved_pairs(y, score, cells, plane)
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


def _count_concordance(table: Counts) -> float:
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

    plane: PairPlane
    y: MarginalWeights
    score: MarginalWeights
    grid: Counts
    balance: Matrix
    known: float
    unknown: float
    squares: float

    def table(
        self,
        value: float,
        bound: float,
        scale: float,
        by_y: Vector | None = None,
        by_score: Vector | None = None,
    ) -> PairTable:
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
        size, least = sqrt(y.untied_weight * score.untied_weight), sqrt(y.least * score.least)
        if size == 0:
            return _make_undefined_table(self.plane)
        value = float(np.clip(self.known / size, -1.0, 1.0))
        off = self.unknown + abs(self.known) * (1 - least / size)
        bound = min(off / least if least > 0 else inf, 1 + abs(value))
        ends = [-total * value * (total - e.tied) / (2 * e.untied_weight) for e in (y, score)]
        return self.table(value, bound, total / size, *ends)

    def kendall_a(self) -> PairTable:
        """Kendall's τ-a, S over all pairs: off by no more than those not told."""
        total = self.y.total
        everything = (total**2 - self.squares) / 2
        if not everything > 0:
            return _make_undefined_table(self.plane)
        value = float(np.clip(self.known / everything, -1.0, 1.0))
        bound = min(self.unknown / everything, 1 + abs(value))
        return self.table(value, bound, total / everything)

    def regression_auc(self) -> PairTable:
        """The share of pairs in the right order, half of those with tied scores: (1 + S / Dy) / 2.

        With D0 <= Dy <= D' it is off by at most half of U / D0 + |S'| (1 / D0 - 1 / D').
        """
        y, total = self.y, self.y.total
        if y.untied_weight == 0:
            return _make_undefined_table(self.plane)
        value = float(np.clip(0.5 + self.known / (2 * y.untied_weight), 0.0, 1.0))
        off = self.unknown + abs(self.known) * (1 - y.least / y.untied_weight)
        bound = min(off / (2 * y.least) if y.least > 0 else inf, max(value, 1 - value))
        end = total * (0.5 - value) * (total - y.tied) / y.untied_weight
        return self.table(value, bound, total / (2 * y.untied_weight), end)


def _spearman(
    plane: PairPlane, y: MarginalWeights, score: MarginalWeights, cells: PairCells
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
        return _make_undefined_table(plane)
    wy, ws = most_y - least_y, most_s - least_s
    cross = sqrt(wy * least_s) + sqrt(ws * least_y) + sqrt(wy * ws)
    bound = min(cross / least + size / least - 1 if least > 0 else inf, 2.0)
    beside_y = _sum_midranks(y, score, cells.grid, cells.by_y, plane.score_groups)
    beside_score = _sum_midranks(score, y, cells.grid.T, cells.by_score, plane.y_groups)
    near = float(np.sum(y.counts * y.rank * beside_y[1])) / (y.total * size)
    ends = []
    for margin, most, (above, _) in ((y, most_y, beside_y), (score, most_s, beside_score)):
        tied = (margin.tied / margin.total) ** 2
        end = (margin.rank / 2 + above) / size - near * (1 - tied) / (8 * most)
        ends.append(end - float(np.sum(margin.counts * end)) / margin.total)
    return PairTable(
        (plane.y, plane.score), 0.0, bound, 1 / size, ends[0], ends[1], ranks=(y.rank, score.rank)
    )


def _sum_midranks(
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


def _make_undefined_table(plane: PairPlane) -> PairTable:
    """A measure that these rows have no value of."""
    nothing = np.zeros(len(plane.y.coarse)), np.zeros(len(plane.score.coarse))
    return PairTable((plane.y, plane.score), nan, 0.0, 0.0, *nothing)


COARSE = 1 << 10  # bins of either axis of a grid
FINE = 1 << 6  # bins within a coarse one
AT_ONCE = 1 << 18  # rows whose cells are found at a time
LOW = 15  # bits of a weight that are squared apart from the others
TARGET = ""


@dataclass(frozen=True, eq=False)
class PairCodes:
    """The codes of some rows by the target and by the score of each model, and their weights.

    Weights are whole numbers; None where each is 1.
    """

    y: Places
    scores: Mapping[str, Places]
    whole: Counts | None


@dataclass(frozen=True, eq=False)
class PairBins:
    """Bins of the target and of the score of each model."""

    planes: Mapping[str, PairPlane]
    is_weighted: bool

    def of_piece(self, data: Mapping[str, Rows], whole: Vector) -> PairCodes:
        """The codes of some rows."""
        y, scores = np.empty(0, np.int32), dict[str, Places]()
        for model, plane in self.planes.items():
            rows = data[model]
            assert isinstance(rows, Amounts)
            y = plane.y.codes(rows.y).astype(np.int32)
            scores[model] = plane.score.codes(rows.score).astype(np.int32)
        return PairCodes(y, scores, whole.astype(np.int64) if self.is_weighted else None)

    def of_group(self, pieces: Sequence[PairCodes]) -> PairCodes:
        """The codes of all pieces."""
        wholes = [piece.whole for piece in pieces if piece.whole is not None]
        return PairCodes(
            np.concatenate([piece.y for piece in pieces]),
            {m: np.concatenate([piece.scores[m] for piece in pieces]) for m in self.planes},
            np.concatenate(wholes) if wholes else None,
        )

    def running(self) -> RunningPairs:
        """No weight as yet."""
        return RunningPairs(self.planes)


def build_pair_bins(
    models: Sequence[str],
    sampled: Mapping[str, Vector],
    is_weighted: bool,
    coarse: int | None = None,
    fine: int | None = None,
) -> PairBins:
    """The bins that the targets and scores of sampled rows give, those of one row side by side.

    On either axis there are so many coarse bins, `COARSE` unless told, of so many fine ones,
    `FINE` unless told.
    """
    coarse, fine = coarse or COARSE, fine or FINE
    nothing = np.empty(0)
    target = sampled.get(TARGET, nothing)
    y, planes = build_axis(target, coarse, fine), dict[str, PairPlane]()
    for model in models:
        scores = sampled.get(model, nothing)
        score = build_axis(scores, coarse, fine)
        place = [a.coarse[a.codes_of(v)] for a, v in ((y, target), (score, scores))]
        cells = np.bincount(place[0] * coarse + place[1], minlength=coarse**2)
        cells = cells.reshape(coarse, coarse)
        used = [int(axis.coarse[-1]) + 1 for axis in (y, score)]
        planes[model] = PairPlane(
            y, score, group_bins(cells, used[1], fine), group_bins(cells.T, used[0], fine)
        )
    return PairBins(planes, is_weighted)


def estimate_pair_bytes(models: int, is_weighted: bool) -> float:
    """About how many bytes all tables take: cells, the state kept of them, and what comes of them.

    Without weights the numbers of a state are small.
    """
    cells = COARSE**2 + 2 * COARSE * FINE**2
    return 8.0 * cells * (models * (3.5 if is_weighted else 1.7) + 1)


class RunningPairs:
    """The weight in all cells by model, of all row groups so far."""

    def __init__(self, planes: Mapping[str, PairPlane]) -> None:
        self._planes = planes
        self._squares = np.zeros(3, np.int64)
        self._cells = {model: plane.empty() for model, plane in planes.items()}

    def add(self, part: PairCodes) -> None:
        """Take in the rows of a row group."""
        for start in range(0, len(part.y), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            y = part.y[rows]
            weight = np.ones(len(y), np.int64) if part.whole is None else part.whole[rows]
            high, low = weight >> LOW, weight & ((1 << LOW) - 1)
            self._squares += [(high * high).sum(), (high * low).sum(), (low * low).sum()]
            for model, plane in self._planes.items():
                _count(plane, self._cells[model], y, part.scores[model][rows], weight)

    def state(self) -> State:
        """The same as arrays by name, in as few bytes as hold them."""
        found = [
            ((model, name), _small(array))
            for model, cells in self._cells.items()
            for name, array in cells.arrays().items()
        ]
        return [(("squares",), self._squares), *found]

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        for name, array in state:
            if len(name) == 1:
                self._squares += array
            else:
                self._cells[name[0]].arrays()[name[1]][...] += array.astype(np.int64)

    def tables(self) -> RankTables:
        """Each measure of each model."""
        high, both, low = map(int, self._squares)
        squares = float((high << 2 * LOW) + (both << LOW + 1) + low)
        return {
            (name, model): table
            for model, plane in self._planes.items()
            for name, table in compute_pair_measures(plane, self._cells[model], squares).items()
        }


def _count(plane: PairPlane, cells: PairCells, y: Places, score: Places, weight: Counts) -> None:
    """Add the weight of rows to their cells."""
    size, fine = plane.y.most, plane.y.fine
    by_y, by_score = plane.y.coarse[y], plane.score.coarse[score]
    at = by_y * size + by_score
    over = (by_y * fine + plane.score_groups.ravel()[at]) * fine + plane.y.within[y]
    np.add.at(cells.y, y.astype(np.intp), weight)
    np.add.at(cells.score, score.astype(np.intp), weight)
    np.add.at(cells.grid.reshape(-1), at, weight)
    np.add.at(cells.by_y.reshape(-1), over, weight)
    group = plane.y_groups.ravel()[by_score * size + by_y]
    over = (by_score * fine + group) * fine + plane.score.within[score]
    np.add.at(cells.by_score.reshape(-1), over, weight)


def _small(array: Counts) -> NDArray[np.unsignedinteger]:
    """The same whole numbers, none below 0, in the fewest bytes each."""
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def needs_pair_bins(ranked: Mapping[Of, Metric]) -> bool:
    """Whether metrics are found from bins of target and score."""
    lines = (find_binned_line(metric) for metric in ranked.values())
    return any(line is not None and line.measure != "roc_auc" for line in lines)


def estimate_bin_bytes(ranked: Mapping[Of, Metric], is_weighted: bool) -> float:
    """About how many bytes the bins take in which rows are counted, whatever the rows."""
    models = len({model for _, model in ranked})
    return estimate_pair_bytes(models, is_weighted) if needs_pair_bins(ranked) else 0.0


def choose_binning(
    ranked: Mapping[Of, Metric], sampled: Mapping[str, Vector], is_weighted: bool
) -> Binning:
    """The bins of each model that metrics of it are found from, as values of sampled rows cut them.

    Two classes ask for bins of the score, amounts for bins of target and score.
    """
    models = list(dict.fromkeys(model for _, model in ranked))
    if needs_pair_bins(ranked):
        return build_pair_bins(models, sampled, is_weighted)
    return ScoreBins({model: choose_edges(sampled.get(model, np.empty(0))) for model in models})
