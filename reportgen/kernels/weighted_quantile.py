"""Weighted quantiles: of weighted values, every q has an interval of answers, mostly a point."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Vector

# Where the sum of weights meets q times their total only up to rounding, it meets it.
SLACK = 1e-12


def quantile_interval(values: Vector, weight: Vector, q: float) -> tuple[float, float]:
    """All q-quantiles: from inf{v: F(v) >= q} to inf{v: F(v) > q}; nan where nothing weighs.

    F(v) is the share of the weight at values up to v. At q = 0 the interval is the lowest value,
    at q = 1 the highest.

    >>> quantile_interval(np.array([1.0, 2, 3, 4]), np.ones(4), 0.5)
    (2.0, 3.0)
    >>> quantile_interval(np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 1, 3]), 0.75)
    (4.0, 4.0)
    """
    counted = weight > 0
    if not counted.any():
        return np.nan, np.nan
    values, weight = values[counted], weight[counted]
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(weight[order])
    shares /= shares[-1]
    last = len(values) - 1
    low = min(int(np.searchsorted(shares, q - SLACK, side="left")), last)
    high = min(int(np.searchsorted(shares, q + SLACK, side="right")), last)
    return float(values[order[low]]), float(values[order[high]])


def weighted_quantile(values: Vector, weight: Vector, q: float) -> float:
    """The middle of the interval of q-quantiles, in the unit of the values: the usual median.

    >>> weighted_quantile(np.array([1.0, 2, 3, 4]), np.ones(4), 0.5)
    2.5
    """
    low, high = quantile_interval(values, weight, q)
    return low + (high - low) / 2
