"""RROC space and cost space, held to the numbers printed in the paper that describes them.

Hernández-Orallo (2013), "ROC curves for regression", Examples 1 to 4: ten rows, models m1 to m4.
"""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.losses.rroc_geometry import (
    costs_as_they_are,
    minimal_cost_line,
    minimal_costs,
    rroc_band,
    rroc_points,
    rroc_vertices,
)
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import (
    PAPER_SCORES,
    PAPER_Y,
    paper,
    resamples,
    smooth_rows,
    tied_rows,
    uneven,
)
from tests.metrics.curves.slow_costs import chosen_costs

TEN = np.ones(10)
# Sums of the paper's error vectors: OVER, UNDER, mean absolute error, mean squared error.
SUMS = {
    "m1": (2.569, -5.676, 0.8245, 1.2193081),
    "m2": (4.972, -4.972, 0.9944, 1.7618652),
    "m3": (10.431, -1.215, 1.1646, 2.1279374),
    "m4": (3.404, -4.776, 0.8180, 1.0844166),
}
# The total loss at five asymmetries, 2α|UNDER| + 2(1 − α)OVER.
LOSSES = {
    "m1": {0: 5.138, 0.25: 6.6915, 0.5: 8.245, 0.8: 10.1092, 1: 11.352},
    "m2": {0: 9.944, 0.25: 9.944, 0.5: 9.944, 0.8: 9.944, 1: 9.944},
    "m3": {0: 20.862, 0.25: 16.254, 0.5: 11.646, 0.8: 6.1164, 1: 2.43},
    "m4": {0: 6.808, 0.25: 7.494, 0.5: 8.18, 0.8: 9.0032, 1: 9.552},
}
# The least total loss over all constant shifts.
LEAST = {
    "m1": {0.25: 5.5145, 0.5: 8.245, 0.75: 7.9525, 0.8: 7.1852},
    "m2": {0.25: 9.369, 0.5: 9.484, 0.75: 6.719, 0.8: 5.824},
    "m3": {0.25: 7.593, 0.5: 8.694, 0.75: 6.595, 0.8: 6.1164},
    "m4": {0.25: 6.71, 0.5: 8.004, 0.75: 6.834, 0.8: 5.4672},
}
CORNERS_M1 = [
    (0.0, -14.997),
    (0.591, -9.678),
    (1.013, -7.99),
    (1.094, -7.801),
    (2.394, -5.851),
    (3.024, -5.221),
    (4.236, -4.413),
    (9.731, -2.058),
    (17.523, -0.11),
    (18.513, 0.0),
]
MODELS = list(PAPER_SCORES)


def raw_trace(rows, weight):
    return CURVES["rroc"].use(raw=True).bind(rows, weight).trace(weight)


