"""Standard errors over times: against definitions, known variances and known truths."""

from dataclasses import replace
from math import isnan, sqrt

import numpy as np
import pytest
from scipy import linalg, stats

from benchmarks.plans import change_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.intervals import compute_interval
from reportgen.inference.long_run import estimate_long_run_error
from reportgen.inference.significance import assess_significance
from tests.analysis.asked import question

N = 120


def follow(rho, n, draw):
    x = draw.normal(size=n)
    for t in range(1, n):
        x[t] = rho * x[t - 1] + sqrt(1 - rho**2) * x[t]
    return x


def define_long_run_error(x):
    """The estimate as its docstring defines it, term by term."""
    n = len(x)
    c = x - x.mean()
    gamma = np.array([np.sum(c[k:] * c[: n - k]) / n for k in range(min(10, n // 5) + 1)])
    raw = gamma[1] / gamma[0]
    fits = {0: np.empty(0)}
    for order in range(1, len(gamma)):  # Yule and Walker's equations
        fits[order] = linalg.solve_toeplitz(gamma[:order], gamma[1 : order + 1])
    error = {k: gamma[0] - a @ gamma[1 : k + 1] for k, a in fits.items()}
    order = min(fits, key=lambda k: n * np.log(error[k]) + 2 * k)
    first = np.array([np.clip(raw + (1 + 3 * raw) / n, 0, 0.97)])
    kept, terms, squares = [], 0, []
    for j in range(1, n):
        w = np.pi * j / n
        squares.append(2 / n * np.sum(x * np.cos(w * (np.arange(n) + 0.5))) ** 2)
        kept.append(
            [
                (1 - a.sum()) ** 2
                / abs(1 - np.sum(a * np.exp(-1j * w * np.arange(1, len(a) + 1)))) ** 2
                for a in (first, fits[order])
            ]
        )
        share = np.mean(kept, axis=0).min()
        if share < 0.9 and j > 2:
            break
        terms, last = j, share
    return sqrt(n * np.mean(squares[:terms]) / min(last, 1.0)), terms


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [25, 80])
def test_the_error_is_that_of_its_definition(rho, n):
    x = follow(rho, n, np.random.default_rng([int(10 * rho), n]))
    found = estimate_long_run_error(x)
    se, terms = define_long_run_error(x)
    assert found.se == pytest.approx(se, rel=1e-9)
    assert found.df == terms


def test_independent_times_have_the_usual_error_of_a_sum():
    x = np.random.default_rng(4).normal(size=400)
    found = estimate_long_run_error(x)
    assert found.df == 399 and found.effective == pytest.approx(400, rel=0.01)
    assert found.se == pytest.approx(x.std(ddof=1) * sqrt(400), rel=0.01)


def test_the_direction_of_time_moves_nothing():
    x = follow(0.7, 90, np.random.default_rng(2))
    forth, back = estimate_long_run_error(x), estimate_long_run_error(x[::-1])
    assert (forth.se, forth.df) == pytest.approx((back.se, back.df))


def test_of_few_or_constant_times_nothing_is_made_up():
    assert isnan(estimate_long_run_error(np.arange(4.0)).se)
    assert estimate_long_run_error(np.ones(9)).se == 0.0


@pytest.mark.parametrize("rho, most", [(0.0, 0.065), (0.5, 0.07), (0.9, 0.08)])
def test_means_of_no_difference_are_rejected_as_often_as_they_should_be(rho, most):
    # 2,000 samples: three errors of a share of 5% are 1.5 points; the limits of independent rows
    # reject 12% at 0.5 and half of all at 0.9
    rejected = 0
    for seed in range(2_000):
        draw = np.random.default_rng([7, seed])
        d = np.abs(follow(rho, 100, draw)) - np.abs(follow(rho, 100, draw))
        found = estimate_long_run_error(d)
        rejected += abs(d.sum()) > stats.t.ppf(0.975, found.df) * found.se
    assert 0.03 <= rejected / 2_000 <= most


def ask(rho, **more):
    draw = np.random.default_rng(5)
    y, time = 50 + 10 * draw.normal(size=N), draw.permutation(N)
    errors = [3 * follow(rho, N, draw) for _ in range(2)]
    scores = [y + error[time] for error in errors]
    names = ("mae", "rmse", "kendall", "bias")
    return question(N, data=(y, scores), names=names, unit=time, block=3.0, **more)


def test_limits_and_test_of_a_mean_use_the_same_error_over_times():
    asked = ask(0.8)
    y, time = asked.outcome.values, np.argsort(asked.sampling.design.unit)
    first, second = (np.abs(m.rows.score.values - y)[time] for m in asked.models)
    drawn = draw_replicates(asked)
    use = asked.statistics.metrics[0]
    found, _ = drawn.difference(drawn.parts[0], use, "m1", "m0")
    error = estimate_long_run_error((second - first) / N)
    half = stats.t.ppf(0.975, error.df) * error.se
    limits = compute_interval(found, "auto", 0.95)
    assert (limits.low, limits.high) == pytest.approx((found.value - half, found.value + half))
    p = assess_significance(found).p_value
    assert p == pytest.approx(2 * stats.t.sf(abs(found.value) / error.se, error.df))


@pytest.mark.parametrize("power, key", [(1, "mae"), (2, "rmse")])
def test_diebold_and_mariano_compare_mean_losses_in_time(power, key):
    asked = ask(0.7)
    named = (replace(use, test="diebold-mariano") for use in asked.statistics.metrics)
    y, time = asked.outcome.values, np.argsort(asked.sampling.design.unit)
    first, second = (np.abs(m.rows.score.values - y)[time] ** power for m in asked.models)
    error = estimate_long_run_error((second - first) / N)
    drawn = draw_replicates(change_plan(asked, metrics=tuple(named)))
    use = next(u for u in drawn.plan.statistics.metrics if u.key == key)
    found, _ = drawn.difference(drawn.parts[0], use, "m1", "m0")
    tested = assess_significance(found, "diebold-mariano")
    assert tested.test == "diebold-mariano"
    t = np.mean(second - first) / error.se
    assert tested.p_value == pytest.approx(2 * stats.t.sf(abs(t), error.df))


def test_one_wild_loss_decides_no_comparison_in_time():
    # RMSE is linear in its influence, in which one wild row is worth two standard errors
    draw = np.random.default_rng(8)
    y, time = draw.normal(size=N), np.arange(N)
    scores = [y + draw.normal(size=N), y + draw.normal(size=N)]
    scores[1][7] += 1_000
    data = question(N, data=(y, scores), names=("rmse",), unit=time, block=3.0)
    (found,) = analyze_dataset(data).comparisons
    assert found.word == "cannot tell"
    drawn = draw_replicates(data)
    use = data.statistics.metrics[0]
    evidence, _ = drawn.difference(drawn.parts[0], use, "m1", "m0")
    assert abs(evidence.value) / evidence.influence_se > 1.9
    assert assess_significance(evidence).p_value > 0.2


def test_every_metric_of_times_that_are_alike_is_told_to_rest_on_few():
    alike = analyze_dataset(ask(0.95)).warnings
    told = {w.key: w.numbers for w in alike if w.code == "W152"}
    assert {"mae", "rmse"} <= set(told)
    assert told["mae"]["times"] == N and told["mae"]["effective"] < 30
    assert "W152" not in {w.code for w in analyze_dataset(ask(0.0)).warnings}


def test_rows_without_times_have_no_error_over_times():
    asked = ask(0.9)
    design = replace(asked.sampling.design, block=None, unit=None)
    plain = change_plan(asked, design=design)
    drawn = draw_replicates(plain)
    assert drawn.evidence(drawn.parts[0], plain.statistics.metrics[0], "m0").long_run is None
