"""Logistic fits of two classes along one number, for many weightings at once.

There is one best line, so that compiled code, which adds in another order and has an e^x of its
own, comes to the same as NumPy, but for rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.score_cells import POOL, ClassWeights

STEPS, DONE = 60, 1e-8  # a step, in the same units: the next one would be its square
FARTHEST = 2.0  # that one step goes, in standard deviations of x or in logits
MANY = 256  # cells from which compiled code begins with pools of them


def fitted_lines(x: Vector, weights: ClassWeights) -> tuple[Vector, Vector]:
    """Intercept and slope of the log odds of the upper class along x, (b,) each.

    x is (c,), one of each cell. nan where no finite line is best: a class without weight, one x
    alone, or an x that separates the classes.

    >>> x, upper, lower = np.array([0.0, 1.0]), np.array([[1.0, 3.0]]), np.array([[3.0, 1.0]])
    >>> found = fitted_lines(x, ClassWeights.of(upper, lower))
    >>> [float(v.round(6)[0]) for v in found]  # -ln 3, 2 ln 3
    [-1.098612, 2.197225]
    """
    middle, scale = float(np.mean(x)) if len(x) else 0.0, float(np.std(x)) if len(x) else 1.0
    z = (x - middle) / (scale or 1.0)
    if native.is_native():
        level, slope = _compiled("logit_lines", z, weights)
    else:
        level, slope = _lines(z, weights.upper, weights.lower)
    slope = slope / (scale or 1.0)
    return level - slope * middle, slope


def fitted_shifts(x: Vector, weights: ClassWeights) -> Vector:
    """The number that is added to log odds x so that they are right in total, (b,).

    nan where a class has no weight.
    """
    if native.is_native():
        return np.asarray(_compiled("logit_shifts", x, weights)[0])
    return _shifts(x, weights.upper, weights.lower)


def overlaps(x: Vector, upper: Matrix, lower: Matrix) -> NDArray[np.bool_]:
    """Whether each class has weight on both sides of some x, so that none separates them, (b,)."""
    ends = []
    for weight in (upper, lower):
        has = weight > 0
        ends.append((np.where(has, x, np.inf).min(axis=1, initial=np.inf),
                     np.where(has, x, -np.inf).max(axis=1, initial=-np.inf)))  # fmt: skip
    (low_1, high_1), (low_0, high_0) = ends
    return np.asarray((low_1 < high_0) & (low_0 < high_1))


def _compiled(name: str, x: Vector, weights: ClassWeights) -> Matrix:
    """Level and slope, or the level alone, (2, b) or (1, b)."""
    return np.concatenate(_in_tables(name, x, weights), axis=1)[:, : weights.size]


def _in_tables(name: str, x: Vector, weights: ClassWeights) -> list[Matrix]:
    """The same table by table. Of many cells a few pools tell nearly where to begin."""
    starts: list[Matrix] | list[None] = [None] * len(weights.tables)
    if len(x) >= MANY:
        pools = np.arange(0, len(x), POOL)
        middle = np.add.reduceat(x, pools) / np.diff(np.append(pools, len(x)))
        starts = _in_tables(name, middle, weights.pooled)
    x, limits = np.ascontiguousarray(x, dtype=np.float64), np.array([DONE, FARTHEST])
    found = []
    for table, start in zip(weights.tables, starts, strict=True):
        found.append(np.empty((2 if name == "logit_lines" else 1, table.shape[1])))
        weights.run(name, table, x, start, STEPS, limits, found[-1])
    return found


def _lines(z: Vector, upper: Matrix, lower: Matrix) -> Matrix:
    """The lines (2, b) along z, nan where there is none; many begin at that of their mean."""
    ok = overlaps(z, upper, lower)
    line, left = np.zeros((2, len(upper))), np.flatnonzero(ok)
    if len(left) > 1:
        begun = _lines(z, _mean(upper[left]), _mean(lower[left]))
        line[:, left] = np.where(np.isfinite(begun), begun, 0.0)
    elif len(left):
        line[0, left] = np.log(upper[left].sum(axis=1) / lower[left].sum(axis=1))
    for _ in range(STEPS):
        if not len(left):
            break
        step = _newton(z, line[:, left], upper[left], lower[left])
        line[:, left] += step
        left = left[np.abs(step).max(axis=0) > DONE]
    ok[left] = False
    return np.where(ok, line, np.nan)


def _shifts(x: Vector, upper: Matrix, lower: Matrix) -> Vector:
    ok = (upper.sum(axis=1) > 0) & (lower.sum(axis=1) > 0)
    shift, left = np.zeros(len(upper)), np.flatnonzero(ok)
    if len(left) > 1:  # all weights together are near to each
        shift[left] = _shifts(x, _mean(upper[left]), _mean(lower[left]))
    for _ in range(STEPS):
        p = _expit(x + shift[left, None])
        both = upper[left] + lower[left]
        rest, slope = (upper[left] - both * p).sum(axis=1), (both * p * (1 - p)).sum(axis=1)
        step = np.clip(rest / np.maximum(slope, 1e-300), -FARTHEST, FARTHEST)
        shift[left] += step
        left = left[np.abs(step) > DONE]
        if not len(left):
            break
    ok[left] = False
    return np.where(ok, shift, np.nan)


def _mean(weights: Matrix) -> Matrix:
    return np.asarray(weights.mean(axis=0)[None])


def _newton(z: Vector, line: Matrix, upper: Matrix, lower: Matrix) -> Matrix:
    p = _expit(line[0][:, None] + line[1][:, None] * z)
    both = upper + lower
    rest, bend = upper - both * p, both * p * (1 - p)
    g = rest.sum(axis=1), rest @ z
    h = bend.sum(axis=1), bend @ z, bend @ z**2
    det = np.maximum(h[0] * h[2] - h[1] ** 2, 1e-300)
    step = np.stack([(h[2] * g[0] - h[1] * g[1]) / det, (h[0] * g[1] - h[1] * g[0]) / det])
    return np.asarray(np.clip(step, -FARTHEST, FARTHEST))


def _expit(x: Matrix) -> Matrix:
    return np.asarray(1 / (1 + np.exp(np.minimum(-x, 700.0))))  # e^700 is still a number
