"""The evidence of a paired difference, made of that of two values on the same rows."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np

from reportgen.inference.analytic import has_ten_of_each
from reportgen.inference.evidence import FEW_TRIALS, ROUNDING, Evidence, FoldValues
from reportgen.kernels.batch import Vector
from reportgen.metrics.spec import ESTIMANDS, NEAREST, Better


def contrast(
    candidate: Evidence, baseline: Evidence, better: Better, replicate_se: Vector | None = None
) -> Evidence:
    """Evidence of candidate − baseline on the same rows and resamples.

    Where what is nearest to zero or one is best the distances from it are compared, so lower is
    better.
    `replicate_se` cannot be had from the two and is given, if known.
    """
    signed = None
    if better in NEAREST:
        candidate, baseline = (_less_best(e, NEAREST[better]) for e in (candidate, baseline))
        signed = candidate, baseline
        candidate, baseline = _size(candidate), _size(baseline)
    low, high = candidate.bounds
    size = max(abs(candidate.value), abs(baseline.value))
    value = candidate.value - baseline.value
    grain = max(candidate.grain, baseline.grain)
    return Evidence(
        # What is left of two equal numbers is rounding, and no difference.
        value=0.0 if abs(value) <= max(ROUNDING * size, grain) else value,
        replicates=_less(candidate.replicates, baseline.replicates),
        estimand=candidate.estimand,
        bounds=(low - high, high - low),
        n=candidate.n,
        units=candidate.units,
        influence=_minus(candidate.influence, baseline.influence),
        smoothed=_minus(candidate.smoothed, baseline.smoothed),
        replicate_se=replicate_se,
        contributions=_minus(candidate.contributions, baseline.contributions),
        shares=candidate.shares,
        portions=_of_few_chosen(candidate, baseline),
        hits=_changed(candidate.hits, baseline.hits),
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
        folds=_between_folds(candidate.folds, baseline.folds),
    )


def _of_few_chosen(candidate: Evidence, baseline: Evidence) -> tuple[tuple[float, float], ...]:
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
        is_few = is_few or not any(has_ten_of_each(*each) for each in both)
    return both if is_few else ()


def _less_best(evidence: Evidence, best: float) -> Evidence:
    """Evidence of the value less what is best."""
    if not best:
        return evidence
    low, high = evidence.bounds
    folds = evidence.folds and replace(evidence.folds, values=evidence.folds.values - best)
    return replace(evidence, value=evidence.value - best, replicates=evidence.replicates - best,
                   bounds=(low - best, high - best), estimand=ESTIMANDS["smooth"],
                   folds=folds)  # fmt: skip


def _size(evidence: Evidence) -> Evidence:
    """Evidence of the absolute value: it bends at zero, where its replicates say so too."""
    sign = np.sign(evidence.value)
    influence = None if evidence.influence is None else sign * evidence.influence
    folds = evidence.folds and replace(evidence.folds, values=sign * evidence.folds.values)
    largest = max(abs(evidence.bounds[0]), abs(evidence.bounds[1]))
    return Evidence(
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


def _less(first: Vector, second: Vector) -> Vector:
    """The difference of replicates; nan where either does not exist."""
    exist = np.isfinite(first) & np.isfinite(second)
    return np.where(exist, np.where(exist, first, 0.0) - np.where(exist, second, 0.0), nan)


def _changed(first: Vector | None, second: Vector | None) -> Vector | None:
    """The difference of hits; None where the models have other rows among them."""
    if first is None or second is None or not np.array_equal(np.isnan(first), np.isnan(second)):
        return None
    return first - second


def _minus(first: Vector | None, second: Vector | None) -> Vector | None:
    return None if first is None or second is None else first - second


def _between_folds(first: FoldValues | None, second: FoldValues | None) -> FoldValues | None:
    if first is None or second is None:
        return None
    return replace(first, values=first.values - second.values)
