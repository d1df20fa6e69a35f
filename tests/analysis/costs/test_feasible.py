"""What taught shifts cost, against slow sums written out."""

import numpy as np
import pytest

from reportgen.analysis.costs.cost_model import REFITS, ShiftStatistics, compute_shift_path
from reportgen.inference.bands import simultaneous_band
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch
from reportgen.metrics.losses.expected_cost import shifted_costs, shifted_rroc_points
from reportgen.metrics.losses.loss_functions import LOSSES, linlin
from reportgen.metrics.losses.rroc_geometry import minimal_costs
from reportgen.metrics.losses.shifts import fit_polynomial_shift, normal_quantiles
from reportgen.metrics.rows import Amounts, TrainingRows
from tests.metrics.curves.samples import smooth_rows, tied_rows, uneven
from tests.metrics.curves.slow_costs import chosen_costs, shifted

ALPHAS = (0.1, 0.25, 0.5, 0.8)
GRID = np.array(ALPHAS)
TEST, OTHER = Design("test", 60, 130, 7), Design("fit", 50, 130, 7)


def taught(weighted=True):
    """Rows without ties and with some, and others that teach."""
    own, other = tied_rows(), smooth_rows(50, 9)
    weight = uneven(50) if weighted else np.ones(50)
    design = Design("fit", 50, 130, 7, weight)
    return Amounts(own.y, own.score, {}, TrainingRows(other, weight, design.batch))


def lanes(batch):
    return enumerate(batch.weights.T)


def test_a_moved_point_is_the_sum_of_moved_errors():
    rows, batch = tied_rows(), TEST.batch(0)
    shifts = np.random.default_rng(3).normal(size=(64, 5)).round(1)  # ties with errors, too
    over, under = shifted_rroc_points(rows, batch, shifts)
    for lane, weight in lanes(batch):
        error = rows.error.values[:, None] + shifts[lane]
        by_hand = weight @ np.maximum(error, 0), weight @ np.minimum(error, 0)
        assert over[lane] == pytest.approx(by_hand[0] / weight.sum(), abs=1e-12)
        assert under[lane] == pytest.approx(by_hand[1] / weight.sum(), abs=1e-12)


def test_one_constant_for_all_weightings_costs_what_the_moved_score_costs():
    rows, batch, shifts = tied_rows(), TEST.batch(1), np.array([-1.0, 0.0, 0.5, 2.0])
    scores = shifted(rows.score.values, shifts)
    found = shifted_costs(rows, batch, shifts[None, :], GRID)
    assert found == pytest.approx(chosen_costs(rows.y.values, scores, batch, GRID))


@pytest.mark.parametrize("loss", ["quadquad", "linexp", "quadexp"])
def test_other_losses_of_moved_errors(loss):
    rows, batch = smooth_rows(), TEST.batch(0)
    shifts = np.random.default_rng(4).normal(size=(64, 4))
    found = shifted_costs(rows, batch, shifts, GRID, loss)
    for lane, weight in list(lanes(batch))[:5]:
        for k, asymmetry in enumerate(ALPHAS):
            losses = LOSSES[loss].of(rows.error.values + shifts[lane, k], asymmetry)
            assert found[lane, k] == pytest.approx(weight @ losses / weight.sum())


@pytest.mark.parametrize("loss", ["linlin", "quadquad", "linexp"])
def test_a_gap_resamples_both_sets_of_rows(loss):
    rows, batch = taught(), TEST.batch(1)
    found = ShiftStatistics(ALPHAS, loss).gap(rows, batch, GRID)
    drawn = rows.fit.draw(1).weights
    for lane, weight in list(lanes(batch))[:6]:
        for k, asymmetry in enumerate(ALPHAS):
            one = LOSSES[loss]
            other = one.best_shift(rows.fit.rows.error.values, drawn[:, lane], asymmetry)
            best = one.best_shift(rows.error.values, weight, asymmetry)
            by_hand = [one.mean(rows.error.values, weight, asymmetry, s) for s in (other, best)]
            assert found[lane, k] == pytest.approx(by_hand[0] - by_hand[1], abs=1e-12)


def test_without_resamples_the_shift_is_that_of_the_rows_as_they_are():
    rows, one = taught(), Batch.from_weights(uneven(60))
    own = ShiftStatistics(ALPHAS)
    gap = own.fitted_cost(rows, one, GRID) - minimal_costs(rows, one, GRID)
    assert own.gap(rows, one, GRID) == pytest.approx(gap, abs=1e-12)
    assert np.all(gap > -1e-12)


def test_the_resamples_of_both_sets_of_rows_know_nothing_of_each_other():
    counts = [np.hstack([d.batch(i).count for i in range(3)]) for d in (TEST, OTHER)]
    r = np.corrcoef(counts[0][:50].ravel(), counts[1].ravel())[0, 1]
    assert abs(r) < 4 / np.sqrt(50 * 130)


