"""Calibration slope, intercept and errors of predicted probabilities."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.calibration_fits import fit_logistic_lines, fit_logistic_shifts
from reportgen.kernels.cumulative import (
    CumulativeReads,
    bin_edges,
    cumulate_to_shares,
    divide,
    read_together,
)
from reportgen.kernels.curve_heights import compute_bin_sums
from reportgen.kernels.score_cells import ClassWeights, ScoreCells, compute_over_cells
from reportgen.kernels.ties import sum_squared_weights
from reportgen.metrics import questions
from reportgen.metrics.classification.probability import CALSTER
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import rowwise, whole
from reportgen.metrics.rows import Classes

COX = (
    "Cox (1958), Two further applications of a model for binary regression, Biometrika 45; "
    "doi:10.1093/biomet/45.3-4.562"
)
KUMAR = (
    "Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS; arXiv:1909.10155; "
    "Ferro & Fricker (2012), A bias-corrected decomposition of the Brier score, Quarterly Journal "
    "of the Royal Meteorological Society 138; doi:10.1002/qj.1924"
)
NAEINI = (
    "Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian "
    "binning, AAAI; doi:10.1609/aaai.v29i1.9602"
)
SEPARATED = "where the probabilities separate the classes, or all are equal"
ONE_CLASS = "where all rows are of one class"


def log_odds(p: Vector, clip: float) -> Vector:
    """ln(p / (1 − p)), p held away from 0 and 1."""
    p = np.clip(p, clip, 1 - clip)
    return np.asarray(np.log(p) - np.log1p(-p))


def _check_clip(clip: float) -> str | None:
    return check_range("clip", clip, 1e-15, 0.1)


def _slopes(rows: Classes, batch: Batch, *, clip: float) -> Vector:
    def lines(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        return fit_logistic_lines(log_odds(cells.score, clip), weights)[1][:, None]

    return compute_over_cells(rows, batch, f"slope, clip {clip}", lines)[:, 0]


def _shifts(rows: Classes, batch: Batch, *, clip: float) -> Vector:
    def shifts(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        return fit_logistic_shifts(log_odds(cells.score, clip), weights)[:, None]

    return compute_over_cells(rows, batch, f"shift, clip {clip}", shifts)[:, 0]


def _make_rows(y: Vector, p: Vector) -> Classes:
    return Classes((y > 0).astype(np.intp), p[:, None], ("0", "1"), "probability")


def _make_row_weights(y: Vector, weight: Vector) -> ClassWeights:
    """One weighting, with a cell for each row."""
    return ClassWeights.from_classes((weight * y)[None], (weight * (1 - y))[None])


def _slope_influence(rows: Classes, weight: Vector, *, clip: float) -> Vector | None:
    """Compute the sandwich: the inverse of the information times each row's score."""
    x, y = log_odds(rows.score.values, clip), rows.y.values
    (level,), (slope,) = fit_logistic_lines(x, _make_row_weights(y, weight))
    if not np.isfinite(slope):
        return None
    p = 1 / (1 + np.exp(-(level + slope * x)))
    bend = weight * p * (1 - p)
    middle = bend @ x / bend.sum()
    away = x - middle
    return np.asarray(weight.sum() * away * (y - p) / (bend @ away**2))


def _shift_influence(rows: Classes, weight: Vector, *, clip: float) -> Vector | None:
    x, y = log_odds(rows.score.values, clip), rows.y.values
    (shift,) = fit_logistic_shifts(x, _make_row_weights(y, weight))
    if not np.isfinite(shift):
        return None
    p = 1 / (1 + np.exp(-(shift + x)))
    return np.asarray(weight.sum() * (y - p) / (weight @ (p * (1 - p))))


_calibration_metric = partial(
    whole,
    task="binary",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    needs="probability",
    answers=questions.PROBABILITY,
    is_partial=True,
)


