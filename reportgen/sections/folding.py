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
)

_LONGEST = 60
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


def _said_first(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if not isinstance(block, _SAID):
            return
        yield block


def _without_bare_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks without a heading that nothing stands under."""
    for block, after in zip(blocks, (*blocks, None)[1:], strict=True):
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
        yield Fold(_title(blocks), tuple(blocks))


def _title(blocks: Iterable[Block]) -> str:
    """What stands behind it: the first figure or table by its title, and how many more."""
    named = [
        block.title if isinstance(block, Figure) or block.title else block.caption
        for block in blocks
        if isinstance(block, Figure | Table)
    ]
    if not named:
        return "Details"
    first = named[0].partition(". ")[0].partition(": ")[0].rstrip(".")
    return f"{wording.name(first, _LONGEST)}{f' and {len(named) - 1} more' * (len(named) > 1)}"
