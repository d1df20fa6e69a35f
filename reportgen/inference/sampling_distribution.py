"""The sampling distribution of one value or difference: replicates, influence, units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import product
from math import copysign, inf, isfinite, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.long_run import LongRunEstimate, estimate_long_run_error
from reportgen.inference.sequential import Arrivals
from reportgen.inference.unit_values import RemadeVector, read_units, sum_squares
from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics.traits import Estimand
from reportgen.records import record
from reportgen.results.types import FEWEST as FEWEST_OF
from reportgen.results.types import FEWEST_FOLDS, Lacking
from reportgen.terms import LIMITS


@record
class WeightBalance:
    """The effective number of so many units, and the largest share of the weight that one holds.

    `excess` is what weighted squares about the weighted mean lack of the variance of that mean,
    beyond the n/(n − 1) that they lack with equal weights.
    """

    units: int
    effective: float
    largest: float
    excess: float

    @property
    def is_uneven(self) -> bool:
        """True if the weights leave few effective units of many, or one unit dominates."""
        limits = LIMITS["W130"]
        is_few = self.effective < min(limits["fewest"], self.units * limits["share"])
        return is_few or self.largest > max(limits["largest"], 3 / max(self.units, 1))


def measure_balance(weight: Vector) -> WeightBalance:
    """Measure the balance of units with these weights; those without any do not count.

    >>> from numpy import array
    >>> round(measure_balance(array([1.0, 1.0, 0.0, 2.0])).effective, 4)
    2.6667
    """
    weight = weight[weight > 0]
    n = len(weight)
    if not n or float(weight.min()) == float(weight.max()):
        return WeightBalance(n, float(n), 1 / n if n else 1.0, 1.0)
    share = weight / weight.sum()
    squares = share**2
    effective = 1 / float(squares.sum())
    # E Σ h²(d − Σhd)² of independent d of variance 1, where the variance of the mean is Σh².
    left = float(squares @ ((1 - share) ** 2 + (squares.sum() - squares)))
    excess = float(squares.sum()) / left * (n - 1) / n if left > 0 else float("inf")
    return WeightBalance(n, min(effective, float(n)), float(share.max()), excess)


DRAWS = 9_999
DRAWN_UNITS = 100  # the largest; no other has a hundredth of the variance, so they are Normal
AT_ONCE = 2_000
EXACT_FLIPS = 14  # units up to which all sign patterns are counted
FLIPS = 9_999
BLOCK = 2_000_000  # signs held in memory at once


def compute_sign_sums(shares: Vector) -> Vector:
    """|Σ ± share| under random signs, ascending, shape (9,999,).

    No seed moves them: they stand for a sum over all signs, whose quantiles they give to 1 %. The
    largest share comes first, so that the order of rows moves nothing either.
    """
    sizes = np.sort(np.abs(shares))[::-1]
    largest, rest = sizes[:DRAWN_UNITS], float(np.linalg.norm(sizes[DRAWN_UNITS:]))
    normal, signs = _draw_signs(len(largest))
    sums = rest * normal
    for start in range(0, DRAWS, AT_ONCE):
        sums[start : start + AT_ONCE] += signs[start : start + AT_ONCE] @ largest
    return np.sort(np.abs(sums))


@lru_cache(maxsize=2)
def _draw_signs(units: int) -> tuple[Vector, Matrix]:
    """Draw what no seed moves: normal values, (9,999,), and signs, (9,999, units)."""
    draw = np.random.default_rng(0)
    normal = draw.standard_normal(DRAWS)
    signs = draw.integers(0, 2, (DRAWS, units), dtype=np.int8)
    return normal, signs.astype(np.float64) * 2 - 1


def sign_flip_p_value(each: Vector, seed: int = 0) -> tuple[float, bool]:
    """Return how often a sum under random signs is as large as it is, and whether all were counted.

    All 2^units patterns up to 14 units, else 9,999 drawn ones and (b + 1)/(B + 1).

    >>> sign_flip_p_value(np.array([1.0, 1.0, 1.0]))
    (0.25, True)
    """
    observed = abs(float(each.sum()))
    slack = 1e-12 * float(np.abs(each).sum())
    if len(each) <= EXACT_FLIPS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(each))))
        return float(np.mean(np.abs(signs @ each) >= observed - slack)), True
    as_large = sum(
        int(np.sum(np.abs(signs @ each) >= observed - slack)) for signs in _signs(len(each), seed)
    )
    return (as_large + 1) / (FLIPS + 1), False


def _signs(units: int, seed: int) -> Iterator[Matrix]:
    """FLIPS rows of random signs, a block at a time."""
    draw = np.random.default_rng(seed)
    rows = max(1, BLOCK // units)
    for start in range(0, FLIPS, rows):
        shape = (min(rows, FLIPS - start), units)
        yield draw.integers(0, 2, shape, dtype=np.int8).astype(np.float64) * 2 - 1


def estimate_unseen_variance(
    group: Index, influence: Vector, weight: Vector, moves: Vector
) -> float:
    """Estimate the variance of one extra row in each group of rows, as far as its own show less.

    `moves` (g,) is by how much a value moves if one row of a group is called otherwise. A group
    none of whose few rows differs from another shows no variance, and is not known the better for
    that: it may hold as much as one row more. `group`, `influence` and `weight` (n,) are those of
    rows, or of kinds of rows with the roots of their summed squares.

    >>> group, moves = np.array([0, 0, 1, 1]), np.array([0.25, 0.25])
    >>> estimate_unseen_variance(group, np.array([0.25, -0.25, 0.0, 0.0]), np.ones(4), moves)
    0.0625
    """
    size = len(moves)
    squares = np.bincount(group, influence**2, size)
    product = np.bincount(group, influence * weight, size)
    weights = np.bincount(group, weight**2, size)
    mean = np.divide(product**2, weights, out=np.zeros(size), where=weights > 0)
    return float(np.maximum(moves**2 - (squares - mean), 0.0).sum())


def sum_of_squares_estimate(squares: Vector) -> float:
    """Sum squares with a factor of m/(m − 1); return nan for fewer than two."""
    m = len(squares)
    return float(squares.sum()) * m / (m - 1) if m > 1 else np.nan


Reason = Literal[
    "",
    "undefined-value",
    "few-replicates",
    "few-for-family",
    "whole-range",
    "no-variation",
    "few-clusters",
    "uneven-weights",
    "few-differ",
    "few-units",
    "chance-adds",
    "few-folds",
    "few-of-a-class",
    "past-bound",
    "alike-rows",
    "other-rows",
]

NO_INTERVAL: Mapping[Reason, str] = {
    "": "",
    "undefined-value": "",
    "few-replicates": "no interval: too few resamples have a value",
    "few-for-family": "no adjusted interval: too few resamples for so many comparisons",
    "whole-range": "no adjusted interval: at the level that so many comparisons share, nothing is "
    "ruled out",
    "no-variation": "no interval: it does not vary over the resamples",
    "few-clusters": "no interval: there are too few {units} to know how they differ",
    "uneven-weights": "no interval: nearly all weight is on one unit that is resampled",
    "few-differ": "no interval: too few differ, and the measure has no largest value",
    "few-units": "",
    "chance-adds": "no interval: chance alone makes it larger, by more than its standard error on "
    "few rows, and resamples add to that again",
    "few-folds": "no interval: fewer than two folds have a value",
    "few-of-a-class": "no interval: only {count} of one class, and so few do not show how others "
    "would differ; from {enough} of each class on there is one",
    "past-bound": "no anytime-valid interval: a row differs by more than `largest_difference`; "
    "write a larger one that no row can pass",
    "alike-rows": "no anytime-valid interval: neighbouring rows have similar differences, as rows "
    "that are sorted or depend on each other do; put them in the order in which they came, or "
    "plan the analyses with `looks`",
    "other-rows": "no anytime-valid interval: the models have values on different rows",
}
ROUNDING = 1e-12  # of the size of its terms, under which a difference is no difference
FEWEST = 20  # replicates that must be finite before anything is read from their spread
FEW_TRIALS = 20  # rows under which a share of those that a model chose is not a mean like others
FEW_UNITS = 10  # independent units under which no method's limits are taken on their own
FEWEST_OF_A_CLASS = 10  # rows under which nothing is known of how the rows of a class differ


@record
class Interval:
    """Limits for an unknown value; `method` is the one really used.

    Where none exists `low` and `high` are nan and `reason` says why, as a code.
    """

    low: float
    high: float
    level: float
    method: str
    se: float
    reason: Reason = ""

    @property
    def is_defined(self) -> bool:
        """True if there are limits at all."""
        return self.reason == ""

    @property
    def width(self) -> float:
        """Distance between the limits, in the unit of the value."""
        return self.high - self.low


@record(eq=False)
class FoldValues:
    """The value on each fold, (J,), nan where undefined; of a difference the paired differences.

    `ratio` is the size of a fold over that of the rows its model was fitted on. Folds share most of
    those rows, so that the variance of the mean of J values is theirs times 1/J + `ratio`, not 1/J.
    """

    values: Vector
    ratio: float

    @cached_property
    def finite_values(self) -> Vector:
        """The values that exist."""
        return self.values[np.isfinite(self.values)]

    @property
    def df(self) -> float:
        """One less than the folds with a value."""
        return len(self.finite_values) - 1.0

    @property
    def se(self) -> float:
        """The corrected standard error of the mean (Nadeau and Bengio 2003); nan under two."""
        if len(self.finite_values) < 2:
            return nan
        factor = 1 / len(self.finite_values) + self.ratio
        return float(np.std(self.finite_values, ddof=1)) * sqrt(factor)


@record(eq=False)
class RootDistribution:
    """The evidence of what a value is a monotone function of, and how one follows from the other.

    `line` is (level, slope) where the value is level + slope times the other; else None, and then
    `sign` says whether a difference has the sign of the other (1) or its opposite (−1).
    """

    evidence: SamplingDistribution
    line: tuple[float, float] | None
    sign: float = 1.0


@record
class SignShares:
    """Shares of the weight on which a difference is above zero and below, of `n` effective units.

    `above`, `below` count units as they are.
    """

    up: float
    down: float
    n: float
    above: int
    below: int

    @property
    def differing(self) -> int:
        """The number of units that differ at all."""
        return self.above + self.below


@record(eq=False)
class ClassParts:
    """What is known of each class, (k,), of a mean over classes of one model.

    Its value, the effective rows of the proportion that it is or whose odds it has `odds` times,
    and how the values go together, (k, k).
    """

    values: Vector
    trials: Vector
    odds: float
    correlation: Matrix


@record(eq=False)
class SamplingDistribution:
    """A value and what is known about its error.

    value          the estimate, nan where undefined
    replicates     (B,) its values under resampling; what is not finite is left out and counted
    bias           by how much the rows at hand flatter it, where that is known otherwise than from
                   the replicates
    n, units       rows; independent units (rows, or clusters when `is_clustered`)
    influence      (units,) u_c = sum over the unit's rows of w_i phi_i / W; their squares add up
                   to the squared standard error, unless units follow one another in time: then
                   they are in its order. None where no form is known. Centred within strata for a
                   stratified design
    grouped        (g,) the same for groups of rows, roughly: what the value loses without each.
                   Where no influence is known; for its skewness alone
    smoothed       (units,) as influence, for a statistic with an edge: what stands at the edge is
                   taken from its neighbours. For the error of a difference; of one between means
                   over classes what changed rows add to it, one number for each of them
    edge_df        degrees of freedom that the rows at an end of the ranking leave: of those in the
                   buckets or the top that it rests on, equally weighted, less one for each
    replicate_se   (B,) standard error of each replicate by its own influence values
    contributions  (units,) what each unit adds to a mean loss, in time order where time counts:
                   they sum to the value of a mean, or to the mean beneath a function of one
    shares         (units,) each unit's share of the weight behind them
    binning        how far it can be from the value of all rows, as it was found from bins of them
    positives      (units,) class of each row, for a share of pairs between two classes
    rarer          how many units have a row of the rarer of two classes, where they are clusters
                   or their rows are not at hand
    trials         Kish's effective number of rows behind a proportion
    portions       proportions that it is a sum of, each with that number of the rows it is one of;
                   of a difference both sides', where one is a proportion of few rows
    classes        what a mean over classes is made of, of one model
    hits           (units,) whether each row counts, 1 or 0, in a proportion of some rows; nan for
                   a row that is not among them. Of a difference what changed, where both models
                   have the same rows among them
    changed        of a difference, how many rows only the candidate and only the baseline counts,
                   where these numbers are known and the rows are not
    signs          of a difference, the same of a mean over units, of which few differ
    block          mean length, in units, of the blocks of time; None where units are independent
    grain          the rounding of the terms it is made of, in its unit
    size           of a difference, the larger of the two values it is taken between
    signed         of a difference of sizes, candidate and baseline with their signs
    balance        how evenly the units share the weight; None where they do so evenly enough
    strata         how many strata the units are drawn within
    basis          what it is a function of, if that decides in its place
    units_are      what units are, where nothing is decided on too few of them; else empty
    folds          the value on each fold, where these and no rows are what varies
    behind         units of the rows behind the folds; None where units are of rows
    has_one_score  of a difference, whether both models have the same score on every row
    unseen         the variance that groups of its rows may hide, which are too few to show it
    arrivals       of a difference, that of each row in the order in which rows came, where limits
                   are to hold at every analysis
    """

    value: float
    replicates: Vector
    estimand: Estimand
    bounds: tuple[float, float]
    n: int
    units: int
    bias: float | None = None
    influence: Vector | None = None
    grouped: Vector | None = None
    smoothed: Vector | None = None
    edge_df: float | None = None
    replicate_se: Vector | None = None
    contributions: Vector | None = None
    shares: Vector | None = None
    positives: NDArray[np.bool_] | None = None
    rarer: int | None = None
    trials: float | None = None
    portions: tuple[tuple[float, float], ...] = ()
    classes: ClassParts | None = None
    hits: Vector | None = None
    changed: tuple[int, int, int] | None = None
    signs: SignShares | None = None
    block: float | None = None
    strata: int = 1
    is_clustered: bool = False
    is_weighted: bool = False
    is_tied: bool = False
    is_difference: bool = False
    grain: float = 0.0
    size: float = 0.0
    signed: tuple[SamplingDistribution, SamplingDistribution] | None = None
    balance: WeightBalance | None = None
    basis: RootDistribution | None = None
    units_are: Lacking = ""
    folds: FoldValues | None = None
    behind: int | None = None
    binning: float = 0.0
    unseen: float = 0.0
    has_one_score: bool = False
    arrivals: Arrivals | None = None

    @property
    def nearest_zero(self) -> SamplingDistribution:
        """The same with the value as near to zero as bins allow, where it was found from these."""
        if not self.binning:
            return self
        size = max(abs(self.value) - self.binning, 0.0)
        return replace(self, value=copysign(size, self.value), binning=0.0)

    @property
    def lacks(self) -> Lacking:
        """The kind of which there are too few to decide anything: units or folds.

        Empty where there are enough of both.
        """
        if (self.units if self.behind is None else self.behind) < FEWEST_OF[self.units_are]:
            return self.units_are
        is_few = self.folds is not None and len(self.folds.finite_values) < FEWEST_FOLDS
        return "folds" if is_few else ""

    @cached_property
    def existing(self) -> Vector:
        """The replicates that exist, as they were drawn."""
        is_finite = np.isfinite(self.replicates)
        return self.replicates if is_finite.all() else self.replicates[is_finite]

    @cached_property
    def finite(self) -> Vector:
        """The replicates that exist, ascending."""
        return np.sort(self.existing)

    @property
    def has_replicates(self) -> bool:
        """True if enough replicates exist: at least 20, and at least half of those drawn."""
        return len(self.existing) >= max(FEWEST, len(self.replicates) / 2)

    @property
    def studentized(self) -> Vector | None:
        """(θ* − θ)/se* of every replicate, nan where it does not exist; None where too few do.

        Infinite for a replicate away from θ whose rows are all alike: of few rows it is a common
        one.
        """
        errors = self.replicate_se
        if errors is None or not sqrt(self.squared_influence) > self.rounding:
            return None
        is_finite = np.isfinite(self.replicates)
        exist = is_finite & (errors > 0)
        if exist.sum() < max(FEWEST, len(exist) / 2):
            return None
        distance = np.where(is_finite, self.replicates, nan) - self.value
        t: Vector = np.divide(distance, errors, out=np.full(len(exist), nan), where=exist)
        if exist.all():
            return t
        is_alike = (errors == 0) & (np.abs(distance) > self.rounding)
        return np.where(is_alike, np.copysign(inf, distance), t)

    @cached_property
    def ascending_studentized(self) -> Vector | None:
        """(θ* − θ)/se*, ascending, where both exist; None where too few do."""
        t = self.studentized
        return None if t is None else np.sort(t[~np.isnan(t)])

    @cached_property
    def ascending_distances(self) -> Vector | None:
        """|θ* − θ|·se/se*, ascending, where they exist; None where too few do."""
        t = self.studentized
        if t is None:
            return None
        restated = self.value + t * sqrt(self.squared_influence)
        return np.sort(np.abs(restated[~np.isnan(restated)] - self.value))

    @property
    def independent(self) -> float:
        """The number of units, or blocks of them where they hang together in time."""
        return self.units if self.block is None else self.units / max(self.block, 1.0)

    @property
    def is_few(self) -> bool:
        """True if so few units are known that resamples of them repeat a handful of values."""
        effective = self.independent if self.balance is None else self.balance.effective
        return min(effective, self.independent) < FEW_UNITS

    @property
    def varies(self) -> bool:
        """True if its replicates differ by more than rounding."""
        return bool(len(self.existing)) and float(np.ptp(self.existing)) > self.rounding

    @property
    def df(self) -> float:
        """Degrees of freedom of a standard error: units less strata where they are few, else none.

        Few are folds, clusters, and effective units where weights are uneven; in blocks of time the
        cosine terms, or the blocks less one where no influence is known.
        """
        if self.folds is not None:
            return self.folds.df
        if self.block is not None:
            return self.unit_df
        is_few = self.is_clustered or self.balance is not None
        return self.unit_df if is_few else inf

    @property
    def unit_df(self) -> float:
        """Degrees of freedom of a mean over units: units less strata, and less one without.

        Effective units where weights are uneven.
        """
        units = self.units if self.balance is None else self.balance.effective
        if self.block is None:
            return units - self.strata
        known = self.long_run
        of_times = max(self.independent - 1, 1.0) if known is None else known.df
        return min(units - self.strata, of_times)

    @cached_property
    def long_run(self) -> LongRunEstimate | None:
        """The standard error over times; None where units are independent or no influence known."""
        each = self.smoothed if self.influence is None else self.influence
        if self.block is None or each is None:
            return None
        error = estimate_long_run_error(read_units(each))
        return error if isfinite(error.se) else None

    @property
    def _small_sample_factor(self) -> float:
        """The factor from the units' summed squares to the variance, units/(units − strata)."""
        counted = self.units - self.strata
        return self._excess * self.units / counted if counted > 0 else nan

    @property
    def _excess(self) -> float:
        """The factor that uneven weights add to that."""
        return 1.0 if self.balance is None else self.balance.excess

    @cached_property
    def bootstrap_se(self) -> float:
        """Standard deviation of the replicates, with G/(G − H) for clusters; nan if too few.

        Exactly 0 where the replicates differ by no more than rounding.
        """
        if not self.has_replicates or (self.is_clustered and self.units <= self.strata):
            return nan
        if np.ptp(self.existing) <= self.rounding:
            return 0.0
        factor = self._small_sample_factor if self.is_clustered else self._excess
        return float(np.std(self.existing, ddof=1)) * sqrt(factor)

    @cached_property
    def influence_se(self) -> float:
        """Root of the summed squares of the influence; nan where there is none.

        Clusters carry G/(G − H) with H strata; the rows of two classes m/(m − 1) within each class.
        """
        if self.block is not None:
            return nan if self.long_run is None else self.long_run.se * sqrt(self._excess)
        if self.influence is None:
            return nan
        if self.positives is not None and not self.is_clustered:
            squares = self.influence**2 * self._excess
            return sqrt(
                sum_of_squares_estimate(squares[self.positives])
                + sum_of_squares_estimate(squares[~self.positives])
            )
        if self.is_clustered:
            return self.mean_se
        return sqrt(self.squared_influence * self._excess + self.unseen)

    @cached_property
    def squared_influence(self) -> float:
        """The sum of squares of the influence; nan where there is none, or in blocks of time."""
        if self.influence is None or self.block is not None:
            return nan
        return sum_squares(self.influence)

    @cached_property
    def squares_and_cubes(self) -> tuple[float, float] | None:
        """Sums of squares and cubes of the influence, or of groups, as shares of the largest size.

        None where neither is known or units follow one another; zeros where all are zero.
        """
        each = self.grouped if self.influence is None else self.influence
        if each is None or self.block is not None:
            return None
        largest = float(np.abs(each).max(initial=0.0))
        if not largest > 0:
            return 0.0, 0.0
        of_largest = each / largest  # the powers of small numbers would be 0
        squared = of_largest * of_largest
        return float(np.sum(squared)), float(np.sum(squared * of_largest))

    @property
    def mean_se(self) -> float:
        """The influence standard error with units/(units − strata): s/√n for a plain mean.

        In blocks of time, the standard error over times.
        """
        if self.block is not None:
            return self.influence_se
        if self.influence is None or self.units <= self.strata:
            return nan
        return sqrt(self.squared_influence * self._small_sample_factor)

    @property
    def smoothed_se(self) -> float:
        """Compute `mean_se` from the smoothed influence."""
        if self.block is not None:
            return self.influence_se
        if self.smoothed is None or self.units <= self.strata:
            return nan
        return sqrt(float((self.smoothed**2).sum()) * self._small_sample_factor)

    @cached_property
    def smoothed_sums(self) -> Vector | None:
        """Sums of the smoothed influence under random signs, with units/(units − strata)."""
        if self.smoothed is None or self.units <= self.strata:
            return None
        return compute_sign_sums(self.smoothed) * sqrt(self._small_sample_factor)

    @cached_property
    def rounding(self) -> float:
        """Differences up to this size are rounding, not variation."""
        known = self.existing
        largest = float(max(known.max(), -known.min())) if len(known) else 0.0
        return max(ROUNDING * max(abs(self.value), self.size, largest), self.grain)

    @property
    def rarer_class_size(self) -> int | None:
        """Rows, or clusters, that are of the rarer of two classes; None where there are none."""
        return self.rarer if self.positives is None else self.smaller_class

    @property
    def is_of_few_in_a_class(self) -> bool:
        """True if a class has too few rows to show how its rows differ, where that matters.

        It does not to a proportion of rows, nor to a sum of such of one model: their limits are
        made for few. It does to all that compares rows of two classes, as areas and maxima do:
        of one row of a class resamples repeat what it happened to be.
        """
        count = self.rarer_class_size
        if count is None or not 0 < count < FEWEST_OF_A_CLASS:
            return False
        is_sum = self.estimand.interval == "newcombe" and not self.is_difference
        return not (self.estimand.is_made_of_a_share or is_sum)

    @property
    def smaller_class(self) -> int | None:
        """Rows in the smaller of two classes; None where there are no classes."""
        if self.positives is None:
            return None
        count = int(self.positives.sum())
        return min(count, len(self.positives) - count)


def explain_no_interval(reason: Reason, evidence: SamplingDistribution) -> str:
    """Why there is no interval, and what to do, in words."""
    count = evidence.rarer_class_size or 0
    noun = "" if evidence.is_clustered else " row" if count == 1 else " rows"
    verb = "is" if count == 1 else "are"
    units = "clusters" if evidence.block is None else "points in time"
    return NO_INTERVAL[reason].format(
        count=f"{count}{noun} {verb}", enough=FEWEST_OF_A_CLASS, units=units
    )


def release_arrays(evidence: SamplingDistribution) -> None:
    """Let go of arrays that are made again when they are read."""
    for name in ("finite", "ascending_studentized", "ascending_distances"):
        vars(evidence).pop(name, None)
    for each in (evidence.influence, evidence.contributions):
        if isinstance(each, RemadeVector):
            each.release()


def count_bytes(evidence: SamplingDistribution) -> int:
    """Return how many bytes its own arrays take; the units' shares are those of all."""
    arrays = (
        evidence.influence,
        evidence.smoothed,
        evidence.grouped,
        evidence.contributions,
        evidence.positives,
        evidence.hits,
        evidence.replicates,
    )
    return sum(array.nbytes for array in arrays if array is not None)
