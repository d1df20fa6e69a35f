"""Small evidence with known answers: a mean, a proportion, a correlation, and their differences."""

import numpy as np

from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.metrics.traits import find_estimand

INF = float("inf")


def counts(n, draws, seed=1):
    """Multinomial multiplicities, shape (draws, n)."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)


def mean_of(losses, draws=1999, bounds=(0.0, INF), seed=1, **more):
    """Evidence of a mean of losses, with everything that is known of it."""
    n = len(losses)
    m = counts(n, draws, seed)
    replicates = m @ losses / n
    variance = m @ losses**2 / n - replicates**2
    return SamplingDistribution(
        value=float(losses.mean()),
        replicates=replicates,
        estimand=find_estimand(more.pop("estimand", "mean")),
        bounds=bounds,
        n=n,
        units=n,
        influence=(losses - losses.mean()) / n,
        contributions=losses / n,
        **more,
    ), np.sqrt(np.maximum(variance, 0) / n)


def plain(value, replicates, estimand="smooth", bounds=(-INF, INF), n=100, **more):
    """Evidence from given replicates alone."""
    return SamplingDistribution(
        value=value,
        replicates=np.asarray(replicates, float),
        estimand=find_estimand(estimand),
        bounds=bounds,
        n=n,
        units=more.pop("units", n),
        **more,
    )


def auc_of(y, score, draws=999, seed=1):
    """Evidence of the area under a ROC curve, by the pairs themselves."""
    above = (score[:, None] > score) + 0.5 * (score[:, None] == score)
    positive = y == 1
    pairs = above[positive][:, ~positive]
    value = float(pairs.mean())
    m = counts(len(y), draws, seed)
    up, down = m[:, positive], m[:, ~positive]
    replicates = np.einsum("bi,ij,bj->b", up, pairs, down) / (up.sum(1) * down.sum(1))
    influence = np.empty(len(y))
    influence[positive] = (pairs.mean(axis=1) - value) / positive.sum()
    influence[~positive] = (pairs.mean(axis=0) - value) / (~positive).sum()
    return SamplingDistribution(
        value=value,
        replicates=replicates,
        estimand=find_estimand("share of pairs"),
        bounds=(0.0, 1.0),
        n=len(y),
        units=len(y),
        influence=influence,
        positives=positive,
    )
