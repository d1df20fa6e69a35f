"""CORP decomposition: miscalibration, discrimination, uncertainty."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.calibration_fits import fit_isotonic_blocks
from reportgen.kernels.cumulative import divide
from reportgen.kernels.score_cells import (
    ClassWeights,
    ScoreCells,
    compute_over_cells,
    make_even_cells,
    make_score_cells,
)
from reportgen.kernels.sums import sum_generated_columns
from reportgen.metrics import questions
from reportgen.metrics.classification.probability import CLIP
from reportgen.metrics.metric import whole
from reportgen.metrics.rows import Classes

ONE_BY_ONE = 20_000  # rows up to which each is drawn; of more, a number for each cell
FEW_CELLS = 1000  # at most
AT_ONCE = 500_000  # numbers that are drawn at once


def isotonic_shares(upper: Vector, both: Vector) -> Vector:
    """Compute the least-squares fit of the upper class's share that never falls, (c,).

    nan in cells that weigh nothing.

    >>> isotonic_shares(np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0]))
    array([0.5, 0.5, 1. , nan])
    """
    from scipy.optimize import isotonic_regression  # here, since a list of metrics must not wait

    fit, filled = np.full(len(both), np.nan), both > 0
    if filled.any():
        share = upper[filled] / both[filled]
        fit[filled] = (
            share if len(share) < 2 else isotonic_regression(share, weights=both[filled]).x
        )
    return fit


def outcome_cells(rows: Classes) -> ScoreCells:
    """Return the cells in which outcomes are drawn."""
    if len(rows) <= ONE_BY_ONE:
        return make_score_cells(rows)
    return rows.once("cells of draws", lambda: make_even_variance_cells(rows, FEW_CELLS))


def make_even_variance_cells(rows: Classes, most: int) -> ScoreCells:
    """At most so many cells, as even in the variance p(1 − p) that is promised as in rows.

    The few rows where a rare class is to be expected have cells of their own.
    """
    p = np.clip(rows.score.values, 0.0, 1.0)
    spread = p * (1 - p)
    return make_even_cells(rows, 1 / len(p) + spread / max(float(spread.sum()), 1e-300), most)


def draw_outcomes(
    rows: Classes, weight: Vector, chance: Vector, number: int, seed: int
) -> Iterator[Matrix]:
    """Weights of the upper class in the cells of `outcome_cells`, (some, c), `number` in all.

    `chance` (c,) is the probability of the upper class in each cell.
    """
    cells, rng = outcome_cells(rows), np.random.default_rng(seed)
    if len(rows) > ONE_BY_ONE:
        yield draw_cell_outcomes(cells, weight, chance, number, rng)
        return
    order: Index = np.argsort(cells.number, kind="stable")
    starts = np.searchsorted(cells.number[order], np.arange(len(cells.score)))
    limits, heavy = chance[cells.number[order]], weight[order]
    most = max(AT_ONCE // max(len(rows), 1), 1)
    for first in range(0, number if len(rows) else 0, most):
        some = min(most, number - first)
        hit = (rng.random((some, len(rows))) < limits) * heavy
        yield np.add.reduceat(hit, starts, axis=1)


def weight_by_cell(cells: ScoreCells, weight: Vector) -> Vector:
    """Weight of each cell, (c,)."""
    return np.asarray(np.bincount(cells.number, weight, len(cells.score)))


def positives_by_cell(rows: Classes, cells: ScoreCells, weight: Vector) -> Vector:
    """Weight of the upper class in each cell, (c,)."""
    return np.asarray(cells.weights(rows, Batch.from_weights(weight)).upper[0])


def draw_cell_outcomes(
    cells: ScoreCells, weight: Vector, chance: Vector, number: int, rng: np.random.Generator
) -> Matrix:
    """Draw the same weights, with as many rows per cell as its weights are worth (Kish)."""
    total, squares = weight_by_cell(cells, weight), weight_by_cell(cells, weight**2)
    worth = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0), 0.0)
    trials = np.maximum(np.rint(worth), 1).astype(np.int64)
    hits = rng.binomial(trials, np.clip(chance, 0.0, 1.0), (number, len(total)))
    return np.asarray(hits * (total / trials))


CORP = (
    "Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic "
    "classifiers, PNAS 118; doi:10.1073/pnas.2016191118"
)
ProbabilityLoss = Literal["brier", "log_loss"]
MCB, DSC, UNC = range(3)
DRAWS, SEED = 199, 15_071
LAID_ON = (
    "The fit follows the chance of these rows, which makes it larger; its interval takes that away."
)


def row_losses(y: Vector, p: Vector, loss: str) -> Vector:
    """Compute the loss of each row."""
    if loss == "brier":
        return np.asarray((p - y) ** 2)
    p = np.clip(p, CLIP, 1 - CLIP)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)))


def entropy_of_loss(q: Matrix, loss: str) -> Matrix:
    """Compute the mean loss of a probability that is right."""
    if loss == "brier":
        return np.asarray(q * (1 - q))
    from scipy.special import xlogy  # here, since a list of metrics must not wait for it

    return np.asarray(-xlogy(q, q) - xlogy(1 - q, 1 - q))


def corp_decomposition(rows: Classes, batch: Batch, loss: str) -> Matrix:
    """Miscalibration, discrimination and uncertainty under each weighting, (b, 3)."""
    return batch.once(rows, f"corp {loss}", lambda: _compute_parts(rows, batch, loss))


def _compute_parts(rows: Classes, batch: Batch, loss: str) -> Matrix:
    y, p = rows.y.values, rows.score.values
    sums = sum_generated_columns(batch, lambda some: [row_losses(y[some], p[some], loss), y[some]])
    with np.errstate(divide="ignore", invalid="ignore"):
        own, mean = (sums / batch.totals[:, None]).T

    def fits(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        return isotonic_loss(*fit_isotonic_blocks(weights), loss)[:, None]

    fitted = compute_over_cells(rows, batch, f"rising fit, {loss}", fits)[:, 0]
    constant = entropy_of_loss(mean, loss)
    found = np.stack([own - fitted, constant - fitted, constant], axis=1)
    return np.where(batch.totals[:, None] > 0, np.maximum(found, 0.0), np.nan)


def isotonic_loss(upper: Matrix, lower: Matrix, loss: str) -> Vector:
    """Compute the mean loss of the rising fit, from both classes' weights in its blocks, (b, m)."""
    both, q = upper + lower, np.zeros(upper.shape)
    np.divide(upper, both, out=q, where=both > 0)
    return divide((both * entropy_of_loss(q, loss)).sum(axis=1), both.sum(axis=1))


