"""Measures of order of more rows than memory holds: rows fall into cells, and a cell is a row.

The edges of an axis are values of a sample. A code is odd for a value of the sample, in which all
rows are tied, and even for what lies between two of them, where their order is not known. The
measure is computed on the cells as on rows. Computed again with every order that is not known
turned for and against it, it says how far it can be off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Amounts, Classes, Rows
from reportgen.records import record
from reportgen.streaming.layout import Of, Summand

Codes = NDArray[np.int64]
Keys = NDArray[np.uint64]
EDGES = 1 << 14
SAMPLED = 1 << 17  # rows of which values are taken as edges, or about as many
_HALF = np.uint64(32)
ORDER_METRICS = frozenset(("roc_auc", "gini", "kendall", "regression_auc", "spearman", "rho_tilde"))
ALL_PAIRS: Mapping[str, tuple[float, float]] = {"kendall_a": (0.0, 1.0), "tau_tilde": (0.5, 0.5)}
"""Metrics that are a + b times the share of all pairs, those of equal rows too."""


def is_cell_metric(metric: Metric) -> bool:
    """Tell whether a metric can be found from cells: it depends on the order of values alone."""
    is_half = metric.name != "regression_auc" or metric.params.get("ties") == "half"
    is_of_order = metric.name in ORDER_METRICS or metric.name in ALL_PAIRS
    return metric.shape == "whole" and is_of_order and is_half


def choose_edges(sampled: Vector) -> Vector:
    """Choose edges among the values of a sample: about so many, first those that repeat.

    >>> choose_edges(np.array([0.5, 0.1, 0.5])).tolist()
    [0.1, 0.5]
    """
    values, times = np.unique(sampled, return_counts=True)
    if not len(values):
        return np.zeros(1)  # of very few rows the sample may have none
    repeated = np.argsort(-times[times > 1], kind="stable")[: EDGES // 2]
    spread = values[:: -(-len(values) // EDGES)]
    return np.unique(np.concatenate([spread, values[times > 1][repeated]]))


def find_codes(edges: Vector, values: Vector) -> Codes:
    """Find the code of each value: odd for that of an edge, even between two of them.

    >>> find_codes(np.array([1.0, 2.0]), np.array([0.0, 1.0, 1.5, 2.0, 3.0])).tolist()
    [0, 1, 2, 3, 4]
    """
    order = np.argsort(values)  # values that rise are found several times as fast
    place = np.empty(len(values), np.intp)
    place[order] = np.searchsorted(edges, values[order])
    is_edge = edges[np.minimum(place, len(edges) - 1)] == values
    return np.asarray(2 * place + is_edge, np.int64)


@record(eq=False)
class Plane:
    """The edges of the target and of the score of a model."""

    y: Vector
    score: Vector

    def find_cells(self, rows: Rows) -> Keys:
        """Find the cell of each row, (n,)."""
        y = rows.outcome.once("codes", lambda: find_codes(self.y, rows.outcome.values))
        score = find_codes(self.score, rows.ranking.values)
        return (y.astype(np.uint64) << _HALF) | score.astype(np.uint64)


def build_planes(
    models: list[str], sampled: Mapping[str, Vector], *, is_of_classes: bool
) -> dict[str, Plane]:
    """Build the planes of models from a sample of targets, under "", and of scores."""
    y = np.array([0.0, 1.0]) if is_of_classes else choose_edges(sampled.get("", np.empty(0)))
    return {model: Plane(y, choose_edges(sampled.get(model, np.empty(0)))) for model in models}


@record(eq=False)
class Cells:
    """The cells of a model that hold anything, in order, and their weight, (c,).

    `squares` is the sum of the squared weights of the rows, `is_of_classes` whether the target is
    one of two classes.
    """

    plane: Plane
    key: Keys
    weight: Vector
    squares: float
    is_of_classes: bool

    @property
    def y(self) -> Codes:
        """The code of the target of each cell."""
        return np.asarray(self.key >> _HALF, np.int64)

    @property
    def score(self) -> Codes:
        """The code of its score."""
        return np.asarray(self.key & np.uint64(0xFFFFFFFF), np.int64)

    def as_rows(self, turned: int = 0) -> Rows:
        """Return a row for each cell; unknown orders are ties, or turned for or against a measure.

        A measure of order needs no more of a value than its code.
        """
        y, score = self.y.astype(np.float64), self.score.astype(np.float64)
        if turned:
            top = float(max(y.max(initial=0.0), score.max(initial=0.0)) + 2)
            is_mixed_y, is_mixed_score = self.y % 2 == 0, self.score % 2 == 0
            moved = np.where(is_mixed_y, turned * score / top, 0.0)
            score = score + np.where(is_mixed_score, turned * y / top, 0.0)
            y = y + moved
        if not self.is_of_classes:
            return Amounts(y, score)
        return Classes(self.y // 2, score[:, None], ("0", "1"), "score")

    @property
    def unknown_share(self) -> float:
        """The share of all pairs of rows of which neither order is known."""
        mixed = self.weight[(self.y % 2 == 0) & (self.score % 2 == 0)]
        return float(np.sum(mixed**2) / self.weight.sum() ** 2)


@record(eq=False)
class OrderMeasure:
    """A measure of order from cells: its value, how far it can be off, and its influence.

    `influence` (c,) is W · dθ/dw of a row in each cell.
    """

    cells: Cells
    value: float
    bound: float
    influence: Vector


OrderMeasures = Mapping[Of, OrderMeasure]


def measure_cells(cells: Cells, metric: Metric) -> OrderMeasure:
    """Compute a measure of order on cells; nan where it is undefined."""
    batch = Batch.from_weights(cells.weight)
    bound = metric.bind(cells.as_rows())
    value = float(bound(batch)[0])
    influence = bound.influence(cells.weight) if np.isfinite(value) else None
    if influence is None:
        return OrderMeasure(cells, nan, 0.0, np.zeros(len(cells.key)))
    found = OrderMeasure(cells, value, _bound_error(cells, metric, value), influence)
    return _count_equal_rows(found, *ALL_PAIRS[metric.name]) if metric.name in ALL_PAIRS else found


def _bound_error(cells: Cells, metric: Metric, value: float) -> float:
    """Bound how far the value of all rows can be from that of the cells."""
    batch, turned = Batch.from_weights(cells.weight), [cells.as_rows(sign) for sign in (-1, 1)]
    ends = [float(metric.bind(rows)(batch)[0]) for rows in turned]
    share = SHARES.get(metric.name)
    if share is None:
        low, high = metric.bounds
        return max(abs(end - value) for end in ends) + cells.unknown_share * (high - low)
    known, power = cells.as_rows(), 3 if share.is_of_ranks else 2
    least = share.find_total(known, cells.weight)
    most = share.find_total(known, cells.weight, [cells.y % 2 == 0, cells.score % 2 == 0])
    if not least > 0:
        return share.slope * 2
    mixed = cells.weight[(cells.y % 2 == 0) & (cells.score % 2 == 0)]
    inside = share.slope * float(np.sum(mixed**power)) / (12 if share.is_of_ranks else 1)
    parts = [
        (end - share.level) * share.find_total(rows, cells.weight) + sign * inside
        for end, rows, sign in zip(ends, turned, (-1, 1), strict=True)
    ]
    found = [share.level + part / total for part in parts for total in (least, most)]
    return max(abs(each - value) for each in found)


@record
class Share:
    """A measure that is a level plus a slope times a part of a total that depends on ties.

    The total counts pairs of different values, or how far ranks spread: of the target alone, or the
    root of that of the target times that of the score.
    """

    level: float
    slope: float
    is_of_ranks: bool
    is_of_both: bool

    def find_total(
        self, rows: Rows, weight: Vector, mixed: Sequence[NDArray[np.bool_]] = ()
    ) -> float:
        """Find the total of rows, or the most that it can be where some are tied or not."""
        axes = (rows.outcome.values, rows.ranking.values)[: 1 + self.is_of_both]
        totals = []
        for place, values in enumerate(axes):
            _, group = np.unique(values, return_inverse=True)
            size = np.bincount(group, weight)
            unknown = size[np.unique(group[mixed[place]])] if mixed else np.empty(0)
            if self.is_of_ranks:
                middle = np.cumsum(size) - size / 2 - size.sum() / 2
                totals.append(float(size @ middle**2 + np.sum(unknown**3) / 12))
            else:
                totals.append(float(size.sum() ** 2 - size @ size + unknown @ unknown))
        return sqrt(totals[0] * totals[1]) if self.is_of_both else totals[0]


SHARES: Mapping[str, Share] = {
    "kendall": Share(0.0, 1.0, is_of_ranks=False, is_of_both=True),
    "regression_auc": Share(0.5, 0.5, is_of_ranks=False, is_of_both=False),
    "spearman": Share(0.0, 1.0, is_of_ranks=True, is_of_both=True),
    "rho_tilde": Share(0.5, 0.5, is_of_ranks=True, is_of_both=True),
}


def _count_equal_rows(found: OrderMeasure, level: float, slope: float) -> OrderMeasure:
    """Count the pairs of rows in one cell as pairs, too: a row is only paired with other rows."""
    cells, weight = found.cells, found.cells.weight
    total = float(weight.sum())
    of_cells, of_rows = total**2 - float(weight @ weight), total**2 - cells.squares
    if not (of_cells > 0 and of_rows > 0):
        return replace(found, value=nan, bound=0.0, influence=np.zeros(len(weight)))
    share = (found.value - level) / slope
    concordance = found.influence / slope * of_cells / total + 2 * share * (total - weight)
    share *= of_cells / of_rows
    influence = (concordance - 2 * share * (total - cells.squares / total)) * total / of_rows
    bound = found.bound * of_cells / of_rows
    return replace(found, value=level + slope * share, bound=bound, influence=slope * influence)


@record(eq=False)
class CellSummand(Summand):
    """A measure from cells: its value, and the influence of a row as its one column."""

    table: OrderMeasure

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """Return the influence of each row; no row lacks it."""
        cells = self.table.cells
        place = np.searchsorted(cells.key, cells.plane.find_cells(rows))
        return [self.table.influence[place]], 0.0

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""
        return float(np.abs(self.table.influence).max(initial=0.0))
