"""How often each unit is drawn: bootstrap counts and blocks from keyed random streams."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import BATCH_SIZE, Index, Vector
from reportgen.kernels.buffers import allocate_aligned
from reportgen.records import record

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = 2**64 - 1
_REPAIR = 1 << 40  # where a stream continues with the draws that set a replicate's total
_SLOTS = 16  # more than a Poisson draw can be
# 2^32 * P(count < k) for k = 1 .. 12, rounded, for a count of mean 1
_THRESHOLDS = np.array(
    (
        *(1580030169, 3160060337, 3950075422, 4213413783, 4279248374, 4292415292),
        *(4294609778, 4294923276, 4294962463, 4294966817, 4294967253, 4294967292),
    ),
    dtype=np.uint32,
)


def stable_key(*parts: str | int) -> int:
    """Return a 64-bit number for these parts, the same on every machine and in every run.

    >>> stable_key("rows", 7) == stable_key("rows", 7), stable_key("rows", 7) == stable_key("rows7")
    (True, False)
    """
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def draw_multinomial_counts(units: int, columns: int, key: int, batch_index: int) -> Bytes:
    """Draw counts of `units` draws with replacement from as many units, shape (units, columns).

    Independent Poisson(1) counts, then single units added or taken away at random until the
    total is right: given its total a Poisson vector is multinomial, and stays so. Probabilities
    are met to within 2^-32. A count is at most 12 before the last step, which adds a few times
    sqrt(units) units in all, so that one byte always holds it.
    """
    seeds = derive_column_seeds(key, batch_index)
    if native.is_native():
        count = allocate_aligned((units, BATCH_SIZE), np.uint8)
        native.call_kernel("whole_multinomial", seeds, units, count)
        return count if columns == BATCH_SIZE else np.ascontiguousarray(count[:, :columns])
    count = _poisson(units, seeds[:columns])
    _set_totals(count, seeds[:columns])
    return count


def draw_poisson_counts(units: int, columns: int, key: int, batch_index: int) -> Bytes:
    """Independent Poisson(1) counts, shape (units, columns), to within 2^-32; at most 12."""
    seeds = derive_column_seeds(key, batch_index)
    if native.is_native():
        count = allocate_aligned((units, BATCH_SIZE), np.uint8)
        native.call_kernel("whole_poisson", seeds, units, count)
        return count if columns == BATCH_SIZE else np.ascontiguousarray(count[:, :columns])
    return _poisson(units, seeds[:columns])


def draw_keyed_poisson_counts(keys: Words, columns: int, key: int, batch_index: int) -> Bytes:
    """Poisson(1) counts of units by keys of their own, shape (units, columns); at most 12.

    A unit has the same counts whatever stands beside it and wherever it stands: the low and the
    high half of a mix of its key and a seed are those of columns that lie 32 apart.
    """
    seeds = derive_column_seeds(key, batch_index)[: BATCH_SIZE // 2]
    if native.is_native():
        count = allocate_aligned((len(keys), BATCH_SIZE), np.uint8)
        native.call_kernel(
            "whole_keyed_poisson", seeds, np.ascontiguousarray(keys), len(keys), count
        )
        return count if columns == BATCH_SIZE else np.ascontiguousarray(count[:, :columns])
    count = np.empty((len(keys), BATCH_SIZE), dtype=np.uint8)
    for first in range(0, len(keys), 256):
        draws = _mix_bits(keys[first : first + 256, None] + seeds)
        halves = [draws.astype(np.uint32), (draws >> np.uint64(32)).astype(np.uint32)]
        count[first : first + len(draws)] = _count_passed_thresholds(np.hstack(halves))
    return np.ascontiguousarray(count[:, :columns])


def draw_exponential_weights(
    units: int, columns: int, key: int, batch_index: int
) -> NDArray[np.float64]:
    """Exponential weights of mean 1 (the Bayesian bootstrap), shape (units, columns)."""
    seeds = derive_column_seeds(key, batch_index)[:columns]
    weight = np.empty((units, columns))
    for first in range(0, units, 256):  # so many draws at a time fit the second cache
        draws = draw_words(seeds, first, min(256, units - first))
        uniform: Vector = ((draws >> np.uint64(11)) + np.float64(0.5)) * 2.0**-53
        weight[first : first + len(draws)] = -np.log(uniform)
    return weight


def draw_words(seeds: Words, first: int, number: int) -> Words:
    """Draws first + 1 .. first + number of each stream, shape (number, columns)."""
    steps = np.arange(first + 1, first + number + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    return _mix_bits(steps[:, None] + seeds)


def draw_words_at(seeds: Words, places: Index) -> Words:
    """Draw place + 1 of each stream, one a stream; both (k,)."""
    return _mix_bits((places.astype(np.uint64) + np.uint64(1)) * np.uint64(_GOLDEN) + seeds)


@lru_cache(maxsize=1_024)
def derive_column_seeds(key: int, batch_index: int) -> Words:
    """Return where the stream of each of a batch's BATCH_SIZE replicates starts."""
    first = BATCH_SIZE * batch_index
    replicates = np.arange(first + 1, first + BATCH_SIZE + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        seeds = _mix_bits(_mix_bits(replicates * np.uint64(_GOLDEN)) ^ np.uint64(key & _WORD))
    seeds.flags.writeable = False
    return seeds


def _mix_bits(word: Words) -> Words:
    """SplitMix64's mix of the bits of each word."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _poisson(units: int, seeds: Words) -> Bytes:
    """Units 2j and 2j + 1 take the low and the high half of draw j of the column's stream."""
    pairs, columns = (units + 1) // 2, len(seeds)
    count = np.empty((pairs, 2, columns), dtype=np.uint8)
    for first in range(0, pairs, 256):  # so many draws at a time fit the second cache
        draws = draw_words(seeds, first, min(256, pairs - first))
        numbers = np.stack([draws.astype(np.uint32), (draws >> np.uint64(32)).astype(np.uint32)], 1)
        count[first : first + len(draws)] = _count_passed_thresholds(numbers)
    return count.reshape(2 * pairs, columns)[:units]


def _count_passed_thresholds(numbers: NDArray[np.uint32]) -> Bytes:
    """Return how many thresholds each number reaches; few numbers reach the sixth."""
    passed: Bytes = (numbers >= _THRESHOLDS[0]).view(np.uint8)
    for threshold in _THRESHOLDS[1:6]:
        passed += numbers >= threshold
    many = passed == 6
    passed[many] = np.searchsorted(_THRESHOLDS, numbers[many], side="right")
    return passed


def _set_totals(count: Bytes, seeds: Words) -> None:
    """Add or take away single units at random until every column sums to the number of units."""
    missing = len(count) - count.sum(axis=0, dtype=np.int64)
    number = max(int(missing.max(initial=0)), 0)
    rows, columns = _repairs(count, seeds, 0, number)[0], np.arange(len(seeds))
    is_due = np.arange(number)[:, None] < missing
    np.add.at(count, (rows[is_due], np.broadcast_to(columns, is_due.shape)[is_due]), 1)
    excess = np.maximum(-missing, 0)
    at = 0
    while (left := np.flatnonzero(excess)).size:
        number = int(excess[left].mean()) * _SLOTS + _SLOTS  # one draw in so many takes a unit
        rows, slots = _repairs(count, seeds[left], at, number)
        _take_away(count, excess, left, rows, slots)
        at += number


def _repairs(count: Bytes, seeds: Words, at: int, number: int) -> tuple[NDArray[np.intp], Bytes]:
    """Rows and slots of each column's repairs at + 1 .. at + number, both (number, columns)."""
    draws = draw_words(seeds, _REPAIR + at, number)
    bits = max(4, len(count).bit_length())  # the low four choose the slot
    rows = ((draws >> np.uint64(bits)) * np.uint64(len(count))) >> np.uint64(64 - bits)
    return rows.astype(np.intp), (draws & np.uint64(_SLOTS - 1)).astype(np.uint8)


def _take_away(
    count: Bytes,
    excess: NDArray[np.int64],
    columns: NDArray[np.intp],
    rows: NDArray[np.intp],
    slots: Bytes,
) -> None:
    """In the order of the draws: a unit is taken from a row whose count is above the slot."""
    of_column = np.broadcast_to(columns, rows.shape)
    hits = slots < count[rows, of_column]  # counts only fall: no other draw can hit
    drawn = zip(rows[hits].tolist(), of_column[hits].tolist(), slots[hits].tolist(), strict=True)
    for row, column, slot in drawn:
        if excess[column] and slot < count[row, column]:
            count[row, column] -= 1
            excess[column] -= 1


STEPS = 1024  # so many steps of all columns at a time
_ODD = 0x5851F42D4C957F2D  # sets the stream of the places apart from that of the jumps


def draw_stationary_blocks(
    moments: int, columns: int, key: int, batch_index: int, block: float
) -> Bytes | NDArray[np.int32]:
    """Return how often each of `moments` is visited in as many steps, shape (moments, columns).

    `block` is the mean length of a block, at least 1; at 1 the draws are independent. One byte
    a count where all fit.
    """
    walk = _Walk.start(moments, columns)
    jumps, places = (
        derive_column_seeds(key, batch_index)[:columns],
        derive_column_seeds(key ^ _ODD, batch_index),
    )
    threshold = np.uint64(min(round(2**32 / block), 2**32))
    for first in range(0, moments, STEPS):
        draws = draw_words(jumps, first, min(STEPS, moments - first)) >> np.uint64(32)
        is_jump = draws < threshold
        is_jump[0] |= first == 0
        column, step = np.nonzero(is_jump.T)
        walk.jump(column, step + first, _draw_jump_places(places, column, step + first, moments))
    return walk.counts()


@record(eq=False)
class _Walk:
    """Visits by their changes from one moment to the next: `change` ((moments + 1)·columns,).

    `step` and `place` say, column by column, when and where the walk last jumped.
    """

    moments: int
    change: NDArray[np.int16]
    step: Index
    place: Index

    @classmethod
    def start(cls, moments: int, columns: int) -> _Walk:
        """Before the first step."""
        change = np.zeros((moments + 1) * columns, np.int16)
        return cls(moments, change, np.full(columns, -1), np.zeros(columns, np.intp))

    def jump(self, column: Index, step: Index, place: Index) -> None:
        """Jump in the order of columns and, within one, of steps; each jump ends a block."""
        if not len(column):
            return
        is_first = np.append(True, column[1:] != column[:-1])
        begun = np.where(is_first, self.step[column], np.roll(step, 1))
        origin = np.where(is_first, self.place[column], np.roll(place, 1))
        is_block = begun >= 0
        self._end(column[is_block], (origin + step - begun)[is_block])
        self._add(place, column, np.int16(1))
        is_last = np.append(is_first[1:], True)
        self.step[column[is_last]], self.place[column[is_last]] = step[is_last], place[is_last]

    def counts(self) -> Bytes | NDArray[np.int32]:
        """End every walk; then the changes add up to visits."""
        self._end(np.arange(len(self.step)), self.place + self.moments - self.step)
        change = self.change.reshape(self.moments + 1, -1)
        visits = np.cumsum(change[:-1], axis=0, dtype=np.int16)
        return visits.astype(np.uint8) if visits.max(initial=0) < 256 else visits.astype(np.int32)

    def _end(self, column: Index, past: Index) -> None:
        """Blocks end before `past`; what goes over the last moment goes on at the first."""
        is_over = past > self.moments
        over = column[is_over]
        self._add(np.zeros(len(over), np.intp), over, np.int16(1))
        self._add(np.where(is_over, past - self.moments, past), column, np.int16(-1))

    def _add(self, moment: Index, column: Index, by: np.int16) -> None:
        np.add.at(self.change, moment * len(self.step) + column, by)


def _draw_jump_places(seeds: Words, column: Index, step: Index, moments: int) -> Index:
    """Return where the jumps go: any moment, each as likely as the others to within 2^-32."""
    draws = draw_words_at(seeds[column], step) >> np.uint64(32)
    return np.asarray((draws * np.uint64(moments)) >> np.uint64(32), dtype=np.intp)
