"""Ways to choose a shift, side by side, on rows whose best shifts are known."""

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.costs.shift_methods import Methods
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.resampling.design import Design
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.losses.shifts import fit_polynomial_in_alpha
from reportgen.metrics.rows import Amounts, TrainingRows
from reportgen.results.costs import IntervalEstimate
from tests.analysis.asked import but
from tests.analysis.costs.asking import asked

N, M = 300, 200


def taught(y, score, seed=3, replicates=199, **parts):
    design = Design("fit", len(y), replicates, seed)
    rows = Amounts(np.asarray(y, float), np.asarray(score, float), parts)
    return TrainingRows(rows, np.ones(len(y)), design.batch, design.identity)


def drawn(n, seed, bias=0.0, bend=0.0):
    draw = np.random.default_rng(seed)
    score = draw.gamma(2.0, 5.0, n)
    return score + bias + bend * score**2 / 10 + draw.normal(0.0, 3.0, n), score


def question(test, fit, *, degree=0, parts=None, alphas=(0.8,), replicates=199, **more):
    cost_model = CostModel(
        alphas,
        total=5.0,
        unit="EUR",
        is_priced=True,
        is_fitted=fit is not None,
        degree=degree,
        has_densities=bool(parts),
        **more,
    )
    y, score = test
    base = asked(y, {"model": score}, cost_model, replicates=replicates)
    other = taught(*fit, replicates=replicates) if fit else None
    who = but(base.models[0], parts=parts or {}, fit=other)
    methods = Methods(cost_model)
    return change_plan(base, models=(who,), cost_statistics=(cost_statistic(cost_model, methods),))


def methods_of(*given, **more):
    (found,) = analyze_dataset(question(*given, **more)).costs
    return {each.method: each for each in found.shifts}


def test_what_other_rows_taught_is_paid_on_these():
    test, fit = drawn(N, 1, 2.0), drawn(M, 2, 2.0)
    found = methods_of(test, fit)
    need = np.sort(fit[0] - fit[1])
    shift = need[int(0.8 * M) - 1]  # an α-quantile, of an interval the end nearest zero
    paid = 1000 * 2.5 * linlin(test[1] + shift - test[0], 0.8).mean()
    assert found["fitted"].cost.value == pytest.approx(paid)
    best = found["optimal"].cost.value
    assert found["fitted"].gap.value == pytest.approx(paid - best, abs=1e-6)
    assert found["none"].gap.value == pytest.approx(found["none"].cost.value - best)
    assert found["optimal"].gap == IntervalEstimate(0.0, 0.0, 0.0)


def test_alike_rows_teach_a_constant_that_is_not_told_from_the_best():
    found = methods_of(drawn(N, 1, 2.0), drawn(M, 2, 2.0))["fitted"]
    assert found.gap.low == 0
    assert 0 <= found.gap.value <= found.gap.high


def test_rows_of_another_kind_teach_a_constant_that_is_told_from_the_best():
    found = methods_of(drawn(N, 1, 2.0), drawn(M, 2, 6.0))["fitted"]
    assert 0 < found.gap.low < found.gap.value < found.gap.high


def test_a_scores_own_bend_is_cheaper_straightened_than_with_any_constant():
    found = methods_of(drawn(N, 1, bend=1.0), drawn(M, 2, bend=1.0), degree=2)["polynomial"]
    assert found.gap.is_below_zero
    assert found.resamples == 199


def test_spreads_that_differ_are_cheaper_met_row_by_row():
    draw = np.random.default_rng(5)
    sd = np.where(draw.random(N) < 0.5, 0.5, 20.0)
    y = 10 + sd * draw.normal(size=N)
    found = methods_of((y, np.full(N, 10.0)), None, parts={"mean": np.full(N, 10.0), "sd": sd})
    assert list(found) == ["none", "optimal", "soft"]
    assert found["soft"].gap.is_below_zero


def test_more_rows_to_fit_on_leave_a_smaller_gap():
    few = methods_of(drawn(2000, 1), drawn(40, 2))["fitted"].gap.high
    many = methods_of(drawn(2000, 1), drawn(4000, 2))["fitted"].gap.high
    assert many < few / 3


def test_the_decision_has_a_line_for_the_fitted_constant():
    answer = analyze_dataset(question(drawn(N, 1, 2.0), drawn(M, 2, 2.0)))
    made = answer.costs[0].decisions
    assert [each.shift for each in made] == ["none", "optimal", "fitted"]
    optimal, fitted = made[1].cheapest, made[2].cheapest
    assert fitted.constant.low <= fitted.constant.value <= fitted.constant.high
    assert fitted.cost.value >= optimal.cost.value


def test_the_gap_over_alpha_is_never_below_zero_and_inside_its_band():
    answer = analyze_dataset(question(drawn(N, 1, 2.0), drawn(M, 2, 2.5)))
    [gap] = [c for c in answer.curves if c.curve == "cost_gap"]
    y, low, high = (np.array(v, float) for v in (gap.y, gap.low, gap.high))
    assert np.all(y >= 0) and np.all(low >= 0) and np.all(low <= high)
    assert np.mean((low <= y) & (y <= high)) > 0.9


