"""Advice on costs follows from intervals, and is not given where they do not bear it."""

from dataclasses import replace

import pytest

from reportgen.report.wording.cost_advice import (
    advise,
    describe_methods,
    format_advice,
    list_advice_details,
    title_of_cheapest_method,
)
from reportgen.report.wording.costs import AsymmetryWording, CostWording, describe_harmful
from reportgen.results.costs import (
    CostDecision,
    CostOption,
    CostRange,
    IntervalEstimate,
    ModelCost,
    ShiftCost,
)

LABELS = {"clv": "CLV", "gbm": "Boosted", "rf": "Forest"}
TERMS = CostWording("USD", "USD", 1000, 0.95, "clv", LABELS, True)


def stretch(verdict, low, high, candidate="gbm", baseline="clv"):
    return CostRange("none", candidate, baseline, verdict, low, high)


RANGES = [
    stretch("dearer", 0.0, 0.7),
    stretch("undetermined", 0.7, 0.78),
    stretch("cheaper", 0.78, 1.0),
]


def around(value, by):
    return IntervalEstimate(value, value - by, value + by)


def act(model, cost, *, excess=0.0, by=900.0, method="none", level=False, advised=False):
    """An option and its excess over the cheapest; CLV as it is costs 20,500."""
    saving = 20500.0 - cost
    return CostOption(
        asymmetry=0.8,
        model=model,
        method=method,
        degree=2,
        constant=around(11.5, 1),
        cost=around(cost, 300.0),
        saving=around(saving, by if saving else 0.0),
        saving_share=around(saving / 20500, by / 20500 if saving else 0.0),
        excess=around(excess, by if excess else 0.0),
        is_distinguishable=not level,
        is_advised=advised,
    )


CHANGE = [act("clv", 20500.0, excess=3200.0), act("gbm", 17300.0, level=True, advised=True)]
KEEP = [act("clv", 20500.0, level=True, advised=True), act("gbm", 21000.0, excess=500.0)]
CHANCE = [
    act("clv", 20500.0, excess=800.0, level=True, advised=True),
    act("gbm", 19700.0, level=True),
]
NOTHING = around(0.0, 0.0)


MUCH = around(13100.0, 900.0)


def shifted(saving=MUCH):
    """The decision with the best constants, in which Boosted saves so much."""
    best = ModelCost(
        "gbm", around(12.2, 1), around(7400.0, 300), saving, NOTHING, NOTHING, 1.0, False
    )
    return CostDecision(
        0.8,
        4.0,
        1.0,
        "optimal",
        "gbm",
        around(17300.0, 300),
        NOTHING,
        MUCH,
        NOTHING,
        True,
        (),
        (best,),
    )


def at(options, alpha):
    return [replace(option, asymmetry=alpha) for option in options]


def test_a_change_is_advised_with_what_it_saves_and_for_which_ratios():
    assert advise(CHANGE, TERMS, RANGES) == (
        "Use Boosted in place of CLV. For every 1,000 cases expect to save about 3,200 USD "
        "(95% interval 2,300 to 4,100). That holds while 1 USD too low costs at least "
        "3.5 times as much as 1 USD too high; under 2.3 times CLV is cheaper than Boosted; "
        "elsewhere neither is shown to be cheaper."
    )


def test_no_change_is_advised_while_the_model_in_use_may_be_as_cheap():
    said = advise(CHANCE, TERMS, RANGES)
    assert said == (
        "Keep CLV for now: Boosted came out cheaper, but with all that can be put to use at every "
        "cost ratio listed allowed for, it may have been chance."
    )


def test_ranges_against_another_model_than_the_one_in_use_are_not_read():
    others = [stretch("dearer", 0.0, 0.5, baseline="rf"), stretch("cheaper", 0.5, 1.0, "rf", "gbm")]
    assert advise(CHANGE, TERMS, [*others, *RANGES]) == advise(CHANGE, TERMS, RANGES)
    assert "for this cost ratio alone" in advise(CHANGE, TERMS, others)


def test_what_is_open_on_both_sides_is_said_once():
    ranges = [
        stretch("undetermined", 0.0, 0.5),
        stretch("cheaper", 0.5, 0.9),
        stretch("undetermined", 0.9, 1.0),
    ]
    said = advise(CHANGE, TERMS, ranges)
    assert said.endswith("as much as 1 USD too high; beyond that neither is shown to be cheaper.")
    assert said.count("beyond that") == 1


