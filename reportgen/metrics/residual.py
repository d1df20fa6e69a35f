"""How far the scores lie from what happened: metrics of the error, score minus y.

They need scores that are amounts in the unit of y; a rank score has no error. Where they are
means of one number a row they are undefined only if no row weighs anything.
"""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.kernels import quantiles
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.weighted_quantile import weighted_quantile
from reportgen.losses.losses import LARGEST
from reportgen.metrics import questions
from reportgen.metrics.centres import centred
from reportgen.metrics.images import as_the_squares
from reportgen.metrics.smoothed import median_influence
from reportgen.metrics.spec import rowwise, whole
from reportgen.rows import Amounts

# A variance below this share of the second moment about the median is rounding, not spread.
ROUNDING = 1e-13

WILLMOTT = (
    "Willmott & Matsuura (2005), Advantages of the mean absolute error (MAE) over the root mean "
    "square error (RMSE), Climate Research 30; doi:10.3354/cr030079"
)
HYNDMAN = (
    "Hyndman & Koehler (2006), Another look at measures of forecast accuracy, International "
    "Journal of Forecasting 22; doi:10.1016/j.ijforecast.2006.03.001"
)
KVALSETH = (
    "Kvålseth (1985), Cautionary note about R², The American Statistician 39; "
    "doi:10.1080/00031305.1985.10479448"
)
RROC = (
    "Hernández-Orallo (2013), ROC curves for regression, Pattern Recognition 46; "
    "doi:10.1016/j.patcog.2013.06.014"
)


def square_root(means: Matrix) -> Vector:
    """Square root of the only mean."""
    root: Vector = np.sqrt(means[:, 0])
    return root


def spread(means: Matrix) -> Vector:
    """Variance, from the mean and the mean square about any fixed centre."""
    return np.maximum(means[:, 1] - means[:, 0] ** 2, 0.0)


def share_explained(means: Matrix) -> Vector:
    """1 − mean squared error / variance of y; nan where y does not vary."""
    variance = means[:, 2] - means[:, 1] ** 2
    varies = variance > ROUNDING * means[:, 2]
    return 1.0 - share_of(means[:, 0], np.where(varies, variance, 0.0))


def share_of(part: Vector, whole: Vector) -> Vector:
    """One mean over another; nan where the other is 0, or the first over 1e100 times as large.

    Beyond that the square of a quotient, which its standard error asks for, soon is no number.
    """
    found = np.full(len(part), np.nan)
    np.divide(part, whole, out=found, where=(whole > 0) & (part / LARGEST <= whole))
    return found


@rowwise(
    title="Mean absolute error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=WILLMOTT,
    estimand="mean",
    needs="amount",
    formula="Σ w|ŷ − y| / Σ w",
    answers=questions.SIZE,
    asks="how far off a score is, on average",
    blind="the direction of an error; a large error counts no more a unit than a small one",
)
def mae(y: Vector, score: Vector) -> Vector:
    """Mean size of the error, in the unit of y.

    >>> mae(np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    array([2., 1.])
    """
    return np.abs(score - y)


@rowwise(
    title="Mean squared error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y²",
    cite=WILLMOTT,
    estimand="log mean",
    needs="amount",
    image=as_the_squares,
    is_led_by_a_loss=True,
    formula="Σ w(ŷ − y)² / Σ w",
    answers=questions.SIZE,
    asks="how large the squared errors are, on average, a few large errors counting most",
    blind="the direction of an error; one wild row can outweigh all others",
)
def mse(y: Vector, score: Vector) -> Vector:
    """Mean of the squared error, in squared units of y: a few large errors decide it."""
    squared: Vector = (score - y) ** 2
    return squared


@rowwise(
    title="Root mean squared error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=WILLMOTT,
    estimand="log mean",
    needs="amount",
    finish=square_root,
    is_led_by_a_loss=True,
    formula="√(Σ w(ŷ − y)² / Σ w)",
    answers=questions.SIZE,
    asks="how far off the scores are, a few large errors counting most",
    blind="the direction of an error; one wild row can outweigh all others",
)
def rmse(y: Vector, score: Vector) -> Vector:
    """Root of the mean squared error, in the unit of y: a few large errors decide it."""
    squared: Vector = (score - y) ** 2
    return squared


@rowwise(
    title="R²",
    task="regression",
    better="higher",
    bounds=(-inf, 1.0),
    unit="1",
    cite=KVALSETH,
    estimand="log residual",
    needs="amount",
    finish=share_explained,
    is_led_by_a_loss=True,
    image=as_the_squares,
    formula="1 − Σ w(ŷ − y)² / Σ w(y − ȳ)²",
    undefined="where every y is equal",
    answers=questions.LINE,
    asks="how much of the spread of what happened the scores explain",
    blind="the size of the errors in the unit of y: it compares them with the spread "
    "of y, which differs between sets of rows",
)
def r2(y: Vector, score: Vector) -> Matrix:
    """Share of the variance of y that the scores explain: 1 is perfect, 0 no better than the mean.

    The mean of y is that of the same rows; a score worse than it is below 0.
    """
    about = centred(y)
    return np.stack([(score - y) ** 2, about, about**2]).T


def _median_ae_fast(rows: Amounts, batch: Batch) -> Vector:
    return quantiles.weighted_quantile(rows.absolute_error, batch, 0.5)


def _median_ae_smoothed(rows: Amounts, weight: Vector) -> Vector | None:
    sizes = rows.absolute_error
    return median_influence(sizes, weight, weighted_quantile(sizes.values, weight, 0.5))


@whole(
    title="Median absolute error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=HYNDMAN,
    estimand="quantile",
    needs="amount",
    fast=_median_ae_fast,
    smoothed=_median_ae_smoothed,
    formula="weighted median of |ŷ − y|: the middle of the interval of medians",
    answers=questions.SIZE,
    asks="how far off a score typically is",
    blind="the half of the rows with the larger errors, however large these are",
)
def median_ae(y: Vector, score: Vector, weight: Vector) -> float:
    """Size of error that half of the weight stays under, in the unit of y."""
    return weighted_quantile(np.abs(score - y), weight, 0.5)


@rowwise(
    title="Bias",
    task="regression",
    better="zero",
    bounds=(-inf, inf),
    unit="y",
    cite=HYNDMAN,
    estimand="mean",
    needs="amount",
    formula="Σ w(ŷ − y) / Σ w",
    answers=questions.LEVEL,
    asks="how much too high (above zero) or too low the scores are, on average",
    blind="errors that cancel: a model that is far off both ways can have none",
)
def bias(y: Vector, score: Vector) -> Vector:
    """Mean error, in the unit of y: above 0 the scores are too high on average."""
    return score - y


@rowwise(
    title="Error variance",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y²",
    cite=RROC,
    estimand="log mean",
    needs="amount",
    finish=spread,
    formula="Σ w(e − ē)² / Σ w, with e = ŷ − y",
    answers=questions.SPREAD,
    asks="how widely the errors spread",
    blind="a constant that all scores are off by",
)
def error_variance(y: Vector, score: Vector) -> Matrix:
    """Variance of the errors, in squared units of y: what is left of the MSE without the bias."""
    about = centred(score - y)
    return np.stack([about, about**2]).T
