"""The document as plain dicts for templates, with figures and forests drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import NoneType
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import (
    Cell,
    Document,
    Figure,
    Forest,
    ForestRow,
    Listing,
    Series,
    Span,
    Table,
    TableColumn,
)
from reportgen.report.render.fonts import (
    LONGEST_LABEL,
    PRINTABLE,
    find_unknown,
    list_known_characters,
    shorten_long_words,
    spell_unknown,
    text_width,
)
from reportgen.report.render.theme import Theme
from reportgen.text import clean_text, collapse_blanks, isolate_names, shorten

STRIP_WIDTH, STRIP_HEIGHT, FOOT = 260.0, 40.0, 19.0
STRIP_EDGE = 6.0
BEYOND = 60.0  # of the ground above and below a strip, for rows of more lines on a page
SIZE, APART = 12.0, 10.0  # of a text, and how far two stand from each other at least
LEAST_TEXTS = 3  # of an axis
TOO_SMALL = "too small to matter"
BETTER = "better →"  # for a name too long for the strip
Colours = Mapping[str, str]


def render_strip(forest: Forest, row: ForestRow, colours: Colours) -> str:
    """One row: the margin, the line at no difference, the interval."""
    part = "soft" if row.tone == "neutral" else row.tone
    return _svg(
        STRIP_HEIGHT,
        row.description,
        [*_ground(forest, colours), *_strip_interval(forest, row, part, colours)],
    )


def render_forest_head(forest: Forest, colours: Colours) -> str:
    """Above the rows: what the shade means, where there is room, and the side that is better."""
    right = forest.right if _measure(forest.right) <= STRIP_WIDTH - 8 else BETTER
    zero, length = _strip_place(forest, 0.0), _measure(right)
    start = min(zero + 6, STRIP_WIDTH - 2 - length)
    parts, said = [], forest.right
    if forest.margin is not None:
        half, edge = _measure(TOO_SMALL) / 2, _strip_place(forest, forest.margin)
        middle = max(zero, half)
        beyond = max(middle + half + 10, edge + 6)
        if middle - half <= zero <= middle + half and beyond + length <= STRIP_WIDTH:
            parts.append(_format_text(middle, 13, TOO_SMALL, "middle", colours))
            start, said = beyond, f"{TOO_SMALL} | {said}"
    parts.append(_format_text(start, 13, right, "start", colours))
    return _svg(FOOT, said, parts)


def render_forest_axis(forest: Forest, colours: Colours) -> str:
    """Render the ticks below the rows, with as many texts as stand apart."""
    parts = [
        f'<path d="M{_strip_place(forest, place):.2f} 0V3" stroke="{colours["soft"]}" '
        'class="s-soft"/>'
        for place, _ in forest.ticks
    ]
    for middle, text in _choose_tick_texts(forest):
        parts.append(_format_text(middle, 15, text, "middle", colours))
    said = ", ".join(text for _, text in forest.ticks)
    return _svg(FOOT, f"{forest.axis}: {said}", parts)


def _choose_tick_texts(forest: Forest) -> list[tuple[float, str]]:
    """Choose every text, or every second and so on from zero; three of them, if that can be."""
    zero = min(range(len(forest.ticks)), key=lambda k: abs(forest.ticks[k][0]), default=0)
    best: list[tuple[float, str]] = []
    for stride in range(1, len(forest.ticks) + 1):
        shown = [
            _place_tick_text(forest, *tick)
            for k, tick in enumerate(forest.ticks)
            if (k - zero) % stride == 0
        ]
        kept = _drop_crowded(shown, forest.ticks[zero][1])
        if len(kept) == len(shown) and len(kept) >= min(LEAST_TEXTS, len(forest.ticks)):
            return kept
        best = max(best, kept, key=len)
    return best


def _place_tick_text(forest: Forest, place: float, text: str) -> tuple[float, str]:
    """Return the middle of a tick's text inside the strip, and the text."""
    half = (_measure(text) + APART) / 2
    return min(max(_strip_place(forest, place), half), STRIP_WIDTH - half), text


