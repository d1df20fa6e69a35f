"""The report as plain data: sections of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from reportgen.records import record

Tone = Literal["good", "bad", "open", "neutral", "stop"]
Role = Literal[
    "baseline",
    "candidate1",
    "candidate2",
    "candidate3",
    "candidate4",
    "candidate5",
    "candidate6",
    "candidate7",
    "candidate8",
    "candidate9",
    "worse",
    "reference",
    "other",
]
Mark = Literal["filled", "open", "crossed"]
FigureKind = Literal[
    "line", "steps", "forest", "dumbbell", "spans", "bars", "histogram", "matrix", "scatter"
]


@record
class Span:
    """A run of text. `href` is `#section-id` (or a URL); `is_code` prints it as it is typed."""

    text: str
    is_strong: bool = False
    tone: Tone | None = None
    href: str = ""
    is_code: bool = False


Phrase = tuple[Span, ...]


def make_phrase(*parts: str | Span) -> Phrase:
    """Make a phrase of plain strings and spans.

    >>> make_phrase("a ", Span("b", is_strong=True))[1].is_strong
    True
    """
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


@record
class Heading:
    """Heading of a part of a section; `id` is its anchor."""

    text: str
    id: str
    kind: Literal["heading"] = "heading"


@record
class Text:
    """One paragraph."""

    phrase: Phrase
    kind: Literal["text"] = "text"


@record
class Bullets:
    """A list, numbered or not; `note` stands next to the title."""

    items: tuple[Phrase, ...]
    title: str = ""
    note: str = ""
    is_numbered: bool = False
    kind: Literal["bullets"] = "bullets"


@record
class Cell:
    """Text that a reader sees, a second smaller line under it, and the number behind it."""

    text: str
    note: str = ""
    value: float | str | None = None
    tone: Tone | None = None
    is_strong: bool = False
    href: str = ""


@record
class TableColumn:
    """A table column: its heading, and whether it holds numbers (set flush right)."""

    title: str
    is_numeric: bool = True
    note: str = ""


@record
class Table:
    """A table; the first cell of each row is its heading. `is_folded` shows it on demand only.

    A row becomes a card on a phone. `title` stands before the caption.
    """

    id: str
    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_folded: bool = False
    title: str = ""
    kind: Literal["table"] = "table"


@record
class ForestRow:
    """One interval with its numbers and its word printed next to it.

    `value`, `low`, `high` are places on the forest's axis, where better is further right; None
    where there is nothing to draw, and `note` is in its place. `amount` is what the row is about
    by itself: a model's value.
    """

    name: str
    difference: str
    interval: str
    word: str
    tone: Tone
    description: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    is_strong: bool = False
    amount: str = ""


@record
class Forest:
    """Intervals below one another on one axis, the numbers and words in text.

    `ticks` are (place, text); `margin` is the half width of what is too small to matter, around 0;
    `right` says what lies to the right of it. `notes` are those of the marks in its rows.
    """

    id: str
    title: str
    caption: str
    axis: str
    right: str
    axis_low: float
    axis_high: float
    ticks: tuple[tuple[float, str], ...]
    rows: tuple[ForestRow, ...]
    margin: float | None = None
    notes: tuple[str, ...] = ()
    kind: Literal["forest"] = "forest"


@record
class SideBySide:
    """Lists in two columns."""

    columns: tuple[tuple[Bullets, ...], ...]
    kind: Literal["side_by_side"] = "side_by_side"


@record
class Callout:
    """A boxed statement: the verdict. `tag` says what it lacks; `columns` are side by side."""

    tone: Tone
    tag: str
    title: str
    body: tuple[Phrase, ...] = ()
    columns: tuple[Bullets, ...] = ()
    id: str = ""
    kind: Literal["callout"] = "callout"


@record
class Definitions:
    """Terms and what stands behind them."""

    items: tuple[tuple[str, Phrase], ...]
    kind: Literal["definitions"] = "definitions"


@record
class Listing:
    """Text to be shown as typed: the resolved config, a command."""

    text: str
    language: str = ""
    title: str = ""
    is_folded: bool = True
    kind: Literal["listing"] = "listing"


@record
class SignOff:
    """Lines to be signed: name, role, decision, date."""

    people: tuple[tuple[str, str, str, str], ...]
    kind: Literal["sign_off"] = "sign_off"


@record
class Axis:
    """`ticks` are (position, text) pairs where the axis is not plain numbers.

    Shares are written in percent, differences of shares in percentage points; any other `unit` is a
    currency sign that stands before each number. A logarithmic axis that `has_zero` has a strip
    before its lowest value in which zeros stand. Below the `threshold` an axis that is logarithmic
    on both sides of zero is linear. A `probit` one is spaced as Normal quantiles. One that
    `is_reversed` falls to the right, or upwards, so that better is there where lower is better.
    """

    label: str
    scale: Literal["linear", "log", "symlog", "probit"] = "linear"
    low: float | None = None
    high: float | None = None
    ticks: tuple[tuple[float, str], ...] = ()
    unit: str = ""
    has_zero: bool = False
    threshold: float = 1.0
    is_reversed: bool = False


@record
class Series:
    """Points of one model. `low`, `high` are pointwise bounds; `band_*` the simultaneous band.

    In a forest, in dumbbells, and in bars whose y axis has ticks, x is the value and y the row, and
    bounds are along x; `marks` says how each point is marked. A role `other` is thin and pale, and
    has no bands. A histogram's x are the edges of its bars, one more than y. A matrix has a point
    a cell, shaded by `size`, as a scatter with sizes (counts); a `filled` cell has a dot. `texts`
    stand at the points, of a matrix all or none, `note` after the name at a line's end. Spans have
    the ends of one as x. From `base` to y is shaded.
    """

    label: str
    role: Role
    x: tuple[float | None, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    band_low: tuple[float | None, ...] = ()
    band_high: tuple[float | None, ...] = ()
    size: tuple[float | None, ...] = ()
    marks: tuple[Mark, ...] = ()
    texts: tuple[str, ...] = ()
    has_markers: bool = False
    has_line: bool = True
    note: str = ""
    is_thin: bool = False
    base: tuple[float | None, ...] = ()


@record
class Reference:
    """A line to read against, straight where `x` or `y` stands alone; grey unless of a `role`."""

    label: str
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    role: Role | None = None


@record
class Strip:
    """A shaded stretch of an axis, such as a margin."""

    label: str
    axis: Literal["x", "y"]
    low: float
    high: float


@record
class Panel:
    """One pair of axes in a figure of several; `end_title` stands over the names at line ends."""

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    references: tuple[Reference, ...] = ()
    strips: tuple[Strip, ...] = ()
    end_title: str = ""


@record
class Figure:
    """A picture as data: the title is the finding, the caption how to read it.

    Panels stand side by side, or below one another if `is_stacked`.
    `drawing` names the one way of drawing it; a forest has its row names as the ticks of the
    y axis. `description` is read aloud and made of numbers. `table` holds what is drawn. `others`
    names the pale series together, where there is no room to name each. Panels side by side that
    share their rows have the names of the rows once, at the left, and one label of x. What is in
    `more_panels` is not drawn, but stands in the figure's file.
    """

    id: str
    drawing: FigureKind
    title: str
    caption: str
    description: str
    panels: tuple[Panel, ...]
    width: Literal["half", "full"] = "full"
    table: Table | None = None
    shares_axes: bool = False
    is_stacked: bool = False
    has_equal_axes: bool = False
    others: str = ""
    shares_rows: bool = False
    more_panels: tuple[Panel, ...] = ()
    kind: Literal["figure"] = "figure"


@record
class Fold:
    """Blocks behind a title: a page that can fold shows them on demand, or at first if `is_open`.

    A printed page shows them without the title, and those that are `is_of_full` only in the full
    report.
    """

    title: str
    blocks: tuple[Block, ...]
    is_open: bool = False
    is_of_full: bool = False
    kind: Literal["fold"] = "fold"


Block = (
    Heading
    | Text
    | Bullets
    | Table
    | Figure
    | Forest
    | SideBySide
    | Callout
    | Definitions
    | Listing
    | SignOff
    | Fold
)


def iter_unfolded(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, and in the place of each fold what is in it."""
    for block in blocks:
        if isinstance(block, Fold):
            yield from iter_unfolded(block.blocks)
        else:
            yield block


@record
class Section:
    """A chapter of the report; `id` is its anchor."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    lede: Phrase = ()


@record
class Header:
    """Lines above the answer; a report without a question has its title in its place."""

    title: str
    id: str
    question: str
    status: str
    status_reason: str
    classification: str
    date: str
    audience: str = ""
    note: str = ""


@record
class Document:
    """The whole report. `language` is the HTML language tag; `date` is ISO 8601.

    `digest` are the first signs of the digest of results.json, which every page shows; `replaced`
    the keys of the messages that a team replaced.
    """

    header: Header
    sections: tuple[Section, ...]
    footer: str
    language: str = "en"
    digest: str = ""
    replaced: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        blocks = (block for section in self.sections for block in section.blocks)
        return next(block.title for block in blocks if isinstance(block, Callout))
