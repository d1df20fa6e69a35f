"""Areas and heights along two classes, from the highest score down, for many weightings at once.

Rows with equal scores come in together: between two corners the weights run straight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.auc import by_descending_score
from reportgen.kernels.batch import Batch, Matrix, Scored, Vector
from reportgen.kernels.lanes import Lanes, ordered_running, ordered_sum, over_lanes, padded
from reportgen.kernels.signatures import Argument
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.ties import Groups

SLACK = 1e-12  # of the weight: sums that round apart stand at one place; classes.h has it too
Labels = NDArray[np.uint8]
Sides = tuple[Matrix, Matrix]


def classes_along(
    rows: Scored, batch: Batch, shares: Vector, *, of_positives: bool, is_fewest: bool
) -> tuple[Matrix, Vector, Vector]:
    """The other class's weight where one has reached shares of its own, (s, b); both totals, (b,).

    Shares rise. Where the other class comes in alone its weight before that is taken if
    `is_fewest`, else after it.
    """
    groups, label = _walked(rows, of_positives)
    shares = np.ascontiguousarray(shares, dtype=np.float64)

    def found(lanes: Lanes) -> Matrix:
        if native.is_native():
            out, ends = np.empty((len(shares), lanes.width)), np.empty((2, lanes.width))
            known = _known(rows, batch, lanes, of_positives)
            _run("classes_along", lanes, groups, label, known, shares, len(shares), int(is_fewest),
                 out, ends)  # fmt: skip
            return np.concatenate([out, ends])
        one, other = _corners(lanes, groups, label)
        return np.concatenate([_heights(one, other, shares, is_fewest), [one[-1], other[-1]]])

    together = over_lanes(batch, found)
    return together[:-2], together[-2], together[-1]


def window_area(
    rows: Scored, batch: Batch, low: float, high: float, *, of_positives: bool
) -> Vector:
    """Mean share of the other class over a window of shares of one class, times its width, (b,).

    nan where a class has no weight.

    >>> from reportgen.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.8, 0.7]))
    >>> window_area(rows, Batch.of(np.ones(3)), 0.0, 1.0, of_positives=False)
    array([0.5])
    """
    groups, label = _walked(rows, of_positives)
    window = np.array([low, high])

    def found(lanes: Lanes) -> Matrix:
        if native.is_native():
            out = np.empty((3, lanes.width))
            known = _known(rows, batch, lanes, of_positives)
            _run("class_window", lanes, groups, label, known, window, out)
            return out
        one, other = _corners(lanes, groups, label)
        return np.stack([_between(one, other, window), one[-1], other[-1]])

    area, one, other = over_lanes(batch, found)
    return _over(area, one * other)


def largest_gap(rows: Scored, batch: Batch) -> Vector:
    """The largest lead of the share of positives found over that of negatives, (b,).

    nan where a class has no weight.

    >>> from reportgen.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.8, 0.7]))
    >>> largest_gap(rows, Batch.of(np.ones(3)))
    array([0.5])
    """
    groups, label = _walked(rows, True)

    def found(lanes: Lanes) -> Matrix:
        if native.is_native():
            out = np.empty((3, lanes.width))
            _run("class_gap", lanes, groups, label, _known(rows, batch, lanes, True), out)
            return out
        one, other = _corners(lanes, groups, label)
        gap = one * other[-1] - other * one[-1]
        return np.stack([gap.max(axis=0), one[-1], other[-1]])

    gap, one, other = over_lanes(batch, found)
    return _over(gap, one * other)


def hyperbolas(rows: Scored, batch: Batch) -> Vector:
    """Area under precision along recall, a hyperbola within equal scores, (b,).

    nan where no positive has weight. Logarithms of compiled code and of NumPy may round apart.

    >>> from reportgen.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.5, 0.5]))
    >>> hyperbolas(rows, Batch.of(np.ones(4)))
    array([0.5])
    """
    groups, label = _walked(rows, True)

    def found(lanes: Lanes) -> Matrix:
        if native.is_native():
            out = np.empty((2, lanes.width))
            _run("hyperbolas", lanes, groups, label, out)
            return out
        one, other = _corners(lanes, groups, label)
        return np.stack([_bent(one, other), one[-1]])

    area, one = over_lanes(batch, found)
    return _over(area, one)


def _walked(rows: Scored, of_positives: bool) -> tuple[Groups, Labels]:
    """Rows from the highest score down, and 1 for those of the class that is walked along."""
    groups, label = by_descending_score(rows)
    if of_positives:
        return groups, label
    return groups, rows.once("negatives descending", lambda: (1 - label).astype(np.uint8))


def _known(rows: Scored, batch: Batch, lanes: Lanes, of_positives: bool) -> Matrix | None:
    """The whole weight of the class that is walked along and of the other, (2, width).

    Of whole numbers alone, whose sums are the same in any order.
    """
    if not lanes.is_bytes:
        return None

    def both() -> Matrix:
        is_positive = rows.y.once("is positive", lambda: (rows.y.values > 0.5).astype(np.float64))
        positive = weighted_sums(batch, is_positive[:, None])[:, 0]
        return np.stack([positive, batch.totals - positive])

    found = batch.once(rows.y, "weights of classes", both)
    some = found[:, lanes.first : lanes.first + lanes.width]
    return padded(some if of_positives else some[::-1], lanes.width)


def _run(name: str, lanes: Lanes, groups: Groups, label: Labels, *more: Argument) -> None:
    where = (lanes.weight, groups.order, groups.last, label, len(label), *more)
    if lanes.is_bytes:
        native.run(f"whole_{name}", *where)
    else:
        native.run(f"real_{name}", lanes.width, *where)


def _corners(lanes: Lanes, groups: Groups, label: Labels) -> Sides:
    """Weight of both classes up to each corner, (corners, width), the first of them 0."""
    weight, ends = lanes.weight[groups.order], np.append(0, groups.end)
    is_one = label[:, None].astype(np.float64)
    return ordered_running(weight * is_one)[ends], ordered_running(weight * (1 - is_one))[ends]


def _heights(one: Matrix, other: Matrix, shares: Vector, is_fewest: bool) -> Matrix:
    found = np.empty((len(shares), one.shape[1]))
    for lane in range(one.shape[1]):
        x, y = one[:, lane], other[:, lane]
        at = shares * x[-1] + (-SLACK if is_fewest else SLACK) * x[-1]
        if is_fewest:
            after = np.searchsorted(x, at, side="left")
        else:
            after = np.searchsorted(x, at, side="right")
        is_inside = after < len(x)
        after = np.minimum(after, len(x) - 1)
        before = np.maximum(after - 1, 0)
        step, share = x[after] - x[before], np.zeros(len(at))
        np.divide(at - x[before], step, out=share, where=step > 0)
        between = y[before] + share * (y[after] - y[before])
        found[:, lane] = np.where(is_inside, np.where(after > 0, between, 0.0), y[-1])
    return found


def _between(one: Matrix, other: Matrix, window: Vector) -> Vector:
    low, high = window[:, None] * one[-1]
    x0, x1, y0 = one[:-1], one[1:], other[:-1]
    left, right = (np.where(x < low, low, np.where(x > high, high, x)) for x in (x0, x1))
    step, rise = x1 - x0, np.diff(other, axis=0)
    slope = np.zeros(step.shape)
    np.divide(rise, step, out=slope, where=step > 0)
    return ordered_sum((right - left) * (y0 + slope * ((left + right) / 2 - x0)))


def _bent(one: Matrix, other: Matrix) -> Vector:
    a, b, p, more = one[:-1], other[:-1], np.diff(one, axis=0), np.diff(other, axis=0)
    size = np.where(p > 0, p + more, 1.0)
    twist = np.where(p > 0, (b * p - more * a) * p / (size * size), 0.0)
    log = np.zeros(p.shape)
    np.divide(size, a + b, out=log, where=twist != 0)
    return ordered_sum(p * p / size - twist * np.log1p(log))


def _over(top: Vector, bottom: Vector) -> Vector:
    value = np.full(len(top), np.nan)
    np.divide(top, bottom, out=value, where=bottom > 0)
    return value
