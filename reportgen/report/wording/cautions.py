"""Cautions of page one in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.report.wording.names import (
    ROWS,
    Case,
    clean_name,
    fill_case_nouns,
)
from reportgen.report.wording.numbers import format_count
from reportgen.report.wording.warning_texts import WARNING_TEXTS
from reportgen.report.wording.warnings import fill_warning_line, format_warning
from reportgen.results.sensitivity import Deletion
from reportgen.results.types import Better, Scalar
from reportgen.results.verdicts import word_side

DIRECTIONS: Mapping[Better, str] = {
    "higher": "higher is better",
    "lower": "lower is better",
    "zero": "nearer zero is better",
    "one": "nearer one is better",
}


def describe_warning_plainly(code: str, numbers: Mapping[str, Scalar], case: Case = ROWS) -> str:
    """A warning in one short line, without what only a statistician reads."""
    for line, parts in WARNING_TEXTS[code].briefs if code in WARNING_TEXTS else ():
        said = fill_warning_line(line, parts, numbers, case)
        if said:
            return said
    return format_warning(code, numbers, case)


def describe_consequence(code: str, case: Case = ROWS) -> str:
    """Describe what a warning means for the reader, in one sentence.

    Empty where the line says it.
    """
    return fill_case_nouns(WARNING_TEXTS[code].consequence, case) if code in WARNING_TEXTS else ""


FEW = 5  # rows on which no verdict should hang


def describe_fragility(
    removals: Sequence[Deletion], candidate: str, labels: Mapping[str, str], case: Case = ROWS
) -> str:
    """Describe what the verdict on a candidate would be without the fewest rows that change it.

    `removals` are the sets left out of one pair, `case` the nouns for rows. "" where more than
    five rows are needed, or no set was found; where no verdict was looked at, whom the difference
    favours.
    """
    mine = [r for r in removals if r.candidate == candidate and r.rows <= FEW]
    changing = _fewest([r for r in mine if r.is_changed])
    turning = _fewest([r for r in mine if r.is_turned and r.word is None])
    if changing:
        verdicts = dict.fromkeys(f"“{r.word}”" for r in changing)
        would_be = " or, by another choice, ".join(verdicts)
        before = changing[0].word_before
        is_alike = any(r.word and word_side(r.word) == word_side(before) for r in changing)
        contrast = f", not “{before}”" if is_alike else ""
        return (
            f"Without {format_count(changing[0].rows, *case)} the verdict would be "
            f"{would_be}{contrast}."
        )
    if turning:
        side = clean_name(labels[turning[0].in_favour_of], 40)
        without = format_count(turning[0].rows, *case)
        return f"Without {without} the difference would be in favour of {side}."
    return ""


def _fewest(sets: Sequence[Deletion]) -> list[Deletion]:
    return [r for r in sets if r.rows == min(each.rows for each in sets)]
