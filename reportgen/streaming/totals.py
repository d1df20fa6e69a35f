"""From sums to values, replicates, standard errors and influence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.proportion_intervals import FEW_DIFFER, LEVEL
from reportgen.inference.resampling.design import Design
from reportgen.inference.resampling.studentize import (
    BoundStandardError,
    FrozenStandardError,
    compute_replicate_errors,
)
from reportgen.inference.sampling_distribution import (
    SignShares,
    WeightBalance,
    measure_balance,
)
from reportgen.kernels.batch import BATCH_SIZE, Batch, Index, Matrix, Vector
from reportgen.kernels.resample_counts import draw_keyed_poisson_counts
from reportgen.kernels.sums import Term, column_sums
from reportgen.kernels.thresholds import FN, FP, TN, TP
from reportgen.metrics.influence import STEP, Finish, finish_means, measure_slopes
from reportgen.records import record
from reportgen.streaming.layout import (
    ERROR,
    CallTables,
    Layout,
    Of,
    Summand,
    TableSummand,
    TableSums,
)
from reportgen.streaming.states import DIFFERING, State
from reportgen.streaming.sums import BITS, KeyedSums, to_real, to_weights


@record(eq=False)
class JudgedRows:
    """The rows that a metric judges: how many, how many weigh, Σ w, Σ w², Σ w³, the largest w.

    `clusters` (g,) are the weights of their clusters, if rows are in such.
    """

    rows: int
    weighing: int
    weight: float
    squares: float
    cubes: float
    heaviest: float
    clusters: Vector | None

    @property
    def units(self) -> int:
        """How many units there are."""
        return self.weighing if self.clusters is None else len(self.clusters)

    @cached_property
    def balance(self) -> WeightBalance:
        """How evenly the units share the weight."""
        if self.clusters is not None:
            return measure_balance(self.clusters)
        n, w1 = self.weighing, self.weight
        if not w1 > 0:
            return WeightBalance(n, 0.0, 1.0, 1.0)
        squares, cubes = self.squares / w1**2, self.cubes / w1**3
        if abs(n * squares - 1) < 1e-9:
            return WeightBalance(n, float(n), 1 / n, 1.0)
        left = squares - 2 * cubes + squares**2
        excess = squares / left * (n - 1) / n if left > 0 else float("inf")
        return WeightBalance(n, min(1 / squares, float(n)), self.heaviest / w1, float(excess))


ROUNDING = 1e-14  # of the terms of a difference, which is 0 where no more is left of it
EXACT_CORRELATIONS = 5_000  # rows beyond which their replicates have the sample's own influence


@record(eq=False)
class Totals:
    """All sums: `own` (m,) under the rows' weights, `drawn` (B, r) under each resample.

    `facts` is what the survey found. `clusters` (g, s) are the weights of those that weigh
    anything, if rows are in such: of all rows, and of those that some metrics judge. `wide` are
    sums of w² times every two columns of whole numbers, (k, k), `tables` those of calls.
    """

    layout: Layout
    facts: State
    own: Vector
    drawn: Matrix
    clusters: Matrix | None
    wide: Matrix
    tables: TableSums

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.facts.number("sum", "rows"))

    @property
    def largest(self) -> float:
        """The size of the largest amount."""
        return self.facts.number("most", "amount")

    @cached_property
    def classes(self) -> tuple[int, ...]:
        """The rows that weigh of each class; none of amounts."""
        known = self.facts.get(("sum", "classes"))
        return (0, 0) if known is None else tuple(map(int, known[1]))

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.own[1])

    @property
    def weighing(self) -> int:
        """How many rows weigh anything."""
        return round(float(self.own[0]))

    @property
    def units(self) -> int:
        """How many units were resampled."""
        return self.all_rows.units

    def count_rarer(self, of: Of, sizes: tuple[int, int]) -> int:
        """Return how many units have a row of the rarer of two classes, of so many rows of each."""
        return min(sizes)

    def is_lacking(self, of: Of) -> bool:
        """Whether a metric has no value, as it has none for some row and leaves none out."""
        if self.layout.summands[of].metric.leaves_out:
            return False
        at = list(self.layout.summands).index(of)
        lacking = self.facts["sum", "lacking"]
        return at < len(lacking) and bool(lacking[at] > 0)

    @cached_property
    def all_rows(self) -> JudgedRows:
        """What is known of all rows."""
        w1, w2, w3 = map(float, self.own[1:4])
        clusters = None if self.clusters is None else self.clusters[:, 0]
        heaviest = self.facts.number("most", "heaviest")
        return JudgedRows(self.rows, self.weighing, w1, w2, w3, heaviest, clusters)

    def judged_by(self, of: Of) -> JudgedRows:
        """What is known of the rows that a metric judges."""
        summand = self.layout.summands[of]
        if not summand.metric.leaves_out:
            return self.all_rows
        column = summand.at.stop - 1
        place, number = list(self.layout.summands).index(of), self._judging(column)
        left = self.facts["sum", "judged"][place]
        heaviest = self.facts["most", "judged"][place]
        clusters = None if self.clusters is None else self.clusters[:, 1 + number]
        return JudgedRows(
            self.rows - round(float(self.facts["sum", "lacking"][place])),
            self.weighing - round(float(left)),
            float(self.own[self.layout.first([column])[0]]),
            float(self.own[self.layout.squared(column)]),
            float(self.own[number - len(self.layout.judging)]),
            float(heaviest),
            None if clusters is None else clusters[clusters > 0],
        )

    def _judging(self, column: int) -> int:
        return self.layout.judging[int(self.layout.same[column])]

    def find_signs(self, one: Of, other: Of) -> SignShares | None:
        """Find the shares of queries ahead and behind, where these are few."""
        known, rows = self.facts.find(DIFFERING, "differing"), self.judged_by(one)
        for models, sign in ((one[1], other[1]), 1), ((other[1], one[1]), -1):
            signed = known.get((one[0], *models))
            if signed is not None and len(signed) < FEW_DIFFER:
                return _share_signs(sign * signed, rows.weight, rows.squares)
        return None

    def value(self, of: Of) -> float:
        """The value of a metric of a model; nan where it has none."""
        if self.is_lacking(of) or not self.weight > 0:
            return float("nan")
        summand = self.layout.summands[of]
        if isinstance(summand, TableSummand):
            return float(summand.cells(Batch.from_weights(self.tables.weight(of[1])))[0])
        totals = np.array([self.weight])
        found = _values(summand, self.means(summand)[None], totals)
        return summand.level + float(found[0])

    def replicates(self, of: Of) -> Vector:
        """The value under each resample, (B,)."""
        summand, totals = self.layout.summands[of], self.drawn[:, 0]
        if isinstance(summand, TableSummand):
            return np.asarray(summand.cells(self.tables.replicates[of[1]]))
        if self.is_lacking(of):
            return np.full(len(totals), np.nan)
        return summand.level + _values(summand, self._raw_sums(summand)[1], totals)

    def errors(self, of: Of) -> Vector | None:
        """The standard error of each replicate, (B,); None where it is not measured in one."""
        summand = self.layout.summands[of]
        if not summand.is_studentized or self.is_lacking(of):
            return None
        if summand.metric.estimand.is_correlation_of_means:
            return self._freeze(of)
        if not (summand.metric.estimand.is_mean or summand.metric.estimand.is_logged):
            return None
        return self._compute_errors(summand)

    def difference_errors(self, one: Of, other: Of) -> Vector | None:
        """The same of a difference between two models."""
        ends = self.layout.summands[one], self.layout.summands[other]
        kind = ends[0].metric.estimand
        is_off = self.is_lacking(one) or self.is_lacking(other)
        if is_off or not (kind.scale == "positive" or kind.is_correlation_of_means):
            return None
        if kind.is_correlation_of_means and self.rows > EXACT_CORRELATIONS:
            return self._freeze(one, other)
        return self._compute_errors(*ends)

    def influences(
        self, key: str, models: list[str], sizes: tuple[int, int] | None = None
    ) -> dict[str, Vector]:
        """A few numbers for each model with the sums of squares and products of its influence.

        They add up to zero, as do their cubes: the skewness of the influence is taken as none.
        With `sizes`, the rows of the upper of two classes and of the lower, squares of each class
        have m / (m - 1) in them where they are known apart.
        """
        known = [m for m in models if np.isfinite(self.value((key, m)))]
        ends = [(m, self.layout.summands[key, m]) for m in known]
        slopes = [
            self.slopes_of_cells(m, s) if isinstance(s, TableSummand) else self._slopes(s)
            for m, s in ends
        ]
        gram = np.array(
            [
                [self._between(*a, s, *b, t, sizes) for b, t in zip(ends, slopes, strict=True)]
                for a, s in zip(ends, slopes, strict=True)
            ]
        ).reshape(len(known), len(known))
        if not np.isfinite(gram).all():
            return {}
        size = np.sqrt(np.where(np.diag(gram) > 0, np.diag(gram), 1.0))
        values, vectors = np.linalg.eigh(gram / np.outer(size, size))
        root = vectors * np.sqrt(np.maximum(values, 0.0)) * size[:, None]
        # Each row's own length is exact whatever the decomposition lost.
        norm = np.sqrt((root**2).sum(axis=1))
        length = np.sqrt(np.maximum(np.diag(gram), 0.0))
        root *= np.divide(length, norm, out=np.ones(len(norm)), where=norm > 0)[:, None]
        return {
            m: np.concatenate([row, -row]) / sqrt(2) for m, row in zip(known, root, strict=True)
        }

    def slopes_of_cells(self, model: str, summand: TableSummand) -> Vector:
        """What a row in each cell does to the value; nan where that is not known."""
        found = summand.cells.influence(self.tables.weight(model))
        return np.full(len(summand.labels) ** 2, np.nan) if found is None else found

    def _between(
        self,
        one: str,
        a: Summand,
        s: Vector,
        other: str,
        b: Summand,
        t: Vector,
        sizes: tuple[int, int] | None,
    ) -> float:
        """Σ of the products of two influences, each w φ / W a row."""
        if isinstance(a, TableSummand):
            return self.tables.covariance(one, s, other, t) / self.weight**2
        if sizes is not None and a.is_of_four_cells:
            return self._within_classes(a, s, b, t, sizes)
        return self._covariance(a, s, b, t)

    def linear(self, of: Of) -> tuple[Vector, float]:
        """Return what a row adds to the error of a value of sums: slopes and a shift.

        That is its weight times (the slopes times its columns about their centres, less the shift),
        or times the slope of its cell.
        """
        summand = self.layout.summands[of]
        if isinstance(summand, TableSummand):
            return self.slopes_of_cells(of[1], summand), 0.0
        slopes = self._slopes(summand)
        return slopes, float(slopes @ (self.means(summand) - summand.centre))

    def measure_spread(self, key: str, signs: Mapping[str, float]) -> float:
        """Measure the root of the summed squares of the influence of models, each with its sign."""
        own = self.influences(key, list(signs))
        if len(own) < len(signs):
            return nan
        return float(np.linalg.norm(sum(sign * own[model] for model, sign in signs.items())))

    def portions(self, of: Of) -> tuple[tuple[float, float], ...]:
        """The shares of cells that a counted metric is made of, with Kish's number of rows."""
        summand, found = self.layout.summands[of], []
        if isinstance(summand, TableSummand):
            weights, squared = self.tables.weight(of[1]), self.tables.squared(of[1])
        else:
            weights = self.own[self.layout.first(summand.places)]
            squared = self.own[[self.layout.squared(at) for at in summand.places]]
        for portion in summand.shares:
            weight = weights[list(portion.among)].sum()
            if not weight > 0:
                return ()
            share = weights[list(portion.part)].sum() / weight
            squares = squared[list(portion.among)].sum()
            found.append((float(share), float(weight**2 / squares)))
        return tuple(found)

    def means(self, summand: Summand) -> Vector:
        """The means of its columns, (k,)."""
        sums = self.own[self.layout.first(summand.places)]
        return np.asarray(summand.centre + sums / self.weight)

    def _raw_sums(self, *summands: Summand) -> tuple[Matrix, Matrix]:
        """Of each resample the sums of columns, (B, k), and their means; nan where none weigh."""
        totals = self.drawn[:, :1]
        centre = np.concatenate([each.centre for each in summands])
        sums = self._sums_of(*summands) + centre * totals
        means = np.full(sums.shape, np.nan)
        np.divide(sums, totals, out=means, where=totals > 0)
        return sums, means

    def _sums_of(self, *summands: Summand) -> Matrix:
        """Of each resample the sums of columns about their centres, (B, k)."""
        places = [place for each in summands for place in each.places]
        return np.asarray(self.drawn[:, 1 + self.layout.slots[places]])

    def _slopes(self, summand: Summand) -> Vector:
        """Central differences of what makes a value of means, at those of the sample."""
        means, finish = self.means(summand), summand.finish
        scale = summand.metric.scale
        times = (
            1.0
            if scale is None
            else float(scale(np.array([self.weight]), **summand.metric.params)[0])
        )
        if finish is None:
            return np.append(times, np.zeros(len(means) - 1))
        steps = np.zeros(len(means))
        for k, place in enumerate(summand.places):
            # About zero, from squares about the centre.
            centre, spread = summand.centre[k], self.product(summand, place, place) / self.own[2]
            size = sqrt(max(spread + centre * (2 * means[k] - centre), 0.0))
            steps[k] = STEP * (means[k] if 0 < means[k] < STEP * 1000 * size else size)
        return np.asarray(times * measure_slopes(finish, means[None], steps[None])[0])

    def _covariance(self, one: Summand, s: Vector, other: Summand, t: Vector) -> float:
        """Σ of the products of two influences, each w φ / W a row."""
        d = self.means(one) - one.centre
        e = self.means(other) - other.centre
        p = np.array([[self.product(one, i, j) for j in other.places] for i in one.places])
        q, r = (
            np.array([self.own[self.layout.squared(i)] for i in each.places])
            for each in (one, other)
        )
        terms = p, -np.outer(d, r), -np.outer(q, e), np.outer(d, e) * self.own[2]
        found = float(s @ sum(terms) @ t)
        size = sum(float(np.abs(s) @ np.abs(term) @ np.abs(t)) for term in terms)
        return found / self.weight**2 if abs(found) > ROUNDING * size else 0.0

    def _within_classes(
        self, one: Summand, s: Vector, other: Summand, t: Vector, sizes: tuple[int, int]
    ) -> float:
        """As `_covariance`, by the cells of either class, with m / (m - 1) of the rows of each."""
        u, v = s - s @ self.means(one), t - t @ self.means(other)
        found = 0.0
        for cells, rows in (((FN, TP), sizes[0]), ((TN, FP), sizes[1])):
            if rows < 2:
                return nan
            squares = (
                u[i] * v[j] * self.product(one, one.places[i], other.places[j])
                for i, j in product(cells, cells)
            )
            found += float(sum(squares)) * rows / (rows - 1)
        return found / self.weight**2

    def product(self, summand: Summand, one: int, other: int) -> float:
        """Σ w² times two columns, one of which is of a summand."""
        if summand.is_wide:
            return float(self.wide[self._wide_places[one], self._wide_places[other]])
        return float(self.own[self.layout.product(one, other)])

    def squares_of(self, summand: Summand, one: int, other: int) -> float:
        """The same as they stand, and not about their centres."""
        (a, q), (b, r) = (
            (float(self.layout.centre[at]), float(self.own[self.layout.squared(at)]))
            for at in (one, other)
        )
        return self.product(summand, one, other) + a * r + b * q + a * b * float(self.own[2])

    @cached_property
    def _wide_places(self) -> dict[int, int]:
        place = {column: number for number, column in enumerate(self.layout.wide)}
        return {k: place[int(at)] for k, at in enumerate(self.layout.same) if int(at) in place}

    @cached_property
    def _drawn_places(self) -> dict[int, int]:
        return {int(term): at for at, term in enumerate(self.layout.resampled)}

    def _products(self, summands: tuple[Summand, ...]) -> tuple[list[int], Vector, Matrix]:
        """Columns, their centres, and products (B, q) about these, in the order of errors."""
        places = [place for each in summands for place in each.places]
        centre = np.concatenate([each.centre for each in summands])
        at = self._drawn_places
        columns = [self.drawn[:, at[2]]]
        columns += [self.drawn[:, at[self.layout.squared(place)]] for place in places]
        for pair in combinations_with_replacement(places, 2):
            columns.append(self.drawn[:, at[self.layout.product(*pair)]])
        return places, centre, np.stack(columns, axis=1)

    def _compute_errors(self, *summands: Summand) -> Vector:
        """Compute the standard error of each replicate of a value, or of one less another."""
        places, centre, products = self._products(summands)
        k, w2 = len(places), products[:, 0]
        linear = products[:, 1 : k + 1]
        raw = [w2, *(linear[:, i] + centre[i] * w2 for i in range(k))]
        for place, (i, j) in enumerate(combinations_with_replacement(range(k), 2)):
            moved = centre[i] * linear[:, j] + centre[j] * linear[:, i] + centre[i] * centre[j] * w2
            raw.append(products[:, k + 1 + place] + moved)
        sums = np.column_stack([self.drawn[:, 0], self._raw_sums(*summands)[0]])
        return compute_replicate_errors(sums, np.column_stack(raw), _finish_all(summands))

    def _freeze(self, *of: Of) -> Vector:
        """How far the influence at the sample's own values spreads in each resample."""
        summands = tuple(self.layout.summands[each] for each in of)
        signs = (1.0, -1.0)[: len(summands)]
        s = np.concatenate(
            [k * self._slopes(each) for k, each in zip(signs, summands, strict=True)]
        )
        d = np.concatenate([self.means(each) - each.centre for each in summands])
        places, _, products = self._products(summands)
        k, w2 = len(places), products[:, 0]
        linear = products[:, 1 : k + 1] @ s
        squares = np.zeros(len(w2))
        for place, (i, j) in enumerate(combinations_with_replacement(range(k), 2)):
            squares += (1.0 if i == j else 2.0) * s[i] * s[j] * products[:, k + 1 + place]
        at = float(s @ d)
        squares = (squares - 2 * at * linear + at**2 * w2) / self.weight**2
        sums = (self._sums_of(*summands) @ s - at * self.drawn[:, 0]) / self.weight
        spread = np.sqrt(np.maximum(squares - sums**2 / self.units, 0.0))
        share = self.drawn[:, 0] / self.weight
        found = np.full(len(share), np.nan)
        np.divide(spread, share, out=found, where=share > 0)
        return found


