"""How often each model ranks first, and differences from the best model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedMetric
from reportgen.inference.intervals import compute_interval
from reportgen.inference.power import compute_required_units, measure_precision
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.kernels.batch import Matrix
from reportgen.metrics.traits import NEAREST, Better
from reportgen.results.sensitivity import DifferenceFromBest, RankProbabilities
from reportgen.results.types import round_number, round_numbers


def iter_rank_probabilities(
    analysis: DatasetAnalysis, use: PlannedMetric
) -> Iterator[RankProbabilities]:
    """Share of the resamples in which a model is 1st, 2nd, … on a metric.

    Models level with one another share their places evenly. Resamples in which a model has no
    value take no part. A bootstrap fraction, no probability that a model is best. None is told of
    few units, of a class or at all, or where nothing varies: it would say what the sample says, and
    no more.
    """
    models = [model for key, model in analysis.parts[0].metrics if key == use.key]
    if len(models) < 2:
        return
    drawn = np.column_stack([analysis.replicates[None, (use.key, model)] for model in models])
    shares = compute_rank_shares(
        orient_higher_better(drawn[np.isfinite(drawn).all(axis=1)], use.metric.better)
    )
    every = [analysis.evidence(analysis.parts[0], use, model) for model in models]
    is_few = any(each.is_few or each.is_of_few_in_a_class for each in every)
    if is_few or not any(each.varies for each in every):
        shares = np.full_like(shares, np.nan)
    for model, row in zip(models, shares, strict=True):
        yield RankProbabilities(analysis.plan.dataset, use.key, model, round_numbers(row))


def iter_differences_from_best(
    analysis: DatasetAnalysis, use: PlannedMetric
) -> Iterator[DifferenceFromBest]:
    """Each other model's difference from the best one on a metric, and whether zero is left out.

    The best by value is held against all others at once: each paired interval is at level
    1 − α/(models − 1), by the plan's method. Of sizes, where zero is best. Two models are a
    comparison of their own, and have no rows here.
    """
    part = analysis.parts[0]
    every = {
        model: analysis.evidence(part, use, model) for key, model in part.metrics if key == use.key
    }
    known = {model: each for model, each in every.items() if np.isfinite(each.value)}
    if len(analysis.plan.models) < 3 or len(known) < 2:
        return
    values = np.array([round_number(each.value) for each in known.values()], float)
    best = list(known)[int(np.argmax(orient_higher_better(values[None], use.metric.better)[0]))]
    level = 1 - (1 - analysis.plan.inference.level) / (len(known) - 1)
    for model in known:
        if model != best:
            difference, sign = _build_difference(analysis, use, model, best)
            found = compute_interval(difference, analysis.plan.inference.interval, level)
            limits = (round_number(sign * found.low), round_number(sign * found.high))
            low, high = limits if sign > 0 else limits[::-1]
            is_apart = low is not None and high is not None and (low > 0 or high < 0)
            yield DifferenceFromBest(
                dataset=analysis.plan.dataset,
                key=use.key,
                best=best,
                model=model,
                difference=round_number(sign * difference.value),
                low=low,
                high=high,
                level=round_number(level),
                is_distinguishable=is_apart,
                n_to_settle=None if is_apart else _compute_needed_units(difference, found, level),
            )


def _compute_needed_units(
    difference: SamplingDistribution, found: Interval, level: float
) -> int | None:
    """How many units would tell the two apart at this level, four times in five."""
    return compute_required_units(
        difference.value, measure_precision(difference, found), None, level
    )


def _build_difference(
    analysis: DatasetAnalysis, use: PlannedMetric, model: str, best: str
) -> tuple[SamplingDistribution, int]:
    """Build the difference as the plan compares the two, if it does, and the sign to orient it.

    Only of such pairs are the standard errors of the replicates known.
    """
    is_turned = (model, best) not in analysis.plan.inference.pairs and (
        best,
        model,
    ) in analysis.plan.inference.pairs
    names = (best, model) if is_turned else (model, best)
    return analysis.difference(analysis.parts[0], use, *names)[0], -1 if is_turned else 1


def orient_higher_better(values: Matrix, better: Better) -> Matrix:
    """Orient the values so that higher is better."""
    if better == "higher":
        return values
    return np.asarray(-np.abs(values - NEAREST[better]) if better in NEAREST else -values)


def compute_rank_shares(merit: Matrix) -> Matrix:
    """Share of the rows of (B, m) in which each column is 1st, 2nd, …: shape (m, m).

    Columns that are equal in a row share the places they take there. nan without rows.

    >>> compute_rank_shares(np.array([[2.0, 1.0], [3.0, 3.0]]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    draws, models = merit.shape
    shares = np.full((models, models), np.nan)
    for model in range(models if draws else 0):
        ahead = np.sum(merit > merit[:, [model]], axis=1)
        level = np.sum(merit == merit[:, [model]], axis=1)
        for place in range(models):
            takes = (ahead <= place) & (place < ahead + level)
            shares[model, place] = np.mean(takes / level)
    return shares
