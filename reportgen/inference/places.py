"""How often each model takes each place on each metric, over the shared resamples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.inference.question import Use
from reportgen.inference.study import Study
from reportgen.kernels.batch import Matrix
from reportgen.metrics.spec import Better
from reportgen.results import Scalar, TableResult, rounded


def rank_probabilities(study: Study) -> TableResult:
    """Share of the resamples in which a model is 1st, 2nd, … on each metric.

    Models level with one another share their places evenly. Resamples in which a model has no
    value take no part. A bootstrap fraction, no probability that a model is best.
    """
    most = len(study.question.contestants)
    return TableResult(
        name="rank_probabilities",
        dataset=study.question.dataset,
        columns=("metric", "model", *(f"place {place}" for place in range(1, most + 1))),
        units=("", "", *("share" for _ in range(most))),
        rows=tuple(row for use in study.question.uses for row in _of_metric(study, use, most)),
    )


def _of_metric(study: Study, use: Use, most: int) -> Iterator[tuple[Scalar, ...]]:
    """A row for each model that the metric can judge, if these are two or more."""
    models = [model for key, model in study.parts[0].metrics if key == use.key]
    if len(models) < 2:
        return
    drawn = np.column_stack([study.replicates[None, (use.key, model)] for model in models])
    shares = places(merits(drawn[np.isfinite(drawn).all(axis=1)], use.metric.better))
    beyond = (None,) * (most - len(models))
    for model, row in zip(models, shares, strict=True):
        yield (use.key, model, *map(rounded, row), *beyond)


def merits(values: Matrix, better: Better) -> Matrix:
    """The values turned so that more is better."""
    if better == "higher":
        return values
    return np.asarray(-np.abs(values) if better == "zero" else -values)


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
