"""How often each unit is drawn: bootstrap counts and blocks from keyed random streams."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import LANES, Index, Vector
from reportgen.kernels.buffers import allocate_aligned

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


def draw_multinomial_counts(units: int, lanes: int, key: int, batch_index: int) -> Bytes:
    """Draw counts of `units` draws with replacement from as many units, shape (units, lanes).

    Independent Poisson(1) counts, then single units added or taken away at random until the
    total is right: given its total a Poisson vector is multinomial, and stays so. Probabilities
    are met to within 2^-32. A count is at most 12 before the last step, which adds a few times
    sqrt(units) units in all, so that one byte always holds it.
    """
    seeds = derive_lane_seeds(key, batch_index)
    if native.is_native():
        count = allocate_aligned((units, LANES), np.uint8)
        native.call_kernel("whole_multinomial", seeds, units, count)
        return count if lanes == LANES else np.ascontiguousarray(count[:, :lanes])
    count = _poisson(units, seeds[:lanes])
    _set_totals(count, seeds[:lanes])
    return count


def draw_poisson_counts(units: int, lanes: int, key: int, batch_index: int) -> Bytes:
    """Independent Poisson(1) counts, shape (units, lanes), to within 2^-32; at most 12."""
    seeds = derive_lane_seeds(key, batch_index)
    if native.is_native():
        count = allocate_aligned((units, LANES), np.uint8)
        native.call_kernel("whole_poisson", seeds, units, count)
        return count if lanes == LANES else np.ascontiguousarray(count[:, :lanes])
    return _poisson(units, seeds[:lanes])


def draw_keyed_poisson_counts(keys: Words, lanes: int, key: int, batch_index: int) -> Bytes:
    """Poisson(1) counts of units by keys of their own, shape (units, lanes); at most 12.

    A unit has the same counts whatever stands beside it and wherever it stands: the low and the
    high half of a mix of its key and a seed are those of lanes that lie 32 apart.
    """
    seeds = derive_lane_seeds(key, batch_index)[: LANES // 2]
    if native.is_native():
        count = allocate_aligned((len(keys), LANES), np.uint8)
        native.call_kernel(
            "whole_keyed_poisson", seeds, np.ascontiguousarray(keys), len(keys), count
        )
        return count if lanes == LANES else np.ascontiguousarray(count[:, :lanes])
    count = np.empty((len(keys), LANES), dtype=np.uint8)
    for first in range(0, len(keys), 256):
        draws = _mix_bits(keys[first : first + 256, None] + seeds)
        halves = [draws.astype(np.uint32), (draws >> np.uint64(32)).astype(np.uint32)]
        count[first : first + len(draws)] = _count_passed_thresholds(np.hstack(halves))
    return np.ascontiguousarray(count[:, :lanes])


def draw_signs(units: int, lanes: int, key: int, batch_index: int) -> NDArray[np.int8]:
    """+1 or -1 with equal chance (Rademacher), shape (units, lanes)."""
    draws = draw_words(derive_lane_seeds(key, batch_index)[:lanes], 0, units)
    return np.where(draws >> np.uint64(63), 1, -1).astype(np.int8)


def draw_exponential_weights(
    units: int, lanes: int, key: int, batch_index: int
) -> NDArray[np.float64]:
    """Exponential weights of mean 1 (the Bayesian bootstrap), shape (units, lanes)."""
    seeds = derive_lane_seeds(key, batch_index)[:lanes]
    weight = np.empty((units, lanes))
    for first in range(0, units, 256):  # so many draws at a time fit the second cache
        draws = draw_words(seeds, first, min(256, units - first))
        uniform: Vector = ((draws >> np.uint64(11)) + np.float64(0.5)) * 2.0**-53
        weight[first : first + len(draws)] = -np.log(uniform)
    return weight


def draw_words(seeds: Words, first: int, number: int) -> Words:
    """Draws first + 1 .. first + number of each stream, shape (number, lanes)."""
    steps = np.arange(first + 1, first + number + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    return _mix_bits(steps[:, None] + seeds)


def draw_words_at(seeds: Words, places: Index) -> Words:
    """Draw place + 1 of each stream, one a stream; both (k,)."""
    return _mix_bits((places.astype(np.uint64) + np.uint64(1)) * np.uint64(_GOLDEN) + seeds)


def derive_lane_seeds(key: int, batch_index: int) -> Words:
    """Where the stream of each of a batch's LANES replicates starts."""
    first = LANES * batch_index
    replicates = np.arange(first + 1, first + LANES + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        return _mix_bits(_mix_bits(replicates * np.uint64(_GOLDEN)) ^ np.uint64(key & _WORD))


def _mix_bits(word: Words) -> Words:
    """SplitMix64's mix of the bits of each word."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _poisson(units: int, seeds: Words) -> Bytes:
    """Units 2j and 2j + 1 take the low and the high half of draw j of the lane's stream."""
    pairs, lanes = (units + 1) // 2, len(seeds)
    count = np.empty((pairs, 2, lanes), dtype=np.uint8)
    for first in range(0, pairs, 256):  # so many draws at a time fit the second cache
        draws = draw_words(seeds, first, min(256, pairs - first))
        numbers = np.stack([draws.astype(np.uint32), (draws >> np.uint64(32)).astype(np.uint32)], 1)
        count[first : first + len(draws)] = _count_passed_thresholds(numbers)
    return count.reshape(2 * pairs, lanes)[:units]


def _count_passed_thresholds(numbers: NDArray[np.uint32]) -> Bytes:
    """How many thresholds each number reaches; few numbers reach the sixth."""
    passed: Bytes = (numbers >= _THRESHOLDS[0]).view(np.uint8)
    for threshold in _THRESHOLDS[1:6]:
        passed += numbers >= threshold
    many = passed == 6
    passed[many] = np.searchsorted(_THRESHOLDS, numbers[many], side="right")
    return passed


def _set_totals(count: Bytes, seeds: Words) -> None:
    """Add or take away single units at random until every lane sums to the number of units."""
    missing = len(count) - count.sum(axis=0, dtype=np.int64)
    number = max(int(missing.max(initial=0)), 0)
    rows, lanes = _repairs(count, seeds, 0, number)[0], np.arange(len(seeds))
    is_due = np.arange(number)[:, None] < missing
    np.add.at(count, (rows[is_due], np.broadcast_to(lanes, is_due.shape)[is_due]), 1)
    excess = np.maximum(-missing, 0)
    at = 0
    while (left := np.flatnonzero(excess)).size:
        number = int(excess[left].mean()) * _SLOTS + _SLOTS  # one draw in so many takes a unit
        rows, slots = _repairs(count, seeds[left], at, number)
        _take_away(count, excess, left, rows, slots)
        at += number


def _repairs(count: Bytes, seeds: Words, at: int, number: int) -> tuple[NDArray[np.intp], Bytes]:
    """Rows and slots of each lane's repairs at + 1 .. at + number, both (number, lanes)."""
    draws = draw_words(seeds, _REPAIR + at, number)
    bits = max(4, len(count).bit_length())  # the low four choose the slot
    rows = ((draws >> np.uint64(bits)) * np.uint64(len(count))) >> np.uint64(64 - bits)
    return rows.astype(np.intp), (draws & np.uint64(_SLOTS - 1)).astype(np.uint8)


def _take_away(
    count: Bytes,
    excess: NDArray[np.int64],
    lanes: NDArray[np.intp],
    rows: NDArray[np.intp],
    slots: Bytes,
) -> None:
    """In the order of the draws: a unit is taken from a row whose count is above the slot."""
    of_lane = np.broadcast_to(lanes, rows.shape)
    hits = slots < count[rows, of_lane]  # counts only fall: no other draw can hit
    drawn = zip(rows[hits].tolist(), of_lane[hits].tolist(), slots[hits].tolist(), strict=True)
    for row, lane, slot in drawn:
        if excess[lane] and slot < count[row, lane]:
            count[row, lane] -= 1
            excess[lane] -= 1


STEPS = 1024  # so many steps of all lanes at a time
_ODD = 0x5851F42D4C957F2D  # sets the stream of the places apart from that of the jumps


def draw_stationary_blocks(
    moments: int, lanes: int, key: int, batch_index: int, block: float
) -> Bytes | NDArray[np.int32]:
    """How often each of `moments` is visited in as many steps, shape (moments, lanes).

    `block` is the mean length of a block, at least 1; at 1 the draws are independent. One byte
    a count where all fit.
    """
    walk = _Walk.start(moments, lanes)
    jumps, places = (
        derive_lane_seeds(key, batch_index)[:lanes],
        derive_lane_seeds(key ^ _ODD, batch_index),
    )
    threshold = np.uint64(min(round(2**32 / block), 2**32))
    for first in range(0, moments, STEPS):
        draws = draw_words(jumps, first, min(STEPS, moments - first)) >> np.uint64(32)
        is_jump = draws < threshold
        is_jump[0] |= first == 0
        lane, step = np.nonzero(is_jump.T)
        walk.jump(lane, step + first, _draw_jump_places(places, lane, step + first, moments))
    return walk.counts()


@dataclass(frozen=True, eq=False)
class _Walk:
    """Visits by their changes from one moment to the next: `change` ((moments + 1)·lanes,).

    `step` and `place` say, lane by lane, when and where the walk last jumped.
    """

    moments: int
    change: NDArray[np.int16]
    step: Index
    place: Index

    @classmethod
    def start(cls, moments: int, lanes: int) -> _Walk:
        """Before the first step."""
        change = np.zeros((moments + 1) * lanes, np.int16)
        return cls(moments, change, np.full(lanes, -1), np.zeros(lanes, np.intp))

    def jump(self, lane: Index, step: Index, place: Index) -> None:
        """Jumps in the order of lanes and, within a lane, of steps; each ends the block before."""
        if not len(lane):
            return
        is_first = np.append(True, lane[1:] != lane[:-1])
        begun = np.where(is_first, self.step[lane], np.roll(step, 1))
        origin = np.where(is_first, self.place[lane], np.roll(place, 1))
        is_block = begun >= 0
        self._end(lane[is_block], (origin + step - begun)[is_block])
        self._add(place, lane, np.int16(1))
        is_last = np.append(is_first[1:], True)
        self.step[lane[is_last]], self.place[lane[is_last]] = step[is_last], place[is_last]

    def counts(self) -> Bytes | NDArray[np.int32]:
        """End every walk; then the changes add up to visits."""
        self._end(np.arange(len(self.step)), self.place + self.moments - self.step)
        change = self.change.reshape(self.moments + 1, -1)
        visits = np.cumsum(change[:-1], axis=0, dtype=np.int16)
        return visits.astype(np.uint8) if visits.max(initial=0) < 256 else visits.astype(np.int32)

    def _end(self, lane: Index, past: Index) -> None:
        """Blocks end before `past`; what goes over the last moment goes on at the first."""
        is_over = past > self.moments
        over = lane[is_over]
        self._add(np.zeros(len(over), np.intp), over, np.int16(1))
        self._add(np.where(is_over, past - self.moments, past), lane, np.int16(-1))

    def _add(self, moment: Index, lane: Index, by: np.int16) -> None:
        np.add.at(self.change, moment * len(self.step) + lane, by)


def _draw_jump_places(seeds: Words, lane: Index, step: Index, moments: int) -> Index:
    """Where the jumps go: any moment, each as likely as the others to within 2^-32."""
    draws = draw_words_at(seeds[lane], step) >> np.uint64(32)
    return np.asarray((draws * np.uint64(moments)) >> np.uint64(32), dtype=np.intp)
