"""Confidence bands of a curve: pointwise and simultaneous."""

from __future__ import annotations

from math import ceil, inf, nan, sqrt

import numpy as np
from scipy import special

from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.sampling_distribution import FEWEST
from reportgen.kernels.batch import Matrix, Vector
from reportgen.records import record

FARTHEST_FACTOR = 7.0  # exponent of a limit as a factor: past a thousandfold it says nothing
FEWEST_ROWS = 10  # rows on each side of a grid point for it to take part


@record(eq=False)
class Band:
    """Limits (g,) of a curve on its grid, nan where there are none.

    `sup_t_quantile` is how many standard errors hold the whole curve, `points` how many took part.
    """

    low: Vector
    high: Vector
    level: float
    critical: float
    points: int


def pointwise_limits(
    values: Matrix, level: float, bounds: tuple[float, float] = (-inf, inf)
) -> tuple[Vector, Vector]:
    """Compute percentiles of each grid point's replicates, values (B, g); nan if too few exist."""
    tail = (1 - level) / 2
    low, high = np.clip(_quantiles(values, (tail, 1 - tail)), *bounds)
    return low, high


def simultaneous_band(  # noqa: PLR0913
    theta: Vector,
    values: Matrix,
    level: float,
    support: Vector | None = None,
    bounds: tuple[float, float] = (-inf, inf),
    is_monotone: bool = False,
    is_of_amounts: bool = False,
    unseen: tuple[Vector, Vector, Vector] | None = None,
    clusters: float = inf,
) -> Band:
    """Compute the sup-t band: θ ± c·se, c the quantile of the largest |θ* − θ|/se over the grid.

    `support` (g,) is the number of rows on the thinner side of each point. Points with fewer than
    ten take no part and have no limits, not even where they never vary: too few rows vary little.
    Other points that never vary are their own limits. The band of a
    monotone curve is made monotone, which only narrows it where the curve cannot be.

    Levels of amounts, never below zero, miss on the high side: their limits are θ·exp(± c·se/θ),
    as wide on the log scale, and a level that never varies, as of nothing but zeros, has none.

    `unseen` is what rows like none at hand leave open at each point that takes part, (g,) each:
    the least standard error, and how far they may move the height down and up. Of few `clusters`
    the spread is known no better than they tell.
    """
    se, largest = measure_spread(theta, values, support, None if unseen is None else unseen[0])
    use = se > 0
    times = sup_t_quantile(largest, level)
    if (
        unseen is not None and use.any()
    ):  # what varies in no resample says nothing of how far it may
        times = float(np.fmax(times, -special.ndtri((1 - level) / 2)))
    times = widen_for_few_clusters(times, clusters)
    half = np.where(se == 0, 0.0, nan)
    np.multiply(times, se, out=half, where=use)  # times may be without end
    low, high = _amounts(theta, half) if is_of_amounts else (theta - half, theta + half)
    if unseen is not None:
        low, high = low - unseen[1], high + unseen[2]
    low, high = np.maximum(low, bounds[0]), np.minimum(high, bounds[1])
    if is_monotone:
        low, high = tighten_monotone(low, high, is_rising(theta))
    return Band(low, high, level, times, int(use.sum()))


def measure_spread(
    theta: Vector, values: Matrix, support: Vector | None = None, least: Vector | None = None
) -> tuple[Vector, Vector]:
    """Compute each point's standard error (g,), and each replicate's maximum distance in them (B,).

    A point that never varies has 0, one that takes no part nan; a replicate without any point nan.
    """
    se, deviation = _deviation(theta, values)
    if least is not None:
        se = np.maximum(se, least)  # nan stays nan
    if support is not None:
        se = np.where(support < FEWEST_ROWS, nan, se)
    use = se > 0
    if not use.any():
        return se, np.full(len(values), nan)
    return se, np.asarray(np.fmax.reduce(deviation[:, use] / se[use], axis=1))


def sup_t_quantile(largest: Vector, level: float) -> float:
    """Return how many standard errors hold whole curves at once in this share of the replicates."""
    drawn = np.sort(largest[np.isfinite(largest)])
    if not len(drawn):
        return nan
    return float(drawn[min(ceil((len(drawn) + 1) * level), len(drawn)) - 1])


