"""Which model costs least at which asymmetry: hulls, crossings, hybrids. Functions of all models.

A model's expected cost against α is a straight line where it stands at one RROC point, and a
concave broken line where the best constant is added at each α. The lowest of these lines is the
convex hull of RROC space seen from cost space: a vertex of the hull is best over a range of α.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from reportgen.kernels.batch import Vector

Line = tuple[Vector, Vector]  # α from 0 to 1 (or c), rising, and the cost: straight in between


@dataclass(frozen=True)
class Point:
    """A model in RROC space: `over` at least 0, `under` at most 0, in the unit of y."""

    over: float
    under: float

    def cost(self, alpha: float) -> float:
        """Expected Lin-Lin loss at this asymmetry.

        >>> round(Point(10.431, -1.215).cost(0.8), 12)
        6.1164
        """
        return 2 * (1 - alpha) * self.over - 2 * alpha * self.under

    @property
    def bias(self) -> float:
        """Mean error: above 0 the scores are too high; exactly 0 where only rounding is left."""
        bias = self.over + self.under
        return 0.0 if abs(bias) <= 1e-12 * max(self.over, -self.under) else bias

    @property
    def line(self) -> Line:
        """Its cost against α."""
        return np.array([0.0, 1.0]), np.array([2 * self.over, -2 * self.under])


@dataclass(frozen=True)
class Stretch:
    """A range of α over which these models cost least; more than one where they are equal."""

    models: tuple[str, ...]
    low: float
    high: float


@dataclass(frozen=True)
class Hull:
    """The models that are best for some α, each with its range, by rising α; and all others.

    The trivial models that always say too little, (0, −∞), or too much, (∞, 0), are best at
    α = 0 and at α = 1 only, and are not named.
    """

    stretches: tuple[Stretch, ...]
    discarded: tuple[str, ...]


def hull(points: Mapping[str, Point]) -> Hull:
    """The convex hull of models that are points.

    >>> found = hull({"a": Point(1, -4), "b": Point(3, -3), "c": Point(4, -1)})
    >>> [(s.models, s.low, s.high) for s in found.stretches], found.discarded
    ([(('a',), 0.0, 0.5), (('c',), 0.5, 1.0)], ('b',))
    """
    return lower_envelope({name: point.line for name, point in points.items()})


def lower_envelope(lines: Mapping[str, Line], *, narrowest: float = 0.0) -> Hull:
    """Which of several cost lines is lowest over which range of α; undefined lines take no part.

    Stretches narrower than `narrowest` go to their neighbours: within one row's weight of the
    ends, which model is best is chance.
    """
    known = {name: line for name, line in lines.items() if np.isfinite(line[1]).all()}
    if not known:
        return Hull((), tuple(lines))
    names = list(known)
    alphas = _all_corners(known)
    middles = (alphas[1:] + alphas[:-1]) / 2
    costs = np.stack([np.interp(middles, *known[name]) for name in names])
    is_best = costs <= costs.min(axis=0) + 1e-12 * np.abs(costs).max()
    starts = np.flatnonzero(np.append(True, (is_best[:, 1:] != is_best[:, :-1]).any(axis=0)))
    ends = np.append(starts[1:], len(middles))
    found = [
        Stretch(
            tuple(name for name, best in zip(names, is_best[:, start], strict=True) if best),
            float(alphas[start]),
            float(alphas[end]),
        )
        for start, end in zip(starts, ends, strict=True)
    ]
    stretches = _without_narrow(found, narrowest)
    named = {name for stretch in stretches for name in stretch.models}
    return Hull(stretches, tuple(name for name in lines if name not in named))


def _without_narrow(stretches: list[Stretch], narrowest: float) -> tuple[Stretch, ...]:
    """The wide stretches, each reaching to the next; one after another of the same models is one.

    >>> a, b, c = Stretch(("a",), 0.0, 0.5), Stretch(("b",), 0.5, 0.501), Stretch(("a",), 0.501, 1)
    >>> _without_narrow([a, b, c], 0.01)
    (Stretch(models=('a',), low=0.0, high=1),)
    """
    kept: list[Stretch] = []
    for stretch in stretches:
        is_narrow = stretch.high - stretch.low < narrowest
        if kept and (is_narrow or stretch.models == kept[-1].models):
            kept[-1] = replace(kept[-1], high=stretch.high)
        elif not is_narrow:
            kept.append(replace(stretch, low=kept[-1].high if kept else stretches[0].low))
    return tuple(kept)


def crossings(first: Line, second: Line) -> Vector:
    """Every α strictly between 0 and 1 at which one model starts to cost less than the other.

    >>> crossings(Point(2.569, -5.676).line, Point(10.431, -1.215).line).round(6)
    array([0.637994])
    """
    alphas = np.union1d(first[0], second[0])
    gap = np.interp(alphas, *first) - np.interp(alphas, *second)
    # Where the lines touch, the sign before and after decides.
    most = np.abs(gap[np.isfinite(gap)]).max(initial=0.0)
    places = np.flatnonzero(np.abs(gap) > 1e-14 * most)
    left, right = places[:-1], places[1:]
    is_crossed = np.sign(gap[left]) != np.sign(gap[right])
    left, right = left[is_crossed], right[is_crossed]
    share = gap[left] / (gap[left] - gap[right])
    return np.asarray(alphas[left] + share * (alphas[right] - alphas[left]))


def dominates(first: Point, second: Point) -> bool:
    """Whether the first costs no more than the second at every α, and less at some."""
    return (
        first.over <= second.over
        and first.under >= second.under
        and (first.over, first.under) != (second.over, second.under)
    )


def isometric(alpha: float, cost: float) -> tuple[float, float]:
    """Slope and intercept of the points of equal cost: UNDER = slope·OVER + intercept.

    At α = 0 the line is upright: both are infinite.

    >>> slope, intercept = isometric(0.8, 6.1164)
    >>> round(slope, 12), round(intercept, 12)
    (0.25, -3.82275)
    """
    if alpha == 0:
        return np.inf, -np.inf
    return (1 - alpha) / alpha, -cost / (2 * alpha)


def hybrid(
    first: Point, second: Point, *, over: float | None = None, bias: float | None = None
) -> float:
    """How often to use the first model, so that a random mixture meets a target in expectation.

    The target is an OVER or a bias. nan where no mixture of the two meets it.

    >>> hybrid(Point(1, -4), Point(4, -1), over=2.0)
    0.6666666666666666
    """
    if over is not None:
        start, end, target = first.over, second.over, over
    elif bias is not None:
        start, end, target = first.bias, second.bias, bias
    else:
        raise ValueError("give over or bias")
    if start == end:
        return 1.0 if start == target else np.nan
    share = (target - end) / (start - end)
    return share if 0 <= share <= 1 else np.nan


def _all_corners(lines: Mapping[str, Line]) -> Vector:
    """Every α at which some line bends or two of them cross."""
    corners = [alphas for alphas, _ in lines.values()]
    corners += [crossings(first, second) for first, second in combinations(lines.values(), 2)]
    alphas = np.unique(np.concatenate(corners))
    is_apart = np.append(True, np.diff(alphas) > 1e-12)
    is_apart[-1] = True
    return np.asarray(alphas[is_apart])
