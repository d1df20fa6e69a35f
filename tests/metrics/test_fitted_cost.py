"""Expected cost with a shift that was found elsewhere: on other rows, or in a density."""

import numpy as np
import pytest
from scipy import stats

from reportgen.kernels.batch import Batch
from reportgen.metrics.lookup import explain_misfit, find_metric
from reportgen.metrics.losses.loss_functions import LOSSES, linlin
from reportgen.metrics.losses.shifts import fit_polynomial_in_alpha
from reportgen.metrics.rows import Amounts, TrainingRows

COST = "expected_cost"


def rows(n=80, seed=0, fit=True, **parts):
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 5.0, n)
    score = y + draw.normal(1.0, 3.0, n)
    return Amounts(y, score, parts, taught() if fit else None)


def taught(n=50, seed=9):
    other = rows(n, seed, fit=False)
    weight = np.random.default_rng(seed).integers(0, 3, n).astype(float)
    return TrainingRows(other, weight, lambda index: Batch.from_weights(weight))


def cost(of, weight=None, **params):
    weight = np.ones(len(of)) if weight is None else weight
    return find_metric(COST, **params).bind(of)(Batch.from_weights(weight))[0]


@pytest.mark.parametrize(
    "loss",
    [
        {"loss": "linlin", "alpha": 0.8},
        {"loss": "quadquad", "alpha": 0.3},
        {"loss": "linexp", "c": 0.2},
        {"loss": "quadexp", "c": -0.2},
    ],
)
def test_the_fitted_constant_is_the_best_of_a_fine_grid_on_the_other_rows(loss):
    of, weight = rows(), np.random.default_rng(1).random(80)
    fit, asymmetry = of.fit, loss.get("alpha", loss.get("c"))
    paid = LOSSES[loss["loss"]].of
    grid = np.linspace(-15, 15, 30001)
    error, mass = fit.rows.error.values, fit.weight
    best = grid[np.argmin([mass @ paid(error + shift, asymmetry) for shift in grid])]
    by_hand = weight @ paid(of.error.values + best, asymmetry) / weight.sum()
    assert cost(of, weight, **loss, shift="fitted") == pytest.approx(by_hand, rel=2e-3)


def test_a_fitted_shift_costs_no_less_than_the_optimal_one():
    of = rows()
    for alpha in np.linspace(0.05, 0.95, 19):
        feasible, optimal = (cost(of, alpha=alpha, shift=s) for s in ("fitted", "optimal"))
        assert feasible >= optimal - 1e-12


def test_a_polynomial_bends_with_the_score():
    draw = np.random.default_rng(2)
    score = draw.uniform(0, 10, 200)
    y = score**2 / 10 + draw.normal(0, 0.1, 200)
    fit = TrainingRows(
        Amounts(y[:100], score[:100]), np.ones(100), lambda index: Batch.from_weights(np.ones(100))
    )
    of = Amounts(y[100:], score[100:], fit=fit)
    flat, bent = (cost(of, alpha=0.5, shift="fitted", degree=d) for d in (0, 2))
    assert bent < 0.15 < flat


def test_a_normal_density_says_its_quantile():
    mean, sd = np.arange(1.0, 81.0), np.linspace(0.5, 4.0, 80)
    of = rows(fit=False, mean=mean, sd=sd)
    said = stats.norm(mean, sd).ppf(0.8)
    assert cost(of, alpha=0.8, shift="soft") == pytest.approx(
        linlin(said - of.y.values, 0.8).mean()
    )


def test_quantile_columns_are_joined_by_straight_lines():
    low, high = np.zeros(80), np.full(80, 10.0)
    of = rows(fit=False, q50=low, q90=high)
    assert cost(of, alpha=0.8, shift="soft") == pytest.approx(linlin(7.5 - of.y.values, 0.8).mean())


def test_quantiles_serve_no_loss_but_linlin():
    of = rows(fit=False, q50=np.zeros(80), q90=np.ones(80))
    assert np.isnan(cost(of, loss="quadquad", alpha=0.8, shift="soft"))


def test_each_rows_own_shift_is_cheaper_than_a_constant_where_the_spread_differs():
    draw = np.random.default_rng(3)
    sd = np.where(draw.random(5000) < 0.5, 1.0, 20.0)
    y = sd * draw.normal(size=5000)
    of = Amounts(y, np.zeros(5000), {"mean": np.zeros(5000), "sd": sd})
    assert cost(of, alpha=0.9, shift="soft") < 0.95 * cost(of, alpha=0.9, shift="optimal")


def test_money_is_the_loss_in_money():
    of = rows()
    money = cost(of, under=4.0, over=1.0, shift="fitted")
    assert money == pytest.approx(2.5 * cost(of, alpha=0.8, shift="fitted"))


def test_resampling_the_judged_rows_leaves_the_shift_alone():
    of, bound = rows(), find_metric(COST, alpha=0.7, shift="fitted").bind(rows())
    count = np.random.default_rng(5).multinomial(80, np.ones(80) / 80, 6).T.astype(np.uint8)
    shift = LOSSES["linlin"].best_shift(of.fit.rows.error.values, of.fit.weight, 0.7)
    losses = linlin(of.error.values + shift, 0.7)
    assert bound(Batch(count)) == pytest.approx(losses @ count / 80)
    assert bound.influence(np.ones(80)) == pytest.approx(losses - losses.mean())


def test_rows_without_others_to_fit_on_have_no_fitted_cost():
    assert np.isnan(cost(rows(fit=False), alpha=0.7, shift="fitted"))


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"alpha": 0.8, "degree": 2}, "shift: none takes no degree"),
        (
            {"alpha": 0.8, "shift": "fitted", "degree": 9},
            "degree is 9; it is 1 to 5, with loss: linlin",
        ),
        (
            {"loss": "quadexp", "shift": "soft"},
            "shift: soft knows no best score for quadexp; take linlin, quadquad or linexp",
        ),
        ({"alpha": 0.8, "shift": "fitted", "degree": 2}, None),
        ({"alpha": 0.8, "shift": "fitted", "degree": 2, "with_alpha": True}, None),
        (
            {"alpha": 0.8, "shift": "fitted", "with_alpha": True},
            "with_alpha is for a polynomial of score and α together; give its degree, 1 to 5",
        ),
    ],
)
def test_parameters_that_do_not_fit_together(params, said):
    assert explain_misfit(COST, **params) == said


def test_a_polynomial_with_alpha_is_one_for_all_asymmetries():
    draw = np.random.default_rng(2)
    score = draw.uniform(0, 10, 200)
    y = score**2 / 10 + draw.normal(0, 0.1, 200)
    fit = TrainingRows(
        Amounts(y[:100], score[:100]), np.ones(100), lambda index: Batch.from_weights(np.ones(100))
    )
    of = Amounts(y[100:], score[100:], fit=fit)
    shift = fit_polynomial_in_alpha(fit.rows, fit.weight, 2)
    for alpha in (0.2, 0.7):
        by_hand = linlin(
            score[100:] + shift.fix_alpha(alpha).evaluate(score[100:]) - y[100:], alpha
        ).mean()
        found = cost(of, alpha=alpha, shift="fitted", degree=2, with_alpha=True)
        assert found == pytest.approx(by_hand)
    assert np.isnan(cost(of, alpha=1.0, shift="fitted", degree=2, with_alpha=True))
