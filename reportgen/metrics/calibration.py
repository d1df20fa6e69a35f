"""What a loss is made of: miscalibration, discrimination and uncertainty.

Of a loss whose best constant is the mean (squared error, and every deviance), the mean loss L of
the scores is set against those of two other scores on the same rows: L_fit of the rising fit of
y on the score, and L_mean of the mean of y. Then

    L = miscalibration − discrimination + uncertainty
      = (L − L_fit) − (L_mean − L_fit) + L_mean

Nothing is binned. Of outcomes 0 and 1 the same numbers are the parts of the Brier score.

These are no metrics with intervals. The rising fit is made on the same rows and follows their
chance too, by more than their standard error: in trials on 500 Normal rows hardly any interval
held the true miscalibration, which lay below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.isotonic import rising_fit
from reportgen.metrics.deviances import is_allowed, unit_deviance
from reportgen.rows import Amounts

CORP = (
    "Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic "
    "classifiers, PNAS 118; doi:10.1073/pnas.2016191118"
)


@dataclass(frozen=True)
class LossParts:
    """The parts of a mean loss, in its unit: the first less the second plus the third."""

    miscalibration: float
    discrimination: float
    uncertainty: float


def parts_of(rows: Amounts, weight: Vector, power: float = 0.0) -> LossParts:
    """The parts of the mean squared error, or of the deviance of a power other than 0.

    nan where the deviance does not exist.

    >>> rows = Amounts(np.array([1.0, 5, 3, 7]), np.array([1.0, 2, 3, 4]))
    >>> parts_of(rows, np.ones(4))
    LossParts(miscalibration=4.0, discrimination=4.5, uncertainty=5.0)
    """
    kept = weight > 0
    rows, weight = Amounts(rows.y.values[kept], rows.score.values[kept]), weight[kept]
    y, score = rows.y.values, rows.score.values
    if not len(y) or not is_allowed(y, score, power).all():
        return LossParts(np.nan, np.nan, np.nan)
    share = weight / weight.sum()
    said = (score, rising_fit(rows, weight).fit[rows.score.group], np.full(len(y), share @ y))
    own, fitted, constant = (float(share @ _loss(y, each, power)) for each in said)
    return LossParts(max(own - fitted, 0.0), max(constant - fitted, 0.0), constant)


def _loss(y: Vector, score: Vector, power: float) -> Vector:
    """The loss of each row; 0 where y is met, also at 0, where a fit may lie but no score."""
    return np.where(y == score, 0.0, unit_deviance(y, score, power))
