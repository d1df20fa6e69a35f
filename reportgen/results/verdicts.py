"""The verdict on a difference: one word for one interval."""

from __future__ import annotations

from math import isnan
from typing import Literal

from reportgen.results.types import Better, Number, Word

Side = Literal[-1, 0, 1]


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


def word_side(word: Word) -> Side:
    """Whom a verdict speaks for: 1 the candidate, −1 the baseline, 0 neither.

    >>> word_side("clearly better"), word_side("not worse"), word_side("worse")
    (1, 0, -1)
    """
    if word in ("better", "clearly better"):
        return 1
    return -1 if word in ("worse", "clearly worse") else 0
