"""Influence values: of functions of means, without each row, and smoothed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.metrics.rows import Amounts, Rows

_noted: ContextVar[list[float] | None] = ContextVar("noted", default=None)
_fixed: ContextVar[Iterator[float] | None] = ContextVar("fixed", default=None)


def center_values(values: Vector) -> Vector:
    """Values minus their median, or minus a centre that is fixed."""
    fixed = _fixed.get()
    if fixed is not None:
        return values - next(fixed)
    if not len(values):
        return values
    centre = float(np.median(values))
    noted = _noted.get()
    if noted is not None:
        noted.append(centre)
    return values - centre


@contextmanager
def record_centers() -> Iterator[list[float]]:
    """Within the block the centres are noted, in the order in which they are asked for."""
    noted: list[float] = []
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


@contextmanager
def use_centers(centres: Sequence[float]) -> Iterator[None]:
    """Within the block values are held about these, one after the other, again and again."""
    token = _fixed.set(cycle(centres) if centres else None)
    try:
        yield
    finally:
        _fixed.reset(token)


KEPT_TO = 50_000  # rows of which columns are kept
STEP = 5e-4  # of a slope that is measured, against the size of its column
Finish = Callable[[Matrix], Vector]


def influence_of_means(
    columns: Matrix, weight: Vector, finish: Finish, scale: Callable[[Vector], Vector]
) -> Vector | None:
    """phi_i of `finish` of the weighted means of `columns`, (n, k), times `scale` of the total.

    The slope of `finish` in each mean, times the row's distance from that mean; None where the
    value exists but a small step away it does not.
    """
    total = weight.sum(keepdims=True)
    are_sizes = np.array([bool((column >= 0).all()) for column in columns.T])
    # Products by row: the bits of their sums.
    own = None if columns.flags.c_contiguous else np.ascontiguousarray(columns)
    columns = columns if own is None else own
    means = (weight @ columns) / total
    slopes = _slopes(columns, means, weight, finish, are_sizes)
    if np.isfinite(means).all() and not np.isfinite(slopes).all():
        return None
    centred: Matrix = np.subtract(columns, means, out=own)
    influence: Vector = centred @ (slopes * scale(total))
    return influence


def _slopes(
    columns: Matrix, means: Vector, weight: Vector, finish: Finish, are_sizes: NDArray[np.bool_]
) -> Vector:
    """Central differences of `finish`, each step small against the size of its column."""
    steps = STEP * np.sqrt((weight @ columns**2) / weight.sum())
    # A mean of sizes that few rows make stays a mean of sizes.
    is_past = are_sizes & (steps > means / 1000)
    chosen = np.where(is_past, STEP * means, steps)
    return np.asarray(measure_slopes(finish, means[None], chosen[None])[0])


def measure_slopes(finish: Finish, means: Matrix, steps: Matrix) -> Matrix:
    """Measure slopes of `finish` in each of the means (b, k), by steps (b, k); 0 where one is 0."""
    return np.stack([_slope(finish, means, k, step) for k, step in enumerate(steps.T)]).T


def _slope(finish: Finish, means: Matrix, k: int, step: Vector) -> Vector:
    """Measure the slope in the k-th mean, over steps as they are rounded: that of a mean is 1."""

    def move(times: float) -> Matrix:
        moved = means.copy(order="K")
        moved[:, k] += times * step
        return moved

    rise = measure_rise(lambda times: finish(move(times)))
    run = measure_rise(lambda times: means[:, k] + times * step)
    return np.divide(rise, run, out=np.zeros(len(means)), where=step > 0)


def measure_rise(value: Callable[[float], Vector]) -> Vector:
    """Measure the slope of a function of one number at 0, from four points.

    From two points it has nine digits at best, and the order in which rows are summed shows.

    >>> measure_rise(lambda x: np.array([2 * x - x**4]))
    array([2.])
    """
    return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / 12


def is_worth_keeping(rows: Rows) -> bool:
    """Tell whether values of single rows are kept: of few rows, or of rows that are costly."""
    return rows.is_costly or len(rows) <= KEPT_TO


class SummedColumns:
    """Contributions of each row to the sums of a metric, made by a function when asked for.

    A rowwise metric that lacks a number for some rows is undefined where one of them weighs, or
    leaves them out of what it judges.
    """

    def __init__(
        self, make: Callable[[], Matrix], *, is_kept: bool, can_lack: bool, leaves_out: bool
    ) -> None:
        self._make = make
        self._lacks: NDArray[np.bool_] | None = None
        found = make() if can_lack or is_kept else None
        if can_lack and found is not None:
            lacks = np.isnan(found).max(axis=1, initial=False)
            self._lacks = lacks if lacks.any() else None
        self.is_counted = ~self._lacks if leaves_out and self._lacks is not None else None
        self._kept = self._fill_missing(found) if found is not None and is_kept else None

    @property
    def columns(self) -> Matrix:
        """Numbers of each row, (n, k), with zeros where there is none; made anew unless kept."""
        return self._fill_missing(self._make()) if self._kept is None else self._kept

    @property
    def is_refusing(self) -> bool:
        """True if the metric is undefined where one of some rows weighs."""
        return self._lacks is not None and self.is_counted is None

    @property
    def terms(self) -> Matrix:
        """The columns, and which rows it lacks a number for if it is undefined where they weigh."""
        columns = self.columns
        if self._lacks is None or self.is_counted is not None:
            return columns
        return np.vstack([columns.T, self._lacks.astype(np.float64)]).T

    def _fill_missing(self, columns: Matrix) -> Matrix:
        if self._lacks is not None:
            # A product with a weight of 0 would still be nan: such rows are counted instead.
            columns = np.where(self._lacks[:, None], 0.0, columns)
        if self.is_counted is not None:
            columns = np.column_stack([columns, self.is_counted])
        return np.asfortranarray(columns)  # read column by column


def divide_by_last_mean(finish: Finish | None, means: Matrix) -> Vector:
    """Compute the values from means over all rows, the last being the share of rows that count."""
    share, values = means[:, -1:], np.full((len(means), means.shape[1] - 1), np.nan)
    np.divide(means[:, :-1], share, out=values, where=share > 0)
    return finish_means(finish, values)


def finish_means(finish: Finish | None, means: Matrix) -> Vector:
    """Compute the values from means of columns, (b, k): the first mean where nothing finishes."""
    return means[:, 0] if finish is None else finish(means)


ROWS_AT_ONCE = 1 << 16  # rows without which values are found at a time


def sums_without_each(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the sums over all rows but one, for each row: those before it plus those after it.

    Nothing is subtracted, so a row that outweighs all others leaves no rounding behind.

    >>> sums_without_each(np.array([1.0, 1e20, 2.0]))
    array([1.e+20, 3.e+00, 1.e+20])
    """
    both = np.zeros(values.shape, order="F")
    columns = (np.atleast_2d(each.T) for each in (values, both))
    for column, found in zip(*columns, strict=True):
        np.cumsum(column[:-1], out=found[1:])
        found[:-1] += np.cumsum(column[:0:-1])[::-1]
    return both