def _loss_of_fit(upper: Vector, both: Vector, loss: str) -> float:
    total = float(both.sum())
    if not total > 0:
        return np.nan
    filled = both > 0
    return float(both[filled] @ entropy_of_loss(isotonic_shares(upper, both)[filled], loss) / total)


def _influence(rows: Classes, weight: Vector, loss: str, part: int) -> Vector | None:
    """With the fit held: that it moves is of second order."""
    if not weight.any():
        return None
    cells, y, p = make_score_cells(rows), rows.y.values, rows.score.values
    fit = isotonic_shares(positives_by_cell(rows, cells, weight), weight_by_cell(cells, weight))[
        cells.number
    ]
    fit = np.where(np.isfinite(fit), fit, p)
    mean = np.full(len(y), weight @ y / weight.sum())
    own, fitted, constant = (row_losses(y, each, loss) for each in (p, fit, mean))
    phi = {MCB: own - fitted, DSC: constant - fitted, UNC: constant}[part]
    return np.asarray(phi - weight @ phi / weight.sum())


def _bias(rows: Classes, weight: Vector, loss: str, part: int) -> float:
    """Return by how much chance adds to a part where the rising fit is true."""
    cells = outcome_cells(rows)
    both = weight_by_cell(cells, weight)
    fit = isotonic_shares(positives_by_cell(rows, cells, weight), both)
    use = both > 0
    share = both[use] / both.sum()
    q, p = fit[use], np.clip(cells.score[use], 0.0, 1.0)
    mean = float(share @ q)
    against = p if part == MCB else np.full(len(q), mean)
    chances = np.where(use, np.nan_to_num(fit), 0.0)
    found = []
    for upper in draw_outcomes(rows, weight, chances, DRAWS, SEED):
        for one in upper:
            happened = one[use] / both[use]
            rival = against if part == MCB else np.full(len(q), share @ happened)
            own = share @ (
                happened * row_losses(np.ones(len(q)), rival, loss)
                + (1 - happened) * row_losses(np.zeros(len(q)), rival, loss)
            )
            found.append(own - _loss_of_fit(one[use], both[use], loss))
    own = q * row_losses(np.ones(len(q)), against, loss)
    own = own + (1 - q) * row_losses(np.zeros(len(q)), against, loss)
    return float(np.mean(found) - share @ (own - entropy_of_loss(q, loss)))


