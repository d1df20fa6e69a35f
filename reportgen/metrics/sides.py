"""Losses that weigh one side of an error more: the error itself, and who pays the larger cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Vector
from reportgen.rows import Amounts

DEAR = 0.8  # the larger of α and 1 − α from which one side costs four times the other


@dataclass(frozen=True, eq=False)
class Sides:
    """Each row's error, shape (n,), in any unit; and whether it `pays` the larger cost."""

    error: Vector
    pays: NDArray[np.bool_]


def sides_of(rows: Amounts, *, alpha: float, **_: Any) -> Sides | None:
    """Who pays the larger side of a loss in straight lines; None unless it is four times as dear.

    Above α = ½ under-estimation costs more.
    """
    if max(alpha, 1 - alpha) < DEAR:
        return None
    error = rows.error.values
    return Sides(error, error < 0 if alpha > 0.5 else error > 0)