@_calibration_metric(
    no_reference="a constant has no slope",
    aliases=("cox_slope",),
    title="Calibration slope",
    better="one",
    bounds=(-inf, inf),
    unit="1",
    cite=f"{COX}; {CALSTER}",
    estimand="slope of a fit",
    check=_check_clip,
    fast=_slopes,
    influence=_slope_influence,
    formula="b of the logistic fit of y on a + b ln(p / (1 − p))",
    undefined=f"{ONE_CLASS}, or {SEPARATED[6:]}",
    caveat="Below 1 the probabilities are too extreme, above 1 not enough. Probabilities of 0 and "
    "1 count as `clip` and 1 − `clip`.",
    asks="how far the probabilities spread: below 1 they are too extreme, above it not enough",
    blind="whether they are too high or too low on average",
)
def calibration_slope(y: Vector, score: Vector, weight: Vector, *, clip: float = 1e-6) -> float:
    """Slope of the log odds of the outcome along those of the probability; 1 is right."""
    return float(_slopes(_make_rows(y, score), Batch.from_weights(weight), clip=clip)[0])


@_calibration_metric(
    no_reference="a constant has no slope",
    title="Calibration intercept",
    better="zero",
    bounds=(-inf, inf),
    unit="1",
    cite=f"{COX}; {CALSTER}",
    estimand="slope of a fit",
    check=_check_clip,
    fast=_shifts,
    influence=_shift_influence,
    formula="a of the logistic fit of y on a + ln(p / (1 − p)), the slope held at 1",
    undefined=ONE_CLASS,
    caveat="In log odds: above 0 the probabilities are too low on average, below 0 too high.",
    asks="how far the log odds are too low, or below zero too high, on average",
    blind="which rows they are too low for: errors of both signs cancel",
)
def calibration_intercept(y: Vector, score: Vector, weight: Vector, *, clip: float = 1e-6) -> float:
    """What must be added to the log odds so that as many positives are promised as happened."""  # noqa: D401
    return float(_shifts(_make_rows(y, score), Batch.from_weights(weight), clip=clip)[0])


def _divide_by_expected(means: Matrix) -> Vector:
    return divide(means[:, 0], means[:, 1])


@rowwise(
    no_reference="a constant attains the best value",
    aliases=("observed_expected_ratio",),
    title="Observed over expected",
    task="binary",
    better="one",
    bounds=(0.0, inf),
    unit="1",
    cite=CALSTER,
    estimand="log function",
    needs="probability",
    finish=_divide_by_expected,
    formula="Σ w y / Σ w p",
    undefined="where all probabilities are 0",
    caveat="Probabilities too high for some rows and too low for others cancel.",
    answers=questions.PROBABILITY,
    asks="how many positives happened for each that the probabilities promised",
    blind="which rows they are too high for: errors of both signs cancel",
    is_partial=True,
)
def oe_ratio(y: Vector, score: Vector) -> Matrix:
    """Positives that happened over those that the probabilities promised; 1 is right."""
    return np.stack([y, score], axis=1)


def check_bins(bins: int, **_: Any) -> str | None:
    """Describe an invalid number of bins, or return None."""
    return check_range("bins", bins, 2, 1000)


def _cache_bin_means(rows: Classes, batch: Batch, bins: int) -> tuple[Matrix, Matrix]:
    """Positives and mean probabilities of bins of equal weight by rising score, (b, bins) each.

    A row on an edge is shared, and tied rows in equal parts.
    """
    return batch.once(rows, f"{bins} bins", lambda: _compute_bin_means(rows, batch, bins))


def _compute_bin_means(rows: Classes, batch: Batch, bins: int) -> tuple[Matrix, Matrix]:
    shares, totals = bin_edges(bins), batch.totals[:, None]
    both = (rows.y.values, rows.score.values)
    read_together(batch, [CumulativeReads(rows.score, values, shares) for values in both])
    with np.errstate(divide="ignore", invalid="ignore"):
        happened, said = (
            np.diff(cumulate_to_shares(shares, rows.score, values, batch), axis=1) * bins / totals
            for values in both
        )
        return happened, said


def _compute_debiased_error(rows: Classes, batch: Batch, *, bins: int) -> Vector:
    return _subtract_chance(*_cache_bin_means(rows, batch, bins), _count_effective_rows(batch))