def test_what_is_dearer_on_one_side_is_not_told_of_the_other():
    ranges = [
        stretch("dearer", 0.0, 0.3),
        stretch("undetermined", 0.3, 0.5),
        stretch("cheaper", 0.5, 0.9),
        stretch("undetermined", 0.9, 1.0),
    ]
    said = advise(CHANGE, TERMS, ranges)
    assert said.count("CLV is cheaper than Boosted") == 1
    assert said.endswith(
        "under 0.4 times CLV is cheaper than Boosted; elsewhere neither is shown to be cheaper."
    )


def test_a_constant_that_would_save_much_stands_beside_the_advice_to_keep():
    said = advise(KEEP, TERMS, RANGES, shifted())
    assert said == (
        "Keep CLV: no other model is cheaper as it is. Yet adding 12.20 USD to every score of "
        "Boosted would cost 7,400 USD per 1,000 cases against 20,500 USD of CLV as it is: worth "
        "learning such a constant on other rows (role: fit)."
    )


@pytest.mark.parametrize("saving", [around(100.0, 900), around(100.0, 50)])
def test_a_constant_that_brings_nothing_or_a_trifle_is_not_spoken_of(saving):
    assert "12.2" not in advise(KEEP, TERMS, RANGES, shifted(saving))


def test_a_constant_that_other_rows_taught_takes_the_place_of_the_best():
    taught = act("gbm", 7400.0, method="fitted", level=True, advised=True)
    said = advise([replace(KEEP[0], is_advised=False), taught], TERMS, RANGES, shifted())
    assert said.startswith(
        "Use Boosted in place of CLV, adding 11.50 USD to every score, as fitted on other rows. "
    )
    assert "role: fit" not in said


def test_a_constant_of_the_model_in_use_keeps_it():
    taught = act("clv", 7400.0, method="fitted", level=True, advised=True)
    said = advise([replace(KEEP[0], is_advised=False), taught], TERMS, RANGES)
    assert said.startswith(
        "Keep CLV, adding 11.50 USD to every score, as fitted on other rows. For"
    )


def test_the_least_change_is_advised_and_the_rest_called_level():
    rows = [
        act("clv", 20500.0, excess=13200.0),
        act("gbm", 7350.0, excess=50.0, method="polynomial", level=True, advised=True),
        act("rf", 7400.0, excess=100.0, method="polynomial", level=True),
        act("gbm", 7300.0, method="soft", level=True),
    ]
    said = advise(rows, TERMS, RANGES)
    assert said.startswith("Use Boosted with its fitted polynomial in place of CLV. For every")
    assert said.endswith(
        "Boosted with its own density came out cheapest, but is not shown to cost less than that, "
        "and changes more; nor is Forest with its fitted polynomial distinguishable from it."
    )


def test_models_not_told_from_the_advised_one_are_named():
    rows = [*CHANGE, act("rf", 17400.0, excess=100.0, level=True)]
    assert advise(rows, TERMS, RANGES).endswith(
        "Its cost is not distinguishable from that of Forest."
    )


def test_no_money_is_spoken_of_where_nothing_is_priced():
    free = replace(TERMS, money="1", is_priced=False, cases=1, loss="quadquad")
    share = IntervalEstimate(0.32, 0.11, 0.48)
    said = advise([CHANGE[0], replace(CHANGE[1], saving_share=share)], free, RANGES)
    assert (
        "lowers the expected Quad-Quad loss by about 32% of what CLV has (95% interval 11% to 48%)"
    ) in said
    assert "save" not in said and "per 1,000 cases" not in said


def test_a_share_whose_error_is_not_known_is_called_an_estimate():
    free = replace(TERMS, money="1", is_priced=False, cases=1)
    share = IntervalEstimate(0.32)
    said = advise([CHANGE[0], replace(CHANGE[1], saving_share=share)], free, RANGES)
    assert "by about 32% of what is estimated for CLV." in said


def test_models_that_cost_the_same_are_not_told_cheaper():
    same = [act("clv", 20500.0, level=True, advised=True), act("gbm", 20500.0, level=True)]
    assert advise(same, TERMS, RANGES) == "Keep CLV: Boosted costs the same."


def test_one_model_is_not_held_against_others():
    said = advise(KEEP[:1], replace(TERMS, is_alone=True), RANGES)
    assert said == "Nothing is compared: CLV is the only model."


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_one_sided_cost_makes_no_constant_worth_learning(alpha):
    assert "12.2" not in advise(at(KEEP, alpha), TERMS, RANGES, replace(shifted(), asymmetry=alpha))


def way(model, method, cost, excess_low):
    return ShiftCost(
        asymmetry=0.8,
        model=model,
        method=method,
        degree=2,
        cost=around(cost, 100.0),
        gap=around(10.0, 20.0),
        saving=around(20500.0 - cost, 100.0),
        excess=around(excess_low + 50.0, 50.0),
        resamples=99,
    )


