"""How often each model ranks first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedMetric
from reportgen.kernels.batch import Matrix
from reportgen.metrics.traits import NEAREST, Better
from reportgen.results.sensitivity import RankProbabilities
from reportgen.results.types import round_numbers


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
