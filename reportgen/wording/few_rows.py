"""What the verdict would be without very few rows, in one sentence for the first page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.results import Deletion
from reportgen.wording.names import ROWS, Case, name
from reportgen.wording.numbers import count

FEW = 5  # rows on which no verdict should hang


def without_few(
    removals: Sequence[Deletion],
    candidate: str,
    labels: Mapping[str, str],
    case: Case = ROWS,
) -> str:
    """What the verdict on a candidate would be without the fewest rows that change it.

    `removals` are the sets left out of one pair, `case` the nouns for rows. "" where more than
    five rows are needed, or no set was found; where no verdict was looked at, whom the difference
    favours.
    """
    mine = [r for r in removals if r.candidate == candidate and r.rows <= FEW]
    changing = _fewest([r for r in mine if r.is_changed])
    turning = _fewest([r for r in mine if r.is_turned and r.verdict is None])
    if changing:
        verdicts = dict.fromkeys(f"“{r.verdict}”" for r in changing)
        would_be = " or, by another choice, ".join(verdicts)
        before = changing[0].verdict_before
        is_alike = any(str(r.verdict).split()[0] == before.split()[0] for r in changing)
        contrast = f", not “{before}”" if is_alike else ""
        return (
            f"Without {count(changing[0].rows, *case)} the verdict would be {would_be}{contrast}."
        )
    if turning:
        side = name(labels[turning[0].in_favour_of], 40)
        without = count(turning[0].rows, *case)
        return f"Without {without} the difference would be in favour of {side}."
    return ""


def _fewest(sets: Sequence[Deletion]) -> list[Deletion]:
    return [r for r in sets if r.rows == min(each.rows for each in sets)]
