"""Scores moved for an asymmetry: by a constant, a polynomial, a density."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.losses.rroc_geometry import minimal_costs
from reportgen.metrics.losses.shifts import (
    fit_polynomial_shift,
    interpolate_quantile_columns,
    normal_expectiles,
    normal_linexp,
    normal_quantiles,
)
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import paper, smooth_rows, tied_rows, uneven
from tests.metrics.curves.slow_costs import chosen_costs, constant_shifts, shifted

ALPHAS = np.array([0.1, 0.25, 0.5, 0.8])
TWO, SD = np.array([2.0]), np.array([1.5])


def test_constants_fitted_on_the_same_rows_reach_the_minimal_cost():
    rows, weight = tied_rows(), uneven(60)
    scores = shifted(rows.score.values, constant_shifts(rows, weight, ALPHAS))
    found = chosen_costs(rows.y.values, scores, Batch.from_weights(weight), ALPHAS)
    assert found == pytest.approx(
        minimal_costs(rows, Batch.from_weights(weight), ALPHAS), abs=1e-12
    )


def test_constants_fitted_elsewhere_cost_no_less_than_the_best():
    rows, fit, weight = smooth_rows(), smooth_rows(seed=9), uneven(60)
    scores = shifted(rows.score.values, constant_shifts(fit, np.ones(60), ALPHAS))
    found = chosen_costs(rows.y.values, scores, Batch.from_weights(weight), ALPHAS)
    assert np.all(found >= minimal_costs(rows, Batch.from_weights(weight), ALPHAS) - 1e-12)


def test_the_papers_first_model_moves_by_the_nearest_end():
    # Every shift in [1.078, 2.052] is best at α = .8, every one in [−.035, .091] at ½.
    found = constant_shifts(paper("m1"), np.ones(10), np.array([0.25, 0.5, 0.8]))
    assert found == pytest.approx([-0.387, -0.035, 1.078])


def test_a_polynomial_of_degree_zero_costs_what_the_constant_costs():
    rows, weight = tied_rows(), uneven(60)
    shift = fit_polynomial_shift(rows, weight, 0.8, degree=0)
    cost = (
        weight @ linlin(rows.error.values + shift.evaluate(rows.score.values), 0.8) / weight.sum()
    )
    least = minimal_costs(rows, Batch.from_weights(weight), np.array([0.8]))[0, 0]
    assert cost == pytest.approx(least, abs=1e-9)


def test_a_polynomial_finds_an_error_that_bends_with_the_score():
    score = np.linspace(-2, 2, 41)
    rows = Amounts(score + 1 + 2 * score - score**2, score)
    shift = fit_polynomial_shift(rows, np.ones(41), 0.3, degree=2)
    assert shift.evaluate(score) == pytest.approx(1 + 2 * score - score**2, abs=1e-8)


def test_a_polynomial_of_rows_that_weigh_nothing_is_undefined():
    rows = smooth_rows()
    shift = fit_polynomial_shift(rows, np.zeros(60), 0.7)
    assert np.isnan(shift.evaluate(rows.score.values)).all()


def test_more_powers_never_cost_more():
    rows, weight = smooth_rows(), uneven(60)
    costs = []
    for degree in range(4):
        shift = fit_polynomial_shift(rows, weight, 0.7, degree=degree)
        costs.append(weight @ linlin(rows.error.values + shift.evaluate(rows.score.values), 0.7))
    assert np.all(np.diff(costs) <= 1e-8)


def test_the_normal_quantile_is_that_of_the_density():
    # 2 + 1.5·Φ⁻¹(.8)
    assert normal_quantiles(TWO, SD, np.array([0.8]))[0, 0] == pytest.approx(3.2624318503593717)


@pytest.mark.parametrize(("c", "best"), [(1.0, 0.875), (-0.5, 2.5625)])
def test_linexp_moves_by_half_the_variance(c, best):
    assert normal_linexp(TWO, SD, c)[0] == pytest.approx(best)


def test_the_normal_expectile_balances_both_pulls():
    found = normal_expectiles(TWO, SD, np.array([0.5, 0.8]))[:, 0]
    # By numerical integration of the balance at α = .8.
    assert found == pytest.approx([2.0, 2.8237337316489777], abs=1e-8)


def test_quantile_columns_are_joined_by_straight_lines():
    columns = np.array([[1.0, 3, 7], [5, 4, 6]])
    found = interpolate_quantile_columns(
        np.array([0.1, 0.5, 0.9]), columns, np.array([0.05, 0.3, 0.5, 0.95])
    )
    first, second = found.T
    assert first == pytest.approx([1, 2, 3, 7])
    assert second == pytest.approx([4, 4.5, 5, 6])


def test_one_quantile_column_is_said_at_every_alpha():
    found = interpolate_quantile_columns(
        np.array([0.5]), np.array([[2.0], [3]]), np.array([0.1, 0.9])
    )
    assert found.tolist() == [[2, 3], [2, 3]]
