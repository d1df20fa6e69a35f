"""What curves show, in words: top of a ranking, buckets, segments."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report import prose
from reportgen.report.wording.names import clean_name, lower_first_word
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_precision,
    choose_format,
    format_percent,
    format_times,
)
from reportgen.report.wording.verdicts import format_interval, name_interval
from reportgen.results.core import Comparison, MetricInfo, ModelInfo
from reportgen.results.types import Number


def describe_capture(share: float, target: str, rows: str, held: Sequence[tuple[str, str]]) -> str:
    """Describe what the top holds by each model; nothing where no value is known.

    >>> describe_capture(0.2, "spend", "customers", [("CLV", "69%"), ("RFM", "68%")])
    'The 20% of customers ranked highest by CLV hold 69% of spend; by RFM 68%'
    """
    if not held:
        return ""
    return prose.line(
        "curve_says.capture",
        share=format_percent(share),
        cases=clean_name(rows, 30),
        target=clean_name(target, 40),
        each=[(value, clean_name(model, 30)) for model, value in held],
    )


def describe_capture_differences(
    share: float,
    baseline: ModelInfo | None,
    differences: Sequence[tuple[str, Comparison]],
    form: NumberFormat,
) -> str:
    """Describe the differences with their intervals; nothing where there is none."""
    known = [(label, c) for label, c in differences if c.difference is not None]
    if baseline is None or not known:
        return ""
    return prose.line(
        "curve_says.capture_differences",
        share=format_percent(share),
        baseline=clean_name(baseline.label, 40),
        interval=name_interval(known[0][1]),
        each=[
            prose.text(
                "curve_says.capture_difference",
                model=clean_name(label, 40),
                difference=form.amount(c.difference, signed=True),
                limits=format_interval(c, form),
            )
            for label, c in known
        ],
    )


_PARTS = (4, 5, 10, 20, 100)
"""Numbers of buckets of which one has a name."""
_SEVERAL = 2  # from so many times as large on, the multiple is said in place of percent


def describe_top_bucket(
    model: str, buckets: int, predicted: Number, observed: tuple[Number, Number, Number], unit: str
) -> str:
    """Tell whether a model predicts too much of its top bucket: shown where the interval says so.

    >>> describe_top_bucket("Boosting", 10, 217.0, (170.0, 150.0, 190.0), "$")
    'Boosting overpredicts its top decile by 28% ($217 against $170)'
    >>> describe_top_bucket("Boosting", 10, 7664.0, (100.0, 90.0, 110.0), "$")
    'Boosting overpredicts its top decile ($7,664 against $100, 77 times as large)'
    >>> describe_top_bucket("Boosting", 10, 14051.3, (90.0, 20.0, 160.0), "$")
    'Boosting overpredicts its top decile ($14,051 against $90, 156 times as large)'
    >>> describe_top_bucket("CLV", 10, 180.0, (170.0, 150.0, 190.0), "$")
    'CLV predicts $180 for its top decile, against $170 observed; this may be chance'
    """
    part = prose.term("top_part", buckets if buckets in _PARTS else "any")
    top = prose.line("top.part", part=part)
    who = clean_name(model, 40)
    value, low, high = observed
    if predicted is None or value is None:
        return prose.line("top.unknown", model=who)
    form = choose_format(value, low, high, unit)
    said, seen = form.raise_decimals(0).amount(predicted), form.amount(value)
    if low is None or high is None or low <= predicted <= high:
        is_tested = low is not None
        return prose.line(
            "top.unbiased", model=who, top=top, predicted=said, observed=seen, is_tested=is_tested
        )
    times = predicted / value if value > 0 else 0.0
    return prose.line(
        "top.biased",
        model=who,
        is_over=predicted > high,
        top=top,
        percent=format_percent(abs(times - 1)) if value > 0 and times < _SEVERAL else "",
        predicted=said,
        observed=seen,
        times=format_times(times) if times >= _SEVERAL else "",
    )


Error = tuple[Number, Number, Number]
"""A mean error with its limits."""


def describe_top_bias(
    model: str, bins: int, error: Error, unit: str, baseline: tuple[str, Error] | None = None
) -> str:
    """Describe how far the scores of the top bin are off on average, and those of the baseline.

    The baseline is named where its interval lies on the same side of zero.

    >>> describe_top_bias("Boosting", 25, (98.0, 56.0, 140.0), "$")
    'Boosting overpredicts its top 4% by $98 ($56 to $140)'
    >>> describe_top_bias("Boosting", 25, (98.0, 56.0, 140.0), "$", ("CLV", (90.0, 50.0, 130.0)))
    'Boosting overpredicts its top 4% by $98 ($56 to $140), and CLV by $90 ($50 to $130)'
    >>> describe_top_bias("CLV", 25, (-10.0, -56.0, 40.0), "$")
    'The data cannot tell whether CLV overpredicts or underpredicts its top 4% (−$10, −$56 to $40)'
    """
    value, low, high = error
    share = round(1 / bins, 3)
    top = prose.line("top.part", part=choose_declared_precision(share, "share").number(share))
    who = clean_name(model, 40)
    if value is None or low is None or high is None:
        return ""
    form = choose_format(value, low, high, unit)
    if low <= 0 <= high:
        return prose.line(
            "top.cannot_tell",
            model=who,
            top=top,
            value=form.amount(value),
            limits=form.plain_interval(low, high),
        )
    is_shared = baseline is not None and _is_on_side(baseline[1], value)
    return prose.line(
        "top.off",
        model=who,
        is_over=value > 0,
        top=top,
        size=_format_size(error, form),
        other=clean_name(baseline[0], 40) if baseline is not None and is_shared else "",
        other_size=_format_size(baseline[1], form) if baseline is not None else "",
    )


def _is_on_side(error: Error, value: float) -> bool:
    """Tell whether an interval lies on the side of zero that a value is on."""
    _, low, high = error
    return low is not None and high is not None and min(low * value, high * value) > 0


def _format_size(error: Error, form: NumberFormat) -> str:
    value, *limits = (abs(each or 0.0) for each in error)
    return f"{form.amount(value)} ({form.plain_interval(*sorted(limits))})"


def describe_segments(
    model: str, baseline: str, metric: MetricInfo, counts: tuple[int, int, int]
) -> str:
    """In how many segments a candidate is better and worse: `counts` are those two and all."""
    better, worse, known = counts
    return prose.line(
        "curve_says.segments",
        metric=lower_first_word(clean_name(metric.label)),
        model=clean_name(model, 40),
        baseline=clean_name(baseline, 40),
        better=better,
        worse=worse,
        segments=known,
    )
