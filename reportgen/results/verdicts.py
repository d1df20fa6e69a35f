"""The verdict on a difference, and the status of a requirement: one word for one interval."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, ulp
from typing import Literal

from reportgen.results.types import Better, GateRule, Number, RequirementStatus, Word

Side = Literal[-1, 0, 1]
# What a verdict says of others, which it makes stronger and does not change.
IMPLIED: Mapping[Word, tuple[Word, ...]] = {
    "clearly better": ("better", "not worse"),
    "better": ("not worse",),
    "equivalent": ("not worse", "not better"),
    "worse": ("not better",),
    "clearly worse": ("worse", "not better"),
}


def decide_verdict(low: Number, high: Number, margin: Number, better: Better) -> Word:
    """Decide the verdict by the limits of a difference and the margin.

    Where zero is best the difference is one of sizes, so lower is better. A limit at zero does not
    exclude it. A limit at the margin reaches it, and is not within it.

    >>> decide_verdict(0.2, 1.4, 1.0, "higher"), decide_verdict(0.2, 1.4, 1.0, "lower")
    ('better', 'worse')
    """
    if low is None or high is None or isnan(low) or isnan(high):
        return "no result"
    if better != "higher":
        low, high = -high, -low
    near = margin or 0.0
    if -near < low and high < near:
        return "equivalent"
    if low > 0:
        return "clearly better" if 0 < near <= low else "better"
    if high < 0:
        return "clearly worse" if 0 < near <= -high else "worse"
    if -near < low:
        return "not worse"
    return "not better" if high < near else "cannot tell"


def decide_status(
    rule: GateRule, low: Number, high: Number, margin: float, better: Better
) -> RequirementStatus:
    """Decide the status of a requirement on a difference by its limits.

    A limit at zero leaves zero inside, so that it decides nothing without a margin. `no_regression`
    asks for evidence of harm, and passes without it.

    >>> decide_status("better", 0.2, 1.4, 0.0, "higher"), decide_status(
    ...     "non_inferior", -0.2, 0.3, 0.1, "lower")
    ('met', 'cannot tell')
    """
    if low is None or high is None:
        return "cannot tell"
    low, high = -ulp(0.0) if low == 0 else low, ulp(0.0) if high == 0 else high
    if better != "higher":
        low, high = -high, -low
    if rule == "better":
        return compare_with_bound(low, high, margin)
    if rule == "non_inferior":
        return compare_with_bound(low, high, -margin)
    if high <= -margin and high < 0:
        return "not met"
    return "met" if low > -margin else "no harm seen"


def compare_with_bound(low: Number, high: Number, bound: float) -> RequirementStatus:
    """Met where the whole interval lies above the bound, not met where it lies below or on it."""
    if low is None or high is None:
        return "cannot tell"
    if low > bound:
        return "met"
    return "not met" if high <= bound else "cannot tell"


def agrees(word: Word, declared: Word) -> bool:
    """Return whether a verdict says the same as the declared one, or the same more strongly.

    Better and clearly better agree; better and not worse do not, as only one of them finds a gain.

    >>> agrees("clearly better", "better"), agrees("better", "clearly better")
    (True, True)
    >>> agrees("equivalent", "not worse"), agrees("better", "not worse")
    (True, False)
    """
    if side := word_side(declared):
        return word_side(word) == side
    return word == declared or (not word_side(word) and declared in IMPLIED.get(word, ()))


def word_side(word: Word) -> Side:
    """Whom a verdict speaks for: 1 the candidate, −1 the baseline, 0 neither.

    >>> word_side("clearly better"), word_side("not worse"), word_side("worse")
    (1, 0, -1)
    """
    if word in ("better", "clearly better"):
        return 1
    return -1 if word in ("worse", "clearly worse") else 0
