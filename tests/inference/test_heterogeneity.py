"""Whether differences of groups are equal: against SciPy, by hand, and on equal groups."""

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.group_gaps import (
    GroupDifferences,
    compare_groups,
    estimate_contrast,
)


def groups_of(samples, correlation=None):
    sizes = np.array([float(len(x)) for x in samples])
    means = np.array([x.mean() for x in samples])
    errors = np.array([x.std(ddof=1) / np.sqrt(len(x)) for x in samples])
    return GroupDifferences(means, errors, sizes, sizes - 1, correlation)


def test_two_groups_of_one_spread_have_welchs_t_test():
    draw = np.random.default_rng(1)
    x = draw.normal(size=40)
    samples = [x, 0.3 + x[:25] * x.std(ddof=1) / x[:25].std(ddof=1)]  # the same standard deviation
    found = compare_groups(groups_of(samples))
    welch = stats.ttest_ind(*samples, equal_var=False)
    assert found.statistic == pytest.approx(welch.statistic**2)
    assert (found.df, found.error_df) == pytest.approx((1, welch.df))
    assert found.p_value == pytest.approx(welch.pvalue)


def test_several_groups_have_welchs_statistic_with_safe_errors():
    draw = np.random.default_rng(2)
    samples = [draw.normal(k / 10, 1 + k, size=20 + 10 * k) for k in range(4)]
    groups = groups_of(samples)
    n, v = groups.units, groups.errors**2 * groups.units
    pooled = np.sum((n - 1) * v) / np.sum(n - 1)
    w = n / np.maximum(v, (v + pooled) / 2)
    centre = np.sum(w * groups.values) / np.sum(w)
    lost = np.sum((1 - w / np.sum(w)) ** 2 / (n - 1))
    q = np.sum(w * (groups.values - centre) ** 2) / 3
    f = q / (1 + 2 * 2 / 15 * lost)
    found = compare_groups(groups)
    assert found.statistic == pytest.approx(f)
    assert found.p_value == pytest.approx(stats.f.sf(f, 3, 15 / (3 * lost)))


def test_groups_that_share_clusters_have_hotellings_test():
    # Each of 30 clusters has a value in each of three groups: T² of the contrasts of its means
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(30, 3)) + draw.normal(size=(30, 1)) + [0, 0.4, 0]
    spread = np.cov(rows.T) / 30
    errors = np.sqrt(np.diag(spread))
    variance = errors**2
    groups = GroupDifferences(
        rows.mean(axis=0),
        errors,
        np.full(3, 30.0),
        np.full(3, 29.0),
        spread / np.outer(errors, errors),
    )
    step = np.array([[-1.0, 1, 0], [0, -1, 1]])
    safe = np.sqrt(np.maximum(variance, (variance + variance.mean()) / 2))
    inner = step @ (groups.correlation * np.outer(safe, safe)) @ step.T
    apart = step @ groups.values
    t2 = apart @ np.linalg.inv(inner) @ apart
    f = (30 - 2) / (2 * 29) * t2
    found = compare_groups(groups)
    assert found.statistic == pytest.approx(f)
    assert found.p_value == pytest.approx(stats.f.sf(f, 2, 28))


def test_a_contrast_of_two_groups_is_their_difference():
    draw = np.random.default_rng(4)
    samples = [draw.normal(size=30), draw.normal(0.5, 2, size=50)]
    found = estimate_contrast(groups_of(samples), np.array([-1.0, 1.0]))
    welch = stats.ttest_ind(samples[1], samples[0], equal_var=False)
    assert found.value == pytest.approx(samples[1].mean() - samples[0].mean())
    assert (found.df, found.p_value) == pytest.approx((welch.df, welch.pvalue))
    assert found.compute_limits(0.95) == pytest.approx(tuple(welch.confidence_interval(0.95)))


@pytest.mark.parametrize(
    "groups",
    [
        groups_of([np.arange(12.0)]),
        GroupDifferences(np.ones(2), np.zeros(2), np.full(2, 10.0), np.full(2, 9.0)),
        # three groups of two clusters leave no degree of freedom
        GroupDifferences(np.arange(3.0), np.ones(3), np.full(3, 2.0), np.ones(3), np.eye(3)),
    ],
)
def test_where_too_little_is_known_nothing_is_tested(groups):
    assert compare_groups(groups) is None


@pytest.mark.parametrize("law", ["normal", "skewed", "unequal"])
@pytest.mark.parametrize("k", [2, 5, 50])
def test_equal_groups_are_seldom_said_to_differ(law, k):
    # 600 samples: three errors of a share of 5% are 2.7 points
    rejected = 0
    for seed in range(600):
        draw = np.random.default_rng([k, seed])
        samples = []
        for group in range(k):
            n = 30 if group % 2 else 60
            x = draw.lognormal(size=n) - np.exp(0.5) if law == "skewed" else draw.normal(size=n)
            samples.append(x * (3 if law == "unequal" and group % 2 else 1))
        rejected += compare_groups(groups_of(samples)).p_value < 0.05
    assert rejected / 600 <= 0.077


def test_a_segment_that_differs_is_found():
    # six standard errors away: found in nearly every sample
    found = 0
    for seed in range(200):
        draw = np.random.default_rng([9, seed])
        samples = [draw.normal(1.2 if group == 0 else 0, 1, size=30) for group in range(5)]
        found += compare_groups(groups_of(samples)).p_value < 0.05
    assert found > 180
