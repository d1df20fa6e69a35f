"""What curves show, in words: top of a ranking, buckets, segments."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report.wording.names import clean_name, join_list, lower_first_word
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_precision,
    choose_format,
    format_count,
    format_percent,
    format_times,
)
from reportgen.report.wording.verdicts import format_interval, name_interval
from reportgen.results.core import Comparison, MetricInfo, ModelInfo
from reportgen.results.types import Number


def describe_capture(share: float, target: str, rows: str, held: Sequence[tuple[str, str]]) -> str:
    """Describe what the top holds by each model; nothing where no value is known.

    >>> describe_capture(0.2, "spend", "customers", [("CLV", "69%"), ("RFM", "68%")])
    'The top 20% of customers hold 69% of spend by CLV and 68% by RFM'
    """
    if not held:
        return ""
    (first, value), *others = held
    said = [f"{value} of {clean_name(target, 40)} by {clean_name(first, 30)}"]
    said += [f"{value} by {clean_name(model, 30)}" for model, value in others]
    return f"The top {(format_percent(share))} of {clean_name(rows, 30)} hold {join_list(said)}"


def describe_capture_differences(
    share: float,
    baseline: ModelInfo | None,
    differences: Sequence[tuple[str, Comparison]],
    form: NumberFormat,
) -> str:
    """The differences with their intervals; nothing where there is none."""
    known = [(label, c) for label, c in differences if c.difference is not None]
    if baseline is None or not known:
        return ""
    clauses = [
        f"{clean_name(label, 30)} {form.amount(c.difference, signed=True)} "
        f"({format_interval(c, form)})"
        for label, c in known
    ]
    head = f"At {(format_percent(share))}, differences from {clean_name(baseline.label, 30)}"
    return f"{head} with the {name_interval(known[0][1])}: {join_list(clauses)}."


_PARTS = {4: "quarter", 5: "fifth", 10: "decile", 20: "twentieth", 100: "percent"}
_SEVERAL = 2  # from so many times as large on, the multiple is said in place of percent


def describe_top_bucket(
    model: str, buckets: int, predicted: Number, observed: tuple[Number, Number, Number], unit: str
) -> str:
    """Tell whether a model predicts too much of its top bucket: shown where the interval says so.

    >>> describe_top_bucket("Boosting", 10, 217.0, (170.0, 150.0, 190.0), "$")
    'Boosting over-predicts its top decile by 28% ($217 against $170)'
    >>> describe_top_bucket("Boosting", 10, 7664.0, (100.0, 90.0, 110.0), "$")
    'Boosting over-predicts its top decile ($7,664 against $100, 77 times as large)'
    >>> describe_top_bucket("CLV", 10, 180.0, (170.0, 150.0, 190.0), "$")
    'CLV predicts $180 for its top decile, where $170 is observed: no bias is shown'
    """
    top = f"its top {_PARTS.get(buckets, 'group')}"
    who = clean_name(model, 40)
    value, low, high = observed
    if predicted is None or value is None:
        return f"{who}: predicted and observed by groups of the score"
    form = choose_format(value, low, high, unit)
    said, seen = form.amount(predicted), form.amount(value)
    if low is None or high is None or low <= predicted <= high:
        return f"{who} predicts {said} for {top}, where {seen} is observed" + (
            "" if low is None else ": no bias is shown"
        )
    verb = "over-predicts" if predicted > high else "under-predicts"
    by = ""
    if value > 0 and predicted < _SEVERAL * value:
        by = f" by {format_percent(abs(predicted / value - 1))}"
    times = predicted / value if value > 0 else 0.0
    more = f", {format_times(times)} times as large" if times >= _SEVERAL else ""
    return f"{who} {verb} {top}{by} ({said} against {seen}{more})"


Error = tuple[Number, Number, Number]
"""A mean error with its limits."""


def describe_top_bias(
    model: str, bins: int, error: Error, unit: str, baseline: tuple[str, Error] | None = None
) -> str:
    """Describe how far the scores of the top bin are off on average, and those of the baseline.

    The baseline is named where its interval lies on the same side of zero.

    >>> describe_top_bias("Boosting", 25, (98.0, 56.0, 140.0), "$")
    'Boosting over-predicts its top 4% by $98 (56 to 140)'
    >>> describe_top_bias("Boosting", 25, (98.0, 56.0, 140.0), "$", ("CLV", (90.0, 50.0, 130.0)))
    'Boosting over-predicts its top 4% by $98 (56 to 140), and CLV by $90 (50 to 130)'
    >>> describe_top_bias("CLV", 25, (-10.0, -56.0, 40.0), "$")
    'The data cannot tell whether CLV over- or under-predicts its top 4% (−$10, −56 to 40)'
    """
    value, low, high = error
    share = round(1 / bins, 3)
    top = f"its top {(choose_declared_precision(share, 'share').number(share))}"
    who = clean_name(model, 40)
    if value is None or low is None or high is None:
        return ""
    form = choose_format(value, low, high, unit)
    if low <= 0 <= high:
        limits = form.interval(low, high)
        return (
            f"The data cannot tell whether {who} over- or under-predicts {top} "
            f"({form.amount(value)}, {limits})"
        )
    verb = "over-predicts" if value > 0 else "under-predicts"
    said = f"{who} {verb} {top} by {_format_size(error, form)}"
    name, (base, base_low, base_high) = baseline or ("", (None, None, None))
    if base is None or base_low is None or base_high is None or base * value <= 0:
        return said
    if base_low <= 0 <= base_high:
        return said
    other = _format_size((base, base_low, base_high), form)
    return f"{said}, and {clean_name(name, 40)} by {other}"


def _format_size(error: Error, form: NumberFormat) -> str:
    value, *limits = (abs(each or 0.0) for each in error)
    return f"{form.amount(value)} ({form.interval(*sorted(limits))})"


def describe_segments(
    model: str, baseline: str, metric: MetricInfo, counts: tuple[int, int, int], flips: int
) -> str:
    """In how many segments a candidate is better and worse: `counts` are those two and all."""
    better, worse, known = counts
    on = lower_first_word(clean_name(metric.label))
    said = (
        f"On {on} {clean_name(model, 40)} is better than {clean_name(baseline, 40)} in {better} of "
        f"{format_count(known, 'segment')} and worse in {worse}"
    )
    where = "one" if flips == 1 else str(flips)
    return f"{said}; the result reverses in {where}" if flips else said
