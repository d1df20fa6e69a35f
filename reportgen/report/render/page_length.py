"""How much of a document is printed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import (
    Block,
    Document,
    Figure,
    Fold,
    Heading,
    Section,
    Table,
    Text,
    iter_unfolded,
    make_phrase,
)
from reportgen.results import Results
from reportgen.results.core import Length

MEMO_SECTIONS = ("decision", "results")
"""The sections of a memo, which has no figures of results."""
MOST_PAGES, MOST_PAGES_OF_MANY = 8, 14
MANY_MODELS, MANY_METRICS = 4, 8
FIRST_TO_GO = tuple("results segments across costs robustness data method files".split())
"""The order in which sections lose figures and tables where pages are too many."""


@record
class Omission:
    """A figure or table that printed pages can do without: its section and its own name."""

    section: str
    id: str


def shorten_document(
    document: Document, length: Length, gone: Collection[Omission] = ()
) -> Document:
    """Shorten the document for print: open folds, drop what is for the full report or is gone."""
    sections = [s for s in document.sections if length != "memo" or s.id in MEMO_SECTIONS]
    left: list[Block] = []
    shown = [_shorten_section(section, length, gone, left) for section in sections]
    if shown and (said := _describe_omitted(left)):
        shown[-1] = replace(shown[-1], blocks=(*shown[-1].blocks, Text(make_phrase(said))))
    return replace(document, sections=tuple(shown))


def page_limit(results: Results) -> int:
    """Return the most pages of a standard report: more where many models or metrics are judged."""
    is_large = len(results.models) > MANY_MODELS or len(results.metrics) > MANY_METRICS
    return MOST_PAGES_OF_MANY if is_large else MOST_PAGES


def list_omissions(document: Document) -> list[Omission]:
    """List what may be left out of a printed document, in order: the last of a section first."""
    found = {section.id: section for section in document.sections}
    return [
        Omission(key, block.id)
        for key in FIRST_TO_GO
        if key in found
        for block in reversed(found[key].blocks)
        if isinstance(block, Figure | Table)
    ]


def _shorten_section(
    section: Section, length: Length, gone: Collection[Omission], left: list[Block]
) -> Section:
    """Drop blocks of a section, and add them to those that are `left` out."""

    def is_out(block: Block) -> bool:
        return (
            isinstance(block, Fold)
            or (isinstance(block, Figure) and length == "memo")
            or (isinstance(block, Figure | Table) and Omission(section.id, block.id) in gone)
        )

    kept: list[Block] = []
    for part in _split_at_headings(list(_iter_unfolded_blocks(section.blocks, length))):
        out = [block for block in part if is_out(block)]
        left += out
        is_empty = out and all(is_out(block) or isinstance(block, Heading | Text) for block in part)
        if not (is_empty and isinstance(part[0], Heading)):
            kept += [block for block in part if not is_out(block)]
    return replace(section, blocks=tuple(kept))


def _split_at_headings(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield each heading with what stands under it; first what stands above all headings."""
    starts = [at for at, block in enumerate(blocks) if at == 0 or isinstance(block, Heading)]
    for start, end in pairwise([*starts, len(blocks)]):
        yield list(blocks[start:end])


def _iter_unfolded_blocks(blocks: Sequence[Block], length: Length) -> Iterator[Block]:
    """Yield the blocks with folds opened, but for those that stay closed at this length."""
    for block in blocks:
        if isinstance(block, Fold) and (length == "full" or not block.is_of_full):
            yield from _iter_unfolded_blocks(block.blocks, length)
        else:
            yield block


def _describe_omitted(blocks: Sequence[Block]) -> str:
    """Describe what is not printed and where it is; empty where all of it is printed."""
    inside = list(iter_unfolded(blocks))
    figures, tables = (sum(isinstance(block, kind) for block in inside) for kind in (Figure, Table))
    if not figures and not tables:
        return ""
    return prose.line("document.omitted", figures=figures, tables=tables)