def _drop_crowded(shown: list[tuple[float, str]], first: str) -> list[tuple[float, str]]:
    """Drop each text too near to one nearer to the first."""
    start = next((middle for middle, text in shown if text == first), 0.0)
    kept: list[tuple[float, str]] = []
    for middle, text in sorted(shown, key=lambda each: abs(each[0] - start)):
        if all(
            abs(middle - other) >= (_measure(text) + _measure(near)) / 2 + APART
            for other, near in kept
        ):
            kept.append((middle, text))
    return kept


def _measure(text: str) -> float:
    return text_width(text, size=SIZE)


def _svg(height: float, said: str, parts: list[str]) -> str:
    name = quoteattr(clean_text(said))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="strip" '
        f'width="{STRIP_WIDTH:g}" height="{height:g}" viewBox="0 0 {STRIP_WIDTH:g} {height:g}" '
        f'role="img" aria-label={name}>'
        f"<title>{escape(clean_text(said))}</title>{''.join(parts)}</svg>"
    )


def _ground(forest: Forest, colours: Colours) -> list[str]:
    parts = []
    if forest.margin is not None:
        left, right = (_strip_place(forest, side * forest.margin) for side in (-1, 1))
        parts.append(
            f'<rect x="{left:.2f}" y="{-BEYOND:g}" width="{right - left:.2f}" '
            f'height="{STRIP_HEIGHT + 2 * BEYOND:g}" '
            f'fill="{colours["line"]}" class="f-line"/>'
        )
    x = _strip_place(forest, 0.0)
    stroke = f'stroke="{colours["soft"]}" class="s-soft" fill="none"'
    return [*parts, f'<path d="M{x:.2f} {-BEYOND:g}V{STRIP_HEIGHT + BEYOND:g}" {stroke}/>']


def _strip_interval(forest: Forest, row: ForestRow, part: str, colours: Colours) -> list[str]:
    if row.value is None:
        return []
    middle, height = _strip_place(forest, row.value), STRIP_HEIGHT / 2
    drawn = []
    if row.low is not None and row.high is not None:
        low, high = _strip_place(forest, row.low), _strip_place(forest, row.high)
        drawn.append(
            f'<path d="M{low:.2f} {height:g}H{high:.2f}" stroke="{colours[part]}" '
            f'class="s-{part}" stroke-width="{3 if row.is_strong else 2.2}" '
            'stroke-linecap="round" fill="none"/>'
        )
    size = 5 if row.is_strong else 4
    drawn.append(
        f'<circle cx="{middle:.2f}" cy="{height:g}" r="{size}" fill="{colours[part]}" '
        f'class="f-{part}"/>'
    )
    return drawn


def _format_text(x: float, y: float, text: str, anchor: str, colours: Colours) -> str:
    return (
        f'<text x="{x:.2f}" y="{y:g}" text-anchor="{anchor}" font-size="{SIZE:g}" '
        f'font-family="Inter, DejaVu Sans, sans-serif" fill="{colours["soft"]}" class="f-soft">'
        f"{escape(isolate_names(clean_text(text)))}</text>"
    )


def _strip_place(forest: Forest, value: float) -> float:
    length = forest.axis_high - forest.axis_low
    share = (value - forest.axis_low) / length if length > 0 else 0.5
    return STRIP_EDGE + min(max(share, 0.0), 1.0) * (STRIP_WIDTH - 2 * STRIP_EDGE)


LONGEST_HEADING = 90  # in lines of whole words
LONGEST_IN_HEADING = 44  # of one word
LONGEST_ROW_NAME = 160
LONGEST_WORD = 64
"""A SHA-256 in hexadecimal still stands whole."""
LONGEST_TEXT = 4_000
"""A paragraph has fewer letters; a PDF takes no text of more than 32,767."""
LARGEST_FIGURE = 40_000

Plain = dict[str, Any]
TextPrinter = Callable[[str], str]


