"""Which model comes first on each metric: how often, and whom the data tell it apart from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Use
from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.intervals import interval
from reportgen.inference.power import n_to_settle, precision
from reportgen.kernels.batch import Matrix
from reportgen.metrics.spec import NEAREST, Better
from reportgen.results import DifferenceFromBest, RankProbabilities, rounded, rounded_all


def rank_probabilities(analysis: DatasetAnalysis, use: Use) -> Iterator[RankProbabilities]:
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
    shares = places(merits(drawn[np.isfinite(drawn).all(axis=1)], use.metric.better))
    every = [analysis.evidence(analysis.parts[0], use, model) for model in models]
    is_few = any(each.is_few or each.is_of_few_in_a_class for each in every)
    if is_few or not any(each.varies for each in every):
        shares = np.full_like(shares, np.nan)
    for model, row in zip(models, shares, strict=True):
        yield RankProbabilities(analysis.plan.dataset, use.key, model, rounded_all(row))


def differences_from_best(analysis: DatasetAnalysis, use: Use) -> Iterator[DifferenceFromBest]:
    """Each other model's difference from the best one on a metric, and whether zero is left out.

    The best by value is held against all others at once: each paired interval is at level
    1 − α/(models − 1), by the plan's method. Of sizes, where zero is best. Two models are a
    comparison of their own, and have no rows here.
    """
    part = analysis.parts[0]
    every = {model: analysis.evidence(part, use, model) for key, model in part.metrics
             if key == use.key}  # fmt: skip
    known = {model: each for model, each in every.items() if np.isfinite(each.value)}
    if len(analysis.plan.models) < 3 or len(known) < 2:
        return
    values = np.array([rounded(each.value) for each in known.values()], float)
    best = list(known)[int(np.argmax(merits(values[None], use.metric.better)[0]))]
    level = 1 - (1 - analysis.plan.level) / (len(known) - 1)
    for model in known:
        if model != best:
            difference, sign = _difference(analysis, use, model, best)
            found = interval(difference, analysis.plan.interval, level)
            limits = (rounded(sign * found.low), rounded(sign * found.high))
            low, high = limits if sign > 0 else limits[::-1]
            is_apart = low is not None and high is not None and (low > 0 or high < 0)
            yield DifferenceFromBest(
                dataset=analysis.plan.dataset,
                key=use.key,
                best=best,
                model=model,
                difference=rounded(sign * difference.value),
                low=low,
                high=high,
                level=rounded(level),
                is_distinguishable=is_apart,
                n_to_settle=None if is_apart else _needed(difference, found, level),
            )


def _needed(difference: Evidence, found: Interval, level: float) -> int | None:
    """How many units would tell the two apart at this level, four times in five."""
    return n_to_settle(difference.value, precision(difference, found), None, level)


def _difference(analysis: DatasetAnalysis, use: Use, model: str, best: str) -> tuple[Evidence, int]:
    """The difference as the plan compares the two, if it does, and the sign that turns it.

    Only of such pairs are the standard errors of the replicates known.
    """
    is_turned = (model, best) not in analysis.plan.pairs and (best, model) in analysis.plan.pairs
    names = (best, model) if is_turned else (model, best)
    return analysis.difference(analysis.parts[0], use, *names)[0], -1 if is_turned else 1


def merits(values: Matrix, better: Better) -> Matrix:
    """The values turned so that more is better."""
    if better == "higher":
        return values
    return np.asarray(-np.abs(values - NEAREST[better]) if better in NEAREST else -values)


def places(merit: Matrix) -> Matrix:
    """Share of the rows of (B, m) in which each column is 1st, 2nd, …: shape (m, m).

    Columns that are equal in a row share the places they take there. nan without rows.

    >>> places(np.array([[2.0, 1.0], [3.0, 3.0]]))
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
