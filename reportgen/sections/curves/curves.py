"""The curves of the task, every model in one figure."""

from __future__ import annotations

from reportgen.document import Section
from reportgen.results import Results
from reportgen.sections.curves.captured import extra
from reportgen.sections.curves.drawn import words_of
from reportgen.sections.curves.figures import figures
from reportgen.sections.index import Index


def section(results: Results) -> Section | None:
    """`ranking` where a curve judges the order of amounts, else `curves`."""
    index = Index(results)
    is_ranked = any(words_of(index, each.curve).topic == "ranking" for each in results.curves)
    home = "ranking" if is_ranked else "curves"
    found = figures(index, ("ranking", "curves"), extra(index))
    if not found:
        return None
    return Section(home, "Ranking" if home == "ranking" else "Curves", tuple(found))
