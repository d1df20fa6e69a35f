"""Calls of so many rows: every sentence and table prints a count as the one next to it does."""

from dataclasses import replace

import pytest

from reportgen.report.prose import operating_points
from reportgen.report.prose.operating_points import choose_base
from reportgen.report.wording.numbers import PER_1000, choose_format
from reportgen.results.classification import OperatingPoint, PointOutcome


def point(tp, fp, fn, tn, rule="fixed", **more):
    n = tp + fp + fn + tn
    shares = {
        "flagged": (tp + fp) / n,
        "found": 1000 * tp / n,
        "missed": 1000 * fn / n,
        "false_positives": 1000 * fp / n,
    }
    found = tuple(
        PointOutcome(
            name, "1" if name == "flagged" else PER_1000, value, 0.4 * value, 1.6 * value, 0.95
        )
        for name, value in shares.items()
    )
    return OperatingPoint("d", "half", rule, "a", tn, fp, fn, tp, found, {}, **more)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [(126.98, 80.3, 195.6), (8.6, 3.9, 19.2), (0.3, 0.1, 0.9), (0.0, 0.0, 30.0)],
)
def test_a_metric_of_counts_is_printed_as_the_table_of_thresholds_has_it(value, low, high):
    of_calls = operating_points.choose_count_form(
        PointOutcome("found", PER_1000, value, low, high, 0.95)
    )
    of_metric = choose_format(value, low, high, PER_1000)
    assert of_metric.number(value) == of_calls.number(value)
    assert of_metric.interval(low, high) == of_calls.interval(low, high)


def test_a_count_of_so_many_is_said_as_the_table_has_it():
    one = point(15, 2, 10, 99, "share", share=17 / 126)
    assert (
        operating_points.describe_setting(one, 126, 1000)
        == "the 17 highest scores, 135 of every 1,000"
    )
    called = operating_points.find_outcome(operating_points.rescale_point(one, 1000), "flagged")
    assert operating_points.choose_count_form(called).number(called.value) == "135"


@pytest.mark.parametrize(
    ("counts", "is_off"),
    [
        ((6, 3, 19, 98), True),  # 48 + 151 found and missed of 198
        ((14, 6, 42, 268), True),  # 42 + 127 of 170, and 42 + 18 of 61 flagged
        ((40, 10, 60, 390), False),
    ],
)
def test_sums_that_do_not_add_up_as_printed_are_told(counts, is_off):
    assert (
        bool(
            operating_points.describe_rounding(
                [operating_points.rescale_point(point(*counts), 1000)], 1000
            )
        )
        is is_off
    )


def test_that_no_row_is_flagged_is_said_in_words():
    none, some = point(0, 0, 25, 101), point(15, 2, 10, 99)
    case = ("row", "rows")
    assert operating_points.describe_none_flagged(none, none, ("A", "B"), case) == (
        "At “half”, A and B flag no rows."
    )
    assert (
        operating_points.describe_none_flagged(none, some, ("A", "B"), case)
        == "At “half”, A flags no rows."
    )
    assert operating_points.describe_none_flagged(some, none, ("A", "B"), case) == ""


@pytest.mark.parametrize(
    ("positives", "n", "base"),
    [
        (500, 1000, 1_000),
        (20, 1000, 1_000),
        (19, 1000, 10_000),
        (2, 1000, 10_000),
        (1, 1000, 100_000),
        (1, 100_000, 1_000_000),
        (1, 10**9, 1_000_000),
        (0, 1000, 1_000),
    ],
)
def test_a_rare_class_is_counted_of_so_many_rows_that_twenty_are_of_it(positives, n, base):
    assert choose_base([point(positives, 0, 0, n - positives)]) == base


def test_the_base_is_1_000_where_only_flagged_rows_have_a_label():
    assert choose_base([replace(point(1, 2, 0, 1), false_negatives=None)]) == 1_000
