"""Data that the tests of curves share, and the slow truth that fast sums are held to."""

import numpy as np

from reportgen.kernels.batch import Batch, Rows

# The example of Hernández-Orallo (2013), "ROC curves for regression", Example 1 and on.
PAPER_Y = np.array([0.211, 2.725, 1.933, 3.242, 7.858, 6.061, 7.173, 3.082, 0.894, 1.203])
PAPER_SCORES = {
    "m1": np.array([-0.082, 3.323, 2.32, 1.08, 7.893, 4.983, 5.121, 3.442, 2.083, 1.112]),
    "m2": np.array([0.786, 2.078, 0.587, 1.676, 9.052, 5.875, 6.885, 3.038, 4.097, 0.308]),
    "m3": np.array([1.253, 4.232, 1.734, 5.325, 6.842, 9.325, 8.232, 3.525, 1.352, 1.778]),
    "m4": np.array([0.123, 1.221, 1.845, 4.573, 8.558, 7.392, 5.669, 1.578, 0.806, 1.245]),
}


def paper(model):
    return Rows(PAPER_Y, PAPER_SCORES[model])


def article_scores():
    """The three scores of an article on ranking metrics for regression, by its own code."""
    seeds = np.random.RandomState(42).randint(low=0, high=2**32 - 1, size=4)
    y = np.random.RandomState(seeds[0]).normal(size=1_000)
    first = np.exp(3 + y) + np.random.RandomState(seeds[1]).normal(size=len(y))
    second = 3 * y + np.random.RandomState(seeds[2]).normal(size=len(y))
    return y, (first, second, np.random.RandomState(seeds[3]).normal(size=1_000))


def tied_rows(n=60, seed=1):
    """Rows with ties in y and in the score, and zeros in y."""
    random = np.random.default_rng(seed)
    y = np.maximum(np.round(random.normal(size=n), 1), 0)
    return Rows(y, np.round(y + random.normal(size=n)))


def smooth_rows(n=60, seed=1):
    """Rows without a tie."""
    random = np.random.default_rng(seed)
    y = random.normal(size=n)
    return Rows(y, y + random.normal(size=n))


def uneven(n, seed=2):
    """Weights that are no whole numbers."""
    return np.random.default_rng(seed).exponential(1, n)


def resamples(n, lanes=5, weight=None, seed=3):
    """Weightings as a bootstrap draws them."""
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=lanes)
    return Batch(draws.T.astype(np.uint8), weight)
