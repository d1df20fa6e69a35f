"""The standard error of every replicate, for the bootstrap-t."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.kernels.sums import Term
from reportgen.metrics.influence import STEP, Finish, finish_means, measure_slopes
from reportgen.metrics.metric import BoundMetric

MANY_STRATA = 16  # of which each has a column of its own
# Rows up to which products of eight means cost little beside the rest, and few wild rows rule.
EXACT_CORRELATIONS = 5_000


class BoundStandardError:
    """The standard error of a function of means: a statistic itself, one value a weighting.

    `columns` gives a row's terms, `means` of them; `finish` maps their means to the value. The
    sums of `terms`, one number a row each, are all that it is found from. Rows of a unit share its
    products, each by its share of the unit's weight, so that the sums over rows are those over
    units, and all statistics can be found in one product.
    """

    def __init__(
        self,
        columns: Callable[[], Sequence[Vector]],
        means: int,
        finish: Finish | None,
        identity: tuple[object, ...] | None,
        weight: Vector,
        unit: Index | None,
        units: int,
    ) -> None:
        self.identity = None if identity is None else ("standard error", *identity)
        self._finish, self._means = finish, means
        self._columns, self._weight, self._unit, self._units = columns, weight, unit, units
        self._is_plain = unit is None and bool(np.all(weight == 1))

    @property
    def terms(self) -> list[Term]:
        """The columns and their products; made anew each time, as they take much room."""
        columns = self._columns()
        if self._is_plain:
            # Rows that count alike: the first products are the sums that are there anyway.
            return [*columns, *combinations_with_replacement(columns, 2)]
        sums = sum_by_unit(np.stack(columns, axis=1), self._weight, self._unit, self._units)
        shares = np.zeros((len(sums), (self._means + 1) * (self._means + 2) // 2))
        np.divide(multiply_unit_sums(sums), sums[:, :1], out=shares, where=sums[:, :1] > 0)
        return [*columns, *(shares if self._unit is None else shares[self._unit]).T]

    def compute_from_sums(self, sums: Matrix, totals: Vector) -> Vector:
        """Compute the standard error from weighted column sums (b, k) and totals (b,)."""
        units = np.column_stack([totals, sums[:, : self._means]])
        products = sums[:, self._means :]
        if self._is_plain:
            products = np.hstack([units, products])
        return compute_replicate_errors(units, products, self._finish)


class FrozenStandardError:
    """The standard error by influence values held at those of the sample.

    For a metric that is no function of a few means, or of too many, and within strata: each
    resample counts anew how much the units spread about their mean, of each stratum if there are
    at most 16, not what each of them would add at the resample's own value.
    """

    def __init__(
        self,
        influence: Vector,
        identity: tuple[object, ...] | None,
        weight: Vector,
        unit: Index | None,
        stratum: Index | None = None,
    ) -> None:
        self.identity = None if identity is None else ("frozen standard error", *identity)
        size = weight if unit is None else np.bincount(unit, weight, minlength=len(influence))
        self._total = float(weight.sum())
        strata = np.broadcast_to(np.intp(0), len(influence)) if stratum is None else stratum
        count = int(strata.max(initial=0)) + 1
        groups = range(count) if count <= MANY_STRATA else ()
        self._units = np.array([np.sum((strata == h) & (size > 0)) for h in groups], np.float64)
        self.influence, self._size, self._unit = influence, size, unit
        self.is_by_row = unit is None
        self._strata, self._groups = strata, groups
        self._is_plain = unit is None and count == 1 and bool(np.all(weight == 1))

    @property
    def terms(self) -> list[Term]:
        """The influence in each stratum, and its squares; made anew each time."""
        if self._is_plain:  # rows that count alike
            return [self.influence, (self.influence, self.influence)]
        parts = [np.where(self._strata == h, self.influence, 0.0) for h in self._groups]
        each = np.stack([*parts, self.influence**2]).T
        shares = np.zeros_like(each)
        np.divide(each, self._size[:, None], out=shares, where=self._size[:, None] > 0)
        return list((shares if self._unit is None else shares[self._unit]).T)

    def compute_from_sums(self, sums: Matrix, totals: Vector) -> Vector:
        """Compute the standard error from weighted column sums and totals (b,); nan at 0 weight."""
        means = np.sum(sums[:, :-1] ** 2 / np.maximum(self._units, 1.0), axis=1)
        share = totals / self._total if self._total > 0 else np.full(len(totals), np.nan)
        errors = np.full(len(sums), np.nan)
        spread = np.sqrt(np.maximum(sums[:, -1] - means, 0.0))
        np.divide(spread, share, out=errors, where=share > 0)
        return errors


class LinearizedMetric:
    """A value plus the mean influence under a weighting: what stands for true resamples."""

    identity = None

    def __init__(self, value: float, influence: Vector) -> None:
        self.terms: list[Term] = [influence]
        self._value = value

    def compute_from_sums(self, sums: Matrix, totals: Vector) -> Vector:
        """Compute the value from weighted sums (b, 1) and totals (b,); nan at 0 weight."""
        return divide(sums[:, 0], totals) + self._value


def is_studentized(bound: BoundMetric) -> bool:
    """Return whether replicates of this metric are measured in standard errors of their own."""
    kind = bound.statistic.estimand
    return _is_of_means(bound) and (kind.is_mean or kind.is_logged)


def is_difference_studentized(bound: BoundMetric) -> bool:
    """Return whether those of a difference of two models in it are.

    Influence held at the sample's own values rejects too seldom where a few rows rule a
    correlation; on many rows the two agree, and the exact form costs more than it is worth.
    """
    if bound.statistic.estimand.is_correlation_of_means:
        return _is_of_means(bound) and len(bound.rows) <= EXACT_CORRELATIONS
    return _is_of_means(bound) and bound.statistic.estimand.scale == "positive"


def bind_standard_error(
    bound: BoundMetric, weight: Vector, unit: Index | None, units: int
) -> BoundStandardError:
    """Bind the standard error of a metric of one model."""
    finish, identity = bound.finish, bound.identity
    return BoundStandardError(
        bound.list_columns, len(bound.list_columns()), finish, identity, weight, unit, units
    )


def bind_difference_standard_error(
    candidate: BoundMetric, baseline: BoundMetric, weight: Vector, unit: Index | None, units: int
) -> BoundStandardError:
    """Bind the standard error of a metric's difference between two models on the same rows."""
    k, places = (
        len(candidate.list_columns()),
        _find_shared_columns(candidate.list_columns(), baseline.list_columns()),
    )

    def columns() -> list[Vector]:
        found = candidate.list_columns()
        for column, place in zip(baseline.list_columns(), places, strict=True):
            found += [column] if place == len(found) else []
        return found

    def difference(means: Matrix) -> Vector:
        ends = (
            finish_means(candidate.finish, means[:, :k]),
            finish_means(baseline.finish, means[:, places]),
        )
        return np.asarray(ends[0] - ends[1])

    identity = None if candidate.identity is None else ("difference", *candidate.identity)
    means = max(k, *(place + 1 for place in places))
    return BoundStandardError(columns, means, difference, identity, weight, unit, units)