def _count_effective_rows(batch: Batch) -> Vector:
    """Kish's effective number of rows of each weighting, (b,)."""
    squares, found = _sum_squares(batch), np.zeros(batch.size)
    np.divide(batch.totals**2, squares, out=found, where=squares > 0)
    return found


def _sum_squares(batch: Batch) -> Vector:
    """Compute the sum of the squared weights of each weighting, (b,)."""
    if batch.is_whole:
        return sum_squared_weights(batch)
    squares = np.zeros(batch.size)
    for first in range(0, len(batch.count), 4096):
        some = batch.slice(np.arange(first, min(first + 4096, len(batch.count))))
        squares += (some.weights**2).sum(axis=0)
    return squares


def _subtract_chance(happened: Matrix, said: Matrix, worth: Vector) -> Vector:
    each = worth[:, None] / happened.shape[1] - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(each > 0, happened * (1 - happened) / each, np.nan)
    square = ((happened - said) ** 2 - chance).mean(axis=1)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


@_calibration_metric(
    no_reference="a constant attains the best value",
    title="Calibration error",
    cite=KUMAR,
    estimand="debiased distance",
    check=check_bins,
    fast=_compute_debiased_error,
    exempt_from={
        "duplicate": "chance is taken away by Kish's effective number of rows, to which a row of "
        "weight 2 adds less than two rows"
    },
    formula="√max(0, mean over bins of (ȳ_b − p̄_b)² − ȳ_b (1 − ȳ_b) / (n_b − 1)), bins of equal "
    "weight",
    undefined="where a bin has one row or less",
    caveat="What chance adds to the squares is taken away, so that a calibrated model is near 0 "
    "however few rows there are.",
    asks="how far the probabilities lie from the shares that happened, chance taken away",
    blind="which way they are wrong, and errors that cancel within a bin",
)
def calibration_error(y: Vector, score: Vector, weight: Vector, *, bins: int = 10) -> float:
    """Root mean squared distance of probabilities from shares in bins, without what chance adds."""
    return float(
        _compute_debiased_error(_make_rows(y, score), Batch.from_weights(weight), bins=bins)[0]
    )


def expected_calibration_error(
    rows: Classes, batch: Batch, *, bins: int, width: str, norm: str
) -> Vector:
    """Distance of the probabilities of two classes from shares in bins, under weightings, (b,)."""
    happened, said, share = _sum_by_probability_bin(rows, batch, bins, width)
    gap = np.where(share > 0, np.abs(happened - said), 0.0)
    found = (
        gap.max(axis=1) if norm == "max" else (np.where(share > 0, share, 0.0) * gap).sum(axis=1)
    )
    return np.asarray(np.where(batch.totals > 0, found, np.nan))


def _sum_by_probability_bin(
    rows: Classes, batch: Batch, bins: int, width: str
) -> tuple[Matrix, Matrix, Matrix]:
    """Compute the observed share, mean prediction and weight share of each bin, (b, bins) each."""
    if width == "weight":
        happened, said = _cache_bin_means(rows, batch, bins)
        return happened, said, np.full(happened.shape, 1 / bins)
    place = np.minimum((rows.score.values * bins).astype(np.intp), bins - 1)
    size = compute_bin_sums(batch, place, bins)
    sums = (compute_bin_sums(batch, place, bins, v) for v in (rows.y.values, rows.score.values))
    with np.errstate(divide="ignore", invalid="ignore"):
        happened, said = (each / size for each in sums)
        return happened, said, size / batch.totals[:, None]


