"""The report as Markdown for a pull request: at most 60 kB, cut by section."""

from __future__ import annotations

from typing import Literal

from reportgen.document import Document
from reportgen.render._plain import Plain, plain
from reportgen.render._templates import filled
from reportgen.render.theme import Theme
from reportgen.results import Results

NAME = "report.md"
LARGEST = 60_000

Fate = Literal["whole", "words", "left out"]


def render(document: Document, results: Results, theme: Theme | None = None) -> dict[str, bytes]:
    """The page; what does not fit loses its tables and figures, then its words, last first."""
    theme = theme or Theme()
    content = plain(document, theme, is_spelled=False, has_figures=False)
    fates: dict[str, Fate] = {section["id"]: "whole" for section in content["sections"]}
    page = _page(content, fates, theme)
    for fate in ("words", "left out"):
        for section_id in reversed(fates):
            if len(page) <= LARGEST:
                return {NAME: page}
            fates[section_id] = fate  # type: ignore[assignment]
            page = _page(content, fates, theme)
    return {NAME: page[:LARGEST].decode("utf-8", "ignore").encode()}


def _page(content: Plain, fates: dict[str, Fate], theme: Theme) -> bytes:
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "fates": fates,
        "date": content["header"]["date"][:10],
    }
    text = filled("markdown", "report.md", context, template_dir=theme.template_dir)
    lines = (line.rstrip() for line in text.splitlines())
    return (_without_gaps("\n".join(lines)) + "\n").encode()


def _without_gaps(text: str) -> str:
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
