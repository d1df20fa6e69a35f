"""Tests of calibration: frozen z, levels on right models, and power on wrong ones."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from reportgen.metrics.classification import calibration_tests
from reportgen.metrics.classification.calibration_tests import (
    assess_calibration,
    assess_overall_calibration,
    draw_consistency_band,
    spiegelhalter_z,
)
from reportgen.metrics.classification.decomposition import draw_outcomes, outcome_cells
from tests.metrics.test_class_calibration import COLUMNS, churn, rows_of

LEVEL, SAMPLES, N = 0.95, 60, 150


@pytest.fixture(scope="module")
def right():
    """Samples of a calibrated model."""
    rng = np.random.default_rng(8)
    made = []
    for _ in range(SAMPLES):
        p = rng.uniform(0.02, 0.9, N)
        made.append(rows_of(rng.random(N) < p, p))
    return made


def test_spiegelhalters_z_is_that_of_other_programs():
    y, models = churn()
    expected = (0.156095, -5.861052, -2.554372)
    found = [spiegelhalter_z(y * 1.0, models[name], np.ones(len(y))) for name in COLUMNS]
    assert found == pytest.approx(expected, abs=1e-6)


def test_what_is_said_on_average_is_tested_as_the_exact_law_of_the_count_does():
    """Beside the law of a sum of unlike coins, by convolution; 200 rows of which 2 to 20 happen."""
    p = np.random.default_rng(5).uniform(0.0, 0.1, 200)
    law = np.ones(1)
    for each in p:
        law = np.convolve(law, [1 - each, each])
    for happened in (2, 4, 6, 14, 17, 20):
        y = (np.arange(200) < happened) * 1.0
        tail = min(law[: happened + 1].sum(), law[happened:].sum())
        found = assess_overall_calibration(y, p, np.ones(200)).p
        assert 0.99 * tail < found / 2 < 1.6 * tail


def test_what_is_said_on_average_has_the_spread_of_the_units():
    rng = np.random.default_rng(6)
    p, y, unit = rng.random(60), (rng.random(60) < 0.5) * 1.0, np.arange(60) // 3
    found = assess_overall_calibration(y, p, np.full(60, 2.0), unit)
    gaps = (y - p).reshape(20, 3).sum(axis=1)
    assert found.se == pytest.approx(np.sqrt((gaps**2).sum()) / 60)
    assert (found.said, found.happened) == pytest.approx((p.mean(), y.mean()))
    assert found.p == pytest.approx(
        assess_overall_calibration(y, p, np.ones(60)).p
    )  # doubled rows are no more


@pytest.mark.full
def test_a_right_model_is_seldom_said_to_be_off_on_average(right):
    p = [assess_calibration(rows, np.ones(N)).total.p for rows in right]
    assert sum(each <= 0.05 for each in p) <= 0.05 * SAMPLES + 2 * (0.05 * 0.95 * SAMPLES) ** 0.5
    assert np.mean(p) > 0.3


def test_a_right_model_is_seldom_called_wrong(right):
    """Twice its standard error around 5 in 100."""
    p = [assess_calibration(rows, np.ones(N)).p_calibrated for rows in right]
    assert sum(each <= 0.05 for each in p) <= 0.05 * SAMPLES + 2 * (0.05 * 0.95 * SAMPLES) ** 0.5
    assert np.mean(p) > 0.3


@pytest.mark.parametrize(("centre", "digits"), [(-8.5, 12), (-0.5, 12), (-8.5, 3)])
def test_a_right_model_of_many_rows_is_seldom_called_wrong(monkeypatch, centre, digits):
    """Of a rare class, of a common one, and with ties: p-values as even as chance allows."""
    monkeypatch.setattr(calibration_tests, "CONSISTENCY_DRAWS", 39)
    rng, n, p_values = np.random.default_rng(12), 20_001, []
    for _ in range(20):
        p = np.round(1 / (1 + np.exp(-(centre + 1.6 * rng.normal(size=n)))), digits)
        p_values.append(
            calibration_tests._simulate_p_value(rows_of(rng.random(n) < p, p), np.ones(n))
        )
    assert sum(each <= 0.05 for each in p_values) <= 3  # more in 1.6% of seeds
    assert 0.3 < np.mean(p_values) < 0.7


def test_a_rare_class_has_cells_of_its_own_where_it_is_promised():
    rng = np.random.default_rng(13)
    p = 1 / (1 + np.exp(-(-8.5 + 1.6 * rng.normal(size=30_000))))
    cells = outcome_cells(rows_of(rng.random(30_000) < p, p))
    promised, held = np.bincount(cells.number, p * (1 - p)), np.bincount(cells.number)
    assert len(cells.score) <= 1000
    assert promised[held > 1].max() < 0.005 * promised.sum()
    assert held.max() < 0.005 * 30_000


def test_a_timid_model_is_called_wrong():
    rng = np.random.default_rng(9)
    p = rng.uniform(0.02, 0.98, 800)
    timid = 1 / (1 + ((1 - p) / p) ** 0.5)
    found = assess_calibration(rows_of(rng.random(800) < p, timid), np.ones(800))
    assert found.p_calibrated <= 0.01
    assert found.slope - 2 * found.slope_se > 1
    parts = found.miscalibration, found.discrimination, found.uncertainty
    assert min(parts) > 0


def test_fits_of_right_models_lie_within_their_band(right):
    """95 of 100 of them, over the whole length."""
    inside = []
    for rows in right[:40]:
        low, high = draw_consistency_band(rows, np.ones(N), np.sort(rows.score.values), LEVEL)
        order = np.argsort(rows.score.values)
        fit = isotonic_regression(rows.y.values[order]).x
        inside.append(((low - 1e-9 <= fit) & (fit <= high + 1e-9)).all())
    assert np.mean(inside) >= 0.95 - 2 * (0.05 * 0.95 / 40) ** 0.5


def test_the_band_is_the_same_at_however_few_places_a_figure_draws():
    rng = np.random.default_rng(2)
    p = rng.beta(0.3, 12, size=800)
    rows = rows_of((rng.random(800) < p).astype(int), p)
    every, weight = np.sort(p), np.ones(800)
    wide = np.array(draw_consistency_band(rows, weight, every, LEVEL))
    few = np.array(draw_consistency_band(rows, weight, every[400:410], LEVEL))
    assert np.array_equal(few, wide[:, 400:410])


def test_the_band_is_no_wider_than_what_right_models_show():
    """Few rows near ½ and many near 0: ends, where a draw jumps, set no width elsewhere."""
    rng = np.random.default_rng(3)
    p = np.sort(1 / (1 + np.exp(-(-1.4 + rng.normal(size=2000)))))
    rows, weight = rows_of(rng.random(2000) < p, p), np.ones(2000)
    low, high = draw_consistency_band(rows, weight, p, LEVEL)
    _, fits, _ = calibration_tests._simulate_calibrated_models(rows, weight)
    reach = fits.max(axis=0) - fits.min(axis=0)
    inner = (p > 0.05) & (p < 0.6)
    assert ((high - low)[inner] < 1.3 * reach[inner]).all()
    is_within = ((fits >= low - 1e-12) & (fits <= high + 1e-12)).all(axis=1)
    assert is_within.mean() > 0.94


def test_the_band_holds_no_positives_where_next_to_none_are_promised():
    p = np.r_[1e-7, np.linspace(0.2, 0.8, 200)]
    rows = rows_of(np.r_[0, np.arange(200) % 2], p)
    low, high = draw_consistency_band(rows, np.ones(201), np.array([1e-7, 0.5]), LEVEL)
    assert low[0] <= 0 <= high[0] < 1e-6
    assert low[1] < 0.5 < high[1]


def test_separation_is_seen():
    found = assess_calibration(rows_of([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]), np.ones(4))
    assert found.separates and np.isnan(found.slope)
    found = assess_calibration(rows_of([0, 1, 1, 0], [0.1, 0.0, 0.8, 1.0]), np.ones(4))
    assert not found.separates


def test_many_rows_are_drawn_in_cells_with_the_same_mean():
    rng = np.random.default_rng(10)
    p = rng.random(30_000) * 0.3
    rows, weight = rows_of(rng.random(30_000) < p, p), rng.integers(1, 4, 30_000) * 1.0
    cells = outcome_cells(rows)
    drawn = np.concatenate(list(draw_outcomes(rows, weight, cells.score, 50, 1)))
    assert drawn.shape == (50, 1000)
    assert drawn.sum(axis=1).mean() == pytest.approx(weight @ p, rel=0.005)


@pytest.mark.parametrize("last", [1e-9, 1.0, 1e9])
def test_fits_of_draws_are_the_rising_fits_of_scipy(last):
    """Beside other cells the smallest last one is lost in rounding: it still has a place."""
    draw = np.random.default_rng(2)
    both = np.append(np.full(29, 1e9), last)
    upper = both * (draw.random((40, 30)) < np.linspace(0.2, 0.8, 30))
    blocks = calibration_tests._fit_draws(upper, both)
    fits = calibration_tests._expand_blocks(blocks, both)
    for fit, one in zip(fits, upper, strict=True):
        expected = isotonic_regression(one / both, weights=both).x
        assert fit[:-1] == pytest.approx(expected[:-1], abs=1e-9)
    assert np.isfinite(fits).all()
