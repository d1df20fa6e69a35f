"""Numbers of many units, one each, which are made again whenever they are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from reportgen.kernels.batch import Memo, Result, Vector

FIRST = 1_024  # numbers that are kept


class RemadeVector(NDArrayOperatorsMixin):
    """A vector that takes no memory: NumPy reads it as the array that `make` gives each time.

    An array that is `held` is read in its place until it is released. The first numbers are kept.
    """

    def __init__(self, make: Callable[[], Vector], held: Vector | None = None) -> None:
        self._make, self._held, self._found = make, held, Memo()

    def keep_first(self, of: Vector) -> None:
        """Keep the first numbers of the array, which is at hand."""
        self._first = len(of), of[:FIRST].copy()

    def release(self) -> None:
        """Let go of the array."""
        self._held = None

    def read(self) -> Vector:
        """Return the array: the one that is held, or a new one."""
        held = self._held
        return self._make() if held is None else held

    def once(self, name: str, compute: Callable[[Vector], Result]) -> Result:
        """Return what `compute` made of the array the first time: a number that outlives it."""
        return self._found(name, lambda: compute(self.read()))

    @property
    def nbytes(self) -> int:
        """The bytes of the array that is held."""
        return 0 if self._held is None else self._held.nbytes

    @cached_property
    def _first(self) -> tuple[int, Vector]:
        """How many numbers there are, and the first of them."""
        units = self.read()
        return len(units), units[:FIRST].copy()

    def __len__(self) -> int:
        return self._first[0]

    def __getitem__(self, key: Any) -> Any:
        is_first = isinstance(key, slice) and key.start is None and 0 < (key.stop or 0) <= FIRST
        return self._first[1][key] if is_first else self.read()[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Vector:
        return self.read()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(read_units, inputs), **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.read(), name)


def make_again(
    make: Callable[[], Vector | None], units: Vector | None, *, is_held: bool
) -> Vector | None:
    """Return the numbers of units as a vector that is made when it is read, unless it is held."""
    if units is None:
        return None
    each = RemadeVector(cast(Callable[[], Vector], make), units if is_held else None)
    each.keep_first(units)
    return cast(Vector, each)


def read_units(each: Any) -> Any:
    """Return the array of a vector that is made again, and anything else as it is."""
    return each.read() if isinstance(each, RemadeVector) else each


def summarise_units(units: Vector, name: str, compute: Callable[[Vector], Result]) -> Result:
    """Return what `compute` makes of the numbers of units; once, where they are made again."""
    return units.once(name, compute) if isinstance(units, RemadeVector) else compute(units)


def sum_squares(units: Vector) -> float:
    """Return the sum of the squares of the numbers of units."""
    return summarise_units(units, "squares", lambda each: float((each**2).sum()))


def apply_to_units(operation: Callable[..., Vector], *each: Vector) -> Vector:
    """Apply an operation to vectors, number by number; later, if one of them is made again."""
    if not any(isinstance(one, RemadeVector) for one in each):
        return operation(*each)
    return cast(Vector, RemadeVector(lambda: operation(*map(read_units, each))))
