"""The plane of squared errors, in which points of equal Quad-Quad cost lie on straight lines.

Its coordinates are the mean of e² over the errors above zero and minus that of those below. While
a constant falls, a model moves along a concave curve: a parabola in the constant between the
places where an error changes its sign.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.cumulative import sum_up_to, weight_up_to

POINTS = 200
Moments = tuple[Matrix, Matrix, Matrix]


def squared_curve(
    error: Column, weight: Vector, ends: tuple[float, float]
) -> tuple[Vector, Vector]:
    """Equal steps of the constant, from the one that makes the upper end zero to the lower's."""
    at = np.linspace(ends[1], ends[0], POINTS)
    batch = Batch.of(weight)
    moments = _moments(error, batch)
    groups = np.searchsorted(_ends(error), at, side="right")
    low = [each[groups, 0] for each in moments]
    high = [each[-1, 0] - under for each, under in zip(moments, low, strict=True)]
    over, under = (_square(part, -at) / batch.totals[0] for part in (high, low))
    is_new = np.append(True, np.diff(over) > 1e-14 * over[-1])
    return over[is_new], -under[is_new]


def squares_along(error: Column, batch: Batch, grid: Vector) -> Matrix:
    """Height of each weighting's curve at places of OVER²; (b, g), sums over the total weight."""
    ends, moments = _ends(error), _moments(error, batch)
    found = np.full((batch.size, len(grid)), np.nan)
    for lane in range(batch.size):
        if batch.totals[lane] > 0 and len(ends):
            own = [each[:, lane] for each in moments]
            found[lane] = _heights(ends, own, grid * batch.totals[lane]) / batch.totals[lane]
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
    mass = weight_up_to(batch, error)
    first, second = (sum_up_to(batch, error, error.values**power) for power in (1, 2))
    return mass, first, second


def _ends(column: Column) -> Vector:
    return np.asarray(column.values[column.order][column.is_last])
