"""Numbers in, the word of page one out: each row of the table of answer words."""

from dataclasses import replace

import pytest

from reportgen.report.conclusion import conclude
from reportgen.report.wording.verdicts import choose_printed_limits, choose_word, does_contradict
from tests.report.conclusion.numbers_in import MAE, TAU, compared, results

# limits and margin -> word
WORDS = [
    (0.011, 0.030, 0.01, "Better"),
    (0.009, 0.027, 0.01, "Better; size unclear"),
    (0.001, 0.009, 0.01, "Better, but negligibly"),
    (-0.001, 0.009, 0.01, "Equivalent"),
    (-0.001, 0.010, 0.01, "Non-inferior"),
    (-0.008, 0.008, 0.01, "Equivalent"),
    (-0.009, 0.020, 0.01, "Non-inferior"),
    (-0.020, 0.020, 0.01, "Not enough evidence"),
    (-0.009, -0.001, 0.01, "Worse, but negligibly"),
    (-0.020, -0.001, 0.01, "Worse; size unclear"),
    (-0.020, -0.011, 0.01, "Worse"),
    (0.001, 0.020, None, "Better"),
    (-0.020, -0.001, None, "Worse"),
    (-0.020, 0.001, None, "Not enough evidence"),
]


@pytest.mark.parametrize(("low", "high", "margin", "expected"), WORDS)
def test_a_word_follows_from_the_printed_interval_and_the_margin(low, high, margin, expected):
    found = compared(replace(TAU, margin=margin), low, high)
    assert choose_word(found) == expected
    assert choose_printed_limits(found) == (low, high)


@pytest.mark.parametrize(("low", "high", "margin", "expected"), WORDS)
def test_where_less_is_better_the_words_are_those_of_the_other_side(low, high, margin, expected):
    found = compared(replace(MAE, margin=margin), -high, -low)
    assert choose_word(found) == expected


def test_a_difference_of_nothing_is_no_difference():
    found = replace(compared(TAU, -0.0, 0.0), is_same=True)
    assert choose_word(found) == "No difference"


def test_two_values_whose_difference_has_no_error_are_said_to_be_equal():
    """Precision 100% against 100%: the interval is that of few rows, not of a difference."""
    found = replace(compared(TAU, -0.1, 0.7), difference=0.0, se=0.0, verdict="inconclusive")
    assert choose_word(found) == "Equal on these rows"
    assert choose_word(replace(found, se=0.01)) == "Not enough evidence"
    assert choose_word(replace(found, difference=0.01)) == "Not enough evidence"
    assert (
        choose_word(replace(found, se=None)) == "Not enough evidence"
    )  # its limits say how it varies
    assert choose_word(replace(found, se=None, low=None, high=None)) == "Equal on these rows"
    assert does_contradict("Equal on these rows", "Better") and choose_printed_limits(found) == (
        -0.1,
        0.7,
    )


def test_what_is_not_there_has_its_own_words():
    found = compared(TAU, 0.0, 0.1)
    assert choose_word(replace(found, status="undefined", verdict="undefined")) == "Undefined"
    absent = replace(found, status="not applicable", verdict="not applicable")
    assert choose_word(absent) == "Not applicable"


CONTRARY = [
    ("Better", "Worse", True),
    ("Better", "Worse, but negligibly", True),
    ("Better; size unclear", "Not enough evidence", True),
    ("Better", "Equivalent", False),
    ("Better", "Non-inferior", False),
    ("Worse", "Better", True),
    ("Worse", "Not enough evidence", False),
    ("Equivalent", "Worse", True),
    ("Non-inferior", "Better", True),
    ("Not enough evidence", "Not enough evidence", False),
]


@pytest.mark.parametrize(("said", "other", "is_contrary"), CONTRARY)
def test_which_word_takes_back_another(said, other, is_contrary):
    assert does_contradict(other, said) is is_contrary


def test_an_interval_says_for_how_many_comparisons_it_is_adjusted():
    both = (compared(TAU, 0.011, 0.03), compared(TAU, 0.02, 0.04, "rfm"))
    assert [r.adjusted_for for r in conclude(results(*both, models=("boost", "rfm"))).rows] == [
        2,
        2,
    ]
    none = results(*both, models=("boost", "rfm"))
    none = replace(none, inference=replace(none.inference, adjust="none"))
    assert [row.adjusted_for for row in conclude(none).rows] == [0, 0]
    assert "not adjusted" in conclude(none).sentence
    assert "adjusted" not in conclude(results(compared(TAU, 0.011, 0.03))).sentence


def test_a_comparison_without_limits_is_not_adjusted_for():
    """As the limits of the others do not allow for it, either."""
    names = ("boost", "rfm", "last91")
    made = [
        compared(TAU, low, 0.03, name) for low, name in zip((0.011, 0.02, 0.0), names, strict=True)
    ]
    made[2] = replace(
        made[2],
        difference=0.0,
        low=None,
        high=None,
        adjusted_low=None,
        adjusted_high=None,
        p_value=None,
        p_adjusted=None,
    )
    rows = conclude(results(*made, models=names)).rows
    assert {row.candidate: row.adjusted_for for row in rows if row.low is not None} == {
        "boost": 2,
        "rfm": 2,
    }
