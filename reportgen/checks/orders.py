"""Checks of the order of scores, and of predicted classes, against chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf, sqrt
from typing import Literal

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfData, OfModel
from reportgen.kernels.batch import Column, Index, Matrix, Vector
from reportgen.records import record

OrderMeasure = Literal["auc", "spearman", "query_auc"]
CHANCE: Mapping[OrderMeasure, float] = {"auc": 0.5, "spearman": 0.0, "query_auc": 0.5}
MOST_REVERSED: Mapping[OrderMeasure, float] = {"auc": 0.35, "spearman": -0.1, "query_auc": 0.45}
"""Values from which on an order is not called reversed, however well established."""
MOST_LACKING = 0.05  # of the share of rows that is right by chance


@record
class ChanceOrder:
    """The order of a model's scores next to that of chance.

    `error` is the standard error of an order of chance. `units` are independent, where they are
    clusters or queries; None of rows. `is_in_folds` says that only pairs within folds are compared.
    """

    measure: OrderMeasure
    value: float
    error: float
    units: int | None = None
    is_in_folds: bool = False

    @property
    def high(self) -> float:
        """The upper 95% limit of the value, by the error of chance."""
        return self.value + compute_quantile(0.025, self.units) * self.error

    def is_below(self, *, tail: float, tail_in_folds: float) -> bool:
        """Return whether it is far below chance, and chance that rarely explains it."""
        if not self.value < MOST_REVERSED[self.measure]:
            return False
        quantile = compute_quantile(tail_in_folds if self.is_in_folds else tail, self.units)
        return self.value + quantile * self.error < CHANCE[self.measure]


def compute_quantile(tail: float, units: int | None) -> float:
    """Compute the upper quantile of a Normal distribution, or of t with few units."""
    # Imported here, since the names of warnings must not wait for SciPy.
    from scipy import special

    if units is None:
        return float(-special.ndtri(tail))
    return float(-special.stdtrit(units - 1, tail)) if units > 1 else inf


@record(eq=False)
class RowDesign:
    """What rows depend on: weights, the cluster of each row by number, and its fold by number."""

    weight: Vector | None = None
    unit: Index | None = None
    fold: Index | None = None

    @property
    def is_plain(self) -> bool:
        """Whether rows have equal weight and are independent."""
        return self.weight is None and self.unit is None and self.fold is None


INDEPENDENT_ROWS = RowDesign()


def measure_auc(
    y: Column, score: Column, design: RowDesign = INDEPENDENT_ROWS
) -> ChanceOrder | None:
    """Measure the AUC of two classes, with folds that of pairs within them."""
    if design.is_plain:
        return _measure_plain_auc(y, score)
    ranks = _RanksByFold(score, design)
    upper = (y.values > 0).astype(np.float64)
    pairs = float(ranks.sum_folds(upper) @ ranks.sum_folds(1 - upper))
    if not pairs > 0:
        return None
    total, error = ranks.compare(ranks.centre(upper))
    return ChanceOrder("auc", 0.5 + total / pairs, error / pairs, ranks.units, ranks.is_in_folds)


def measure_spearman(
    y: Column, score: Column, design: RowDesign = INDEPENDENT_ROWS
) -> ChanceOrder | None:
    """Measure Spearman's correlation, with folds that of ranks within them."""
    if design.is_plain:
        return _measure_plain_spearman(y, score)
    ranks = _RanksByFold(score, design)
    others = _RanksByFold(y, design).ranks
    size = sqrt(float(ranks.sum(ranks.ranks**2)) * float(ranks.sum(others**2)))
    if not size > 0:
        return None
    total, error = ranks.compare(others)
    return ChanceOrder("spearman", total / size, error / size, ranks.units, ranks.is_in_folds)


def _measure_plain_auc(y: Column, score: Column) -> ChanceOrder | None:
    """Measure the AUC of rows that have equal weight and are independent."""
    n, upper = len(y), int(np.count_nonzero(y.values > 0))
    pairs = upper * (n - upper)
    if not pairs:
        return None
    ranks, squares = _rank_middles(score)
    total = float((y.values > 0) @ ranks)
    return ChanceOrder("auc", 0.5 + total / pairs, sqrt(squares / (n * (n - 1) * pairs)))


def _measure_plain_spearman(y: Column, score: Column) -> ChanceOrder | None:
    """Measure Spearman's correlation of rows that have equal weight and are independent."""
    (one, squares), (other, others) = _rank_middles(y), _rank_middles(score)
    if not squares * others > 0:
        return None
    value = float(one @ other) / sqrt(squares * others)
    return ChanceOrder("spearman", value, 1 / sqrt(len(y) - 1))


