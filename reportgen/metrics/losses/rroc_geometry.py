"""RROC points, hulls, crossings and hybrids."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.cumulative import (
    cumulate_to_shares,
    cumulate_values,
    cumulate_weight,
    divide,
)
from reportgen.kernels.quantiles import compute_quantile_intervals
from reportgen.kernels.sums import sum_generated_columns
from reportgen.metrics.rows import Amounts
from reportgen.records import record


def rroc_points(rows: Amounts, batch: Batch, *, power: int = 1) -> tuple[Vector, Vector]:
    """Mean over- and under-estimation under each weighting, shapes (b,).

    With `power=2` errors count squared: in that plane the isometrics of Quad-Quad are straight.
    """
    error = rows.error.values

    def sides(some: slice) -> tuple[Vector, Vector]:
        over, under = np.maximum(error[some], 0.0), np.minimum(error[some], 0.0)
        return (over, under) if power == 1 else (over**power, -(np.abs(under) ** power))

    over, under = divide(sum_generated_columns(batch, sides), batch.totals[:, None]).T
    return over, under


def rroc_vertices(rows: Amounts, batch: Batch) -> tuple[Matrix, Matrix]:
    """OVER and UNDER at every corner of the RROC curve, low OVER first; shapes (groups, b).

    A corner stands where the shift makes the error of a row zero; equal errors share one.
    """
    values = rows.error.values
    centred = values - (np.median(values) if len(values) else 0.0)  # no digits lost to a bias
    weight, sums = cumulate_weight(batch, rows.error), cumulate_values(batch, rows.error, centred)
    ends = centred[rows.error.order][rows.error.is_last][:, None]
    over = (sums[-1] - sums[1:]) - ends * (weight[-1] - weight[1:])
    under = sums[:-1] - ends * weight[:-1]
    over, under = (divide(side, batch.totals[None, :])[::-1] for side in (over, -under))
    # What only rounding leaves at both ends is nothing.
    over, under = (
        np.where(side <= 1e-14 * side.max(axis=0, initial=0.0), 0.0, side) for side in (over, under)
    )
    return over, 0.0 - under


def minimal_costs(rows: Amounts, batch: Batch, alphas: Vector) -> Matrix:
    """Compute the expected Lin-Lin loss with the best constant for each α, shape (b, g); α rises.

    2(Σ of the errors among the α·W of the weight with the largest − α·Σ of all)/W.
    """
    shares = np.append(1.0 - alphas[::-1], 1.0)
    sums = cumulate_to_shares(shares, rows.error, rows.error.values, batch)
    total = sums[:, -1:]
    spare = 2 * (total - sums[:, -2::-1] - alphas[None, :] * total)
    return np.maximum(divide(spare, batch.totals[:, None]), 0.0)


def minimal_cost_line(rows: Amounts, weight: Vector) -> tuple[Vector, Vector]:
    """Compute the exact corners of the minimum cost against α, from (0, 0) to (1, 0)."""
    batch = Batch.from_weights(weight)
    if not batch.totals[0] > 0:
        return np.array([0.0, 1.0]), np.full(2, np.nan)
    up = cumulate_weight(batch, rows.error)[:, 0]
    alphas = np.unique(1.0 - up / up[-1])
    return alphas, minimal_costs(rows, batch, alphas)[0]


def costs_as_they_are(rows: Amounts, batch: Batch, alphas: Vector) -> Matrix:
    """Compute the expected Lin-Lin loss of the scores as they are at each α, shape (b, g)."""
    over, under = rroc_points(rows, batch)
    costs: Matrix = 2 * (1 - alphas) * over[:, None] - 2 * alphas * under[:, None]
    return costs


def best_linlin_shifts(rows: Amounts, batch: Batch, alphas: Vector) -> Matrix:
    """Find the α-quantile of y − score per weighting, of an interval the end nearest zero."""
    found = np.empty((batch.size, len(alphas)))
    for k, alpha in enumerate(alphas.tolist()):
        low, high = compute_quantile_intervals(rows.error, batch, 1.0 - alpha)
        found[:, k] = np.where(np.abs(low) < np.abs(high), -low, -high)
    return found


def rroc_band(alphas: Vector, costs: Vector, over: Vector) -> Vector:
    """UNDER at each OVER, of the curve whose minimal cost against α is given.

    Applied to the lower bound of a band of the minimal cost it gives the upper bound in the
    plane, and to the upper bound the lower one: a concave curve is the least of its tangents.
    """
    inside = (alphas > 0) & np.isfinite(costs)
    if not inside.any():
        return np.full(len(over), np.nan)
    alpha, cost = alphas[inside, None], costs[inside, None]
    tangents = (1 - alpha) * over[None, :] / alpha - cost / (2 * alpha)
    return np.asarray(np.minimum(tangents.min(axis=0), 0.0))


POINTS = 200
Moments = tuple[Matrix, Matrix, Matrix]


def trace_squared_curve(
    error: Column, weight: Vector, ends: tuple[float, float]
) -> tuple[Vector, Vector]:
    """Equal steps of the constant, from the one that makes the upper end zero to the lower's."""
    at = np.linspace(ends[1], ends[0], POINTS)
    batch = Batch.from_weights(weight)
    moments = _moments(error, batch)
    groups = np.searchsorted(_ends(error), at, side="right")
    low = [each[groups, 0] for each in moments]
    high = [each[-1, 0] - under for each, under in zip(moments, low, strict=True)]
    over, under = (_square(part, -at) / batch.totals[0] for part in (high, low))
    is_new = np.append(True, np.diff(over) > 1e-14 * over[-1])
    return over[is_new], -under[is_new]


