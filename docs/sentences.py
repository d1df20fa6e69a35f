"""The book of sentences: every message, with texts of worked reports and of sample facts.

    python docs/sentences.py

Writes reference/sentences.md, as every build of the site does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from reportgen.report import prose
from reportgen.report.conclusion import conclude
from reportgen.report.layout import build_document
from reportgen.report.prose.marks import Marked
from reportgen.report.prose.messages import Catalogue
from reportgen.report.prose.replacing import list_kinds, make_samples
from reportgen.results import Results

sys.path.insert(0, str(Path(__file__).parents[1]))  # this file runs as a script, too

from tests.worked import CONFIGS, results_of

INTRODUCTION = """
Every message of `templates/prose/`, in the order of its files, with the longest of its texts in the
worked reports, or else of sample facts.
"""
PAGE = Path(__file__).parent / "reference" / "sentences.md"
LINK = re.compile(r"\[([^]]*)\]\(#[^)]*\)")  # into a report, which this page is not


def pages() -> dict[str, str]:
    """The page, by its path in the folder of made pages."""
    return {PAGE.name: sentences_page()}


def sentences_page() -> str:
    """Build the page."""
    catalogue = prose.load_catalogue()
    real = collect_real_texts(catalogue, (results_of(name) for name in CONFIGS))
    samples = collect_sample_texts()
    lines = ["# Every sentence", INTRODUCTION.strip()]
    chapter = ""
    for key, message in catalogue.messages.items():
        if (name := Path(message.path).stem) != chapter:
            chapter = name
            lines.append(f"## {chapter.replace('_', ' ').capitalize()}")
        text = max(real.get(key) or samples.get(key) or message.wordings, key=len)
        lines.append(f"`{key}`\n\n- " + LINK.sub(r"\1", text))
    return "\n\n".join(lines) + "\n"


def collect_sample_texts() -> dict[str, list[str]]:
    """Collect the texts of each message for sample facts."""
    texts: dict[str, dict[str, None]] = {}
    for kind in list_kinds():
        for fact in make_samples(kind):
            texts.setdefault(fact.key, {}).setdefault(prose.say_plain(fact))
    return {key: list(each) for key, each in texts.items()}


def collect_real_texts(catalogue: Catalogue, reports: Iterable[Results]) -> dict[str, list[str]]:
    """Collect the texts of each message in reports, in their order."""
    with record_texts(catalogue) as texts:
        for results in reports:
            conclude(results)
            build_document(results)
    return {key: list(each) for key, each in texts.items()}


@contextmanager
def record_texts(catalogue: Catalogue) -> Iterator[dict[str, dict[str, None]]]:
    """Record the texts of each message that is filled inside the block."""
    texts: dict[str, dict[str, None]] = {}
    fill = catalogue.fill

    def record(key: str, values: Mapping[str, object], most_words: int = 0) -> Marked:
        text = fill(key, values, most_words)
        texts.setdefault(key, {}).setdefault(text)
        return text

    catalogue.fill = record  # type: ignore[method-assign]
    try:
        yield texts
    finally:
        del catalogue.fill  # type: ignore[method-assign]


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(sentences_page(), encoding="utf-8")
