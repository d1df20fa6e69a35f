"""Weightings side by side: row i of weighting r weighs `count[i, r] * weight[i]`.

Counts are small integers for resamples and ones for the estimate itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.column import Index, Matrix, Result, Vector

Counts = NDArray[np.uint8 | np.int32 | np.float64]
LANES = 64  # weightings side by side: one cache line of one-byte counts a row


class Weightings:
    """b weightings of n rows: `count` has shape (n, b), `weight` shape (n,) or is None (all 1).

    `index` says which batch of resamples it is; None if it is none.
    """

    def __init__(
        self, count: Counts, weight: Vector | None = None, index: int | None = None
    ) -> None:
        self.count = np.ascontiguousarray(count)
        # Rows that weigh one each scale nothing, and leave counts the whole numbers that they are.
        self.weight = None if weight is None or bool(np.all(weight == 1)) else weight
        self.index = index
        self._once: dict[tuple[int, str], tuple[object, Any]] = {}

    @classmethod
    def of(cls, weight: Vector) -> Self:
        """One weighting, given by real weights of shape (n,)."""
        return cls(np.ones((len(weight), 1), np.uint8), np.asarray(weight, dtype=np.float64))

    @property
    def size(self) -> int:
        """How many weightings there are."""
        return int(self.count.shape[1])

    @property
    def is_whole(self) -> bool:
        """Whether all weights are whole numbers: counts that nothing scales."""
        return self.weight is None and self.count.dtype != np.float64

    @cached_property
    def weights(self) -> Matrix:
        """The weights themselves, shape (n, b)."""
        count: Matrix = self.count.astype(np.float64)
        return count if self.weight is None else count * self.weight[:, None]

    def slice(self, rows: Index) -> Self:
        """The same weightings on some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.count[rows], weight, self.index)

    def once(self, owner: object, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time for this owner: sums that metrics share."""
        key = (id(owner), name)
        if key not in self._once:
            self._once[key] = (owner, compute())  # the owner is kept, so that its id stays its own
        result: Result = self._once[key][1]
        return result
