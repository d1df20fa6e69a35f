"""The decision table, by hand on rows that a reader can do in the head."""

import numpy as np
import pytest

from reportgen.analysis.answer import infer
from reportgen.costs import Prices
from reportgen.losses.losses import linlin
from reportgen.resampling.design import Design
from tests.costs.asking import asked, tables

# Errors of `low` are −2, −2, −2, 2 and of `high` 1, 1, 1, 5; a unit too low costs 4, too high 1.
Y = [10.0, 20.0, 30.0, 40.0]
SCORES = {"low": [8.0, 18.0, 28.0, 42.0], "high": [11.0, 21.0, 31.0, 45.0]}
FOUR_TO_ONE = Prices((0.8,), total=5.0, unit="EUR", is_priced=True)


def found(shift):
    rows = tables(Y, SCORES, FOUR_TO_ONE)["decision"]
    return next(row for row in rows if row["shift"] == shift)


def test_as_it_is_the_model_that_says_too_much_is_cheapest():
    row = found("none")
    assert row["best"] == "high"
    assert row["cost"] == pytest.approx(1000 * (1 + 1 + 1 + 5) / 4)
    assert row["saved"] == pytest.approx(1000 * ((4 * (2 + 2 + 2) + 2) / 4 - 8 / 4))
    assert (row["under"], row["over"], row["constant"]) == (4, 1, 0)


def test_the_best_constant_is_the_quantile_and_its_cost_is_what_is_left():
    # Both have errors c, c, c, c + 4: the 0.8-quantile of y − score is what takes c to zero.
    row = found("optimal")
    assert row["best"] == "low"  # of equal ones the first
    assert row["constant"] == pytest.approx(2)
    assert row["cost"] == pytest.approx(1000 * 4 * 1 / 4)
    assert row["before"] == pytest.approx(1000 * (4 * 6 + 2) / 4)
    assert row["saved"] == pytest.approx(1000 * ((4 * 6 + 2) / 4 - 1))
    assert row["saved_alike"] == 0


def test_without_unit_costs_money_is_the_loss_itself():
    row = tables(Y, SCORES, Prices((0.5,)))["decision"][0]
    assert (row["under"], row["over"]) == (1, 1)
    assert row["cost"] == pytest.approx(min(8 / 4, 8 / 4))


def test_every_asymmetry_has_both_ways_to_act():
    rows = tables(Y, SCORES, Prices((0.2, 0.8)))["decision"]
    assert [(r["alpha"], r["shift"]) for r in rows] == [
        (0.2, "none"), (0.2, "optimal"), (0.8, "none"), (0.8, "optimal")
    ]  # fmt: skip


def test_weights_count_in_money_too():
    weight = np.array([1.0, 1.0, 1.0, 3.0])
    row = tables(Y, SCORES, FOUR_TO_ONE, weight=weight)["decision_models"][0]
    assert (row["model"], row["cost"]) == ("low", pytest.approx(1000 * (4 * 6 + 3 * 2) / 6))


def test_a_constant_that_never_varies_is_its_own_interval():
    y = np.arange(30.0)
    rows = tables(y, {"exact": y, "off": y + 1})["decision"]
    best = rows[1]
    assert (best["constant"], best["constant_low"], best["constant_high"]) == (0, 0, 0)


def noisy(n, sd, bias=0.0, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, n)
    return y, y + bias + sd * draw.standard_normal(n)


def test_a_clear_choice_is_stable_and_told_from_all_others():
    y, good = noisy(300, 1.0)
    bad = y + 10 * np.random.default_rng(1).standard_normal(300)
    row = tables(y, {"bad": bad, "good": good})["decision"][0]
    assert (row["best"], row["share_best"], row["is_stable"]) == ("good", 1.0, True)
    assert row["level_with"] == ""
    assert row["saved_low"] > 0


def test_a_choice_between_equals_is_not_stable_and_names_its_rival():
    y, first = noisy(300, 5.0)
    second = y + 5 * np.random.default_rng(1).standard_normal(300)
    row = tables(y, {"a": first, "b": second})["decision"][0]
    rival = {"a": "b", "b": "a"}[row["best"]]
    assert not row["is_stable"] and row["level_with"] == rival


