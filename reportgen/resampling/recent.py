"""What was last made, kept as long as there is room, for what several tables ask again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

MOST = 250_000_000
"""Bytes: what two metrics of three models rest on, on a million rows."""

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """Values by key, those asked for last, at most `most` bytes of them by `size`.

    >>> recent = Recent[str](len, most=5)
    >>> [recent.get(key, key.upper) for key in ("abc", "de", "fgh", "de")]
    ['ABC', 'DE', 'FGH', 'DE']
    >>> len(recent)
    2
    """

    def __init__(self, size: Callable[[Made], int], most: int = MOST) -> None:
        self.size = size
        self.room = most
        self._kept: dict[Hashable, Made] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The value kept under the key, or else a new one; threads make theirs side by side."""
        with self._lock:
            if key in self._kept:
                self._kept[key] = value = self._kept.pop(key)  # now the last in order
                return value
        value = make()
        with self._lock:
            if key not in self._kept:
                self.room -= self.size(value)
            self._kept[key] = value
            self._trim()
        return value

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Let go of what is kept under these keys."""
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self.room += self.size(self._kept.pop(key))

    def clear(self) -> None:
        """Let go of all."""
        self.forget(tuple(self._kept))

    def _trim(self) -> None:
        """Forget what was not asked for longest, until the rest fits."""
        while self.room < 0 and self._kept:
            oldest = next(iter(self._kept))
            self.room += self.size(self._kept.pop(oldest))
