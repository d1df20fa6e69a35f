"""The cost averaged over asymmetries is the integral of the expected cost, by scipy."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.lookup import find_metric
from reportgen.metrics.rows import Amounts

WEIGHTS = (
    {"weighting": "uniform"},
    {"weighting": "beta"},
    {"weighting": "beta", "a": 8.0, "b": 2.0},
    {"weighting": "beta", "a": 0.7, "b": 1.5},
)


def rows(seed, n=23):
    draw = np.random.default_rng(seed)
    y = np.round(draw.gamma(2.0, 5.0, n), 1 if seed % 2 else 6)
    return Amounts(y, np.round(y + draw.normal(1, 4, n))), np.round(draw.exponential(1, n) + 0.2, 1)


def integral(data, weight, shift, weighting, a=2.0, b=2.0):
    """Piece by piece between the α at which another row is the best constant."""
    density = stats.beta(1, 1) if weighting == "uniform" else stats.beta(a, b)

    def cost(alpha):
        metric = find_metric("expected_cost", alpha=float(alpha), shift=shift)
        return metric.bind(data).define(weight) * density.pdf(alpha)

    order = np.argsort(-data.error.values)
    cuts = np.concatenate([[0.0], np.cumsum(weight[order]) / weight.sum()])
    cuts = np.unique(np.minimum(cuts, 1.0))
    return sum(integrate.quad(cost, *ends, limit=200)[0] for ends in pairwise(cuts))


@pytest.mark.parametrize("shift", ["none", "optimal"])
@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_the_integral_of_the_expected_cost(seed, weighting, shift):
    data, weight = rows(seed)
    bound = METRICS["mean_cost"].use(shift=shift, **weighting).bind(data)
    found = bound.define(weight)
    assert found == pytest.approx(integral(data, weight, shift, **weighting), rel=1e-6)
    assert bound(Batch.from_weights(weight))[0] == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_evenly_it_is_the_area_under_the_cost_curve(seed):
    data, weight = rows(seed)
    area = CURVES["cost"].use(shift="optimal").bind(data, weight).trace(weight).marks["area"]
    assert METRICS["mean_cost"].use(shift="optimal").bind(data).define(weight) == pytest.approx(
        area
    )


def test_a_constant_added_to_all_scores_changes_nothing_once_the_best_is_added():
    data, weight = rows(3)
    metric = METRICS["mean_cost"].use(shift="optimal", weighting="beta", a=3.0)
    moved = Amounts(data.y.values, data.score.values + 1e6)
    assert metric.bind(moved).define(weight) == pytest.approx(
        metric.bind(data).define(weight), rel=1e-8
    )


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_weight_that_is_none_is_refused(name):
    said = METRICS["mean_cost"].check(
        **{"weighting": "beta", "a": 2.0, "b": 2.0, "shift": "none", name: 0.0}
    )
    assert said == f"{name} is 0.0, but must be between 0.01 and 1000"