def sum_by_unit(
    columns: Matrix, weight: Vector, unit: Index | None = None, units: int = 0
) -> Matrix:
    """Each unit's weight and weighted column sums, (units, k + 1); None: each row is a unit."""
    rows = np.column_stack([weight, weight[:, None] * columns])
    if unit is None:
        return rows
    added = [np.bincount(unit, weights=column, minlength=units) for column in rows.T]
    return np.column_stack(added)


def multiply_unit_sums(sums: Matrix) -> Matrix:
    """Products of each unit's sums with each other, shape (units, (k + 1)(k + 2)/2)."""
    first, second, _ = _products(sums.shape[1])
    products: Matrix = sums[:, first] * sums[:, second]
    return products


def compute_replicate_errors(
    sums: Matrix, products: Matrix, finish: Finish | None = None
) -> Vector:
    """Compute each replicate's standard error, shape (B,), by its influence; nan where undefined.

    `sums` (B, k + 1) and `products` (B, q) are those of the units added up with the
    multiplicities; `finish` maps means (B, k) to values, None for a single mean.
    """
    total = np.where(sums[:, 0] > 0, sums[:, 0], np.nan)
    means = sums.T[1:] / total  # a line each mean, so that arithmetic runs along replicates
    if finish is None:
        slopes = np.ones_like(means)
    else:
        steps = STEP * np.maximum(np.abs(means), 1e-300)
        # Losses that are all zero have no root below them: no slope, and no error of their own.
        # Nor has a ratio to what is all zero, whose steps are beyond all numbers.
        with np.errstate(invalid="ignore", over="ignore"):
            slopes = measure_slopes(finish, means.T, steps.T).T
    # A unit's influence is g'v / W with v its sums and g = (−slopes · means, slopes).
    g = np.vstack([-np.sum(slopes * means, axis=0), slopes])
    first, second, twice = _products(sums.shape[1])
    terms = np.multiply(products.T, twice[:, None], order="C")
    terms *= g[first]
    terms *= g[second]
    errors: Vector = np.sqrt(np.maximum(terms.sum(axis=0), 0.0)) / total
    return errors


@cache
def _products(sums: int) -> tuple[Index, Index, Vector]:
    """Return the pairs of sums to multiply, and how often each product counts in a square."""
    first, second = np.triu_indices(sums)
    return first, second, np.where(first == second, 1.0, 2.0)


def _is_of_means(bound: BoundMetric) -> bool:
    is_table = bound.statistic.estimand.of in (
        "cells",
        "classes",
    )  # which formulas judge without replicates
    return bound.is_of_means and not bound.statistic.is_sum and not is_table


def _find_shared_columns(first: Sequence[Vector], second: Sequence[Vector]) -> list[int]:
    """Find the index of the second's columns after the first's: those of y are there once."""
    columns, places = list(first), []
    for column in second:
        same = (k for k, each in enumerate(columns) if np.array_equal(each, column))
        place = next(same, len(columns))
        columns += [column] if place == len(columns) else []
        places.append(place)
    return places
