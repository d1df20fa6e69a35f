"""What of a section is read at once, and what stands behind a title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reportgen import wording
from reportgen.document import (
    Block,
    Bullets,
    Callout,
    Definitions,
    Figure,
    Fold,
    Heading,
    Section,
    Table,
    Text,
    unfolded,
)

_SAID = (Text, Bullets, Callout, Definitions)


def in_full(title: str, blocks: Iterable[Block]) -> list[Block]:
    """The blocks behind a title, which printed pages have in the full report alone."""
    held = tuple(blocks)
    return [Fold(title, held, is_of_full=True)] if held else []


def led(section: Section) -> Section:
    """The section closed to what it says first and one figure; the rest behind a title."""
    said = list(_said_first(section.blocks))
    figure = next((block for block in section.blocks if isinstance(block, Figure)), None)
    shown = [*said, *([figure] if figure is not None else [])]
    rest = [block for block in section.blocks if not any(block is each for each in shown)]
    blocks = (*shown, *_behind_titles(_without_bare_headings(rest)))
    return Section(section.id, section.title, blocks, section.lede)


def counted(blocks: Iterable[Block]) -> str:
    """How many figures and tables there are, such as `2 figures and 1 table`."""
    inside = list(unfolded(blocks))
    figures = sum(isinstance(block, Figure) for block in inside)
    tables = sum(isinstance(block, Table) for block in inside)
    parts = [wording.count(n, what) for n, what in ((figures, "figure"), (tables, "table")) if n]
    return wording.listed(parts)


def _said_first(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if not isinstance(block, _SAID):
            return
        yield block


def _without_bare_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks without a heading that nothing stands under."""
    for block, after in zip(blocks, (*blocks[1:], None), strict=True):
        is_bare = after is None or isinstance(after, Heading)
        if not (isinstance(block, Heading) and is_bare):
            yield block


def _behind_titles(blocks: Iterable[Block]) -> Iterator[Block]:
    """Folds as they are; what stands between them as one of its own."""
    loose: list[Block] = []
    for block in blocks:
        if not isinstance(block, Fold):
            loose.append(block)
            continue
        yield from _fold_of(loose)
        loose = []
        yield block
    yield from _fold_of(loose)


def _fold_of(blocks: Sequence[Block]) -> Iterator[Fold]:
    if blocks:
        yield Fold(wording.capital(counted(blocks)) or "Details", tuple(blocks))
