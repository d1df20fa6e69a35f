"""Decision rules: which rows a model flags as positive, and weighted sums over these."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Scored, Vector
from reportgen.kernels.cumulative import cumulate_to_shares, cumulate_values, cumulate_weight
from reportgen.kernels.sums import weighted_sums
from reportgen.records import record

CELLS = 4
TN, FP, FN, TP = range(CELLS)


@record
class LearnedOn:
    """The training rows that a threshold was learned on, and how well they determine it."""

    dataset: str
    low: float
    high: float
    """From `low` to `high` lies the middle 95 % of the thresholds of their resamples."""
    spans: float
    """The share of their weight with a score in between."""


@record
class Threshold:
    """Every row whose score is at least `value` is flagged; infinity flags none."""

    value: float
    learned: LearnedOn | None = None

    def flag_rows(self, score: Vector) -> Vector:
        """Return 1 for each score that is at least the threshold, else 0.

        >>> Threshold(0.5).flag_rows(np.array([0.4, 0.5]))
        array([0., 1.])
        """
        return (score >= self.value).astype(np.float64)


@record
class TopShare:
    """The rows with the highest scores that make up a share of the weight, 0 to 1, are flagged."""

    share: float

    def find_lowest_score(self, rows: Scored, batch: Batch) -> float | None:
        """Return the lowest score that is flagged under the first weighting; None if none is."""
        column = sort_descending(rows)
        up = cumulate_weight(batch, column)[:, 0]
        edge = self.share * up[-1]
        if not edge > 0:
            return None
        ends = -column.values[column.order][column.is_last]
        return float(ends[np.searchsorted(up, edge * (1 - 1e-12)) - 1])


@record
class BestThreshold:
    """The best threshold among the scores, found anew under each weighting."""

    objective: tuple[Hashable, ...]
    """The name of what is optimized."""
    evaluate: Callable[[Matrix], Vector]
    """Value of each table of the shares of cells, f(tables (m, 4)) -> (m,): nan is never chosen."""
    is_lowest: bool = False
    """True to take the lowest of equally good thresholds, instead of the highest."""

    def find_thresholds(self, rows: Scored, batch: Batch) -> Vector:
        """Return the threshold under each weighting, (b,); nan where none can be chosen."""
        column, groups = sort_descending(rows), self.count_groups(rows, batch)
        ends = -column.values[column.order][column.is_last]
        return np.where(groups > 0, ends[np.maximum(groups, 1) - 1], np.nan)

    def count_groups(self, rows: Scored, batch: Batch) -> Index:
        """Count the groups of tied scores that are flagged, (b,); 0 where no threshold exists."""
        column = sort_descending(rows)
        all_rows = cumulate_weight(batch, column)
        positive = cumulate_values(batch, column, rows.y.values)
        tables = np.empty((*all_rows.shape, CELLS))
        tables[..., TP], tables[..., FP] = positive, all_rows - positive
        tables[..., FN], tables[..., TN] = (x[-1] - x for x in (positive, all_rows - positive))
        with np.errstate(divide="ignore", invalid="ignore"):
            tables /= all_rows[-1][:, None]
        values = self.evaluate(tables[1:].reshape(-1, CELLS)).reshape(-1, batch.size)
        known = np.where(np.isfinite(values), values, -np.inf)
        best = np.argmax(known, axis=0)
        if self.is_lowest:
            best = len(known) - 1 - np.argmax(known[::-1], axis=0)
        return np.where(np.isfinite(known.max(axis=0)), best + 1, 0)


DecisionRule = Threshold | TopShare | BestThreshold


def identify_rule(rule: DecisionRule) -> tuple[Hashable, ...]:
    """Return what the flags depend on, next to scores and weights."""
    match rule:
        case Threshold(value):
            return "threshold", value
        case TopShare(share):
            return "share", share
        case BestThreshold(objective):
            return "best", *objective


def sum_flagged(rule: DecisionRule, rows: Scored, batch: Batch, values: Matrix) -> Matrix:
    """Sum values (n, k) over the flagged rows by weight, (b, k); nan where nothing can be flagged.

    Of a share, the rows on its edge and those tied there count in part.
    """
    match rule:
        case Threshold():
            return weighted_sums(batch, values * rule.flag_rows(rows.score.values)[:, None])
        case TopShare(share):
            shares, column = np.array([share]), sort_descending(rows)
            sums = [cumulate_to_shares(shares, column, v, batch)[:, 0] for v in values.T]
            return np.stack(sums, axis=1)
        case BestThreshold():
            column, groups = sort_descending(rows), rule.count_groups(rows, batch)
            at = np.maximum(groups, 0), np.arange(batch.size)
            sums = [cumulate_values(batch, column, v)[at] for v in values.T]
            return np.where(groups[:, None] > 0, np.stack(sums, axis=1), np.nan)


def sort_descending(rows: Scored) -> Column:
    """Sort the scores, highest first."""
    return rows.once("scores from the top", lambda: Column(-rows.score.values))


def compute_confusion_shares(rule: DecisionRule, rows: Scored, batch: Batch) -> Matrix:
    """Compute the shares of the weight in cells TN, FP, FN, TP under each weighting, (b, 4)."""
    y = rows.y.values
    flagged = sum_flagged(rule, rows, batch, np.stack([np.ones(len(y)), y], axis=1))
    positive, total = weighted_sums(batch, y[:, None])[:, 0], batch.totals
    table = np.empty((batch.size, CELLS))
    table[:, TP] = flagged[:, 1]
    table[:, FP] = np.maximum(flagged[:, 0] - flagged[:, 1], 0.0)
    table[:, FN] = np.maximum(positive - table[:, TP], 0.0)
    table[:, TN] = np.maximum(total - positive - table[:, FP], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(table / total[:, None])