def convert_document(
    document: Document,
    theme: Theme,
    *,
    is_spelled: bool,
    has_figures: bool = True,
    has_narrow: bool = False,
    colours: Colours | None = None,
) -> Plain:
    """Convert the document to dicts; `is_spelled` writes characters without a glyph as code points.

    `has_narrow` draws wide figures a second time, for phones. Two narrow figures that follow
    each other become one block, a `pair`. `colours` are those of forests, by default the theme's.
    """
    printed = _choose_printer(theme, is_spelled=is_spelled)
    colours = theme.light_palette if colours is None else colours
    converter = _PlainConverter(printed, theme, has_figures, has_narrow, colours)
    content: Plain = converter.convert(document)
    for section in content["sections"]:
        section["blocks"] = _pair_narrow_figures(section["blocks"])
    return content


def _pair_narrow_figures(blocks: list[Plain]) -> list[Plain]:
    made: list[Plain] = []
    for block in blocks:
        if block["kind"] == "fold":
            block["blocks"] = _pair_narrow_figures(block["blocks"])
        is_narrow = block["kind"] == "figure" and block["width"] == "half"
        if is_narrow and made and made[-1].get("width") == "half":
            made[-1] = {"kind": "pair", "figures": [made[-1], block]}
        else:
            made.append(block)
    return made


def find_missing_characters(document: Document, theme: Theme | None = None) -> tuple[str, ...]:
    """Find the characters that the PDF prints as code points, in order; for a warning.

    HTML leaves them to the reader's fonts.
    """
    signs = frozenset().union(*_iter_strings(document)) - PRINTABLE
    if not signs:
        return ()
    known = list_known_characters((theme or Theme()).fonts)
    return tuple(sorted(find_unknown("".join(signs), known)))


@record
class _PlainConverter:
    """Turns values into plain ones; the few that need more have a method of their own."""

    printed: TextPrinter
    theme: Theme
    has_figures: bool
    has_narrow: bool
    colours: Colours

    def convert(self, value: object) -> Any:
        if isinstance(value, str):
            return isolate_names(shorten_long_words(self.clean(value), LONGEST_WORD))
        if isinstance(value, tuple):
            return [self.convert(item) for item in value]
        if isinstance(value, Table):
            return self.table(value)
        if isinstance(value, Figure):
            return self.figure(value)
        if isinstance(value, Forest):
            return self.forest(value)
        if isinstance(value, Span):
            return {**self.fields(value), "text": isolate_names(self.clean(value.text))}
        if isinstance(value, Listing):  # as typed, with its blanks and its long words
            return {**self.fields(value), "text": self.printed(value.text)}
        return self.fields(value) if is_dataclass(value) else value

    def clean(self, text: str) -> str:
        """Clean a text for readers: collapse runs of blanks, and limit its length."""
        return shorten(self.printed(collapse_blanks(text)), LONGEST_TEXT)

    def fields(self, value: Any) -> Plain:
        return {field.name: self.convert(getattr(value, field.name)) for field in fields(value)}

    def table(self, table: Table) -> Plain:
        """Convert a table with short headings; `full` holds the whole name for the reader."""
        made = self.fields(replace(table, columns=(), rows=()))
        made["columns"] = [self.heading(column) for column in table.columns]
        made["rows"] = [
            [self.cell(cell, is_name=k == 0) for k, cell in enumerate(row)] for row in table.rows
        ]
        return made

    def heading(self, column: TableColumn) -> Plain:
        name = self.name(column.title, LONGEST_HEADING, LONGEST_IN_HEADING)
        return {**self.fields(column), **name}

    def cell(self, cell: Cell, *, is_name: bool) -> Plain:
        made = self.fields(cell)
        if not is_name:
            return {**made, "full": ""}
        name = self.name(cell.text, LONGEST_ROW_NAME)
        return {**made, "text": name["title"], "full": name["full"]}

    def name(self, text: str, longest: int, word: int = LONGEST_WORD) -> Plain:
        """Return a name short enough for a table, and the whole of it where it is longer."""
        whole = shorten(collapse_blanks(text), LONGEST_TEXT)
        short = shorten(shorten_long_words(self.printed(whole), word), longest)
        return {
            "title": isolate_names(short),
            "full": whole if "…" in short and short != whole else "",
        }

    def forest(self, forest: Forest) -> Plain:
        """Convert a forest, its strips drawn."""
        safe = _map_texts(forest, self.label)
        made, colours = self.fields(forest), self.colours
        made["head"] = render_forest_head(safe, colours)
        made["foot"] = render_forest_axis(safe, colours)
        for row, drawn_row in zip(made["rows"], safe.rows, strict=True):
            row["svg"] = render_strip(safe, drawn_row, colours)
        return made

    def figure(self, figure: Figure) -> Plain:
        from reportgen.report.render.draw.marks import BINNED_FROM  # here: it loads matplotlib

        made = self.fields(replace(figure, panels=()))
        is_wide = figure.width == "full"
        made["svg"] = self.draw(figure) if self.has_figures else ""
        made["narrow"] = self.draw(narrow_figure(figure)) if self.has_narrow and is_wide else ""
        if any(len(s.x) > BINNED_FROM for s in _iter_series(figure)) and (
            figure.drawing == "scatter"
        ):
            made["caption"] += f" {prose.line('document.boxes')}"
        return made

    def draw(self, figure: Figure) -> str:
        """Draw the figure as finished SVG, with no table in it."""
        description = shorten(self.printed(collapse_blanks(figure.description)), LONGEST_TEXT)
        drawn = _map_texts(replace(figure, table=None, caption="", title=""), self.label)
        safe = replace(drawn, title=self.clean(figure.title))  # not drawn: it has no line to fit
        colours = tuple(self.theme.light_palette.items())
        return _draw_figure(safe, description, colours, self.theme.fonts)

    def label(self, text: str) -> str:
        """Return the text as drawings have it: one line."""
        return shorten(self.printed(collapse_blanks(text)), LONGEST_LABEL)


