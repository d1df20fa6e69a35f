"""Losses and their best constant shifts."""

import numpy as np
import pytest

from reportgen.metrics.lookup import find_metric
from reportgen.metrics.losses.loss_functions import LOSSES
from reportgen.metrics.regression.expected_cost import make_cost_terms
from reportgen.metrics.rows import Amounts

# Errors of the first model of Hernández-Orallo (2013), Table 1.
M1 = np.array([-0.293, 0.598, 0.387, -2.162, 0.035, -1.078, -2.052, 0.360, 1.189, -0.091])
ASYMMETRIES = [
    *((name, a) for name in ("linlin", "pinball", "quadquad") for a in (0.05, 0.3, 0.5, 0.8, 0.95)),
    *((name, c) for name in ("linexp", "quadexp") for c in (-2.0, -0.3, 0.01, 0.7, 3.0)),
]


def samples():
    rng = np.random.default_rng(4)
    yield M1, np.ones(10)
    yield np.round(rng.standard_t(3, 60), 1), rng.exponential(1, 60)
    yield np.array([3.0]), np.array([0.2])
    yield np.array([-1.0, 5.0, 2.0]), np.array([0.0, 1.0, 0.0])


@pytest.mark.parametrize(("name", "asymmetry"), ASYMMETRIES)
def test_the_best_shift_beats_every_other_shift(name, asymmetry):
    loss = LOSSES[name]
    for error, weight in samples():
        best = loss.best_shift(error, weight, asymmetry)
        least = loss.mean(error, weight, asymmetry, best)
        for shift in [*np.linspace(best - 3, best + 3, 601), *-error]:
            assert least <= loss.mean(error, weight, asymmetry, shift) * (1 + 1e-12) + 1e-14


@pytest.mark.parametrize("name", LOSSES)
def test_no_error_costs_nothing_and_every_error_something(name):
    loss = LOSSES[name]
    assert loss.of(np.zeros(1), 0.4)[0] == 0
    assert (loss.of(np.array([-2.0, -1e-3, 1e-3, 2.0]), 0.4) > 0).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_where_one_side_is_free_the_shift_stops_at_the_last_row(alpha):
    for name in ("linlin", "quadquad"):
        shift = LOSSES[name].best_shift(M1, np.ones(10), alpha)
        assert shift == (2.162 if alpha == 1 else -1.189)
        assert LOSSES[name].mean(M1, np.ones(10), alpha, shift) == pytest.approx(0, abs=1e-15)


def test_of_many_best_shifts_linlin_takes_the_end_nearest_zero():
    # α·n = 8 is met exactly, so every shift from 1.078 to 2.052 is best.
    shift = LOSSES["linlin"].best_shift(M1, np.ones(10), 0.8)
    assert shift == 1.078
    cost = LOSSES["linlin"].mean(M1, np.ones(10), 0.8, shift)
    assert cost == pytest.approx(7.1852 / 10, rel=1e-12)
    assert LOSSES["linlin"].mean(M1, np.ones(10), 0.8, 2.052) == pytest.approx(cost, rel=1e-12)


def test_quadquad_at_one_half_is_least_squares():
    error, weight = list(samples())[1]
    mean = weight @ error / weight.sum()
    loss = LOSSES["quadquad"]
    assert loss.best_shift(error, weight, 0.5) == pytest.approx(-mean, rel=1e-12)
    variance = weight @ (error - mean) ** 2 / weight.sum()
    assert loss.mean(error, weight, 0.5, -mean) == pytest.approx(variance, rel=1e-12)


def test_linexp_shifts_a_normal_error_by_half_its_variance_times_c():
    # Zellner (1986): the best prediction under N(μ, σ²) is μ − cσ²/2.
    grid = (np.arange(100_000) + 0.5) / 100_000
    from scipy.stats import norm

    error = -1.5 * norm.ppf(grid)
    assert LOSSES["linexp"].best_shift(error, np.ones(100_000), 1.0) == pytest.approx(
        -(1.5**2) / 2, abs=2e-3
    )


@pytest.mark.parametrize("name", ["linexp", "quadexp"])
def test_a_shift_is_found_where_exponentials_overflow(name):
    error, one = np.array([-9000.0, 4000.0, 9000.0]), np.ones(3)
    shift = LOSSES[name].best_shift(error, one, 1.0)
    assert np.isfinite(shift) and -9000 < shift < -8980
    assert np.isfinite(LOSSES[name].mean(error, one, 1.0, shift))
    assert np.isnan(LOSSES[name].mean(error, one, 1.0))


def test_a_loss_whose_square_is_no_number_is_infinite():
    found = LOSSES["quadexp"].of(np.array([-1e39, -1e41]), 1e10)
    assert found.tolist() == [pytest.approx(1e98 / 2), np.inf]


def test_quadexp_joins_its_sides_with_equal_slope_and_curvature():
    below, at, above = LOSSES["quadexp"].of(np.array([-1e-3, 0.0, 1e-3]), 2.0)
    assert below == pytest.approx(above, rel=1e-3) and at == 0
    assert below == pytest.approx((2 * 1e-3) ** 2 / 2, rel=1e-12)


def test_linexp_without_c_takes_one_over_the_spread_of_y():
    y = np.array([0.0, 2.0, 4.0])
    about = {"alpha": None, "under": None, "over": None, "shift": "none"}
    assert make_cost_terms(y, loss="linexp", c=None, **about).asymmetry == 1 / np.std(y)
    assert np.isnan(make_cost_terms(np.ones(3), loss="linexp", c=None, **about).asymmetry)


def test_nothing_that_weighs_has_no_best_shift():
    for loss in LOSSES.values():
        assert np.isnan(loss.best_shift(M1, np.zeros(10), 0.4))
        assert np.isnan(loss.mean(M1, np.zeros(10), 0.4))


def test_unit_costs_are_the_same_money_under_pinball_and_linlin():
    priced = {"alpha": None, "under": 4.0, "over": 1.0, "c": None}
    found = [make_cost_terms(M1, loss=loss, **priced).costs(M1) for loss in ("linlin", "pinball")]
    assert found[0] == pytest.approx(found[1])
    assert found[0] == pytest.approx(np.where(M1 < 0, -4 * M1, M1))


@pytest.mark.parametrize(
    ("y", "score", "params", "reason"),
    [
        ([3.0, 3.0], [1.0, 2.0], {"loss": "linexp"}, "every y is equal"),
        ([0.0, 1.0], [0.0, 1e3], {"loss": "linexp", "c": 1.0}, "past exp(50)"),
        ([0.0, 1.0], [0.0, 1.0], {"alpha": 1.0, "shift": "soft"}, "a density is asked for at"),
        ([0.0, 1.0], [0.0, 1.0], {"loss": "quadquad", "alpha": 0.8, "shift": "soft"}, "quantile"),
    ],
)
def test_a_cost_that_does_not_exist_says_why(y, score, params, reason):
    parts = {name: np.array(score) for name in ("q10", "q90")}
    rows = Amounts(np.array(y), np.array(score), parts)
    bound = find_metric("expected_cost", **params).bind(rows)
    assert np.isnan(bound.define(np.ones(2)))
    assert reason in bound.why_undefined(np.ones(2))
    assert bound.why_undefined(np.zeros(2)) == "where no row has weight"


@pytest.mark.parametrize("name", ["linexp", "quadexp"])
def test_at_c_zero_the_best_shift_of_an_exponential_loss_is_that_of_the_square(name):
    error, weight = np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 2.0])
    assert LOSSES[name].best_shift(error, weight, 0.0) == -(1 + 2 + 2 * 9) / 4