def test_no_constant_on_a_fine_grid_is_cheaper_than_the_one_in_the_table():
    y, score = noisy(97, 5.0, bias=-3.0)
    alphas = (0.1, 0.5, 0.65, 0.9)
    rows = tables(y, {"m": score}, Prices(alphas))["decision"]
    for row in rows[1::2]:
        tried = score[None, :] - y + np.linspace(-30, 30, 4001)[:, None]
        least = linlin(tried, row["alpha"]).mean(axis=1).min()
        assert row["cost"] <= least + 1e-6
        moved = linlin(score + row["constant"] - y, row["alpha"]).mean()
        assert row["cost"] == pytest.approx(moved, rel=1e-8)


def test_one_model_has_costs_but_saves_nothing():
    y, score = noisy(50, 2.0)
    row = tables(y, {"only": score})["decision"][0]
    assert row["best"] == "only" and row["saved"] == 0


def test_a_model_more_moves_no_number_of_the_others():
    y, first = noisy(80, 5.0)
    second, third = (noisy(80, 5.0, seed=k)[1] for k in (1, 2))
    few = tables(y, {"a": first, "b": second})["decision_models"]
    more = tables(y, {"a": first, "b": second, "c": third})["decision_models"]
    kept = [
        {k: row[k] for k in ("model", "constant", "constant_low", "cost", "cost_low", "saved")}
        for rows in (few, more)
        for row in rows
        if row["model"] != "c"
    ]
    assert kept[: len(few)] == kept[len(few) :]


def test_clusters_widen_the_interval_of_the_cost():
    draw = np.random.default_rng(3)
    unit = np.repeat(np.arange(25), 8)
    y = draw.gamma(2.0, 10.0, 200)
    score = y + 5 * draw.standard_normal(25)[unit]
    loose = tables(y, {"m": score})["decision"][0]
    tied = tables(y, {"m": score}, unit=unit)["decision"][0]
    assert tied["cost"] == loose["cost"]
    assert tied["cost_high"] - tied["cost_low"] > 1.5 * (loose["cost_high"] - loose["cost_low"])


def test_threads_move_nothing():
    y, score = noisy(60, 2.0)
    question = asked(y, {"m": score, "zero": np.zeros(60)}, FOUR_TO_ONE)
    assert isinstance(question.design, Design)
    assert infer(question, 1) == infer(question, 2)


def test_a_saved_share_allows_for_the_error_of_what_it_is_a_share_of():
    draw = np.random.default_rng(5)
    y, error = draw.gamma(2.0, 10.0, 400), draw.lognormal(0.0, 1.5, 400)
    scores = {"wild": y + error, "half": y + error * (0.5 + 0.02 * draw.standard_normal(400))}
    row = tables(y, scores, Prices((0.5,)))["decision"][0]
    before = row["cost"] + row["saved"]
    assert row["saved_share"] == pytest.approx(row["saved"] / before)
    width = row["saved_share_high"] - row["saved_share_low"]
    assert row["saved_share_low"] < 0.5 < row["saved_share_high"]
    assert width < 0.1 * (row["saved_high"] - row["saved_low"]) / before


@pytest.mark.parametrize("total", [5e100, 5e-100])
def test_a_saved_share_is_the_same_in_every_currency(total):
    draw = np.random.default_rng(3)
    y = draw.normal(50, 9, 60)
    scores = {"today": y + draw.normal(5, 5, 60), "new": y + draw.normal(1, 3, 60)}
    here, there = (
        tables(y, scores, Prices((0.8,), total=each, unit="EUR", is_priced=True))["decision"]
        for each in (5.0, total)
    )
    for name in ("saved_share", "saved_share_low", "saved_share_high"):
        assert [row[name] for row in there] == pytest.approx([row[name] for row in here])


def test_what_is_no_saving_is_no_share_either():
    rows = tables(Y, {"low": SCORES["low"], "far": [0.0, 0.0, 0.0, 0.0]})["decision"]
    assert (rows[0]["best"], rows[0]["saved_share"]) == ("low", 0.0)
    assert tables(Y, {"exact": Y, "off": SCORES["low"]})["decision"][0]["saved_share"] is None