def compute_squared_heights(error: Column, batch: Batch, grid: Vector) -> Matrix:
    """Height of each weighting's curve at places of OVER²; (b, g), sums over the total weight."""
    ends, moments = _ends(error), _moments(error, batch)
    found = np.full((batch.size, len(grid)), np.nan)
    for b in range(batch.size):
        if batch.totals[b] > 0 and len(ends):
            own = [each[:, b] for each in moments]
            found[b] = _heights(ends, own, grid * batch.totals[b]) / batch.totals[b]
    return found


def _heights(ends: Vector, moments: list[Vector], over: Vector) -> Vector:
    """UNDER² where OVER² is given, both as sums."""
    high = [each[-1] - each for each in moments]  # of the groups above the first 0, 1, …
    corners = _square([each[1:] for each in high], -ends)  # falls along the groups
    below = len(ends) - np.searchsorted(corners[::-1], over, side="right")
    mass, moment, square = (each[below] for each in high)
    top = np.sqrt(np.maximum(moment**2 - mass * (square - over), 0.0))
    # The curve is upright at its beginning, where rounding would move the constant.
    is_inside = (mass > 0) & (over > 1e-13 * corners.max())
    last = ends[int(np.argmax(moments[0][1:] >= moments[0][-1]))]  # that weighs something
    at = np.divide(top - moment, mass, out=np.full(len(over), -last), where=is_inside)
    return np.asarray(np.minimum(-_square([each[below] for each in moments], at), 0.0))


def _square(moments: list[Vector], shift: Vector) -> Vector:
    """Σ w (e + shift)², never below 0 by rounding."""
    mass, moment, square = moments
    return np.asarray(np.maximum(square + 2 * shift * moment + shift**2 * mass, 0.0))


def _moments(error: Column, batch: Batch) -> Moments:
    mass = cumulate_weight(batch, error)
    first, second = (cumulate_values(batch, error, error.values**power) for power in (1, 2))
    return mass, first, second


def _ends(column: Column) -> Vector:
    return np.asarray(column.values[column.order][column.is_last])


Line = tuple[Vector, Vector]  # α from 0 to 1 (or c), rising, and the cost: straight in between


