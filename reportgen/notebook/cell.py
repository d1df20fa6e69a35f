"""Page one as a notebook shows it: a light cell of HTML, Markdown, or plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from reportgen.report.document import Block, Callout, Document, Forest, Table
from reportgen.report.layout import build_first_page
from reportgen.report.render.markdown import render as render_markdown
from reportgen.report.render.plain import convert_document
from reportgen.report.render.templates import make_filler
from reportgen.report.render.theme import Theme
from reportgen.results import Results

MOST_ROWS = 5
"""Rows of the table of what else changes."""
_NUMBERS = count(1)
_SHOWN = ("candidates", "consequences")
_DECLARED = ("classes", "requirements", "limitations")
"""Blocks that are there if the config declares what they show."""


class _CurrentColour(dict[str, str]):
    """Colours of a figure that takes those of the text around it."""

    def __missing__(self, name: str) -> str:
        return "currentColor"


def build_cell(results: Results, theme: Theme, notes: Sequence[str]) -> dict[str, str]:
    """Build the cell by media type; `notes` are what was inferred."""
    page = _select_blocks(build_first_page(results))
    plain = convert_document(page, theme, is_spelled=False, colours=_CurrentColour())
    context: Mapping[str, Any] = {
        "number": next(_NUMBERS),
        "blocks": [block for section in plain["sections"] for block in section["blocks"]],
        "notes": list(notes),
    }
    html = make_filler("html", "cell.html", (), template_dir=theme.template_dir)(context)
    return {
        "text/html": html,
        "text/markdown": render_markdown(page, results).decode(),
        "text/plain": format_text(results, notes),
    }


def format_text(results: Results, notes: Sequence[str]) -> str:
    """Format page one as lines of text: the answer, its points, the table, what was inferred."""
    lines: list[str] = []
    for block in _iter_blocks(build_first_page(results)):
        if isinstance(block, Callout):
            lines += [block.title, *("".join(s.text for s in each) for each in block.body), ""]
        elif isinstance(block, Forest):
            rows = [(r.name, r.amount, r.difference, r.interval, r.word) for r in block.rows]
            lines += [*_align(rows), *block.notes, ""]
    lines += [f"Inferred: {'; '.join(notes)}."] if notes else []
    return "\n".join(lines).rstrip()


def show(report: object) -> None:
    """Show a report as the cell of a notebook, or print it."""
    try:
        from IPython.core.getipython import get_ipython
        from IPython.display import display
    except ImportError:
        print(report)
        return
    if get_ipython() is None:
        print(report)
    else:
        display(report)  # type: ignore[no-untyped-call]


def _select_blocks(page: Document) -> Document:
    """Keep the answer, the figure, the table with few rows, and what the config declares."""
    sections = tuple(
        replace(section, blocks=tuple(_iter_blocks(page))) for section in page.sections[:1]
    )
    return replace(page, sections=sections)


def _iter_blocks(page: Document) -> Iterator[Block]:
    for block in (block for section in page.sections for block in section.blocks):
        name = getattr(block, "id", "")
        if isinstance(block, Callout) or name == "candidates":
            yield block
        elif isinstance(block, Table) and name in (*_SHOWN, *_DECLARED):
            yield replace(block, rows=block.rows[:MOST_ROWS])


def _align(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  " + "  ".join(cells).rstrip()