def _rank_middles(column: Column) -> tuple[Vector, float]:
    """Return the middle rank of each row less the mean, computed once, and the sum of squares."""

    def rank_rows() -> tuple[Vector, float]:
        times = np.diff(np.flatnonzero(column.is_last), prepend=-1)
        middle = np.cumsum(times) - (times + len(column)) / 2
        return middle[column.group], float(times @ middle**2)

    return column.once("middle ranks", rank_rows)


def measure_query_auc(values: Vector, weight: Vector, unit: Index | None = None) -> ChanceOrder:
    """Measure the mean share of pairs in the right order, from that of each query."""
    share = weight / weight.sum()
    mean = float(share @ values)
    parts = share * (values - mean)
    if unit is not None:
        parts = np.bincount(unit, parts)
    units = np.count_nonzero(weight) if unit is None else len(np.unique(unit[weight > 0]))
    inflation = units / (units - 1) if units > 1 else inf
    return ChanceOrder("query_auc", mean, sqrt(inflation * float(parts @ parts)), int(units))


class _RanksByFold:
    """The middle ranks of a column within each fold, less their mean there."""

    def __init__(self, column: Column, design: RowDesign) -> None:
        self._design = design
        n = len(column)
        self.weight = np.ones(n) if design.weight is None else design.weight
        self.is_in_folds = design.fold is not None
        group: Index = column.group.astype(np.intp)
        if design.fold is not None:
            group = np.unique(design.fold * column.groups + group, return_inverse=True)[1]
        held = np.bincount(group, self.weight)
        self.ranks = self.centre((np.cumsum(held) - held / 2)[group])

    @property
    def units(self) -> int | None:
        """The number of clusters; None of rows."""
        unit = self._design.unit
        return None if unit is None else len(np.unique(unit[self.weight > 0]))

    def sum(self, values: Vector) -> float:
        """Sum values of rows, weighted."""
        return float(self.weight @ values)

    def sum_folds(self, values: Vector) -> Vector:
        """Sum values of rows within each fold, weighted."""
        if self._design.fold is None:
            return np.array([self.sum(values)])
        return np.asarray(np.bincount(self._design.fold, self.weight * values), np.float64)

    @cached_property
    def held(self) -> Vector:
        """The weight of each fold."""
        sums = self.sum_folds(np.ones(len(self.weight)))
        return np.maximum(sums, np.finfo(np.float64).tiny)

    def centre(self, values: Vector) -> Vector:
        """Subtract from each value the mean of its fold."""
        means = self.sum_folds(values) / self.held
        return values - (means[0] if self._design.fold is None else means[self._design.fold])

    def compare(self, others: Vector) -> tuple[float, float]:
        """Return the sum of products with the ranks, and its standard error by chance.

        By chance every order within a fold is as likely. Clusters enlarge the variance by as much
        as that of the sums over clusters is larger than that of rows.
        """
        products = self.weight * others * self.ranks
        squares = self.sum_folds(self.weight)
        rows = np.array([np.count_nonzero(self.weight)])
        if self._design.fold is not None:
            rows = np.bincount(self._design.fold, self.weight > 0)
        spreads = self.sum_folds(others**2) * self.sum_folds(self.ranks**2) / self.held**2
        variance = float(squares @ (spreads * rows / np.maximum(rows - 1, 1)))
        if self._design.unit is not None and products.any():
            by_unit = np.bincount(self._design.unit, products - products.mean())
            own = products - products.mean()
            variance *= max(float(by_unit @ by_unit) / float(own @ own), 1.0)
        return float(products.sum()), sqrt(variance)


@record(eq=False)
class ClassTable:
    """The weight of rows by class and predicted class, (k, k), next to agreement by chance.

    `error` is the standard error of the share of rows that agree by chance.
    """

    share: Matrix
    rows: int
    error: float
    units: int | None = None

    @property
    def agreement(self) -> float:
        """The share of rows whose predicted class is right."""
        return float(np.trace(self.share))

    @property
    def expected(self) -> float:
        """The share that is right by chance."""
        return float(self.share.sum(axis=1) @ self.share.sum(axis=0))

    @property
    def kappa(self) -> float:
        """Cohen's kappa; 0 where chance is always right."""
        return compute_kappa(self.share)

    def is_below(self, *, tail: float) -> bool:
        """Return whether it is right far less often than chance, and chance rarely explains it."""
        missing = self.expected - self.agreement
        if not (missing > MOST_LACKING and self.error > 0):
            return False
        return missing > compute_quantile(tail, self.units) * self.error


def compute_kappa(share: Matrix) -> float:
    """Compute Cohen's kappa of a table of shares; 0 where chance is always right."""
    expected = float(share.sum(axis=1) @ share.sum(axis=0))
    return (float(np.trace(share)) - expected) / (1 - expected) if expected < 1 else 0.0


