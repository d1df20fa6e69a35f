"""What is predicted of a group of rows and what happened, in words."""

from __future__ import annotations

from reportgen.results import Number
from reportgen.wording.asymmetries import times_of
from reportgen.wording.names import name
from reportgen.wording.numbers import form_of, percent, plain_form

_PARTS = {4: "quarter", 5: "fifth", 10: "decile", 20: "twentieth", 100: "percent"}
_SEVERAL = 2  # from so many times as large on, the multiple is said in place of percent


def of_top_bucket(
    model: str, buckets: int, predicted: Number, observed: tuple[Number, Number, Number], unit: str
) -> str:
    """Whether a model predicts too much of its top bucket: shown where the interval says so.

    >>> of_top_bucket("Boosting", 10, 217.0, (170.0, 150.0, 190.0), "$")
    'Boosting over-predicts its top decile by 28% ($217 against $170)'
    >>> of_top_bucket("Boosting", 10, 7664.0, (100.0, 90.0, 110.0), "$")
    'Boosting over-predicts its top decile ($7,664 against $100, 77 times as large)'
    >>> of_top_bucket("CLV", 10, 180.0, (170.0, 150.0, 190.0), "$")
    'CLV predicts $180 for its top decile, where $170 is observed: no bias is shown'
    """
    top = f"its top {_PARTS.get(buckets, 'group')}"
    who = name(model, 40)
    value, low, high = observed
    if predicted is None or value is None:
        return f"{who}: predicted and observed by groups of the score"
    form = form_of(value, low, high, unit)
    said, seen = form.amount(predicted), form.amount(value)
    if low is None or high is None or low <= predicted <= high:
        return f"{who} predicts {said} for {top}, where {seen} is observed" + (
            "" if low is None else ": no bias is shown"
        )
    verb = "over-predicts" if predicted > high else "under-predicts"
    by = ""
    if value > 0 and predicted < _SEVERAL * value:
        by = f" by {percent(abs(predicted / value - 1))}"
    times = predicted / value if value > 0 else 0.0
    more = f", {times_of(times)} times as large" if times >= _SEVERAL else ""
    return f"{who} {verb} {top}{by} ({said} against {seen}{more})"


def of_top_error(model: str, bins: int, error: tuple[Number, Number, Number], unit: str) -> str:
    """How far the scores of the top bin are off on average: shown where the interval says so.

    >>> of_top_error("Boosting", 25, (98.0, 56.0, 140.0), "$")
    'Boosting over-predicts its top 4% by $98 (56 to 140)'
    >>> of_top_error("CLV", 25, (-10.0, -56.0, 40.0), "$")
    'CLV is not shown to over-predict or under-predict its top 4% (−$10, −56 to 40)'
    """
    value, low, high = error
    share = round(1 / bins, 3)
    top = f"its top {(plain_form(share, 'share').number(share))}"
    who = name(model, 40)
    if value is None or low is None or high is None:
        return ""
    form = form_of(value, low, high, unit)
    if low <= 0 <= high:
        limits = form.interval(low, high)
        return (
            f"{who} is not shown to over-predict or under-predict {top} "
            f"({form.amount(value)}, {limits})"
        )
    verb = "over-predicts" if value > 0 else "under-predicts"
    limits = form.interval(*sorted((abs(low), abs(high))))
    return f"{who} {verb} {top} by {form.amount(abs(value))} ({limits})"
