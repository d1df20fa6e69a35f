"""Data that the tests of curves share, and the slow truth that fast sums are held to."""

import numpy as np

from reportgen.kernels.batch import Batch
from reportgen.metrics.rows import Amounts

# The example of Hernández-Orallo (2013), "ROC curves for regression", Example 1 and on.
PAPER_Y = np.array([0.211, 2.725, 1.933, 3.242, 7.858, 6.061, 7.173, 3.082, 0.894, 1.203])
PAPER_SCORES = {
    "m1": np.array([-0.082, 3.323, 2.32, 1.08, 7.893, 4.983, 5.121, 3.442, 2.083, 1.112]),
    "m2": np.array([0.786, 2.078, 0.587, 1.676, 9.052, 5.875, 6.885, 3.038, 4.097, 0.308]),
    "m3": np.array([1.253, 4.232, 1.734, 5.325, 6.842, 9.325, 8.232, 3.525, 1.352, 1.778]),
    "m4": np.array([0.123, 1.221, 1.845, 4.573, 8.558, 7.392, 5.669, 1.578, 0.806, 1.245]),
}

# Forty rows without ties, and how many rows each agrees with, counted pair by pair.
FORTY_Y = np.array(
    [
        0.441227,
        -0.33087,
        2.430771,
        -0.252092,
        0.10961,
        1.582481,
        -0.909232,
        -0.591637,
        0.187603,
        -0.32987,
        -1.192765,
        -0.204877,
        -0.358829,
        0.603472,
        -1.664789,
        -0.700179,
        1.151391,
        1.857331,
        -1.51118,
        0.644848,
        -0.980608,
        -0.856853,
        -0.871879,
        -0.422508,
        0.99644,
        0.712421,
        0.059144,
        -0.363311,
        0.003289,
        -0.10593,
        0.793053,
        -0.631572,
        -0.006195,
        -0.101068,
        -0.052308,
        0.249218,
        0.19766,
        1.334849,
        -0.086876,
        1.561532,
    ]
)
FORTY_SCORE = np.array(
    [
        -0.041117,
        -0.676254,
        1.559201,
        0.204183,
        0.335378,
        2.241452,
        0.593804,
        0.139458,
        -0.223774,
        -0.298536,
        0.697739,
        0.098328,
        -1.526071,
        -0.327482,
        -1.576386,
        0.732097,
        0.583671,
        3.374505,
        -0.250088,
        0.511715,
        -1.024069,
        0.458067,
        -0.763839,
        -1.077628,
        1.165997,
        0.440211,
        1.224547,
        -0.29158,
        -2.857715,
        0.725808,
        -1.401909,
        1.159813,
        1.817648,
        -0.487672,
        -1.196087,
        -1.247543,
        0.991251,
        0.598791,
        -0.650485,
        0.6935,
    ]
)
FORTY_C = np.array(
    [
        24,
        27,
        36,
        24,
        26,
        38,
        15,
        19,
        24,
        24,
        12,
        23,
        27,
        20,
        38,
        15,
        30,
        38,
        25,
        29,
        31,
        18,
        30,
        25,
        34,
        28,
        25,
        22,
        17,
        22,
        10,
        14,
        23,
        22,
        18,
        14,
        27,
        31,
        22,
        31,
    ]
)


def paper(model):
    return Amounts(PAPER_Y, PAPER_SCORES[model])


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
    return Amounts(y, np.round(y + random.normal(size=n)))


def smooth_rows(n=60, seed=1):
    """Rows without a tie."""
    random = np.random.default_rng(seed)
    y = random.normal(size=n)
    return Amounts(y, y + random.normal(size=n))


def uneven(n, seed=2):
    """Weights that are no whole numbers."""
    return np.random.default_rng(seed).exponential(1, n)


def resamples(n, lanes=5, weight=None, seed=3):
    """Weightings as a bootstrap draws them."""
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=lanes)
    return Batch(draws.T.astype(np.uint8), weight)
