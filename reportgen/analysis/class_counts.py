"""How many rows are of each class, and what weighs in the cells of the tables of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.plan import ClassUse
from reportgen.kernels.batch import Vector
from reportgen.rows import Classes, LabelSets, Rows


def of_rarer_class(
    upper: NDArray[np.bool_], weight: Vector, by_unit: Callable[[Vector], Vector]
) -> int:
    """How many units have a row that weighs of the rarer of two classes.

    >>> of_rarer_class(np.array([True, False, False]), np.ones(3), lambda each: each)
    1
    """
    held = (by_unit(np.where(rows, weight, 0.0)) for rows in (upper, ~upper))
    return min(int(np.count_nonzero(weights)) for weights in held)


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Those of rows at hand: their weights, what adds up by unit, and the rows of each model."""

    weight: Vector
    by_unit: Callable[[Vector], Vector]
    data: Mapping[str, Rows]

    def rows(self, each: ClassUse) -> int:
        """How many rows of a class weigh anything; of an average how many rows do."""
        weighs = self.weight > 0
        return int(np.count_nonzero(weighs if each.rows is None else weighs & each.rows))

    def units(self, each: ClassUse) -> tuple[int, int]:
        """How many units have a row of a class that weighs, and how many there are."""
        assert each.rows is not None
        has = self.by_unit(each.rows * self.weight) > 0
        return int(has.sum()), len(has)

    def calls(self, model: str) -> NDArray[np.float64] | None:
        """The weight by class that was and that was called, (k, k); None of no several classes."""
        rows = self.data[model]
        if not isinstance(rows, Classes):
            return None
        k = len(rows.labels)
        cell = rows.code * k + rows.called
        return np.bincount(cell, self.weight, k * k).astype(np.float64).reshape(k, k)

    def labels(self, model: str, threshold: float, at: str) -> NDArray[np.float64]:
        """Of each label the weight that lacks it or has it, each not called and called, (k, 4)."""
        rows = self.data[model]
        assert isinstance(rows, LabelSets)
        cells = (2 * rows.flags + rows.called(threshold, at)).T
        return np.stack([np.bincount(cell, self.weight, 4) for cell in cells])
