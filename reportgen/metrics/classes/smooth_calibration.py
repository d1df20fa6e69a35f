"""Calibration without bins: errors of probabilities after smoothing, by as much as they amount to.

The weighted residuals y − p are spread along the probabilities by a Gaussian that is reflected at 0
and 1. What is left of them in absolute size falls as the Gaussian widens; the measure is where the
two are equal. Probabilities are taken to one of 1,024 cells, and a Gaussian no narrower than one.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.walks import sums_by_bin
from reportgen.metrics import questions
from reportgen.metrics.spec import whole
from reportgen.rows import Classes

CELLS = 1024
STEPS = 14  # of the search: more do not move the twelfth digit
BLASIOK = (
    "Błasiok & Nakkiran (2024), Smooth ECE: principled reliability diagrams via kernel smoothing, "
    "ICLR; arXiv:2309.12236"
)


def _smoothed(rows: Classes, batch: Batch) -> Vector:
    p = rows.score.values
    place = np.minimum((p * CELLS).astype(np.int32), CELLS - 1)
    residuals = sums_by_bin(batch, place, CELLS, rows.y.values - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals /= batch.totals[:, None]
    found = np.full(batch.size, np.nan)
    known = np.flatnonzero(batch.totals > 0)
    found[known] = width_of_residuals(residuals[known])
    return found


def width_of_residuals(residuals: Matrix) -> Vector:
    """What is left of residuals in cells, (b, cells), by the Gaussian as wide as that, (b,).

    No narrower than a cell: where less is left even so, it is that.
    """
    from scipy.fft import dct  # here, since a list of metrics must not wait for it

    waves = dct(residuals, type=2, axis=1, norm="ortho")
    low = np.full(len(waves), 1.0 / residuals.shape[1])
    above = left(waves, low) - low
    return np.where(above > 0, _where_equal(waves, low, above), above + low)


def _where_equal(waves: Matrix, low: Vector, above: Vector) -> Vector:
    """The width at which as much is left, found between `low` and 1, each row by itself.

    Regula falsi in the form of Illinois: an end that stays twice counts half.
    """
    high, last = np.ones(len(waves)), np.zeros(len(waves))
    below = left(waves, high) - high
    for _ in range(STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.where(above > 0, (low * below - high * above) / (below - above), low)
        at = left(waves, middle) - middle
        side = np.where(at > 0, 1.0, -1.0)
        half = np.where(side == last, 0.5, 1.0)
        is_low = side > 0
        low, above, high, below = (
            np.where(is_low, middle, low),
            np.where(is_low, at, above * half),
            np.where(is_low, high, middle),
            np.where(is_low, below * half, at),
        )
        last = side
    return np.asarray(np.where(np.abs(above) < np.abs(below), low, high))


def left(waves: Matrix, width: Vector) -> Vector:
    """The absolute size of residuals after a reflected Gaussian of each width, (b,).

    Cosine waves keep their shape under it, and shrink by exp(−(π k σ)² / 2).
    """
    from scipy.fft import idct  # here, since a list of metrics must not wait for it

    k = np.pi * np.arange(waves.shape[1])
    shrunk = waves * np.exp(-((k * width[:, None]) ** 2) / 2)
    return np.asarray(np.abs(idct(shrunk, type=2, axis=1, norm="ortho")).sum(axis=1))


@whole(
    aliases=("smece",),
    title="Smooth calibration error",
    task="binary",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=BLASIOK,
    estimand="distance with chance",
    needs="probability",
    fast=_smoothed,
    formula="σ where ∫ |Σ w (y − p) K_σ(p, t)| dt / Σ w = σ, K_σ a Gaussian reflected at 0 and 1",
    undefined="where no row has weight",
    caveat="It has no bins to choose, but a calibrated model has more than 0, and the more the "
    "fewer rows there are. Probabilities are rounded to 1,024 cells, and σ is no smaller than one.",
    answers=questions.PROBABILITY,
    asks="how far the probabilities lie from what happened near them, with no bins to choose",
    blind="that chance alone makes it larger on few rows",
    is_partial=True,
)
def smooth_ece(y: Vector, score: Vector, weight: Vector) -> float:
    """Mean size of the errors of probabilities, smoothed by a Gaussian as wide as that."""
    rows = Classes((y > 0).astype(np.intp), score[:, None], ("0", "1"), "probability")
    return float(_smoothed(rows, Batch.of(weight))[0])
