"""One difference measured on several data sets, each with a standard error: its mean and spread.

The true differences of the data sets are taken for Normal draws around a mean, tau² their variance
(random effects). Few data sets are the rule, so that tau² solves Paule and Mandel's equation, and
the interval of the mean is that of Knapp and Hartung, modified never to be narrower than that of
known errors (Röver, Knapp and Friede 2015, doi:10.1186/s12874-015-0091-1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import special
from scipy.optimize import brentq

from reportgen.kernels.batch import Vector

FEWEST = 3  # data sets under which the next one cannot be foretold


@dataclass(frozen=True)
class RandomEffects:
    """The mean of the true differences with its limits, their standard deviation, and the next.

    `next_low` and `next_high` hold the true difference on another data set of the same kind
    (Higgins, Thompson and Spiegelhalter 2009, doi:10.1111/j.1467-985X.2008.00552.x).
    """

    mean: float
    low: float
    high: float
    tau: float
    next_low: float
    next_high: float


def random_effects(differences: Vector, errors: Vector, level: float) -> RandomEffects | None:
    """What differences (n,) with standard errors (n,) say together; None where one is 0 or unknown.

    >>> found = random_effects(np.array([1.0, 2.0, 6.0]), np.array([0.1, 0.1, 0.1]), 0.95)
    >>> round(found.mean, 3), round(found.tau, 3)
    (3.0, 2.644)
    """
    n = len(differences)
    is_known = np.isfinite(differences).all() and np.isfinite(errors).all()
    if n < FEWEST or not is_known or not (errors > 0).all():
        return None
    squared = between(differences, errors**2)
    weight = 1 / (errors**2 + squared)
    mean = float(weight @ differences / weight.sum())
    scale = float(weight @ (differences - mean) ** 2) / (n - 1)
    se = sqrt(max(scale, 1.0) / float(weight.sum()))
    half = _t(n - 1, level) * se
    reach = _t(n - 2, level) * sqrt(squared + se**2)
    return RandomEffects(mean, mean - half, mean + half, sqrt(squared), mean - reach, mean + reach)


def between(differences: Vector, variances: Vector) -> float:
    """tau² at which the weighted squares about their mean are as large as expected; 0 if smaller.

    (Paule and Mandel 1982, doi:10.6028/jres.087.022.)
    """
    n = len(differences)

    def excess(squared: float) -> float:
        weight = 1 / (variances + squared)
        mean = weight @ differences / weight.sum()
        return float(weight @ (differences - mean) ** 2) - (n - 1)

    # The root is no larger than the variance of the differences, of which errors are a part.
    most = float(((differences - differences.mean()) ** 2).sum()) / (n - 1)
    if excess(0.0) <= 0 or excess(most) >= 0:
        return most if most > 0 and excess(0.0) > 0 else 0.0
    return float(brentq(excess, 0.0, most, xtol=1e-300, rtol=1e-14))


def _t(freedom: int, level: float) -> float:
    return float(special.stdtrit(freedom, (1 + level) / 2))
