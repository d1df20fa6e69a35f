"""Page one for a reader who knows no statistics: what a measure asks, what a warning means."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results import Better, Scalar
from reportgen.wording.codes import WARNINGS
from reportgen.wording.names import ROWS, Case, of_cases
from reportgen.wording.warnings import told, warning

DIRECTIONS: Mapping[Better, str] = {"higher": "higher is better", "lower": "lower is better",
               "zero": "nearer zero is better", "one": "nearer one is better"}  # fmt: skip


def briefly(code: str, numbers: Mapping[str, Scalar], case: Case = ROWS) -> str:
    """A warning in one short line, without what only a statistician reads."""
    for line, parts in WARNINGS[code].briefs if code in WARNINGS else ():
        said = told(line, parts, numbers, case)
        if said:
            return said
    return warning(code, numbers, case)


def consequence(code: str, case: Case = ROWS) -> str:
    """What a warning means for the reader, in one sentence; empty where the line says it."""
    return of_cases(WARNINGS[code].consequence, case) if code in WARNINGS else ""
