"""The words of page one: each is a function of a verdict and of the interval printed beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from reportgen.results import Comparison, Number, Verdict
from reportgen.results.conclusion import Word
from reportgen.results.literals import OpenWords
from reportgen.wording.verdicts import adjusted_bounds, bounds

Side = Literal[-1, 0, 1]
VERDICTS: Mapping[Verdict, Word] = MappingProxyType(
    {
        "better": "Better",
        "worse": "Worse",
        "equivalent": "Equivalent",
        "not worse": "Non-inferior",
        "inconclusive": "Not enough evidence",
        "undefined": "Undefined",
        "not applicable": "Not applicable",
    }
)
"""What page one calls each verdict."""
WITHOUT_MARGIN = (
    "Where no margin was declared, Better and Worse say on which side of 0 the interval lies, not "
    "whether it matters."
)
TONES: Mapping[Word, Literal["good", "bad", "open", "neutral"]] = OpenWords(
    {
        "Better": "good",
        "Better; size unclear": "good",
        "Better, but negligibly": "neutral",
        "Better on this metric only": "open",
        "Equivalent": "neutral",
        "Non-inferior": "neutral",
        "Not enough evidence": "neutral",
        "No difference": "neutral",
        "Equal on these rows": "neutral",
        "Worse, but negligibly": "neutral",
        "Worse; size unclear": "bad",
        "Worse": "bad",
        "Undefined": "neutral",
        "Not applicable": "neutral",
    },
    "neutral",
)


def word(comparison: Comparison) -> Word:
    """What the page calls a comparison; whether another metric contradicts it is not known here."""
    if comparison.status != "ok":
        return "Undefined" if comparison.status == "undefined" else "Not applicable"
    if comparison.is_same:
        return "No difference"
    if is_equal_here(comparison):
        return "Equal on these rows"
    verdict = comparison.verdict
    is_sized = comparison.margin is None or comparison.beyond_margin
    if verdict in ("better", "worse") and not is_sized:
        return "Better; size unclear" if verdict == "better" else "Worse; size unclear"
    if verdict == "equivalent" and (side := _negligible(comparison)):
        return "Better, but negligibly" if side > 0 else "Worse, but negligibly"
    return VERDICTS.get(verdict) or verdict  # type: ignore[return-value]  # of another version


def is_equal_here(comparison: Comparison) -> bool:
    """Whether two values are equal on these rows with no error of their difference to be seen.

    An interval may still stand beside it: how far other rows might differ is not known from these.
    """
    has_limits = comparison.low is not None or comparison.high is not None
    is_seen = comparison.se != 0 and (comparison.se is not None or has_limits)
    is_moved = comparison.difference != 0 or is_seen
    return not is_moved and comparison.verdict == "inconclusive" and not comparison.is_same


def equal_here(has_limits: bool) -> str:
    """The same as a sentence of page one, with what limits beside it are for."""
    elsewhere = "; the interval says how far they may differ on other rows" * has_limits
    return f"Both have the same value on these rows, so that no difference can be shown{elsewhere}."


def printed(comparison: Comparison) -> tuple[Number, Number, float]:
    """The limits that stand beside the word, and their level: 1 − 2α for "Equivalent" alone."""
    if word(comparison) != "Equivalent" or comparison.equivalence_low is None:
        low, high = bounds(replace(comparison, verdict="inconclusive"))
        is_plain = (low, high) == (None, None) and comparison.status == "ok"
        if is_plain:  # the resamples are too few for the family: the plain one, and it is said
            low, high = comparison.low, comparison.high
        return low, high, comparison.level
    return *bounds(comparison), round(1 - 2 * (1 - comparison.level), 10)


def side_of(said: Word) -> Side:
    """Whom a word speaks for: 1 the candidate, −1 the baseline, 0 neither."""
    if said.startswith("Better"):
        return 1
    return -1 if said.startswith("Worse") else 0


def contradicts(other: Word, said: Word) -> bool:
    """Whether one word takes back what another leads to expect.

    >>> contradicts("Worse", "Better"), contradicts("Not enough evidence", "Better")
    (True, True)
    >>> contradicts("Equivalent", "Better"), contradicts("Better", "Worse")
    (False, True)
    """
    if side_of(said) > 0:
        return side_of(other) < 0 or other in ("Not enough evidence", "Equal on these rows")
    return side_of(other) != 0 and side_of(other) != side_of(said)


def _negligible(comparison: Comparison) -> int:
    """1 where the adjusted interval is above zero and inside the margin, −1 where below, else 0."""
    low, high = adjusted_bounds(comparison)
    margin = comparison.margin
    if low is None or high is None or margin is None or max(abs(low), abs(high)) >= margin:
        return 0
    side = (low > 0) - (high < 0)
    return side if comparison.better == "higher" else -side
