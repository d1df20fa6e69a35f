"""Gates in words: the number that was judged, its interval, what it was held to."""

from dataclasses import replace

from reportgen.report.wording.answers import describe_gate
from reportgen.report.wording.methods import explain_method
from reportgen.results.core import GateResult

NB = "\u00a0"
BELOW = GateResult(
    "error in bounds",
    "cannot tell",
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
