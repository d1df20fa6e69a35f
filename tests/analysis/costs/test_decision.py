"""The decision table, by hand on rows that a reader can do in the head."""

import numpy as np
import pytest

from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.resampling.design import Design
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.results.costs import IntervalEstimate
from tests.analysis.costs.asking import analysis, asked

# Errors of `low` are −2, −2, −2, 2 and of `high` 1, 1, 1, 5; a unit too low costs 4, too high 1.
Y = [10.0, 20.0, 30.0, 40.0]
SCORES = {"low": [8.0, 18.0, 28.0, 42.0], "high": [11.0, 21.0, 31.0, 45.0]}
FOUR_TO_ONE = CostModel((0.8,), total=5.0, unit="EUR", is_priced=True)


def found(shift):
    return next(made for made in decisions(Y, SCORES, FOUR_TO_ONE) if made.shift == shift)


def decisions(y, scores, cost_model=None, **more):
    return analysis(y, scores, cost_model, **more).decisions


def test_as_it_is_the_model_that_says_too_much_is_cheapest():
    made = found("none")
    assert made.best == "high"
    assert made.cheapest.cost.value == pytest.approx(1000 * (1 + 1 + 1 + 5) / 4)
    saved = 1000 * ((4 * (2 + 2 + 2) + 2) / 4 - 8 / 4)
    assert made.cheapest.saving.value == pytest.approx(saved)
    assert (made.under, made.over, made.cheapest.constant.value) == (4, 1, 0)


def test_the_best_constant_is_the_quantile_and_its_cost_is_what_is_left():
    # Both have errors c, c, c, c + 4: the 0.8-quantile of y − score is what takes c to zero.
    made = found("optimal")
    assert made.best == "low"  # of equal ones the first
    assert made.cheapest.constant.value == pytest.approx(2)
    assert made.cheapest.cost.value == pytest.approx(1000 * 4 * 1 / 4)
    assert made.before.value == pytest.approx(1000 * (4 * 6 + 2) / 4)
    assert made.cheapest.saving.value == pytest.approx(1000 * ((4 * 6 + 2) / 4 - 1))
    assert made.saving_same_shift.value == 0


def test_without_unit_costs_money_is_the_loss_itself():
    made = decisions(Y, SCORES, CostModel((0.5,)))[0]
    assert (made.under, made.over) == (1, 1)
    assert made.cheapest.cost.value == pytest.approx(min(8 / 4, 8 / 4))


def test_every_asymmetry_has_both_ways_to_act():
    made = decisions(Y, SCORES, CostModel((0.2, 0.8)))
    assert [(each.asymmetry, each.shift) for each in made] == [
        (0.2, "none"),
        (0.2, "optimal"),
        (0.8, "none"),
        (0.8, "optimal"),
    ]


def test_weights_count_in_money_too():
    weight = np.array([1.0, 1.0, 1.0, 3.0])
    first = decisions(Y, SCORES, FOUR_TO_ONE, weight=weight)[0].models[0]
    assert first.model == "low"
    assert first.cost.value == pytest.approx(1000 * (4 * 6 + 3 * 2) / 6)


def test_a_constant_that_never_varies_is_its_own_interval():
    y = np.arange(30.0)
    made = decisions(y, {"exact": y, "off": y + 1})[1]
    assert made.cheapest.constant == IntervalEstimate(0.0, 0.0, 0.0)


def noisy(n, sd, bias=0.0, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, n)
    return y, y + bias + sd * draw.standard_normal(n)


def test_a_clear_choice_is_stable_and_told_from_all_others():
    y, good = noisy(300, 1.0)
    bad = y + 10 * np.random.default_rng(1).standard_normal(300)
    made = decisions(y, {"bad": bad, "good": good})[0]
    assert (made.best, made.cheapest.share_best, made.is_stable) == ("good", 1.0, True)
    assert made.not_distinguishable == ()
    assert made.cheapest.saving.is_above_zero


def test_a_choice_between_equals_is_not_stable_and_names_its_rival():
    y, first = noisy(300, 5.0)
    second = y + 5 * np.random.default_rng(1).standard_normal(300)
    made = decisions(y, {"a": first, "b": second})[0]
    rival = {"a": "b", "b": "a"}[made.best]
    assert not made.is_stable and made.not_distinguishable == (rival,)


