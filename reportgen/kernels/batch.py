"""A batch of weightings with their totals, and what a metric sees of one model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from reportgen.kernels.columns import (
    BATCH_SIZE,
    Column,
    Counts,
    Index,
    Matrix,
    Memo,
    Places,
    Result,
    Vector,
    Weightings,
    sort_by_group,
)
from reportgen.kernels.ties import sum_weights
from reportgen.records import record

__all__ = [
    "BATCH_SIZE",
    "Batch",
    "Column",
    "Counts",
    "Index",
    "Matrix",
    "Memo",
    "Places",
    "Result",
    "Scored",
    "UnitCosts",
    "Vector",
    "sort_by_group",
]


class Scored(Protocol):
    """Rows with one y and one score each: what pairs, ranks and walks read."""

    @property
    def y(self) -> Column:
        """What happened, (n,)."""

    @property
    def score(self) -> Column:
        """What a model said, (n,)."""

    def __len__(self) -> int: ...

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time."""


class Batch(Weightings):
    """Weightings with their totals: all that a statistic is asked under.

    >>> import numpy as np
    >>> Batch(np.array([[1, 0], [2, 1]], np.uint8), np.array([0.5, 2.0])).totals
    array([4.5, 2. ])
    """

    @cached_property
    def totals(self) -> Vector:
        """Sum of the weights of each weighting, shape (b,)."""
        return sum_weights(self)


@record(eq=False)
class UnitCosts:
    """Costs of one unit too low, and of one too high, on each row: at least 0, (n,) each."""

    under: Vector
    over: Vector

    def take(self, index: Index) -> UnitCosts:
        """Return those of some of the rows."""
        return UnitCosts(self.under[index], self.over[index])
