"""Bands of curves whose height is a share of some rows: of positives caught, of calls that hit.

A share near 0 or 1 varies little in resamples of few rows, which knows too little of what other
rows would do: so it is judged by its logit, with a standard error of at least what so many
independent rows give.
"""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from reportgen.inference.bands import Band, critical, monotone
from reportgen.inference.resampled import critical as t_limit
from reportgen.kernels.batch import Matrix, Vector

FEWEST_ALONG = 3  # rows that a curve walks along, on each side of a place that takes part


def share_band(
    theta: Vector,
    values: Matrix,
    level: float,
    among: Vector,
    beside: Vector,
    is_monotone: bool = False,
    widening: float = 1.0,
) -> Band:
    """Limits of shares theta (g,) from replicates (B, g), for the whole curve at once.

    `among` (g,) is how many rows each is a share of, `beside` (g,) how many rows that the curve
    walks along stand on the thinner side. Places with fewer than three of these take no part: a
    rising curve has there the limits that its neighbours leave it, any other none. `widening`
    multiplies the spread of the replicates, as few clusters ask for.
    """
    use = (beside >= FEWEST_ALONG) & np.isfinite(theta) & (among > 0)
    if len(values) > 1:
        use &= np.isfinite(values).sum(axis=0) > 1
    if not use.any() or not len(values):
        none = np.full(len(theta), nan)
        return Band(none, none.copy(), level, nan, 0)
    rows = among[use]
    middle, drawn = _logit(theta[use], rows), _logit(values[:, use], rows)
    known = np.isfinite(drawn)
    spread = np.nanstd(np.where(known, drawn, nan), axis=0, ddof=1) if len(values) > 1 else 0.0
    se = np.maximum(widening * spread, _least(theta[use], rows))
    away = np.where(known, np.abs(drawn - middle), 0.0) / se
    # Where nothing varies a single place still has its own interval.
    times = max(critical(away.max(axis=1), level), t_limit(level))
    low, high = np.full(len(theta), nan), np.full(len(theta), nan)
    low[use], high[use] = (_back(middle + sign * times * se, rows) for sign in (-1.0, 1.0))
    if is_monotone:
        low, high = _to_the_ends(*monotone(low, high, rising=True))
    return Band(low, high, level, times, int(use.sum()))


def few_clusters(clusters: int, level: float) -> float:
    """By how much few clusters widen a spread: G/(G − 1), and Student's t over the Normal.

    >>> round(few_clusters(30, 0.95), 3)
    1.061
    """
    if clusters < 2:
        return 1.0
    return float(sqrt(clusters / (clusters - 1)) * t_limit(level, clusters - 1) / t_limit(level))


def _logit(share: Matrix, rows: Vector) -> Matrix:
    """The logit of a share of so many rows, half a row added to either side.

    >>> _logit(np.array([0.0, 0.5]), np.array([9.0, 9.0])).round(3)
    array([-2.944,  0.   ])
    """
    inside = (rows * share + 0.5) / (rows + 1)
    return np.asarray(np.log(inside / (1 - inside)))


def _back(logit: Vector, rows: Vector) -> Vector:
    """The share of a logit, between 0 and 1.

    >>> _back(np.array([-1e4, 0.0, 1e4]), np.full(3, 9.0))
    array([0. , 0.5, 1. ])
    """
    with np.errstate(over="ignore"):  # an infinite denominator is a share of 0
        inside = 1 / (1 + np.exp(-logit))
    return np.asarray(np.clip(((rows + 1) * inside - 0.5) / rows, 0.0, 1.0))


def _least(share: Vector, rows: Vector) -> Vector:
    """The standard error of the logit from so many independent rows, drawn towards one half."""
    inside = (rows * share + 2) / (rows + 4)
    return np.asarray(1 / np.sqrt(rows * inside * (1 - inside)))


def _to_the_ends(low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """Limits where a rising curve has none of its own: those that its neighbours leave it."""
    known = np.flatnonzero(np.isfinite(low))
    if not len(known):
        return low, high
    first, last = known[0], known[-1]
    low[:first], high[:first] = 0.0, high[first]
    low[last + 1 :], high[last + 1 :] = low[last], 1.0
    return low, high