def widen_for_few_clusters(times: float, clusters: float) -> float:
    """So many standard errors of the Normal as many of Student's t(G − 1), times √(G/(G − 1)).

    >>> round(widen_for_few_clusters(2.9, 30), 2), widen_for_few_clusters(2.9, inf)
    (3.21, 2.9)
    """
    if clusters == inf or not times > 0 or clusters < 2:
        return times
    tail = float(special.ndtr(-times))
    if not tail > 0:  # of which the quantile of t is not known
        return inf
    return -float(special.stdtrit(clusters - 1, tail)) * sqrt(clusters / (clusters - 1))


def tighten_monotone(low: Vector, high: Vector, rising: bool) -> tuple[Vector, Vector]:
    """Find the tightest limits that a monotone curve within `low` and `high` must keep.

    >>> tighten_monotone(np.array([1.0, 0.0]), np.array([5.0, 4.0]), rising=True)
    (array([1., 1.]), array([4., 4.]))
    """
    if not rising:
        low, high = tighten_monotone(low[::-1], high[::-1], True)
        return low[::-1], high[::-1]
    lowest = np.fmax.accumulate(low)
    highest = np.fmin.accumulate(high[::-1])[::-1]
    return np.where(np.isnan(low), nan, lowest), np.where(np.isnan(high), nan, highest)


def is_rising(theta: Vector) -> bool:
    """Return whether a monotone curve goes up from its first to its last finite point."""
    known = theta[np.isfinite(theta)]
    return len(known) < 2 or bool(known[-1] >= known[0])


def interpolate_limits(
    x: Vector, grid: Vector, low: Vector, high: Vector, is_monotone: bool, rising: bool = True
) -> tuple[Vector, Vector]:
    """Limits at positions `x` from those on an ascending `grid`; nan outside of it.

    Of a monotone curve: at a rising one, the low of the grid point to the left and the high of the
    one to the right. Of any other: along straight lines.
    """
    if not is_monotone:
        return (
            np.interp(x, grid, low, left=nan, right=nan),
            np.interp(x, grid, high, left=nan, right=nan),
        )
    left = np.searchsorted(grid, x, side="right") - 1
    right = np.searchsorted(grid, x, side="left")
    inside = (left >= 0) & (right < len(grid))
    left, right = np.where(inside, left, 0), np.where(inside, right, 0)
    from_low, from_high = (left, right) if rising else (right, left)
    return np.where(inside, low[from_low], nan), np.where(inside, high[from_high], nan)


def _amounts(theta: Vector, half: Vector) -> tuple[Vector, Vector]:
    """Limits of levels of amounts, plain where the level is zero or a factor would tell nothing."""
    is_level = (theta > 0) & (half <= FARTHEST_FACTOR * theta)
    exponent = np.where(is_level, half / np.where(is_level, theta, 1.0), 0.0)
    low = np.where(is_level, theta * np.exp(-exponent), np.maximum(theta - half, 0.0))
    high = np.where(is_level, theta * np.exp(exponent), theta + half)
    return np.where(half == 0, nan, low), np.where(half == 0, nan, high)


def _deviation(theta: Vector, values: Matrix) -> tuple[Vector, Matrix]:
    """Compute the standard deviation of each point (0 where it never varies) and |θ* − θ|."""
    finite = np.isfinite(values)
    is_whole = bool(finite.all())  # as mostly: then nothing has to be set aside
    count = finite.sum(axis=0)
    shown = values if is_whole else np.where(finite, values, 0.0)
    few = count < max(FEWEST, len(values) / 2)
    mean = shown.sum(axis=0) / np.maximum(count, 1)
    squares = (shown - mean) ** 2
    squares = (squares if is_whole else np.where(finite, squares, 0.0)).sum(axis=0)
    se = np.sqrt(squares / np.maximum(count - 1, 1))
    scale = np.max(np.abs(shown), axis=0, initial=0.0)
    se[se <= 1e-12 * scale] = 0.0
    se[few | ~np.isfinite(theta)] = nan
    distance = np.abs(shown - theta)
    return se, distance if is_whole else np.where(finite, distance, nan)


