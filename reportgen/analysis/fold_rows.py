"""The rows of a part fold by fold: what a metric is on each, and on how many rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.analysis.plan import Folding
from reportgen.inference.evidence import FoldValues
from reportgen.kernels.batch import Batch, Index, Vector
from reportgen.metrics.spec import BoundMetric
from reportgen.rows import Rows


class FoldRows:
    """Rows `among` those of a plan (None: all), (n,) of `weight`, as the folds cut them."""

    def __init__(
        self, folding: Folding, among: Index | None, data: Mapping[str, Rows], weight: Vector
    ) -> None:
        code = folding.code if among is None else folding.code[among]
        self.members = [np.flatnonzero(code == k) for k in range(len(folding.names))]
        self._ratio, self._data, self._weight = folding.ratio, data, weight
        self._rows: dict[str, list[Rows]] = {}
        self._values: dict[tuple[object, str], FoldValues] = {}

    @property
    def sizes(self) -> list[int]:
        """How many rows with weight each fold has."""
        return [int(np.count_nonzero(self._weight[rows] > 0)) for rows in self.members]

    def values(self, bound: BoundMetric, model: str) -> FoldValues:
        """A metric of one model on each fold, found once; nan on a fold where it is undefined."""
        key = bound.statistic.identity, model
        if key not in self._values:
            found = [self._value(bound, rows, k) for k, rows in enumerate(self._of(model))]
            self._values[key] = FoldValues(np.array(found, dtype=np.float64), self._ratio)
        return self._values[key]

    def _value(self, bound: BoundMetric, rows: Rows, fold: int) -> float:
        weight = self._weight[self.members[fold]]
        if not np.any(weight > 0):
            return float("nan")
        return float(bound.statistic.bind(rows)(Batch.of(weight))[0])

    def _of(self, model: str) -> list[Rows]:
        """The rows of each fold, as rows of one fit."""
        if model not in self._rows:
            found = [self._data[model].take(members) for members in self.members]
            for rows in found:
                rows.fold = None
            self._rows[model] = found
        return self._rows[model]
