"""Limits at an end of what a difference of shares can be: nothing is known to that side."""

import pytest

from reportgen.report.wording.numbers import choose_format


@pytest.mark.parametrize(
    ("value", "low", "high", "said"),
    [
        (-0.0638, -1.0, -0.0473, ("−6.4 points", "up to −4.7")),
        (0.0638, -0.002, 1.0, ("+6.4 points", "−0.20 or more")),
        (-0.0638, -0.08, -0.0473, ("−6.4 points", "−8.0 to −4.7")),
    ],
)
def test_a_limit_that_nothing_can_pass_is_no_limit(value, low, high, said):
    form = choose_format(value, low, high, "share")
    assert (form.amount(value, signed=True), form.interval(low, high, signed=True)) == said


def test_of_other_units_one_is_a_limit_like_any_other():
    form = choose_format(-0.5, -1.0, -0.1, "$")
    assert form.interval(-1.0, -0.1, signed=True) == "−1.00 to −0.10"
