"""Errors of amounts: absolute, squared, relative, deviances."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import quantiles
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.calibration_fits import fit_isotonic
from reportgen.kernels.quantiles import weighted_quantile
from reportgen.metrics import questions
from reportgen.metrics.influence import center_values, smoothed_median_influence
from reportgen.metrics.losses.loss_functions import LARGEST, NEAR, exp_remainder, log_minus_linear
from reportgen.metrics.metric import rowwise, whole
from reportgen.metrics.monotone import image_of_mae, image_of_mse
from reportgen.metrics.regression.concordance import ROSSET
from reportgen.metrics.rows import Amounts
from reportgen.records import record

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
RAW_IS_A_SUM = {"scale": "a raw sum grows with the weights"}


def scale_if_raw(totals: Vector, *, raw: bool, **_: object) -> Vector:
    """Turn a mean into a sum on request."""
    return totals if raw else np.ones_like(totals)


def root_of_mean(means: Matrix) -> Vector:
    """Square root of the only mean."""
    root: Vector = np.sqrt(means[:, 0])
    return root


def variance_of_means(means: Matrix) -> Vector:
    """Variance, from the mean and the mean square about any fixed centre."""
    return np.maximum(means[:, 1] - means[:, 0] ** 2, 0.0)


def r2_of_means(means: Matrix) -> Vector:
    """1 − mean squared error / variance of y; nan where y does not vary."""
    variance = means[:, 2] - means[:, 1] ** 2
    varies = variance > ROUNDING * means[:, 2]
    return 1.0 - safe_ratio(means[:, 0], np.where(varies, variance, 0.0))


def safe_ratio(part: Vector, whole: Vector) -> Vector:
    """One mean over another; nan where the other is 0, or the first over 1e100 times as large.

    Beyond that the square of a quotient, which its standard error asks for, soon is no number.
    """
    found = np.full(len(part), np.nan)
    np.divide(part, whole, out=found, where=(whole > 0) & (part / LARGEST <= whole))
    return found


_error_metric = partial(
    rowwise,
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    needs="amount",
    unit="y",
    estimand="mean",
    answers=questions.RATIO,
    cite=WILLMOTT,
)


@_error_metric(
    reference="median",
    title="Mean absolute error",
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


@_error_metric(
    reference="mean",
    title="Mean squared error",
    unit="y²",
    estimand="log mean",
    image=image_of_mse,
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


@_error_metric(
    reference="mean",
    title="Root mean squared error",
    estimand="log mean",
    finish=root_of_mean,
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


@_error_metric(
    reference="mean",
    title="R²",
    better="higher",
    bounds=(-inf, 1.0),
    unit="1",
    cite=KVALSETH,
    estimand="log residual",
    finish=r2_of_means,
    is_led_by_a_loss=True,
    image=image_of_mse,
    formula="1 − Σ w(ŷ − y)² / Σ w(y − ȳ)²",
    undefined="where every y is equal",
    answers=questions.LINE,
    asks="how much of the spread of the target the scores explain",
    blind="the size of the errors in the unit of y: it compares them with the spread "
    "of y, which differs between sets of rows",
)
def r2(y: Vector, score: Vector) -> Matrix:
    """Share of the variance of y that the scores explain: 1 is perfect, 0 no better than the mean.

    The mean of y is that of the same rows; a score worse than it is below 0.
    """
    about = center_values(y)
    return np.stack([(score - y) ** 2, about, about**2]).T


def _median_ae_fast(rows: Amounts, batch: Batch) -> Vector:
    return quantiles.compute_quantiles(rows.absolute_error, batch, 0.5)


def _median_ae_smoothed(rows: Amounts, weight: Vector) -> Vector | None:
    sizes = rows.absolute_error
    return smoothed_median_influence(sizes, weight, weighted_quantile(sizes.values, weight, 0.5))


@whole(
    reference="median",
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


@_error_metric(
    no_reference="a constant attains the best value",
    title="Bias",
    better="zero",
    bounds=(-inf, inf),
    cite=HYNDMAN,
    formula="Σ w(ŷ − y) / Σ w",
    answers=questions.LEVEL,
    asks="how much too high (above zero) or too low the scores are, on average",
    blind="errors that cancel: a model that is far off both ways can have none",
)
def bias(y: Vector, score: Vector) -> Vector:
    """Mean error, in the unit of y: above 0 the scores are too high on average."""
    return score - y


@_error_metric(
    reference="mean",
    title="Error variance",
    unit="y²",
    cite=RROC,
    estimand="log mean",
    finish=variance_of_means,
    formula="Σ w(e − ē)² / Σ w, with e = ŷ − y",
    answers=questions.SPREAD,
    asks="how widely the errors spread",
    blind="a constant that all scores are off by",
)
def error_variance(y: Vector, score: Vector) -> Matrix:
    """Variance of the errors, in squared units of y: what is left of the MSE without the bias."""
    about = center_values(score - y)
    return np.stack([about, about**2]).T


M4 = (
    "Makridakis, Spiliotis & Assimakopoulos (2020), The M4 Competition, International Journal of "
    "Forecasting 36; doi:10.1016/j.ijforecast.2019.04.014"
)
GNEITING = (
    "Gneiting (2011), Making and evaluating point forecasts, Journal of the American Statistical "
    "Association 106; doi:10.1198/jasa.2011.r10138"
)
KOLASSA = "Kolassa & Schütz (2007), Advantages of the MAD/Mean ratio over the MAPE, Foresight 6"


def percent_of_mean(means: Matrix) -> Vector:
    """Return the first mean in percent of the second; nan where the second is 0."""
    return 100.0 * safe_ratio(means[:, 0], means[:, 1])


@_error_metric(
    reference="relative median",
    title="Mean absolute percentage error",
    unit="%",
    cite=f"{HYNDMAN}; on what it rewards: {GNEITING}",
    formula="100 · Σ w|ŷ − y|/|y| / Σ w",
    undefined="where a y is 0",
    caveat="Rows with y near 0 decide it, and scores that are too low on purpose lower it: a "
    "score cannot miss by over 100% below y, but by any percent above.",
    asks="how far off a score is, on average, in percent of the target",
    blind="the cost of an error in money; rows with y near 0 decide it",
)
def mape(y: Vector, score: Vector) -> Vector:
    """Mean size of the error in percent of y.

    >>> mape(np.array([1.0, 4.0]), np.array([3.0, 3.0]))
    array([200.,  25.])
    """
    return 100.0 * safe_ratio(np.abs(score - y), np.abs(y))


@_error_metric(
    reference="median",
    title="Weighted absolute percentage error",
    unit="%",
    cite=KOLASSA,
    estimand="log function",
    finish=percent_of_mean,
    image=image_of_mae,
    is_led_by_a_loss=True,
    formula="100 · Σ w|ŷ − y| / Σ w|y|",
    undefined="where every y is 0",
    caveat="It is the mean absolute error over the mean size of y: rows with large y decide it, "
    "and it orders models as the mean absolute error does.",
    asks="how large all errors together are, in percent of all that happened",
    blind="the direction of an error, and which rows it falls on",
)
def wape(y: Vector, score: Vector) -> Matrix:
    """Sum of the sizes of the errors in percent of the sum of the sizes of y.

    Rows with y = 0 count by their errors. It equals the MAPE of rows weighted by the size of y.
    """
    return np.stack([np.abs(score - y), np.abs(y)]).T


@_error_metric(
    reference="median",
    title="Symmetric mean absolute percentage error",
    bounds=(0.0, 200.0),
    unit="%",
    cite=f"{M4}; its faults: {HYNDMAN}",
    formula="200 · Σ w|ŷ − y|/(|y| + |ŷ|) / Σ w, a row with y = ŷ = 0 counting 0",
    caveat="It is not symmetric: an error below y costs more than the same error above. Where y "
    "is 0, every score but 0 costs the full 200%.",
    asks="how far off a score is, in percent of the middle of score and target",
    blind="the cost of an error in money; it counts too low as worse than too high",
)
def smape(y: Vector, score: Vector) -> Vector:
    """Mean size of the error in percent of the middle of |y| and |score|, from 0 to 200.

    >>> smape(np.array([1.0, 0.0, 0.0]), np.array([3.0, 5.0, 0.0]))
    array([100., 200.,   0.])
    """
    # Halves, so that sizes near the largest number have a finite sum.
    size, percent = np.abs(y) / 2 + np.abs(score) / 2, np.zeros(len(y))
    np.divide(100.0 * np.abs(score - y), size, out=percent, where=size > 0)
    return np.minimum(percent, 200.0)


@_error_metric(
    reference="log mean",
    title="Root mean squared log error",
    unit="1",
    cite=f"named as in scikit-learn, root_mean_squared_log_error; its caveat: {ROSSET}",
    estimand="log mean",
    finish=root_of_mean,
    is_led_by_a_loss=True,
    formula="√(Σ w(log(1 + ŷ) − log(1 + y))² / Σ w)",
    undefined="where a y or a score is −1 or lower",
    caveat="A log of money is no money: twice too high costs the same at 10 as at a million, so "
    "it does not say what errors cost. Its best score is too low for the mean of y.",
    asks="how far off the scores are as ratios, a few large ratios counting most",
    blind="money: twice too high counts the same at 10 as at a million",
)
def rmsle(y: Vector, score: Vector) -> Vector:
    """Root of the mean squared difference of log(1 + score) and log(1 + y).

    Near 0.1 the scores are typically off by a tenth, where y is large against 1.
    """
    is_allowed = (y > -1) & (score > -1)
    ratio = np.log1p(np.where(is_allowed, score, 0.0)) - np.log1p(np.where(is_allowed, y, 0.0))
    return np.where(is_allowed, ratio**2, np.nan)


JORGENSEN = (
    "Jørgensen (1987), Exponential dispersion models, Journal of the Royal Statistical Society B "
    "49; doi:10.1111/j.2517-6161.1987.tb01685.x"
)


def is_power_allowed(y: Vector, score: Vector, power: float) -> NDArray[np.bool_]:
    """Return which rows a deviance of this power exists for, shape (n,).

    Power 0 allows all, below 0 the score must be above 0; from 1 to 2 no y may be below 0 either,
    from 2 on none may be 0.
    """
    if power == 0:
        return np.isfinite(y) & np.isfinite(score)
    allowed = score > 0
    if power < 0:
        return allowed
    return allowed & (y >= 0) if power < 2 else allowed & (y > 0)


def unit_deviance(y: Vector, score: Vector, power: float) -> Vector:
    """Compute the deviance of each row, shape (n,): 0 where score is y; nan where undefined.

    >>> unit_deviance(np.array([1.0, 0.0]), np.array([1.0, 3.0]), 1.0)
    array([0., 6.])
    """
    allowed = is_power_allowed(y, score, power)
    y, score = np.where(allowed, y, 1.0), np.where(allowed, score, 1.0)
    return np.where(allowed, np.maximum(_deviance(y, score, power), 0.0), np.nan)


def _deviance(y: Vector, score: Vector, power: float) -> Vector:
    """Compute the deviance where it exists: by formula, or by series where y is near the score."""
    if power == 0:
        return np.asarray((score - y) ** 2)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        is_some = y > 0
        some = np.where(is_some, y, score)
        is_apart = (np.abs(some - score) > NEAR * np.minimum(some, score)) & (
            min(abs(1 - power), abs(2 - power)) > NEAR / 5
        )
        near = _deviance_by_series(some, score, power)
        return np.where(is_apart | ~is_some, _deviance_by_formula(y, score, power), near)


def _deviance_by_formula(y: Vector, score: Vector, power: float) -> Vector:
    """Evaluate the usual formula; where y is 0 or less, the terms with y alone are 0."""
    above, rest = np.maximum(y, 0.0), 2 - power
    if power == 1:
        return np.asarray(2 * (score - y))  # is asked where y is 0
    own = above**rest / (1 - power) / rest if rest else np.zeros_like(y)
    last = score**rest / rest if rest else np.zeros_like(y)
    return np.asarray(2 * (own - y * score ** (1 - power) / (1 - power) + last))


def _deviance_by_series(y: Vector, score: Vector, power: float) -> Vector:
    """Compute the deviance in r = y/ŷ and L = log r, every difference by its series.

    Nothing is divided by the distance of the power from 1 or 2, whichever is nearer. With
    q(x) = (exp(x) − 1 − x)/x², a = 1 − p and b = 2 − p: 2ŷᵇ/b·(rL − (r − 1) + a·r·L²·q(aL)), and
    the same as 2ŷᵇ/a·(L − (r − 1) + b·L²·q(bL)).
    """
    a, b = 1 - power, 2 - power
    log = np.where(y < score, -1.0, 1.0) * np.abs(
        np.log1p(np.abs(y - score) / np.minimum(y, score))
    )
    if abs(a) < abs(b):
        line = -y * _log_less_line((score - y) / y, -log)  # ŷ(rL − (r − 1))
        return np.asarray(2 * score**a / b * (line + a * y * log**2 * exp_remainder(a * log)))
    line = _log_less_line((y - score) / score, log)
    return np.asarray(2 * score**b / a * (line + b * log**2 * exp_remainder(b * log)))


def _log_less_line(x: Vector, log: Vector) -> Vector:
    """log(1 + x) − x, where its logarithm is known: also where 1 + x rounds to 0."""
    return np.where(np.abs(x) < NEAR, log_minus_linear(np.maximum(x, -NEAR)), log - x)


def check_power(power: float) -> str | None:
    """Describe an invalid power, or return None: no distribution has one between 0 and 1."""
    if power == 0:
        return "power: 0 is the mean squared error; use mse"
    if not abs(power) <= 10:
        return f"power is {power}, but must be between -10 and 10"
    if 0 < power < 1:
        return f"power is {power}, but no distribution has one strictly between 0 and 1"
    return None


def _unit(*, power: float) -> dict[str, str]:
    """Return the unit of y to the power 2 − p."""
    named = {0.0: "y²", 1.0: "y", 2.0: "1"}
    return {"unit": named.get(float(power), f"y^{2 - power:g}")}


def explain_not_allowed(rows: Amounts, *, power: float, **_: Any) -> str:
    """Return which rows the power does not allow, as it goes on after "it is undefined"."""
    y, score = rows.y.values, rows.score.values
    if not (score > 0).all():
        return "where a score is 0 or lower"
    if power >= 2 and (y == 0).any():
        return f"where a y is 0 (power: {power:g} asks for amounts above 0)"
    return "where a y is below 0" if (y < 0).any() else "where the deviance is no finite number"


@_error_metric(
    reference="mean",
    title="Deviance",
    cite=JORGENSEN,
    check=check_power,
    fields_for=_unit,
    why=explain_not_allowed,
    formula="Σ w d(y, ŷ) / Σ w; p = 1: 2(y log(y/ŷ) − y + ŷ); p = 2: 2(log(ŷ/y) + y/ŷ − 1); else "
    "2(max(y, 0)^(2−p)/((1−p)(2−p)) − y ŷ^(1−p)/(1−p) + ŷ^(2−p)/(2−p))",
    undefined="where a score is 0 or lower, a y is below 0 (power from 1 on) or 0 "
    "(power from 2 on)",
    caveat="Values of different powers cannot be compared. It rewards scores that are means; a "
    "median or an order that is right is not enough.",
    asks="how far off the scores are, where large amounts may err by more than small",
    blind="what an error costs: it weighs errors by the variance that its power assumes",
)
def deviance(y: Vector, score: Vector, *, power: float) -> Vector:
    """Mean deviance, as if the variance of y grew as its mean to this power.

    `power: 1` is Poisson (counts), between 1 and 2 Tweedie (amounts of which many are 0), 2
    Gamma (amounts above 0, judged by ratios), 3 inverse Gaussian.
    """
    found = unit_deviance(y, score, power)
    return np.where(np.isfinite(found), found, np.nan)


CORP = (
    "Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic "
    "classifiers, PNAS 118; doi:10.1073/pnas.2016191118"
)


@record
class LossParts:
    """The parts of a mean loss, in its unit: the first less the second plus the third."""

    miscalibration: float
    discrimination: float
    uncertainty: float


def decompose_loss(rows: Amounts, weight: Vector, power: float = 0.0) -> LossParts:
    """Split the mean squared error, or the deviance of a power other than 0, into its parts.

    nan where the deviance does not exist.

    >>> rows = Amounts(np.array([1.0, 5, 3, 7]), np.array([1.0, 2, 3, 4]))
    >>> decompose_loss(rows, np.ones(4))
    LossParts(miscalibration=4.0, discrimination=4.5, uncertainty=5.0)
    """
    kept = weight > 0
    rows, weight = Amounts(rows.y.values[kept], rows.score.values[kept]), weight[kept]
    y, score = rows.y.values, rows.score.values
    if not len(y) or not is_power_allowed(y, score, power).all():
        return LossParts(np.nan, np.nan, np.nan)
    share = weight / weight.sum()
    said = (score, fit_isotonic(rows, weight).fit[rows.score.group], np.full(len(y), share @ y))
    own, fitted, constant = (float(share @ _loss(y, each, power)) for each in said)
    return LossParts(max(own - fitted, 0.0), max(constant - fitted, 0.0), constant)


def _loss(y: Vector, score: Vector, power: float) -> Vector:
    """Compute the loss of each row; 0 where y is met, even at 0, which only a fit may predict."""
    return np.where(y == score, 0.0, unit_deviance(y, score, power))
