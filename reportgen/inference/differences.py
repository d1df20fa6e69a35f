"""The sampling distribution of a paired difference, on rows and on folds."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, isfinite, nan

import numpy as np
from scipy import special

from reportgen.inference.analytic_intervals import has_ten_of_either
from reportgen.inference.resampled_intervals import clip_interval, critical_value
from reportgen.inference.sampling_distribution import (
    FEW_TRIALS,
    ROUNDING,
    FoldValues,
    Interval,
    SamplingDistribution,
)
from reportgen.inference.unit_values import apply_to_units
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.rows import Rows
from reportgen.metrics.traits import ESTIMANDS, NEAREST, Better, strip_scale

FEWEST_FOR_TEST = 5  # values of folds under which there is no p-value


def corrected_t_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Return the value ± Student's t times the corrected standard error of the folds."""
    folds = evidence.folds
    if folds is None or folds.df < 1:
        return None
    half = critical_value(level, folds.df) * folds.se
    low, high = evidence.value - half, evidence.value + half
    return clip_interval(evidence, low, high, level, "corrected-t", folds.se)


def distribution_over_folds(
    evidence: SamplingDistribution, folds: FoldValues
) -> SamplingDistribution:
    """Return the same value with folds as what varies: nothing that is known of rows is left.

    `replicates` are to be those of `simulate_replicates`.
    """
    return replace(
        evidence,
        units=len(folds.finite_values),
        behind=evidence.units,
        influence=None,
        grouped=None,
        smoothed=None,
        edge_df=None,
        replicate_se=None,
        contributions=None,
        shares=None,
        positives=None,
        rarer=None,
        trials=None,
        portions=(),
        hits=None,
        block=None,
        strata=1,
        is_clustered=False,
        balance=None,
        folds=folds,
    )


def draw_fold_errors(folds: int, replicates: int, seed: int) -> Matrix:
    """Draw Normal numbers that models and metrics share, (replicates, folds)."""
    return np.random.default_rng([seed, folds]).standard_normal((replicates, folds))


def simulate_replicates(value: float, folds: FoldValues, drawn: Matrix) -> Vector:
    """Simulate replicates: the value plus its Normal error, by draws that all values share, (B,).

    Differences of two values then have the corrected error of the differences on folds, so that
    whatever is read from replicates of all models at once holds for new fits.
    """
    known = np.isfinite(folds.values)
    if folds.df < 1 or not np.isfinite(value):
        return np.full(len(drawn), np.nan)
    centred = folds.values[known] - folds.finite_values.mean()
    factor = (1 / len(folds.finite_values) + folds.ratio) / folds.df
    return np.asarray(value + np.sqrt(factor) * (drawn[:, known] @ centred))


def probability_ahead(evidence: SamplingDistribution) -> float:
    """Compute the probability that the value is above zero, by a flat prior; nan if unknown.

    The posterior of the correlated t test (Corani and Benavoli 2015,
    doi:10.1007/s10994-015-5486-z).
    """
    folds = evidence.folds
    if folds is None or folds.df < 1 or not folds.se > evidence.rounding:
        return float("nan")
    return float(special.stdtr(folds.df, evidence.value / folds.se))


