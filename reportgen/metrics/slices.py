"""Quantiles of y in many slices of the rows at once: what a loop over the slices would give."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column, Index, Vector
from reportgen.kernels.weighted_quantile import SLACK
from reportgen.rows import Amounts

DUST = 1e-12  # a share of the total weight that is rounding
MOST = 1_000_000  # rows of all slices that are looked at together


class Slices:
    """The rows of one score under one weighting, shape (n,), to be cut by weight."""

    def __init__(self, rows: Amounts, weight: Vector) -> None:
        self.y, self.weight = rows.y.values, weight
        self.score: Column = rows.score
        self.tied = np.bincount(self.score.group, weights=weight, minlength=self.score.groups)
        self.high = np.cumsum(self.tied)
        self.low = np.append(0.0, self.high[:-1])
        self.total = float(self.high[-1])
        self._by_y: Index = rows.once("by y, then by score", lambda: _by_y(rows))
        self._rank: Index = rows.once("rank by y", lambda: np.argsort(self._by_y))

    def quantiles(self, start: Vector, stop: Vector, q: float) -> Vector:
        """The q-quantile of y between each `start` and `stop` (k,), weights of the rows below.

        The middle of the interval of all q-quantiles; nan where a slice has no rows.
        """
        first, last = self._ranges(start, stop)
        if len(start) > 1 and len(start) * (last - first).max() > MOST:
            half = len(start) // 2
            parts = (slice(half), slice(half, None))
            return np.concatenate([self.quantiles(start[p], stop[p], q) for p in parts])
        which, row = self._by_slice_and_y(first, last)
        inside = self.weight[row] * self._shares(
            which, self.score.group[row].astype(np.intp), start, stop
        )
        counted = inside > 0
        which, row, inside = which[counted], row[counted], inside[counted]
        return _quantiles(which, self.y[row], inside, len(start), q)

    def _ranges(self, start: Vector, stop: Vector) -> tuple[Index, Index]:
        """From which place by score to before which the rows of each slice are."""
        reach = np.searchsorted(self.high, start, side="right")
        which, group = _spread(reach, np.searchsorted(self.low, stop, side="left"))
        enough = self._overlap(which, group, start, stop) > DUST * self.total
        which, group = which[enough], group[enough]
        each = np.arange(len(start))
        begin, end = (np.searchsorted(which, each, side=side) for side in ("left", "right"))
        ends = np.flatnonzero(self.score.is_last) + 1
        begins = np.append(0, ends[:-1])
        found, first, last = begin < end, np.zeros_like(each), np.zeros_like(each)
        first[found] = begins[group[begin[found]]]
        last[found] = ends[group[end[found] - 1]]
        return first, last

    def _by_slice_and_y(self, first: Index, last: Index) -> tuple[Index, Index]:
        """The slice and the row of each place, by slice and then by y."""
        which, place = _spread(first, last)
        n = len(self.y)
        which, rank = np.divmod(np.sort(which * n + self._rank[self.score.order[place]]), n)
        return which, self._by_y[rank]

    def _overlap(self, which: Index, group: Index, start: Vector, stop: Vector) -> Vector:
        high, low = np.minimum(self.high[group], stop[which]), self.low[group]
        return np.asarray(high - np.maximum(low, start[which]))

    def _shares(self, which: Index, group: Index, start: Vector, stop: Vector) -> Vector:
        """The share of each tied group that lies in the slice."""
        tied = self.tied[group]
        part = self._overlap(which, group, start, stop) / np.where(tied > 0, tied, 1.0)
        return np.asarray(part.clip(min=0.0))


def _by_y(rows: Amounts) -> Index:
    """Rows from the lowest y to the highest; those of equal y keep their order by score."""
    order = rows.score.order
    return order[np.argsort(rows.y.values[order], kind="stable")].astype(np.intp)


def _spread(first: Index, last: Index) -> tuple[Index, Index]:
    """Each range first … last - 1 written out: the number of its range, and the places."""
    sizes = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(first)), sizes)
    before = np.cumsum(sizes) - sizes
    return which, np.arange(len(which)) - before[which] + first[which]


def _quantiles(which: Index, y: Vector, weight: Vector, slices: int, q: float) -> Vector:
    """The q-quantile of each slice, of rows by slice and then by y, all of a weight above 0."""
    sizes = np.bincount(which, minlength=slices)
    before = np.cumsum(sizes) - sizes
    shares = np.zeros((slices, max(int(sizes.max(initial=0)), 1)))
    shares[which, np.arange(len(which)) - before[which]] = weight
    shares = np.cumsum(shares, axis=1)
    found, values = sizes > 0, np.full(slices, np.nan)
    shares, before, last = shares[found], before[found], sizes[found] - 1
    shares /= shares[:, -1:]
    low = y[before + np.minimum((shares < q - SLACK).sum(axis=1), last)]
    high = y[before + np.minimum((shares <= q + SLACK).sum(axis=1), last)]
    values[found] = low + (high - low) / 2
    return values
