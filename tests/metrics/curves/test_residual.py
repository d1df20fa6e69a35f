"""Errors by size and by rank, and calibration by bucket."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.errors import fit_calibration_line
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import smooth_rows, tied_rows, uneven


def bound(name, rows, weight):
    return CURVES[name].bind(rows, weight)


@pytest.mark.parametrize("rows", [smooth_rows(), tied_rows()])
def test_the_area_over_the_rec_curve_is_the_mean_absolute_error(rows):
    weight = uneven(60)
    trace = bound("rec", rows, weight).trace(weight)
    mae = weight @ np.abs(rows.error.values) / weight.sum()
    assert trace.marks["area over"] == pytest.approx(mae, abs=1e-12)
    assert np.trapezoid(1 - trace.y, trace.x) == pytest.approx(mae, abs=1e-12)
    assert trace.marks["area"] == pytest.approx(1 - mae / trace.marks["tolerance"])


def test_the_rec_curve_steps_at_each_error_and_ends_at_one():
    rows = Amounts(np.zeros(4), np.array([0.0, -1, 1, 3]))
    trace = bound("rec", rows, np.ones(4)).trace(np.ones(4))
    assert trace.x.tolist() == [0, 1, 1, 3, 3]
    assert trace.y.tolist() == [1 / 4, 1 / 4, 3 / 4, 3 / 4, 1]
    one = bound("rec", rows, np.ones(4))
    assert one.grid.tolist() == [0, 1, 3]
    assert one(Batch.from_weights(np.ones(4)))[0] == pytest.approx([1 / 4, 3 / 4, 1])


def test_errors_by_rank_average_to_the_mean_error():
    rows, weight = tied_rows(), uneven(60)
    one = bound("error_by_rank", rows, weight)
    bias = weight @ rows.error.values / weight.sum()
    assert one(Batch.from_weights(weight)).mean() == pytest.approx(bias)
    assert one.trace(weight).marks["mean"] == pytest.approx(bias)


def test_calibration_sets_mean_y_against_mean_score():
    rows = Amounts(np.array([1.0, 3, 5, 9]), np.array([10.0, 20, 30, 40]))
    one = CURVES["bucket_calibration"].use(buckets=2).bind(rows, np.ones(4))
    assert one.grid == pytest.approx([15, 35])
    assert one(Batch.from_weights(np.ones(4)))[0] == pytest.approx([2, 7])


def test_the_calibration_line_is_least_squares():
    rows, weight = smooth_rows(), uneven(60)
    slope, intercept = np.polyfit(rows.score.values, rows.y.values, 1, w=np.sqrt(weight))
    assert fit_calibration_line(rows, weight) == pytest.approx((slope, intercept))


def test_a_constant_score_has_no_calibration_line():
    assert np.isnan(fit_calibration_line(Amounts(np.arange(3.0), np.ones(3)), np.ones(3))).all()
