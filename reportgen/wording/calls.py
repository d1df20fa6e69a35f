"""Operating points in words: who is called there, and what comes of it among so many rows.

Every sentence is of points as `counted` gives them, of the `base` that is told with each number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isclose

from reportgen.results import CallOutcome, DatasetInfo, Number, OperatingPoint
from reportgen.wording.bases import BASES, per, positives
from reportgen.wording.names import ROWS, Case, listed, lowered, name
from reportgen.wording.numbers import (
    MISSING,
    PER_1000,
    Form,
    count,
    form_of,
    percent,
    plain_form,
    told_from_zero,
    with_unit,
)
from reportgen.wording.orders import first_called
from reportgen.wording.targets import positive

COST = "misclassification_cost"
_NOTHING = 1e-9  # of the largest number beside it: rounding
_PRICED = {
    "fp": "a false alarm",
    "fn": "a positive missed",
    "tp": "a positive caught",
    "tn": "a negative left alone",
}
_MORE = {"caught": "catches {n} more", "false_alarms": "{n} more false alarms"}
_FEWER = {"caught": "catches {n} fewer", "false_alarms": "{n} fewer false alarms"}


def outcome(point: OperatingPoint, metric: str) -> CallOutcome | None:
    """What comes of the calls, by the name of its metric."""
    return next((each for each in point.outcomes if each.metric == metric), None)


def form_of_count(found: CallOutcome) -> Form:
    """The decimals of a value and both its limits, as the interval allows.

    A count of rows is never rounded to tens, and nothing but zero is printed as zero.
    """
    ends = (found.value, found.low, found.high)
    least = _NOTHING * max((abs(x) for x in ends if x is not None), default=0.0)
    every = [x if x is None or abs(x) > least else 0.0 for x in ends]
    if found.metric != COST:
        return replace(form_of(every[0], every[1], every[2], PER_1000), unit="")
    return told_from_zero(replace(form_of(every[0], every[1], every[2]), least=0), *every)


def rounding(points: Sequence[OperatingPoint], base: int) -> str:
    """That sums may be off by one, where one of the printed ones is; else nothing."""
    is_off = any(_is_off(point, base) for point in points)
    return " Counts are rounded one by one, so that their sums may be off by 1." * is_off


def _is_off(point: OperatingPoint, base: int) -> bool:
    """Whether caught and missed, or caught and false alarms, do not add up as they are printed."""
    called, caught, missed, false_alarms = (
        _printed(point, metric) for metric in ("called", "caught", "missed", "false_alarms")
    )
    upper, all_ = positives(point)
    share = None if upper is None else _as_printed(base * upper / (all_ or 1))
    return any(
        isclose(abs(whole - one - other), 1)
        for whole, one, other in ((called, caught, false_alarms), (share, caught, missed))
        if whole is not None and one is not None and other is not None
    )


def _printed(point: OperatingPoint, metric: str) -> Number:
    """A count as it is printed."""
    found = outcome(point, metric)
    if found is None or found.value is None:
        return None
    return round(found.value, form_of_count(found).decimals)


def form_of_difference(found: CallOutcome) -> Form:
    """The same of a difference."""
    low, high = found.difference_low, found.difference_high
    return form_of_count(replace(found, value=found.difference, low=low, high=high))


def counted(point: OperatingPoint, base: int) -> OperatingPoint:
    """The point with what comes of its calls among `base` rows: counts, and what they cost."""
    return replace(point, outcomes=tuple(_counted(each, base) for each in point.outcomes))


def _counted(found: CallOutcome, base: int) -> CallOutcome:
    """Of counts results have those of 1,000 rows; of calls the share, of costs those of one row."""
    unit = found.unit.removesuffix("per case").strip() if found.metric == COST else PER_1000
    times = base if found.metric in ("called", COST) else base / BASES[0]
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


def setting(point: OperatingPoint, rows: int | None, base: int, orders: Iterable[str] = ()) -> str:
    """How a point is set, as it goes on after its name; `rows` is None where they have weights.

    `orders` are those of the scores of the models that it is said of.

    >>> point = OperatingPoint("d", "half", "fixed", "a", 1, 2, 3, 4, (), {}, threshold=0.5)
    >>> setting(point, 10, 1000)
    'called from 0.5 on'
    """
    if point.rule == "share":
        calls = None if rows is None else (point.share or 0) * rows
        if rows is None or calls is None or abs(calls - round(calls)) >= 1e-6:
            return f"the top {percent(point.share)} called"
        of = count(round(calls), *first_called(orders))
        return f"the {of} called, {_of_every(base, calls, rows)}"
    if point.threshold is None and not point.goal:
        return "as the model calls them"
    if point.threshold is None:
        return f"no threshold {_goal(point)}: none is called"
    said = f"called from {_threshold(point)} on"
    if point.rule == "cost":
        return f"{said}, where a call costs what it saves"
    return f"{said}, {_goal(point)} on {name(point.learnt_on or '', 40)}" if point.goal else said


def _of_every(base: int, calls: float, rows: int) -> str:
    """How many of so many are called, as all that is said of a point is of so many."""
    share = round(base * calls / rows, 9)
    return f"{form_of(share, None, None, PER_1000).number(share)} of every {base:,}"


def threshold(point: OperatingPoint) -> str:
    """The threshold of one model with where resamples put it; – where it moves."""
    if point.threshold is None:
        return MISSING
    if point.threshold_low is None or point.threshold_high is None:
        return _threshold(point)
    form = form_of(point.threshold, point.threshold_low, point.threshold_high)
    interval = form.interval(point.threshold_low, point.threshold_high)
    return f"{form.number(point.threshold)} ({interval})"


def prices(costs: object) -> str:
    """What a false alarm and a missed positive cost, as the config says; nothing if it does not.

    >>> prices({"fp": 10.0, "fn": 200.0, "currency": "EUR"})
    'at 10 EUR a false alarm and 200 EUR a positive missed'
    """
    if not isinstance(costs, Mapping):
        return ""
    unit = name(str(costs.get("currency") or ""), 12)
    said = [
        f"{with_unit(plain_form(costs[key]).number(costs[key]), unit)} {what}"
        for key, what in _PRICED.items()
        if isinstance(costs.get(key), int | float) and costs[key]
    ]
    return f"at {listed(said)}" if said else ""


def caught(
    point: OperatingPoint,
    baseline: OperatingPoint | None,
    labels: tuple[str, str],
    of: DatasetInfo,
    base: int,
    at: str = "",
) -> str:
    """What a model catches at a point beside the baseline, of so many rows, in plain words.

    `labels` are what both models are called, `at` says which prices the money follows from.
    """
    said = [f"Of {base:,} {of.case[1]}{share_of(point, of, base)}"]
    who = [(labels[0], point), *([(labels[1], baseline)] if baseline is not None else [])]
    each = [f"{label} catches {_with_limits(p, 'caught')} with "
            f"{_with_limits(p, 'false_alarms')} false alarms" for label, p in who]  # fmt: skip
    said[0] += f"{listed(each)}."
    if baseline is not None:
        said += beside(point, *labels, base, at)
    return " ".join(said)


def none_called(
    point: OperatingPoint, baseline: OperatingPoint, labels: Sequence[str], case: Case
) -> str:
    """That a model calls no row at a point, alone or like the baseline; "" where it calls some.

    `labels` are those of the two.
    """
    at = f"called positive at {quoted(point.name)}"
    if not _calls_none(point):
        return ""
    if _calls_none(baseline):
        return f"No {name(case[0])} is {at} by {labels[0]} or by {labels[1]}."
    return f"No {name(case[0])} is {at} by {labels[0]}."


def at_point(label: str, point: str) -> str:
    """At which of several operating points a metric judges calls."""
    return f"{name(label)} judges the calls at {quoted(point)}."


def quoted(point: str) -> str:
    """The name of an operating point within a sentence."""
    return f"“{name(point, 40)}”"


def _calls_none(point: OperatingPoint) -> bool:
    called = outcome(point, "called")
    return called is not None and called.value == 0


def share_of(point: OperatingPoint, of: DatasetInfo, base: int) -> str:
    """How many of so many are positive, before a sentence; nothing where that is not known."""
    upper, all_ = positives(point)
    if upper is None:
        return ", "
    return f" {_digits(base * upper / (all_ or 1))} are {positive(of)}. "


def beside(point: OperatingPoint, label: str, baseline: str, base: int, at: str) -> list[str]:
    """How far the calls of a model are from those of the baseline, and what that saves.

    `at` says which prices the money follows from.
    """
    parts = [_difference(point, metric) for metric in ("caught", "false_alarms")]
    said = [f"{label} {parts[0]} than {baseline}, with {parts[1]}."] if all(parts) else []
    if not all(parts):
        told = [part for part in parts if part]
        open_ = [word for part, word in zip(parts, ("caught", "false alarms"), strict=True)
                 if not part]  # fmt: skip
        begun = "has " * (not parts[0])
        said += [f"{label} {begun}{each} than {baseline}." for each in told]
        said.append(f"No difference in {' or '.join(open_)} is shown.")
    money = outcome(point, COST)
    if money is not None:
        said.append(_money(money, label, base, f", {at}" if at else ""))
    return said


def beside_one_call(
    point: OperatingPoint, label: str, case: Case, base: int, *, has_cheapest: bool
) -> str:
    """Where a call would pay at these costs, and whether one call for all rows costs less.

    Where the config has a point at which calls begin to pay, which `has_cheapest` says, only the
    latter is told.

    >>> cost = CallOutcome("misclassification_cost", "EUR per case", 10.0, 6.0, 14.0, 0.95)
    >>> point = OperatingPoint("d", "half", "fixed", "a", 1, 2, 3, 4, (cost,), {}, threshold=0.5,
    ...                        cost_of_none=29.0, cost_of_all=8.554545455)
    >>> of_1000 = counted(point, 1000)
    >>> beside_one_call(of_1000, "A", ("row", "rows"), 1000, has_cheapest=False)
    'Calling every row would cost 8,555 EUR per 1,000, less than the 10,000 EUR of the calls of A.'
    """
    money, pays, at = outcome(point, COST), point.pays_from, point.threshold
    said = []
    if pays is not None and at is not None and not has_cheapest and abs(pays - at) > _NOTHING:
        said.append(
            f"At these costs a call pays from {_digits(pays, 3)} on, not from {_threshold(point)}: "
            "see “cost: true” under thresholds."
        )
    nobody = "nobody" if case == ROWS else f"no {name(case[0])}"
    costs = (point.cost_of_all, f"every {name(case[0])}"), (point.cost_of_none, nobody)
    each = [(x * base, what) for x, what in costs if x is not None]
    if money is None or money.value is None or not each:
        return " ".join(said)
    cost, what = min(each)
    if cost < money.value * (1 - _NOTHING):
        forms = form_of(cost, None, None), form_of_count(money)
        size = [with_unit(form.number(x), money.unit)
                for form, x in zip(forms, (cost, money.value), strict=True)]  # fmt: skip
        said.append(
            f"Calling {what} would cost {size[0]} {per(base)}, less than the {size[1]} of the "
            f"calls of {label}."
        )
    return " ".join(said)


def _difference(point: OperatingPoint, metric: str) -> str:
    """By how many more or fewer; empty where the limits hold zero."""
    found = outcome(point, metric)
    if found is None or not _is_shown(found):
        return ""
    words = _MORE if (found.difference or 0) > 0 else _FEWER
    return words[metric].format(n=_size(found))


def _money(found: CallOutcome, label: str, base: int, at: str) -> str:
    if found.difference is None:
        return ""
    low, high, unit = found.difference_low, found.difference_high, found.unit
    form = form_of_difference(found)
    if not _is_shown(found):
        limits = ""
        if low is not None and high is not None:  # of what is saved, as where a saving is shown
            limits = f" ({form.interval(-high, -low, signed=True)} {per(base)})"
        return f"No saving is shown{limits}{at}."
    verb = "saves" if found.difference < 0 else "costs"
    size = with_unit(form.number(abs(found.difference)), unit)
    more = "" if verb == "saves" else " more"
    return f"{label} {verb} {size}{more} {per(base)}{_between(form, low, high)}{at}."


def _is_shown(found: CallOutcome) -> bool:
    """Whether the limits of the difference leave out zero."""
    low, high = found.difference_low, found.difference_high
    return low is not None and high is not None and (low > 0 or high < 0)


def _size(found: CallOutcome) -> str:
    """A difference and its limits without their sign."""
    form = form_of_difference(found)
    between = _between(form, found.difference_low, found.difference_high)
    return f"{form.number(abs(found.difference or 0.0))}{between}"


def _with_limits(point: OperatingPoint, metric: str) -> str:
    found = outcome(point, metric)
    if found is None or found.value is None:
        return MISSING
    form = form_of_count(found)
    return f"{form.number(found.value)}{_between(form, found.low, found.high)}"


def _between(form: Form, low: Number, high: Number) -> str:
    """Both limits in brackets, of a size that has no sign; nothing where one does not exist."""
    if low is None or high is None:
        return ""
    return f" ({form.interval(*sorted((abs(low), abs(high))))})"


def _threshold(point: OperatingPoint) -> str:
    if point.threshold_low is not None:
        form = form_of(point.threshold, point.threshold_low, point.threshold_high)
        return form.number(point.threshold)
    return exact(point.threshold)


def exact(value: Number) -> str:
    """A threshold that nobody estimated: as it is, or in three digits where it has many."""
    form = plain_form(value)
    return form.number(value) if form.decimals <= 4 else _digits(value or 0.0, 3)


def _digits(value: float, digits: int = 0) -> str:
    return _form(value, digits).number(value)


def _as_printed(value: float) -> float:
    return round(value, _form(value).decimals_of(value))


def _form(value: float, digits: int = 0) -> Form:
    return Form(digits or (0 if value >= 10 else 1), least=2)


def _goal(point: OperatingPoint) -> str:
    """What a threshold was chosen for, as it goes on after it."""
    if not point.goal:
        return ""
    [(key, value)] = point.goal.items()
    if key == "maximize":
        return f"the highest {point.aim}"
    if key == "minimize":
        return f"the lowest {lowered(point.aim)}"
    return f"which reaches a {lowered(point.aim)} of {percent(float(value or 0))}"
