"""Sums of rows, row group after row group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.streaming.checkpoints import State
from reportgen.streaming.clusters import Clusters, ClusterWeights
from reportgen.streaming.sums import Whole, added


@dataclass(frozen=True, eq=False)
class SummedRows:
    """Sums of some rows, under their weights and under each resample, and their clusters."""

    own: Whole
    drawn: Whole
    clusters: ClusterWeights


class RunningSums:
    """The sums of all row groups so far."""

    def __init__(self) -> None:
        self._parts: list[SummedRows] = []
        self._clusters = Clusters()

    def add(self, part: SummedRows) -> None:
        """Take in those of a row group."""
        self._clusters.add(part.clusters)
        parts = [*self._parts, part]
        own, drawn = added([each.own for each in parts]), added([each.drawn for each in parts])
        self._parts = [SummedRows(own, drawn, part.clusters)]

    @property
    def all(self) -> SummedRows:
        """Those of all row groups so far."""
        (one,) = self._parts
        return SummedRows(one.own, one.drawn, self._clusters.all())

    def state(self) -> State:
        """The same as arrays by name."""
        found = self.all
        return [
            (("own",), found.own), (("drawn",), found.drawn),
            (("keys",), found.clusters.keys), (("sums",), found.clusters.sums),
        ]  # fmt: skip

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        arrays = {name[0]: np.asarray(array) for name, array in state}
        clusters = ClusterWeights(arrays["keys"], arrays["sums"])
        self.add(SummedRows(arrays["own"], arrays["drawn"], clusters))
