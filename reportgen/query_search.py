"""The first pass over rows of queries: where the queries are, row group by row group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.data.groups import GroupedTable, RowGroup
from reportgen.data.query_runs import QueryRuns, runs_in
from reportgen.passes import HasTable
from reportgen.streaming.checkpoints import State


@dataclass(frozen=True, eq=False)
class FindingQueries:
    """A look at the column of queries alone, where rows are documents: where each begins."""

    table: GroupedTable
    column: str

    @property
    def reader(self) -> HasTable:
        """Itself: nothing else of the rows is read."""
        return self

    def __call__(self, group: RowGroup) -> QueryRuns:
        """The queries of a row group."""
        return runs_in(self.table, group, self.column)


class FoundQueries:
    """The queries of each row group so far."""

    def __init__(self) -> None:
        self.runs: list[QueryRuns] = []

    def add(self, part: QueryRuns) -> None:
        """Take in those of a row group."""
        self.runs.append(part)

    def state(self) -> State:
        """The same as arrays by name: all keys, all begins, and how many each row group has."""
        return [
            (("keys",), np.concatenate([each.keys for each in self.runs])),
            (("begins",), np.concatenate([each.begins for each in self.runs])),
            (("runs",), np.array([len(each.keys) for each in self.runs])),
        ]

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        arrays = {name[0]: np.asarray(array) for name, array in state}
        ends = np.cumsum(arrays["runs"])
        keys = np.split(arrays["keys"], ends[:-1])
        # Each row group's begins end with how many rows it has.
        begins = np.split(arrays["begins"], (ends + np.arange(1, len(ends) + 1))[:-1])
        self.runs += [QueryRuns(k, b) for k, b in zip(keys, begins, strict=True)]
