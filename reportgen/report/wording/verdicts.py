"""Verdicts, their tones, and the numbers printed next to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import floor, isclose, log10
from typing import Literal

from reportgen.report.wording.names import (
    LONGEST,
    capitalize_label,
    clean_name,
    distance_prefix,
    lower_first_word,
)
from reportgen.report.wording.numbers import (
    MISSING,
    PER_1000,
    NumberFormat,
    choose_declared_format,
    choose_format,
    format_level,
    format_size,
    refine_format,
    round_half_up,
)
from reportgen.results.conclusion import HeadlineComparison
from reportgen.results.core import Comparison, MetricInfo, ModelPair
from reportgen.results.sensitivity import AlternativeChoice
from reportgen.results.types import NEAREST, Number, OpenVocabulary, Word


def describe_difference_kind(metric: MetricInfo, most: int = LONGEST) -> str:
    """Describe what a difference is one of: the metric, or how far it is from what is best."""
    subject = lower_first_word(clean_name(metric.label, most))
    return f"the {distance_prefix(metric)}{subject}" if metric.better in NEAREST else subject


def format_comparison(comparison: Comparison, metric: MetricInfo) -> str:
    """The signed difference with the interval that decides, for a list or a label."""
    if comparison.status != "ok" or comparison.difference is None:
        return comparison.status if comparison.status != "ok" else "undefined"
    form = choose_difference_format(comparison, metric)
    value = form.amount(comparison.difference, signed=True)
    shown = format_interval(comparison, form)
    return f"{value} ({'no interval' if shown == MISSING else shown})"


def format_interval(compared: Comparison | HeadlineComparison, form: NumberFormat) -> str:
    """Format the interval that decides; a limit that is not 0 never reads as 0."""
    return form.interval(compared.low, compared.high, signed=True)


def format_unsigned_interval(comparison: Comparison, form: NumberFormat) -> str:
    """The interval that decides, of how far one is ahead; empty where there are no two limits."""
    low, high = comparison.low, comparison.high
    if low is None or high is None:
        return ""
    return " to ".join(form.limit(limit) for limit in sorted((abs(low), abs(high))))


def choose_difference_format(comparison: _Compared, metric: MetricInfo) -> NumberFormat:
    """Return as many decimals as the interval allows.

    A limit is printed on its side of zero and of the margin. A difference that is rounded to tens
    or hundreds shows two digits.
    """
    form = choose_format(comparison.difference, comparison.low, comparison.high, metric.unit)
    plain = NumberFormat(form.decimals, metric.unit)
    if plain.decimals < 0 and comparison.difference is not None:
        shown = plain.show_two_digits().decimals_of(comparison.difference)
        plain = plain.raise_decimals(min(shown, 0))
    return _raise_for_reading(comparison, plain)


def choose_pair_format(
    pair: HeadlineComparison | Comparison, metric: MetricInfo, values: Iterable[Number]
) -> NumberFormat:
    """Return the decimals of a difference and of its two values, so that they subtract in print.

    As many as the difference has, and more where a value needs them to show two digits or not to
    read as a bound of its metric. With a difference of exactly 0 without limits, values keep their
    own decimals.
    """
    ends = tuple(values)
    if pair.difference is None or is_exactly_zero(pair):
        own = (choose_format(x, None, None, metric.unit, bounds=metric.bounds) for x in ends)
        return NumberFormat(max((form.decimals for form in own), default=0), metric.unit)
    return refine_format(choose_difference_format(pair, metric), ends, metric.bounds)


def name_interval(comparison: Comparison) -> str:
    """Name the interval that decides: its level, and whether it is adjusted."""
    is_adjusted = comparison.family_size > 1
    return f"{'adjusted ' * is_adjusted}{format_level(comparison.level)} interval"


def name_intervals(comparisons: Sequence[Comparison]) -> str:
    """Name the intervals of several comparisons, of which not all may be adjusted."""
    return " or ".join(dict.fromkeys(map(name_interval, comparisons)))


def format_margin(margin: Number, metric: MetricInfo) -> str:
    """A margin in its unit, with the percent it was declared as where it was.

    >>> from reportgen.results.core import MetricInfo
    >>> mae = MetricInfo("mae", "mae", {}, "MAE", "lower", "$", (0, None), "", "", "", 0.66, "2%")
    >>> format_margin(0.6662348, mae)
    '$0.666 (2%)'
    """
    share = metric.margin_text.replace(" %", "%")
    declared = f" ({share})" if "%" in share else ""
    return format_size(choose_declared_format(margin, metric.unit), margin) + declared


def round_up_two_digits(number: int) -> int:
    """A number of rows as it may be planned with: two digits of it.

    >>> round_up_two_digits(81_234), round_up_two_digits(7)
    (81000, 7)
    """
    return int(round_half_up(number, 1 - floor(log10(number)))) if number else 0


def explain_absence(metric: MetricInfo, status: str, reason: str) -> str:
    """Why there is no number."""
    verb = "does not apply" if status == "not applicable" else "is undefined"
    joint = " " if reason.startswith("where ") else ": "
    because = f"{joint}{reason.rstrip('.')}" if reason else ""
    return f"{capitalize_label(metric)} {verb}{because}."


TONES: Mapping[Word, Literal["good", "bad", "neutral"]] = OpenVocabulary(
    {"clearly better": "good", "better": "good", "worse": "bad", "clearly worse": "bad"},
    "neutral",
)
MARKS: Mapping[Word, str] = OpenVocabulary(
    {
        "clearly better": "▲▲",
        "better": "▲",
        "equivalent": "◇",
        "not worse": "△",
        "not better": "▽",
        "cannot tell": "○",
        "worse": "▼",
        "clearly worse": "▼▼",
        "no result": "–",
    },
    "–",
)
"""The sign of each verdict, doubled where it is clear; none that reads as part of a number."""


_Compared = HeadlineComparison | Comparison | ModelPair | AlternativeChoice
_MORE = 8  # decimals at most, beyond what the least precise row allows, for two digits
_APART = 2  # and to tell a limit from zero and from the margin


def choose_row_format(
    row: HeadlineComparison, metric: MetricInfo, first: HeadlineComparison | None = None
) -> NumberFormat:
    """Return as many decimals as the interval of a row allows, and more where one would mislead.

    Shares are never printed in tens of percent: one in four would be 20%. A limit is printed on its
    side of zero and of the margin. A difference has two digits that are not zero, unless both of
    its limits, on either side of zero, have them. The values next to the difference show two digits
    and are not rounded to a bound. They subtract to it within one unit of the last decimal. With a
    difference of exactly 0 without limits, values keep their own decimals. A row under the `first`
    row of a forest begins with the decimals of that row, and its values are not printed.
    """
    if first is not None and first is not row:
        return _raise_for_reading(row, choose_row_format(first, metric))
    return choose_pair_format(row, metric, (row.value, row.baseline_value))


def _raise_for_reading(row: _Compared, form: NumberFormat) -> NumberFormat:
    """Add decimals until the difference has digits and its limits are apart from the margin."""
    form = form.raise_decimals(0) if form.unit in ("share", PER_1000) else form
    for most, is_told in ((_MORE, _has_digits), (_APART, _is_apart)):
        for _ in range(most):
            if row.difference is None or is_told(row, form):
                break
            form = replace(form, decimals=form.decimals + 1)
    return form


def is_exactly_zero(row: HeadlineComparison | Comparison) -> bool:
    """Tell whether the difference is exactly 0 and has no limits."""
    return row.difference == 0 and row.low is None and row.high is None


def choose_values_format(rows: Iterable[tuple[Number, Number, Number]], unit: str) -> NumberFormat:
    """The decimals of several values with their limits: those of the finest."""
    forms = [choose_format(*row, unit) for row in rows]
    return max(forms, key=lambda each: each.decimals, default=NumberFormat(2, unit))


def _is_apart(row: _Compared, form: NumberFormat) -> bool:
    """Tell whether no limit reads as zero or as the margin where it is not.

    One that is at the margin is printed with all decimals that the margin has.
    """
    margin = row.margin
    marks = (0.0,) if margin is None else (0.0, margin, -margin)
    return not any(
        form.bare(end, signed=True) == form.bare(mark, signed=True)
        and (end != mark or not _is_exact(form, mark))
        for end in (row.low, row.high)
        if end is not None
        for mark in marks
    )


def _is_exact(form: NumberFormat, value: float) -> bool:
    """Tell whether a value has no more decimals than are printed."""
    scaled = 100 * value if form.unit == "share" else value
    return isclose(scaled, round(scaled, form.decimals), rel_tol=1e-9)


def _has_digits(row: _Compared, form: NumberFormat) -> bool:
    """Tell whether the difference shows two digits that count, or both limits of none do."""
    if not row.difference or _count_digits(form, row.difference) > 1:
        return True
    ends = (row.low or 0.0, row.high or 0.0)
    return ends[0] < 0 < ends[1] and all(_count_digits(form, end) > 1 for end in ends)


def _count_digits(form: NumberFormat, value: Number) -> int:
    return len(form.bare(value, signed=True).replace(",", "").replace(".", "").lstrip("+−0"))
