"""The area under the ROC curve from bins of the score, with how far that can be off.

Each different score of a sample of rows is an edge. Rows with the score of an edge are a bin of
their own, in which all are tied; rows between two edges are a bin in which nothing is known of
their order. So the value is that of scores tied within bins, and the bound is what the other
orders within bins could move it by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Vector
from reportgen.rows import Classes, Rows
from reportgen.streaming.checkpoints import State
from reportgen.streaming.ranked import RankTables

SAMPLED = 1 << 17  # rows of which scores are taken as edges, or about as many
EDGES = 1 << 15
Counts = NDArray[np.int64]


def edges_of(scores: Vector, limit: int | None = None) -> Vector:
    """The edges that a sample of scores gives: those that repeat, and some of the others.

    There are about so many at most, `EDGES` unless told.

    >>> edges_of(np.array([0.5, 0.1, 0.5])).tolist()
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


def bins_of(edges: Vector, scores: Vector) -> Counts:
    """The bin of each score: odd where it is that of an edge, even between two of them.

    >>> bins_of(np.array([1.0, 2.0]), np.array([0.0, 1.0, 1.5, 2.0, 3.0])).tolist()
    [0, 1, 2, 3, 4]
    """
    order = np.argsort(scores)  # values that rise are found several times as fast
    place = np.empty(len(scores), np.intp)
    place[order] = np.searchsorted(edges, scores[order])
    is_edge = edges[np.minimum(place, len(edges) - 1)] == scores
    return np.asarray(2 * place + is_edge, np.int64)


def weight_by_bin(edges: Vector, rows: Rows, whole: Vector) -> Counts:
    """The whole weight of rows in each bin, of either class, (2, bins)."""
    assert isinstance(rows, Classes)
    bins, size = bins_of(edges, rows.score.values), 2 * len(edges) + 1
    upper = rows.y.values > 0
    found = [np.bincount(bins[of], whole[of], size) for of in (~upper, upper)]
    return np.rint(np.stack(found)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Binned:
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
        bins = bins_of(self.edges, rows.score.values)
        return np.asarray(self.influence[(rows.y.values > 0).astype(np.intp), bins])


def binned(edges: Vector, counts: Counts) -> Binned:
    """What counts (2, bins) of weight give; nan where a class has none.

    >>> found = binned(np.array([0.0, 1.0]), np.array([[0, 2, 2, 0, 0], [0, 0, 2, 2, 0]]))
    >>> found.value, found.bound
    (0.875, 0.125)
    """
    lower, upper = counts.astype(np.float64)
    n, p = float(counts[0].sum()), float(counts[1].sum())
    if not (n > 0 and p > 0):
        return Binned(edges, nan, 0.0, np.zeros(counts.shape))
    below = (np.cumsum(counts[0]) - counts[0]).astype(np.float64) + lower / 2
    above = (counts[1].sum() - np.cumsum(counts[1])).astype(np.float64) + upper / 2
    value = float(upper @ below) / (n * p)
    bound = float(lower[::2] @ upper[::2]) / (2 * n * p)
    total = n + p
    influence = np.stack([total / n * (above / p - value), total / p * (below / n - value)])
    return Binned(edges, value, bound, influence)


@dataclass(frozen=True, eq=False)
class ScoreBins:
    """Bins of the score of each model, by their edges."""

    edges: Mapping[str, Vector]

    def of_piece(self, data: Mapping[str, Rows], whole: Vector) -> dict[str, Counts]:
        """The weight in each bin by model, (2, bins)."""
        return {m: weight_by_bin(edges, data[m], whole) for m, edges in self.edges.items()}

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
        return {("roc_auc", m): binned(self._edges[m], counts) for m, counts in self.all.items()}
