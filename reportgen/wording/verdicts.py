"""Verdicts in few words: each follows from an interval and a margin, never from p.

Words quote the interval that the verdict rests on: the adjusted one, or for "equivalent"
the one at 1 − 2α. A difference is candidate − baseline; a metric that is best at zero is
compared by its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from reportgen.results import Comparison, MetricInfo, Number
from reportgen.results.literals import NEAREST
from reportgen.wording.kinds import distance, judges, written
from reportgen.wording.names import LONGEST, listed, lowered, name
from reportgen.wording.numbers import MISSING, Form, declared_form, form_of, level, size_amount

NOT_ADJUSTED = "not adjusted"


def what_differs(metric: MetricInfo, most: int = LONGEST) -> str:
    """What a difference is one of: the metric, or how far it is from what is best."""
    subject = lowered(name(metric.label, most))
    return f"the {distance(metric)}{subject}" if metric.better in NEAREST else subject


def short(comparison: Comparison, metric: MetricInfo) -> str:
    """The signed difference with the interval that decides, for a list or a label."""
    if comparison.status != "ok" or comparison.difference is None:
        return comparison.status if comparison.status != "ok" else "undefined"
    form = form_for(comparison, metric)
    value = form.amount(comparison.difference, signed=True)
    shown = interval_text(comparison, form)
    return f"{value} ({'no interval' if shown == MISSING else shown})"


def interval_text(comparison: Comparison, form: Form) -> str:
    """The interval that decides; a limit at zero, or too near it to print, that leaves zero out.

    At zero it is all that is known to that side: Holm's procedure rejects zero, and the limits at
    the level that all comparisons share would not.
    """
    low, high = bounds(comparison)
    if is_unadjusted(comparison):
        return f"{form.interval(comparison.low, comparison.high, signed=True)}, {NOT_ADJUSTED}"
    if not is_open(comparison, form):
        return form.interval(low, high, signed=True)
    side, end = ("above", high) if _vanishes(form, low) else ("below", low)
    if end is None or _vanishes(form, end):
        return f"{side} 0"
    return f"{side} 0, {'up' if side == 'above' else 'down'} to {form.bare(end, signed=True)}"


def interval_without_sign(comparison: Comparison, form: Form) -> str:
    """The interval that decides, of how far one is ahead; a limit that is zero leaves it out.

    Empty where there are no limits.
    """
    if is_unadjusted(comparison):
        ends = sorted(abs(limit) for limit in (comparison.low, comparison.high) if limit)
        return f"{form.interval(ends[0], ends[-1])}, {NOT_ADJUSTED}" if ends else ""
    low, high = adjusted_bounds(comparison)
    if low is None and high is None:
        return ""
    ends = sorted(abs(limit) for limit in (low, high) if limit is not None)
    if not is_open(comparison, form):
        return form.interval(ends[0], ends[1]) if len(ends) == 2 else ""
    return f"above 0, up to {form.number(ends[-1])}" if not _vanishes(form, ends[-1]) else "above 0"


def is_open(comparison: Comparison, form: Form) -> bool:
    """Whether a limit that leaves zero out is zero, or would print as zero."""
    is_decided = comparison.verdict in {"better", "worse"}
    return is_decided and any(_vanishes(form, limit) for limit in bounds(comparison))


def _vanishes(form: Form, limit: Number) -> bool:
    return limit is not None and not any(d in form.number(limit) for d in "123456789")


def form_for(comparison: Comparison, metric: MetricInfo) -> Form:
    """The digits of a difference: bounds stay on their side of zero and of the margin."""
    margin = comparison.margin
    apart = (0.0,) if margin is None else (0.0, margin, -margin)
    plain = (comparison.low, comparison.high)
    shown = plain if is_unadjusted(comparison) else bounds(comparison)
    return form_of(comparison.difference, *shown, metric.unit, apart)


def bounds(comparison: Comparison) -> tuple[Number, Number]:
    """The interval that the verdict rests on."""
    if _is_equal(comparison):
        return comparison.equivalence_low, comparison.equivalence_high
    return adjusted_bounds(comparison)


def adjusted_bounds(comparison: Comparison) -> tuple[Number, Number]:
    """The interval that allows for all comparisons of the family, or the plain one.

    Where a reason says that there is none for the family, the plain one does not stand for it.
    """
    if is_unadjusted(comparison):
        return None, None
    has_none = comparison.adjusted_low is None and comparison.adjusted_high is None
    if has_none and not comparison.reason:
        return comparison.low, comparison.high
    return comparison.adjusted_low, comparison.adjusted_high


def is_unadjusted(comparison: Comparison) -> bool:
    """Whether the resamples were too few for the family, and only the plain interval is known."""
    has_plain = None not in (comparison.low, comparison.high)
    return has_plain and bool(comparison.reason) and not _is_equal(comparison)


def is_adjusted(comparison: Comparison) -> bool:
    """Whether the interval that decides is wider than the plain one."""
    return adjusted_bounds(comparison) != (comparison.low, comparison.high)


def has_interval(comparison: Comparison) -> bool:
    """Whether there is an interval to quote: none where no resample moves the difference."""
    return bounds(comparison) != (None, None)


def interval_name(comparison: Comparison) -> str:
    """What the interval that decides is called: its level, and whether it is adjusted."""
    if _is_equal(comparison):
        narrower = level(1 - 2 * (1 - comparison.level))
        return f"{'adjusted ' * is_adjusted(comparison)}{narrower} interval"
    return f"{'adjusted ' * is_adjusted(comparison)}{level(comparison.level)} interval"


def interval_names(comparisons: Sequence[Comparison]) -> str:
    """What the intervals of several comparisons are called, where some are at another level."""
    usual = list(dict.fromkeys(interval_name(c) for c in comparisons if not _is_equal(c)))
    narrow = list(dict.fromkeys(interval_name(c) for c in comparisons if _is_equal(c)))
    if not usual or not narrow:
        return " or ".join(usual or narrow)
    return f"{' or '.join(usual)}, where the verdict is equivalent the {' or '.join(narrow)}"


def _is_equal(comparison: Comparison) -> bool:
    """Whether the verdict is one of equivalence, and rests on the limits at 1 − 2α."""
    return comparison.verdict == "equivalent" and comparison.equivalence_low is not None


def margin_size(margin: Number, metric: MetricInfo) -> str:
    """A margin in its unit, with the percent it was declared as where it was.

    >>> from reportgen.results import MetricInfo
    >>> mae = MetricInfo("mae", "mae", {}, "MAE", "lower", "$", (0, None), "", "", "", 0.66, "2%")
    >>> margin_size(0.6662348, mae)
    '$0.666 (2%)'
    """
    share = metric.margin_text.replace(" %", "%")
    declared = f" ({share})" if "%" in share else ""
    return size_amount(declared_form(margin, metric.unit), margin) + declared


def two_digits(number: int) -> int:
    """A number of rows as it may be planned with: two digits of it.

    >>> two_digits(81_234), two_digits(7)
    (81000, 7)
    """
    return round(number, 1 - floor(log10(number))) if number else 0


def absence(metric: MetricInfo, status: str, reason: str) -> str:
    """Why there is no number."""
    verb = "does not apply" if status == "not applicable" else "is undefined"
    joint = " " if reason.startswith("where ") else ": "
    because = f"{joint}{reason.rstrip('.')}" if reason else ""
    return f"{written(metric)} {verb}{because}."


def disagreement(
    compared: Sequence[tuple[MetricInfo, Comparison]], candidate: str, baseline: str
) -> str:
    """Which model each kind of measure favours, where clear verdicts point both ways; else "".

    Rank and error measures disagree where no rank measure is clear for one side, and some error
    measure is, while the other side has the rank measures. What is best at zero, as bias, is left.
    """
    judged = [(metric, c.verdict) for metric, c in compared if metric.better not in NEAREST]
    good = [metric for metric, verdict in judged if verdict == "better"]
    bad = [metric for metric, verdict in judged if verdict == "worse"]
    if not good or not bad:
        return ""
    for leader, follower, led, other in (
        (candidate, baseline, good, bad),
        (baseline, candidate, bad, good),
    ):
        is_split = _of(led, "order") and not _of(other, "order") and _of(other, "amount")
        if is_split:
            also = f", {name(leader)} on {_labels(_of(led, 'amount'))}" * bool(_of(led, "amount"))
            return (
                f"Rank and error measures disagree: {name(leader)} ranks the rows better "
                f"({_labels(_of(led, 'order'))}); on amounts {name(follower)} is better on "
                f"{_labels(_of(other, 'amount'))}{also}."
            )
    return (
        f"Metrics disagree: {name(candidate)} is better than {name(baseline)} on {_labels(good)}, "
        f"worse on {_labels(bad)}."
    )


def _of(metrics: Sequence[MetricInfo], needs: str) -> Sequence[MetricInfo]:
    return [metric for metric in metrics if judges(metric, needs)]


def _labels(metrics: Sequence[MetricInfo]) -> str:
    return listed([lowered(name(metric.label, 40)) for metric in metrics], most=3)
