"""Sentences about costs follow from the numbers of the decision table, and from nothing else."""

from dataclasses import replace

import pytest

from reportgen.report.prose.costs import (
    ALPHA,
    CostWording,
    describe_decision,
    title_of_envelope,
    title_of_ranges,
)
from reportgen.report.wording.numbers import format_ratio
from reportgen.results.costs import (
    CheapestRange,
    CostDecision,
    CostRange,
    IntervalEstimate,
    ModelCost,
)

TERMS = CostWording("EUR", "hours", 1000, 0.95, "clv", {"clv": "CLV", "gbm": "Boosted"}, True)
NOTHING = IntervalEstimate(0.0, 0.0, 0.0)
COST = IntervalEstimate(87000.0, 83000.0, 91000.0)
SAVING = IntervalEstimate(3200.0, 1300.0, 5100.0)
BEST_MODEL = ModelCost("gbm", NOTHING, COST, SAVING, NOTHING, NOTHING, 0.997, False)
PLAIN = CostDecision(
    0.8,
    4.0,
    1.0,
    "none",
    "gbm",
    COST,
    IntervalEstimate(2700.0, 800.0, 4600.0),
    NOTHING,
    IntervalEstimate(),
    True,
    (),
    (BEST_MODEL,),
)
HELPS = replace(PLAIN, shift="optimal")
CHEAPER = [CostRange("none", "gbm", "clv", "cheaper", 0.75, 1.0)]
BEST = [CheapestRange("none", "gbm", 0.7, 1.0)]


def changed(made, own, changes):
    """A decision with other numbers, `own` those of its best model."""
    best = replace(BEST_MODEL, model=changes.get("best", "gbm"), **own)
    return replace(made, models=(best,), **changes)


def said(
    own=None, constant=(-9.1, -9.3, -8.9), ranges=CHEAPER, envelope=BEST, terms=TERMS, **changes
):
    """`own` and the changes are of the models as they are, the constant of the models shifted."""
    plain = changed(PLAIN, own or {}, changes)
    shifted = changed(HELPS, {"constant": IntervalEstimate(*constant)}, {})
    return " ".join(describe_decision(plain, shifted, terms, ranges, envelope))


def test_ranges_that_end_close_to_one_another_do_not_read_the_same():
    ends = (0.0, 0.91973, 0.92004, 1.0)
    envelope = [CheapestRange("none", m, *ends[k : k + 2]) for k, m in enumerate("abc")]
    said = title_of_envelope(envelope, {"a": "A", "b": "B", "c": "C"})
    assert said == "By estimated cost, the cheapest is A up to 11 : 1, B up to 12 : 1, then C"
    assert ALPHA.span(0.91973, 0.92004) == "from 0.9197 to 0.92"


def test_an_asymmetry_near_an_end_is_not_printed_as_the_end():
    assert ALPHA.place(0.000403) == "α = 0.0004 (1 : 2,480)"
    assert ALPHA.place(0.0) == "α = 0 (0 : 1)"


def test_it_begins_with_what_errors_cost_and_who_is_cheapest():
    assert said().startswith(
        "If predicting 1 hours too low costs 4 EUR and 1 hours too high costs 1 EUR (α = 0.8), "
        "uncorrected Boosted has the lowest expected cost: 87,000 EUR per 1,000 cases"
    )


def test_without_unit_costs_it_says_the_ratio():
    terms = replace(TERMS, is_priced=False)
    assert said(terms=terms).startswith(
        "If predictions that are too low cost 4 times as much as those that are too high (α = 0.8)"
    )
    assert said(asymmetry=0.5, terms=terms).startswith("If errors cost the same in both directions")
    assert said(asymmetry=0.0, terms=terms).startswith(
        "If only predictions that are too high cost anything"
    )


def test_a_saving_is_said_only_where_its_interval_leaves_out_zero():
    assert "3,200 EUR less than uncorrected CLV (1,300 to 5,100)." in said()
    assert "cannot tell whether it saves anything" in said({"saving": replace(SAVING, low=-100.0)})


def test_the_baseline_saves_nothing_against_itself():
    text = said({"saving": NOTHING}, best="clv")
    assert "It is the current model" in text and "less than uncorrected CLV" not in text


def test_a_rival_is_named():
    assert "the data cannot tell it apart from CLV" in said(not_distinguishable=("clv",))


def test_the_range_of_the_answer_is_given_in_ratios():
    text = said()
    assert "costs less than CLV from α = 0.75 (a ratio of 3 : 1) up" in text
    assert "estimated cost is the lowest from α = 0.7 (a ratio of 2.3 : 1) up" in text


def test_a_range_that_is_not_shown_is_not_claimed():
    held = [replace(CHEAPER[0], verdict="undetermined")]
    assert "cannot tell here whether it costs less than CLV" in said(ranges=held)


def test_a_constant_whose_interval_holds_zero_is_not_advised():
    text = said(constant=(-9.1, -20.0, 2.0))
    assert "cannot tell whether its own constant helps" in text and "every score" not in text


@pytest.mark.parametrize(
    ("sign", "words"), [(-1, "Taking 9.10 hours off"), (1, "Adding 9.10 hours to")]
)
def test_a_constant_is_said_as_what_to_do(sign, words):
    text = said(constant=(sign * 9.1, *sorted((sign * 8.9, sign * 9.3))))
    assert f"{words} every score" in text and "a little higher" in text


def test_no_constant_is_no_advice():
    text = said(constant=(0.0, 0.0, 0.0))
    assert "Adding a constant to the scores" in text


def test_titles_say_where_who_is_cheapest():
    rows = [CheapestRange("none", "clv", 0.0, 0.7), *BEST]
    assert title_of_envelope(rows, TERMS.labels) == (
        "By estimated cost, the cheapest is CLV up to 2.3 : 1, then Boosted"
    )
    assert (
        title_of_envelope([replace(BEST[0], low=0.0)], {})
        == "gbm has the lowest estimated cost at every cost ratio"
    )
    assert title_of_ranges("Boosted", CHEAPER, "CLV") == (
        "Boosted is cheaper than CLV from 3 : 1 upwards"
    )


@pytest.mark.parametrize(("alpha", "words"), [(0.75, "3 : 1"), (0.95, "19 : 1"), (1 / 3, "1 : 2")])
def test_ratios_have_the_digits_one_can_use(alpha, words):
    assert format_ratio(alpha) == words


def test_a_stretch_between_two_ends_names_both():
    assert ALPHA.stretch(0.25, 0.75) == "from α = 0.25 to 0.75 (ratios of 1 : 3 to 3 : 1)"


def test_what_is_too_large_for_a_number_has_no_winner():
    text = said({"cost": IntervalEstimate()})
    assert "no model has a finite expected cost" in text and "Boosted" not in text


def test_a_one_sided_cost_makes_a_constant_free_and_names_no_winner():
    text = said(asymmetry=1.0)
    assert (
        "a large enough constant reduces the cost of every model to zero" in text
        and "every score" not in text
    )


def test_one_model_is_told_from_nobody():
    text = said(terms=replace(TERMS, is_alone=True))
    assert "told from" not in text and "cheapest" not in text and "lowest" not in text


def test_a_loss_without_a_price_goes_by_its_name():
    text = said(terms=replace(TERMS, is_priced=False, money="1", cases=1))
    assert "lowest expected Lin-Lin loss: 87,000 a case" in text and "EUR" not in text
