"""Calibration by the rising fit, and losses at every threshold."""

from dataclasses import astuple
from math import log, nan

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import mean_poisson_deviance, mean_squared_error

from reportgen.kernels.batch import Batch
from reportgen.kernels.calibration_fits import fit_isotonic
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.errors import murphy
from reportgen.metrics.regression.errors import decompose_loss
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import smooth_rows, tied_rows, uneven

BOTH = pytest.mark.parametrize("rows", [smooth_rows(), tied_rows()], ids=["smooth", "tied"])


# y = 1, 5, 3, 7 in the order of the score: the rising fit is 1, 4, 4, 7, and the mean of y is 4.
UP, ON = (1, 5, 3, 7), (1, 2, 3, 4)
# model-diagnostics 1.5.0: decompose(y, score, weights=…, scoring_function=…)
YD, SD, WD = (0, 3, 1, 2, 5, 4, 8, 2), (1, 2, 2, 3, 3.5, 5, 6, 6), (1, 1, 2, 1, 0.5, 1, 1, 3)
ABOVE = tuple(y + 1 for y in YD)
PARTS = (
    (UP, ON, None, 0, (18 / 4 - 2 / 4, 20 / 4 - 2 / 4, 20 / 4)),
    (UP, (1, 4, 4, 7), None, 0, (0, 18 / 4, 20 / 4)),
    (UP, (4, 3, 2, 1), None, 0, ((9 + 4 + 1 + 36 - 20) / 4, 0, 20 / 4)),
    ((1, 5, 9), (2, 2, 1), (1, 3, 0), 0, ((4 - 2) ** 2, 0, 3)),
    ((0, 0, 2, 2), ON, None, 1, (3 - log(3), 2 * log(2), 2 * log(2))),
    (UP, (0, 1, 2, 3), None, 2, (nan, nan, nan)),
    ((-1, 1), (1, 2), None, 1, (nan, nan, nan)),
    (YD, SD, None, 0, (0.84375, 3.046875, 5.609375)),
    (YD, SD, WD, 0, (2.701659451659452, 1.5922490208204496, 4.521541950113379)),
    (ABOVE, SD, WD, 1, (0.263117572611834, 0.5054316539175447, 1.109064476043199)),
    (ABOVE, SD, WD, 2, (0.06734046887137266, 0.1753710433143685, 0.31154940487885113)),
)


def whole(parts):
    return parts.miscalibration - parts.discrimination + parts.uncertainty


@pytest.mark.parametrize("y, score, weight, power, expected", PARTS)
def test_a_loss_has_the_parts_of_its_table_row(y, score, weight, power, expected):
    rows = Amounts(np.array(y, dtype=float), np.array(score, dtype=float))
    weight = np.array(weight or np.ones(len(y)), dtype=float)
    found = decompose_loss(rows, weight, float(power))
    assert astuple(found) == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@BOTH
def test_the_rising_fit_is_scikit_learns(rows):
    weight = uneven(60)
    ours = fit_isotonic(rows, weight)
    theirs = IsotonicRegression().fit(rows.score.values, rows.y.values, weight)
    assert ours.fit == pytest.approx(theirs.predict(ours.score), abs=1e-12)


@BOTH
def test_the_fit_pools_rows_into_blocks_of_their_own_mean(rows):
    weight = uneven(60)
    fit = fit_isotonic(rows, weight)
    assert np.all(np.diff(fit.fit) >= 0)
    for level in np.unique(fit.fit):
        block = fit.fit == level
        assert fit.weight[block] @ fit.mean[block] / fit.weight[block].sum() == pytest.approx(level)


@BOTH
def test_miscalibration_less_discrimination_plus_uncertainty_is_the_loss(rows):
    weight = uneven(60)
    parts = decompose_loss(rows, weight)
    loss = mean_squared_error(rows.y.values, rows.score.values, sample_weight=weight)
    assert whole(parts) == pytest.approx(loss)
    above = Amounts(rows.y.values + 5, rows.score.values + 5)
    parts = decompose_loss(above, weight, 1.0)
    loss = mean_poisson_deviance(above.y.values, above.score.values, sample_weight=weight)
    assert whole(parts) == pytest.approx(loss)


