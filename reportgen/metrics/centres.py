"""Values about a centre, so that the square of a large level hides no small spread.

No metric depends on the centre. It is the median of the rows at hand; rows that are read piece by
piece are all held about the medians of the first, which are noted and taken again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import cycle

import numpy as np

from reportgen.kernels.batch import Vector

_noted: ContextVar[list[float] | None] = ContextVar("noted", default=None)
_fixed: ContextVar[Iterator[float] | None] = ContextVar("fixed", default=None)


def centred(values: Vector) -> Vector:
    """Values minus their median, or minus a centre that is fixed."""
    fixed = _fixed.get()
    if fixed is not None:
        return values - next(fixed)
    if not len(values):
        return values
    centre = float(np.median(values))
    noted = _noted.get()
    if noted is not None:
        noted.append(centre)
    return values - centre


@contextmanager
def noting_centres() -> Iterator[list[float]]:
    """Within the block the centres are noted, in the order in which they are asked for."""
    noted: list[float] = []
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


@contextmanager
def about(centres: Sequence[float]) -> Iterator[None]:
    """Within the block values are held about these, one after the other, again and again."""
    token = _fixed.set(cycle(centres) if centres else None)
    try:
        yield
    finally:
        _fixed.reset(token)
