"""Reliability of two classes: the rising fit by hand, its band by chance, bins of equal weight."""

import numpy as np

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves.curve import CURVES
from tests.metrics.test_class_calibration import rows_of


def test_the_curve_is_the_rising_fit():
    rows = rows_of([0, 1, 0, 1], [0.2, 0.4, 0.5, 0.7])
    trace = CURVES["reliability"].bind(rows, np.ones(4)).trace(np.ones(4))
    assert trace.x.tolist() == [0.2, 0.4, 0.5, 0.7]
    assert trace.y.tolist() == [0, 0.5, 0.5, 1]
    assert trace.marks["uncertainty"] == 0.25


def test_a_row_of_weight_zero_is_no_point():
    rows, weight = rows_of([0, 1, 0, 1], [0.2, 0.4, 0.5, 0.7]), np.array([1.0, 1, 0, 1])
    assert CURVES["reliability"].bind(rows, weight).trace(weight).y.tolist() == [0, 1, 1]


def test_bins_of_equal_weight_share_rows_on_their_edges():
    """Of three rows in two bins the middle one is half in each."""
    rows, weight = rows_of([0, 1, 1], [0.1, 0.4, 0.9]), np.ones(3)
    bound = CURVES["reliability_bins"].use(bins=2).bind(rows, weight)
    assert np.allclose(bound.grid, [(0.1 + 0.2) / 1.5, (0.2 + 0.9) / 1.5])
    assert np.allclose(bound(Batch.from_weights(weight)), [[0.5 / 1.5, 1.0]])
    assert np.allclose(bound.rows_among(weight), 1.5)


def test_the_band_is_around_right_probabilities_and_holds_them():
    rng = np.random.default_rng(2)
    p = rng.uniform(0.05, 0.5, 400)
    rows, at = rows_of(rng.random(400) < p, p), np.linspace(0.1, 0.45, 8)
    low, high = CURVES["reliability"].by_chance(rows, np.ones(400), at, 0.95)
    assert (low < at).all() and (at < high).all() and (high - low < 0.5).all()
