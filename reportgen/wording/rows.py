"""The numbers of a row of page one: one number of decimals, a sign, a unit, an interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite

from reportgen.results import Number
from reportgen.results.conclusion import Judged
from reportgen.results.literals import NEAREST
from reportgen.wording.numbers import PER_1000, Form, form_of, known_limits, level
from reportgen.wording.words import side_of

NO_INTERVAL = "no interval"
_MORE = 8  # decimals at most, beyond what the least precise row allows, for two digits
_COARSEST = -9  # fewer decimals than any number has
_APART = 2  # and to tell a limit from zero and from the margin


def row_form(rows: Iterable[Judged], unit: str, *, has_values: bool = True) -> Form:
    """As many decimals as the least precise row allows, and more where one would mislead.

    Shares are never printed in tens of percent: one in four would be 20%. A limit is printed on its
    side of zero and of the margin, and a difference with two digits that are not zero, unless both
    of its limits, on either side of zero, have them. Values, where they
    stand beside it, get one decimal more where that lets them subtract to it, and no more. A
    difference of exactly 0 without limits says nothing of decimals: values keep their own.
    """
    known = [row for row in rows if row.difference is not None and isfinite(row.difference)]
    telling = [row for row in known if not is_nothing(row)]
    form = Form(min((_decimals(row, unit) for row in telling), default=2), unit)
    form = form.with_decimals(0) if unit in ("share", PER_1000) else form
    if known and not telling:
        ends = [end for row in known for end in (row.value, row.baseline_value) if has_values]
        own = (form_of(end, None, None, unit).decimals for end in ends)
        return Form(max(own, default=0), unit)
    for most, is_told in ((_MORE, _has_digits), (_APART, _is_apart)):
        for _ in range(most):
            if all(is_told(row, form) for row in known):
                break
            form = replace(form, decimals=form.decimals + 1)
    finer = replace(form, decimals=form.decimals + 1)
    one_more = has_values and not all(_adds_up(row, form) for row in known)
    return finer if one_more and all(_adds_up(row, finer) for row in known) else form


def is_nothing(row: Judged) -> bool:
    """Whether the difference is exactly 0 and has no limits."""
    return row.difference == 0 and row.low is None and row.high is None


def values_form(rows: Iterable[tuple[Number, Number, Number]], unit: str) -> Form:
    """The decimals of several values with their limits: those of the finest."""
    forms = [form_of(*row, unit) for row in rows]
    return max(forms, key=lambda each: each.decimals, default=Form(2, unit))


def decimals_to_add_up(
    value: tuple[Number, Form],
    baseline: tuple[Number, Form],
    difference: tuple[Number, Form],
    better: str = "higher",
) -> int:
    """How many decimals a value, the baseline's and their difference need to subtract as printed.

    One more than the least precise of them has, if that is enough; else no more than they have.

    >>> share = Form(0, "share")
    >>> decimals_to_add_up((0.8027, share), (0.5466, share), (0.2561, share))
    1
    >>> decimals_to_add_up((0.80, share), (0.55, share), (0.25, share))
    -9
    """
    pairs = [(x, form) for x, form in (value, baseline, difference) if x is not None]
    if len(pairs) < 3 or not all(isfinite(x) for x, _ in pairs):
        return _COARSEST
    scale = 100.0 if value[1].unit == "share" else 1.0
    digits = [form.decimals_of(x) for x, form in pairs]
    finer = min(digits) + 1

    def adds_up(decimals: Sequence[int]) -> bool:
        ends = [round(scale * x, d) for (x, _), d in zip(pairs, decimals, strict=True)]
        best = NEAREST.get(better)
        of = ends[:2] if best is None else [abs(end - scale * best) for end in ends[:2]]
        return round(of[0] - of[1] - ends[2], min(decimals)) == 0

    if adds_up(digits) or not adds_up([max(d, finer) for d in digits]):
        return _COARSEST
    return finer


def limits(row: Judged, form: Form) -> str:
    """The interval of a row; a limit that decides and prints as zero is said to lie beyond it."""
    low, high = known_limits(row.low, row.high, form.unit)
    ends = [end for end in (low, high) if end is not None]
    if not ends:
        return NO_INTERVAL
    is_open = None in (row.low, row.high)
    vanishing = is_open or any(not _shows(form, end) for end in ends)
    if side_of(row.word) and vanishing:
        further = max(ends, key=abs)
        is_above = further > 0 if further else (row.difference or 0.0) > 0
        side, way = ("above", "up") if is_above else ("below", "down")
        end = f", {way} to {form.bare(further, signed=True)}" if _shows(form, further) else ""
        return f"{side} 0{end}"
    if low is None:
        return f"up to {form.bare(high, signed=True)}"
    if high is None:
        return f"{form.bare(low, signed=True)} or more"
    return f"{form.bare(low, signed=True)} to {form.bare(high, signed=True)}"


def interval_of(row: Judged) -> str:
    r"""What the interval of a row is called, in short.

    An interval at 1 − 2α is the one that equivalence rests on.
    """
    is_equal = row.word == "Equivalent"
    return f"{level(row.level)} CI{' (equivalence)' if is_equal else ''}"


def is_mixed(shown: Sequence[Judged]) -> bool:
    """Whether some intervals allow for other comparisons and some could not."""
    return {row.adjusted_for for row in shown} - {1} > {0}


def adjustment_of(row: Judged, *, are_others_bare: bool = False) -> str:
    """For how many comparisons an interval is adjusted; empty where there is but one.

    Of those that have an interval, where others have none.
    """
    if row.adjusted_for == 0:
        return "not adjusted"
    if row.adjusted_for == 1:
        return ""
    if are_others_bare:
        return f"adjusted for the {row.adjusted_for} comparisons that have one"
    return f"adjusted for {row.adjusted_for} comparisons"


def _decimals(row: Judged, unit: str) -> int:
    return form_of(row.difference, row.low, row.high, unit).decimals


def _is_apart(row: Judged, form: Form) -> bool:
    """Whether no limit reads as zero or as the margin where it is not."""
    margin = row.margin
    marks = (0.0,) if margin is None else (0.0, margin, -margin)
    return not any(
        end != mark and form.bare(end, signed=True) == form.bare(mark, signed=True)
        for end in (row.low, row.high)
        if end is not None
        for mark in marks
    )


def _has_digits(row: Judged, form: Form) -> bool:
    """Whether the difference shows two digits that count, or both limits of none do."""
    if not row.difference or _digits(form, row.difference) > 1:
        return True
    ends = (row.low or 0.0, row.high or 0.0)
    return ends[0] < 0 < ends[1] and all(_digits(form, end) > 1 for end in ends)


def _digits(form: Form, value: Number) -> int:
    return len(form.bare(value, signed=True).replace(",", "").replace(".", "").lstrip("+−0"))


def _adds_up(row: Judged, form: Form) -> bool:
    """Whether the printed values subtract to the printed difference."""
    if row.value is None or row.baseline_value is None or row.difference is None:
        return True
    scale = 100.0 if form.unit == "share" else 1.0
    ends = [round(scale * x, form.decimals) for x in (row.value, row.baseline_value)]
    best = NEAREST.get(row.better)
    turned = ends if best is None else [abs(end - scale * best) for end in ends]
    found = round(turned[0] - turned[1], form.decimals)
    return found == round(scale * row.difference, form.decimals)


def _shows(form: Form, value: float) -> bool:
    return any(digit in form.bare(value, signed=True) for digit in "123456789")