def values_without_each(
    weighted: Matrix, weight: Vector, value: Callable[[Matrix, Vector], Vector]
) -> Vector:
    """Compute `value` of sums (b, k) of weighted columns and totals (b,) without each row, (n,)."""
    sums, totals = sums_without_each(weighted), sums_without_each(weight)
    parts = (
        slice(first, first + ROWS_AT_ONCE) for first in range(0, max(len(totals), 1), ROWS_AT_ONCE)
    )
    return np.concatenate([value(sums[rows], totals[rows]) for rows in parts])


def amounts_without_each(ranking: Column, y: Vector, weight: Vector, ends: Matrix) -> Matrix:
    """Weight times y along the ranking up to `ends` (n, k) of the weight without each row, (n, k).

    Tied rows are below an edge in equal parts.

    >>> ranking, ones = Column(np.array([1.0, 2.0, 3.0])), np.ones(3)
    >>> amounts_without_each(ranking, np.array([5.0, 7.0, 9.0]), ones, np.ones((3, 1))).T
    array([[7., 5., 5.]])
    """
    mass = np.bincount(ranking.group, weight, minlength=ranking.groups)
    amount = np.bincount(ranking.group, weight * y, minlength=ranking.groups)
    masses, amounts = (np.append(0.0, np.cumsum(each)) for each in (mass, amount))
    group, own = ranking.group, weight * y
    first, left = masses[group], mass[group] - weight
    slope = np.zeros(len(y))
    np.divide(amount[group] - own, left, out=slope, where=left > 0)
    found = np.empty_like(ends)
    for k, end in enumerate(ends.T):
        above = np.interp(end + weight, masses, amounts) - own
        inside = amounts[group] + (end - first) * slope
        below = np.interp(end, masses, amounts)
        found[:, k] = np.where(end <= first, below, np.where(end >= first + left, above, inside))
    return found


# Of the weight to either side of an edge; of n^(4/5), the best rate for a mean by neighbours.
NEAR_AN_EDGE = 1 / 8
EVEN = 0.9  # share that effective rows are of all, under which weights hide the density
NEIGHBOURS = 20  # different values that must stand around a median for its density to be known


