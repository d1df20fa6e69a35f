"""Advice on costs follows from intervals, and is not given where they do not bear it."""

import pytest

from reportgen.wording import Asymmetries, CostTerms, advice

TERMS = CostTerms("USD", "USD", 1000, 0.95, "clv", {"clv": "CLV", "gbm": "Boosted"}, True)
RANGES = [
    {"shift": "none", "candidate": "gbm", "verdict": "dearer", "low": 0.0, "high": 0.7},
    {"shift": "none", "candidate": "gbm", "verdict": "undetermined", "low": 0.7, "high": 0.78},
    {"shift": "none", "candidate": "gbm", "verdict": "cheaper", "low": 0.78, "high": 1.0},
]


def row(best="gbm", saved=(3200.0, 1300.0, 5100.0), alpha=0.8):
    value, low, high = saved
    return {"alpha": alpha, "best": best, "saved": value, "saved_low": low, "saved_high": high}


def test_a_change_is_advised_with_what_it_saves_and_for_which_ratios():
    assert advice(row(), TERMS, RANGES) == (
        "Use Boosted in place of CLV. For every 1,000 cases expect to save about 3,200 USD "
        "(95\xa0% interval 1,300 to 5,100). That holds while 1 USD too low costs at least "
        "3.5 times as much as 1 USD too high; under 2.3 times CLV is cheaper, in between it is "
        "open."
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
