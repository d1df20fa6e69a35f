"""The report as Markdown for a pull request: at most 60 kB, cut by section."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

from reportgen.document import Document
from reportgen.outputs import FILES
from reportgen.render.attachment import Attachment
from reportgen.render.length import printed
from reportgen.render.plain import Plain, plain
from reportgen.render.templates import filler
from reportgen.render.theme import Theme
from reportgen.results import Results

NAME = FILES["markdown"]
LARGEST = 60_000

Fate = Literal["whole", "words", "left out"]
FATES: tuple[Fate, ...] = ("whole", "words", "left out")


def render(
    document: Document,
    results: Results,
    theme: Theme | None = None,
    attached: Sequence[Attachment] = (),
) -> dict[str, bytes]:
    """The page; what does not fit loses its tables and figures, then its words, last first."""
    theme = theme or Theme()
    document = printed(document, results.report.length)
    content = plain(document, theme, is_spelled=False, has_figures=False)
    ids = [section["id"] for section in content["sections"]]
    fill = filler("markdown", "report.md", ids, template_dir=theme.template_dir)
    cuts = [(fate, id_) for fate in FATES[1:] for id_ in reversed(ids)]

    @cache
    def page(made: int) -> bytes:
        fates = dict.fromkeys(ids, FATES[0]) | {id_: fate for fate, id_ in cuts[:made]}
        return _page(content, fates, fill)

    # Each further cut makes the page smaller, so the first that fits is found by halving.
    fewest = bisect_left(range(len(cuts)), True, key=lambda made: len(page(made)) <= LARGEST)
    return {NAME: page(fewest)[:LARGEST].decode("utf-8", "ignore").encode()}


def _page(content: Plain, fates: dict[str, Fate], fill: Callable[[Plain], str]) -> bytes:
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "fates": fates,
        "date": content["header"]["date"][:10],
    }
    lines = (line.rstrip() for line in fill(context).splitlines())
    return (_without_gaps("\n".join(lines)) + "\n").encode()


def _without_gaps(text: str) -> str:
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
