"""Page one for a reader who knows no statistics: what a measure asks, what a warning means."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results import Better, MetricInfo, Scalar
from reportgen.wording.codes import WARNINGS
from reportgen.wording.names import ROWS, Case, capital, lowered, name, of_cases
from reportgen.wording.warnings import told, warning

DIRECTIONS: Mapping[Better, str] = {"higher": "higher is better", "lower": "lower is better",
               "zero": "nearer zero is better"}  # fmt: skip


def gloss(metric: MetricInfo) -> str:
    """One sentence on what a metric asks and which way is better; empty where nobody has said.

    >>> mae = MetricInfo("mae", "mae", {}, "MAE", "lower", "", (0, None), "", "", "",
    ...                  asks="how far off a score is, on average")
    >>> gloss(mae)
    'MAE says how far off a score is, on average; lower is better.'
    """
    if not metric.asks:
        return ""
    subject = capital(lowered(name(metric.label, 40)))
    return f"{subject} says {metric.asks}; {DIRECTIONS[metric.better]}."


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
