"""What a loss of probabilities is made of: miscalibration, discrimination and uncertainty.

The rising fit q of what happened on the probabilities p, without bins, parts the mean loss S as

    S(p) = miscalibration − discrimination + uncertainty
         = (S(p) − S(q)) − (S(ȳ) − S(q)) + S(ȳ)

The fit follows the chance of the rows that it is made on, which flatters both first parts. By how
much is found where q is true: outcomes are drawn from q, and their parts set against those that q
has. Intervals lie around the parts less that bias.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.isotonic import rising_blocks
from reportgen.kernels.score_cells import ClassWeights, ScoreCells, every_score, over_cells
from reportgen.kernels.sums import made_sums
from reportgen.metrics import questions
from reportgen.metrics.classes.recalibrated import (
    drawn_from,
    draws,
    positives_in,
    rising,
    weight_in,
)
from reportgen.metrics.probability import CLIP
from reportgen.metrics.spec import whole
from reportgen.rows import Classes

CORP = (
    "Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic "
    "classifiers, PNAS 118; doi:10.1073/pnas.2016191118"
)
Loss = Literal["brier", "log_loss"]
MCB, DSC, UNC = range(3)
DRAWS, SEED = 199, 15_071
LAID_ON = (
    "The fit follows the chance of these rows, which makes it larger; its interval takes that away."
)


def loss_of(y: Vector, p: Vector, loss: str) -> Vector:
    """The loss of each row."""
    if loss == "brier":
        return np.asarray((p - y) ** 2)
    p = np.clip(p, CLIP, 1 - CLIP)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)))


def least_loss(q: Matrix, loss: str) -> Matrix:
    """The mean loss of a probability that is right."""
    if loss == "brier":
        return np.asarray(q * (1 - q))
    from scipy.special import xlogy  # here, since a list of metrics must not wait for it

    return np.asarray(-xlogy(q, q) - xlogy(1 - q, 1 - q))


def corp_parts(rows: Classes, batch: Batch, loss: str) -> Matrix:
    """Miscalibration, discrimination and uncertainty under each weighting, (b, 3)."""
    return batch.once(rows, f"corp {loss}", lambda: _parts(rows, batch, loss))


def _parts(rows: Classes, batch: Batch, loss: str) -> Matrix:
    y, p = rows.y.values, rows.score.values
    sums = made_sums(batch, lambda some: [loss_of(y[some], p[some], loss), y[some]])
    with np.errstate(divide="ignore", invalid="ignore"):
        own, mean = (sums / batch.totals[:, None]).T

    def fits(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        return loss_of_blocks(*rising_blocks(weights), loss)[:, None]

    fitted = over_cells(rows, batch, f"rising fit, {loss}", fits)[:, 0]
    constant = least_loss(mean, loss)
    found = np.stack([own - fitted, constant - fitted, constant], axis=1)
    return np.where(batch.totals[:, None] > 0, np.maximum(found, 0.0), np.nan)


def loss_of_blocks(upper: Matrix, lower: Matrix, loss: str) -> Vector:
    """The mean loss of the rising fit, from the weights of both classes in its blocks, (b, m)."""
    both, q = upper + lower, np.zeros(upper.shape)
    np.divide(upper, both, out=q, where=both > 0)
    total, found = both.sum(axis=1), np.full(len(both), np.nan)
    np.divide((both * least_loss(q, loss)).sum(axis=1), total, out=found, where=total > 0)
    return found


def _of_fit(upper: Vector, both: Vector, loss: str) -> float:
    total = float(both.sum())
    if not total > 0:
        return np.nan
    filled = both > 0
    return float(both[filled] @ least_loss(rising(upper, both)[filled], loss) / total)


def _influence(rows: Classes, weight: Vector, loss: str, part: int) -> Vector | None:
    """With the fit held: that it moves is of second order."""
    if not weight.any():
        return None
    cells, y, p = every_score(rows), rows.y.values, rows.score.values
    fit = rising(positives_in(rows, cells, weight), weight_in(cells, weight))[cells.number]
    fit = np.where(np.isfinite(fit), fit, p)
    mean = np.full(len(y), weight @ y / weight.sum())
    own, fitted, constant = (loss_of(y, each, loss) for each in (p, fit, mean))
    phi = {MCB: own - fitted, DSC: constant - fitted, UNC: constant}[part]
    return np.asarray(phi - weight @ phi / weight.sum())


def _bias(rows: Classes, weight: Vector, loss: str, part: int) -> float:
    """By how much chance adds to a part where the rising fit is true."""
    cells = drawn_from(rows)
    both = weight_in(cells, weight)
    fit = rising(positives_in(rows, cells, weight), both)
    use = both > 0
    share = both[use] / both.sum()
    q, p = fit[use], np.clip(cells.score[use], 0.0, 1.0)
    mean = float(share @ q)
    against = p if part == MCB else np.full(len(q), mean)
    chances = np.where(use, np.nan_to_num(fit), 0.0)
    found = []
    for upper in draws(rows, weight, chances, DRAWS, SEED):
        for one in upper:
            happened = one[use] / both[use]
            rival = against if part == MCB else np.full(len(q), share @ happened)
            own = share @ (happened * loss_of(np.ones(len(q)), rival, loss)
                           + (1 - happened) * loss_of(np.zeros(len(q)), rival, loss))  # fmt: skip
            found.append(own - _of_fit(one[use], both[use], loss))
    own = q * loss_of(np.ones(len(q)), against, loss)
    own = own + (1 - q) * loss_of(np.zeros(len(q)), against, loss)
    return float(np.mean(found) - share @ (own - least_loss(q, loss)))


def _fast(part: int, rows: Classes, batch: Batch, loss: str) -> Vector:
    return np.asarray(corp_parts(rows, batch, loss)[:, part])


def _defined(y: Vector, score_: Vector, weight: Vector, loss: str, part: int) -> float:
    code = (y > 0).astype(np.intp)
    rows = Classes(code, score_[:, None], ("0", "1"), "probability")
    return float(corp_parts(rows, Batch.of(weight), loss)[0, part])


def _most(loss: str) -> dict[str, tuple[float, float] | str]:
    """The range and the unit."""
    if loss == "brier":
        return {"bounds": (0.0, 1.0), "unit": "1"}
    return {"bounds": (0.0, np.inf), "unit": "1"}


@whole(
    aliases=("mcb", "reliability_component"),
    title="Miscalibration",
    task="binary",
    better="lower",
    bounds=(0.0, np.inf),
    unit="1",
    cite=CORP,
    estimand="best of many",
    needs="probability",
    fields_for=_most,
    fast=lambda rows, batch, loss: _fast(MCB, rows, batch, loss),
    influence=lambda rows, weight, loss: _influence(rows, weight, loss, MCB),
    bias=lambda rows, weight, loss: _bias(rows, weight, loss, MCB),
    formula="S(p) − S(q), q the rising fit of what happened on p, S the mean loss",
    undefined="where no row has weight",
    caveat=LAID_ON,
    answers=questions.PROBABILITY,
    asks="how much of the loss better calibrated probabilities would save",
    blind="how well the scores tell the classes apart",
    is_partial=True,
)
def miscalibration(y: Vector, p: Vector, weight: Vector, *, loss: Loss = "brier") -> float:
    """What recalibrating the probabilities would save of the Brier score, or of the log loss."""
    return _defined(y, p, weight, loss, MCB)


@whole(
    aliases=("dsc", "resolution"),
    title="Discrimination",
    task="binary",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    cite=CORP,
    estimand="fitted",
    needs="probability",
    fields_for=_most,
    fast=lambda rows, batch, loss: _fast(DSC, rows, batch, loss),
    influence=lambda rows, weight, loss: _influence(rows, weight, loss, DSC),
    bias=lambda rows, weight, loss: _bias(rows, weight, loss, DSC),
    formula="S(ȳ) − S(q), q the rising fit of what happened on p, ȳ the share of positives",
    undefined="where no row has weight",
    caveat=LAID_ON,
    answers=questions.PROBABILITY,
    asks="how much of the loss of a constant the order of the scores can save",
    blind="whether the probabilities are right",
    is_partial=True,
)
def discrimination(y: Vector, p: Vector, weight: Vector, *, loss: Loss = "brier") -> float:
    """What the order of the scores saves of the loss of a constant, once it is recalibrated."""
    return _defined(y, p, weight, loss, DSC)
