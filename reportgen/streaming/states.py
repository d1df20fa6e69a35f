"""States of rows: arrays by name that merge, are kept by checkpoints and are sent by workers."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.proportion_intervals import FEW_DIFFER
from reportgen.inference.resampling.cache import Cache, digest_parts

Array = NDArray[Any]
Name = tuple[str, ...]
SegmentName = tuple[str, str]  # its column and its value
SEGMENT = "segment"
Merge = Callable[[Sequence[Array]], Array]
DIFFERING = f"first {FEW_DIFFER}"
GROUPS_BETWEEN_STATES = 1.0  # seconds from one state that is kept to the next, at least
SHARE = 20.0  # times as long as it took to keep it
MOST_COUNTED = 1 << 20  # different values that are counted
WORD_BITS = 64


class State(dict[Name, Array]):
    """Arrays by name; the first word of a name says how two arrays of that name merge."""

    def put(self, how: str, *name: str, value: Any) -> None:
        """Add an array."""
        self[how, *name] = np.asarray(value)

    def find(self, how: str, what: str) -> dict[Name, Array]:
        """Return the arrays of one kind by the rest of their names."""
        return {name[2:]: each for name, each in self.items() if name[:2] == (how, what)}

    def put_segment(self, segment: SegmentName, state: State) -> None:
        """Add what is known of the rows of a segment."""
        for name, each in state.items():
            self[(name[0], SEGMENT, *segment, *name[1:])] = each

    def select_segment(self, segment: SegmentName) -> State:
        """Select what is known of the rows of a segment."""
        place = (SEGMENT, *segment)
        return State(
            ((name[0], *name[4:]), each) for name, each in self.items() if name[1:4] == place
        )

    def number(self, how: str, *name: str) -> float:
        """Return a single number; 0 where no rows gave one."""
        return float(self.get((how, *name), 0.0))


def merge_states(states: Sequence[State]) -> State:
    """Merge the states of consecutive rows into that of all of them."""
    found = State()
    for name in dict.fromkeys(name for state in states for name in state):
        arrays = [state[name] for state in states if name in state]
        found[name] = arrays[0] if len(arrays) == 1 else get_merge(name[0])(arrays)
    return found


class RunningState:
    """The state of all row groups so far.

    States wait until as many follow them, so that long arrays are seldom copied.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, State]] = []

    def add(self, state: State) -> None:
        """Take in the state of the next row group."""
        self._waiting.append((1, state))
        while len(self._waiting) > 1 and self._waiting[-2][0] == self._waiting[-1][0]:
            (size, first), (_, second) = self._waiting[-2:]
            self._waiting[-2:] = [(2 * size, merge_states([first, second]))]

    @property
    def all(self) -> State:
        """The state of all of them."""
        if len(self._waiting) != 1:
            self._waiting = [(1, merge_states([state for _, state in self._waiting]))]
        return self._waiting[0][1]


def merge_keyed_sums(rows: Array, keys: int = 1) -> Array:
    """Add up rows of (keys …, numbers …) by keys: uint64, the numbers as bits of whole numbers.

    >>> merge_keyed_sums(np.array([[7, 1], [2, 3], [7, 1]], np.uint64)).tolist()
    [[2, 3], [7, 2]]
    """
    rows = rows[np.lexsort(rows[:, :keys].T[::-1])]
    is_first = (rows[1:, :keys] != rows[:-1, :keys]).any(axis=1)
    first = np.flatnonzero(np.append(True, is_first))[: len(rows)]
    if not len(first):
        return rows
    sums = np.add.reduceat(rows[:, keys:].view(np.int64), first, axis=0).view(np.uint64)
    return np.column_stack([rows[first, :keys], sums])


def build_keyed_sums(numbers: NDArray[np.int64], *keys: NDArray[Any]) -> Array:
    """Build a table to merge from whole numbers (n, s) and keys, (n,) each."""
    of_rows = [each.astype(np.uint64) for each in keys]
    return merge_keyed_sums(np.column_stack([*of_rows, numbers.view(np.uint64)]), len(keys))


def merge_value_counts(tables: Sequence[Array]) -> Array:
    """Count how often each value occurs, in any order the same; see `count_values`."""
    if not all(table.shape[1] for table in tables):
        return np.empty((2, 0), np.uint64)
    head = np.array([[max(t[0, 0] for t in tables)], [sum(t[1, 0] for t in tables)]], np.uint64)
    counts = merge_keyed_sums(np.concatenate([table[:, 1:].T for table in tables])).T
    return _limit_counted_values(np.hstack([head, counts]))


def count_values(keys: NDArray[np.uint64]) -> Array:
    """Count how often each key occurs, (2, 1 + g).

    The first column says how often the counted keys were halved and how many rows there are; the
    others are keys and counts. No column at all stands for rows without a value.
    """
    values, count = np.unique(keys, return_counts=True)
    head = np.array([[0], [len(keys)]], np.uint64)
    return _limit_counted_values(np.hstack([head, np.stack([values, count.astype(np.uint64)])]))


