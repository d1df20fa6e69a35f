"""Several models on several data sets: the data set is the unit, and there are few of them.

Nothing is taken to be Normal. Two models are compared by the signs and ranks of their differences
(Wilcoxon's signed ranks, exact, with the interval that goes with them), all of them by their ranks
on each data set (Friedman 1937; Iman and Davenport 1980, doi:10.1080/03610928008827904).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from reportgen.kernels.batch import Matrix, Vector
from reportgen.results.literals import FEWEST_DATASETS

FEWEST = FEWEST_DATASETS  # under which no p-value can be small, and none is given
DRAWS = 50_000
STEP = 500  # of the draws taken at once
DIGITS = 10  # beyond which numbers that are made of others are rounding


@dataclass(frozen=True)
class Omnibus:
    """Whether any of k models differs: the mean rank of each (k,), 1 the best, and two tests."""

    mean_ranks: Vector
    chi_squared: float
    p_chi_squared: float
    f: float
    p_f: float


@dataclass(frozen=True)
class Posterior:
    """How probable it is that the next difference is below, within or above what matters."""

    below: float
    within: float
    above: float


def ranks(values: Matrix, is_higher_better: bool) -> Matrix:
    """The rank of each model on each data set, (n, k), 1 the best, those that tie their mean.

    >>> ranks(np.array([[0.9, 0.8, 0.9]]), True)
    array([[1.5, 3. , 1.5]])
    """
    signed = -values if is_higher_better else values
    below = (signed[:, None, :] < signed[:, :, None]).sum(axis=2)
    same = (signed[:, None, :] == signed[:, :, None]).sum(axis=2)
    return np.asarray(below + (same + 1) / 2)


def omnibus(values: Matrix, is_higher_better: bool) -> Omnibus:
    """Friedman's test of (n, k) values, corrected for ties, and Iman and Davenport's F from it."""
    each = ranks(values, is_higher_better)
    n, k = each.shape
    mean = each.mean(axis=0)
    spread = float(((each - (k + 1) / 2) ** 2).sum())
    if n < 2 or k < 2 or not spread > 0:
        return Omnibus(mean, nan, nan, nan, nan)
    chi = float(n**2 * (k - 1) * ((mean - (k + 1) / 2) ** 2).sum() / spread)
    p = float(special.chdtrc(k - 1, chi))
    rest = n * (k - 1) - chi
    f = (n - 1) * chi / rest if rest > 1e-12 else inf
    p_f = float(special.fdtrc(k - 1, (k - 1) * (n - 1), f)) if isfinite(f) else 0.0
    return Omnibus(mean, chi, p, f, p_f)


def critical_distance(models: int, datasets: int, level: float) -> float:
    """How far mean ranks of two of several models must lie apart, by Nemenyi's test.

    (Demšar 2006, who has 1.25 for four models on 14 data sets at 95%.)

    >>> round(critical_distance(4, 14, 0.95), 2)
    1.25
    """
    from scipy import stats  # takes long to import, and few reports ask for it

    spread = float(stats.studentized_range.ppf(level, models, inf)) / sqrt(2)
    return spread * sqrt(models * (models + 1) / (6 * datasets))


def cliques(mean_ranks: Vector, are_apart: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Runs of neighbours in mean rank of which no two are apart, (k, k) flags; the longest only.

    >>> cliques(np.array([1.0, 2.0, 3.0]), np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]]) > 0)
    [(0, 1), (1, 2)]
    """
    order = [int(place) for place in np.argsort(mean_ranks, kind="stable")]
    found: list[tuple[int, ...]] = []
    last = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not are_apart[order[end], order[start:end]].any():
            end += 1
        if end - start > 1 and end > last:
            found.append(tuple(order[start:end]))
            last = end
    return found


def differences_of(first: Vector, second: Vector) -> Vector:
    """First − second on each data set, to ten digits of the two.

    So equal differences of decimals are equal, and those of equal numbers are zero: signed ranks
    hang on either.

    >>> differences_of(np.array([0.93, 0.3, 0.1]), np.array([0.91, 0.28, 0.1])).tolist()
    [0.02, 0.02, 0.0]
    """
    return _to_digits(first - second, np.maximum(np.abs(first), np.abs(second)))