@_calibration_metric(
    no_reference="a constant attains the best value",
    aliases=("expected_calibration_error",),
    title="Expected calibration error",
    cite=NAEINI,
    estimand="distance with chance",
    check=check_bins,
    fast=expected_calibration_error,
    formula="Σ over bins of their share of the weight times |ȳ_b − p̄_b|, or the largest of these",
    undefined="where no row has weight",
    caveat="A calibrated model has more than 0, and the more the fewer rows there are: values of "
    "different data sets do not compare. `calibration_error` takes chance away.",
    asks="how far the probabilities lie from the shares that happened in bins, chance included",
    blind="that chance alone makes it larger on few rows",
)
def ece(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    bins: int = 10,
    width: Literal["weight", "equal"] = "weight",
    norm: Literal["l1", "max"] = "l1",
) -> float:
    """Mean distance of probabilities from shares in bins of equal weight, or of equal width."""
    rows, batch = _make_rows(y, score), Batch.from_weights(weight)
    return float(expected_calibration_error(rows, batch, bins=bins, width=width, norm=norm)[0])


CELLS = 1024
STEPS = 14  # of the search: more do not move the twelfth digit
BLASIOK = (
    "Błasiok & Nakkiran (2024), Smooth ECE: principled reliability diagrams via kernel smoothing, "
    "ICLR; arXiv:2309.12236"
)


def _compute_smoothed_error(rows: Classes, batch: Batch) -> Vector:
    p = rows.score.values
    place = np.minimum((p * CELLS).astype(np.int32), CELLS - 1)
    residuals = compute_bin_sums(batch, place, CELLS, rows.y.values - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals /= batch.totals[:, None]
    found = np.full(batch.size, np.nan)
    known = np.flatnonzero(batch.totals > 0)
    found[known] = find_kernel_width(residuals[known])
    return found


def find_kernel_width(residuals: Matrix) -> Vector:
    """Find the size of residuals (b, cells) after smoothing by a Gaussian of that width, (b,).

    No narrower than a cell: where less is left even so, it is that.
    """
    from scipy.fft import dct  # here, since a list of metrics must not wait for it

    waves = dct(residuals, type=2, axis=1, norm="ortho")
    low = np.full(len(waves), 1.0 / residuals.shape[1])
    above = smooth_residuals(waves, low) - low
    return np.where(above > 0, _find_equal_width(waves, low, above), above + low)


def _find_equal_width(waves: Matrix, low: Vector, above: Vector) -> Vector:
    """Find the width between `low` and 1 that equals what its smoothing leaves, row by row.

    Regula falsi in the form of Illinois: an end that stays twice counts half.
    """
    high, last = np.ones(len(waves)), np.zeros(len(waves))
    below = smooth_residuals(waves, high) - high
    for _ in range(STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.where(above > 0, (low * below - high * above) / (below - above), low)
        at = smooth_residuals(waves, middle) - middle
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


def smooth_residuals(waves: Matrix, width: Vector) -> Vector:
    """Compute the absolute size of residuals after a reflected Gaussian of each width, (b,).

    Cosine waves keep their shape under it, and shrink by exp(−(π k σ)² / 2).
    """
    from scipy.fft import idct  # here, since a list of metrics must not wait for it

    k = np.pi * np.arange(waves.shape[1])
    shrunk = waves * np.exp(-((k * width[:, None]) ** 2) / 2)
    return np.asarray(np.abs(idct(shrunk, type=2, axis=1, norm="ortho")).sum(axis=1))


@_calibration_metric(
    no_reference="a constant attains the best value",
    aliases=("smece",),
    title="Smooth calibration error",
    cite=BLASIOK,
    estimand="distance with chance",
    fast=_compute_smoothed_error,
    formula="σ where ∫ |Σ w (y − p) K_σ(p, t)| dt / Σ w = σ, K_σ a Gaussian reflected at 0 and 1",
    undefined="where no row has weight",
    caveat="It has no bins to choose, but a calibrated model has more than 0, and the more the "
    "fewer rows there are. Probabilities are rounded to 1,024 cells, and σ is no smaller than one.",
    asks="how far the probabilities lie from the outcomes near them, with no bins to choose",
    blind="that chance alone makes it larger on few rows",
)
def smooth_ece(y: Vector, score: Vector, weight: Vector) -> float:
    """Mean size of the errors of probabilities, smoothed by a Gaussian as wide as that."""
    rows = Classes((y > 0).astype(np.intp), score[:, None], ("0", "1"), "probability")
    return float(_compute_smoothed_error(rows, Batch.from_weights(weight))[0])
