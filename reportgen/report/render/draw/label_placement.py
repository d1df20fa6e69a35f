"""Place words in a panel off marks and lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

MARK = 3.5  # half the width of a mark
HEIGHT = 9.0
RINGS = ((0.0, 0.0), (13.0, 26.0), (26.0, 34.0), (42.0, 46.0))  # how much further out; its price
SHARES = (0.5, 0.62, 0.38, 0.74, 0.26, 0.86, 0.14, 0.94, 0.06)  # along the visible line
ROWS = 6  # under each other, next to an upright line
_STEP = 2.0  # between the points that stand for a line
_AROUND = np.array([-4.0, -4.0, 4.0, 4.0])  # a line in here might be taken for the one named
_ON_A_LINE, _NEAR_A_LINE, _ON_A_WORD, _OUTSIDE = 3.0, 0.5, 10.0, 40.0  # a point, or a square point
_THROUGH_A_WORD = 20.0  # a point of the line that leads to another word
_NOBODY = -1  # whose line it is, where it only leads to a word

Points = NDArray[np.float64]


@dataclass(frozen=True)
class WordPlace:
    """Start of a word: its left end on its base line; what it names; and what that costs.

    `is_led` says that a line has to lead to what is named.
    """

    x: float
    y: float
    is_led: bool = False
    at: tuple[float, float] = (0.0, 0.0)
    price: float = 0.0


@dataclass(frozen=True)
class PlaceableWord:
    """A word of some width and the places where it may stand, all in points of 1/72 inch.

    `own` is the number of the line that it names; none if it names no line.
    """

    width: float
    spots: tuple[WordPlace, ...]
    own: int | None = None


@dataclass(frozen=True)
class Rectangle:
    """A rectangle."""

    left: float
    low: float
    right: float
    high: float

    def overlap(self, other: Rectangle) -> float:
        """Compute the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.high, other.high) - max(self.low, other.low)
        return max(width, 0.0) * max(height, 0.0)


def make_point_word(x: float, y: float, width: float) -> PlaceableWord:
    """Make a word for a point: above, right, left, below and between, then further out."""
    return PlaceableWord(width, tuple(_iter_ring_places(x, y, width, RINGS)))


def make_line_word(line: Points, width: float, within: Rectangle, own: int) -> PlaceableWord:
    """Make a word for a line (k, 2): on either side of it, anywhere on the part that is inside."""
    inside, _ = _list_dots([line], within)
    spots = []
    for order, share in enumerate(SHARES if len(inside) else ()):
        x, y = inside[round(share * (len(inside) - 1))]
        for ring, price in RINGS[:3]:
            for place in _iter_corners(float(x), float(y), width, ring):
                spots.append(WordPlace(*place, ring > 0, (float(x), float(y)), price + order))
    return PlaceableWord(width, tuple(spots), own)


def make_vertical_line_word(x: float, width: float, within: Rectangle, own: int) -> PlaceableWord:
    """Make a word for an upright line: on top on the roomier side, then the other, then lower.

    Where other lines stand on both sides of it, past those, with a line to it.
    """
    is_right = (x - within.left) / (within.right - within.left or 1) < 0.7
    spots = []
    for row in range(ROWS):
        base = within.high - 8 - 12 * row
        for far, price in ((4.0, 0.0), *((4 + ring, price) for ring, price in RINGS[1:])):
            sides = (x + far, x - far - width) if is_right else (x - far - width, x + far)
            for side, left in enumerate(sides):
                at = (x, base + HEIGHT / 3)
                spots.append(WordPlace(left, base, far > 4, at, price + 6 * row + 4 * side))
    return PlaceableWord(width, tuple(spots), own)


def make_horizontal_line_word(y: float, width: float, within: Rectangle, own: int) -> PlaceableWord:
    """Make a word for a line across: above it or below, at its left end, its right end, between.

    Where curves run along it, further off with a line to it.
    """
    room = within.right - within.left - 12 - width
    spots = []
    for ring, price in RINGS:
        for order, share in enumerate((0.0, 1.0, 0.5, 0.25, 0.75)):
            left = within.left + 6 + share * room
            at = (left + width / 2, y)
            for side, up in enumerate((y + 4 + ring, y - 10 - ring)):
                spots.append(WordPlace(left, up, ring > 0, at, price + 3 * order + 2 * side))
    return PlaceableWord(width, tuple(spots), own)


def place_words(
    words: Sequence[PlaceableWord],
    marks: Sequence[tuple[float, float]],
    within: Rectangle,
    lines: Sequence[Points] = (),
) -> list[WordPlace]:
    """Find a place for each word, the first ones first: near what it names if that is free.

    >>> inside = Rectangle(0, 0, 200, 100)
    >>> first, second = place_words([make_point_word(50, 50, 40), make_point_word(55, 50, 40)], [(
    ...     50, 50), (55, 50)],
    ...                        inside)
    >>> _build_word_box(first, 40).shared(_build_word_box(second, 40))
    0.0
    """
    taken = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in marks]
    dots, owner = _list_dots(lines, within)
    found = []
    for word in words:
        boxes = np.array([_compute_corners(place, word.width) for place in word.spots])
        price = np.array([place.price for place in word.spots], dtype=float)
        price += _OUTSIDE * _compute_outside_areas(
            boxes, within
        ) + _ON_A_WORD * _compute_covered_areas(boxes, taken)
        price += _ON_A_LINE * _compute_crossed_lengths(boxes, dots)
        others = dots if word.own is None else dots[owner != word.own]
        price += _NEAR_A_LINE * _compute_crossed_lengths(boxes + _AROUND, others)
        leads = [
            _build_leader_points(spot, box) for spot, box in zip(word.spots, boxes, strict=True)
        ]
        price += _THROUGH_A_WORD * np.array([_compute_taken_length(lead, taken) for lead in leads])
        best = int(np.argmin(np.round(price, 6)))
        taken.append(tuple(boxes[best]))
        dots = np.concatenate([dots, leads[best]])
        owner = np.concatenate([owner, np.full(len(leads[best]), _NOBODY)])
        found.append(word.spots[best])
    return found