def build_contrast(
    candidate: SamplingDistribution,
    baseline: SamplingDistribution,
    better: Better,
    replicate_se: Vector | None = None,
) -> SamplingDistribution:
    """Evidence of candidate − baseline on the same rows and resamples.

    Where what is nearest to zero or one is best the distances from it are compared, so lower is
    better.
    `replicate_se` cannot be had from the two and is given, if known.
    """
    signed = None
    if better in NEAREST:
        candidate, baseline = (_subtract_best(e, NEAREST[better]) for e in (candidate, baseline))
        signed = candidate, baseline
        candidate, baseline = _take_absolute(candidate), _take_absolute(baseline)
    low, high = candidate.bounds
    size = max(abs(candidate.value), abs(baseline.value))
    value = candidate.value - baseline.value
    grain = max(candidate.grain, baseline.grain)
    return SamplingDistribution(
        # What is left of two equal numbers is rounding, and no difference.
        value=0.0 if abs(value) <= max(ROUNDING * size, grain) else value,
        replicates=_subtract_replicates(candidate.replicates, baseline.replicates),
        estimand=candidate.estimand,
        bounds=(low - high, high - low),
        n=candidate.n,
        units=candidate.units,
        influence=_minus(candidate.influence, baseline.influence),
        smoothed=_minus(candidate.smoothed, baseline.smoothed),
        replicate_se=replicate_se,
        contributions=_minus(candidate.contributions, baseline.contributions),
        shares=candidate.shares,
        portions=_find_few_portions(candidate, baseline),
        hits=_subtract_hits(candidate.hits, baseline.hits),
        positives=candidate.positives,
        rarer=candidate.rarer,
        block=candidate.block,
        strata=candidate.strata,
        is_clustered=candidate.is_clustered,
        balance=candidate.balance,
        is_weighted=candidate.is_weighted,
        is_tied=candidate.is_tied or baseline.is_tied,
        is_difference=True,
        grain=grain,
        size=size,
        signed=signed,
        units_are=candidate.units_are,
        behind=candidate.behind,
        binning=candidate.binning + baseline.binning,
        folds=_subtract_fold_values(candidate.folds, baseline.folds),
    )


def _find_few_portions(
    candidate: SamplingDistribution, baseline: SamplingDistribution
) -> tuple[tuple[float, float], ...]:
    """Both shares, where one is of fewer than twenty rows that its model chose.

    One of one called row that is a false alarm has no spread of its own: neither resamples nor
    influence know how little it says. Nor do they at an end of the ranking where of neither model
    ten rows are so, and ten are not.
    """
    both = (*candidate.portions, *baseline.portions)
    is_chosen = candidate.hits is None and not candidate.is_clustered and candidate.block is None
    if not (candidate.estimand.is_share_of_rows and is_chosen and len(both) == 2):
        return ()
    is_few = min(trials for _, trials in both) < FEW_TRIALS
    if candidate.estimand.is_of_rows_at_an_end:
        is_few = is_few or not any(has_ten_of_either(*each) for each in both)
    return both if is_few else ()


def _subtract_best(evidence: SamplingDistribution, best: float) -> SamplingDistribution:
    """Evidence of the value less what is best."""
    if not best:
        return evidence
    low, high = evidence.bounds
    folds = evidence.folds and replace(evidence.folds, values=evidence.folds.values - best)
    return replace(
        evidence,
        value=evidence.value - best,
        replicates=evidence.replicates - best,
        bounds=(low - best, high - best),
        estimand=ESTIMANDS["smooth"],
        folds=folds,
    )


def _take_absolute(evidence: SamplingDistribution) -> SamplingDistribution:
    """Evidence of the absolute value: it bends at zero, where its replicates say so too."""
    sign = np.sign(evidence.value)
    influence = evidence.influence
    if influence is not None:
        influence = apply_to_units(lambda each: np.asarray(sign * each), influence)
    folds = evidence.folds and replace(evidence.folds, values=sign * evidence.folds.values)
    largest = max(abs(evidence.bounds[0]), abs(evidence.bounds[1]))
    return SamplingDistribution(
        value=abs(evidence.value),
        replicates=np.abs(evidence.replicates),
        # An absolute mean is no mean: its difference is no sum over units.
        estimand=ESTIMANDS["smooth"],
        bounds=(0.0, largest),
        grain=evidence.grain,
        n=evidence.n,
        units=evidence.units,
        influence=influence,
        block=evidence.block,
        strata=evidence.strata,
        is_clustered=evidence.is_clustered,
        balance=evidence.balance,
        is_weighted=evidence.is_weighted,
        is_tied=evidence.is_tied,
        folds=folds,
    )


def _subtract_replicates(first: Vector, second: Vector) -> Vector:
    """Subtract replicates; the difference is nan where either does not exist."""
    exist = np.isfinite(first) & np.isfinite(second)
    return np.where(exist, np.where(exist, first, 0.0) - np.where(exist, second, 0.0), nan)


def _subtract_hits(first: Vector | None, second: Vector | None) -> Vector | None:
    """Subtract hits; return None where the models have different rows among them."""
    if first is None or second is None or not np.array_equal(np.isnan(first), np.isnan(second)):
        return None
    return first - second


