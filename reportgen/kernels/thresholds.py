"""Decision thresholds: which rows a model calls positive, and sums over these."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Scored, Vector
from reportgen.kernels.cumulative import cumulate_to_shares, cumulate_values, cumulate_weight
from reportgen.kernels.sums import weighted_sums

CELLS = 4
TN, FP, FN, TP = range(CELLS)


class DecisionRule(Protocol):
    """Rule that decides which rows of a model are flagged."""

    @property
    def moves(self) -> bool:
        """True if the calls change with the weights."""

    @property
    def identity(self) -> tuple[Hashable, ...]:
        """The parts that the flags depend on, next to scores and weights."""

    def flag_rows(self, score: Vector) -> Vector:
        """Tell whether each row is called, (n,), as 0 and 1; of a cut that does not move alone."""

    def sums(self, rows: Scored, batch: Batch, values: Matrix) -> Matrix:
        """Weighted sums of values (n, k) over the rows called, (b, k)."""


@dataclass(frozen=True)
class Threshold:
    """Every row whose score is at least `value`: at infinity none is called."""

    value: float

    @property
    def moves(self) -> bool:
        """Never."""
        return False

    @property
    def identity(self) -> tuple[Hashable, ...]:
        """The threshold."""
        return "threshold", self.value

    def flag_rows(self, score: Vector) -> Vector:
        """Return whether each score is at least the threshold.

        >>> Threshold(0.5).flag_rows(np.array([0.4, 0.5]))
        array([0., 1.])
        """
        return (score >= self.value).astype(np.float64)

    def sums(self, rows: Scored, batch: Batch, values: Matrix) -> Matrix:
        """Sum over the rows at the threshold and above."""
        return weighted_sums(batch, values * self.flag_rows(rows.score.values)[:, None])


@dataclass(frozen=True)
class TopShare:
    """The rows with the highest scores that make up a share of the weight, 0 to 1."""

    share: float

    @property
    def moves(self) -> bool:
        """Always: the edge is where the weight says."""
        return True

    @property
    def identity(self) -> tuple[Hashable, ...]:
        """The share."""
        return "share", self.share

    def flag_rows(self, score: Vector) -> Vector:
        """Nothing without weights."""
        raise NotImplementedError

    def sums(self, rows: Scored, batch: Batch, values: Matrix) -> Matrix:
        """Sum over the top rows; those on its edge and those tied there count in part."""
        shares, column = np.array([self.share]), sort_descending(rows)
        each = [cumulate_to_shares(shares, column, value, batch)[:, 0] for value in values.T]
        return np.stack(each, axis=1)

    def lowest(self, rows: Scored, batch: Batch) -> float | None:
        """Return the minimum score in the top under the first weighting; None if it is empty."""
        column = sort_descending(rows)
        up = cumulate_weight(batch, column)[:, 0]
        wanted = self.share * up[-1]
        if not wanted > 0:
            return None
        ends = -column.values[column.order][column.is_last]
        return float(ends[np.searchsorted(up, wanted * (1 - 1e-12)) - 1])


@dataclass(frozen=True)
class ThresholdObjective:
    """Goal of choosing a threshold: f(tables (m, 4)) -> (m,), the higher the better, nan never.

    Of thresholds equally good the highest is taken, or the lowest if `is_lowest`. `name` says
    which goal it is.
    """

    name: tuple[Hashable, ...]
    of: Callable[[Matrix], Vector]
    is_lowest: bool = False


@dataclass(frozen=True)
class OptimizedThreshold:
    """The threshold among the scores that a goal likes best, found anew under each weighting."""

    goal: ThresholdObjective

    @property
    def moves(self) -> bool:
        """Always: other weights like another threshold best."""
        return True

    @property
    def identity(self) -> tuple[Hashable, ...]:
        """The goal."""
        return "best", *self.goal.name

    def flag_rows(self, score: Vector) -> Vector:
        """Nothing without weights."""
        raise NotImplementedError

    def sums(self, rows: Scored, batch: Batch, values: Matrix) -> Matrix:
        """Sum over the rows from the best threshold up; nan where none can be chosen."""
        column = sort_descending(rows)
        chosen = self._choose_groups(rows, batch)
        columns = np.arange(batch.size)
        found = [
            cumulate_values(batch, column, v)[np.maximum(chosen, 0), columns] for v in values.T
        ]
        return np.where(chosen[:, None] > 0, np.stack(found, axis=1), np.nan)

    def thresholds(self, rows: Scored, batch: Batch) -> Vector:
        """Return the threshold under each weighting, (b,); nan where none can be chosen."""
        column, chosen = sort_descending(rows), self._choose_groups(rows, batch)
        ends = -column.values[column.order][column.is_last]
        return np.where(chosen > 0, ends[np.maximum(chosen, 1) - 1], np.nan)

    def _choose_groups(self, rows: Scored, batch: Batch) -> Index:
        """Count the groups of tied scores that are flagged, (b,); 0 where no threshold exists."""
        column = sort_descending(rows)
        all_, positive = (
            cumulate_weight(batch, column),
            cumulate_values(batch, column, rows.y.values),
        )
        tables = np.empty((*all_.shape, CELLS))
        tables[..., TP], tables[..., FP] = positive, all_ - positive
        tables[..., FN], tables[..., TN] = (x[-1] - x for x in (positive, all_ - positive))
        with np.errstate(divide="ignore", invalid="ignore"):
            tables /= all_[-1][:, None]
        liked = self.goal.of(tables[1:].reshape(-1, CELLS)).reshape(len(all_) - 1, batch.size)
        known = np.where(np.isfinite(liked), liked, -np.inf)
        place = np.argmax(known, axis=0)
        if self.goal.is_lowest:
            place = len(known) - 1 - np.argmax(known[::-1], axis=0)
        return np.where(np.isfinite(known.max(axis=0)), place + 1, 0)


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """The operating points of one model by name, and what a call of each row costs.

    `costs` is (n, 4), a column a cell of the confusion matrix in the order TN, FP, FN, TP; None
    where nothing says what calls cost.
    """

    cuts: Mapping[str, DecisionRule] = field(default_factory=dict)
    costs: Matrix | None = None

    def cut(self, name: str) -> DecisionRule:
        """Return the operating point of a name."""
        if name not in self.cuts:
            raise ValueError(f"there is no operating point {name!r}; give a threshold")
        return self.cuts[name]

    def take(self, index: Index) -> OperatingPoints:
        """Return the same operating points on some of the rows."""
        return OperatingPoints(self.cuts, None if self.costs is None else self.costs[index])

    def contents(self) -> tuple[object, ...]:
        """Return all that a number of these calls comes from."""
        named = [part for name, cut in self.cuts.items() for part in (name, *cut.identity)]
        return (*named, *(() if self.costs is None else (self.costs,)))


def sort_descending(rows: Scored) -> Column:
    """Sort the scores, highest first."""
    return rows.once("scores from the top", lambda: Column(-rows.score.values))


def compute_confusion_shares(cut: DecisionRule, rows: Scored, batch: Batch) -> Matrix:
    """Compute the shares of the weight in cells TN, FP, FN, TP under each weighting, (b, 4)."""
    y = rows.y.values
    called = cut.sums(rows, batch, np.stack([np.ones(len(y)), y], axis=1))
    positive, total = weighted_sums(batch, y[:, None])[:, 0], batch.totals
    table = np.empty((batch.size, CELLS))
    table[:, TP] = called[:, 1]
    table[:, FP] = np.maximum(called[:, 0] - called[:, 1], 0.0)
    table[:, FN] = np.maximum(positive - table[:, TP], 0.0)
    table[:, TN] = np.maximum(total - positive - table[:, FP], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(table / total[:, None])
