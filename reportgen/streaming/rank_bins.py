"""Rank metrics from bins of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Vector
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Classes, Rows
from reportgen.metrics.statistic import Scalar
from reportgen.streaming.layout import Summand
from reportgen.streaming.sums import State


class RankTable(Protocol):
    """What bins tell of a measure of ranks of one model."""

    @property
    def level(self) -> float:
        """What the mean of the influence is added to, to give the value."""

    @property
    def bound(self) -> float:
        """How far the value can be from that of all rows."""

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""

    def of(self, rows: Rows) -> Vector:
        """The influence of each row, (n,)."""


RankTables = Mapping[tuple[str, str], RankTable]
"""By measure and model."""


class RunningCounts(Protocol):
    """The weight in bins of all row groups so far."""

    def add(self, part: Any) -> None:
        """Take in that of a row group."""

    def state(self) -> State:
        """The same as arrays by name."""

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""

    def tables(self) -> RankTables:
        """What it tells of each measure of each model."""


class Binning(Protocol):
    """How rows fall into bins: what is found of a piece of rows, of a row group and of all."""

    def of_piece(self, data: Mapping[str, Rows], whole: Vector) -> Any:
        """What is found of some rows by model, with their weights as whole numbers."""

    def of_group(self, pieces: Sequence[Any]) -> Any:
        """What is found of all pieces of a row group."""

    def running(self) -> RunningCounts:
        """What is known before the first row group."""


@dataclass(frozen=True)
class BinnedLine:
    """A metric, with such parameters, as a straight line of a measure that bins tell."""

    measure: str
    level: float = 0.0
    slope: float = 1.0
    params: tuple[tuple[str, Scalar], ...] = ()


BINNED_LINES: Mapping[str, BinnedLine] = {
    "roc_auc": BinnedLine("roc_auc"),
    "gini": BinnedLine("roc_auc", -1.0, 2.0),
    "kendall": BinnedLine("kendall"),
    "kendall_a": BinnedLine("kendall_a"),
    "tau_tilde": BinnedLine("kendall_a", 0.5, 0.5),
    "regression_auc": BinnedLine("regression_auc", params=(("ties", "half"),)),
    "spearman": BinnedLine("spearman"),
    "rho_tilde": BinnedLine("spearman", 0.5, 0.5),
}


def find_binned_line(metric: Metric) -> BinnedLine | None:
    """The line of a measure from bins that a metric is; None if it is none."""
    line = BINNED_LINES.get(metric.name) if metric.shape == "whole" else None
    is_it = line is not None and all(metric.params.get(k) == v for k, v in line.params)
    return line if is_it else None


def describe_binned_parameters(metric: Metric) -> str:
    """The parameters with which alone a metric is found from bins; none if it is, or never is."""
    line = BINNED_LINES.get(metric.name) if metric.shape == "whole" else None
    if line is None or find_binned_line(metric) is not None:
        return ""
    return ", ".join(f"{name}: {value}" for name, value in line.params)


def is_binned(metric: Metric) -> bool:
    """Whether a metric can be found from bins."""
    return find_binned_line(metric) is not None


@dataclass(frozen=True, eq=False)
class BinnedSummand(Summand):
    """A measure from bins: its value, and the influence of a row as its one column."""

    table: RankTable
    line: BinnedLine

    @property
    def level(self) -> float:
        """What the mean of the influence is added to."""
        return self.line.level + self.line.slope * self.table.level

    @property
    def bound(self) -> float:
        """How far the value can be off."""
        return abs(self.line.slope) * self.table.bound

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """The influence of each row; no row lacks it."""
        return [self.line.slope * self.table.of(rows)], 0.0

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""
        return abs(self.line.slope) * self.table.largest


def make_binned_summand(
    metric: Metric, place: int, model: str, tables: RankTables
) -> BinnedSummand:
    """The summand of a metric of a model, whose column stands at a place."""
    line = find_binned_line(metric)
    assert line is not None
    at, table = slice(place, place + 1), tables[line.measure, model]
    return BinnedSummand(metric, at, np.zeros(1), False, table, line)


SAMPLED = 1 << 17  # rows of which scores are taken as edges, or about as many
EDGES = 1 << 15
Counts = NDArray[np.int64]


def choose_edges(scores: Vector, limit: int | None = None) -> Vector:
    """The edges that a sample of scores gives: those that repeat, and some of the others.

    There are about so many at most, `EDGES` unless told.

    >>> choose_edges(np.array([0.5, 0.1, 0.5])).tolist()
    [0.1, 0.5]
    """
    values, times = np.unique(scores, return_counts=True)
    limit = EDGES if limit is None else limit
    atoms, most = values[times > 1], limit // 2
    if len(atoms) > most:
        order = np.argsort(-times[times > 1], kind="stable")
        atoms = atoms[order[:most]]
    if not len(values):
        return np.zeros(1)  # of very few rows the sample may have none
    step = -(-len(values) // limit)
    return np.unique(np.concatenate([values[::step], atoms]))


def find_bins(edges: Vector, scores: Vector) -> Counts:
    """The bin of each score: odd where it is that of an edge, even between two of them.

    >>> find_bins(np.array([1.0, 2.0]), np.array([0.0, 1.0, 1.5, 2.0, 3.0])).tolist()
    [0, 1, 2, 3, 4]
    """
    order = np.argsort(scores)  # values that rise are found several times as fast
    place = np.empty(len(scores), np.intp)
    place[order] = np.searchsorted(edges, scores[order])
    is_edge = edges[np.minimum(place, len(edges) - 1)] == scores
    return np.asarray(2 * place + is_edge, np.int64)


def sum_weight_by_bin(edges: Vector, rows: Rows, whole: Vector) -> Counts:
    """The whole weight of rows in each bin, of either class, (2, bins)."""
    assert isinstance(rows, Classes)
    bins, size = find_bins(edges, rows.score.values), 2 * len(edges) + 1
    upper = rows.y.values > 0
    found = [np.bincount(bins[of], whole[of], size) for of in (~upper, upper)]
    return np.rint(np.stack(found)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class BinnedAuc:
    """The area under the ROC curve from bins, how far it can be off, and its influence.

    `influence` (2, bins) is W · dθ/dw of a row of either class in each bin.
    """

    edges: Vector
    value: float
    bound: float
    influence: Vector

    @property
    def level(self) -> float:
        """The value, about which the influence adds up to nothing."""
        return self.value

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""
        return float(np.abs(self.influence).max())

    def of(self, rows: Rows) -> Vector:
        """The influence of each row, (n,)."""
        assert isinstance(rows, Classes)
        bins = find_bins(self.edges, rows.score.values)
        return np.asarray(self.influence[(rows.y.values > 0).astype(np.intp), bins])


def binned_auc(edges: Vector, counts: Counts) -> BinnedAuc:
    """What counts (2, bins) of weight give; nan where a class has none.

    >>> found = binned_auc(np.array([0.0, 1.0]), np.array([[0, 2, 2, 0, 0], [0, 0, 2, 2, 0]]))
    >>> found.value, found.bound
    (0.875, 0.125)
    """
    lower, upper = counts.astype(np.float64)
    n, p = float(counts[0].sum()), float(counts[1].sum())
    if not (n > 0 and p > 0):
        return BinnedAuc(edges, nan, 0.0, np.zeros(counts.shape))
    below = (np.cumsum(counts[0]) - counts[0]).astype(np.float64) + lower / 2
    above = (counts[1].sum() - np.cumsum(counts[1])).astype(np.float64) + upper / 2
    value = float(upper @ below) / (n * p)
    bound = float(lower[::2] @ upper[::2]) / (2 * n * p)
    total = n + p
    influence = np.stack([total / n * (above / p - value), total / p * (below / n - value)])
    return BinnedAuc(edges, value, bound, influence)


@dataclass(frozen=True, eq=False)
class ScoreBins:
    """Bins of the score of each model, by their edges."""

    edges: Mapping[str, Vector]

    def of_piece(self, data: Mapping[str, Rows], whole: Vector) -> dict[str, Counts]:
        """The weight in each bin by model, (2, bins)."""
        return {m: sum_weight_by_bin(edges, data[m], whole) for m, edges in self.edges.items()}

    def of_group(self, pieces: Sequence[Mapping[str, Counts]]) -> dict[str, Counts]:
        """The same of all pieces."""
        running = self.running()
        for piece in pieces:
            running.add(piece)
        return running.all

    def running(self) -> RunningBins:
        """No weight as yet."""
        return RunningBins(self.edges)


class RunningBins:
    """The weight in each bin of scores by model, of all row groups so far."""

    def __init__(self, edges: Mapping[str, Vector]) -> None:
        self._edges, self.all = edges, dict[str, Counts]()

    def add(self, part: Mapping[str, Counts]) -> None:
        """Take in that of a row group."""
        self.all = {model: self.all.get(model, 0) + counts for model, counts in part.items()}

    def state(self) -> State:
        """The same as arrays by name."""
        return [((model,), counts) for model, counts in self.all.items()]

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        self.add({name[0]: np.asarray(counts) for name, counts in state})

    def tables(self) -> RankTables:
        """The area under the curve of each model."""
        return {
            ("roc_auc", m): binned_auc(self._edges[m], counts) for m, counts in self.all.items()
        }


MOST_AXIS_EDGES = 1 << 16
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class BinnedAxis:
    """The edges of an axis, (k,), and the coarse bin and the bin within it of each code, (2k + 1,).

    There are at most `most` coarse bins, of `fine` bins each.
    """

    edges: Vector
    coarse: Codes
    within: Codes
    most: int
    fine: int

    def codes(self, column: Column) -> Counts:
        """The code of each row, (n,); found once for a column."""
        return column.once("codes", lambda: self.codes_of(column.values))

    def codes_of(self, values: Vector) -> Counts:
        """The code of each value, (n,)."""
        return find_bins(self.edges, values)

    @cached_property
    def bins(self) -> Codes:
        """The fine bin of each code, of all most · fine."""
        return self.coarse * self.fine + self.within

    @cached_property
    def is_between(self) -> NDArray[np.bool_]:
        """Whether a code is of what lies between two values."""
        return np.asarray(np.arange(len(self.coarse)) % 2 == 0)


def build_axis(sampled: Vector, most: int, fine: int) -> BinnedAxis:
    """The axis that a sample of values gives.

    >>> build_axis(np.array([0.5, 0.1, 0.5]), most=2, fine=8).coarse.tolist()
    [0, 0, 0, 1, 1]
    """
    edges = choose_edges(sampled, MOST_AXIS_EDGES)
    counts = np.bincount(find_bins(edges, sampled), minlength=2 * len(edges) + 1)
    coarse = _one_each(counts, most) if len(edges) <= most else _alike(counts, most)
    first = np.searchsorted(coarse, coarse)
    codes = np.searchsorted(coarse, coarse, side="right") - first
    place = np.arange(len(coarse)) - first
    within = np.where(codes <= fine, place, place * fine // codes)
    return BinnedAxis(edges, coarse, within, most, fine)


def group_bins(cells: Counts, bins: int, groups: int) -> NDArray[np.int16]:
    """Groups of bins along each row of a table (m, m) with about as much of the row in each.

    Only so many bins are in use. A little is spread over all of them, as a sample may miss some.
    """
    m = cells.shape[1]
    if bins <= groups:
        return np.tile(np.minimum(np.arange(m), groups - 1).astype(np.int16), (len(cells), 1))
    mass = cells + (np.maximum(cells.sum(axis=1, keepdims=True), 1) / (32 * bins))
    mass[:, bins:] = 0.0
    upto = np.cumsum(mass, axis=1)
    found = (upto - mass / 2) / upto[:, -1:] * groups
    return np.asarray(np.minimum(found, groups - 1).astype(np.int16))


def _one_each(counts: Counts, most: int) -> Codes:
    """A coarse bin for each value; what lies between two goes with the rarer, or by itself."""
    codes = len(counts)
    if codes <= most:
        return np.arange(codes)
    value = np.maximum(np.arange(codes) - 1, 0) // 2
    rising = counts[1:-2:2] > counts[3::2]  # the next value is rarer than the one before
    value[2:-1:2] += rising
    return np.asarray(np.minimum(value, codes // 2 - 1))


def _alike(counts: Counts, most: int) -> Codes:
    """Coarse bins with about as much in each; values that fill one stand alone, if not too many."""
    level = counts.sum() / most
    for _ in range(50):
        level = np.minimum(counts, level).sum() / most
    alone = np.flatnonzero(counts >= max(level, 1.0))
    alone = alone[alone % 2 == 1]
    alone = alone[np.argsort(-counts[alone], kind="stable")[: most // 4]]
    starts = np.zeros(len(counts), bool)
    starts[alone] = starts[alone + 1] = True
    part = np.cumsum(starts)
    is_alone = np.zeros(part[-1] + 1, bool)
    is_alone[part[alone]] = True
    mass = np.bincount(part, weights=counts)
    light = np.where(is_alone, 0.0, mass)
    share = light / max(light.sum(), 1.0)
    bins = 1 + np.floor((most - len(mass)) * share).astype(np.intp)
    before = np.cumsum(mass) - mass
    middle = np.cumsum(counts) - counts / 2 - before[part]
    place = middle / np.maximum(mass, 1.0)[part] * bins[part]
    first = np.cumsum(bins) - bins
    return np.asarray(first[part] + np.minimum(place.astype(np.intp), bins[part] - 1))
