"""What a reader of page one has to read, of every worked report."""

from collections.abc import Iterator

import pytest

from reportgen.report.document import Bullets, Callout, Document, Forest, Phrase, Table, Text
from reportgen.report.layout import build_first_page
from tests.worked import CONFIGS, results_of

MOST_WORDS = 260
MOST_BLOCKS = 5


def iter_text(document: Document) -> Iterator[str]:
    """Every text of page one that stands in no table and no row of the figure."""
    yield document.header.question or document.header.title
    for block in document.sections[0].blocks:
        if isinstance(block, Callout):
            yield from (block.title, *map(join, block.body))
        elif isinstance(block, Forest | Table):
            yield from (block.title, block.caption)
        elif isinstance(block, Bullets):
            yield from (block.title, *map(join, block.items))
        elif isinstance(block, Text):
            yield join(block.phrase)


def join(phrase: Phrase) -> str:
    return "".join(span.text for span in phrase)


@pytest.mark.parametrize("name", CONFIGS)
def test_page_one_is_read_in_a_minute(name: str) -> None:
    page = build_first_page(results_of(name))
    words = " ".join(iter_text(page)).split()
    assert 100 < len(words) <= MOST_WORDS, len(words)
    assert len(page.sections[0].blocks) <= 1 + MOST_BLOCKS
