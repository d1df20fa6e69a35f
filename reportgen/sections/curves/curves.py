"""The curves of the task, every model in one figure."""

from __future__ import annotations

from reportgen.document import Block, Bullets, Figure, Section, phrase
from reportgen.results import Results
from reportgen.sections.curves.captured import extra
from reportgen.sections.curves.deciles import dumbbells
from reportgen.sections.curves.drawn import words_of
from reportgen.sections.curves.figures import figures
from reportgen.sections.curves.peaks import with_peaks
from reportgen.sections.curves.plane import plane
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index

TOPICS = ("ranking", "curves")


def section(results: Results) -> Section | None:
    """`ranking` where a curve judges the order of amounts, else `curves`."""
    index = Index(results)
    is_ranked = any(words_of(index, each.curve).topic == "ranking" for each in results.curves)
    home = "ranking" if is_ranked else "curves"
    found = figures(index, TOPICS, extra(index))
    found = with_peaks(index, found)
    found += in_full("Precision over recall and lines of equal value", plane(index))
    found += _undefined(index)
    if not found:
        return None
    paired = dumbbells(index, results.curves)
    if paired is not None:
        after = [k for k, block in enumerate(found) if _is_gain(block)]
        found.insert(after[-1] + 1 if after else 0, paired)
    return Section(home, "Ranking" if home == "ranking" else "Curves", tuple(found))


def _undefined(index: Index) -> list[Block]:
    """Which curves have no value anywhere, of any model: they are named and not drawn."""
    whole = [c for c in index.results.curves if c.segment is None and c.baseline is None]
    shown = {c.curve for c in whole if c.status != "undefined"}
    reasons = {c.curve: c.reason for c in whole if c.curve not in shown}
    said = "not drawn, as it is undefined for every model"
    lines = [
        phrase(f"{words_of(index, name).title}: {said}{f' {why}' * why.startswith('where')}.")
        for name, why in reasons.items()
        if words_of(index, name).topic in TOPICS
    ]
    return [Bullets(tuple(lines))] if lines else []


def _is_gain(block: Block) -> bool:
    return isinstance(block, Figure) and block.id.startswith("gain-curve")
