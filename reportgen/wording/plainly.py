"""Page one for a reader who knows no statistics: what a measure asks, what a warning means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reportgen.results import Better, MetricInfo, Scalar
from reportgen.wording.names import ROWS, Case, capital, lowered, name, of_cases
from reportgen.wording.warnings import told, warning

DIRECTIONS: Mapping[Better, str] = {"higher": "higher is better", "lower": "lower is better",
               "zero": "nearer zero is better"}  # fmt: skip
_TOO_NARROW = "so intervals may be too narrow"
CONSEQUENCES: Mapping[str, str] = MappingProxyType(
    {
        "W101": "How sure a number can be is set by the rarer class.",
        "W102": "Rank measures may then disagree.",
        "W103": "Intervals may be too narrow.",
        "W105": "Such resamples are left out: what is known of chance rests on the others.",
        "W106": "What is known is set by the number of clusters, not of rows.",
        "W107": f"Rows of one unit say much the same, {_TOO_NARROW}.",
        "W110": "The chosen model looks better on these rows than it will on new ones.",
        "W111": f"Rows that move together count for fewer than they are, {_TOO_NARROW}.",
        "W112": "Another seed could move a verdict.",
        "W118": "Rows with one score cannot be told apart.",
        "W124": "The opposite order would be better than chance.",
        "W121": "Calls on new rows will be worse than they look here.",
        "W129": "Other rows would have taught another threshold.",
        "W130": "What is known is set by these few, not by the number of all.",
        "W131": "Which few queries were chosen may decide who looks better.",
        "W132": "What is known of the difference rests on these.",
        "W133": "What nobody judged counts as not relevant.",
        "W134": "What is not there counts as not relevant.",
        "W135": "A system that breaks ties in its own way would have another value.",
        "W136": "The interval rests on that query being like the others.",
        "W137": "A distance may have been read as a score.",
        "W138": "Which is better is a question of what queries are worth.",
        "W139": "The conclusion is one of the convention as well as of the systems.",
        "W140": "They decide the value, and an interval of it may be too narrow.",
        "W115": "On new rows a fitted shift may save less than it seems to here.",
        "W116": "Other rows would have taught another shift.",
        "W117": "For new ones a fitted shift may save less than it seems to here.",
    }
)
_BRIEFS: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = MappingProxyType(
    {
        "W102": (
            (
                "{share_pairs} of the pairs of rows are equal",
                (" in {what}", "; {mode_share} of the rows have the value {mode}"),
            ),
        ),
        "W103": (
            (
                "{n} {counted} (fewer than {too_few}) cannot show how much single {counted} "
                "may weigh",
                (),
            ),
            ("5 % of the {counted} hold {top_share} of what makes it vary", ()),
        ),
    }
)


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
    for line, parts in _BRIEFS.get(code, ()):
        said = told(line, parts, numbers, case)
        if said:
            return said
    return warning(code, numbers, case)


def consequence(code: str, case: Case = ROWS) -> str:
    """What a warning means for the reader, in one sentence; empty where the line says it."""
    return of_cases(CONSEQUENCES.get(code, ""), case)