def test_of_outcomes_zero_and_one_the_parts_are_those_of_the_brier_score():
    # model-diagnostics 1.5.0: decompose(y, p, scoring_function=SquaredError())
    y = np.array([0.0, 0, 1, 0, 1, 1, 0, 1])
    p = np.array([0.1, 0.2, 0.2, 0.4, 0.5, 0.7, 0.8, 0.9])
    found = astuple(decompose_loss(Amounts(y, p), np.ones(8)))
    assert found == pytest.approx((0.19 / 3, 0.25 / 3, 0.25))


def test_a_calibrated_score_lies_on_the_diagonal():
    y, score = np.array([1.0, 3, 4, 6]), np.array([2.0, 2, 5, 5])
    drawn = CURVES["calibration"].bind(Amounts(y, score), np.ones(4))
    trace = drawn.trace(np.ones(4))
    assert trace.x.tolist() == trace.y.tolist() == [2, 5]
    assert trace.marks["miscalibration"] == 0
    assert drawn(Batch.from_weights(np.ones(4)))[0] == pytest.approx(drawn.grid)


def test_the_murphy_diagram_is_that_of_another_program():
    # scores 2.7.0: murphy_score(score, y, θ, functional="expectile", alpha=0.5), which halves it
    y = np.array([0.0, 3, 1, 2, 5, 4, 8, 2])
    score = np.array([1.0, 2, 2, 3, 3.5, 5, 6, 6])
    theirs = [0.03125, 0.0, 0.0625, 0.0625, 0.21875, 0.125, 0.0625]
    grid = np.array([0.5, 1, 2, 3, 4.5, 6, 7])
    found = murphy(Amounts(y, score), Batch.from_weights(np.ones(8)), grid)[0]
    assert found / 2 == pytest.approx(theirs, abs=1e-15)


@BOTH
def test_the_area_under_the_murphy_diagram_is_half_the_mean_squared_error(rows):
    weight = uneven(60)
    ends = np.unique(np.append(rows.y.values, rows.score.values))
    # Straight between two values of y or score, where it may jump.
    near = np.stack([ends[:-1], (ends[:-1] + ends[1:]) / 2], axis=1).ravel()
    middle = murphy(rows, Batch.from_weights(weight), near)[0][1::2]
    mse = weight @ rows.error.values**2 / weight.sum()
    assert middle @ np.diff(ends) == pytest.approx(mse / 2)


@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_a_murphy_diagram_moves_with_its_unit(shift):
    rows = smooth_rows()
    one = CURVES["murphy"].bind(rows, np.ones(60))
    other = Amounts(rows.y.values + shift, rows.score.values + shift)
    moved = murphy(other, Batch.from_weights(np.ones(60)), one.grid + shift)
    assert moved == pytest.approx(
        one(Batch.from_weights(np.ones(60))), abs=1e-6 if shift else 1e-12
    )


def test_curves_on_request_are_drawn_only_where_they_are_named():
    named = {n for n, c in CURVES.items() if c.is_on_request and c.task == "regression"}
    assert named == {"calibration", "murphy"}


def test_a_murphy_diagram_has_no_band_where_hardly_any_score_lies_on_the_other_side():
    y = np.linspace(0.0, 1.0, 101)
    drawn = CURVES["murphy"].bind(Amounts(y, np.where(y > 0.5, 1.0, y)), np.ones(101))
    beside = drawn.count_thinner_rows(np.ones(101))
    assert drawn.grid[0] >= 0.05 and drawn.grid[-1] <= 0.95 + 1e-9
    assert np.all(beside[drawn.grid < 0.5] == 0)
    assert beside[drawn.grid > 0.7].min() > 15
