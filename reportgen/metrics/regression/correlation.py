"""Spearman's and Pearson's correlation."""

from __future__ import annotations

from functools import partial

import numpy as np

from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.kernels.pairs import compute_rank_sums
from reportgen.kernels.row_pairs import compute_lower_and_tied, compute_row_pairs, is_tied_without
from reportgen.metrics import questions
from reportgen.metrics.influence import center_values
from reportgen.metrics.metric import rowwise, whole
from reportgen.metrics.monotone import build_forms_on_line
from reportgen.metrics.regression.concordance import ROSSET
from reportgen.metrics.regression.errors import ROUNDING
from reportgen.metrics.rows import Amounts

SPEARMAN = (
    "Spearman (1904), The proof and measurement of association between two things, American "
    "Journal of Psychology 15; doi:10.2307/1412159"
)
PEARSON = (
    "Pearson (1895), Note on regression and inheritance in the case of two parents, Proceedings "
    "of the Royal Society of London 58; doi:10.1098/rspl.1895.0041"
)


def weighted_midranks(column: Column, weight: Vector) -> tuple[Vector, Vector]:
    """Weight below each row plus half the weight tied with it; and the weight tied with it."""
    below, tied = compute_lower_and_tied(column, weight)
    return below + tied / 2, tied


def _spearman_fast(rows: Amounts, batch: Batch) -> Vector:
    sums = compute_rank_sums(rows, batch)
    rho = divide(sums.score_y, np.sqrt(sums.score_score * sums.y_y))
    return np.asarray(np.clip(rho, -1.0, 1.0))


def _spearman_influence(rows: Amounts, weight: Vector) -> Vector:
    """Compute the slope in w_i of S_xy / √(S_xx S_yy), where a weight also moves others' ranks."""
    (rank, tied), (order, same) = (
        weighted_midranks(rows.y, weight),
        weighted_midranks(rows.score, weight),
    )
    total = weight.sum()
    cross, by_y, by_score = _rank_moments(rank, tied, order, same, weight)
    size = np.sqrt(by_y * by_score)
    if size == 0:
        return np.full(len(rows), np.nan)
    moved = (
        rank * order + _sum_above(rows.y, weight * order) + _sum_above(rows.score, weight * rank)
    )
    shrink = (total**2 - tied**2) / (8 * by_y) + (total**2 - same**2) / (8 * by_score)
    influence: Vector = (moved - 3 * total**2 / 4) / size - cross / size * shrink
    influence *= total
    return influence


def _spearman_without_each(rows: Amounts, weight: Vector) -> Vector:
    """Compute ρ without each row: three moments minus its own part and its effect on others."""
    (rank, tied), (order, same) = (
        weighted_midranks(rows.y, weight),
        weighted_midranks(rows.score, weight),
    )
    pairs, rest = compute_row_pairs(rows, weight), weight.sum() - weight
    moved_both = pairs.above + (pairs.y_above + pairs.score_above) / 2 + pairs.tied_both / 4
    moved_y = _sum_above(rows.y, weight * order) - weight * order / 2
    moved_score = _sum_above(rows.score, weight * rank) - weight * rank / 2
    cross = float(weight @ (rank * order)) - weight * (rank * order + moved_y + moved_score)
    cross = cross + weight**2 * moved_both - _cube(rest) / 4
    by_y = _rank_moment_without_each(rows.y, weight, tied)
    by_score = _rank_moment_without_each(rows.score, weight, same)
    is_undefined = is_tied_without(rows.y, weight) | is_tied_without(rows.score, weight)
    size = np.where(is_undefined, 0.0, np.sqrt(np.maximum(by_y * by_score, 0.0)))
    return np.asarray(np.clip(divide(cross, size), -1.0, 1.0))


_rank_correlation = partial(
    whole,
    task="regression",
    better="higher",
    unit="1",
    estimand="correlation of ranks",
    needs="order",
    undefined="where every y is equal, or every score",
    answers=questions.ORDER,
    blind=f"{questions.UNSEEN}; it counts by how many ranks a row is off, not by what that costs",
)