def _build_leader_points(place: WordPlace, box: Points) -> Points:
    """Points on the line from what is named to the word, if a line has to lead there."""
    if not place.is_led:
        return np.zeros((0, 2))
    start = np.array(place.at)
    end = np.clip(start, box[:2], box[2:])
    count = int(np.hypot(*(end - start)) / _STEP) + 1
    return np.asarray(start + np.linspace(0, 1, count)[:, None] * (end - start))


def _compute_taken_length(dots: Points, taken: Sequence[tuple[float, ...]]) -> float:
    """Compute the length of a line that runs through what is taken."""
    if not taken or not len(dots):
        return 0.0
    return float(_compute_crossed_lengths(np.array(taken, dtype=float), dots).sum())


def _iter_ring_places(
    x: float, y: float, width: float, rings: Sequence[tuple[float, float]]
) -> Iterator[WordPlace]:
    for ring, price in rings:
        for order, step in enumerate((2, 0, 4, 6, 1, 3, 7, 5)):
            right, up = cos(step * pi / 4), sin(step * pi / 4)
            left = x + right * (5 + ring) - width * (1 - right) / 2
            base = y + up * (5 + HEIGHT / 2 + ring) - HEIGHT / 2 + 1
            yield WordPlace(left, base, ring > 0, (x, y), price + order / 10)


def _iter_corners(x: float, y: float, width: float, ring: float) -> Iterator[tuple[float, float]]:
    """With a corner, or the middle of a long side, at a point of a line."""
    for base in (y + 4 + ring, y - HEIGHT - 1 - ring):
        for left in (x - width / 2, x + 2 + ring / 2, x - width - 2 - ring / 2):
            yield left, base


def _compute_outside_areas(boxes: Points, within: Rectangle) -> Points:
    width = np.minimum(boxes[:, 2], within.right) - np.maximum(boxes[:, 0], within.left)
    height = np.minimum(boxes[:, 3], within.high) - np.maximum(boxes[:, 1], within.low)
    whole = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return np.asarray(whole - np.maximum(width, 0.0) * np.maximum(height, 0.0))


def _compute_covered_areas(boxes: Points, taken: Sequence[tuple[float, ...]]) -> Points:
    """Compute the area of each box that lies on what is there."""
    others = np.array(taken, dtype=float).reshape(-1, 4)
    width = np.minimum(boxes[:, None, 2], others[:, 2]) - np.maximum(
        boxes[:, None, 0], others[:, 0]
    )
    height = np.minimum(boxes[:, None, 3], others[:, 3]) - np.maximum(
        boxes[:, None, 1], others[:, 1]
    )
    return np.asarray((np.maximum(width, 0.0) * np.maximum(height, 0.0)).sum(axis=1))


def _compute_crossed_lengths(boxes: Points, dots: Points) -> Points:
    """Compute the length of lines in each box."""
    x, y = dots[:, 0], dots[:, 1]
    across = (x > boxes[:, :1]) & (x < boxes[:, 2:3])
    inside = across & (y > boxes[:, 1:2]) & (y < boxes[:, 3:4])
    return np.asarray(_STEP * inside.sum(axis=1))


def _list_dots(lines: Sequence[Points], within: Rectangle) -> tuple[Points, NDArray[np.intp]]:
    """Points on the lines, `_STEP` apart, as far as they are inside, and of which line each is."""
    starts = np.concatenate([np.zeros((0, 2)), *(line[:-1] for line in lines)])
    ends = np.concatenate([np.zeros((0, 2)), *(line[1:] for line in lines)])
    owner = np.repeat(np.arange(len(lines)), [max(len(line) - 1, 0) for line in lines])
    way = ends - starts
    low, high = np.array([within.left, within.low]), np.array([within.right, within.high])
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low, to_high = (low - starts) / way, (high - starts) / way
    is_still, is_in = way == 0, (starts >= low) & (starts <= high)
    first = np.where(is_still, np.where(is_in, 0.0, 2.0), np.minimum(to_low, to_high))
    last = np.where(is_still, np.where(is_in, 1.0, -1.0), np.maximum(to_low, to_high))
    begin, end = np.maximum(first.max(axis=1), 0.0), np.minimum(last.min(axis=1), 1.0)
    seen = np.flatnonzero(end >= begin)
    length = np.hypot(way[seen, 0], way[seen, 1]) * (end - begin)[seen]
    count = np.ceil(length / _STEP).astype(int) + 1
    which = np.repeat(seen, count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    share = begin[which] + (end - begin)[which] * step / np.repeat(np.maximum(count - 1, 1), count)
    return starts[which] + way[which] * share[:, None], owner[which]


def _compute_corners(place: WordPlace, width: float) -> tuple[float, float, float, float]:
    box = _build_word_box(place, width)
    return box.left, box.low, box.right, box.high


def _build_word_box(place: WordPlace, width: float) -> Rectangle:
    return Rectangle(place.x - 1, place.y - 2, place.x + width + 1, place.y + HEIGHT - 2)
