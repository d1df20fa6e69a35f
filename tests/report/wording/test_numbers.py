"""Digits, signs and units as a reader sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.report.wording import numbers
from reportgen.report.wording.names import clean_name
from reportgen.report.wording.numbers import NumberFormat, choose_format, format_decimal

NB = "\u00a0"
HALF_WIDTHS = [
    (0.356, 0.346, 0.365, "0.356"),
    (38.61, 37.4, 40.0, "38.6"),
    (104.5, 92.4, 117.1, "105"),
    (104_512.0, 80_000.0, 130_000.0, "105,000"),
    (0.0712, None, None, "0.0712"),
    (23_570.0, None, None, "23,570"),
    (0.0, 0.0, 0.0, "0"),
]


@pytest.mark.parametrize(("value", "low", "high", "printed"), HALF_WIDTHS)
def test_digits_follow_the_half_width(value, low, high, printed):
    assert choose_format(value, low, high).number(value) == printed


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_the_half_width_is_between_3_and_30_of_the_last_digit(middle, half):
    form = choose_format(middle, middle - half, middle + half)
    low, high = middle - half, middle + half
    assert 2.999 <= (high - low) / 2 * 10**form.decimals <= 30.01


@given(st.floats(-1e9, 1e9), st.integers(-3, 6))
def test_a_printed_number_reads_back_within_half_a_digit(value, decimals):
    text = format_decimal(value, decimals).replace(",", "").replace("−", "-")
    assert abs(float(text) - value) <= 0.5 * 10.0**-decimals * 1.001 + 1e-6


def test_a_bound_just_off_zero_gets_a_digit_more():
    assert choose_format(0.005, 0.0003, 0.010, apart_from=(0.0,)).interval(0.0003, 0.01) == (
        "0.00030 to 0.010"
    )


def test_a_wide_interval_leaves_two_digits_of_the_estimate():
    form = choose_format(240.03, -130_000.0, 130_000.0, "EUR")
    assert form.amount(240.03) == "240 EUR"
    assert form.number(7.79, signed=True) == "+7.79"
    assert form.interval(-130_000.0, 130_000.0, signed=True) == "−130,000 to +130,000"


@given(st.floats(-1e40, 1e40), st.floats(0, 1e40), st.sampled_from(["EUR", "share"]))
def test_a_number_that_is_not_zero_has_two_digits(value, half, unit):
    form = choose_format(value, value - half, value + half, unit)
    for number in (value, value - half, value + half):
        digits = [c for c in form.number(number).partition("×")[0] if c.isdigit()]
        assert not number or len("".join(digits).lstrip("0")) >= 2


def test_numbers_of_many_zeros_are_written_with_a_power_of_ten():
    large = choose_format(1.9437e34, 1.1e34, 2.8e34, "EUR²")
    assert large.amount(1.9437e34) == f"1.9{NB}×{NB}10³⁴ EUR²"
    assert choose_format(2e15, None, None).number(-2e15) == f"−2.00{NB}×{NB}10¹⁵"
    assert choose_format(9e14, None, None).number(9e14) == "900,000,000,000,000"
    assert choose_format(3.2e-10, -1.0, 1.0).number(3.2e-10, signed=True) == f"+3.2{NB}×{NB}10⁻¹⁰"
    assert numbers.choose_declared_precision(1e-12).number(1e-12) == f"1.0{NB}×{NB}10⁻¹²"


def test_a_minus_is_never_a_hyphen():
    form = NumberFormat(1, "$")
    assert form.amount(-5.3) == "−$5.30"
    assert form.interval(-2.0, 0.5, signed=True) == "−2.00 to +0.50"


def test_an_open_interval_says_which_end_is_known():
    assert NumberFormat(2).interval(None, 0.03) == "up to 0.03"
    assert NumberFormat(2).interval(0.97, None) == "0.97 or more"
    assert NumberFormat(2).interval(None, None) == numbers.MISSING


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.003, "p = 0.003"),
        (0.0, "p < 0.001"),
        (1.0, "p > 0.99"),
        (0.2, "p = 0.20"),
        (0.05, "p = 0.050"),
    ],
)
def test_a_p_value_is_never_zero_or_one(p, said):
    assert numbers.format_p_value(p) == said


def test_a_share_is_hundred_percent_only_when_it_is_all():
    assert numbers.format_percent(1.0) == "100%"
    assert numbers.format_percent(0.9999) == "over 99.9%"
    assert numbers.format_percent(0.997) == "99.7%"
    assert numbers.format_percent(0.0) == "0%"


def test_names_cannot_turn_the_direction_or_break_the_line():
    assert clean_name("a\u202eb\nc\u0000") == "ab c"
    assert len(clean_name("x" * 300)) == 60
