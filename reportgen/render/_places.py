"""Places for words beside points, so that no word lies on another or on a mark. No matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

MARK = 3.5  # half the width of a mark
HEIGHT = 9.0
RINGS = (0.0, 13.0, 26.0)  # how much further out a word goes, with a line to its point


@dataclass(frozen=True)
class Word:
    """A word of some width at a point, all in points of 1/72 inch."""

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Place:
    """Where a word begins: its left end on its base line; and whether a line leads to it."""

    x: float
    y: float
    is_led: bool


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    low: float
    right: float
    high: float

    def shared(self, other: Box) -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.high, other.high) - max(self.low, other.low)
        return max(width, 0.0) * max(height, 0.0)


def places(words: Sequence[Word], marks: Sequence[tuple[float, float]], within: Box) -> list[Place]:
    """A place for each word, the first ones first: near its point if that is free.

    >>> inside = Box(0, 0, 200, 100)
    >>> first, second = places([Word(50, 50, 40), Word(55, 50, 40)], [(50, 50), (55, 50)], inside)
    >>> _box(first, 40).shared(_box(second, 40))
    0.0
    """
    taken = [Box(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in marks]
    found = []
    for word in words:
        best = min(_candidates(word), key=lambda place: _cost(place, word, taken, within))
        taken.append(_box(best, word.width))
        found.append(best)
    return found


def _candidates(word: Word) -> Iterator[Place]:
    """Above, right, left, below and between, then the same further out."""
    for ring in RINGS:
        for step in (2, 0, 4, 6, 1, 3, 7, 5):
            turn = step * pi / 4
            right, up = cos(turn), sin(turn)
            x = word.x + right * (5 + ring) - word.width * (1 - right) / 2
            y = word.y + up * (5 + HEIGHT / 2 + ring) - HEIGHT / 2 + 1
            yield Place(x, y, ring > 0)


def _cost(place: Place, word: Word, taken: Sequence[Box], within: Box) -> tuple[float, float]:
    """The area that lies on something or outside; then how far out it is."""
    box = _box(place, word.width)
    outside = (box.right - box.left) * (box.high - box.low) - box.shared(within)
    covered = sum(box.shared(other) for other in taken)
    return round(4 * outside + covered, 6), float(place.is_led)


def _box(place: Place, width: float) -> Box:
    return Box(place.x - 1, place.y - 2, place.x + width + 1, place.y + HEIGHT - 2)
