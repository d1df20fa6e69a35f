"""The test of probabilities where rows hang together: its level, and beside Hotelling by hand."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, ndtr

from reportgen.metrics.classification.calibration_tests import hotelling_p_value


def sample(rng, clusters, rows, shift=0.0):
    """Outcomes of right probabilities that hang together within clusters, or of shifted ones."""
    unit = np.repeat(np.arange(clusters), rows)
    p = expit(-1 + rng.normal(size=len(unit)) + rng.normal(size=clusters)[unit])
    deep = (rng.normal(size=clusters)[unit] + rng.normal(size=len(unit))) / np.sqrt(2)
    return (ndtr(deep) < p) * 1.0, np.clip(p + shift, 0.001, 0.999), unit


def test_right_probabilities_in_clusters_are_seldom_rejected():
    """Of 400 samples 1% are 4, and 10 are more in one of 100 studies; 5% are 20, and 32."""
    rng = np.random.default_rng(2)
    found = [
        hotelling_p_value(*sample(rng, 40, 10)[:2], np.ones(400), np.repeat(np.arange(40), 10))
        for _ in range(400)
    ]
    assert np.sum(np.array(found) < 0.01) <= 12
    assert np.sum(np.array(found) < 0.05) <= 34


def test_probabilities_that_are_too_high_are_found():
    y, p, unit = sample(np.random.default_rng(3), 60, 20, 0.12)
    assert hotelling_p_value(y, p, np.ones(len(y)), unit) < 0.001


def test_one_bin_is_students_t_of_the_clusters():
    y, p, unit = sample(np.random.default_rng(4), 15, 8)
    weight = np.random.default_rng(5).random(len(y))
    residual = np.bincount(unit, weights=weight * (y - p))
    expected = stats.ttest_1samp(residual, 0.0).pvalue
    assert hotelling_p_value(y, p, weight, unit) == pytest.approx(expected)


def test_few_clusters_have_no_test():
    y, p, unit = sample(np.random.default_rng(4), 9, 30)
    assert np.isnan(hotelling_p_value(y, p, np.ones(len(y)), unit))
    assert np.isnan(hotelling_p_value(y, y, np.ones(len(y)), np.arange(len(y))))  # nothing varies
