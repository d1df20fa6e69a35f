"""Differences that vanish keep their digits: held against the same in 150 decimal digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.lookup import find_metric
from reportgen.metrics.losses.expected_cost import (
    best_constant_shifts,
    costs_of_fitted_shifts,
    least_expected_loss,
)
from reportgen.metrics.losses.loss_functions import (
    LOSSES,
    exp_minus_linear,
    exp_remainder,
    log_minus_linear,
)
from reportgen.metrics.regression.errors import unit_deviance
from reportgen.metrics.rows import Amounts, TrainingRows

ARGUMENTS = [sign * size for sign in (-1, 1) for size in (1e-30, 1e-9, 1e-3, 0.3, 0.499, 0.51)]
POWERS = (
    -2.0,
    1.0,
    1 + 1e-13,
    1 + 1e-7,
    1.04,
    1.4,
    1.5,
    1.6,
    1.97,
    2 - 1e-9,
    2.0,
    2 + 1e-12,
    2.3,
    3.0,
    10.0,
)
PAIRS = (
    (3.0, 3.0000001),
    (3.0, 3.0 * (1 + 1e-14)),
    (2e-7, 1.9e-7),
    (5.0, 7.0),
    (4.0, 1e-6),
    (1e-9, 2e4),
)


def exact(of):
    with localcontext() as context:
        context.prec = 150
        return float(of())


def exactly(y, score, power):
    """The deviance by its formula, in 150 digits."""
    y, score, p = Decimal(y), Decimal(score), Decimal(power)
    if p == 1:
        return 2 * (y * (y / score).ln() - y + score)
    if p == 2:
        return 2 * ((score / y).ln() + y / score - 1)
    own = y ** (2 - p) / ((1 - p) * (2 - p))
    return 2 * (own - y * score ** (1 - p) / (1 - p) + score ** (2 - p) / (2 - p))


@pytest.mark.parametrize("x", ARGUMENTS)
def test_what_an_exponential_and_a_logarithm_leave_of_their_tangents(x):
    d, at = Decimal(x), np.array([x])
    assert exp_minus_linear(at)[0] == pytest.approx(exact(lambda: d.exp() - 1 - d), rel=1e-14)
    assert exp_remainder(at)[0] == pytest.approx(exact(lambda: (d.exp() - 1 - d) / d**2), rel=1e-14)
    assert log_minus_linear(at)[0] == pytest.approx(exact(lambda: (1 + d).ln() - d), rel=1e-14)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize(("y", "score"), PAIRS)
def test_a_deviance_keeps_its_digits_near_its_zero_and_near_powers_1_and_2(y, score, power):
    found = unit_deviance(np.array([y]), np.array([score]), power)[0]
    assert found == pytest.approx(exact(lambda: exactly(y, score, power)), rel=1e-12)


@pytest.mark.parametrize("power", [1.0, 1 + 1e-9, 1.5, 2 - 1e-9])
def test_a_deviance_of_nothing_is_the_term_of_the_score(power):
    found = unit_deviance(np.zeros(1), np.array([3.0]), power)[0]
    assert found == pytest.approx(2 * 3.0 ** (2 - power) / (2 - power), rel=1e-12)


@pytest.mark.parametrize("loss", ["linexp", "quadexp"])
@pytest.mark.parametrize("c", [1e-50, 1e-12, 1e-5])
def test_an_exponential_loss_of_small_c_is_a_square(loss, c):
    rng = np.random.default_rng(3)
    rows = Amounts(rng.normal(size=50), rng.normal(1.0, size=50))
    batch, error = Batch.from_weights(np.ones(50)), rows.error.values
    grid, near = np.array([-c, c]), 10 * c + 1e-12
    plain = 2 / c**2 * LOSSES[loss].of(error, c).mean()
    assert plain == pytest.approx(np.mean(error**2), rel=near)
    assert 2 / c**2 * least_expected_loss(loss, rows, batch, grid)[0] == pytest.approx(
        np.var(error), rel=near
    )
    assert best_constant_shifts(loss, rows, batch, grid)[0] == pytest.approx(
        -error.mean(), rel=near
    )


def test_the_largest_numbers_allowed_leave_no_warning():
    y = np.array([1e50, -1e50, 1e-50, 0.0, 3.0, 1e50])
    for score in (-y, y[::-1].copy(), np.full(6, 1e-320)):
        rows = Amounts(y, score, {"mean": score, "sd": np.abs(y) + 1e-50})
        for weight in (np.ones(6), np.array([1e50, 1, 1, 1e-50, 0, 1]), np.full(6, 1e-50)):
            for loss in LOSSES:
                side = {"c": 1e50} if LOSSES[loss].parameter == "c" else {"alpha": 0.8}
                for shift in ("none", "optimal", "soft"):
                    if (loss, shift) != ("quadexp", "soft"):
                        use = find_metric("expected_cost", loss=loss, shift=shift, **side)
                        use.bind(rows)(Batch.from_weights(weight)), use.bind(rows).influence(weight)
            for name in ("r2", "mape", "wape", "rmse", "mse", "mae", "rmsle", "pearson"):
                bound = METRICS[name].bind(rows)
                bound(Batch.from_weights(weight)), bound.influence(weight)
            curve = CURVES["distribution_score"].bind(rows, weight)
            assert curve(Batch.from_weights(weight)).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["linexp", "quadexp"])
def test_an_exponential_loss_without_a_scale_is_undefined_however_shifted(loss):
    same = Amounts(np.full(5, 2.0), np.arange(5.0))  # the scale is the spread of y
    use = find_metric("expected_cost", loss=loss, shift="optimal").bind(same)
    assert np.isnan(use(Batch.from_weights(np.ones(5)))).all()


@pytest.mark.parametrize("loss", ["linexp", "quadexp"])
def test_a_cost_that_is_no_number_counts_for_nothing_on_a_row_without_weight(loss):
    fit = TrainingRows(
        Amounts(np.zeros(9), np.arange(9.0)), np.ones(9), lambda k: Batch.from_weights(np.ones(9))
    )
    y, score = np.array([0.0, 0.0, -1e9]), np.array([1.0, 2.0, 1e9])
    weight, grid = np.array([1.0, 1.0, 0.0]), np.array([1.0])
    found = costs_of_fitted_shifts(
        Amounts(y, score, None, fit), Batch.from_weights(weight), grid, loss
    )
    rest = costs_of_fitted_shifts(
        Amounts(y[:2], score[:2], None, fit), Batch.from_weights(weight[:2]), grid, loss
    )
    assert np.isfinite(found).all()
    assert found == pytest.approx(rest, rel=1e-14)


def test_the_slope_of_a_root_does_not_reach_below_zero():
    error, weight = np.array([1.0, 1e6, 2.0]), np.array([1.0, 1e-20, 1.0])
    found = METRICS["rmse"].bind(Amounts(np.zeros(3), error)).influence(weight)
    mean = weight @ error**2 / weight.sum()
    assert found == pytest.approx((error**2 - mean) / (2 * np.sqrt(mean)), rel=1e-6)
