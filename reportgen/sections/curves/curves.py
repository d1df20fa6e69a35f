"""The curves of the task, every model in one figure."""

from __future__ import annotations

from reportgen.document import Section
from reportgen.results import Results
from reportgen.sections.curves.figures import figures
from reportgen.sections.curves.words import CURVE_WORDS
from reportgen.sections.index import Index


def section(results: Results) -> Section | None:
    """`ranking` where a curve judges the order of amounts, else `curves`."""
    index = Index(results)
    known = (CURVE_WORDS.get(each.curve) for each in results.curves)
    is_ranked = any(words is not None and words.section == "ranking" for words in known)
    home = "ranking" if is_ranked else "curves"
    found = [f for section_ in ("ranking", "curves") for f in figures(index, section_, home)]
    if not found:
        return None
    return Section(home, "Ranking" if home == "ranking" else "Curves", tuple(found))