def smoothed_bucket_influence(rows: Amounts, weight: Vector, per_bucket: Vector) -> Vector:
    """Smoothed phi_i of Σ_b c_b · mean of y in bucket b, shape (n,), for given c.

    Buckets of equal weight, cut along the ascending scores. For each edge above it a row adds
    q · (c below the edge − c above it) · (y − m), with m the mean of y near that edge and q the
    number of buckets. The weighted sum is zero.
    """
    q, total = len(per_bucket), float(weight.sum())
    edges = np.linspace(0.0, total, q + 1)
    per_edge = q * (np.append(0.0, per_bucket) - np.append(per_bucket, 0.0))
    phi = np.zeros(len(rows))
    for edge, factor in zip(edges[1:], per_edge[1:], strict=True):
        if factor != 0:
            phi += factor * smoothed_amount_influence(rows, weight, float(edge), total / q / 2)
    return phi - float(weight @ phi) / total


def smoothed_amount_influence(rows: Amounts, weight: Vector, edge: float, most: float) -> Vector:
    """Smoothed W · d/dw_i of the mean amount of y below an edge in the scores, not centred.

    Below the edge lies `edge` of the weight W, always the same share of it. Rows count as near
    up to `most` of the weight away. Tied scores are below in equal parts.
    """
    total, (ends, amounts) = float(weight.sum()), _cumulate_by_group(rows, weight)
    reach = min(most, total * NEAR_AN_EDGE * kish_effective_rows(weight) ** -0.2)
    low, high = max(edge - reach, 0.0), min(edge + reach, total)
    near = float(np.diff(np.interp([low, high], ends, amounts))[0]) / max(high - low, 1e-300)
    share = row_share_below(rows.score, weight, edge)
    return np.asarray(rows.y.values * share - near * (share - edge / total))


def smoothed_capture_influence(rows: Amounts, weight: Vector, top: float) -> Vector:
    """Smoothed phi_i of the share of Σ w y in the `top` of the weight, by falling scores, (n,).

    A ratio of means: of y below the cut, with its smoothed phi, over that of y.
    """
    total, y = float(weight.sum()), rows.y.values
    edge = total * (1 - top)
    most = min(total - edge, edge) / 2
    below = smoothed_amount_influence(rows, weight, edge, most)
    mean = float(weight @ y) / total
    left = float(weight @ (y * row_share_below(rows.score, weight, edge))) / total / mean
    phi = (left * y - below) / mean
    return np.asarray(phi - float(weight @ phi) / total)


def row_share_below(score: Column, weight: Vector, edge: float) -> Vector:
    """Compute each row's share, (n,), in the lowest `edge` of the weight, ties in parts."""
    size = np.bincount(score.group, weight, minlength=score.groups)
    start = np.cumsum(size) - size
    below = np.zeros(len(size))
    np.divide(np.clip(edge - start, 0.0, size), size, out=below, where=size > 0)
    return np.asarray(below[score.group])


def smoothed_median_influence(values: Column, weight: Vector, median: float) -> Vector | None:
    """Smoothed phi_i of a weighted median, shape (n,); None where too many are tied.

    None too for few rows, and for uneven weights, by which the density is hardly known.

    (1/2 − [below the median]) over the density there, which is the share of the weight among the
    neighbours, √n to either side, over their range (Siddiqui 1960; Bloch and Gastwirth 1968).
    """
    order = values.order[weight[values.order] > 0]
    if not len(order) or kish_effective_rows(weight) < max(NEIGHBOURS, EVEN * len(order)):
        return None
    shares = np.cumsum(weight[order])
    shares /= shares[-1]
    half = kish_effective_rows(weight) ** -0.5
    first, last = np.searchsorted(shares, [0.5 - half, 0.5 + half])
    last = min(int(last), len(order) - 1)
    around = values.values[order[first : last + 1]]
    spacing = float(around[-1] - around[0])
    if len(np.unique(around)) < min(NEIGHBOURS, len(around)) or not spacing > 0:
        return None
    density = float(shares[last] - shares[first]) / spacing
    is_below = (values.values < median) + 0.5 * (values.values == median)
    phi = (0.5 - is_below) / density
    return np.asarray(phi - float(weight @ phi) / float(weight.sum()))


def _cumulate_by_group(rows: Amounts, weight: Vector) -> tuple[Vector, Vector]:
    """Weight and weighted y up to the end of each group of tied scores, both from 0."""
    score = rows.score
    mass = np.bincount(score.group, weight, minlength=score.groups)
    amount = np.bincount(score.group, weight * rows.y.values, minlength=score.groups)
    return np.append(0.0, np.cumsum(mass)), np.append(0.0, np.cumsum(amount))