WAYS = [
    way("clv", "none", 20500.0, 900.0),
    way("gbm", "none", 17300.0, 800.0),
    way("gbm", "optimal", 7000.0, 0.0),
    way("gbm", "soft", 7300.0, 0.0),
    way("gbm", "polynomial", 7350.0, -20.0),
]


def test_the_cheapest_way_names_what_it_is_level_with():
    said = " ".join(describe_methods(WAYS, TERMS))
    assert "Boosted with its own density costs least" in said
    assert "Not distinguishable from it: Boosted with its fitted polynomial." in said
    assert title_of_cheapest_method(WAYS, TERMS).endswith(
        "not distinguishable from Boosted with its fitted polynomial"
    )


def test_a_fitted_constant_that_does_harm_is_not_to_be_used():
    (best,) = shifted().models
    worse = replace(best, model="clv", saving_by_shift=around(-36300.0, 1500.0))
    unclear = replace(best, saving_by_shift=around(100.0, 1500.0))
    assert describe_harmful([worse, unclear], TERMS) == (
        "Do not use it: on these rows the fitted constant makes CLV dearer by 36,300 USD per "
        "1,000 cases (34,800 to 37,800) than it is left alone; the rows that it was learnt on "
        "differ from these."
    )
    assert describe_harmful([unclear], TERMS) == ""


def test_the_model_in_use_is_kept_where_it_is_the_cheapest():
    assert advise(KEEP, TERMS, RANGES) == "Keep CLV: no other model is cheaper as it is."


def test_a_saving_at_one_ratio_is_not_said_to_hold_at_others():
    assert "for this cost ratio alone" in advise(at(CHANGE, 0.75), TERMS, RANGES)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.0, 1.0, "whatever the cost ratio"),
        (0.0, 0.9, "at most 9 times"),
        (0.5, 0.9, "at least 1 and at most 9 times"),
    ],
)
def test_both_ends_of_the_range_are_named(low, high, said):
    assert said in advise(CHANGE, TERMS, [stretch("cheaper", low, high)])


def test_without_a_model_in_use_or_a_ratio_nothing_is_advised():
    nobody = CostWording("USD", "USD", 1000, 0.95, None, {}, True)
    curved = CostWording(
        "1", "USD", 1000, 0.95, "clv", {}, False, "linexp", AsymmetryWording("c", -1, 1)
    )
    assert advise(CHANGE, nobody, RANGES) == advise(CHANGE, curved, RANGES) == ""


SAVED = around(3200.0, 900.0)


def plain(best="gbm", saving=SAVED):
    """The decision on the models as they are."""
    cost = around(17300.0, 300)
    own = ModelCost(best, NOTHING, cost, saving, NOTHING, NOTHING, 1.0, False)
    return CostDecision(
        0.8, 4.0, 1.0, "none", best, cost, saving, NOTHING, NOTHING, True, (), (own,)
    )


def test_ratios_that_are_drawn_are_not_told_again():
    said = advise(CHANGE, TERMS, RANGES, is_drawn=True)
    assert said.endswith("(95% interval 2,300 to 4,100).")
    others = [stretch("dearer", 0.0, 0.5, baseline="rf")]
    assert "for this cost ratio alone" in advise(CHANGE, TERMS, others, is_drawn=True)


def test_advice_begins_with_the_costs_it_is_for():
    said = format_advice(advise(CHANGE, TERMS, RANGES, is_drawn=True), plain(), TERMS)
    assert said.startswith(
        "Where 1 USD too low costs 4 USD and 1 USD too high 1 USD (α = 0.8), use Boosted in place"
    )


def test_a_saving_that_the_advice_has_is_not_told_again():
    cost, saving, constant = list_advice_details(CHANGE, plain(), shifted(), TERMS)
    assert cost == (
        "That is 17,300 USD per 1,000 cases (95% interval 17,000 to 17,600), the lowest of the "
        "models as they are."
    )
    assert saving == ""
    assert constant.startswith("If a constant may be added to the scores, it stays the cheapest")


def test_a_saving_that_is_not_shown_stands_beside_the_advice_to_keep():
    cost, saving, _ = list_advice_details(
        CHANCE, plain(saving=around(800.0, 900.0)), shifted(), TERMS
    )
    assert cost.startswith("Of the models as they are, Boosted has the lowest expected cost: ")
    assert saving.endswith("(−100 to +1,700) holds zero: a saving is not shown.")
