"""Geometry of drawing: simplified lines, spread labels, bins."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np
from numpy.typing import NDArray

PROBIT_END = 0.001  # the lowest share on an axis of Normal quantiles, and one less the highest

Points = NDArray[np.float64]


def select_shape_points(
    points: Points, tolerance: float, spans: tuple[float, float]
) -> NDArray[np.bool_]:
    """Select the points of a polyline `(n, 2)` that hold its shape (Douglas–Peucker).

    The others are nearer than `tolerance` to a chord of it, in parts of the axes, whose lengths are
    `spans`.

    >>> select_shape_points(np.array([[0.0, 0], [1, 1], [2, 2]]), 1e-3, (2.0, 2.0)).tolist()
    [True, False, True]
    """
    if len(points) < 3:
        return np.ones(len(points), dtype=bool)
    x, y = (points / np.where(np.array(spans) > 0, spans, 1.0)).T.tolist()
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    stack = [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        middle, distance = _farthest(x, y, first, last)
        if distance > tolerance:
            keep[middle] = True
            stack += [(first, middle), (middle, last)]
    return keep


def visible_part(x: Points, window: tuple[float, float]) -> slice:
    """Return the part of a rightward line that a window shows, with a point on either side.

    All of a line that turns back.

    >>> visible_part(np.array([0.0, 1, 2, 3, 4]), (1.5, 2.5)), visible_part(np.array([2.0, 1]), (0,
    ...     1))
    (slice(1, 4, None), slice(0, 2, None))
    """
    if len(x) < 2 or np.any(np.diff(x) < 0):
        return slice(0, len(x))
    first = int(np.searchsorted(x, window[0], side="right")) - 1
    last = int(np.searchsorted(x, window[1], side="left")) + 1
    return slice(max(first, 0), min(last, len(x)))


def apply_scale(scale: str, values: Points) -> Points:
    """Values as an axis of this scale spaces them; nan where a logarithm does not exist.

    >>> apply_scale("log", np.array([1.0, 100.0])).tolist()
    [0.0, 2.0]
    """
    if scale == "probit":
        return compute_probits(values)
    if scale == "log":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(values > 0, np.log10(values), np.nan))
    return np.asarray(np.sign(values) * np.log1p(np.abs(values))) if scale == "symlog" else values


def compute_probits(shares: Points) -> Points:
    """Compute the Normal quantiles of shares, clipped to the ends of the axis.

    >>> compute_probits(np.array([0.0, 0.5, 0.975])).round(2).tolist()
    [-3.09, 0.0, 1.96]
    """
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(shares, PROBIT_END, 1 - PROBIT_END)))


def invert_probits(values: Points) -> Points:
    """Compute the shares from their Normal quantiles."""
    from scipy.special import ndtr

    return np.asarray(ndtr(values))


def spread_labels(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, at least `gap` apart, inside `[low, high]` if there is room.

    The order of the wanted places is kept; equal ones stay in the order given.

    >>> spread_labels([5.0, 5.0, 9.0], 2.0, 0.0, 10.0)
    [4.0, 6.0, 9.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    groups: list[list[float]] = []  # each: centre, members
    for i in order:
        groups.append([wanted[i], 1.0])
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], gap):
            right, left = groups.pop(), groups.pop()
            count = left[1] + right[1]
            groups.append([(left[0] * left[1] + right[0] * right[1]) / count, count])
    placed = [c + (k - (n - 1) / 2) * gap for c, n in groups for k in range(int(n))]
    placed = _push_inside(placed, gap, low, high)
    result = [0.0] * len(wanted)
    for place, i in zip(placed, order, strict=True):
        result[i] = place
    return result


def bin_in_grid(points: Points, shape: tuple[int, int]) -> tuple[Points, Points, Points]:
    """Count points in a grid of equal boxes as `(x, y)`, and return the edges in x and in y."""
    counts, x_edges, y_edges = np.histogram2d(points[:, 0], points[:, 1], bins=shape)
    return counts, x_edges, y_edges


def make_float_array(values: Sequence[float | None]) -> Points:
    """Return the values as an array, with nan for one that does not exist."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def step_corners(x: Points, y: Points) -> tuple[Points, Points]:
    """Return the corners of the staircase that holds each y until the next x."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def true_runs(mask: NDArray[np.bool_]) -> list[slice]:
    """Return the runs where the mask holds, so that a line breaks where a value is missing."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(int), [0]))))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _farthest(x: Sequence[float], y: Sequence[float], first: int, last: int) -> tuple[int, float]:
    """Find the point between two of a line that is farthest from their chord, and how far it is.

    From the first of them where both are one. Plain numbers: a line has a few hundred points, and
    most stretches a handful, for which an array costs more than it saves.
    """
    left, low = x[first], y[first]
    right, up = x[last] - left, y[last] - low
    length = hypot(right, up)
    found, most = first, -1.0
    for i in range(first + 1, last):
        across, along = x[i] - left, y[i] - low
        size = abs(across * up - along * right) if length else hypot(across, along)
        if size > most:
            found, most = i, size
    return found, most / (length or 1.0)


def _overlap(left: list[float], right: list[float], gap: float) -> bool:
    needed = gap * (left[1] + right[1]) / 2
    return right[0] - left[0] < needed - 1e-9


def _push_inside(places: list[float], gap: float, low: float, high: float) -> list[float]:
    moved = list(places)
    for k in range(len(moved)):
        moved[k] = max(moved[k], low if k == 0 else moved[k - 1] + gap)
    for k in reversed(range(len(moved))):
        moved[k] = min(moved[k], high if k == len(moved) - 1 else moved[k + 1] - gap)
    return moved