def _to_digits(values: Vector, sizes: Vector) -> Vector:
    """The nearest decimals with as many digits as sizes of that order have."""
    of = np.where((sizes > 0) & np.isfinite(sizes), sizes, 1.0)
    scale = 10.0 ** np.clip(DIGITS - np.ceil(np.log10(of)), -290, 290)
    return np.asarray(np.rint(values * scale) / scale)


def signed_rank_p(differences: Vector) -> float:
    """The exact two-sided p-value of Wilcoxon's signed ranks; nan under six data sets.

    Ties share their ranks; zeros are ranked, too, and count half to either side (Pratt 1959, split
    as Demšar 2006 does). The distribution is that of all signs of the others.
    """
    known = differences[np.isfinite(differences)]
    if len(known) < FEWEST:
        return nan
    size = np.abs(known)
    doubled = 2 * (size[:, None] > size).sum(axis=1) + (size[:, None] == size).sum(axis=1) + 1
    signed = doubled[known != 0]
    if not len(signed):
        return 1.0
    above = int(doubled[known > 0].sum())
    chance = _sums_of_signs(tuple(sorted(signed.tolist())))
    tails = chance[: above + 1].sum(), chance[above:].sum()
    return float(min(1.0, 2 * min(tails)))


def walsh(differences: Vector) -> Vector:
    """The means of all pairs of differences, each with itself too, ascending."""
    first, second = np.triu_indices(len(differences))
    return np.sort(_means(differences[first], differences[second]))


def _means(first: Vector, second: Vector) -> Vector:
    means = (first + second) / 2
    return _to_digits(means, np.abs(means))


def hodges_lehmann(differences: Vector) -> float:
    """The median of the means of all pairs: the centre that signed ranks are about.

    >>> hodges_lehmann(np.array([1.0, 2.0, 6.0]))
    2.75
    """
    return float(np.median(walsh(differences))) if len(differences) else nan


def signed_rank_limits(differences: Vector, level: float) -> tuple[float, float]:
    """The centres that the exact signed-rank test does not reject; infinite where none is."""
    n = len(differences)
    if n == 0:
        return nan, nan
    chance = np.cumsum(_sums_of_signs(tuple(range(1, n + 1))))
    # The largest k with P(W < k) ≤ α/2 leaves k − 1 means out on each side.
    k = int(np.searchsorted(chance, (1 - level) / 2, side="right"))
    if k < 1:
        return -inf, inf
    means = walsh(differences)
    return float(means[k - 1]), float(means[len(means) - k])


def signed_rank_posterior(differences: Vector, rope: float, seed: int) -> Posterior:
    """The Bayesian signed-rank test: a Dirichlet process with half a data set at 0 before.

    (Benavoli et al. 2014, ICML; 50,000 seeded draws.) `rope` is the half width of what does not
    matter.
    """
    each = np.append(differences, 0.0)
    pairs = _means(each[:, None], each)
    above, below = ((pairs > rope).astype(float), (pairs < -rope).astype(float))
    draw = np.random.default_rng(seed)
    prior = np.append(np.ones(len(differences)), 0.5)
    wins = np.zeros(3)
    for _ in range(DRAWS // STEP):
        weight = draw.dirichlet(prior, STEP)
        up = np.einsum("bi,ij,bj->b", weight, above, weight, optimize=True)
        down = np.einsum("bi,ij,bj->b", weight, below, weight, optimize=True)
        each_draw = np.stack([down, 1 - up - down, up], axis=1)
        wins += np.bincount(each_draw.argmax(axis=1), minlength=3)
    share = wins / DRAWS
    return Posterior(float(share[0]), float(share[1]), float(share[2]))


@lru_cache(maxsize=256)
def _sums_of_signs(ranks: tuple[int, ...]) -> Vector:
    """The chance of each sum of the ranks that are above, each so with one half."""
    chance = np.zeros(sum(ranks) + 1)
    chance[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(chance)
        moved[rank:] = chance[: len(chance) - rank]
        chance = (chance + moved) / 2
    return chance
