"""An axis of values cut into bins: codes of single values, and of what lies between two of them.

The codes of an axis stand in order: odd ones are those of a value of the sample, in which all rows
are tied, even ones of what lies between two such values, in which the order of rows is not known.
Codes are put together to fine bins and these to coarse ones, so that about as many rows of the
sample are in each coarse bin, but for values that fill one alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Vector
from reportgen.streaming.grids import Counts, bins_of, edges_of

EDGES = 1 << 16
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
        return bins_of(self.edges, values)

    @cached_property
    def bins(self) -> Codes:
        """The fine bin of each code, of all most · fine."""
        return self.coarse * self.fine + self.within

    @cached_property
    def is_between(self) -> NDArray[np.bool_]:
        """Whether a code is of what lies between two values."""
        return np.asarray(np.arange(len(self.coarse)) % 2 == 0)


def axis_of(sampled: Vector, most: int, fine: int) -> BinnedAxis:
    """The axis that a sample of values gives.

    >>> axis_of(np.array([0.5, 0.1, 0.5]), most=2, fine=8).coarse.tolist()
    [0, 0, 0, 1, 1]
    """
    edges = edges_of(sampled, EDGES)
    counts = np.bincount(bins_of(edges, sampled), minlength=2 * len(edges) + 1)
    coarse = _one_each(counts, most) if len(edges) <= most else _alike(counts, most)
    first = np.searchsorted(coarse, coarse)
    codes = np.searchsorted(coarse, coarse, side="right") - first
    place = np.arange(len(coarse)) - first
    within = np.where(codes <= fine, place, place * fine // codes)
    return BinnedAxis(edges, coarse, within, most, fine)


def groups_along(cells: Counts, bins: int, groups: int) -> NDArray[np.int16]:
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
