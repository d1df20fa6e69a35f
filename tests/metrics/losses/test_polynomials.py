"""Polynomial shifts, of the score and with α: the fit near a first guess is the fit of all rows."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm

from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.losses.shifts import (
    ALPHA_GRID,
    fit_polynomial_in_alpha,
    fit_polynomial_shift,
)
from reportgen.metrics.rows import Amounts


def skewed(n, seed=0, zeros=0.0):
    """Amounts whose spread grows with the score; a share of them is exactly zero."""
    draw = np.random.default_rng(seed)
    score = draw.gamma(2.0, 10.0, n)
    y = score * draw.gamma(1.0, 1.0, n) + draw.normal(0, 1, n)
    return Amounts(np.where(draw.random(n) < zeros, 0.0, y), score)


def paid(shift, rows, weight, alpha):
    moved = rows.error.values + shift.evaluate(rows.score.values)
    return weight @ linlin(moved, alpha) / weight.sum()


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.8])
def test_it_costs_no_more_than_a_quantile_regression(alpha, degree):
    rows, one = skewed(400), np.ones(400)
    z = (rows.score.values - rows.score.values.mean()) / rows.score.values.std()
    powers = np.vander(z, degree + 1, increasing=True)
    need = -rows.error.values
    other = sm.QuantReg(need, powers).fit(alpha, max_iter=5000, p_tol=1e-6)
    theirs = linlin(powers @ other.params - need, alpha).mean()
    ours = paid(fit_polynomial_shift(rows, one, alpha, degree), rows, one, alpha)
    assert ours <= theirs + 1e-9
    assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("zeros", [0.0, 0.7])
@pytest.mark.parametrize("alpha", [0.2, 0.8])
def test_rows_that_count_by_their_sums_change_nothing(alpha, zeros, monkeypatch):
    rows = skewed(4000, 3, zeros)
    weight = np.random.default_rng(4).integers(0, 4, 4000).astype(float)
    quick = paid(fit_polynomial_shift(rows, weight, alpha, 2), rows, weight, alpha)
    monkeypatch.setattr("reportgen.metrics.losses.shifts.FEW", 10_000)
    whole = paid(fit_polynomial_shift(rows, weight, alpha, 2), rows, weight, alpha)
    assert quick == pytest.approx(whole, rel=1e-9)


def test_a_poor_guess_costs_time_and_nothing_else():
    rows, one = skewed(2000, 5), np.ones(2000)
    right = fit_polynomial_shift(rows, one, 0.7, 2)
    poor = fit_polynomial_shift(rows, one, 0.05, 2)
    found = fit_polynomial_shift(rows, one, 0.7, 2, poor)
    assert paid(found, rows, one, 0.7) == pytest.approx(paid(right, rows, one, 0.7), rel=1e-9)


def test_weight_two_is_the_row_twice():
    rows = skewed(200, 6)
    weight = np.random.default_rng(7).integers(1, 4, 200)
    again = np.repeat(np.arange(200), weight)
    twice = Amounts(rows.y.values[again], rows.score.values[again])
    one = fit_polynomial_shift(rows, weight.astype(float), 0.8)
    other = fit_polynomial_shift(twice, np.ones(len(again)), 0.8)
    score = np.linspace(1, 40, 50)
    assert one.evaluate(score) == pytest.approx(other.evaluate(score), abs=1e-6)


def test_beyond_the_scores_it_was_fitted_on_a_shift_stays_as_it_is():
    rows = skewed(300, 8)
    shift = fit_polynomial_shift(rows, np.ones(300), 0.8, 3)
    low, high = rows.score.values.min(), rows.score.values.max()
    assert shift.evaluate(np.array([low - 50, high + 50])) == pytest.approx(
        shift.evaluate(np.array([low, high]))
    )


def test_as_many_different_scores_as_coefficients_are_met_exactly_and_fewer_lower_the_degree():
    rows = Amounts(
        np.array([1.0, 2.0, 4.0, 7.0, 9.0, 3.0]), np.array([1.0, 1.0, 2.0, 2.0, 2.0, 3.0])
    )
    three, more = (fit_polynomial_shift(rows, np.ones(6), 0.4, d) for d in (2, 5))
    assert len(more.coefficients) == 3
    assert more.evaluate(rows.score.values) == pytest.approx(three.evaluate(rows.score.values))
    assert len(fit_polynomial_shift(rows, np.array([1.0, 1, 0, 0, 0, 0]), 0.4, 3).coefficients) == 1


@pytest.mark.parametrize("n", [400, 1600])
def test_scores_of_rows_that_do_not_weigh_do_not_raise_the_degree(n):
    score, weight = np.arange(float(n)) % 2, np.ones(n)
    score[-1], weight[-1] = 2.0, 0.0
    rows = Amounts(score + np.random.default_rng(18).normal(size=n), score)
    assert len(fit_polynomial_shift(rows, weight, 0.5, 2).coefficients) == 2


def average(surface, rows, weight):
    """What a surface costs, on average over the α that it was fitted for."""
    return np.mean([paid(surface.fix_alpha(alpha), rows, weight, alpha) for alpha in ALPHA_GRID])


@pytest.mark.parametrize("degree", [1, 3])
def test_no_other_polynomial_of_score_and_alpha_costs_less_on_average(degree):
    rows, weight = skewed(60, 9), np.random.default_rng(10).integers(1, 4, 60).astype(float)
    found = fit_polynomial_in_alpha(rows, weight, degree)
    least, draw = average(found, rows, weight), np.random.default_rng(11)
    for size in (1e-4, 1e-2, 1.0):  # of a convex cost what is least nearby is least of all
        for _ in range(40):
            moved = found.coefficients + size * draw.normal(size=len(found.coefficients))
            assert average(replace(found, coefficients=moved), rows, weight) >= least - 1e-12


def test_one_polynomial_of_score_and_alpha_costs_no_less_than_one_for_each_alpha():
    rows, one = skewed(60, 12), np.ones(60)
    apart = np.mean([paid(fit_polynomial_shift(rows, one, a, 2), rows, one, a) for a in ALPHA_GRID])
    flat = np.mean([paid(fit_polynomial_shift(rows, one, a, 0), rows, one, a) for a in ALPHA_GRID])
    assert apart <= average(fit_polynomial_in_alpha(rows, one, 2), rows, one) < flat


@pytest.mark.parametrize(("scores", "of_score"), [(1, 0), (2, 1)])
def test_a_surface_of_few_different_scores_still_bends_with_alpha(scores, of_score):
    need, score = np.random.default_rng(17).normal(size=300), np.arange(300.0) % scores
    rows, one = Amounts(score + need, score), np.ones(300)
    surface = fit_polynomial_in_alpha(rows, one, 3)
    assert (surface.degree, surface.of_score) == (3, of_score)
    apart = np.mean([paid(fit_polynomial_shift(rows, one, a, 3), rows, one, a) for a in ALPHA_GRID])
    flat = np.mean(
        [paid(fit_polynomial_shift(rows, one, 0.5, 3), rows, one, a) for a in ALPHA_GRID]
    )
    assert apart <= average(surface, rows, one) < 1.05 * apart < 0.8 * flat


def test_a_surface_of_many_rows_is_that_of_them_all(monkeypatch):
    rows, one = skewed(500, 13), np.ones(500)
    quick = average(fit_polynomial_in_alpha(rows, one, 2), rows, one)
    monkeypatch.setattr("reportgen.metrics.losses.shifts.FEW", 20_000)
    assert quick == pytest.approx(
        average(fit_polynomial_in_alpha(rows, one, 2), rows, one), rel=1e-9
    )


def test_of_very_many_rows_a_surface_takes_one_of_every_few_in_whatever_order(monkeypatch):
    rows, one = skewed(400, 14), np.ones(400)
    whole = average(fit_polynomial_in_alpha(rows, one, 2), rows, one)
    monkeypatch.setattr("reportgen.metrics.losses.shifts.MOST", 150)
    some = fit_polynomial_in_alpha(rows, one, 2)
    mixed = np.random.default_rng(15).permutation(400)
    same = fit_polynomial_in_alpha(Amounts(rows.y.values[mixed], rows.score.values[mixed]), one, 2)
    assert some.coefficients == pytest.approx(same.coefficients, rel=1e-9)
    assert whole < average(some, rows, one) < 1.1 * whole


@pytest.mark.parametrize("is_sorted", [False, True])
def test_of_very_many_rows_a_surface_loses_no_kind_that_recurs(monkeypatch, is_sorted):
    score, kind = np.random.default_rng(16).uniform(0, 20, 600), np.arange(600) % 2
    score = np.sort(score) if is_sorted else score
    rows, one = Amounts(score + 5.0 * kind, score), np.ones(600)
    whole = average(fit_polynomial_in_alpha(rows, one, 1), rows, one)
    monkeypatch.setattr("reportgen.metrics.losses.shifts.MOST", 300)
    assert average(fit_polynomial_in_alpha(rows, one, 1), rows, one) < 1.05 * whole


def test_beyond_the_alphas_it_was_fitted_for_a_surface_stays_as_it_is():
    surface = fit_polynomial_in_alpha(skewed(60, 15), np.ones(60), 2)
    score = np.linspace(1, 40, 9)
    assert surface.fix_alpha(0.999).evaluate(score) == pytest.approx(
        surface.fix_alpha(ALPHA_GRID[-1]).evaluate(score)
    )
