"""Page one and the figures of a report by themselves, with captions, for slides and mail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from html import unescape

from reportgen.report.document import (
    Axis,
    Document,
    Figure,
    Forest,
    Panel,
    Reference,
    Series,
    Strip,
)
from reportgen.report.render import fonts
from reportgen.report.render.outputs import Attachment, pack_files
from reportgen.report.render.pdf import draw_page_one
from reportgen.report.render.plain import draw_svg
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.terms import PAGE_ONE

PIXELS = 200
# Pixels an inch of a PNG: a wide figure has about 1,400.
CAPTIONS = "captions.md"
PIXELS_OF_A_PAGE = 144


def render(
    document: Document,
    results: Results,
    theme: Theme | None = None,
    attached: Sequence[Attachment] = (),
) -> bytes:
    """Render a zip of page one and the figures."""
    theme = theme or Theme()
    page_one = draw_page_one(document, results.report.length, theme, PIXELS_OF_A_PAGE)
    return pack_files({PAGE_ONE: page_one, **draw_figures(document, theme)}.items())


def draw_figures(document: Document, theme: Theme) -> Mapping[str, bytes]:
    """Draw every figure on white as SVG and PNG, by the name of the file."""
    from reportgen.report.render.draw import draw_png

    files: dict[str, bytes] = {}
    captions: list[str] = []
    colours = theme.light_palette
    for figure in _iter_figures(document.sections):
        files[f"{figure.id}.svg"] = put_on_paper(draw_svg(figure, theme)).encode()
        files[f"{figure.id}.png"] = draw_png(figure, colours, theme.fonts, PIXELS)
        captions.append(f"## {figure.id}\n\n**{figure.title}** {figure.caption}".rstrip())
    files[CAPTIONS] = ("\n\n".join(captions) + "\n").encode()
    return files


def put_on_paper(svg: str) -> str:
    """Put white behind a drawing; its words are as wide as meant where the font is another."""
    svg = re.sub(r"<text([^>]*)>([^<]+)</text>", _keep_width, svg)
    return svg.replace("</desc>", '</desc><rect width="100%" height="100%" fill="#ffffff"/>', 1)


def _keep_width(text: re.Match[str]) -> str:
    looks, words = text.groups()
    if "font-size" in looks:
        return text[0]
    weight = fonts.STRONG if 'font-weight="600"' in looks else fonts.REGULAR
    width = fonts.text_width(unescape(words), weight=weight)
    return f'<text{looks} textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs">{words}</text>'


def _iter_figures(parts: Iterable[object]) -> Iterator[Figure]:
    """Iterate over the figures of sections and blocks, however deep they are."""
    for part in parts:
        if isinstance(part, Figure):
            yield part
        elif isinstance(part, Forest):
            yield _convert_forest(part)
        elif is_dataclass(part):
            inner = [getattr(part, field.name) for field in fields(part)]
            for value in inner:
                if isinstance(value, tuple):
                    yield from _iter_figures(value)


def _convert_forest(forest: Forest) -> Figure:
    """Convert the forest of page one, whose numbers stand beside it, to a figure by itself."""
    rows = [row for row in forest.rows if row.value is not None]
    places = [float(place) for place in range(1, len(rows) + 1)]
    names = tuple((place, row.name) for place, row in zip(places, rows, strict=True))
    series = Series(
        "",
        "candidate1",
        tuple(row.value for row in rows),
        tuple(places),
        tuple(row.low for row in rows),
        tuple(row.high for row in rows),
        texts=tuple(f"{row.difference} ({row.interval})" for row in rows),
        has_markers=True,
    )
    margin = forest.margin
    panel = Panel(
        "",
        Axis(
            f"{forest.axis}; {forest.right}",
            low=forest.axis_low,
            high=forest.axis_high,
            ticks=forest.ticks,
        ),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=names),
        (series,),
        (Reference("", x=(0.0,)),),
        () if margin is None else (Strip("margin", "x", -margin, margin),),
    )
    said = "; ".join(row.description for row in rows)
    return replace(
        Figure(forest.id, "forest", forest.title, forest.caption, said, (panel,)), shares_rows=True
    )
