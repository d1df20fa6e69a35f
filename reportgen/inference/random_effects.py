"""One difference measured on several data sets, each with a standard error: its mean and spread.

The true differences of the data sets are taken for Normal draws around a mean, tau² their variance
(random effects). Few data sets are the rule, so that tau² solves Paule and Mandel's equation, and
the interval of the mean is that of Knapp and Hartung, modified never to be narrower than that of
known errors (Röver, Knapp and Friede 2015, doi:10.1186/s12874-015-0091-1).

The next data set is foretold without taking tau² for known, as in Nagashima, Noma and Furukawa
(2019, doi:10.1177/0962280218773520): the weighted squares about the mean, at the true tau², are
chi-squared with n − 1 degrees of freedom (Viechtbauer 2007, doi:10.1002/sim.2514), so that each
quantile of that law gives a tau², and each tau² a Normal law of the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import brentq

from reportgen.kernels.batch import Vector

FEWEST = 3  # data sets under which the next one cannot be foretold
SPREADS = 400  # values of tau² that stand for all
HALVINGS = 60
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class RandomEffects:
    """The mean of the true differences with its limits, their standard deviation, and the next.

    `next_low` and `next_high` hold the true difference on another data set of the same kind.
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
    low, high = mean - half, mean + half
    # The mean allows for errors that are larger than told, and the next is no surer than it.
    next_low, next_high = foretold(differences, errors**2, level)
    ends = min(next_low, low), max(next_high, high)
    return RandomEffects(mean, low, high, sqrt(squared), *ends)


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


def foretold(differences: Vector, variances: Vector, level: float) -> tuple[float, float]:
    """Limits of the true difference on another data set."""
    shares = (np.arange(SPREADS) + 0.5) / SPREADS
    squared = spreads_at(differences, variances, shares)
    weight = 1 / (variances + squared[:, None])
    total = weight.sum(axis=1)
    mean, spread = weight @ differences / total, np.sqrt(squared + 1 / total)

    def beyond(x: float, share: float) -> float:
        return float(special.ndtr((x - mean) / spread).mean()) - share

    low, high = (1 - level) / 2, (1 + level) / 2
    reach = -float(special.ndtri(low / SPREADS)) * spread
    ends = float((mean - reach).min()), float((mean + reach).max())
    found = [float(brentq(beyond, *ends, args=(p,), xtol=1e-300, rtol=1e-12)) for p in (low, high)]
    return found[0], found[1]


def spreads_at(differences: Vector, variances: Vector, shares: Vector) -> Vector:
    """tau² above which it lies in so many of all samples, (m,): limits of it by profiling Q.

    >>> y, errors = np.array([1.0, 2.0, 6.0]), np.full(3, 0.1)
    >>> spreads_at(y, errors**2, np.array([0.025, 0.975])).round(3)
    array([276.475,   1.888])
    """
    quantile = special.chdtri(len(differences) - 1, 1 - shares)

    def is_more(squared: Vector) -> Flags:
        weight = 1 / (variances + squared[:, None])
        mean = weight @ differences / weight.sum(axis=1)
        return np.asarray((weight * (differences - mean[:, None]) ** 2).sum(axis=1) > quantile)

    low = np.zeros(len(shares))
    # Weighted squares are at most those of equal weights, which are sums of squares over tau².
    high = np.asarray(((differences - differences.mean()) ** 2).sum() / quantile)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        more = is_more(middle)
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.where(is_more(np.zeros(len(shares))), high, 0.0)


def _t(freedom: int, level: float) -> float:
    return float(special.stdtrit(freedom, (1 + level) / 2))
