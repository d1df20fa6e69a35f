"""Several models on several datasets: rank tests, signed ranks, random effects."""

from __future__ import annotations

from functools import lru_cache
from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from reportgen.kernels.batch import Matrix, Vector
from reportgen.records import record
from reportgen.results.types import FEWEST_DATASETS

FEWEST_FOR_RANK_TESTS = FEWEST_DATASETS  # under which no p-value can be small, and none is given
DRAWS = 50_000
STEP = 500  # of the draws taken at once
DIGITS = 10  # beyond which numbers that are made of others are rounding


@record
class OmnibusTest:
    """Result of testing k models for any difference: mean ranks (k,), 1 the best, and two tests."""

    mean_ranks: Vector
    chi_squared: float
    p_chi_squared: float
    f: float
    p_f: float


@record
class SignedRankPosterior:
    """Probabilities that the next difference lies below, within or above the `rope`."""

    below: float
    within: float
    above: float


def rank_models(values: Matrix, is_higher_better: bool) -> Matrix:
    """Rank each model on each data set, (n, k), 1 the best; ties share their mean.

    >>> rank_models(np.array([[0.9, 0.8, 0.9]]), True)
    array([[1.5, 3. , 1.5]])
    """
    signed = -values if is_higher_better else values
    below = (signed[:, None, :] < signed[:, :, None]).sum(axis=2)
    same = (signed[:, None, :] == signed[:, :, None]).sum(axis=2)
    return np.asarray(below + (same + 1) / 2)


def friedman_test(values: Matrix, is_higher_better: bool) -> OmnibusTest:
    """Friedman's test of (n, k) values, corrected for ties, and Iman and Davenport's F from it."""
    each = rank_models(values, is_higher_better)
    n, k = each.shape
    mean = each.mean(axis=0)
    spread = float(((each - (k + 1) / 2) ** 2).sum())
    if n < 2 or k < 2 or not spread > 0:
        return OmnibusTest(mean, nan, nan, nan, nan)
    chi = float(n**2 * (k - 1) * ((mean - (k + 1) / 2) ** 2).sum() / spread)
    p = float(special.chdtrc(k - 1, chi))
    rest = n * (k - 1) - chi
    f = (n - 1) * chi / rest if rest > 1e-12 else inf
    p_f = float(special.fdtrc(k - 1, (k - 1) * (n - 1), f)) if isfinite(f) else 0.0
    return OmnibusTest(mean, chi, p, f, p_f)


def critical_distance(models: int, datasets: int, level: float) -> float:
    """Return how far mean ranks of two of several models must lie apart, by Nemenyi's test.

    (Demšar 2006, who has 1.25 for four models on 14 data sets at 95%.)

    >>> round(critical_distance(4, 14, 0.95), 2)
    1.25
    """
    from scipy import stats  # takes long to import, and few reports ask for it

    spread = float(stats.studentized_range.ppf(level, models, inf)) / sqrt(2)
    return spread * sqrt(models * (models + 1) / (6 * datasets))


def find_cliques(mean_ranks: Vector, are_apart: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Find runs of neighbours in mean rank of which no two differ, (k, k) flags; the longest only.

    >>> find_cliques(np.array([1.0, 2.0, 3.0]), np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]]) > 0)
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


def compute_differences(first: Vector, second: Vector) -> Vector:
    """First − second on each data set, to ten digits of the two.

    So equal differences of decimals are equal, and those of equal numbers are zero: signed ranks
    hang on either.

    >>> compute_differences(np.array([0.93, 0.3, 0.1]), np.array([0.91, 0.28, 0.1])).tolist()
    [0.02, 0.02, 0.0]
    """
    return _round_to_digits(first - second, np.maximum(np.abs(first), np.abs(second)))


def _round_to_digits(values: Vector, sizes: Vector) -> Vector:
    """Round to the nearest decimals with as many digits as sizes of that order have."""
    of = np.where((sizes > 0) & np.isfinite(sizes), sizes, 1.0)
    scale = 10.0 ** np.clip(DIGITS - np.ceil(np.log10(of)), -290, 290)
    return np.asarray(np.rint(values * scale) / scale)


def wilcoxon_p_value(differences: Vector) -> float:
    """Compute the exact two-sided p-value of Wilcoxon's signed ranks; nan under six data sets.

    Ties share their ranks; zeros are ranked, too, and count half to either side (Pratt 1959, split
    as Demšar 2006 does). The distribution is that of all signs of the others.
    """
    known = differences[np.isfinite(differences)]
    if len(known) < FEWEST_FOR_RANK_TESTS:
        return nan
    size = np.abs(known)
    doubled = 2 * (size[:, None] > size).sum(axis=1) + (size[:, None] == size).sum(axis=1) + 1
    signed = doubled[known != 0]
    if not len(signed):
        return 1.0
    above = int(doubled[known > 0].sum())
    chance = _compute_rank_sum_chances(tuple(sorted(signed.tolist())))
    tails = chance[: above + 1].sum(), chance[above:].sum()
    return float(min(1.0, 2 * min(tails)))


