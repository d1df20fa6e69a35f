"""Sums that do not depend on the order of rows, clusters, repeats, and checkpoints."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.checks.rows import UnitColumnSubject
from reportgen.inference.resampling.cache import Cache, digest_parts
from reportgen.kernels.batch import BATCH_SIZE, Batch, Index, Matrix, Vector
from reportgen.kernels.curve_heights import compute_bin_sums
from reportgen.kernels.resample_counts import draw_keyed_poisson_counts
from reportgen.kernels.sums import exact_sums

GROUPS_BETWEEN_STATES = 1.0  # seconds from one state that is kept to the next, at least
SHARE = 20.0  # times as long as it took to keep it
State = Sequence[tuple[Sequence[str], NDArray[Any]]]
"""Arrays, each with its name in some words."""


class Checkpoints:
    """States of the stages of a run by a name for all that they depend on; none without a cache."""

    def __init__(self, cache: Cache | None, name: str) -> None:
        self._cache, self._name, self._last = cache, name, time.monotonic()
        self._wait = GROUPS_BETWEEN_STATES

    def load_state(self, stage: str) -> tuple[int, State]:
        """How many row groups a state is of, and the state; of none where none is whole."""
        pointer = self._get(stage, "which", (2,))
        if pointer is None:
            return 0, ()
        try:
            place, size = map(int, pointer)
            body = self._get(stage, str(place), (-(-size // 8),))
            return (0, ()) if body is None else _unpack_state(body.tobytes()[:size])
        except Exception:  # readers raise anything for a foreign file
            return 0, ()

    def keep(
        self, stage: str, done: int, state: Callable[[], State], is_last: bool = False
    ) -> None:
        """Keep the state of so many row groups, if the one before was kept a while ago."""
        begun = time.monotonic()
        if self._cache is None or not (is_last or begun - self._last >= self._wait):
            return
        packed, size = _pack_state(done, state())
        pointer = self._get(stage, "which", (2,))
        place = 0 if pointer is None else 1 - int(pointer[0])
        self._put(stage, str(place), packed)
        self._put(stage, "which", np.array([place, size], np.float64))
        self._last = time.monotonic()
        self._wait = GROUPS_BETWEEN_STATES * max(1.0, SHARE * (self._last - begun))

    def _get(self, stage: str, what: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
        if self._cache is None:
            return None
        return self._cache.get(digest_parts(self._name, stage, what), shape)

    def _put(self, stage: str, what: str, values: NDArray[np.float64]) -> None:
        if self._cache is not None:
            self._cache.put(digest_parts(self._name, stage, what), values)


def _pack_state(done: int, state: State) -> tuple[NDArray[np.float64], int]:
    """A state with how many row groups it is of, as another run may have written it; its size."""
    names = json.dumps({"done": done, "names": [list(name) for name, _ in state]}).encode()
    arrays = {f"a{k}": array for k, (_, array) in enumerate(state)}
    file = io.BytesIO()
    np.savez(file, about=np.frombuffer(names, np.uint8), **arrays)  # type: ignore[arg-type]
    size = file.tell()
    file.write(bytes(-size % 8))
    return np.frombuffer(file.getbuffer(), np.float64), size


def _unpack_state(content: bytes) -> tuple[int, State]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        about = json.loads(file["about"].tobytes())
        done, names = about["done"], about["names"]
        if type(done) is not int or done < 0:
            raise ValueError(done)
        return done, [(tuple(name), file[f"a{k}"]) for k, name in enumerate(names)]


CLUSTER_BITS = 30
AT_LEAST = 1 << 16  # clusters that wait to be added up, at least


@dataclass(frozen=True, eq=False)
class ClusterWeights:
    """The keys of clusters that weigh anything, in order, and whole weights of each, (g, s).

    The first is that of all of its rows, the others those of the rows that some metrics judge.
    """

    keys: NDArray[np.uint64]
    sums: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


def empty_cluster_weights(sums: int) -> ClusterWeights:
    """No cluster as yet."""
    return ClusterWeights(np.empty(0, np.uint64), np.empty((0, sums), np.int64))


def weight_grain(heaviest: float) -> float:
    """The power of two that weights are multiples of; 1 where each weighs 1.

    >>> weight_grain(1.0) == 2.0**-29
    True
    """
    return float(np.ldexp(1.0, int(np.frexp(heaviest)[1]) - CLUSTER_BITS))


def count_cluster_weights(
    keys: NDArray[np.uint64], weight: Vector, seen: Matrix, grain: float
) -> ClusterWeights:
    """The clusters of some rows; `seen` (s, n) is 1 where a row counts."""
    weighs = weight > 0
    whole = np.rint(weight[weighs] / grain).astype(np.int64)
    return merge_cluster_weights(
        [ClusterWeights(keys[weighs], (whole * seen[:, weighs].astype(np.int64)).T)]
    )


def merge_cluster_weights(parts: Sequence[ClusterWeights]) -> ClusterWeights:
    """All clusters of some parts, each once."""
    keys = np.concatenate([part.keys for part in parts])
    sums = np.concatenate([part.sums for part in parts])
    if not len(keys):
        return parts[0]
    order = np.argsort(keys, kind="stable")
    keys, sums = keys[order], sums[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return ClusterWeights(keys[first], np.add.reduceat(sums, first, axis=0))


class RunningClusters:
    """The clusters of all parts so far: those that came last wait until they are many."""

    def __init__(self) -> None:
        self._kept: ClusterWeights | None = None
        self._waiting = list[ClusterWeights]()

    def add(self, part: ClusterWeights) -> None:
        """Take in the clusters of a part."""
        self._waiting.append(part)
        if sum(map(len, self._waiting)) > max(AT_LEAST, len(self._kept or ())):
            self.all()

    def all(self) -> ClusterWeights:
        """All clusters so far."""
        kept = () if self._kept is None else (self._kept,)
        found = merge_cluster_weights([*kept, *self._waiting])
        self._kept, self._waiting = found, []
        return found


BITS = 38
NARROW = 128  # rows of which products of small whole numbers with 2^38 add up likewise
BLOCK = 2_048  # rows of which 2^38 times a count of at most 12 adds up to less than 2^53
_HALF = np.int64(32)
WholeSums = NDArray[np.int64]
Parts = NDArray[np.float64]  # (2, m, n): whole multiples of grains, and what is left of them


def column_grains(largest: Vector) -> Vector:
    """The power of two that each column is a multiple of, by its largest size, (m,)."""
    size = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.ldexp(1.0, np.frexp(size)[1] - BITS))


def iter_blocks(rows: int) -> Iterator[slice]:
    """So many rows, a block at a time."""
    return (slice(start, min(start + BLOCK, rows)) for start in range(0, rows, BLOCK))


def split_to_grain(columns: Matrix, grain: Vector) -> Parts:
    """Columns (m, n) as whole multiples of their grain, and what is left in 2^-38 of it."""
    parts = np.empty((2, *columns.shape))
    high, low = parts
    np.multiply(columns, 1 / grain[:, None], out=low)
    np.rint(low, out=high)
    low -= high
    low *= 2.0**BITS
    np.rint(low, out=low)
    return parts


def sum_own(parts: Parts) -> WholeSums:
    """The sums of both parts of at most a block of rows, (2, m)."""
    return np.asarray(parts.sum(axis=2).astype(np.int64))


def sum_products(columns: Matrix, whole: Vector) -> WholeSums:
    """Sums of whole weights times every two columns of small whole numbers, (k (k + 1) / 2,)."""
    k, n = columns.shape
    found = np.zeros((k, k), np.int64)
    for start in range(0, n if k else 0, NARROW):
        part = columns[:, start : start + NARROW]
        found += ((part * whole[start : start + NARROW]) @ part.T).astype(np.int64)
    return found[np.triu_indices(k)]


def sum_resampled(
    parts: Parts,
    columns: Index,
    keys: NDArray[np.uint64],
    stream: int,
    batches: int,
    tables: Sequence[tuple[Index, int]] = (),
    weight: int = 0,
) -> WholeSums:
    """Sums of some columns of at most a block of rows under each resample, and those of tables.

    For both parts, (2, batches, m, 64): blocks add up, and `reshape_by_resample` puts them in
    order. A table is the cell of each row, and how many cells there are; what is added up in each
    is the column `weight`.
    """
    m = len(columns)
    found = np.zeros((2, batches, m + sum(cells for _, cells in tables), BATCH_SIZE), np.int64)
    filled = np.asarray(parts[:, columns].any(axis=2))
    part, place = np.nonzero(filled)
    either = parts.reshape(-1, parts.shape[2])  # both parts of all columns, one after the other
    which = part * parts.shape[1] + columns[place]
    for index in range(batches):
        count = draw_keyed_poisson_counts(keys, BATCH_SIZE, stream, index)
        found[:, index, :m][filled] = exact_sums(either, which, count)
        begin = m
        for cell, cells in tables:
            for each, part in zip(found[:, index], parts, strict=True):
                if part[weight].any():
                    each[begin : begin + cells] = _sum_weights_by_cell(
                        cell, part[weight], count, cells
                    )
            begin += cells
    return found


def reshape_by_resample(sums: WholeSums) -> WholeSums:
    """Sums (2, batches, m, 64) as (2, 64 · batches, m)."""
    parts, batches, m, lanes = sums.shape
    return np.asarray(sums.transpose(0, 1, 3, 2).reshape(parts, batches * lanes, m))


def _sum_weights_by_cell(
    cell: Index, weight: Vector, count: NDArray[np.uint8], cells: int
) -> WholeSums:
    """Whole weights under 64 weightings by cell, (cells, 64): exact in any order."""
    first = weight[0]
    if (weight == first).all():
        return compute_bin_sums(Batch(count), cell, cells).T.astype(np.int64) * np.int64(first)
    return compute_bin_sums(Batch(count, weight), cell, cells).T.astype(np.int64)


def carry_halves(sums: WholeSums) -> WholeSums:
    """Whole numbers in two halves, (2, …), of which many can be added."""
    return np.stack([sums >> _HALF, sums & np.int64(0xFFFFFFFF)])


def add_states(states: Sequence[WholeSums]) -> WholeSums:
    """The sum of states, in any order the same."""
    return np.asarray(np.sum(states, axis=0))


def to_real(state: WholeSums, grain: Vector) -> Matrix:
    """What halves of both parts stand for: (2, 2, …, m) with a grain a column gives (…, m)."""
    high, low = (_round_halves(state[:, part]) for part in (0, 1))
    return np.asarray(high * grain + low * (grain * 2.0**-BITS))


def _round_halves(halves: WholeSums) -> Matrix:
    """The number that two halves stand for, rounded once: each is exact in a double."""
    return np.asarray(halves[0].astype(np.float64) * 2.0**32 + halves[1].astype(np.float64))


@dataclass(frozen=True, eq=False)
class SummedRows:
    """Sums of some rows, under their weights and under each resample, and their clusters."""

    own: WholeSums
    drawn: WholeSums
    clusters: ClusterWeights


class RunningSums:
    """The sums of all row groups so far."""

    def __init__(self) -> None:
        self._parts: list[SummedRows] = []
        self._clusters = RunningClusters()

    def add(self, part: SummedRows) -> None:
        """Take in those of a row group."""
        self._clusters.add(part.clusters)
        parts = [*self._parts, part]
        own, drawn = (
            add_states([each.own for each in parts]),
            add_states([each.drawn for each in parts]),
        )
        self._parts = [SummedRows(own, drawn, part.clusters)]

    @property
    def all(self) -> SummedRows:
        """Those of all row groups so far."""
        (one,) = self._parts
        return SummedRows(one.own, one.drawn, self._clusters.all())

    def state(self) -> State:
        """The same as arrays by name."""
        found = self.all
        return [
            (("own",), found.own),
            (("drawn",), found.drawn),
            (("keys",), found.clusters.keys),
            (("sums",), found.clusters.sums),
        ]

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        arrays = {name[0]: np.asarray(array) for name, array in state}
        clusters = ClusterWeights(arrays["keys"], arrays["sums"])
        self.add(SummedRows(arrays["own"], arrays["drawn"], clusters))


MOST = 1 << 20  # different values that are counted
_WORD = 64
Keys = NDArray[np.uint64]
KeyCounts = NDArray[np.uint64]
"""(2, 1 + g): how often the keys were halved and how many rows there are, then keys and counts."""


def missing_counts() -> KeyCounts:
    """What is known of a column that lacks a value: nothing, whatever else it holds."""
    return np.empty((2, 0), np.uint64)


def count_keys(keys: Keys) -> KeyCounts:
    """How often each key occurs among some."""
    values, count = np.unique(keys, return_counts=True)
    head = np.array([[0], [len(keys)]], np.uint64)
    return _limit_held_values(np.hstack([head, np.stack([values, count.astype(np.uint64)])]))


def merge_counts(one: KeyCounts, other: KeyCounts) -> KeyCounts:
    """The same of the rows of both, in any order the same."""
    if not (one.shape[1] and other.shape[1]):
        return missing_counts()
    halved, rows = max(one[0, 0], other[0, 0]), one[1, 0] + other[1, 0]
    keys, counts = np.hstack([one[:, 1:], other[:, 1:]])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    values = np.stack([keys[first], np.add.reduceat(counts, first)])
    return _limit_held_values(np.hstack([np.array([[halved], [rows]], np.uint64), values]))


def merge_counts_by_column(
    one: Mapping[str, KeyCounts], other: Mapping[str, KeyCounts]
) -> dict[str, KeyCounts]:
    """The same of each column."""
    found = dict(one)
    for name, times in other.items():
        found[name] = merge_counts(found[name], times) if name in found else times
    return found


def describe_repeats(found: KeyCounts, column: str) -> UnitColumnSubject:
    """Describe a column of units; of very many units some are counted."""
    if not found.shape[1]:
        return UnitColumnSubject(what=column, times=None)
    all_rows = int(found[1, 0]) if found[0, 0] else 0
    return UnitColumnSubject(what=column, times=found[1, 1:].astype(np.int64), all_rows=all_rows)


def _limit_held_values(found: KeyCounts) -> KeyCounts:
    """As many of the different values as are held."""
    halved = int(found[0, 0])
    while True:
        kept = found[0, 1:] >> np.uint64(_WORD - halved) == 0 if halved else None
        if kept is not None:
            found = np.hstack([found[:, :1], found[:, 1:][:, kept]])
        if found.shape[1] - 1 <= MOST:
            found[0, 0] = halved
            return found
        halved += 1
