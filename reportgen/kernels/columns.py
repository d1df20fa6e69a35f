"""Columns of values that are sorted once, and weights of many resamples side by side."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cached_property
from threading import RLock
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Index = NDArray[np.intp]
Places = NDArray[np.int32]  # of rows, or numbers of groups: half the room; no sums are made of them
Result = TypeVar("Result")


POWERS = 10.0 ** np.arange(23)  # those that doubles hold exactly
AT_ONCE = 8_192  # values of which decimals are found at a time


def parse_printed_floats(values: NDArray[Any]) -> Vector:
    """Return the doubles of the shortest decimals that name floats of any precision, (n,).

    Widened, a score of 0.7 in single precision would fall below a threshold of 0.7.

    >>> parse_printed_floats(np.array([0.7, 1.1], np.float32)).tolist()
    [0.7, 1.1]
    """
    if values.dtype.kind != "f" or values.dtype.itemsize >= 8:
        return np.asarray(values, dtype=np.float64)
    doubles = values.astype(np.float64).ravel()
    flat = values.ravel()
    for start in range(0, len(flat), AT_ONCE):
        _round_to_decimals(flat[start : start + AT_ONCE], doubles[start : start + AT_ONCE])
    return doubles.reshape(values.shape)


def _round_to_decimals(values: NDArray[Any], doubles: Vector) -> None:
    """Round each of `doubles`, the same values as doubles, to the fewest digits that name it.

    Digits and powers of ten are exact doubles for sizes that are neither tiny nor huge, so that
    their quotient is the double nearest to the decimal; other values are printed and read.
    """
    if values.dtype == np.float32 and native.is_native():
        flags = np.empty(len(values), np.uint8)
        native.call_kernel("short_decimals", values, len(values), POWERS, doubles, flags)
        _print(values, doubles, flags != 0)
        return
    kind, size = np.finfo(values.dtype), np.abs(doubles)
    is_usual = (size > max(1e-13, 2 * float(kind.tiny))) & (size < 1e13)
    is_printed = np.isfinite(doubles) & (size > 0) & ~is_usual
    left = np.flatnonzero(is_usual)
    exponent = np.floor(np.log10(size[left])).astype(np.int64)
    for digits in range(kind.precision, kind.precision + 4):
        places = digits - 1 - exponent
        up, down = POWERS[np.maximum(places, 0)], POWERS[np.maximum(-places, 0)]
        decimals = np.rint(doubles[left] * up / down) / up * down
        is_same = decimals.astype(values.dtype) == values[left]
        doubles[left[is_same]] = decimals[is_same]
        left, exponent = left[~is_same], exponent[~is_same]
        # The neighbours of a power of two are not equally far: its decimal may not be the nearest.
        is_printed[left] |= np.frexp(size[left])[0] == 0.5
    _print(values, doubles, is_printed)


def _print(values: NDArray[Any], doubles: Vector, which: NDArray[np.bool_]) -> None:
    """Read some values as they are printed."""
    if which.any():
        doubles[which] = [float(str(value)) for value in values[which]]


class Column:
    """A vector of n values, with its ascending order and its groups of equal values."""

    def __init__(self, values: Vector) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self._kept = Memo()
        self._taken: WeakValueDictionary[int, Column] = WeakValueDictionary()
        self._source: tuple[Column, Index] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time: for tables that kernels prepare."""
        return self._kept(name, compute)

    def forget(self) -> None:
        """Let go of what was computed once but the order and the groups; it is made again."""
        self._kept.keep({"sorted", "group", "groups"})

    @property
    def order(self) -> Places:
        """Rows from the lowest value to the highest; equal values keep their row order."""
        return self.once("sorted", self._sort)[0]

    @property
    def is_last(self) -> NDArray[np.bool_]:
        """In ascending order: whether a row is the last of its group of equal values."""
        return self.once("sorted", self._sort)[1]

    @property
    def has_order(self) -> bool:
        """Whether the order has been computed."""
        return self._kept.has("sorted")

    @property
    def ascending(self) -> Vector:
        """The values from the lowest to the highest."""
        return self.once("ascending", lambda: self.values[self.order])

    def _sort(self) -> tuple[Places, NDArray[np.bool_]]:
        """Sort the values; rows of a sorted column that are taken in its row order need no sort."""
        source, rows = self._source or (self, np.empty(0, np.intp))
        if not source.has_order or not np.all(rows[1:] > rows[:-1]):
            return _sort(self.values)
        place = np.full(len(source), -1, np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        order = place[source.order]
        order = order[order >= 0]
        return order, _is_last(self.values[order])

    @property
    def group(self) -> Places:
        """The number of each row's group of equal values, from 0, ascending; in row order."""
        return self.once("group", self._group)

    def _group(self) -> Places:
        groups = np.empty(len(self), dtype=np.int32)
        groups[self.order] = np.cumsum(np.append(0, self.is_last[:-1])) if len(self) else 0
        return groups

    def take(self, rows: Index) -> Column:
        """Return the values on some rows; the same array gives the same column while in use."""
        taken = self._taken.get(id(rows))
        if taken is None:
            taken = self._taken[id(rows)] = Column(self.values[rows])
            taken._source = self, rows  # the rows are kept, so that their id stays their own
        return taken

    @property
    def groups(self) -> int:
        """The number of different values."""
        return self.once("groups", lambda: int(self.is_last.sum()))


def sort_by_group(group: Index | Places) -> Index:
    """Places by the number of their group, 0 .. n - 1; within a group they keep their order.

    >>> sort_by_group(np.array([1, 0, 1, 0]))
    array([1, 3, 0, 2])
    """
    bits = len(group).bit_length()
    places = group.astype(np.int64)
    places <<= bits
    places += np.arange(len(group))
    places.sort()
    places &= (1 << bits) - 1
    return places


class Memo:
    """Cache of computed values by name; of two threads that ask for the same, one computes it."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}
        self._lock = RLock()

    def __call__(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time under this name."""
        found = self._found.get(name, self)  # itself where there is nothing
        if found is self:
            with self._lock:
                found = self._found.get(name, self)
                if found is self:
                    found = self._found[name] = compute()
        result: Result = found
        return result

    def has(self, name: str) -> bool:
        """Tell whether something is kept under this name."""
        return name in self._found

    def keep(self, names: Set[str] = frozenset()) -> None:
        """Let go of all others."""
        with self._lock:
            self._found = {name: found for name, found in self._found.items() if name in names}


def _sort(values: Vector) -> tuple[Places, NDArray[np.bool_]]:
    """Return a stable order, and where groups of equal values end in it.

    It is made from a sort that need not be stable, which is several times faster.
    """
    order = np.argsort(values)
    ascending = values[order]
    is_last = _is_last(ascending)
    if len(values) and np.isnan(ascending[-1]):
        order = np.argsort(values, kind="stable")
    elif not is_last.all():
        group = np.cumsum(np.append(0, is_last[:-1])) * len(values)
        order += group
        order.sort()
        order -= group
    return order.astype(np.int32), is_last


def _is_last(ascending: Vector) -> NDArray[np.bool_]:
    """Return whether a value is the last of its group of equal ones."""
    if not len(ascending):
        return np.empty(0, bool)
    return np.append(ascending[1:] != ascending[:-1], True)


Counts = NDArray[np.uint8 | np.int32 | np.float64]
BATCH_SIZE = 64  # weightings side by side: one cache line of one-byte counts a row


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
    def from_weights(cls, weight: Vector) -> Self:
        """One weighting, given by real weights of shape (n,)."""
        return cls(np.ones((len(weight), 1), np.uint8), np.asarray(weight, dtype=np.float64))

    @property
    def size(self) -> int:
        """The number of weightings."""
        return int(self.count.shape[1])

    @property
    def is_whole(self) -> bool:
        """True if all weights are whole numbers: counts that nothing scales."""
        return self.weight is None and self.count.dtype != np.float64

    @cached_property
    def weights(self) -> Matrix:
        """The weights themselves, shape (n, b)."""
        count: Matrix = self.count.astype(np.float64)
        return count if self.weight is None else count * self.weight[:, None]

    def slice(self, rows: Index) -> Self:
        """Return the same weightings on some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.count[rows], weight, self.index)

    def once(self, owner: object, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time for this owner: sums that metrics share."""
        key = (id(owner), name)
        if key not in self._once:
            self._once[key] = (owner, compute())  # the owner is kept, so that its id stays its own
        result: Result = self._once[key][1]
        return result


def kish_effective_rows(weight: Vector) -> float:
    """Kish's number of rows, (Σw)² / Σw²; 0 where nothing weighs.

    >>> import numpy as np
    >>> kish_effective_rows(np.array([1.0, 1.0, 0.0])), kish_effective_rows(np.zeros(3))
    (2.0, 0.0)
    """
    squares = float(weight @ weight)
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0
