"""What the verdict would be without very few rows, in one sentence for the first page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.results import Scalar
from reportgen.wording.names import name
from reportgen.wording.numbers import count

FEW = 5  # rows on which no verdict should hang


def without_few(
    removals: Sequence[Mapping[str, Scalar]], candidate: str, labels: Mapping[str, str]
) -> str:
    """What the verdict on a candidate would be without the fewest rows that change it.

    `removals` are the records of the removals of one pair. "" where more than five rows are
    needed, or no set was found; where no verdict was looked at, whom the difference favours.
    """
    mine = [r for r in removals if r["candidate"] == candidate and _rows(r) <= FEW]
    changing = _fewest([r for r in mine if r["verdict changes"]])
    turning = _fewest([r for r in mine if r["favour changes"] and r["verdict"] is None])
    if changing:
        verdicts = dict.fromkeys(f"“{r['verdict']}”" for r in changing)
        would_be = " or, by another choice, ".join(verdicts)
        before = str(changing[0]["verdict before"])
        is_alike = any(str(r["verdict"]).split()[0] == before.split()[0] for r in changing)
        contrast = f", not “{before}”" if is_alike else ""
        return (
            f"Without {count(_rows(changing[0]), 'row')} the verdict would be {would_be}{contrast}."
        )
    if turning:
        side = name(labels[str(turning[0]["in favour of"])], 40)
        without = count(_rows(turning[0]), "row")
        return f"Without {without} the difference would be in favour of {side}."
    return ""


def _fewest(records: Sequence[Mapping[str, Scalar]]) -> list[Mapping[str, Scalar]]:
    return [r for r in records if _rows(r) == min(map(_rows, records))]


def _rows(record: Mapping[str, Scalar]) -> int:
    removed = record["rows removed"]
    return removed if isinstance(removed, int) else 0
