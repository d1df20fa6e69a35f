"""Measures of ranks from bins of the score, with how far that can be off.

Each different score of a sample of rows is an edge. Rows with the score of an edge are a bin of
their own, in which all are tied; rows between two edges are a bin in which nothing is known of
their order. So the value is that of scores tied within bins, and the bound is what the other
orders within bins could move it by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Vector
from reportgen.metrics.spec import Metric
from reportgen.rows import Classes, Rows
from reportgen.streaming.layout import Summand

SAMPLED = 1 << 17  # rows of which scores are taken as edges, or about as many
EDGES = 1 << 15
Counts = NDArray[np.int64]
LINES: Mapping[str, tuple[float, float]] = {"roc_auc": (0.0, 1.0), "gini": (-1.0, 2.0)}
"""Measures that are straight lines of the area under the ROC curve: their level and slope."""


def is_binned(metric: Metric) -> bool:
    """Whether a measure can be found from bins of the score."""
    return metric.shape == "whole" and metric.name in LINES


def edges_of(scores: Vector) -> Vector:
    """The edges that a sample of scores gives: those that repeat, and some of the others.

    >>> edges_of(np.array([0.5, 0.1, 0.5])).tolist()
    [0.1, 0.5]
    """
    values, times = np.unique(scores, return_counts=True)
    atoms, most = values[times > 1], EDGES // 2
    if len(atoms) > most:
        order = np.argsort(-times[times > 1], kind="stable")
        atoms = atoms[order[:most]]
    if not len(values):
        return np.zeros(1)  # of very few rows the sample may have none
    step = -(-len(values) // EDGES)
    return np.unique(np.concatenate([values[::step], atoms]))


def bins_of(edges: Vector, scores: Vector) -> Counts:
    """The bin of each score: odd where it is that of an edge, even between two of them.

    >>> bins_of(np.array([1.0, 2.0]), np.array([0.0, 1.0, 1.5, 2.0, 3.0])).tolist()
    [0, 1, 2, 3, 4]
    """
    place = np.searchsorted(edges, scores)
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
class BinnedSummand(Summand):
    """A measure from bins: its value, and the influence of a row as its one column."""

    table: Binned
    slope: float

    @property
    def level(self) -> float:
        """The value, about which the influence adds up to nothing."""
        start, rise = LINES[self.metric.name]
        return start + rise * self.table.value

    @property
    def bound(self) -> float:
        """How far the value can be off."""
        return self.slope * self.table.bound

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """The influence of each row; no row lacks it."""
        return [self.slope * self.table.of(rows)], 0.0

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""
        return float(np.abs(self.slope * self.table.influence).max())


def binned_summand(metric: Metric, place: int, table: Binned) -> BinnedSummand:
    """The summand whose column stands at a place."""
    at, centre = slice(place, place + 1), np.zeros(1)
    return BinnedSummand(metric, at, centre, False, table, LINES[metric.name][1])
