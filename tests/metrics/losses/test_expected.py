"""Expected costs of every loss for many weightings at once, held to one weighting at a time."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.losses.expected_cost import (
    best_constant_shifts,
    expected_loss,
    least_expected_loss,
)
from reportgen.metrics.losses.loss_functions import LOSSES
from reportgen.metrics.losses.rroc_geometry import rroc_points
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import resamples, smooth_rows, tied_rows, uneven

ALPHAS = np.array([0.0, 0.1, 0.25, 0.5, 0.8, 0.95, 1.0])
CS = np.array([-1.3, -0.5, -0.01, 0.01, 0.2, 2.0])
SAMPLES = {"smooth": smooth_rows(), "tied": tied_rows(), "one": Amounts(np.ones(1), np.zeros(1))}
WEIGHTS = ("plain", "weighted")


def grid_of(loss):
    return ALPHAS if LOSSES[loss].parameter == "alpha" else CS


def drawn(rows, how):
    if len(rows) == 1:
        return Batch(np.array([[1, 3]], np.uint8), np.array([2.0]))
    return resamples(len(rows), 5, None if how == "plain" else uneven(len(rows)))


@pytest.mark.parametrize("how", WEIGHTS)
@pytest.mark.parametrize("rows", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("loss", LOSSES)
def test_no_other_constant_on_a_fine_grid_costs_less(loss, rows, how):
    batch, grid, error = drawn(rows, how), grid_of(loss), rows.error.values
    best, cost = (
        best_constant_shifts(loss, rows, batch, grid),
        least_expected_loss(loss, rows, batch, grid),
    )
    for lane in range(batch.size):
        weight = batch.weights[:, lane]
        for k, a in enumerate(grid.tolist()):
            mean = LOSSES[loss].mean
            assert mean(error, weight, a, best[lane, k]) == pytest.approx(cost[lane, k], abs=1e-9)
            others = [*np.linspace(best[lane, k] - 2, best[lane, k] + 2, 161), *-error[weight > 0]]
            lowest = min(mean(error, weight, a, other) for other in others)
            assert cost[lane, k] <= lowest + 1e-9 * (1 + abs(lowest))


@pytest.mark.parametrize("how", WEIGHTS)
@pytest.mark.parametrize("rows", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("loss", LOSSES)
def test_as_they_are_scores_cost_their_mean_loss(loss, rows, how):
    batch, grid = drawn(rows, how), grid_of(loss)
    found = expected_loss(loss, rows, batch, grid)
    for lane in range(batch.size):
        weight = batch.weights[:, lane]
        mean = [LOSSES[loss].mean(rows.error.values, weight, a) for a in grid.tolist()]
        assert found[lane] == pytest.approx(np.array(mean))


@pytest.mark.parametrize("loss", LOSSES)
def test_many_rows_go_a_few_weightings_at_a_time(loss, monkeypatch):
    rows, batch, grid = smooth_rows(), drawn(smooth_rows(), "weighted"), grid_of(loss)
    at_once = least_expected_loss(loss, rows, batch, grid)
    monkeypatch.setattr("reportgen.metrics.losses.expected_cost.MOST", 120)
    assert least_expected_loss(loss, rows, batch, grid) == pytest.approx(at_once, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_bias_in_every_score_is_taken_by_the_constant(loss):
    rows, one, grid = smooth_rows(), Batch.from_weights(uneven(60)), grid_of(loss)
    moved = Amounts(rows.y.values, rows.score.values + 1000)
    assert least_expected_loss(loss, moved, one, grid) == pytest.approx(
        least_expected_loss(loss, rows, one, grid), rel=1e-6
    )
    assert best_constant_shifts(loss, moved, one, grid) + 1000 == pytest.approx(
        best_constant_shifts(loss, rows, one, grid), abs=1e-6
    )


@pytest.mark.parametrize("loss", ["linexp", "quadexp"])
def test_where_c_is_nothing_the_cost_that_is_drawn_is_the_squared_error(loss):
    rows, one = smooth_rows(), Batch.from_weights(uneven(60))
    weight, error = uneven(60), rows.error.values
    mean = weight @ error / weight.sum()
    square = weight @ error**2 / weight.sum()
    grid = np.array([-1e-4, 0.0, 1e-4])
    for shift, limit in (("none", square), ("optimal", square - mean**2)):
        curve = CURVES["cost"].use(shift=shift, loss=loss)
        found = curve.function(rows, one, grid, **curve.params)[0]
        assert found[1] == pytest.approx(limit)
        assert found == pytest.approx(np.full(3, limit), rel=1e-3)


def test_an_exponential_too_large_for_a_number_is_undefined():
    rows = Amounts(np.zeros(3), np.array([0.0, 1.0, 2000.0]))
    found = expected_loss("linexp", rows, Batch.from_weights(np.ones(3)), np.array([1.0, -1.0]))
    assert np.isnan(found[0, 0]) and found[0, 1] > 0


def test_the_curve_of_squares_is_made_of_shifted_models():
    rows, weight = smooth_rows(), uneven(60)
    curve = CURVES["rroc"].use(loss="quadquad")
    trace = curve.bind(rows, weight).trace(weight)
    assert (curve.x_unit, curve.y_unit) == ("y²", "y²")
    assert trace.marks["over"] - trace.marks["under"] == pytest.approx(
        weight @ rows.error.values**2 / weight.sum()
    )
    moved = [
        rroc_points(Amounts(rows.y, rows.score.values + s), Batch.from_weights(weight), power=2)
        for s in np.linspace(-0.5, 0.5, 7)
    ]
    for over, under in moved:
        assert np.interp(over, trace.x, trace.y) == pytest.approx(under, abs=2e-3)
        exact = curve.function(rows, Batch.from_weights(weight), over, **curve.params)[0]
        assert exact == pytest.approx(under)


def test_the_curve_of_squares_is_concave_and_its_tangents_cost_the_least():
    rows, weight = tied_rows(), uneven(60)
    curve = CURVES["rroc"].use(loss="quadquad")
    trace = curve.bind(rows, weight).trace(weight)
    slopes = np.diff(trace.y) / np.diff(trace.x)
    assert np.all(np.diff(slopes) <= 1e-9 * np.abs(slopes[1:]))
    for alpha in (0.2, 0.5, 0.8):
        lowest = (2 * (1 - alpha) * trace.x - 2 * alpha * trace.y).min()
        exact = least_expected_loss(
            "quadquad", rows, Batch.from_weights(weight), np.array([alpha])
        )[0, 0]
        assert lowest == pytest.approx(exact, rel=1e-3)


def test_a_loss_too_large_for_its_square_has_no_least():
    rows = Amounts(np.array([0.0, 1e45, 2e45]), np.zeros(3))
    weight = np.array([1e30, 1e29, 1e30])
    cost = least_expected_loss("quadexp", rows, Batch.from_weights(weight), np.array([1e30, -1e30]))
    assert np.isnan(cost).all()