def lows_of_gap(fit_bias, seed):
    test, fit = drawn(N, 2 * seed, 2.0), drawn(M, 2 * seed + 1, fit_bias)
    answer = analyze_dataset(question(test, fit, replicates=99))
    [gap] = [c for c in answer.curves if c.curve == "cost_gap"]
    return np.array(gap.low, float)


@pytest.mark.full
def test_constants_of_one_law_are_seldom_told_apart_anywhere_over_alpha():
    told = sum(lows_of_gap(2.0, seed).any() for seed in range(10, 40))
    assert told <= 4  # of 30; one in twenty is what a level of 95% allows


def test_constants_of_another_law_are_told_apart_over_alpha():
    assert np.mean(lows_of_gap(6.0, 10) > 0) > 0.5


def test_the_paths_of_constants_lie_on_one_line():
    answer = analyze_dataset(question(drawn(N, 1, 2.0), drawn(N, 1, 2.0), degree=1))
    paths = {c.params["method"]: c for c in answer.curves if c.curve == "rroc_path"}
    assert set(paths) == {"none", "optimal", "fitted", "polynomial"}
    assert (paths["fitted"].x, paths["fitted"].y) == (paths["optimal"].x, paths["optimal"].y)


def test_nothing_is_said_of_shifts_where_none_is_fitted_and_no_model_is_soft():
    y, score = drawn(N, 1)
    assert analyze_dataset(asked(y, {"m": score}, CostModel((0.8,)))).costs[0].shifts == ()


def test_of_very_many_rows_to_fit_a_polynomial_is_given(monkeypatch):
    monkeypatch.setattr("reportgen.analysis.costs.cost_model.MANY", 100)
    monkeypatch.setattr("reportgen.analysis.costs.shift_methods.MANY", 100)
    answer = analyze_dataset(question(drawn(N, 1, bend=1.0), drawn(M, 2, bend=1.0), degree=2))
    found = next(each for each in answer.costs[0].shifts if each.method == "polynomial")
    assert found.resamples == 0
    assert found.gap.low < found.gap.value < found.gap.high < 0
    paths = {c.params["method"]: len(c.x) for c in answer.curves if c.curve == "rroc_path"}
    assert paths["polynomial"] < paths["fitted"]


def test_a_polynomial_with_alpha_is_a_way_of_its_own_and_is_given():
    test, fit = drawn(N, 1, bend=1.0), drawn(M, 2, bend=1.0)
    found = methods_of(test, fit, degree=2, with_alpha=True)
    assert list(found) == ["none", "optimal", "fitted", "polynomial", "surface"]
    assert (found["surface"].degree, found["surface"].resamples) == (2, 0)
    shift = fit_polynomial_in_alpha(Amounts(*map(np.asarray, fit)), np.ones(M), 2).fix_alpha(0.8)
    paid = 1000 * 2.5 * linlin(test[1] + shift.evaluate(test[1]) - test[0], 0.8).mean()
    assert found["surface"].cost.value == pytest.approx(paid)
    assert found["surface"].gap.is_below_zero


def test_the_gap_of_each_polynomial_over_alpha_has_a_band_for_all_of_it():
    asked = question(drawn(N, 1, bend=1.0), drawn(M, 2, bend=1.0), degree=2, with_alpha=True)
    gaps = {c.params["method"]: c for c in analyze_dataset(asked).curves if c.curve == "cost_gap"}
    assert list(gaps) == ["fitted", "polynomial", "surface"]
    for method in ("polynomial", "surface"):
        y, low, high = (
            np.array(v, float)[2:-2] for v in (gaps[method].y, gaps[method].low, gaps[method].high)
        )
        assert gaps[method].method == "sup-t"
        assert np.all((low < y) & (y < high))
        assert np.mean(high < 0) > 0.5


def test_on_the_rows_that_taught_it_a_constant_is_no_way_of_its_own():
    both = drawn(N, 1)
    answer = analyze_dataset(question(both, both, degree=2, is_own=True))
    (found,) = answer.costs
    assert [each.method for each in found.shifts] == ["none", "optimal", "polynomial"]
    assert [made.shift for made in found.decisions] == ["none", "optimal"]
    assert {c.params["method"] for c in answer.curves if c.curve == "cost_gap"} == {"polynomial"}


def test_ranges_and_crossings_are_told_with_fitted_constants_too():
    test, fit = drawn(N, 1, 2.0), drawn(M, 2, 2.0)
    base = question(test, fit)
    worse = test[1] + 6 * np.random.default_rng(6).normal(size=N)
    also = taught(fit[0], fit[1] + 6 * np.random.default_rng(7).normal(size=M))
    other = but(base.models[0], worse, name="other", fit=also)
    asked = change_plan(base, models=(*base.models, other), pairs=(("other", "model"),))
    (found,) = analyze_dataset(asked).costs
    for rows in (found.envelope, found.ranges, found.crossings):
        assert {row.shift for row in rows} == {"none", "optimal", "fitted"}
    told = [each.verdict for each in found.ranges if each.shift == "fitted"]
    assert "dearer" in told and "cheaper" not in told
