"""Weights side by side and their sums, and what one metric sees of one model beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from reportgen.kernels.column import Column as Column
from reportgen.kernels.column import Index as Index
from reportgen.kernels.column import Kept as Kept
from reportgen.kernels.column import Matrix as Matrix
from reportgen.kernels.column import Places as Places
from reportgen.kernels.column import Result as Result
from reportgen.kernels.column import Vector as Vector
from reportgen.kernels.column import by_group as by_group
from reportgen.kernels.ties import weight_totals
from reportgen.kernels.weightings import LANES as LANES
from reportgen.kernels.weightings import Counts as Counts
from reportgen.kernels.weightings import Weightings


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
        return weight_totals(self)