def _minus(first: Vector | None, second: Vector | None) -> Vector | None:
    if first is None or second is None:
        return None
    return apply_to_units(lambda one, other: np.asarray(one - other), first, second)


def _subtract_fold_values(first: FoldValues | None, second: FoldValues | None) -> FoldValues | None:
    if first is None or second is None:
        return None
    return replace(first, values=first.values - second.values)


ValueWithLimits = tuple[float, float, float]


def mover_limits(new: ValueWithLimits, old: ValueWithLimits) -> tuple[float, float]:
    """Limits for new − old from (value, low, high) of two independent values, by square-and-add.

    (MOVER; Zou and Donner 2008, doi:10.1002/sim.3095.)

    >>> mover_limits((5.0, 2.0, 8.0), (1.0, -3.0, 5.0))
    (-1.0, 9.0)
    """
    change = new[0] - old[0]
    return change - hypot(new[0] - new[1], old[2] - old[0]), change + hypot(
        new[2] - new[0], old[0] - old[1]
    )


def estimate_deciding_rows(slope: Vector, share: Vector, rows: Vector) -> float:
    """Return how many rows the standard error of a function of shares rests on; nan if it has none.

    `share` (k,) is what each kind of row weighs of all, `slope` (k,) how the value moves with it
    and `rows` (k,) how many equally weighted rows are of it. Each kind adds slope² · share² / rows
    to the variance and knows that as well as its rows can say; together they know it as so many
    rows do (Satterthwaite 1946).

    >>> one_in_ten = np.array([0.1, 0.9])  # a share of rows rests on those of the rarer kind
    >>> round(estimate_deciding_rows(np.array([1.0, 0.0]), one_in_ten, np.array([5.0, 45.0])), 1)
    6.2
    """
    about = slope - float(slope @ share) / float(share.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        added = np.where(rows > 0, (about * share) ** 2 / rows, 0.0)
        known = np.where(rows > 0, added**2 / rows, 0.0)
    return float(added.sum() ** 2 / known.sum()) if known.sum() > 0 else np.nan


TERMS = 4  # roundings of the larger of y and score in one error


def remove_rounding(evidence: SamplingDistribution, unit: str, rows: Rows) -> SamplingDistribution:
    """Remove rounding from the value and the replicates of the evidence."""
    return remove_rounding_to(evidence, unit, rows.largest() if strip_scale(unit) == "y" else 0.0)


def remove_rounding_to(
    evidence: SamplingDistribution, unit: str, largest: float
) -> SamplingDistribution:
    """Remove rounding from the evidence where the largest y or score is of this size."""
    known, bounds = _compute_rounding_grain(unit, largest, evidence.bounds), evidence.bounds
    return replace(
        evidence,
        value=float(snap_to_bounds(np.array([evidence.value]), known, bounds)[0]),
        replicates=snap_to_bounds(evidence.replicates, known, bounds),
        grain=known,
    )


def snap_to_bounds(values: Vector, grain: float, bounds: tuple[float, float]) -> Vector:
    """Snap values to an end of the range or zero where they differ from it by rounding only.

    >>> snap_to_bounds(np.array([6e-17, 0.5, 1 - 1e-16]), 1e-12, (0.0, 1.0))
    array([0. , 0.5, 1. ])
    """
    if not grain:
        return values
    for place in {0.0, *filter(isfinite, bounds)}:
        is_near = np.abs(values - place) <= grain
        values = np.where(is_near, place, values) if is_near.any() else values
    return values


def _compute_rounding_grain(unit: str, largest: float, bounds: tuple[float, float]) -> float:
    """Compute how far rounding alone moves a value in this unit, as far as that is known.

    A value within a range is known to 1e-12 of it; of any other nothing is said, 0.
    """
    low, high = bounds
    if isfinite(low) and isfinite(high):
        return ROUNDING * (high - low)
    if strip_scale(unit) != "y":
        return 0.0
    return TERMS * float(np.finfo(np.float64).eps) * largest if isfinite(largest) else 0.0