@record
class Point:
    """A model in RROC space: `over` at least 0, `under` at most 0, in the unit of y."""

    over: float
    under: float

    def cost(self, alpha: float) -> float:
        """Compute the expected Lin-Lin loss at this asymmetry.

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


@record
class AlphaRange:
    """A range of α over which these models cost least; more than one where they are equal."""

    models: tuple[str, ...]
    low: float
    high: float


@record
class Hull:
    """The models that are best for some α, each with its range, by rising α; and all others.

    The trivial models that always say too little, (0, −∞), or too much, (∞, 0), are best at
    α = 0 and at α = 1 only, and are not named.
    """

    stretches: tuple[AlphaRange, ...]
    discarded: tuple[str, ...]


def find_hull(points: Mapping[str, Point]) -> Hull:
    """Find the convex hull of models that are points.

    >>> found = find_hull({"a": Point(1, -4), "b": Point(3, -3), "c": Point(4, -1)})
    >>> [(s.models, s.low, s.high) for s in found.stretches], found.discarded
    ([(('a',), 0.0, 0.5), (('c',), 0.5, 1.0)], ('b',))
    """
    return lower_envelope({name: point.line for name, point in points.items()})


def lower_envelope(lines: Mapping[str, Line]) -> Hull:
    """Find which of several cost lines is lowest over which range of α; no undefined one is."""
    known = {name: line for name, line in lines.items() if np.isfinite(line[1]).all()}
    if not known:
        return Hull((), tuple(lines))
    names = list(known)
    alphas = _find_all_corners(known)
    middles = (alphas[1:] + alphas[:-1]) / 2
    costs = np.stack([np.interp(middles, *known[name]) for name in names])
    is_best = costs <= costs.min(axis=0) + 1e-12 * np.abs(costs).max()
    starts = np.flatnonzero(np.append(True, (is_best[:, 1:] != is_best[:, :-1]).any(axis=0)))
    ends = np.append(starts[1:], len(middles))
    stretches = tuple(
        AlphaRange(
            tuple(name for name, best in zip(names, is_best[:, start], strict=True) if best),
            float(alphas[start]),
            float(alphas[end]),
        )
        for start, end in zip(starts, ends, strict=True)
    )
    named = {name for stretch in stretches for name in stretch.models}
    return Hull(stretches, tuple(name for name in lines if name not in named))


def find_crossings(first: Line, second: Line) -> Vector:
    """Every α strictly between 0 and 1 at which one model starts to cost less than the other.

    >>> find_crossings(Point(2.569, -5.676).line, Point(10.431, -1.215).line).round(6)
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


def is_dominating(first: Point, second: Point) -> bool:
    """Return whether the first costs no more than the second at every α, and less at some."""
    return (
        first.over <= second.over
        and first.under >= second.under
        and (first.over, first.under) != (second.over, second.under)
    )


def isometric_line(alpha: float, cost: float) -> tuple[float, float]:
    """Slope and intercept of the points of equal cost: UNDER = slope·OVER + intercept.

    At α = 0 the line is upright: both are infinite.

    >>> slope, intercept = isometric_line(0.8, 6.1164)
    >>> round(slope, 12), round(intercept, 12)
    (0.25, -3.82275)
    """
    if alpha == 0:
        return np.inf, -np.inf
    return (1 - alpha) / alpha, -cost / (2 * alpha)


def mix_models(
    first: Point, second: Point, *, over: float | None = None, bias: float | None = None
) -> float:
    """Compute how often to use the first model so that a random mixture meets a target.

    The target is an OVER or a bias. nan where no mixture of the two meets it.

    >>> mix_models(Point(1, -4), Point(4, -1), over=2.0)
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


def _find_all_corners(lines: Mapping[str, Line]) -> Vector:
    """Every α at which some line bends or two of them cross."""
    corners = [alphas for alphas, _ in lines.values()]
    corners += [find_crossings(first, second) for first, second in combinations(lines.values(), 2)]
    alphas = np.unique(np.concatenate(corners))
    is_apart = np.append(True, np.diff(alphas) > 1e-12)
    is_apart[-1] = True
    return np.asarray(alphas[is_apart])
