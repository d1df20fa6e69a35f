"""What was last made, kept as long as there is room, for what several tables ask again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

MOST = 100_000_000
"""Bytes: the influence of a metric on a million rows some ten times."""

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """Values by key, those asked for last, at most `most` bytes of them by `size`.

    Threads may share one: at worst a value is made twice.

    >>> recent = Recent[str](len, most=5)
    >>> [recent.get(key, key.upper) for key in ("abc", "de", "fgh", "de")]
    ['ABC', 'DE', 'FGH', 'DE']
    >>> len(recent)
    2
    """

    def __init__(self, size: Callable[[Made], int], most: int = MOST) -> None:
        self.size = size
        self.most = most
        self._kept: dict[Hashable, Made] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The value kept under the key, or else a new one."""
        found = self._kept.pop(key, None)
        value = make() if found is None else found
        self._kept[key] = value  # now the last in order
        self._trim()
        return value

    def _trim(self) -> None:
        """Forget what was not asked for longest, until the rest fits."""
        room = self.most
        for key, value in reversed(list(self._kept.items())):
            room -= self.size(value)
            if room < 0:
                self._kept.pop(key, None)