def _quantiles(values: Matrix, shares: tuple[float, float]) -> Matrix:
    """Quantiles of each point's finite replicates, (quantiles, g); nan where too few exist.

    A quantile p of B replicates is the order statistic (B + 1)p, between neighbours by straight
    line, held within the sample.
    """
    if not len(values):
        return np.full((2, values.shape[1]), nan)
    ascending = np.array(values.T, order="C")  # the replicates of a point lie side by side
    is_known = np.isfinite(ascending)
    known = is_known.sum(axis=1)
    ascending[~is_known] = nan
    ascending.sort(axis=1)  # nan comes last
    place = np.clip(np.outer(shares, known + 1) - 1, 0, np.maximum(known - 1, 0))
    left = np.floor(place).astype(np.intp)
    right = np.minimum(left + 1, np.maximum(known - 1, 0))
    point = np.arange(len(ascending))
    below, above = ascending[point, left], ascending[point, right]
    has_enough = known >= max(FEWEST, len(values) / 2)
    return np.where(has_enough, below + (place - left) * (above - below), nan)


FEWEST_ALONG = 3  # rows that a curve walks along, on each side of a place that takes part


def compute_share_band(
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
    se = np.maximum(widening * spread, _compute_minimum_se(theta[use], rows))
    away = np.where(known, np.abs(drawn - middle), 0.0) / se
    # Where nothing varies a single place still has its own interval.
    times = max(sup_t_quantile(away.max(axis=1), level), critical_value(level))
    low, high = np.full(len(theta), nan), np.full(len(theta), nan)
    low[use], high[use] = (_invert_logit(middle + sign * times * se, rows) for sign in (-1.0, 1.0))
    if is_monotone:
        low, high = _extend_to_ends(*tighten_monotone(low, high, rising=True))
    return Band(low, high, level, times, int(use.sum()))


def few_cluster_factor(clusters: int, level: float) -> float:
    """Return by how much few clusters widen a spread: G/(G − 1), and Student's t over the Normal.

    >>> round(few_cluster_factor(30, 0.95), 3)
    1.061
    """
    if clusters < 2:
        return 1.0
    return float(
        sqrt(clusters / (clusters - 1))
        * critical_value(level, clusters - 1)
        / critical_value(level)
    )


def _logit(share: Matrix, rows: Vector) -> Matrix:
    """Compute the logit of a share of so many rows, with half a row added to either side.

    >>> _logit(np.array([0.0, 0.5]), np.array([9.0, 9.0])).round(3)
    array([-2.944,  0.   ])
    """
    inside = (rows * share + 0.5) / (rows + 1)
    return np.asarray(np.log(inside / (1 - inside)))


def _invert_logit(logit: Vector, rows: Vector) -> Vector:
    """Convert a logit back to its share, between 0 and 1.

    >>> _invert_logit(np.array([-1e4, 0.0, 1e4]), np.full(3, 9.0))
    array([0. , 0.5, 1. ])
    """
    with np.errstate(over="ignore"):  # an infinite denominator is a share of 0
        inside = 1 / (1 + np.exp(-logit))
    return np.asarray(np.clip(((rows + 1) * inside - 0.5) / rows, 0.0, 1.0))


def _compute_minimum_se(share: Vector, rows: Vector) -> Vector:
    """Compute the standard error of a logit from so many independent rows, shrunk towards 1/2."""
    inside = (rows * share + 2) / (rows + 4)
    return np.asarray(1 / np.sqrt(rows * inside * (1 - inside)))


def _extend_to_ends(low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """Limits where a rising curve has none of its own: those that its neighbours leave it."""
    known = np.flatnonzero(np.isfinite(low))
    if not len(known):
        return low, high
    first, last = known[0], known[-1]
    low[:first], high[:first] = 0.0, high[first]
    low[last + 1 :], high[last + 1 :] = low[last], 1.0
    return low, high
