"""What a rare class hides from one of two measures of order: shown where they tell otherwise."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Bullets, Section, phrase
from reportgen.results import Results
from reportgen.sections.index import Index
from reportgen.wording import rare_class


def section(results: Results) -> Section | None:
    """None where nothing is told of the model that the report is about."""
    index = Index(results)
    here = [each for each in results.rare_classes if each.dataset == index.main.name]
    found = [each for each in here if each.candidate == index.about]
    if not found:
        return None
    many = wording.name(index.main.case[1])
    said = tuple(
        phrase(rare_class.told(each, (_name(index, each.candidate), _name(index, each.baseline)),
                               many))
        for each in found
    )  # fmt: skip
    return Section("rare-class", "What a rare class hides", (Bullets(said),))


def _name(index: Index, model: str) -> str:
    return wording.name(index.label(model), 40)