def test_a_polynomial_is_fitted_anew_for_each_resample():
    rows, batch = taught(), TEST.batch(0)
    found = ShiftStatistics((0.8,), degree=2).polynomial_gap(rows, batch, np.array([0.8]))
    drawn, score = rows.fit.draw(0).weights, rows.score.values
    for lane, weight in list(lanes(batch))[:4]:
        shift = fit_polynomial_shift(rows.fit.rows, drawn[:, lane], 0.8, 2)
        cost = weight @ linlin(score + shift.evaluate(score) - rows.y.values, 0.8) / weight.sum()
        best = minimal_costs(rows, Batch.from_weights(weight), np.array([0.8]))[0, 0]
        assert found[lane, 0] == pytest.approx(cost - best, abs=1e-9)


def test_polynomials_are_fitted_anew_for_the_first_resamples_only():
    batch = Batch(TEST.batch(0).count, None, REFITS)
    assert np.isnan(
        ShiftStatistics((0.8,), degree=1).polynomial_gap(taught(), batch, np.array([0.8]))
    ).all()


def test_a_density_is_judged_as_its_quantile():
    own = smooth_rows()
    parts = {"mean": own.score.values, "sd": np.linspace(0.1, 2.0, 60)}
    rows, batch = Amounts(own.y, own.score, parts), TEST.batch(0)
    said = normal_quantiles(parts["mean"], parts["sd"], GRID)
    found = ShiftStatistics(ALPHAS).density_cost(rows, batch, GRID)
    assert found == pytest.approx(chosen_costs(own.y.values, said, batch, GRID))


@pytest.mark.parametrize("method", ["none", "optimal", "fitted", "polynomial", "surface", "soft"])
def test_a_point_of_a_path_costs_what_its_way_costs(method):
    own = taught()
    parts = {"mean": own.score.values, "sd": np.ones(60)}
    rows, weight = Amounts(own.y, own.score, parts, own.fit), uneven(60)
    over, under = compute_shift_path(rows, weight, GRID, method, 2)
    one, shifts = Batch.from_weights(weight), ShiftStatistics(ALPHAS, degree=2)
    costs = {
        "none": lambda *given: chosen_costs(
            own.y.values, np.tile(own.score.values, (4, 1)), one, GRID
        ),
        "optimal": minimal_costs,
        "fitted": shifts.fitted_cost,
        "polynomial": shifts.polynomial_cost,
        "surface": shifts.cost_with_alpha,
        "soft": shifts.density_cost,
    }[method](rows, one, GRID)[0]
    assert 2 * (1 - GRID) * over - 2 * GRID * under == pytest.approx(costs)


@pytest.mark.parametrize("method", ["polynomial", "surface"])
def test_what_a_polynomial_costs_over_the_best_constant_takes_it_as_given(method):
    rows, batch, own = taught(), TEST.batch(1), ShiftStatistics(ALPHAS, degree=2)
    cost = {"polynomial": own.polynomial_cost, "surface": own.cost_with_alpha}[method]
    found = own.over_best(method).function(rows, batch, GRID)
    assert found == pytest.approx(cost(rows, batch, GRID) - minimal_costs(rows, batch, GRID))


def hits_of_band(seed, alphas):
    """Whether the band of a given polynomial's gap holds the truth at every α, in fresh rows."""
    draw = np.random.default_rng(seed)
    score = draw.uniform(0, 20, 500)
    y = score + (score - 10) ** 2 / 30 + draw.normal(0, 3, 500)
    fit, own = Amounts(y[:200], score[:200]), ShiftStatistics(tuple(alphas), degree=2)
    design = Design("test", 300, 199, seed)
    rows = Amounts(y[200:], score[200:], {}, TrainingRows(fit, np.ones(200), design.batch))
    found = [own.over_best("polynomial").function(rows, design.batch(i), alphas) for i in range(4)]
    value = own.over_best("polynomial").function(rows, Batch.from_weights(np.ones(300)), alphas)[0]
    support = 300 * np.minimum(alphas, 1 - alphas)
    band = simultaneous_band(value, np.concatenate(found)[:199], 0.95, support)
    truth = [gap_in_truth(fit, alpha) for alpha in alphas.tolist()]
    return bool(np.all((band.low <= truth) & (truth <= band.high)))


def gap_in_truth(fit, alpha):
    """What the polynomial costs more than the best constant in 40,000 rows of the same law."""
    draw = np.random.default_rng(0)
    score = draw.uniform(0, 20, 40_000)
    need = (score - 10) ** 2 / 30 + draw.normal(0, 3, 40_000)
    shift = fit_polynomial_shift(fit, np.ones(200), alpha, 2).evaluate(score)
    return np.mean(linlin(shift - need, alpha) - linlin(np.quantile(need, alpha) - need, alpha))


@pytest.mark.full
def test_the_band_of_a_polynomials_gap_holds_it_at_all_alphas_at_once():
    """Of 40 at 95%, fewer than 34 come once in 300."""
    alphas = np.linspace(0.05, 0.95, 7)
    assert sum(hits_of_band(seed, alphas) for seed in range(40)) >= 34