@pytest.mark.parametrize("model", MODELS)
def test_over_and_under_are_the_papers(model):
    over, under, mae, _ = SUMS[model]
    marks = raw_trace(paper(model), TEN).marks
    assert (marks["over"], marks["under"]) == pytest.approx((over, under), abs=1e-9)
    assert (marks["over"] - marks["under"]) / 10 == pytest.approx(mae, abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_squared_sides_sum_to_the_mean_squared_error(model):
    over, under = rroc_points(paper(model), Batch.from_weights(TEN), power=2)
    assert over[0] - under[0] == pytest.approx(SUMS[model][3], abs=1e-9)


@pytest.mark.parametrize(("model", "printed"), [("m1", 56.1387), ("m2", 88.0933), ("m3", 63.9295)])
def test_the_three_printed_areas_come_out(model, printed):
    assert raw_trace(paper(model), TEN).marks["aoc"] == pytest.approx(printed, abs=5e-5)


def test_the_corners_of_the_first_model_are_the_papers():
    trace = raw_trace(paper("m1"), TEN)
    assert np.column_stack([trace.x, trace.y]) == pytest.approx(np.array(CORNERS_M1), abs=1e-6)


def test_tied_errors_share_a_corner():
    # Example 4: "only 5 different error values".
    assert len(raw_trace(paper("m4"), TEN).x) == 5


def test_the_slopes_of_ten_rows_fall_from_nine_to_a_ninth():
    trace = raw_trace(paper("m1"), TEN)
    expected = [(10 - k) / k for k in range(1, 10)]
    assert np.diff(trace.y) / np.diff(trace.x) == pytest.approx(expected)


@pytest.mark.parametrize("model", MODELS)
def test_losses_at_five_asymmetries_are_the_papers(model):
    alphas = np.array(list(LOSSES[model]))
    found = 10 * costs_as_they_are(paper(model), Batch.from_weights(TEN), alphas)[0]
    assert found == pytest.approx(list(LOSSES[model].values()), abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_the_least_losses_of_any_shift_are_the_papers(model):
    alphas = np.array(list(LEAST[model]))
    found = 10 * minimal_costs(paper(model), Batch.from_weights(TEN), alphas)[0]
    assert found == pytest.approx(list(LEAST[model].values()), abs=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_area_over_the_curve_is_half_the_variance(offset):
    rows, weight = tied_rows(), uneven(60)
    rows = Amounts(rows.y.values, rows.score.values + offset)
    error = rows.error.values - offset
    mean = weight @ error / weight.sum()
    variance = weight @ (error - mean) ** 2 / weight.sum()
    marks = CURVES["rroc"].bind(rows, weight).trace(weight).marks
    assert marks["aoc"] == pytest.approx(variance / 2, rel=1e-10)
    raw = raw_trace(rows, weight).marks["aoc"]
    assert raw == pytest.approx(weight.sum() ** 2 * variance / 2, rel=1e-10)


def test_every_corner_is_the_point_of_a_shifted_score():
    rows, weight = tied_rows(), uneven(60)
    over, under = (side[::-1, 0] for side in rroc_vertices(rows, Batch.from_weights(weight)))
    for k, error in enumerate(np.unique(rows.error.values)):
        moved = rows.error.values - error
        total = weight.sum()
        assert over[k] == pytest.approx(weight @ np.maximum(moved, 0) / total, abs=1e-12)
        assert under[k] == pytest.approx(weight @ np.minimum(moved, 0) / total, abs=1e-12)


def test_weighted_slopes_are_the_weights_under_over_those_over():
    rows, weight = tied_rows(), uneven(60)
    over, under = (side[:, 0] for side in rroc_vertices(rows, Batch.from_weights(weight)))
    steps = np.unique(rows.error.values)[::-1]
    above = np.array([weight[rows.error.values >= step].sum() for step in steps[:-1]])
    slopes = np.diff(under) / np.diff(over)
    assert slopes == pytest.approx((weight.sum() - above) / above)


def test_no_shift_costs_less_than_the_minimal_cost():
    rows, weight, alphas = tied_rows(), uneven(60), np.linspace(0, 1, 21)
    found = minimal_costs(rows, Batch.from_weights(weight), alphas)[0]
    shifts = np.concatenate([-rows.error.values, np.linspace(-5, 5, 201)])
    tried = [
        min(weight @ linlin(rows.error.values + shift, alpha) for shift in shifts) / weight.sum()
        for alpha in alphas
    ]
    assert found == pytest.approx(tried, abs=1e-12)


def test_the_line_of_minimal_cost_is_exact_at_its_corners_and_straight_between():
    rows, weight = tied_rows(), uneven(60)
    line = minimal_cost_line(rows, weight)
    alphas = np.linspace(0, 1, 333)
    found = minimal_costs(rows, Batch.from_weights(weight), alphas)[0]
    assert np.interp(alphas, *line) == pytest.approx(found, abs=1e-12)


def test_the_area_under_the_minimal_cost_is_a_gini_mean_difference():
    # ∫ of the minimal cost over α is half the mean absolute difference of two errors.
    rows, weight = tied_rows(), uneven(60)
    bound = CURVES["cost"].use(shift="optimal").bind(rows, weight)
    error = rows.error.values
    gaps = weight @ np.abs(error[:, None] - error) @ weight / weight.sum() ** 2
    assert bound.trace(weight).marks["area"] == pytest.approx(gaps / 2)


def test_the_optimal_shift_never_costs_more_than_none():
    rows, batch = tied_rows(), resamples(60)
    none, best = (
        CURVES["cost"].use(shift=shift).bind(rows, np.ones(60))(batch)
        for shift in ("none", "optimal")
    )
    assert np.all(best <= none + 1e-12)
    assert none[:, 50] == pytest.approx(np.abs(rows.error.values) @ batch.weights / batch.totals)


def test_the_tangents_of_the_minimal_cost_draw_the_curve():
    rows, weight = tied_rows(), uneven(60)
    bound = CURVES["rroc"].bind(rows, weight)
    drawn = rroc_band(*minimal_cost_line(rows, weight), bound.grid)
    assert drawn == pytest.approx(bound(Batch.from_weights(weight))[0], abs=1e-9)


def test_a_higher_cost_is_a_lower_curve_in_the_plane():
    rows, weight = tied_rows(), uneven(60)
    grid = CURVES["rroc"].bind(rows, weight).grid
    alphas, costs = minimal_cost_line(rows, weight)
    assert np.all(rroc_band(alphas, costs + 0.1, grid) <= rroc_band(alphas, costs, grid))


def test_scores_chosen_for_each_asymmetry_cost_what_they_cost():
    alphas = np.array([0.5, 0.8])
    scores = np.stack([PAPER_SCORES["m1"], PAPER_SCORES["m3"]])
    found = 10 * chosen_costs(PAPER_Y, scores, Batch.from_weights(TEN), alphas)[0]
    assert found == pytest.approx([8.245, 6.1164])


def test_of_many_rows_the_middle_of_the_curve_is_drawn_and_the_model_in_it():
    rows = smooth_rows(160)
    high = Amounts(rows.y.values, rows.score.values + 9)  # over-estimates every row
    weight = np.ones(160)
    trace = CURVES["rroc"].bind(rows, weight).trace(weight)
    slopes = np.diff(trace.y) / np.diff(trace.x)
    # From the corner that the 8th row makes (5%) to that of the 152nd (95%).
    assert slopes.max() == pytest.approx(152 / 8)
    assert slopes.min() == pytest.approx(9 / 151)
    assert trace.marks["aoc"] == pytest.approx(rows.error.values.var() / 2)
    end = CURVES["rroc"].bind(high, weight).trace(weight)
    assert end.y[-1] == pytest.approx(0)
