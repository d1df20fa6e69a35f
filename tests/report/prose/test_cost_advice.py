"""What is cheapest is a claim: the lowest cost, and what its interval says of the baseline."""

from dataclasses import replace

from reportgen.report.prose.cost_advice import (
    describe_cheapest,
    describe_methods,
    list_cost_details,
    title_of_cheapest_method,
)
from reportgen.report.prose.costs import AsymmetryWording, CostWording, describe_harmful
from reportgen.results.costs import (
    CostDecision,
    CostOption,
    IntervalEstimate,
    ModelCost,
    ShiftCost,
)

LABELS = {"clv": "CLV", "gbm": "Boosted", "rf": "Forest"}
TERMS = CostWording("USD", "USD", 1000, 0.95, "clv", LABELS, True)


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


def claim(options, terms=TERMS):
    return describe_cheapest(options, terms)


def test_the_cheapest_is_named_with_its_ratio_and_what_it_saves():
    assert claim(CHANGE) == (
        "Cheapest at 4 : 1: Boosted, 3,200 USD per 1,000 cases less than CLV (2,300 to 4,100)."
    )


def test_a_model_that_page_one_sets_aside_has_its_mark_where_it_is_named_cheapest():
    terms = replace(TERMS, labels={**TERMS.labels, "gbm": "Boosted ①"})
    assert claim(CHANGE, terms).startswith("Cheapest at 4 : 1: Boosted ①, 3,200 USD")


def test_a_saving_whose_interval_holds_zero_is_left_open():
    assert claim(CHANCE) == (
        "Cheapest at 4 : 1: Boosted; the data cannot tell whether it costs less than "
        "uncorrected CLV. "
        "The data cannot tell it apart from CLV."
    )


def test_the_baseline_may_be_the_cheapest():
    assert claim(KEEP) == "Cheapest at 4 : 1: CLV."
    assert claim(KEEP[:1], replace(TERMS, is_alone=True)) == "CLV is the only model."


def test_a_correction_is_named_beside_its_model_and_so_is_what_is_level():
    rows = [
        act("clv", 20500.0, excess=13200.0),
        act("gbm", 7350.0, excess=50.0, method="polynomial", level=True, advised=True),
        act("gbm", 7300.0, method="soft", level=True),
    ]
    said = claim(rows)
    assert said.startswith("Cheapest at 4 : 1: Boosted with its predicted distribution, 13,200 USD")
    assert said.endswith("The data cannot tell it apart from Boosted with its fitted polynomial.")


def test_no_money_is_named_where_nothing_is_priced():
    free = replace(TERMS, money="1", is_priced=False, cases=1, loss="quadquad")
    for share, end in (
        (IntervalEstimate(0.32, 0.11, 0.48), "32% less than CLV (11% to 48%)."),
        (IntervalEstimate(0.32), "32% less than CLV."),
    ):
        said = claim([CHANGE[0], replace(CHANGE[1], saving_share=share)], free)
        assert said == f"Cheapest at 4 : 1: Boosted, {end}"


def test_without_a_model_in_use_or_a_ratio_nothing_is_claimed():
    nobody = CostWording("USD", "USD", 1000, 0.95, None, {}, True)
    curved = CostWording(
        "1", "USD", 1000, 0.95, "clv", {}, False, "linexp", AsymmetryWording("c", -1, 1)
    )
    assert claim(CHANGE, nobody) == claim(CHANGE, curved) == ""


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
    assert "Boosted with its predicted distribution is the cheapest option" in said
    assert "The data cannot tell it apart from Boosted with its fitted polynomial." in said
    assert title_of_cheapest_method(WAYS, TERMS).endswith(
        "the data cannot tell it apart from Boosted with its fitted polynomial"
    )


def test_a_fitted_constant_that_does_harm_is_named():
    (best,) = shifted().models
    worse = replace(best, model="clv", saving_by_shift=around(-36300.0, 1500.0))
    unclear = replace(best, saving_by_shift=around(100.0, 1500.0))
    assert describe_harmful([worse, unclear], TERMS) == (
        "On these rows the fitted constant makes CLV more expensive by 36,300 USD per 1,000 cases "
        "(34,800 to 37,800). The rows that it was fitted on differ from these."
    )
    assert describe_harmful([unclear], TERMS) == ""


SAVED = around(3200.0, 900.0)


def plain(best="gbm", saving=SAVED):
    """The decision on the models as they are."""
    cost = around(17300.0, 300)
    own = ModelCost(best, NOTHING, cost, saving, NOTHING, NOTHING, 1.0, False)
    return CostDecision(
        0.8, 4.0, 1.0, "none", best, cost, saving, NOTHING, NOTHING, True, (), (own,)
    )


def test_a_saving_that_the_claim_has_is_not_repeated():
    at, cost, saving, constant = list_cost_details(CHANGE, plain(), shifted(), TERMS)
    assert at == "If predicting 1 USD too low costs 4 USD and 1 USD too high costs 1 USD (α = 0.8)."
    assert cost == (
        "That is 17,300 USD per 1,000 cases (95% CI 17,000 to 17,600), the lowest of all "
        "uncorrected models."
    )
    assert saving == ""
    assert constant.startswith("With constants added to the scores, it stays the cheapest")


def test_a_saving_that_is_open_follows_the_cost():
    kept = [act("clv", 7300.0, method="fitted", level=True, advised=True), *CHANCE[1:]]
    kept = [replace(kept[0]), replace(kept[1], excess=around(12400.0, 900.0))]
    _, cost, saving, _ = list_cost_details(
        kept, plain(saving=around(800.0, 900.0)), shifted(), TERMS
    )
    assert cost.startswith("Of the uncorrected models, Boosted has the lowest expected cost: ")
    assert saving.endswith("(−100 to +1,700); the data cannot tell whether it saves anything.")
