"""The sentences of page one of every worked report, as one file to read.

    python -m tests.report.conclusion.page_ones

Writes page_ones.md beside this file; a test holds that it is current. A changed word of page one
is a changed line there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reportgen.report.conclusion import conclude
from reportgen.results import Results
from tests.worked import CONFIGS, results_of

PAGE = Path(__file__).with_name("page_ones.md")


def write_pages() -> str:
    """Write page one of each worked report."""
    pages = ("\n".join(_iter_lines(name, results_of(name))) for name in CONFIGS)
    return "# Page one of every worked report\n\n" + "\n\n".join(pages) + "\n"


def _iter_lines(name: str, results: Results) -> Iterator[str]:
    found = conclude(results)
    yield f"## {name}: {found.question}"
    yield f"\n> {found.answer}\n>\n> {found.key_line}\n>"
    for title in ("gain", "drawback", "unsure"):
        if said := " ".join(getattr(found, title)):
            yield f"> **{title.capitalize()}** {said}"
    for note in found.set_aside:
        yield f"\n{note.note}"
    yield ""
    for each in found.requirements:
        yield f"- {each.name}: {each.status}"


if __name__ == "__main__":
    PAGE.write_text(write_pages(), encoding="utf-8")
