"""The weight of each cluster, from rows that are read piece by piece: whole numbers by a key.

Weights are rounded to 2^-30 of the largest, so that eight billion rows of a cluster add exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Matrix, Vector

BITS = 30
AT_LEAST = 1 << 16  # clusters that wait to be added up, at least


@dataclass(frozen=True, eq=False)
class ClusterWeights:
    """The keys of clusters that weigh anything, in order, and whole weights of each, (g, s).

    The first is that of all of its rows, the others those of the rows that some metrics judge.
    """

    keys: NDArray[np.uint64]
    sums: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


def none_of(sums: int) -> ClusterWeights:
    """No cluster as yet."""
    return ClusterWeights(np.empty(0, np.uint64), np.empty((0, sums), np.int64))


def grain_of(heaviest: float) -> float:
    """The power of two that weights are multiples of; 1 where each weighs 1.

    >>> grain_of(1.0) == 2.0**-29
    True
    """
    return float(np.ldexp(1.0, int(np.frexp(heaviest)[1]) - BITS))


def weights_of(
    keys: NDArray[np.uint64], weight: Vector, seen: Matrix, grain: float
) -> ClusterWeights:
    """The clusters of some rows; `seen` (s, n) is 1 where a row counts."""
    weighs = weight > 0
    whole = np.rint(weight[weighs] / grain).astype(np.int64)
    return together([ClusterWeights(keys[weighs], (whole * seen[:, weighs].astype(np.int64)).T)])


def together(parts: Sequence[ClusterWeights]) -> ClusterWeights:
    """All clusters of some parts, each once."""
    keys = np.concatenate([part.keys for part in parts])
    sums = np.concatenate([part.sums for part in parts])
    if not len(keys):
        return parts[0]
    order = np.argsort(keys, kind="stable")
    keys, sums = keys[order], sums[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return ClusterWeights(keys[first], np.add.reduceat(sums, first, axis=0))


class Clusters:
    """The clusters of all parts so far: those that came last wait until they are many."""

    def __init__(self) -> None:
        self._kept: ClusterWeights | None = None
        self._waiting = list[ClusterWeights]()

    def add(self, part: ClusterWeights) -> None:
        """Take in the clusters of a part."""
        self._waiting.append(part)
        if sum(map(len, self._waiting)) > max(AT_LEAST, len(self._kept or ())):
            self.all()

    def all(self) -> ClusterWeights:
        """All clusters so far."""
        kept = () if self._kept is None else (self._kept,)
        found = together([*kept, *self._waiting])
        self._kept, self._waiting = found, []
        return found