def test_no_constant_on_a_fine_grid_is_cheaper_than_the_one_in_the_table():
    y, score = noisy(97, 5.0, bias=-3.0)
    alphas = (0.1, 0.5, 0.65, 0.9)
    for made in decisions(y, {"m": score}, CostModel(alphas))[1::2]:
        alpha, cost = made.asymmetry, made.cheapest.cost.value
        tried = score[None, :] - y + np.linspace(-30, 30, 4001)[:, None]
        assert cost <= linlin(tried, alpha).mean(axis=1).min() + 1e-6
        moved = linlin(score + made.cheapest.constant.value - y, alpha).mean()
        assert cost == pytest.approx(moved, rel=1e-8)


def test_one_model_has_costs_but_saves_nothing():
    y, score = noisy(50, 2.0)
    made = decisions(y, {"only": score})[0]
    assert made.best == "only" and made.cheapest.saving.value == 0


def test_a_model_more_moves_no_number_of_the_others():
    y, first = noisy(80, 5.0)
    second, third = (noisy(80, 5.0, seed=k)[1] for k in (1, 2))
    few, more = (
        [
            (each.model, each.constant, each.cost, each.saving.value)
            for made in decisions(y, scores)
            for each in made.models
            if each.model != "c"
        ]
        for scores in ({"a": first, "b": second}, {"a": first, "b": second, "c": third})
    )
    assert few == more


def test_clusters_widen_the_interval_of_the_cost():
    draw = np.random.default_rng(3)
    unit = np.repeat(np.arange(25), 8)
    y = draw.gamma(2.0, 10.0, 200)
    score = y + 5 * draw.standard_normal(25)[unit]
    loose = decisions(y, {"m": score})[0].cheapest.cost
    tied = decisions(y, {"m": score}, unit=unit)[0].cheapest.cost
    assert tied.value == loose.value
    assert tied.high - tied.low > 1.5 * (loose.high - loose.low)


def test_threads_move_nothing():
    y, score = noisy(60, 2.0)
    question = asked(y, {"m": score, "zero": np.zeros(60)}, FOUR_TO_ONE)
    assert isinstance(question.sampling.design, Design)
    assert analyze_dataset(question, 1) == analyze_dataset(question, 2)


def test_a_saved_share_allows_for_the_error_of_what_it_is_a_share_of():
    draw = np.random.default_rng(5)
    y, error = draw.gamma(2.0, 10.0, 400), draw.lognormal(0.0, 1.5, 400)
    scores = {"wild": y + error, "half": y + error * (0.5 + 0.02 * draw.standard_normal(400))}
    made = decisions(y, scores, CostModel((0.5,)))[0]
    saving, share = made.cheapest.saving, made.saving_share
    before = made.cheapest.cost.value + saving.value
    assert share.value == pytest.approx(saving.value / before)
    assert share.low < 0.5 < share.high
    assert share.high - share.low < 0.1 * (saving.high - saving.low) / before


@pytest.mark.parametrize("total", [5e100, 5e-100])
def test_a_saved_share_is_the_same_in_every_currency(total):
    draw = np.random.default_rng(3)
    y = draw.normal(50, 9, 60)
    scores = {"today": y + draw.normal(5, 5, 60), "new": y + draw.normal(1, 3, 60)}
    here, there = (
        [
            (made.saving_share.value, made.saving_share.low, made.saving_share.high)
            for made in decisions(
                y, scores, CostModel((0.8,), total=each, unit="EUR", is_priced=True)
            )
        ]
        for each in (5.0, total)
    )
    for one, other in zip(here, there, strict=True):
        assert one == pytest.approx(other)


def test_what_is_no_saving_is_no_share_either():
    made = decisions(Y, {"low": SCORES["low"], "far": [0.0, 0.0, 0.0, 0.0]})[0]
    assert (made.best, made.saving_share.value) == ("low", 0.0)
    made = decisions(Y, {"exact": Y, "off": SCORES["low"]})[0]
    assert made.saving_share == IntervalEstimate()
