"""The standard error of a sum over times that follow one another."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.records import record

MOST_BIAS = 0.1
"""The share of the long-run variance that the cosine terms used may miss, before it is added."""
MOST_LAGS = 10
FEWEST_TIMES = 5


@record
class LongRunEstimate:
    """Standard error of a sum over times, its degrees of freedom, and the effective times.

    So many independent times would give a sum with the same standard error; at most all of them.
    """

    se: float
    df: float
    effective: float


def estimate_long_run_error(parts: Vector) -> LongRunEstimate:
    """Estimate the standard error of a sum from its parts (times,), in the order of time.

    The long-run variance is the mean of the first ν squared cosine transforms, and the sum over its
    standard error is compared with t(ν) (Lazarus, Lewis, Stock and Watson 2018). ν is the largest
    at which the terms used miss at most a tenth of the variance at frequency zero, by the lesser of
    two fitted spectra: autoregressions of order one, with its coefficient corrected for bias
    (Kendall 1954), and of the order that Akaike's criterion chooses. What they miss is added.
    Independent times keep nearly all terms. nan under five times.

    >>> alternating = estimate_long_run_error(np.tile([1.0, -1.0], 50))
    >>> steady = estimate_long_run_error(np.repeat([1.0, -1.0], 50))
    >>> alternating.df, steady.df, steady.effective < 10
    (99.0, 2.0, True)
    """
    from scipy import fft  # here, since the names of methods must not wait for it

    n = len(parts)
    if n < FEWEST_TIMES:
        return LongRunEstimate(nan, nan, nan)
    centred = parts - parts.mean()
    squares = fft.dct(centred, norm="ortho")[1:] ** 2
    total = float(squares.sum())
    if not total > 0:
        return LongRunEstimate(0.0, n - 1.0, float(n))
    covariance = _compute_autocovariances(centred, min(MOST_LAGS, n // 5))
    kept = np.minimum(
        _compute_kept_shares(_fit_first_order(covariance, n), n),
        _compute_kept_shares(_fit_autoregression(covariance, n), n),
    )
    terms = _count_terms(kept)
    variance = float(squares[:terms].mean()) / min(float(kept[terms - 1]), 1.0)
    independent = total / (n - 1)
    effective = min(n * independent / variance, float(n)) if variance > 0 else float(n)
    return LongRunEstimate(sqrt(n * variance), float(terms), effective)


def estimate_first_correlation(values: Vector) -> float:
    """Estimate the correlation of neighbours in time, corrected for its bias; at most 0.97."""
    covariance = _compute_autocovariances(values - values.mean(), 1)
    return float(_fit_first_order(covariance, len(values))[0]) if covariance[0] > 0 else 0.0


def _compute_autocovariances(centred: Vector, lags: int) -> Vector:
    """Compute the autocovariances at lags of 0 and on, each over all times."""
    n = len(centred)
    sums = [np.add.reduce(centred[k:] * centred[: n - k]) for k in range(lags + 1)]
    return np.array(sums) / n


def _fit_first_order(covariance: Vector, n: int) -> Vector:
    """Fit an autoregression of order one that is not negative; its coefficient, (1,)."""
    raw = float(covariance[1] / covariance[0])
    return np.array([min(max(raw + (1 + 3 * raw) / n, 0.0), 0.97)])


def _fit_autoregression(covariance: Vector, n: int) -> Vector:
    """Fit the autoregression whose order has the least Akaike criterion, by Levinson's steps."""
    fitted = best = np.empty(0)
    error, least = float(covariance[0]), n * np.log(covariance[0])
    for order in range(1, len(covariance)):
        step = float(covariance[order] - fitted @ covariance[order - 1 : 0 : -1]) / error
        fitted = np.append(fitted - step * fitted[::-1], step)
        error *= 1 - step**2
        if not error > 0:
            break
        criterion = n * np.log(error) + 2 * order
        if criterion < least:
            best, least = fitted, criterion
    return best


def _compute_kept_shares(coefficients: Vector, n: int) -> Vector:
    """Compute the mean of a fitted spectrum over its first terms, over its value at zero, (n − 1,).

    Below one where the spectrum falls away from zero, as it does where neighbours are alike.
    """
    transfer = np.fft.rfft(np.append(1.0, -coefficients), 2 * n)[1:n]
    spectrum = (1 - float(coefficients.sum())) ** 2 / np.abs(transfer) ** 2
    return np.asarray(np.cumsum(spectrum) / np.arange(1, n))


def _count_terms(kept: Vector) -> int:
    """Count the terms before the first at which too much is missed; at least two."""
    is_short = kept < 1 - MOST_BIAS
    return max(int(is_short.argmax()) if is_short.any() else len(kept), 2)
