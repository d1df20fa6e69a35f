"""What the probabilities of a model are like, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reportgen.results import ModelCalibration
from reportgen.wording.fine import fine_percent
from reportgen.wording.numbers import Form, form_of, level, p_value

FIRM = 0.05
_EITHER = "too timid or too extreme"
_SLOPE = "the slope of the probabilities"


def told(found: ModelCalibration, label: str) -> str:
    """Whether probabilities lean, in all or towards their ends, and whether they may be right.

    >>> print(told(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.6, 1.3, 1.9, 0.95,
    ...                             p_calibrated=0.001, draws=999), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are too timid (slope 1.6, 95% CI 1.3 to 1.9); the test of
    calibration rejects them (p = 0.001).
    >>> print(told(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.0, 0.9, 1.1, 0.95,
    ...                             p_spiegelhalter=0.0004, p_calibrated=0.06, draws=999,
    ...                             said=0.174, happened=0.152, p_total=0.002), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are too high on average (17.4% where 15.2% happened, p = 0.002) and
    not shown to be too timid or too extreme (slope 1.00, 95% CI 0.90 to 1.10); the test of
    calibration does not reject them (p = 0.060), Spiegelhalter's does (p < 0.001).
    """
    return f"{label}: {_spread(found)}; {_right(found)}."


def untested(found: Iterable[ModelCalibration]) -> str:
    """That nobody tested whether probabilities are right, to be added to a sentence; "" if any was.

    >>> untested([ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.1, 0.9, 1.3, 0.95)])
    '; whether the probabilities are right was not tested, see Probabilities'
    """
    each = list(found)
    if not each or any(c.p_calibrated is not None for c in each):
        return ""
    return "; whether the probabilities are right was not tested, see Probabilities"


def is_doubted(found: ModelCalibration) -> bool:
    """Whether what is told says that the probabilities are not right.

    >>> is_doubted(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.1, 0.9, 1.3, 0.95,
    ...                             p_calibrated=0.02, draws=999))
    True
    """
    tests = (found.p_calibrated, found.p_spiegelhalter)
    is_rejected = any(p is not None and p < FIRM for p in tests)
    return bool(_slope_leans(found) or total_leans(found)) or is_rejected


def leaning(found: ModelCalibration) -> str:
    """How probabilities lean where no test of them all says that they are off; "" if none does.

    >>> leaning(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 0.8, 0.7, 0.9, 0.95,
    ...                          p_calibrated=0.19, draws=999))
    'too extreme'
    """
    p = found.p_calibrated
    if p is not None and p < FIRM:
        return ""
    total = total_leans(found)
    leans = (f"{total} on average" if total else "", _slope_leans(found))
    return " and ".join(each for each in leans if each)


def total_leans(found: ModelCalibration) -> str:
    """Whether probabilities are too high or too low on average; "" if neither is shown."""
    said, happened, p = found.said, found.happened, found.p_total
    if said is None or happened is None:
        return ""
    low, high = found.ratio_low, found.ratio_high
    is_off = low is not None and high is not None and not low <= 1 <= high
    if p is not None:
        is_off = p < FIRM
    return ("too high" if said > happened else "too low") if is_off else ""


def _slope_leans(found: ModelCalibration) -> str:
    low, high = found.slope_low, found.slope_high
    if low is None or high is None or low <= 1 <= high:
        return ""
    return "too timid" if low > 1 else "too extreme"


def _spread(found: ModelCalibration) -> str:
    """What the probabilities are, on average and towards their ends."""
    total, slope, limits = total_leans(found), _slope_leans(found), _limits(found)
    on_average = f"{total} on average ({_total(found)})" if total else ""
    if not limits:
        told = "undefined" if found.slope is None else _form(found).number(found.slope)
        head = f"the probabilities are {on_average}, their slope" if total else _SLOPE
        return f"{head} is {told}"
    ends = f"{slope} ({limits})" if slope else f"not shown to be {_EITHER} ({limits})"
    return f"the probabilities are {f'{on_average} and {ends}' if total else ends}"


def _total(found: ModelCalibration) -> str:
    """What is said on average, what happened, and how sure it is that they differ."""
    said, happened = (fine_percent(x or 0.0) for x in (found.said, found.happened))
    sure = "" if found.p_total is None else f", {p_value(found.p_total)}"
    return f"{said} where {happened} happened{sure}"


def _limits(found: ModelCalibration) -> str:
    low, high = found.slope_low, found.slope_high
    if found.slope is None or low is None or high is None:
        return ""
    form = _form(found)
    return f"slope {form.number(found.slope)}, {level(found.level)} CI {form.interval(low, high)}"


def _form(found: ModelCalibration) -> Form:
    """As many digits as tell a limit from 1."""
    form = form_of(found.slope, found.slope_low, found.slope_high, "1")
    ends = [x for x in (found.slope_low, found.slope_high) if x is not None]
    while form.decimals < 4 and any(round(x, form.decimals) == 1 != x for x in ends):
        form = replace(form, decimals=form.decimals + 1)
    return form


def _right(found: ModelCalibration) -> str:
    """What the two tests of the probabilities say, each with its p-value."""
    p, other = found.p_calibrated, found.p_spiegelhalter
    if p is None:
        return "they are not tested, since rows follow one another, or clusters are few"
    is_off = p < FIRM
    said = f"{'rejects' if is_off else 'does not reject'} them ({p_value(p)})"
    if other is None:
        return f"the test of calibration {said}"
    also = f"{p_value(p)}; Spiegelhalter's {p_value(other)}"
    if is_off == (other < FIRM):
        return f"the tests of calibration {'reject' if is_off else 'do not reject'} them ({also})"
    does = "does" if other < FIRM else "does not"
    return f"the test of calibration {said}, Spiegelhalter's {does} ({p_value(other)})"
