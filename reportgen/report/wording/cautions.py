"""Cautions of page one in words."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.report.wording.names import (
    ROWS,
    Case,
    fill_case_nouns,
)
from reportgen.report.wording.warning_texts import WARNING_TEXTS
from reportgen.report.wording.warnings import fill_warning_line, format_warning
from reportgen.results.types import Better, Scalar

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
