"""The variances of Kendall's τ without ties stand in exact relations to each other.

c_i counts the rows that row i agrees with, V is the sum of squares of the influence values of τ.
Noether's variance is V − 2(1 − τ²)/(n(n − 1)), Hollander and Wolfe's
(n − 2)/(n − 1)·V + 2(1 − τ²)/(n(n − 1)), that of the concordance in R's survival V/4.
"""

import numpy as np
import pytest

from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves.concordance import compute_concordances
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import FORTY_SCORE, FORTY_Y

DRAW = np.random.default_rng(8)
NOISY = DRAW.normal(size=73)
SAMPLES = {
    "forty": Amounts(FORTY_Y, FORTY_SCORE),
    "noisy": Amounts(NOISY, NOISY + DRAW.normal(size=73)),
    "turned": Amounts(NOISY[:20], -NOISY[:20] + DRAW.normal(size=20)),
}


def evidence(rows, metric):
    bound, one = METRICS[metric].bind(rows), np.ones(len(rows))
    return SamplingDistribution(
        value=float(bound(Batch.from_weights(one))[0]),
        replicates=np.empty(0),
        estimand=bound.statistic.estimand,
        bounds=bound.statistic.bounds,
        n=len(rows),
        units=len(rows),
        influence=bound.influence(one) / len(rows),
    )


def variance(rows, method, metric="kendall_a"):
    found = compute_interval(evidence(rows, metric), method, 0.95)
    assert found.method == method
    return found.se**2


@pytest.fixture(params=list(SAMPLES))
def rows(request):
    return SAMPLES[request.param]


@pytest.fixture
def agreed(rows):
    return compute_concordances(rows, Batch.from_weights(np.ones(len(rows))))[:, 0]


def test_noethers_variance_is_that_of_the_counts(rows, agreed):
    n = len(rows)
    bracket = 2 * (agreed**2).sum() - agreed.sum() - (2 * n - 3) / (n * (n - 1)) * agreed.sum() ** 2
    assert variance(rows, "noether") == pytest.approx(8 / (n * (n - 1)) ** 2 * bracket, rel=1e-9)


def test_v_is_the_spread_of_the_counts(rows, agreed):
    n = len(rows)
    v = 16 * ((agreed - agreed.mean()) ** 2).sum() / (n * (n - 1)) ** 2
    assert variance(rows, "influence") == pytest.approx(v, rel=1e-9)


def test_both_formulas_are_v_and_what_the_pairs_themselves_add(rows):
    n, tau = len(rows), evidence(rows, "kendall_a").value
    v, pairs = variance(rows, "influence"), 2 * (1 - tau**2) / (n * (n - 1))
    assert variance(rows, "noether") == pytest.approx(v - pairs, rel=1e-9)
    expected = (n - 2) / (n - 1) * v + pairs
    assert variance(rows, "hollander-wolfe") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("metric", ["regression_auc", "tau_tilde"])
def test_the_concordance_has_a_quarter_of_v(rows, metric):
    quarter = variance(rows, "influence") / 4
    assert variance(rows, "influence", metric) == pytest.approx(quarter, rel=1e-9)


def test_forty_rows_have_the_variances_that_were_computed_by_hand():
    rows = SAMPLES["forty"]
    assert variance(rows, "noether") == pytest.approx(0.011949147827846056, abs=1e-12)
    assert variance(rows, "hollander-wolfe") == pytest.approx(0.014010881842242787, abs=1e-12)
