"""Isotonic and logistic fits of a class on a score, for many weightings at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Matrix, Scored, Vector
from reportgen.kernels.buffers import borrow_buffer
from reportgen.kernels.score_cells import POOL, ClassWeights, Table
from reportgen.records import record


@record
class IsotonicFit:
    """Groups of tied scores that weigh something, by rising score; all of shape (g,).

    `mean` is that of y; `fit` rises.
    """

    score: Vector
    weight: Vector
    mean: Vector
    fit: Vector


def iter_isotonic_fits(rows: Scored, batch: Batch) -> Iterator[IsotonicFit]:
    """Yield the fit under each weighting, one after the other."""
    for count in batch.count.T:
        weight = count.astype(np.float64)
        yield fit_isotonic(rows, weight if batch.weight is None else weight * batch.weight)


def fit_isotonic(rows: Scored, weight: Vector) -> IsotonicFit:
    """Fit y by weighted least squares among all lines that never fall in the score.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 5, 3, 7]), np.array([1.0, 2, 3, 4]))
    >>> fit_isotonic(rows, np.ones(4)).fit
    array([1., 4., 4., 7.])
    """
    from scipy.optimize import isotonic_regression  # here, since a list of metrics must not wait

    column = rows.score
    every: Vector = np.bincount(column.group, weight, column.groups).astype(np.float64)
    amount = np.bincount(column.group, weight * rows.y.values, column.groups)
    filled = every > 0
    score, mass = column.values[column.order][column.is_last][filled], every[filled]
    mean = amount[filled] / mass
    if len(mean) < 2:
        return IsotonicFit(score, mass, mean, mean)
    fit = isotonic_regression(mean, weights=mass).x
    return IsotonicFit(score, mass, mean, np.asarray(fit, dtype=np.float64))


def fit_isotonic_blocks(weights: ClassWeights) -> tuple[Matrix, Matrix]:
    """Weight of the upper and of the lower class in the blocks of their rising fit, (b, m) each.

    Cells rise; the share of the upper class in a block is its fit. Past the last block both are 0.

    >>> upper, lower = np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 0.0, 0.0]])
    >>> fit_isotonic_blocks(ClassWeights.from_classes(upper, lower))
    (array([[1., 1.]]), array([[1., 0.]]))
    """
    find = _blocks if native.is_native() else _blocks_by_scipy
    parts = [find(weights, table) for table in weights.tables]
    most = max(part.shape[2] for part in parts)
    wide = [np.pad(part, ((0, 0), (0, 0), (0, most - part.shape[2]))) for part in parts]
    lower, upper = np.concatenate(wide, axis=1)[:, : weights.size]
    return upper, lower


def _blocks(weights: ClassWeights, table: Table) -> Matrix:
    """Lower and upper weights of each column's blocks, (2, width, m)."""
    width, number = table.shape[1], np.empty(table.shape[1], np.int64)
    with borrow_buffer((width, len(table) // 2, 2), table.dtype) as blocks:
        weights.run("rising_blocks", table, number, blocks)
        found = blocks[:, : number.max(initial=0)].astype(np.float64).transpose(2, 0, 1)
    return np.where(np.arange(found.shape[2]) < number[:, None], found, 0.0)


def _blocks_by_scipy(weights: ClassWeights, table: Table) -> Matrix:
    from scipy.optimize import isotonic_regression  # here, since a list of metrics must not wait

    fits = []
    for column in table.T:
        cells = column.reshape(-1, 2)[column.reshape(-1, 2).any(axis=1)]
        both = cells.sum(axis=1)
        starts = np.arange(len(cells))
        if len(cells) > 1:
            starts = isotonic_regression(cells[:, 1] / both, weights=both).blocks[:-1]
        fits.append(np.add.reduceat(cells, starts, axis=0) if len(cells) else cells)
    found = np.zeros((2, len(fits), max(map(len, fits))))
    for place, blocks in enumerate(fits):
        found[:, place, : len(blocks)] = blocks.T
    return found


STEPS, DONE = 60, 1e-8  # a step, in the same units: the next one would be its square
FARTHEST = 2.0  # that one step goes, in standard deviations of x or in logits
MANY = 256  # cells from which compiled code begins with pools of them


def fit_logistic_lines(x: Vector, weights: ClassWeights) -> tuple[Vector, Vector]:
    """Intercept and slope of the log odds of the upper class along x, (b,) each.

    x is (c,), one of each cell. nan where no finite line is best: a class without weight, one x
    alone, or an x that separates the classes.

    >>> x, upper, lower = np.array([0.0, 1.0]), np.array([[1.0, 3.0]]), np.array([[3.0, 1.0]])
    >>> found = fit_logistic_lines(x, ClassWeights.from_classes(upper, lower))
    >>> [float(v.round(6)[0]) for v in found]  # -ln 3, 2 ln 3
    [-1.098612, 2.197225]
    """
    middle, scale = float(np.mean(x)) if len(x) else 0.0, float(np.std(x)) if len(x) else 1.0
    z = (x - middle) / (scale or 1.0)
    if native.is_native():
        level, slope = _fit_compiled("logit_lines", z, weights)
    else:
        level, slope = _fit_lines(z, weights.upper, weights.lower)
    slope = slope / (scale or 1.0)
    return level - slope * middle, slope


def fit_logistic_shifts(x: Vector, weights: ClassWeights) -> Vector:
    """Fit the number to add to log odds x so that they are right in total, (b,).

    nan where a class has no weight.
    """
    if native.is_native():
        return np.asarray(_fit_compiled("logit_shifts", x, weights)[0])
    return _fit_shifts(x, weights.upper, weights.lower)


def find_overlaps(x: Vector, upper: Matrix, lower: Matrix) -> NDArray[np.bool_]:
    """Tell whether each class has weight on both sides of every x: none separates them, (b,)."""
    ends = []
    for weight in (upper, lower):
        has = weight > 0
        ends.append(
            (
                np.where(has, x, np.inf).min(axis=1, initial=np.inf),
                np.where(has, x, -np.inf).max(axis=1, initial=-np.inf),
            )
        )
    (low_1, high_1), (low_0, high_0) = ends
    return np.asarray((low_1 < high_0) & (low_0 < high_1))


def _fit_compiled(name: str, x: Vector, weights: ClassWeights) -> Matrix:
    """Level and slope, or the level alone, (2, b) or (1, b)."""
    return np.concatenate(_fit_by_table(name, x, weights), axis=1)[:, : weights.size]


def _fit_by_table(name: str, x: Vector, weights: ClassWeights) -> list[Matrix]:
    """Fit each table in compiled code; with many cells, start from the fit of a few pools."""
    starts: list[Matrix] | list[None] = [None] * len(weights.tables)
    if len(x) >= MANY:
        pools = np.arange(0, len(x), POOL)
        middle = np.add.reduceat(x, pools) / np.diff(np.append(pools, len(x)))
        starts = _fit_by_table(name, middle, weights.pools)
    x, limits = np.ascontiguousarray(x, dtype=np.float64), np.array([DONE, FARTHEST])
    found = []
    for table, start in zip(weights.tables, starts, strict=True):
        found.append(np.empty((2 if name == "logit_lines" else 1, table.shape[1])))
        weights.run(name, table, x, start, STEPS, limits, found[-1])
    return found


def _fit_lines(z: Vector, upper: Matrix, lower: Matrix) -> Matrix:
    """Fit the lines (2, b) along z, nan if there is none; many start from that of their mean."""
    ok = find_overlaps(z, upper, lower)
    line, left = np.zeros((2, len(upper))), np.flatnonzero(ok)
    if len(left) > 1:
        begun = _fit_lines(z, _mean(upper[left]), _mean(lower[left]))
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


def _fit_shifts(x: Vector, upper: Matrix, lower: Matrix) -> Vector:
    ok = (upper.sum(axis=1) > 0) & (lower.sum(axis=1) > 0)
    shift, left = np.zeros(len(upper)), np.flatnonzero(ok)
    if len(left) > 1:  # all weights together are near to each
        shift[left] = _fit_shifts(x, _mean(upper[left]), _mean(lower[left]))
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