def walsh_averages(differences: Vector) -> Vector:
    """Compute the means of all pairs of differences, each with itself too, ascending."""
    first, second = np.triu_indices(len(differences))
    return np.sort(_means(differences[first], differences[second]))


def _means(first: Vector, second: Vector) -> Vector:
    means = (first + second) / 2
    return _round_to_digits(means, np.abs(means))


def hodges_lehmann(differences: Vector) -> float:
    """Compute the median of the means of all pairs: the centre that signed ranks are about.

    >>> hodges_lehmann(np.array([1.0, 2.0, 6.0]))
    2.75
    """
    return float(np.median(walsh_averages(differences))) if len(differences) else nan


def hodges_lehmann_limits(differences: Vector, level: float) -> tuple[float, float]:
    """Return limits of centres that the exact signed-rank test does not reject; infinite if all."""
    n = len(differences)
    if n == 0:
        return nan, nan
    chance = np.cumsum(_compute_rank_sum_chances(tuple(range(1, n + 1))))
    # The largest k with P(W < k) ≤ α/2 leaves k − 1 means out on each side.
    k = int(np.searchsorted(chance, (1 - level) / 2, side="right"))
    if k < 1:
        return -inf, inf
    means = walsh_averages(differences)
    return float(means[k - 1]), float(means[len(means) - k])


def signed_rank_posterior(differences: Vector, rope: float, seed: int) -> SignedRankPosterior:
    """Run the Bayesian signed-rank test: a Dirichlet process with half a data set at 0 as prior.

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
    return SignedRankPosterior(float(share[0]), float(share[1]), float(share[2]))


@lru_cache(maxsize=256)
def _compute_rank_sum_chances(ranks: tuple[int, ...]) -> Vector:
    """Compute the chance of each sum of ranks above zero, each above with a chance of one half."""
    chance = np.zeros(sum(ranks) + 1)
    chance[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(chance)
        moved[rank:] = chance[: len(chance) - rank]
        chance = (chance + moved) / 2
    return chance


FEWEST_STUDIES = 3  # data sets under which the next one cannot be foretold
SPREADS = 400  # values of tau² that stand for all
HALVINGS = 60
Flags = NDArray[np.bool_]


@record
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


def fit_random_effects(differences: Vector, errors: Vector, level: float) -> RandomEffects | None:
    """Pool differences (n,) with standard errors (n,); return None where one is 0 or unknown.

    >>> found = fit_random_effects(np.array([1.0, 2.0, 6.0]), np.array([0.1, 0.1, 0.1]), 0.95)
    >>> round(found.mean, 3), round(found.tau, 3)
    (3.0, 2.644)
    """
    n = len(differences)
    is_known = np.isfinite(differences).all() and np.isfinite(errors).all()
    if n < FEWEST_STUDIES or not is_known or not (errors > 0).all():
        return None
    squared = paule_mandel(differences, errors**2)
    weight = 1 / (errors**2 + squared)
    mean = float(weight @ differences / weight.sum())
    scale = float(weight @ (differences - mean) ** 2) / (n - 1)
    se = sqrt(max(scale, 1.0) / float(weight.sum()))
    half = float(special.stdtrit(n - 1, (1 + level) / 2)) * se
    low, high = mean - half, mean + half
    # The mean allows for errors that are larger than told, and the next is no surer than it.
    next_low, next_high = prediction_limits(differences, errors**2, level)
    ends = min(next_low, low), max(next_high, high)
    return RandomEffects(mean, low, high, sqrt(squared), *ends)


def paule_mandel(differences: Vector, variances: Vector) -> float:
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
    from scipy.optimize import brentq  # here, since only several datasets need it

    return float(brentq(excess, 0.0, most, xtol=1e-300, rtol=1e-14))


def prediction_limits(differences: Vector, variances: Vector, level: float) -> tuple[float, float]:
    """Limits of the true difference on another data set."""
    shares = (np.arange(SPREADS) + 0.5) / SPREADS
    squared = profile_tau2(differences, variances, shares)
    weight = 1 / (variances + squared[:, None])
    total = weight.sum(axis=1)
    mean, spread = weight @ differences / total, np.sqrt(squared + 1 / total)

    def beyond(x: float, share: float) -> float:
        return float(special.ndtr((x - mean) / spread).mean()) - share

    low, high = (1 - level) / 2, (1 + level) / 2
    reach = -float(special.ndtri(low / SPREADS)) * spread
    ends = float((mean - reach).min()), float((mean + reach).max())
    from scipy.optimize import brentq

    found = [float(brentq(beyond, *ends, args=(p,), xtol=1e-300, rtol=1e-12)) for p in (low, high)]
    return found[0], found[1]


def profile_tau2(differences: Vector, variances: Vector, shares: Vector) -> Vector:
    """tau² above which it lies in so many of all samples, (m,): limits of it by profiling Q.

    >>> y, errors = np.array([1.0, 2.0, 6.0]), np.full(3, 0.1)
    >>> profile_tau2(y, errors**2, np.array([0.025, 0.975])).round(3)
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
