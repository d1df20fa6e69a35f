"""What the probabilities of a model are like, in a sentence."""

from __future__ import annotations

from dataclasses import replace

from reportgen.results import ModelCalibration
from reportgen.wording.numbers import Form, form_of, level, p_value

FIRM = 0.05


def told(found: ModelCalibration, label: str) -> str:
    """Whether probabilities are too timid or too extreme, and whether they may be right.

    >>> print(told(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.6, 1.3, 1.9, 0.95,
    ...                             p_calibrated=0.001, draws=999), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are too timid (slope 1.6, 95% CI 1.3 to 1.9); the test of
    calibration rejects them (p = 0.001).
    """
    return f"{label}: {_spread(found)}; {_right(found)}."


def is_doubted(found: ModelCalibration) -> bool:
    """Whether what is told says that the probabilities are not right.

    >>> is_doubted(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.1, 0.9, 1.3, 0.95,
    ...                             p_calibrated=0.02, draws=999))
    True
    """
    low, high, p = found.slope_low, found.slope_high, found.p_calibrated
    is_off = low is not None and high is not None and not low <= 1 <= high
    return is_off or (p is not None and p < FIRM)


def leaning(found: ModelCalibration) -> str:
    """How the slope alone says that probabilities lean; nothing where the test says so too.

    >>> leaning(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 0.8, 0.7, 0.9, 0.95,
    ...                          p_calibrated=0.19, draws=999))
    'too extreme'
    """
    low, high, p = found.slope_low, found.slope_high, found.p_calibrated
    if (p is not None and p < FIRM) or low is None or high is None or low <= 1 <= high:
        return ""
    return "too timid" if low > 1 else "too extreme"


def _spread(found: ModelCalibration) -> str:
    low, high = found.slope_low, found.slope_high
    if found.slope is None:
        return "the slope of the probabilities is undefined"
    form = _form(found)
    if low is None or high is None:
        return f"the slope of the probabilities is {form.number(found.slope)}"
    limits = f"slope {form.number(found.slope)}, {level(found.level)} CI {form.interval(low, high)}"
    if low > 1:
        return f"the probabilities are too timid ({limits})"
    if high < 1:
        return f"the probabilities are too extreme ({limits})"
    return f"the probabilities are not shown to be too timid or too extreme ({limits})"


def _form(found: ModelCalibration) -> Form:
    """As many digits as tell a limit from 1."""
    form = form_of(found.slope, found.slope_low, found.slope_high, "1")
    ends = [x for x in (found.slope_low, found.slope_high) if x is not None]
    while form.decimals < 4 and any(round(x, form.decimals) == 1 != x for x in ends):
        form = replace(form, decimals=form.decimals + 1)
    return form


def _right(found: ModelCalibration) -> str:
    p = found.p_calibrated
    if p is None:
        return "they are not tested, since rows hang together"
    verb = "rejects" if p < FIRM else "does not reject"
    return f"the test of calibration {verb} them ({p_value(p)})"