def _limit_counted_values(found: Array) -> Array:
    """Keep as many different values as are counted: which ones depends on their keys alone."""
    halved = int(found[0, 0])
    while True:
        kept = found[0, 1:] >> np.uint64(WORD_BITS - halved) == 0 if halved else None
        if kept is not None:
            found = np.hstack([found[:, :1], found[:, 1:][:, kept]])
        if found.shape[1] - 1 <= MOST_COUNTED:
            found[0, 0] = halved
            return found
        halved += 1


def select_lowest(values: Array, most: int) -> Array:
    """Select the lowest different values, in order.

    >>> select_lowest(np.array([3, 1, 1, 2]), 2).tolist()
    [1, 2]
    """
    few = 2 * most
    if len(values) > few:
        lowest = np.unique(np.partition(values, few)[:few])
        if len(lowest) >= most:
            return lowest[:most]
    return np.unique(values)[:most]


def select_largest(values: Array, most: int) -> Array:
    """Select the largest by size, with their signs, in any order; of equal sizes the higher value.

    >>> select_largest(np.array([1.0, -3.0, 2.0, -2.0]), 2).tolist()
    [-3.0, 2.0]
    """
    if len(values) <= most:
        return values
    sizes = np.abs(values)
    limit = np.partition(sizes, len(sizes) - most)[len(sizes) - most]
    above = values[sizes > limit]
    level = np.sort(values[sizes == limit])[::-1]
    return np.append(above, level[: most - len(above)])


def _furthest_from_one(values: Sequence[Array]) -> Array:
    return max(values, key=lambda value: abs(float(value) - 1))


MERGES: Mapping[str, Merge] = {
    "sum": lambda arrays: np.asarray(reduce(np.add, arrays)),
    "most": lambda arrays: np.asarray(reduce(np.maximum, arrays)),
    "least": lambda arrays: np.asarray(reduce(np.minimum, arrays)),
    "any": lambda arrays: np.asarray(reduce(np.logical_or, arrays)),
    "join": np.concatenate,
    "value counts": merge_value_counts,
    "furthest from 1": _furthest_from_one,
}
LIMITED: Mapping[str, Callable[[Array, int], Array]] = {
    "first": lambda values, most: values[:most],
    "lowest": select_lowest,
    "largest": select_largest,
    "keyed sums": merge_keyed_sums,
}
"""Merges of which a name also says how many values are kept, or how many keys: `lowest 20`."""


def get_merge(how: str) -> Merge:
    """Return what merges the arrays whose names begin with this word."""
    if how in MERGES:
        return MERGES[how]
    word, _, number = how.rpartition(" ")
    return lambda arrays: LIMITED[word](np.concatenate(arrays), int(number))


class Checkpoints:
    """States of the stages of a run by a name for all that they depend on; none without a cache."""

    def __init__(self, cache: Cache | None, name: str) -> None:
        self._cache, self._name, self._last = cache, name, time.monotonic()
        self._wait = GROUPS_BETWEEN_STATES

    def load_state(self, stage: str) -> tuple[int, State]:
        """Load a state and of how many row groups it is; of none where none is whole."""
        found = None if self._cache is None else self._cache.get_row(self._digest(stage))
        return (0, State()) if found is None else _unpack_state(found.tobytes())

    def keep(
        self, stage: str, done: int, state: Callable[[], State], is_last: bool = False
    ) -> None:
        """Keep the state of so many row groups, if the one before was kept a while ago."""
        begun = time.monotonic()
        if self._cache is None or not (is_last or begun - self._last >= self._wait):
            return
        self._cache.put(self._digest(stage), _pack_state(done, state()))
        self._last = time.monotonic()
        self._wait = GROUPS_BETWEEN_STATES * max(1.0, SHARE * (self._last - begun))

    def _digest(self, stage: str) -> str:
        return digest_parts(self._name, stage)


def _pack_state(done: int, state: State) -> NDArray[np.float64]:
    """Pack a state with how many row groups it is of; readers pass over the bytes that fill up."""
    names = json.dumps({"done": done, "names": [list(name) for name in state]}).encode()
    arrays = {f"a{k}": array for k, array in enumerate(state.values())}
    file = io.BytesIO()
    np.savez(file, about=np.frombuffer(names, np.uint8), **arrays)  # type: ignore[arg-type]
    file.write(bytes(-file.tell() % 8))
    return np.frombuffer(file.getbuffer(), np.float64)


def _unpack_state(content: bytes) -> tuple[int, State]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        about = json.loads(file["about"].tobytes())
        arrays = ((tuple(name), file[f"a{k}"]) for k, name in enumerate(about["names"]))
        return about["done"], State(arrays)
