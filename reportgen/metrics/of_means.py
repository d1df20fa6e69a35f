"""What each row does to a function of means: the chain rule, with slopes that are measured."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Matrix, Vector
from reportgen.rows import Rows

KEPT_TO = 50_000  # rows of which columns are kept
STEP = 1e-6  # of a slope that is measured, against the size of its column
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
    slopes = np.zeros(len(means))
    for k, step in enumerate(np.where(is_past, STEP * means, steps)):
        if step > 0:  # a column of zeros moves nothing
            low, high = means.copy(), means.copy()
            low[k], high[k] = means[k] - step, means[k] + step
            ends = finish(np.stack([low, high]))
            slopes[k] = (ends[1] - ends[0]) / (high[k] - low[k])
    return slopes


def keeps(rows: Rows) -> bool:
    """Whether what metrics find of each row is kept: of few rows, or of rows that are costly."""
    return rows.is_costly or len(rows) <= KEPT_TO


class Summed:
    """What each row adds to the sums of a metric, by a function that makes it when it is asked for.

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
        self.judged = ~self._lacks if leaves_out and self._lacks is not None else None
        self._kept = self._filled(found) if found is not None and is_kept else None

    @property
    def columns(self) -> Matrix:
        """Numbers of each row, (n, k), with zeros where there is none; made anew unless kept."""
        return self._filled(self._make()) if self._kept is None else self._kept

    @property
    def is_refusing(self) -> bool:
        """Whether the metric is undefined where one of some rows weighs."""
        return self._lacks is not None and self.judged is None

    @property
    def terms(self) -> Matrix:
        """The columns, and which rows it lacks a number for if it is undefined where they weigh."""
        columns = self.columns
        if self._lacks is None or self.judged is not None:
            return columns
        return np.vstack([columns.T, self._lacks.astype(np.float64)]).T

    def _filled(self, columns: Matrix) -> Matrix:
        if self._lacks is not None:
            # A product with a weight of 0 would still be nan: such rows are counted instead.
            columns = np.where(self._lacks[:, None], 0.0, columns)
        if self.judged is not None:
            columns = np.column_stack([columns, self.judged])
        return np.asfortranarray(columns)  # read column by column


def of_some(finish: Finish | None, means: Matrix) -> Vector:
    """The values from means over all rows, the last of which is the share of rows that count."""
    share, values = means[:, -1:], np.full((len(means), means.shape[1] - 1), np.nan)
    np.divide(means[:, :-1], share, out=values, where=share > 0)
    return values[:, 0] if finish is None else finish(values)
