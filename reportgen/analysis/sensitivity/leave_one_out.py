"""What a value would be without single rows: exactly, for all rows or for a short list of them.

A metric with an exact form gives all n values at once. One without is computed again, without
each row where there are few, else without those of a short list: where the influence is, and rows
from everywhere. Whatever is told of a row was computed again without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import LANES, Batch, Index, Vector
from reportgen.metrics.in_folds import bind
from reportgen.metrics.spec import BoundMetric
from reportgen.rows import Rows

EVERY_ROW = "every row"
MOST_RECOMPUTED = 2_000  # rows up to which each is left out by computing again
MOST_SLOWLY = 250  # the same, where many weightings are not computed at once
LISTED, MOST_LISTED = 64, 136  # rows of a known influence; of all kinds together
SLICES, OF_A_SLICE = 10, 4  # of the scores, and the rows listed of each


@dataclass(frozen=True, eq=False)
class Without:
    """The value without each of some rows; `search` says which rows were tried."""

    rows: Index
    values: Vector
    search: str

    def farthest(self, value: float) -> tuple[int, float] | None:
        """The row whose absence moves the value most, and the value without it."""
        distance = np.abs(self.values - value)
        if not np.isfinite(distance).any():
            return None
        place = int(np.nanargmax(distance))
        return int(self.rows[place]), float(self.values[place])


def without_rows(bound: BoundMetric, weight: Vector) -> Without:
    """The value without each row, shape (n,), or without each of a short list."""
    exact = bound.leave_one_out(weight)
    everyone = np.arange(len(weight))
    if exact is not None:
        return Without(everyone, exact, EVERY_ROW)
    if len(weight) <= (MOST_RECOMPUTED if _is_quick(bound) else MOST_SLOWLY):
        return Without(everyone, recomputed(bound, weight, everyone), EVERY_ROW)
    listed = short_list(bound, weight)
    said = f"a short list of the {len(listed)} most likely"
    return Without(listed, recomputed(bound, weight, listed), said)


def pulls(bound: BoundMetric, weight: Vector) -> Vector:
    """How far the value moves when each row goes, shape (n,): exactly, or to first order.

    Where neither is known, exactly for the rows that are tried, and 0 for all others.
    """
    exact = bound.leave_one_out(weight)
    if exact is None and (phi := bound.influence(weight)) is not None:
        return np.asarray(-weight / weight.sum() * phi)
    value = bound(Batch.of(weight))[0]
    if exact is not None:
        return np.asarray(exact - value)
    tried = without_rows(bound, weight)
    moved = np.zeros(len(weight))
    moved[tried.rows] = tried.values - value
    return moved


def recomputed(bound: BoundMetric, weight: Vector, rows: Index) -> Vector:
    """The value without each of `rows`, by computing it again."""
    if "zero" in bound.statistic.exempt_from:  # a row that weighs nothing would still be counted
        return np.array([_on_others(bound, weight, row) for row in rows.tolist()])
    blocks = (rows[start : start + LANES] for start in range(0, len(rows), LANES))
    found = [bound(Batch(_all_but(block, len(weight)), weight)) for block in blocks]
    return np.concatenate([np.empty(0), *found])


def short_list(bound: BoundMetric, weight: Vector) -> Index:
    """The rows that a value without exact form is most likely to depend on.

    Those of the largest influence where it is known, smoothed or not; where it is not exact also
    the largest weighted y in each tenth of the scores, and the ends of each order and rows spread
    evenly between them.
    """
    phi = bound.influence(weight)
    if phi is not None:
        return np.sort(_largest(weight * phi, LISTED))
    smoothed = bound.smoothed_influence(weight)
    found = [] if smoothed is None else [_largest(weight * smoothed, LISTED // 2)]
    found += [*_largest_in_slices(bound.rows, weight), *_spread_out(bound.rows)]
    return np.unique(np.concatenate(found))


def _largest(amounts: Vector, number: int) -> Index:
    """The rows of the largest sizes, in their order among equals."""
    return np.argsort(-np.abs(amounts), kind="stable")[:number]


def _largest_in_slices(rows: Rows, weight: Vector) -> Iterator[Index]:
    """Of each tenth of the rows by score those with most weight times distance from its mean."""
    for slice_ in np.array_split(rows.ranking.order.astype(np.intp), SLICES):
        if len(slice_):
            y = rows.outcome.values[slice_]
            yield slice_[_largest(weight[slice_] * (y - y.mean()), OF_A_SLICE)]


def _is_quick(bound: BoundMetric) -> bool:
    return bound.statistic.fast is not None and "zero" not in bound.statistic.exempt_from


def _on_others(bound: BoundMetric, weight: Vector, row: int) -> float:
    """The value on rows that are bound anew, one of them left out."""
    others = np.delete(np.arange(len(weight)), row)
    again = bind(bound.statistic, bound.rows.take(others))
    return float(again(Batch.of(np.delete(weight, row)))[0])


def _spread_out(rows: Rows) -> Iterator[Index]:
    """The ends of each order and rows evenly between them: quantiles hang on their neighbours."""
    columns = rows.orders()
    places = np.unique(np.linspace(0, len(rows) - 1, LISTED // len(columns)).astype(np.intp))
    yield from (column.order[places].astype(np.intp) for column in columns)


def _all_but(rows: Index, n: int) -> NDArray[np.uint8]:
    """Counts of one for all rows but one in each weighting."""
    counts = np.ones((n, len(rows)), np.uint8)
    counts[rows, np.arange(len(rows))] = 0
    return counts
