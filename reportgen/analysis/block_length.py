"""How long the blocks of time are that a stationary bootstrap draws."""

from __future__ import annotations

from math import ceil, log10, sqrt

import numpy as np

from reportgen.analysis.plan import ModelScores, Use, unsuited
from reportgen.kernels.batch import Index, Vector

CALM = 5  # lags in a row without correlation after which there is none
BANDS = 2.0  # standard errors that a correlation must pass to count


def series(y: Vector, weight: Vector, use: Use | None, model: ModelScores | None) -> Vector:
    """What each row adds to the error of one model's metric, shape (n,): whose order matters.

    Where there is no metric, or its influence is not known, what it adds to the mean of y.
    """
    total = float(weight.sum())
    phi = None
    if use is not None and model is not None and not unsuited(use.metric.needs, model):
        phi = use.metric.bind(model.rows).influence(weight)
    if phi is None or not np.all(np.isfinite(phi)):
        phi = y - float(np.add.reduce(weight * y)) / total
    each: Vector = weight * phi / total
    return each


def block_length(values: Vector, moment: Index | None = None) -> float:
    """The mean length of a block, in moments, that suits a stationary bootstrap of the mean.

    Politis and White (2004) as corrected by Patton, Politis and White (2009), with a flat-top lag
    window: (2 G²/D)^(1/3) n^(1/3), at least 1 and at most 3√n or n/3. `moment` adds up the values
    of equal times. To six digits, so that no rounding error moves a draw.

    >>> block_length(np.tile([1.0, -1.0], 50)) > block_length(np.cos(np.arange(100.0) ** 2))
    True
    """
    added = values if moment is None else np.bincount(moment, values)
    n = len(added)
    covariance = _autocovariances(added - added.mean())
    if n < 2 * CALM or not covariance[0] > 0:
        return 1.0
    m = min(2 * _last_lag(covariance / covariance[0], n), len(covariance) - 1)
    lag = np.arange(1, m + 1)
    window = np.minimum(1.0, 2 * (1 - lag / m)) * covariance[1 : m + 1]
    spectrum = covariance[0] + 2 * float(np.add.reduce(window))
    slope = 2 * float(np.add.reduce(window * lag))
    if spectrum == 0:
        return 1.0
    length = (slope / spectrum) ** 2 * n
    most = ceil(min(3 * sqrt(n), n / 3))
    return float(f"{min(max(length ** (1 / 3), 1.0), most):.6g}")


def _autocovariances(centred: Vector) -> Vector:
    """At lags 0 and on, as many as the rule can ask for; summed in an order of their own."""
    n = len(centred)
    lags = min(ceil(sqrt(n)) + CALM, n - 1)
    sums = [np.add.reduce(centred[k:] * centred[: n - k]) for k in range(lags + 1)]
    return np.array(sums) / n


def _last_lag(correlation: Vector, n: int) -> int:
    """The first of five lags in a row that show no correlation; all lags where there is none."""
    is_calm = np.abs(correlation[1:]) < BANDS * sqrt(log10(n) / n)
    for lag in range(1, len(is_calm) - CALM + 2):
        if is_calm[lag - 1 : lag - 1 + CALM].all():
            return lag
    return len(correlation) - 1
