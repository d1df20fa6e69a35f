"""Blocks of neighbours in time: how often each moment is drawn by a stationary bootstrap.

Politis and Romano (1994): from a moment drawn at random one walks on to the next, from the last
to the first, and at each step with probability 1/block jumps to another one drawn at random. So
blocks have a geometric length of mean `block`, and every moment is as likely as any other.
Streams are those of `counts`: keyed by the replicate alone, in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index
from reportgen.kernels.counts import Bytes, Words, draws_at, draws_of, lane_seeds

STEPS = 1024  # so many steps of all lanes at a time
_ODD = 0x5851F42D4C957F2D  # sets the stream of the places apart from that of the jumps


def stationary(
    moments: int, lanes: int, key: int, batch_index: int, block: float
) -> Bytes | NDArray[np.int32]:
    """How often each of `moments` is visited in as many steps, shape (moments, lanes).

    `block` is the mean length of a block, at least 1; at 1 the draws are independent. One byte
    a count where all fit.
    """
    walk = _Walk.start(moments, lanes)
    jumps, places = lane_seeds(key, batch_index)[:lanes], lane_seeds(key ^ _ODD, batch_index)
    threshold = np.uint64(min(round(2**32 / block), 2**32))
    for first in range(0, moments, STEPS):
        draws = draws_of(jumps, first, min(STEPS, moments - first)) >> np.uint64(32)
        is_jump = draws < threshold
        is_jump[0] |= first == 0
        lane, step = np.nonzero(is_jump.T)
        walk.jump(lane, step + first, _places(places, lane, step + first, moments))
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


def _places(seeds: Words, lane: Index, step: Index, moments: int) -> Index:
    """Where the jumps go: any moment, each as likely as the others to within 2^-32."""
    draws = draws_at(seeds[lane], step) >> np.uint64(32)
    return np.asarray((draws * np.uint64(moments)) >> np.uint64(32), dtype=np.intp)
