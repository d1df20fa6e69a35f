"""Statistics that a decision on costs rests on, held to their slow definitions."""

import numpy as np
import pytest

from reportgen.analysis.costs.cost_model import compute_positions, cost_statistic_at
from reportgen.kernels.batch import Batch
from reportgen.metrics.losses.loss_functions import linlin_shift
from reportgen.metrics.losses.rroc_geometry import best_linlin_shifts, minimal_costs
from reportgen.metrics.rows import Amounts
from reportgen.metrics.statistic import BoundStatistic
from tests.metrics.curves.samples import resamples, smooth_rows, tied_rows, uneven

ALPHAS = np.array([0.0, 0.1, 0.25, 0.5, 0.8, 0.95, 1.0])


@pytest.mark.parametrize("rows", [smooth_rows(), tied_rows()], ids=["smooth", "tied"])
@pytest.mark.parametrize("weight", [None, uneven(60)], ids=["plain", "weighted"])
def test_the_best_shift_of_each_resample_is_the_quantile_nearest_zero(rows, weight):
    batch = resamples(60, weight=weight)
    expected = [
        [linlin_shift(rows.error.values, w, alpha) for alpha in ALPHAS] for w in batch.weights.T
    ]
    assert best_linlin_shifts(rows, batch, ALPHAS) == pytest.approx(np.array(expected))


def test_a_row_that_weighs_nothing_is_no_quantile():
    rows = Amounts(np.zeros(3), np.array([-100.0, 1.0, 100.0]))
    found = best_linlin_shifts(rows, Batch.from_weights(np.array([0.0, 1.0, 0.0])), ALPHAS)
    assert np.all(found == -1.0)


def test_the_position_splits_the_squared_error():
    rows, weight = tied_rows(), uneven(60)
    error = rows.error.values
    found = compute_positions(rows, Batch.from_weights(weight), np.arange(7.0))[0]
    over, under, bias, variance, mse, over_squared, under_squared = found
    total = weight.sum()
    assert over + under == pytest.approx(bias)
    assert bias == pytest.approx(weight @ error / total)
    assert variance == pytest.approx(weight @ (error - bias) ** 2 / total)
    assert mse == pytest.approx(weight @ error**2 / total)
    assert over_squared - under_squared == pytest.approx(mse)


def test_a_large_bias_takes_no_digit_of_the_variance():
    rows, weight = smooth_rows(), uneven(60)
    far = Amounts(rows.y.values, rows.score.values + 1e7)
    near, moved = (
        compute_positions(r, Batch.from_weights(weight), np.arange(7.0))[0, 3] for r in (rows, far)
    )
    assert moved == pytest.approx(near, rel=1e-7)


def bound(statistic, rows):
    return BoundStatistic(statistic, rows, np.array(statistic.places))


def test_a_plain_statistic_is_told_by_its_parameters_and_its_places():
    near, far = (cost_statistic_at(places, "none") for places in ((0.3, 0.8), (0.3, 0.9)))
    assert near.key != far.key and near.key != cost_statistic_at((0.3, 0.8), "optimal").key
    names = [repr(bound(each, smooth_rows()).identity) for each in (near, far)]
    assert names[0] != names[1]
    assert bound(near, smooth_rows()).shape == (2,)


def test_costs_at_named_asymmetries_are_those_of_the_curve():
    rows, weight = smooth_rows(), uneven(60)
    found = bound(cost_statistic_at((0.3, 0.8), "optimal"), rows)(Batch.from_weights(weight))
    assert found == pytest.approx(
        minimal_costs(rows, Batch.from_weights(weight), np.array([0.3, 0.8]))
    )
