"""The curves of the task, every model in one figure."""

from __future__ import annotations

from reportgen.document import Section
from reportgen.results import Results
from reportgen.sections.curve_figures import figures
from reportgen.sections.index import Index

_RANKED = frozenset({"regression", "ranking"})


def section(results: Results) -> Section | None:
    """`ranking` where the order of amounts is judged, `curves` for other tasks."""
    index = Index(results)
    home = "ranking" if results.task in _RANKED else "curves"
    found = [f for section_ in ("ranking", "curves") for f in figures(index, section_, home)]
    if not found:
        return None
    return Section(home, "Ranking" if home == "ranking" else "Curves", tuple(found))