def build_class_table(
    code: Index, predicted: Index, classes: int, design: RowDesign = INDEPENDENT_ROWS
) -> ClassTable | None:
    """Build the table of classes and predicted classes, numbered from 0; None of no rows."""
    weight = np.ones(len(code)) if design.weight is None else design.weight
    total = float(weight.sum())
    if not total > 0:
        return None
    cell = code * classes + predicted
    share = np.bincount(cell, weight, classes**2).reshape(classes, classes) / total
    was, called = share.sum(axis=1), share.sum(axis=0)
    expected = float(was @ called)
    residual = np.eye(classes) - was[None, :] - called[:, None] + expected
    by_chance = np.outer(was, called)
    mean = float((by_chance * residual).sum())
    variance = float((by_chance * (residual - mean) ** 2).sum()) * float(weight @ weight) / total**2
    units = None
    if design.unit is not None:
        of_row = residual.ravel()[cell]
        own = weight * (of_row - float(weight @ of_row) / total)
        by_unit = np.bincount(design.unit, own)
        if own.any():
            variance *= max(float(by_unit @ by_unit) / float(own @ own), 1.0)
        units = len(np.unique(design.unit[weight > 0]))
    return ClassTable(share, int(np.count_nonzero(weight)), sqrt(variance), units)


class OrdersSubject(OfData):
    """The rows of a data set: the order of each model, or its table of predicted classes.

    `classes` are the negative and the positive of two, and `positives` the share of the latter.
    """

    classes: tuple[str, str] = ("", "")
    positives: float = 0.0
    orders: Read[Sequence[ChanceOrder]] = UNSEEN
    tables: Read[Sequence[ClassTable]] = UNSEEN


class OrderOfModelSubject(OfModel):
    """The order of a model and that of each other, or their tables of predicted classes."""

    standing: Read[ChanceOrder | ClassTable] = UNSEEN
    others: Sequence[ChanceOrder | ClassTable] = ()
    table: Read[ClassTable] = UNSEEN


@check("W301", OrdersSubject)
def find_reversed(
    orders: Sequence[ChanceOrder],
    classes: tuple[str, str],
    positives: float,
    *,
    tail: float,
    tail_in_folds: float,
) -> Numbers | None:
    """Find that every model ranks far below chance, so that the target or scores are reversed."""
    if not all(each.is_below(tail=tail, tail_in_folds=tail_in_folds) for each in orders):
        return None
    values = [each.value for each in orders]
    return {
        "measure": orders[0].measure,
        "least": min(values),
        "most": max(values),
        "high": max(each.high for each in orders),
        "models": len(orders),
        "in_folds": orders[0].is_in_folds,
        "negative": classes[0],
        "positive": classes[1],
        "positives": positives,
    }


@check("W302", OrdersSubject)
def find_below_chance(tables: Sequence[ClassTable], *, tail: float) -> Numbers | None:
    """Find that every model's predicted classes are right less often than by chance."""
    if not all(each.is_below(tail=tail) for each in tables):
        return None
    best = max(tables, key=lambda each: each.kappa)
    return {"kappa": best.kappa, "share": best.agreement, "expected": best.expected}


@check("W304", OrderOfModelSubject)
def find_permuted(
    table: ClassTable, *, fewest: int, of_class: int, kappa: float, given: float
) -> Numbers | None:
    """Find that another assignment of the predicted names to classes is far better."""
    classes = len(table.share)
    if classes < 3 or table.rows < max(fewest, of_class * classes) or table.kappa > given:
        return None
    # Imported here, since the names of warnings must not wait for SciPy.
    from scipy.optimize import linear_sum_assignment

    _, place = linear_sum_assignment(-table.share)
    best = compute_kappa(table.share[:, place])
    return None if best < kappa else {"kappa": table.kappa, "permuted": best}


@check("W315", OrderOfModelSubject)
def find_below_alone(
    standing: ChanceOrder | ClassTable,
    others: Sequence[ChanceOrder | ClassTable],
    *,
    tail: float,
    tail_in_folds: float,
) -> Numbers | None:
    """Find that a model is far below chance while some other is not."""

    def is_below(each: ChanceOrder | ClassTable) -> bool:
        if isinstance(each, ClassTable):
            return each.is_below(tail=tail)
        return each.is_below(tail=tail, tail_in_folds=tail_in_folds)

    if not is_below(standing) or all(map(is_below, others)):
        return None
    if isinstance(standing, ClassTable):
        return {"measure": "kappa", "value": standing.kappa}
    return {"measure": standing.measure, "value": standing.value, "high": standing.high}
