"""The report as Markdown."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from typing import Literal

from reportgen.report.document import Document
from reportgen.report.render.page_length import shorten_document
from reportgen.report.render.plain import Plain, convert_document
from reportgen.report.render.templates import make_filler
from reportgen.report.render.theme import Theme
from reportgen.results import Results

LARGEST = 60_000  # bytes, except with `length: full`

SectionCut = Literal["whole", "words", "left out"]
SECTION_CUTS: tuple[SectionCut, ...] = ("whole", "words", "left out")


def render(document: Document, results: Results, theme: Theme | None = None, *_: object) -> bytes:
    """Render the page; if it does not fit, drop tables and figures, then words, last first.

    A full report leaves nothing out.
    """
    theme = theme or Theme()
    document = shorten_document(document, results.report.length)
    content = convert_document(document, theme, is_spelled=False, has_figures=False)
    ids = [section["id"] for section in content["sections"]]
    fill = make_filler("markdown", "report.md", ids, template_dir=theme.template_dir)
    cuts = [(fate, id_) for fate in SECTION_CUTS[1:] for id_ in reversed(ids)]

    @cache
    def page(made: int) -> bytes:
        fates = dict.fromkeys(ids, SECTION_CUTS[0]) | {id_: fate for fate, id_ in cuts[:made]}
        return _build_page(content, fates, fill)

    def fits(made: int) -> bool:
        return len(page(made)) <= LARGEST

    if results.report.length == "full":
        return page(0)
    # Most pages fit as they are. Each further cut makes the page smaller, so the first that fits is
    # found by halving.
    fewest = 0 if fits(0) else bisect_left(range(len(cuts)), True, lo=1, key=fits)
    return page(fewest)[:LARGEST].decode("utf-8", "ignore").encode()


def _build_page(
    content: Plain, fates: dict[str, SectionCut], fill: Callable[[Plain], str]
) -> bytes:
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "fates": fates,
        "date": content["header"]["date"][:10],
    }
    lines = (line.rstrip() for line in fill(context).splitlines())
    return (_collapse_blank_lines("\n".join(lines)) + "\n").encode()


def _collapse_blank_lines(text: str) -> str:
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