def _fast(part: int, rows: Classes, batch: Batch, loss: str) -> Vector:
    return np.asarray(corp_decomposition(rows, batch, loss)[:, part])


def _compute_part_by_definition(
    y: Vector, score_: Vector, weight: Vector, loss: str, part: int
) -> float:
    code = (y > 0).astype(np.intp)
    rows = Classes(code, score_[:, None], ("0", "1"), "probability")
    return float(corp_decomposition(rows, Batch.from_weights(weight), loss)[0, part])


def _range_of_loss(loss: str) -> dict[str, tuple[float, float] | str]:
    """Return the range and the unit of the loss."""
    if loss == "brier":
        return {"bounds": (0.0, 1.0), "unit": "1"}
    return {"bounds": (0.0, np.inf), "unit": "1"}


_loss_part = partial(
    whole,
    task="binary",
    unit="1",
    cite=CORP,
    needs="probability",
    fields_for=_range_of_loss,
    undefined="where no row has weight",
    caveat=LAID_ON,
    answers=questions.PROBABILITY,
    is_partial=True,
)


@_loss_part(
    no_reference="a constant attains the best value",
    aliases=("mcb", "reliability_component"),
    title="Miscalibration",
    better="lower",
    bounds=(0.0, np.inf),
    estimand="best of many",
    fast=lambda rows, batch, loss: _fast(MCB, rows, batch, loss),
    influence=lambda rows, weight, loss: _influence(rows, weight, loss, MCB),
    bias=lambda rows, weight, loss: _bias(rows, weight, loss, MCB),
    formula="S(p) − S(q), q the rising fit of the outcome on p, S the mean loss",
    asks="how much of the loss better calibrated probabilities would save",
    blind="how well the scores tell the classes apart",
)
def miscalibration(
    y: Vector, p: Vector, weight: Vector, *, loss: ProbabilityLoss = "brier"
) -> float:
    """What recalibrating the probabilities would save of the Brier score, or of the log loss."""  # noqa: D401
    return _compute_part_by_definition(y, p, weight, loss, MCB)


@_loss_part(
    chance=0.0,
    aliases=("dsc", "resolution"),
    title="Discrimination",
    better="higher",
    bounds=(0.0, 1.0),
    estimand="fitted",
    fast=lambda rows, batch, loss: _fast(DSC, rows, batch, loss),
    influence=lambda rows, weight, loss: _influence(rows, weight, loss, DSC),
    bias=lambda rows, weight, loss: _bias(rows, weight, loss, DSC),
    formula="S(ȳ) − S(q), q the rising fit of the outcome on p, ȳ the share of positives",
    asks="how much of the loss of a constant the order of the scores can save",
    blind="whether the probabilities are calibrated",
)
def discrimination(
    y: Vector, p: Vector, weight: Vector, *, loss: ProbabilityLoss = "brier"
) -> float:
    """What the order of the scores saves of the loss of a constant, once it is recalibrated."""  # noqa: D401
    return _compute_part_by_definition(y, p, weight, loss, DSC)