def _share_signs(signed: Vector, weight: float, squares: float) -> SignShares | None:
    """Share the signed weights of units that differ out, of all units that weigh so much."""
    if not weight > 0:
        return None
    above, below = signed > 0, signed < 0
    up, down = (float(np.abs(signed[which]).sum()) / weight for which in (above, below))
    return SignShares(up, down, weight**2 / squares, int(above.sum()), int(below.sum()))


def _finish_all(summands: Sequence[Summand]) -> Finish | None:
    """Return what makes a value of means of columns, or of those of two their difference."""
    if len(summands) == 1:
        return summands[0].finish
    one, other = summands
    k = len(one.places)

    def difference(means: Matrix) -> Vector:
        return finish_means(one.finish, means[:, :k]) - finish_means(other.finish, means[:, k:])

    return difference


def _values(summand: Summand, means: Matrix, totals: Vector) -> NDArray[np.float64]:
    """Values from means (b, k) and totals (b,); nan where nothing weighs."""
    found, metric = finish_means(summand.finish, means), summand.metric
    return found if metric.scale is None else found * metric.scale(totals, **metric.params)


@record(eq=False)
class Units:
    """The clusters that weigh anything: their keys, (g,), weights and sums of columns, (g, k).

    Columns are about their centres. A cluster is a row that weighs what its rows weigh, and whose
    columns are their means: so inference is that of rows in memory.
    """

    keys: NDArray[np.uint64]
    weight: Vector
    sums: Matrix

    def draw(self, design: Design) -> list[Batch]:
        """Draw how often each counts in each resample."""
        return [
            Batch(
                draw_keyed_poisson_counts(self.keys, BATCH_SIZE, design.stream_key, k),
                self.weight,
                k,
            )
            for k in range(-(-design.replicates // BATCH_SIZE))
        ]


def build_units(table: KeyedSums, grain: Vector) -> Units:
    """Build the clusters from whole numbers by key, both parts of each sum."""
    high, low = np.split(to_weights(table, 1.0), 2, axis=1)
    found = high * grain + low * (grain * 2.0**-BITS)
    held = found[:, 0] > 0
    return Units(table[held, 0], found[held, 0], np.ascontiguousarray(found[held, 1:]))


@record(eq=False)
class UnitTotals(Totals):
    """All sums where rows are drawn in clusters."""

    units_drawn: Units
    batches: list[Batch]

    def list_columns(self, summand: Summand) -> list[Vector]:
        """Return the mean of each column in each cluster, (g,) each."""
        sums = self.units_drawn.sums[:, self.layout.slots[list(summand.places)]]
        return list((sums / self.units_drawn.weight[:, None] + summand.centre).T)

    def find_signs(self, one: Of, other: Of) -> SignShares | None:
        """Find the same of clusters of queries."""
        ends = [self.layout.summands[of] for of in (one, other)]
        if not all(end.is_of_losses for end in ends):
            return None
        each, weights = [], []
        for end in ends:
            columns = self.list_columns(end)
            share = columns[-1] if end.metric.leaves_out else np.ones(len(columns[0]))
            weights.append(self.units_drawn.weight * share)
            each.append(np.divide(columns[0], share, out=np.zeros(len(share)), where=share > 0))
        if not np.array_equal(weights[0], weights[1]):
            return None
        change, weight = each[0] - each[1], weights[0]
        signed = (np.sign(change) * weight)[np.abs(change) > LEVEL]
        return _share_signs(signed, float(weight.sum()), float(weight @ weight))

    def count_rarer(self, of: Of, sizes: tuple[int, int]) -> int:
        """Return how many clusters have such a row; of other metrics than of cells, at most."""
        summand = self.layout.summands[of]
        one = summand.metric.params.get("of")
        if isinstance(summand, TableSummand) and one is not None:
            unit, cell, weight = self._find_table(of[1])
            upper = cell // len(summand.labels) == summand.labels.index(str(one))
            rows = [np.bincount(unit, weight * each, self.units) for each in (upper, ~upper)]
            return min(int(np.count_nonzero(weights)) for weights in rows)
        if not summand.is_of_four_cells:
            return min(*sizes, self.units)
        cells = self.list_columns(summand)
        held = (cells[FN] + cells[TP], cells[TN] + cells[FP])
        return min(int(np.count_nonzero(weights > 0)) for weights in held)

    def find_influence(self, of: Of) -> Vector:
        """Find what each cluster adds to the error, (g,)."""
        summand = self.layout.summands[of]
        if isinstance(summand, TableSummand):
            unit, cell, weight = self._find_table(of[1])
            slopes = self.slopes_of_cells(of[1], summand)
            return np.bincount(unit, weight * slopes[cell], self.units) / self.weight
        each = np.stack(self.list_columns(summand), axis=1) - self.means(summand)
        return np.asarray(self.units_drawn.weight * (each @ self._slopes(summand)) / self.weight)

    def find_errors(self, model: str) -> Vector | None:
        """Find what each cluster adds to the mean error, (g,); None where amounts play no part."""
        summand = self.layout.summands.get((ERROR, model))
        if summand is None:
            return None
        each = self.list_columns(summand)[0] - self.means(summand)[0]
        return np.asarray(self.units_drawn.weight * each / self.weight)

    def influences(
        self, key: str, models: list[str], sizes: tuple[int, int] | None = None
    ) -> dict[str, Vector]:
        """Return what each cluster adds to the error of each model's value."""
        known = [model for model in models if np.isfinite(self.value((key, model)))]
        each = {model: self.find_influence((key, model)) for model in known}
        return {model: found for model, found in each.items() if np.isfinite(found).all()}

    def _find_table(self, model: str) -> tuple[Index, Index, Vector]:
        """Find the cells of a model's table that clusters have rows in, and what these weigh."""
        kinds = self.tables
        return np.searchsorted(self.units_drawn.keys, kinds.unit), kinds.cell[model], kinds.sums

    def _freeze(self, *of: Of) -> Vector:
        influence = self.find_influence(of[0])
        for other in of[1:]:
            influence = influence - self.find_influence(other)
        return self._of(FrozenStandardError(influence, None, self.units_drawn.weight, None))

    def _compute_errors(self, *summands: Summand) -> Vector:
        units, weight = len(self.units_drawn.keys), self.units_drawn.weight
        columns = [column for each in summands for column in self.list_columns(each)]
        finish, k = _finish_all(summands), len(columns)
        return self._of(BoundStandardError(lambda: columns, k, finish, None, weight, None, units))

    def _of(self, error: BoundStandardError | FrozenStandardError) -> Vector:
        terms = [_multiply_columns(term) for term in error.terms]
        found = [
            error.compute_from_sums(column_sums(batch, terms), batch.totals)
            for batch in self.batches
        ]
        return np.concatenate(found)[: len(self.drawn)]


def _multiply_columns(term: Term) -> Vector:
    """Multiply the two columns of a term, or return its only one."""
    if isinstance(term, tuple):
        one, other = map(_multiply_columns, term)
        return one * other
    return np.ascontiguousarray(term)


def build_totals(
    layout: Layout, facts: State, sums: State, grain: Vector, design: Design
) -> Totals:
    """Build the totals of all rows from the whole numbers that the passes found."""
    own, count = to_real(sums["sum", "own"], grain), design.replicates
    tables, clusters = layout.tables, sums.get(("keyed sums 1", "units"))
    drawn_grain = layout.drawn_grains(grain)
    if clusters is not None:
        drawn_grain = drawn_grain[len(layout.resampled) :]
    drawn = to_real(sums["sum", "drawn"], drawn_grain)[:count]
    of_tables = build_table_sums(tables, sums, grain[1:3], drawn[:, len(drawn.T) - tables.drawn :])
    rest = layout.products_of_wide(to_real(sums["sum", "products"], grain[2])), of_tables
    if clusters is None:
        return Totals(layout, facts, own, drawn[:, : len(layout.resampled)], None, *rest)
    units = build_units(clusters, grain[layout.of_units])
    batches = units.draw(design)
    terms = [units.weight, *units.sums.T]
    plain = np.concatenate([column_sums(Batch(each.count), terms) for each in batches])[:count]
    seen = units.sums[:, layout.slots[list(layout.judging)]]
    weights = np.column_stack([units.weight, seen])
    return UnitTotals(layout, facts, own, plain, weights, *rest, units, batches)


def build_table_sums(tables: CallTables, sums: State, grain: Vector, drawn: Matrix) -> TableSums:
    """Build the kinds of rows that weigh from sums of weights and of squares by their keys."""
    keys = 1 + len(tables.models)
    found = sums.get((f"keyed sums {keys}", "calls"), np.empty((0, keys + 8), np.uint64))
    halves = found[:, keys:].view(np.int64).reshape(-1, 2, 2, 2).transpose(1, 2, 0, 3)
    weight, squares = to_real(halves, grain).T
    weighs = weight > 0
    cells = found[weighs, 1:keys].astype(np.intp).T
    of_models = dict(zip(tables.models, cells, strict=True))
    return TableSums(tables, found[weighs, 0], of_models, weight[weighs], squares[weighs], drawn)
