"""Gates in words: the number that was judged, its interval, what it was held to."""

from dataclasses import replace

from reportgen.report.wording.answers import describe_gate
from reportgen.report.wording.methods import explain_method
from reportgen.report.wording.requirements import describe_slack
from reportgen.results.core import Finding
from tests.report.conclusion.numbers_in import TAU

NB = "\u00a0"
BELOW = Finding(
    "error in bounds",
    "inconclusive",
    "",
    "below",
    "test",
    None,
    "mae",
    "mae",
    "b",
    None,
    40.0,
    38.6,
    37.4,
    40.2,
    0.95,
    "warn",
)
NON_INFERIOR = replace(
    BELOW,
    name="ranks no worse",
    rule="non_inferior",
    against="a",
    bound=0.01,
    value=0.004,
    low=-0.006,
    high=0.014,
)


def test_a_level_is_held_against_its_bound():
    assert describe_gate(BELOW, "dollars") == (
        "38.6 dollars (95% interval 37.4 to 40.2) against a bound of 40 dollars"
    )


def test_a_difference_is_held_against_its_margin():
    assert describe_gate(NON_INFERIOR) == (
        "difference +0.0040 (95% interval −0.0060 to +0.014), margin 0.01"
    )


def test_a_bound_that_was_cleared_by_little_is_seen_to_be_cleared():
    near = replace(BELOW, value=39.2, low=38.45, high=39.96)
    assert "38.45 to 39.96" in describe_gate(near)


def test_a_reason_is_not_reworded():
    assert describe_gate(replace(BELOW, reason="said so")) == "said so"


def test_a_gate_without_a_number_says_so():
    assert describe_gate(replace(BELOW, value=None)) == "the number does not exist"


def test_diebold_and_mariano_compare_whatever_loss_the_metric_has():
    assert explain_method("diebold-mariano") == (
        "compares the mean loss of the two models, allowing for dependence in time"
    )


def test_what_a_limit_needs_keeps_the_digits_of_the_margin_beside_a_wide_interval():
    wide = replace(NON_INFERIOR, value=-0.2, low=-0.9, high=0.5)
    assert describe_slack(wide, TAU, -0.9, -0.01, -0.89) == (
        "lower limit of this comparison alone −0.90, needs more than −0.01; missed by 0.89 "
        "(“ranks no worse”)"
    )


def test_a_limit_beside_a_share_of_the_baseline_keeps_the_digits_that_its_interval_allows():
    share = replace(NON_INFERIOR, value=-3.2, low=-5.1, high=-1.3149, bound=1.8055741)
    assert describe_slack(share, replace(TAU, better="lower"), -1.3149, 1.8055741, 3.1204741) == (
        "upper limit of this comparison alone −1.3, needs less than +1.8; met by 3.1 "
        "(“ranks no worse”)"
    )
