"""A requirement in a line: its status, what it asks, and by how much it is met."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Phrase, Span, Tone, phrase
from reportgen.results.conclusion import Requirement
from reportgen.wording.requirements import STATUS

MOST_REQUIREMENTS = 5
_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "inconclusive": "open"}


def required(each: Requirement) -> Phrase:
    """A gate with its status, what it asks, and by how much it is met."""
    status = STATUS.get(each.status) or each.status
    if each.is_failure and each.status == "inconclusive":
        status = "not shown, counted as failed"
    tone: Tone = "bad" if each.is_failure else _TONES.get(each.status, "neutral")
    head = Span(status, is_strong=True, tone=tone)
    return phrase(head, f" {each.name}. ", Span(wording.capital(each.text), tone="neutral"))
