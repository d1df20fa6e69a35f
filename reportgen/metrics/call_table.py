"""Which cell of the confusion matrix each row falls in, and what a value makes of the matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.cuts import CELLS, FN, FP, TN, TP, Best, Cutoff, TopShare, descending
from reportgen.kernels.effective import effective_rows
from reportgen.metrics.of_means import STEP
from reportgen.metrics.smoothed import NEAR_AN_EDGE
from reportgen.rows import Classes

HARDLY = 0.05  # of the rows at the edge are positive: one that is pushed out is a negative one
Finish = Callable[[Matrix], Vector]


@dataclass(frozen=True, eq=False)
class CallTable:
    """The cell of each row, (n,), and the value as a function of the shares in the cells, (b, 4).

    Where a share of the weight is called, one call more pushes out a row at the edge, of which
    `edge` says how often it is positive; else it is None.
    """

    cell: Index
    finish: Finish
    edge: float | None = None

    @property
    def is_cut_among_negatives(self) -> bool:
        """Whether a share of the weight is called, and hardly a row at the edge is positive."""
        return self.edge is not None and self.edge < HARDLY

    def slopes(self, shares: Vector) -> Vector:
        """How the value moves with the share of each cell, (4,), at shares of which none is 0."""
        steps = np.diag(STEP * shares)
        ends = self.finish(np.concatenate([shares + steps, shares - steps]))
        found = (ends[:CELLS] - ends[CELLS:]) / (2 * STEP * shares)
        if self.edge is None:
            return np.asarray(found)
        pushed = self.edge * (found[TP] - found[FN]) + (1 - self.edge) * (found[FP] - found[TN])
        found[[TP, FP]] -= pushed
        return np.asarray(found)

    def counts(self) -> Vector | None:
        """Whether a row of each cell counts, (4,), 1 or 0, in the share of rows that the value is.

        nan for cells that the share is not of. None where the value is no share of rows, or is one
        of rows that the calls choose, as precision is.
        """
        each = self.finish(np.eye(CELLS))
        among = np.isfinite(each)
        largest = float(np.max(each, initial=0.0, where=among))
        if not largest > 0 or among[TN] != among[FP] or among[FN] != among[TP]:
            return None
        found = np.asarray(each / largest)
        half = self.finish(np.full((1, CELLS), 1 / CELLS))[0] / largest
        is_share = np.isin(found[among], (0.0, 1.0)).all() and np.isclose(half, found[among].mean())
        return found if is_share else None


def call_table(rows: Classes, called: Vector, finish: Finish) -> CallTable:
    """The table of calls that stay as they are, (n,) each above 0 or not."""
    return CallTable(_cells(rows, called > 0), finish)


def moving_table(rows: Classes, weight: Vector, cut: Cutoff, finish: Finish) -> CallTable | None:
    """The table of calls that move with the weights, as they are at these; None if none is made."""
    if isinstance(cut, TopShare):
        lowest = cut.lowest(rows, Batch.of(weight))
        edge = None if lowest is None else share_at_edge(rows, weight, cut.share)
    else:
        assert isinstance(cut, Best)
        lowest, edge = float(cut.thresholds(rows, Batch.of(weight))[0]), None
    if lowest is None or np.isnan(lowest):
        return None
    return CallTable(_cells(rows, rows.score.values >= lowest), finish, edge)


def share_at_edge(rows: Classes, weight: Vector, share: float) -> float:
    """The share of positives among the rows to either side of the last that is called.

    One half where no row weighs anything.
    """
    order = descending(rows).order
    own = weight[order]
    middle = np.cumsum(own) - own / 2
    total = float(own.sum())
    edge = share * total
    reach = min(edge, total - edge, total * NEAR_AN_EDGE * effective_rows(weight) ** -0.2)
    near = own * (np.abs(middle - edge) <= max(reach, float(own.max())))
    return float(near @ rows.y.values[order] / near.sum()) if near.any() else 0.5


def _cells(rows: Classes, is_called: NDArray[np.bool_]) -> Index:
    return np.asarray(2 * (rows.y.values > 0) + is_called, dtype=np.intp)
