"""Advice on costs follows from intervals, and is not given where they do not bear it."""

from dataclasses import replace

import pytest

from reportgen.wording import Asymmetries, CostTerms, advice, harmful, least_title, ways

TERMS = CostTerms("USD", "USD", 1000, 0.95, "clv", {"clv": "CLV", "gbm": "Boosted"}, True)
RANGES = [
    {"shift": "none", "candidate": "gbm", "verdict": "dearer", "low": 0.0, "high": 0.7},
    {"shift": "none", "candidate": "gbm", "verdict": "undetermined", "low": 0.7, "high": 0.78},
    {"shift": "none", "candidate": "gbm", "verdict": "cheaper", "low": 0.78, "high": 1.0},
]


def row(best="gbm", saved=(3200.0, 1300.0, 5100.0), alpha=0.8):
    value, low, high = saved
    plain = {"alpha": alpha, "best": best, "saved": value, "saved_low": low, "saved_high": high}
    return plain | {"cost": 20500.0, "cost_low": 19000.0, "cost_high": 22000.0}


def three(key, value, by):
    return {key: value, f"{key}_low": value - by, f"{key}_high": value + by}


SHIFTED = {
    "alpha": 0.8, "best": "gbm", **three("constant", 12.2, 1), **three("cost", 7400.0, 300),
    **three("saved", 13100.0, 900), **three("gained", 13100.0, 900),
}  # fmt: skip


def test_a_constant_that_would_save_much_stands_beside_the_advice_to_keep():
    said = advice(row("clv", (0.0, 0.0, 0.0)), TERMS, RANGES, SHIFTED)
    assert said == (
        "Keep CLV: no other model is cheaper as it is. Yet adding 12.2 USD to every score of "
        "Boosted would cost 7,400 USD per 1,000 cases against 20,500 USD of CLV as it is: worth "
        "learning such a constant on other rows (role: fit)."
    )


@pytest.mark.parametrize("change", [three("saved", 100.0, 900), three("saved", 100.0, 50)])
def test_a_constant_that_brings_nothing_or_a_trifle_is_not_spoken_of(change):
    assert "12.2" not in advice(row(best="clv"), TERMS, RANGES, SHIFTED | change)


def test_a_constant_that_other_rows_taught_takes_the_place_of_the_best():
    fitted = SHIFTED | three("constant", 11.5, 1)
    said = advice(row(best="clv"), TERMS, RANGES, SHIFTED, fitted)
    assert "adding 11.5 USD to every score of Boosted, as other rows taught, costs 7,400" in said
    assert "role: fit" not in said
    harm = fitted | three("gained", -500.0, 90) | three("saved", -500.0, 90)
    assert advice(row(best="clv"), TERMS, RANGES, SHIFTED, harm).endswith("cheaper as it is.")


def test_no_money_is_spoken_of_where_nothing_is_priced():
    free = replace(TERMS, money="1", is_priced=False, cases=1, loss="quadquad")
    share = {"saved_share": 0.32, "saved_share_low": 0.11, "saved_share_high": 0.48}
    said = advice(row() | {"cost": 6800.0} | share, free, RANGES)
    assert (
        "lowers the expected Quad-Quad loss by about 32\xa0% of what CLV has "
        "(95\xa0% interval 11\xa0% to 48\xa0%)"
    ) in said
    assert "save" not in said and "per 1,000 cases" not in said


def test_a_share_whose_error_is_not_known_is_called_an_estimate():
    free = replace(TERMS, money="1", is_priced=False, cases=1)
    said = advice(row() | {"cost": 6800.0}, free, RANGES)
    assert "by about 32\xa0% of what is estimated for CLV." in said


def test_models_that_cost_the_same_are_not_told_cheaper():
    assert advice(row(saved=(0.0, 0.0, 0.0)), TERMS, RANGES) == "Keep CLV: Boosted costs the same."