def draw_svg(figure: Figure, theme: Theme) -> str:
    """Draw the figure as finished SVG, at most 40 kB where that can be."""
    printed = _choose_printer(theme, is_spelled=True)
    converter = _PlainConverter(printed, theme, True, False, theme.light_palette)
    return converter.draw(figure)


def _choose_printer(theme: Theme, *, is_spelled: bool) -> TextPrinter:
    if not is_spelled:
        return clean_text
    known = list_known_characters(theme.fonts)
    return lambda text: spell_unknown(clean_text(text), known)


def narrow_figure(figure: Figure) -> Figure:
    """Return the same figure for a phone."""
    return replace(figure, id=f"{figure.id}-narrow", width="half")


@lru_cache(maxsize=256)
def _draw_figure(
    figure: Figure, description: str, colours: tuple[tuple[str, str], ...], fonts: Path | None
) -> str:
    """Draw a figure once for all outputs that print its texts alike."""
    from reportgen.report.render import draw

    palette: Mapping[str, str] = dict(colours)
    svg = draw.draw_svg(figure, description, palette, fonts, tolerance=draw.FINE)
    if len(svg.encode()) > LARGEST_FIGURE:
        svg = draw.draw_svg(figure, description, palette, fonts, tolerance=draw.COARSE)
    return svg


def _map_texts(value: Any, change: TextPrinter) -> Any:
    """Return the same dataclass with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        if _has_no_text(value):
            return value
        return tuple(_map_texts(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: _map_texts(getattr(value, f.name), change) for f in fields(value)}
        return type(value)(**changed)
    return value


def _has_no_text(values: tuple[object, ...]) -> bool:
    """Return whether these are plain numbers, as most of a figure is."""
    return set(map(type, values)) <= {float, int, NoneType}


def _iter_series(figure: Figure) -> Iterator[Series]:
    return (series for panel in figure.panels for series in panel.series)


def _iter_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in () if _has_no_text(value) else value:
            yield from _iter_strings(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _iter_strings(getattr(value, field.name))
