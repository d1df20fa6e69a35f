"""Enumerate the orders of tied documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.ranked_lists import Flags, OrderedLists
from reportgen.records import record

MOST = 256  # patterns of a list that are all looked at; of more, so many are drawn
MADE = 2_000_000  # ranks that are written out at a time
Marks = NDArray[np.bool_]  # (patterns, ranks)


@record(eq=False)
class TiePatterns:
    """Patterns of which ranks are relevant, (p, ranks); past the end of a list none is.

    `length` (p,) is how long each list is, `total` (p,) how many relevant documents the query has,
    found or not.
    """

    marks: Marks
    length: Vector
    total: Vector

    @property
    def rank(self) -> Vector:
        """The ranks, (ranks,)."""
        return np.arange(1.0, self.marks.shape[1] + 1)

    @property
    def hits(self) -> Matrix:
        """The number of relevant documents down to each rank, (p, ranks)."""
        return np.cumsum(self.marks, axis=1, dtype=np.float64)

    @property
    def precision(self) -> Matrix:
        """The share of relevant documents down to each rank, (p, ranks)."""
        return self.hits / self.rank


Measure = Callable[[TiePatterns], Matrix]


@record(eq=False)
class ControlVariates:
    """Numbers of a pattern, (p, c), whose means over all patterns are known, (n, c).

    What a measure follows of them by regression is put right where patterns are drawn.
    """

    of: Measure
    known: Matrix


def average_over_patterns(
    found: OrderedLists, relevant: float, measure: Measure, controls: ControlVariates
) -> Matrix:
    """Average a measure, (p, m), over the orders of tied documents of each query: (n, m)."""
    flags = found.grade >= relevant
    total, made = found.judgements.count_relevant(relevant), []
    for index, marks, sizes in _iter_query_patterns(found, flags):
        marks[:, int(min(found.depth, marks.shape[1])) :] = False
        query = np.repeat(index, sizes)
        lists = TiePatterns(marks, found.length[query], total[query])
        values, start = measure(lists), np.append(0, np.cumsum(sizes)).astype(np.intp)
        means = np.add.reduceat(values, start[:-1]) / sizes[:, None]
        drawn = np.flatnonzero(sizes == MOST)
        control_values = controls.of(lists) if len(drawn) else np.empty((0, 0))
        for k in drawn:
            rows = slice(start[k], start[k + 1])
            means[k] -= _estimate_sampling_error(
                values[rows], control_values[rows], controls.known[index[k]]
            )
        made.append((index, means))
    width = made[0][1].shape[1] if made else 1
    every = np.zeros((len(found), width))
    for index, means in made:
        every[index] = means
    return every


def _estimate_sampling_error(values: Matrix, control_values: Matrix, known: Vector) -> Vector:
    """Return by how much the mean of a sample is off, as far as control values tell, (m,)."""
    off = control_values.mean(axis=0) - known
    centred, own = control_values - control_values.mean(axis=0), values - values.mean(axis=0)
    slope = np.linalg.lstsq(centred, own, rcond=1e-9)[0]
    return np.asarray(off @ slope)


def _iter_query_patterns(found: OrderedLists, flags: Flags) -> Iterator[tuple[Index, Marks, Index]]:
    """Yield some queries at a time, their patterns below one another, and how many each has."""
    right = found.count_by_group(flags).astype(np.intp)
    is_mixed = (right > 0) & (right < found.size)
    mixed = np.unique(found.owner[is_mixed])
    size = np.diff(found.start)
    plain = np.setdiff1d(np.arange(len(found)), mixed)
    for part in _iter_query_parts(plain, size, 1):
        width = int(size[part].max(initial=0))
        marks = np.zeros((len(part), width), dtype=bool)
        row, column = np.nonzero(np.arange(width) < size[part][:, None])
        marks[row, column] = flags[found.start[part][row] + column]
        yield part, marks, np.ones(len(part), np.intp)
    first = np.searchsorted(found.owner, np.arange(len(found) + 1))
    for part in _iter_query_parts(mixed, size, MOST):
        groups = [slice(first[q], first[q + 1]) for q in part]
        each = [_patterns(found.size[g].astype(np.intp), right[g]) for g in groups]
        marks = np.zeros((sum(map(len, each)), int(size[part].max())), dtype=bool)
        sizes = np.array([len(one) for one in each], np.intp)
        for one, end in zip(each, np.cumsum(sizes), strict=True):
            marks[end - len(one) : end, : one.shape[1]] = one
        yield part, marks, sizes


def _iter_query_parts(index: Index, size: Index, times: int) -> Iterator[Index]:
    """Yield queries of similar lengths, as many as there is room for."""
    ordered = index[np.argsort(size[index], kind="stable")]
    begin = 0
    while begin < len(ordered):
        room = np.maximum(size[ordered[begin:]], 1) * times * np.arange(1, len(ordered) - begin + 1)
        taken = max(int(np.searchsorted(room, MADE, side="right")), 1)
        yield ordered[begin : begin + taken]
        begin += taken


def _patterns(size: Index, right: Index) -> Marks:
    """List the patterns of groups of these sizes, each with so many relevant, or a sample."""
    ways = prod(comb(int(t), int(r)) for t, r in zip(size, right, strict=True))
    if ways < MOST:
        each = [_list_all_patterns(int(t), int(r)) for t, r in zip(size, right, strict=True)]
        return np.array([np.concatenate(parts) for parts in product(*each)])
    draw = np.random.default_rng([*size, *right])
    parts = []
    for t, r in zip(size, right, strict=True):
        if 0 < r < t:
            order = np.argsort(draw.random((MOST, t)), axis=1)
            parts.append(order < r)
        else:
            parts.append(np.full((MOST, t), r > 0))
    return np.concatenate(parts, axis=1)


def _list_all_patterns(size: int, right: int) -> list[Marks]:
    made = []
    for places in combinations(range(size), right):
        marks = np.zeros(size, dtype=bool)
        marks[list(places)] = True
        made.append(marks)
    return made