def test_one_model_is_not_held_against_others():
    said = advice(row(best="clv"), replace(TERMS, is_alone=True), RANGES)
    assert said == "Nothing is compared: CLV is the only model."


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_one_sided_cost_makes_no_constant_worth_learning(alpha):
    assert "12.2" not in advice(row(best="clv", alpha=alpha), TERMS, RANGES, SHIFTED)


def way(model, method, cost, excess_low):
    return {
        "alpha": 0.8, "model": model, "method": method, "degree": 2, **three("cost", cost, 100.0),
        **three("gap", 10.0, 20.0), **three("saved", 20500.0 - cost, 100.0),
        **three("excess", excess_low + 50.0, 50.0),
    }  # fmt: skip


WAYS = [
    way("clv", "none", 20500.0, 900.0), way("gbm", "none", 17300.0, 800.0),
    way("gbm", "optimal", 7000.0, 0.0), way("gbm", "soft", 7300.0, 0.0),
    way("gbm", "polynomial", 7350.0, -20.0),
]  # fmt: skip


def test_the_cheapest_way_names_what_it_is_level_with_and_the_advice_the_same():
    said = " ".join(ways(WAYS, TERMS))
    assert "Boosted with its own density costs least" in said
    assert "Level with it: Boosted with its fitted polynomial." in said
    assert least_title(WAYS, TERMS).endswith("level with Boosted with its fitted polynomial")
    bold = advice(row(), TERMS, RANGES, None, None, WAYS)
    assert "Better still, Boosted with its own density costs 7,300 USD" in bold
    assert "13,200 USD less than CLV as it is" in bold and "level with it: Boosted with" in bold


def test_a_fitted_constant_that_does_harm_is_not_to_be_used():
    rows = [
        {"model": "clv", "shift": "fitted", **three("gained", -36300.0, 1500.0)},
        {"model": "gbm", "shift": "fitted", **three("gained", 100.0, 1500.0)},
    ]
    assert harmful(rows, TERMS) == (
        "Do not use it: on these rows the fitted constant makes CLV dearer by 36,300 USD per "
        "1,000 cases (34,800 to 37,800) than it is left alone; the rows that it was learnt on "
        "differ from these."
    )
    assert harmful(rows[1:], TERMS) == ""


def test_a_change_is_advised_with_what_it_saves_and_for_which_ratios():
    assert advice(row(), TERMS, RANGES) == (
        "Use Boosted in place of CLV. For every 1,000 cases expect to save about 3,200 USD "
        "(95\xa0% interval 1,300 to 5,100). That holds while 1 USD too low costs at least "
        "3.5 times as much as 1 USD too high; under 2.3 times CLV is cheaper than Boosted, in "
        "between it is open."
    )


def test_no_change_is_advised_where_the_saving_may_be_nothing():
    said = advice(row(saved=(3200.0, -1.0, 5100.0)), TERMS, RANGES)
    assert said.startswith("Keep CLV for now")


def test_the_model_in_use_is_kept_where_it_is_the_cheapest():
    assert advice(row(best="clv"), TERMS, RANGES).startswith("Keep CLV:")


def test_a_saving_at_one_ratio_is_not_said_to_hold_at_others():
    assert "for this cost ratio alone" in advice(row(alpha=0.75), TERMS, RANGES)


@pytest.mark.parametrize(("low", "high", "said"), [
    (0.0, 1.0, "whatever the cost ratio"),
    (0.0, 0.9, "at most 9 times"),
    (0.5, 0.9, "at least 1 and at most 9 times"),
])  # fmt: skip
def test_both_ends_of_the_range_are_named(low, high, said):
    ranges = [{**RANGES[2], "low": low, "high": high}]
    assert said in advice(row(), TERMS, ranges)


def test_without_a_model_in_use_or_a_ratio_nothing_is_advised():
    nobody = CostTerms("USD", "USD", 1000, 0.95, None, {}, True)
    curved = CostTerms("1", "USD", 1000, 0.95, "clv", {}, False, "linexp", Asymmetries("c", -1, 1))
    assert advice(row(), nobody, RANGES) == advice(row(), curved, RANGES) == ""
