"""Numbers in, sentence out: every kind of verdict, word for word."""

from dataclasses import replace

import pytest

from reportgen.report.wording import verdicts
from reportgen.results.core import Comparison, MetricInfo

NB = "\u00a0"
KENDALL = MetricInfo(
    "kendall",
    "kendall",
    {},
    "Kendall τ-b",
    "higher",
    "1",
    (-1.0, 1.0),
    "",
    "",
    "",
    0.01,
    "0.01",
    True,
    "order",
)
MAE = MetricInfo(
    "mae", "mae", {}, "Mean absolute error", "lower", "dollars", (0.0, None), "", "", ""
)
BIAS = replace(MAE, key="bias", name="bias", label="Bias", better="zero")
COST = replace(MAE, key="cost", name="cost", label="Asymmetric cost")


def found(info, difference, low, high, word, **more):
    """A comparison with what the words depend on; its other numbers are of no account."""
    plain = {
        "dataset": "test",
        "segment": None,
        "key": info.key,
        "metric": info.name,
        "params": {},
        "unit": info.unit,
        "better": info.better,
        "candidate": "b",
        "baseline": "a",
        "difference": difference,
        "favours": None,
        "low": low,
        "high": high,
        "level": 0.95,
        "method": "",
        "se": None,
        "p_value": None,
        "p_adjusted": None,
        "test": "",
        "probability_better": None,
        "margin": info.margin,
        "word": word,
        "family": "choice",
        "n": 23_570,
    }
    return Comparison(**{**plain, **more})


SHORT = [
    (
        KENDALL,
        found(KENDALL, 0.018, 0.0108, 0.0252, "clearly better"),
        "+0.018 (+0.011 to +0.025)",
    ),
    (
        KENDALL,
        found(KENDALL, 0.001, -0.006, 0.008, "equivalent"),
        "+0.0010 (−0.0060 to +0.0080)",
    ),
    (
        replace(MAE, margin=2.0),
        found(MAE, 5.3, 4.7, 5.9, "clearly worse", margin=2.0),
        "+5.3 dollars (+4.7 to +5.9)",
    ),
    (
        KENDALL,
        found(
            KENDALL, None, None, None, "no result", status="undefined", reason="every y is equal"
        ),
        "undefined",
    ),
    (
        MAE,
        found(MAE, None, None, None, "no result", status="not applicable", reason=""),
        "not applicable",
    ),
]


@pytest.mark.parametrize(("metric", "comparison", "said"), SHORT)
def test_a_difference_reads_in_short(metric, comparison, said):
    assert verdicts.format_comparison(comparison, metric) == said


def test_a_bound_never_prints_on_the_margin_that_it_clears():
    near = found(KENDALL, 0.018, 0.0102, 0.026, "clearly better")
    assert "+0.0102 to +0.0260" in verdicts.format_comparison(near, KENDALL)


def test_a_difference_that_is_rounded_to_tens_shows_two_digits():
    small = found(MAE, -26.96, -1176.4, 1121.9, "cannot tell")
    assert verdicts.format_comparison(small, MAE) == "−27 dollars (−1,176 to +1,122)"
    large = found(MAE, 133.445, -3347.9, 3614.8, "cannot tell")
    assert verdicts.format_comparison(large, MAE) == "+130 dollars (−3,350 to +3,610)"
    less = found(MAE, 0.3, -1176.4, 1121.9, "cannot tell")
    assert verdicts.format_comparison(less, MAE) == "0 dollars (−1,176 to +1,122)"


def test_a_relative_margin_says_its_percent():
    metric = replace(MAE, margin=0.6662348, margin_text="2%")
    assert verdicts.format_margin(metric.margin, metric) == "0.666 dollars (2%)"


def test_why_there_is_no_number_is_a_sentence():
    assert verdicts.explain_absence(KENDALL, "undefined", "every y is equal") == (
        "Kendall τ-b is undefined: every y is equal."
    )


@pytest.mark.parametrize(("value", "verdict"), [(0.0, "equivalent"), (2.0, "cannot tell")])
def test_without_an_interval_none_is_spoken_of(value, verdict):
    comparison = found(KENDALL, value, None, None, verdict)
    assert verdicts.format_comparison(comparison, KENDALL).endswith(" (no interval)")


def test_a_limit_that_is_not_zero_never_prints_as_zero():
    """Two decimals are added for it; beyond them that limit alone shows a digit."""
    near = found(KENDALL, 0.011, 3.1e-6, 0.022, "better")
    assert "(+0.000003 to +0.02200)" in verdicts.format_comparison(near, KENDALL)
    share = replace(KENDALL, unit="share")
    assert "(+0.0003 to +2.200)" in verdicts.format_comparison(near, share)
    turned = replace(near, word="worse", difference=-0.011, low=-0.022, high=-3.1e-6)
    assert "(−0.02200 to −0.000003)" in verdicts.format_comparison(turned, KENDALL)
    tiny = replace(near, low=3.1e-12)
    assert "(+3.1\xa0×\xa010⁻¹² to +0.02200)" in verdicts.format_comparison(tiny, KENDALL)
    at_zero = replace(near, low=0.0, word="cannot tell")
    assert "(0.000 to +0.022)" in verdicts.format_comparison(at_zero, KENDALL)


def test_a_decided_interval_with_one_limit_alone_is_printed_as_it_is():
    """It was said to lie below 0, down to its upper limit."""
    open_ = found(KENDALL, -0.5, None, -0.3, "worse")
    assert verdicts.format_interval(open_, verdicts.NumberFormat(1)) == "up to −0.3"


def test_a_difference_without_any_interval_has_none():
    lacking = found(KENDALL, 0.011, None, None, "cannot tell", reason="no interval: few clusters")
    assert "no interval" in verdicts.format_comparison(lacking, KENDALL)


def test_a_flipped_segment_quotes_sizes():
    near = found(KENDALL, -0.011, -0.022, -3.1e-6, "worse")
    form = verdicts.choose_difference_format(near, KENDALL)
    assert verdicts.format_unsigned_interval(near, form) == "0.000003 to 0.02200"
    assert verdicts.format_unsigned_interval(replace(near, high=None), form) == ""


def test_what_is_best_at_zero_differs_in_size():
    assert verdicts.describe_difference_kind(BIAS) == "the size of bias"
    assert verdicts.describe_difference_kind(KENDALL) == "Kendall τ-b"
