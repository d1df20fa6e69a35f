"""Limits of a mean over classes, from what is known of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.analytic_intervals import multiply_odds, wilson_limits
from reportgen.inference.resampled_intervals import clip_interval, critical_value
from reportgen.inference.sampling_distribution import (
    ClassParts,
    Interval,
    SamplingDistribution,
)
from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics.class_shares import ChangedRows, ClassShare

ROUNDING = 1e-12
PART = 1e-6  # of a row, which sums leave of none


def add_classes(
    evidence: SamplingDistribution,
    share: ClassShare,
    rows: ChangedRows,
    weights: Sequence[Matrix],
    squares: Matrix,
) -> SamplingDistribution:
    """Add what is known of each class to the evidence of one model, or of a difference of two.

    `weights` are (3, k) of each model: the weights of the rows of each class that are right, that
    are predicted as it, and that are of it; `squares` those of the first model, squared.
    """
    if len(weights) == 1:
        return replace(evidence, classes=build_class_parts(share, weights[0], squares, rows))
    return replace(evidence, smoothed=build_class_signs(share, weights, squares, rows))


def build_class_parts(
    share: ClassShare, weight: Matrix, squares: Matrix, rows: ChangedRows
) -> ClassParts | None:
    """Build what is known of the classes that have rows, of one model; None if none has any."""
    shares = share.values(weight)
    held = (weight[2] > 0) & (np.isfinite(shares) | (share.undefined == "zero"))
    if not held.any():
        return None
    together = rows.sum_together(np.where(held, share.slopes(weight), 0.0))[np.ix_(held, held)]
    values, trials = np.nan_to_num(shares[held]), share.trials(weight, squares)[held]
    varies = np.diag(together) > ROUNDING / np.maximum(trials, 1.0)  # more than sums round
    together = np.where(np.outer(varies, varies), together, 0.0)
    p = _to_proportion(values, share.odds)
    # On the scale of the proportion of rows, whose odds they multiply.
    slope = share.odds / (1 + (share.odds - 1) * p) ** 2
    variance = np.diag(together) / slope**2
    inside = (p > 0) & (p < 1) & varies
    np.divide(p * (1 - p), variance, out=trials, where=inside)
    return ClassParts(values, trials, share.odds, _correlate(together))


def build_class_signs(
    share: ClassShare, weights: Sequence[Matrix], squares: Matrix, rows: ChangedRows
) -> Vector | None:
    """Build what single rows add to a difference of two models, whose signs chance might turn.

    Rows that both models predict alike add nothing, so neither does a class in which all are.
    Others add what the slopes say half-way between the models; of few rows a share moves by more
    than that, so slopes are raised to what the class differs by. None where no row changed.
    """
    held = weights[0][2] > 0
    # The squared weight of an effective row.
    row = float(squares[2].sum() / weights[0][2].sum()) ** 2 if held.any() else 1.0
    changed = [np.where(held & (each > PART * row), each, 0.0) for each in rows.sum_changed()]
    if not np.any(changed):
        return None
    slopes = np.where(held, share.slopes((weights[0] + weights[1]) / 2), 0.0)
    (first, count_first), (second, count_second) = (_fill(share, each, held) for each in weights)
    apart = first - second
    by_slope = np.sum(slopes[:2] * (weights[0] - weights[1])[:2], axis=0)
    is_alike = apart * by_slope > ROUNDING**2
    ratio = np.divide(apart, by_slope, out=np.ones(len(apart)), where=is_alike)
    adds = np.stack([slopes[0] + slopes[1], slopes[1]])
    largest = np.max(np.abs(adds), axis=0) * sqrt(row)
    adds *= np.minimum(np.maximum(ratio, 1.0), 1 / np.clip(largest, ROUNDING, 1.0))
    # A class that one model never predicts has no slope: the rows that the other does are it all.
    counts = np.array(changed) / sqrt(row)
    reach = np.sum(np.abs(adds) * counts, axis=0)
    missing = (np.abs(apart) > reach) & (counts.sum(axis=0) > 0)
    by_row = np.abs(apart) / np.where(counts[0] > 0, counts[0], np.maximum(counts[1], ROUNDING))
    adds[0] = np.where(missing & (counts[0] > 0), by_row, adds[0])
    adds[1] = np.where(missing & (counts[0] == 0), -by_row, adds[1])
    return rows.list_changes(adds, row) / min(count_first, count_second)


def _fill(share: ClassShare, weight: Matrix, held: NDArray[np.bool_]) -> tuple[Vector, int]:
    """Return the values of the classes that have rows, and how many make up the mean.

    One that is left out of it counts as much as the mean of the others.
    """
    values = np.where(held, share.values(weight), 0.0)
    missing = np.isnan(values)
    if share.undefined == "zero":
        return np.nan_to_num(values), int(held.sum())
    count = int(held.sum() - missing.sum())
    return np.where(missing, values[held & ~missing].sum() / max(count, 1), values), max(count, 1)


def class_average_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Square and add the distances to Wilson's limits of each class, with their correlation.

    (MOVER; Zou and Donner 2008, doi:10.1002/sim.3095.) Classes of few rows that are all right, or
    all wrong, err on one side, and the errors of many such classes do not cancel. So the limits are
    no nearer than Normal ones with the standard error that it has if each class's share is pulled
    by one row towards that of all rows, and no further than all classes at their limits together.
    """
    parts = evidence.classes
    if parts is None or evidence.is_clustered or evidence.block is not None:
        return None
    values, k = parts.values, len(parts.values)
    p = _to_proportion(values, parts.odds)
    limits = np.array([_class_limits(*each, level) for each in zip(p, parts.trials, strict=True)])
    low, high = (multiply_odds(end, parts.odds) for end in limits.T)
    rows = parts.trials
    pooled = float(rows @ p) / float(rows.sum()) if rows.any() else 0.5
    pulled = (rows * p + pooled) / (rows + 1)
    slope = parts.odds / (1 + (parts.odds - 1) * pulled) ** 2
    error = slope * np.sqrt(pulled * (1 - pulled) / np.maximum(rows, 1.0)) * (rows > 0)
    se = _root_of_sum(error, parts.correlation) / k
    least = critical_value(level) * se
    down, up = (
        min(max(_root_of_sum(each, parts.correlation) / k, least), float(each.sum()) / k)
        for each in (values - low, high - values)
    )
    return clip_interval(
        evidence, evidence.value - down, evidence.value + up, level, "newcombe", se
    )


def _class_limits(p: float, trials: float, level: float) -> tuple[float, float]:
    """Wilson's limits; 0 to 1 where no row is known, as of a class never predicted."""
    return wilson_limits(p, trials, level) if trials > 0 else (0.0, 1.0)


def _to_proportion(values: Vector, odds: float) -> Vector:
    """Return the proportions of rows whose odds are multiplied; exact at the ends."""
    p = multiply_odds(values, 1 / odds)
    return np.where(np.abs(p - np.rint(p)) < ROUNDING, np.rint(p), p)


def _root_of_sum(each: Vector, correlation: Matrix) -> float:
    return sqrt(max(float(each @ correlation @ each), 0.0))


def _correlate(together: Matrix) -> Matrix:
    """Return correlations, 1 of each with itself and 0 with what does not vary."""
    size = np.sqrt(np.diag(together))
    correlation = np.nan_to_num(divide(together, np.outer(size, size)))
    np.fill_diagonal(correlation, 1.0)
    return correlation
