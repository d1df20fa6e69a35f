"""Errors against the size of what happened: in percent, or as ratios on a log scale.

Each has a trap, and says so in its `caveat`.
"""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.concordance import ROSSET
from reportgen.metrics.images import as_the_sizes
from reportgen.metrics.residual import HYNDMAN, share_of, square_root
from reportgen.metrics.spec import rowwise

M4 = (
    "Makridakis, Spiliotis & Assimakopoulos (2020), The M4 Competition, International Journal of "
    "Forecasting 36; doi:10.1016/j.ijforecast.2019.04.014"
)
GNEITING = (
    "Gneiting (2011), Making and evaluating point forecasts, Journal of the American Statistical "
    "Association 106; doi:10.1198/jasa.2011.r10138"
)
KOLASSA = "Kolassa & Schütz (2007), Advantages of the MAD/Mean ratio over the MAPE, Foresight 6"


def percent_of_total(means: Matrix) -> Vector:
    """The first mean in percent of the second; nan where the second is 0."""
    return 100.0 * share_of(means[:, 0], means[:, 1])


@rowwise(
    title="Mean absolute percentage error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="%",
    cite=f"{HYNDMAN}; on what it rewards: {GNEITING}",
    estimand="mean",
    needs="amount",
    formula="100 · Σ w|ŷ − y|/|y| / Σ w",
    undefined="where a y is 0",
    caveat="Rows with y near 0 decide it, and scores that are too low on purpose lower it: a "
    "score cannot miss by over 100% below y, but by any percent above.",
    answers=questions.RATIO,
    asks="how far off a score is, on average, in percent of what happened",
    blind="the cost of an error in money; rows with y near 0 decide it",
)
def mape(y: Vector, score: Vector) -> Vector:
    """Mean size of the error in percent of y.

    >>> mape(np.array([1.0, 4.0]), np.array([3.0, 3.0]))
    array([200.,  25.])
    """
    return 100.0 * share_of(np.abs(score - y), np.abs(y))


@rowwise(
    title="Weighted absolute percentage error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="%",
    cite=KOLASSA,
    estimand="log function",
    needs="amount",
    finish=percent_of_total,
    image=as_the_sizes,
    is_led_by_a_loss=True,
    formula="100 · Σ w|ŷ − y| / Σ w|y|",
    undefined="where every y is 0",
    caveat="It is the mean absolute error over the mean size of y: rows with large y decide it, "
    "and it orders models as the mean absolute error does.",
    answers=questions.RATIO,
    asks="how large all errors together are, in percent of all that happened",
    blind="the direction of an error, and which rows it falls on",
)
def wape(y: Vector, score: Vector) -> Matrix:
    """Sum of the sizes of the errors in percent of the sum of the sizes of y.

    Rows with y = 0 count by their errors. It equals the MAPE of rows weighted by the size of y.
    """
    return np.stack([np.abs(score - y), np.abs(y)]).T


@rowwise(
    title="Symmetric mean absolute percentage error",
    task="regression",
    better="lower",
    bounds=(0.0, 200.0),
    unit="%",
    cite=f"{M4}; its faults: {HYNDMAN}",
    estimand="mean",
    needs="amount",
    formula="200 · Σ w|ŷ − y|/(|y| + |ŷ|) / Σ w, a row with y = ŷ = 0 counting 0",
    caveat="It is not symmetric: an error below y costs more than the same error above. Where y "
    "is 0, every score but 0 costs the full 200%.",
    answers=questions.RATIO,
    asks="how far off a score is, in percent of the middle of score and what happened",
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


@rowwise(
    title="Root mean squared log error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="1",
    cite=f"named as in scikit-learn, root_mean_squared_log_error; its caveat: {ROSSET}",
    estimand="log mean",
    needs="amount",
    finish=square_root,
    is_led_by_a_loss=True,
    formula="√(Σ w(log(1 + ŷ) − log(1 + y))² / Σ w)",
    undefined="where a y or a score is −1 or lower",
    caveat="A log of money is no money: twice too high costs the same at 10 as at a million, so "
    "it does not say what errors cost. Its best score is too low for the mean of y.",
    answers=questions.RATIO,
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
