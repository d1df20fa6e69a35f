"""The classes, or labels, on which a candidate is shown worse, by what page one tells of each."""

from __future__ import annotations

from reportgen import wording
from reportgen.selection import Selection
from reportgen.wording.classes import words_of


def worse_on(found: Selection, candidate: str) -> str:
    """In words, on which class the candidate is shown worse, or on how many; "" if on none."""
    metrics = found.results.class_metrics
    leading = next((m for m in metrics if m.name == "f"), metrics[0] if metrics else None)
    if leading is None:
        return ""
    named = {each.value: each.name for each in found.main.classes}
    worse = [
        named.get(each.value, each.value)
        for each in found.results.classes
        if each.dataset == found.main.name and each.metric == leading.name and each.value
        for c in each.comparisons
        if c.candidate == candidate and c.verdict == "worse"
    ]
    words = words_of(found.main)
    if len(worse) == 1:
        return f"worse on {words.one} {wording.name(worse[0], 24)}"
    return f"worse on {wording.count(len(worse), words.one, words.many)}" if worse else ""
