"""Operating points in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from math import isclose

from reportgen.report import prose
from reportgen.report.wording.names import POSITIVES, Case, clean_name, lower_first_word
from reportgen.report.wording.numbers import (
    MISSING,
    PER_1000,
    NumberFormat,
    add_unit,
    choose_declared_precision,
    choose_format,
    format_count,
    format_percent,
    refine_from_zero,
    round_half_up,
)
from reportgen.results.classification import CostDifference, OperatingPoint, PointOutcome
from reportgen.results.types import Number

BASES = (1_000, 10_000, 100_000, 1_000_000)
FEWEST = 20  # positives among so many rows


def choose_base(points: Sequence[OperatingPoint]) -> int:
    """Choose the fewest rows of `BASES` of which at least `FEWEST` are positive.

    1,000 where that is not known, and where no row is positive.

    >>> point = OperatingPoint("d", "half", "fixed", "a", 9990, 0, 10, 0, (), {})
    >>> choose_base([point])
    100000
    """
    known = [(upper, all_) for upper, all_ in map(sum_positives, points) if upper]
    if not known:
        return BASES[0]
    share = max(upper / all_ for upper, all_ in known)
    return next((base for base in BASES if base * share >= FEWEST * (1 - 1e-9)), BASES[-1])


def format_base(base: int) -> str:
    """Return what a number of so many rows is followed by.

    >>> format_base(10_000)
    'per 10,000'
    """
    return f"per {base:,}"


def sum_positives(point: OperatingPoint) -> tuple[float | None, float]:
    """Return how much the positives and all rows weigh; None where positives are not known."""
    if point.false_negatives is None or point.true_negatives is None:
        return None, 0.0
    upper = (point.true_positives or 0.0) + point.false_negatives
    return upper, upper + point.true_negatives + (point.false_positives or 0.0)


_LOW: Mapping[str, str] = {
    "from the highest scores down": "from the lowest scores up",
    "from the lowest scores up": "from the highest scores down",
    "from the lowest scores to the highest": "from the highest scores to the lowest",
    "with the highest scores": "with the lowest scores",
    "with the lowest scores": "with the highest scores",
}
_MIXED: Mapping[str, str] = {
    "from the highest scores down": "from what each model puts first",
    "from the lowest scores up": "from what each model puts last",
    "from the lowest scores to the highest": "from what each model puts last to what it puts first",
    "with the highest scores": "that each model puts first",
    "with the lowest scores": "that each model puts last",
}
_USUAL = re.compile("|".join(map(re.escape, _LOW)))


def describe_first_flagged(orders: Iterable[str]) -> tuple[str, str]:
    """Name one of the rows that are flagged first, and several; `orders` are those of the models.

    >>> describe_first_flagged(["descending"]), describe_first_flagged(["ascending", "rank"])
    (('highest score', 'highest scores'), ('lowest score', 'lowest scores'))
    >>> describe_first_flagged(["descending", "rank"])
    ('row that each model puts first', 'rows that each model puts first')
    """
    are_low = {order != "descending" for order in orders}
    return _name_first(are_low, is_one=True), _name_first(are_low, is_one=False)


def _name_first(are_low: Set[bool], *, is_one: bool) -> str:
    if are_low == {True}:
        return prose.line("point_first.lowest", is_one=is_one)
    if len(are_low) > 1:
        return prose.line("point_first.mixed", is_one=is_one)
    return prose.line("point_first.highest", is_one=is_one)


def describe_in_order(text: str, orders: Iterable[str]) -> str:
    """Word a text on the highest scores as it is where low ones say more.

    >>> describe_in_order("share of rows, from the highest scores down", ["ascending"])
    'share of rows, from the lowest scores up'
    >>> describe_in_order("bucket of rows, from the lowest scores to the highest", ["rank"])
    'bucket of rows, from the highest scores to the lowest'
    >>> describe_in_order("share of rows, from the highest scores down", ["ascending",
    ...     "descending"])
    'share of rows, from what each model puts first'
    """
    are_low = {order != "descending" for order in orders}
    if True not in are_low:
        return text
    others = _LOW if are_low == {True} else _MIXED
    return _USUAL.sub(lambda usual: others[usual[0]], text)


COST = "misclassification_cost"
_THRESHOLD_DIGITS = 3
NEGLIGIBLE = 1e-9  # of the largest number next to it: rounding


def find_outcome(point: OperatingPoint, metric: str) -> PointOutcome | None:
    """Find an outcome of a point by the name of its metric."""
    return next((each for each in point.outcomes if each.metric == metric), None)


def choose_count_form(found: PointOutcome) -> NumberFormat:
    """Choose the decimals of a value and both its limits, as the interval allows.

    A count of rows is never rounded to tens, and nothing but zero is printed as zero.
    """
    if found.metric == COST:
        return choose_cost_form(found.value, found.low, found.high)
    every = _drop_dust(found.value, found.low, found.high)
    return replace(choose_format(every[0], every[1], every[2], PER_1000), unit="")


def choose_cost_form(value: Number, low: Number, high: Number) -> NumberFormat:
    """Choose the decimals of a cost and both its limits."""
    every = _drop_dust(value, low, high)
    return refine_from_zero(replace(choose_format(every[0], every[1], every[2]), least=0), *every)


def _drop_dust(*ends: Number) -> list[Number]:
    least = NEGLIGIBLE * max((abs(x) for x in ends if x is not None), default=0.0)
    return [x if x is None or abs(x) > least else 0.0 for x in ends]


def format_positives(positives: float, all_: float, base: int) -> str:
    """Format how many of `base` rows are positive."""
    return format_count_of_rows(base * positives / (all_ or 1))


def format_count_of_rows(count: float) -> str:
    """Format a count that has no interval: whole from 1 on."""
    return format_count(count) if count >= 1 or not count else format_digits(count)


def describe_rounding(points: Sequence[OperatingPoint], base: int) -> str:
    """Say that sums may be off by one, where one of the printed ones is; else nothing."""
    is_off = any(_is_off(point, base) for point in points)
    return f" {prose.line('point.rounding')}" * is_off


def _is_off(point: OperatingPoint, base: int) -> bool:
    """Tell whether found and missed, or found and false positives, do not add up in print."""
    flagged, positives, missed, false_positives = (
        _round_printed_count(point, metric)
        for metric in ("flagged", "found", "missed", "false_positives")
    )
    upper, all_ = sum_positives(point)
    share = None if upper is None else _round_as_printed(base * upper / (all_ or 1))
    return any(
        isclose(abs(whole - one - other), 1)
        for whole, one, other in (
            (flagged, positives, false_positives),
            (share, positives, missed),
        )
        if whole is not None and one is not None and other is not None
    )


def _round_printed_count(point: OperatingPoint, metric: str) -> Number:
    """Round a count as it is printed."""
    found = find_outcome(point, metric)
    if found is None or found.value is None:
        return None
    return float(round_half_up(found.value, choose_count_form(found).decimals))


def choose_difference_form(found: PointOutcome) -> NumberFormat:
    """Choose the decimals of a difference."""
    low, high = found.difference_low, found.difference_high
    return choose_count_form(replace(found, value=found.difference, low=low, high=high))


def rescale_point(point: OperatingPoint, base: int) -> OperatingPoint:
    """Return the point with its outcomes among `base` rows: counts, and what they cost."""
    return replace(
        point,
        outcomes=tuple(_scale_outcome(each, base) for each in point.outcomes),
        cost_of_none=_times(base, point.cost_of_none),
        cost_of_all=_times(base, point.cost_of_all),
        against_everyone=_scale_difference(point.against_everyone, base),
        against_nobody=_scale_difference(point.against_nobody, base),
    )


def _scale_difference(found: CostDifference | None, base: int) -> CostDifference | None:
    if found is None:
        return None
    value, low, high = (_times(base, each) for each in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def _scale_outcome(found: PointOutcome, base: int) -> PointOutcome:
    """Scale an outcome that results have of 1,000 rows, a share of rows, or costs of a row."""
    unit = found.unit.removesuffix("per case").strip() if found.metric == COST else PER_1000
    times = base if found.metric in ("flagged", COST) else base / BASES[0]
    return replace(
        found,
        unit=unit,
        value=_times(times, found.value),
        low=_times(times, found.low),
        high=_times(times, found.high),
        difference=_times(times, found.difference),
        difference_low=_times(times, found.difference_low),
        difference_high=_times(times, found.difference_high),
    )


def _times(factor: float, value: Number) -> Number:
    return None if value is None else factor * value


def describe_setting(
    point: OperatingPoint, rows: int | None, base: int, orders: Iterable[str] = ()
) -> str:
    """Describe how a point is set, as it goes on after its name.

    `rows` is None where they have weights.

    `orders` are those of the scores of the models that it is said of.

    >>> point = OperatingPoint("d", "half", "fixed", "a", 1, 2, 3, 4, (), {}, threshold=0.5)
    >>> describe_setting(point, 10, 1000)
    'scores of 0.5 or more'
    """
    orders = tuple(orders)
    if point.rule == "share":
        one, several = describe_first_flagged(orders)
        share = point.share or 0
        count = None if rows is None else share * rows
        if count is None or abs(count - round(count)) >= 1e-6:
            return prose.line("point.share", first=several, share=format_percent(share))
        return prose.line(
            "point.count",
            count=format_count(count),
            first=one if round(count) == 1 else several,
            flagged=_format_flagged_per_base(base, count, rows or 1),
            base=format_count(base),
        )
    if point.threshold is None:
        return describe_rule(point)
    return prose.line(
        "point.scores",
        threshold=format_exact_threshold(point),
        is_low=bool(orders) and "descending" not in orders,
        rule=describe_rule(point),
    )


def _format_flagged_per_base(base: int, count: float, rows: int) -> str:
    """Format how many of so many are flagged, as the outcomes of a point are of so many."""
    share = round(base * count / rows, 9)
    return choose_format(share, None, None, PER_1000).number(share)


def describe_rule(point: OperatingPoint) -> str:
    """Describe how a threshold came about; empty for one that is only declared."""
    if point.threshold is None and not point.goal:
        return prose.line("point.classified")
    if point.threshold is None:
        return prose.line("point.unreached", goal=_format_goal(point))
    if point.rule == "cost":
        return prose.line("point.pays")
    if not point.goal:
        return ""
    learnt_on = clean_name(point.learnt_on or "", 40)
    return prose.line("point.learnt", goal=_format_goal(point), dataset=learnt_on)


def format_threshold(point: OperatingPoint) -> str:
    """Format the threshold of one model with where resamples put it; – where it moves."""
    if point.threshold is None:
        return MISSING
    if point.threshold_low is None or point.threshold_high is None:
        return format_exact_threshold(point)
    form = _choose_threshold_form(point)
    interval = form.plain_interval(point.threshold_low, point.threshold_high)
    return f"{form.number(point.threshold)} ({interval})"


def describe_error_costs(costs: object, positive: Case = POSITIVES) -> str:
    """Describe what a false positive and a missed positive cost, as the config says.

    It says nothing if it does not.

    >>> describe_error_costs({"fp": 10.0, "fn": 200.0, "currency": "EUR"}, ("leaver", "leavers"))
    '10 EUR per false positive, 200 EUR per missed leaver'
    """
    if not isinstance(costs, Mapping):
        return ""
    unit = clean_name(str(costs.get("currency") or ""), 12)
    shown = {
        key: add_unit(choose_declared_precision(cost).number(cost), unit)
        for key in ("fp", "fn", "tp", "tn")
        if isinstance(cost := costs.get(key), int | float) and cost
    }
    return prose.line("point.costs", costs=shown, positive=clean_name(positive[0]))


def describe_none_flagged(
    point: OperatingPoint, baseline: OperatingPoint, labels: Sequence[str], case: Case
) -> str:
    """Say that a model flags no row at a point, alone or like the baseline; "" where it does.

    `labels` are those of the two.
    """
    if not _flags_none(point):
        return ""
    models = labels[:2] if _flags_none(baseline) else labels[:1]
    at = quote_point(point.name)
    return prose.line("point.none_flagged", cases=clean_name(case[1]), point=at, models=models)


def quote_point(point: str) -> str:
    """Quote the name of an operating point within a sentence."""
    return f"“{clean_name(point, 40)}”"


def _flags_none(point: OperatingPoint) -> bool:
    flagged = find_outcome(point, "flagged")
    return flagged is not None and flagged.value == 0


def format_exact_threshold(point: OperatingPoint) -> str:
    """Format the threshold of one model, without its interval."""
    if point.threshold_low is not None:
        return _choose_threshold_form(point).number(point.threshold)
    return format_exact(point.threshold)


def _choose_threshold_form(point: OperatingPoint) -> NumberFormat:
    """Choose the decimals of a threshold that was learnt, and of where resamples put it."""
    form = choose_format(point.threshold, point.threshold_low, point.threshold_high)
    three = replace(form, least=_THRESHOLD_DIGITS)
    return form.raise_decimals(three.decimals_of(point.threshold or 0.0))


def format_exact(value: Number) -> str:
    """Format a threshold that nobody estimated, in three digits where it has many.

    A reader types it into a system, where two digits would flag other rows.

    >>> format_exact(0.3), format_exact(8 / 408), format_exact(2 / 3)
    ('0.3', '0.0196', '0.667')
    """
    form = choose_declared_precision(value)
    exact = form if form.decimals <= 4 else NumberFormat(_THRESHOLD_DIGITS, least=_THRESHOLD_DIGITS)
    return exact.number(value)


def format_digits(value: float) -> str:
    """Format a number that nobody estimated."""
    return _build_form(value).number(value)


def _round_as_printed(value: float) -> float:
    return float(round_half_up(value, _build_form(value).decimals_of(value)))


def _build_form(value: float) -> NumberFormat:
    return NumberFormat(0 if value >= 10 else 1, least=2)


def _format_goal(point: OperatingPoint) -> str:
    """Return what a threshold was chosen for, as it goes on after it."""
    if not point.goal:
        return ""
    [(key, value)] = point.goal.items()
    if key == "maximize":
        return prose.line("point.highest", metric=point.aim)
    metric = lower_first_word(point.aim)
    if key == "minimize":
        return prose.line("point.lowest", metric=metric)
    return prose.line("point.reaches", metric=metric, value=format_percent(float(value or 0)))


_PLAIN = "threshold"  # what the one threshold of a config is called


def describe_operating_point(
    named: str, declared: object, points: Collection[OperatingPoint]
) -> str:
    """At which operating point, and its threshold where that is one for all models and labels.

    `declared` is what the config says of it, `points` what came of it.

    >>> describe_operating_point("threshold", {"fixed": 0.5, "by_model": {}}, [])
    'at threshold 0.5'
    >>> describe_operating_point("half", {"fixed": 0.5}, [])
    'at half (threshold 0.5)'
    >>> describe_operating_point("half", {"fixed": 0.5, "by_model": {"a": 0.4}}, [])
    'at half'
    """
    value = _one(declared if isinstance(declared, Mapping) else {}, points)
    return prose.line(
        "point.at",
        point=clean_name(named, 40),
        value="" if value is None else format_exact(value),
        is_only=named == _PLAIN,
    )


def _one(declared: Mapping[str, object], points: Collection[OperatingPoint]) -> Number:
    """Find the threshold of all; None where each has its own, or it moves with the rows."""
    fixed = declared.get("fixed")
    if isinstance(fixed, int | float):
        is_of_all = not (declared.get("by_model") or declared.get("by_class"))
        return fixed if is_of_all else None
    known = {point.threshold for point in points if point.rule == "cost"}
    return known.pop() if len(known) == 1 else None
