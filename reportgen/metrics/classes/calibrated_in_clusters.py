"""Whether probabilities may be right where rows hang together: mean residuals of bins, by clusters.

Rows are put into bins by rising probability; what happened less what was said is summed in each bin
of each cluster. Clusters are independent, so that the sums over them have a covariance that needs
no law of the rows within one (Archer, Lemeshow and Hosmer 2007, doi:10.1016/j.csda.2006.07.006).
"""

from __future__ import annotations

from math import nan

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.effective import effective_rows

FEWEST = 10  # clusters
BINS = 5  # at most: more of them reject right probabilities too often
PER_BIN, RARER = 20, 40  # clusters, and rows of the rarer class, that a bin takes


def p_in_clusters(y: Vector, p: Vector, weight: Vector, unit: Index) -> float:
    """How often right probabilities are as far off, by Hotelling's F of the bins' residuals.

    `y` (n,) is 1 where it happened, `unit` (n,) the cluster of each row. nan under ten clusters, or
    where no residual varies between them.

    >>> y, unit = np.tile([1.0, 0.0], 40), np.repeat(np.arange(20), 4)
    >>> round(p_in_clusters(y, np.where(unit < 10, 0.45, 0.55), np.ones(80), unit), 3)
    1.0
    """
    use = weight > 0
    y, p, weight, unit = y[use], p[use], weight[use], np.unique(unit[use], return_inverse=True)[1]
    units = int(unit.max(initial=-1)) + 1
    if units < FEWEST:
        return nan
    fewer = min(effective_rows(weight[y > 0]), effective_rows(weight[y <= 0]))
    bins = max(1, min(BINS, units // PER_BIN, int(fewer // RARER)))
    place = _bins(p, weight, bins)
    sums = np.bincount(place * units + unit, weights=weight * (y - p), minlength=bins * units)
    return _hotelling(np.asarray(sums, dtype=np.float64).reshape(bins, units))


def _bins(p: Vector, weight: Vector, bins: int) -> Index:
    """The bin of each row: equal ones share it, and bins have the same variance promised."""
    values, code = np.unique(p, return_inverse=True)
    chance = np.clip(values, 0.0, 1.0)
    mass = np.bincount(code, weights=weight) * (chance * (1 - chance) + 1e-12)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    place: Index = np.minimum((middle * bins).astype(np.intp), bins - 1)
    return np.asarray(place[code])


def _hotelling(sums: Matrix) -> float:
    """Whether the mean of the columns of (g, n) sums is zero."""
    from scipy import special  # here, since a list of metrics must not wait

    kept = sums[np.ptp(sums, axis=1) > 0]
    g, n = kept.shape
    if not g or n <= g:
        return nan
    mean = kept.mean(axis=1)
    spread = np.atleast_2d(np.cov(kept))
    squared = n * float(mean @ np.linalg.pinv(spread, hermitian=True) @ mean)
    return float(special.fdtrc(g, n - g, (n - g) / (g * (n - 1)) * squared))