@_rank_correlation(
    chance=0.0,
    title="Spearman's ρ",
    bounds=(-1.0, 1.0),
    cite=SPEARMAN,
    fast=_spearman_fast,
    influence=_spearman_influence,
    leave_one_out=_spearman_without_each,
    formula="Pearson's correlation of the midranks (weight below plus half the weight tied)",
    asks=questions.IN_ORDER,
)
def spearman(y: Vector, score: Vector, weight: Vector) -> float:
    """Correlation of the ranks of score and y, from −1 to 1; tied rows share their middle rank.

    >>> spearman(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), np.ones(3))
    0.5
    """
    ranks = *weighted_midranks(Column(y), weight), *weighted_midranks(Column(score), weight)
    cross, by_y, by_score = _rank_moments(*ranks, weight)
    size = np.sqrt(by_y * by_score)
    return float(np.clip(cross / size, -1, 1)) if size > 0 else np.nan


@_rank_correlation(
    chance=0.5,
    title="Spearman's ρ, rescaled to [0, 1]",
    bounds=(0.0, 1.0),
    cite=ROSSET,
    formula="(1 + ρ) / 2",
    asks=f"{questions.IN_ORDER} (one half is chance)",
    **build_forms_on_line("spearman", 0.5, 0.5),
)
def rho_tilde(y: Vector, score: Vector, weight: Vector) -> float:
    """Rank correlation as a share from 0 to 1: one half for scores in random order."""
    return (1 + spearman(y, score, weight)) / 2


def correlation_of_means(means: Matrix) -> Vector:
    """Correlation from the means of x, y, x², y² and xy; nan where x or y does not vary."""
    x, y, xx, yy, xy = means.T
    by_x, by_y = xx - x**2, yy - y**2
    varies = (by_x > ROUNDING * xx) & (by_y > ROUNDING * yy)
    correlation = np.full(len(means), np.nan)
    size = np.sqrt(np.where(varies, by_x, 1.0)) * np.sqrt(np.where(varies, by_y, 1.0))
    np.divide(xy - x * y, size, out=correlation, where=varies)
    # A step of a slope may lead beyond 1; what rounding puts there is 1.
    slack = 1e-9 * (xx / np.where(varies, by_x, 1.0) + yy / np.where(varies, by_y, 1.0))
    is_one = np.abs(correlation) <= 1 + slack
    return np.where(is_one, np.clip(correlation, -1.0, 1.0), correlation)


@rowwise(
    chance=0.0,
    title="Pearson's correlation",
    task="regression",
    better="higher",
    bounds=(-1.0, 1.0),
    unit="1",
    cite=PEARSON,
    estimand="correlation of numbers",
    needs="order",
    finish=correlation_of_means,
    formula="Σ w(ŷ − mean)(y − mean) / √(Σ w(ŷ − mean)² · Σ w(y − mean)²)",
    undefined="where every y is equal, or every score",
    answers=questions.LINE,
    asks="how closely the scores follow the target, on a straight line",
    blind="a constant or a factor that all scores are off by; one wild row can decide it",
)
def pearson(y: Vector, score: Vector) -> Matrix:
    """How close score and y lie to one rising line, from −1 to 1.

    The line may have any unit and any level, so scores that are no amounts are welcome; but,
    unlike the rank correlations, it looks at distances, and a few extreme rows can decide it.
    """
    x, about = center_values(score), center_values(y)
    return np.stack([x, about, x**2, about**2, x * about]).T


def _rank_moments(
    rank: Vector, tied: Vector, order: Vector, same: Vector, weight: Vector
) -> tuple[float, float, float]:
    """Centred second moments of the midranks of y and score; exactly 0 where all are tied."""
    # Halfway up the top end of the highest rank, so that a lone group lies on it exactly.
    x = rank - (rank + tied / 2).max(initial=0.0) / 2
    z = order - (order + same / 2).max(initial=0.0) / 2
    return float(weight @ (x * z)), float(weight @ x**2), float(weight @ z**2)


def _sum_above(column: Column, amounts: Vector) -> Vector:
    """For each row, the amounts of the rows above it plus half those tied with it, its own too."""
    tied = np.bincount(column.group, weights=amounts, minlength=column.groups)
    above = np.append(np.cumsum(tied[:0:-1])[::-1], 0.0)
    return np.asarray((above + tied / 2)[column.group])


def _rank_moment_without_each(column: Column, weight: Vector, tied: Vector) -> Vector:
    """Second moment of the midranks without each row: (W³ − Σ T³) / 12 over the groups left."""
    rest, others = weight.sum() - weight, tied - weight
    groups = np.bincount(column.group, weights=weight, minlength=column.groups).astype(np.float64)
    cubes = _cube(rest) - _cube(groups).sum() + _cube(tied) - _cube(others)
    return np.asarray(cubes / 12)


def _cube(values: Vector) -> Vector:
    """Cube values by multiplication: `**` takes thirty times as long."""
    return values * values * values
