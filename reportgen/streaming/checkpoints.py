"""What was found of the first row groups, kept so that a run that was killed goes on from there.

A state is kept in two places in turn, and what says which of them is whole is written last: so a
run may be killed at any moment. Nothing of it depends on when it was kept, as states add exactly.
"""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.resampling.cache import Cache, digest

EVERY = 1.0  # seconds from one state that is kept to the next, at least
SHARE = 20.0  # times as long as it took to keep it
State = Sequence[tuple[Sequence[str], NDArray[Any]]]
"""Arrays, each with its name in some words."""


class Checkpoints:
    """States of the stages of a run by a name for all that they depend on; none without a cache."""

    def __init__(self, cache: Cache | None, name: str) -> None:
        self._cache, self._name, self._last = cache, name, time.monotonic()
        self._wait = EVERY

    def found(self, stage: str) -> tuple[int, State]:
        """How many row groups a state is of, and the state; of none where none is whole."""
        pointer = self._get(stage, "which", (2,))
        if pointer is None:
            return 0, ()
        place, size = map(int, pointer)
        body = self._get(stage, str(place), (-(-size // 8),))
        if body is None:
            return 0, ()
        try:
            return _unpacked(body.tobytes()[:size])
        except (ValueError, KeyError, OSError, zipfile.BadZipFile):
            return 0, ()

    def keep(
        self, stage: str, done: int, state: Callable[[], State], is_last: bool = False
    ) -> None:
        """Keep the state of so many row groups, if the one before was kept a while ago."""
        begun = time.monotonic()
        if self._cache is None or not (is_last or begun - self._last >= self._wait):
            return
        packed, size = _packed(done, state())
        pointer = self._get(stage, "which", (2,))
        place = 0 if pointer is None else 1 - int(pointer[0])
        self._put(stage, str(place), packed)
        self._put(stage, "which", np.array([place, size], np.float64))
        self._last = time.monotonic()
        self._wait = EVERY * max(1.0, SHARE * (self._last - begun))

    def _get(self, stage: str, what: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
        if self._cache is None:
            return None
        return self._cache.get(digest(self._name, stage, what), shape)

    def _put(self, stage: str, what: str, values: NDArray[np.float64]) -> None:
        if self._cache is not None:
            self._cache.put(digest(self._name, stage, what), values)


def _packed(done: int, state: State) -> tuple[NDArray[np.float64], int]:
    """A state with how many row groups it is of, as another run may have written it; its size."""
    names = json.dumps({"done": done, "names": [list(name) for name, _ in state]}).encode()
    arrays = {f"a{k}": array for k, (_, array) in enumerate(state)}
    file = io.BytesIO()
    np.savez(file, about=np.frombuffer(names, np.uint8), **arrays)  # type: ignore[arg-type]
    size = file.tell()
    file.write(bytes(-size % 8))
    return np.frombuffer(file.getbuffer(), np.float64), size


def _unpacked(content: bytes) -> tuple[int, State]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        about = json.loads(file["about"].tobytes())
        return about["done"], [
            (tuple(name), file[f"a{k}"]) for k, name in enumerate(about["names"])
        ]
