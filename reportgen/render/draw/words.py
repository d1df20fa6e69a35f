"""Names of reference lines and words beside points, clear of each other and of what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from reportgen.document import Figure, Panel, Reference, Series
from reportgen.render.draw import fonts, geometry
from reportgen.render.draw.canvas import INCH
from reportgen.render.draw.paint import Paint
from reportgen.render.draw.places import (
    Box,
    Place,
    PlacedWord,
    Points,
    along,
    beside,
    level,
    places,
    upright,
)
from reportgen.text import shorten

HALO = "halo"
"""The mark of text that needs the page's colour around it, for the SVG pass."""
_LONGEST = 48
_LINES = ("line", "steps")


def write(picture: Picture, figure: Figure, axes: Axes, panel: Panel, paint: Paint) -> None:
    """Place the words of a panel, those of lines first, and write them."""
    scale = INCH / picture.dpi
    named = [
        (s.x[k], s.y[k], text) for s in _with_texts(figure, panel) for k, text in enumerate(s.texts)
        if text and s.x[k] is not None and s.y[k] is not None
    ]  # fmt: skip
    if not named and not any(reference.label for reference in panel.references):
        return
    within = Box(*(float(end) * scale for end in axes.get_window_extent().extents))
    lines = [*_drawn(figure, axes, panel, scale)]
    first = len(lines)
    lines += [_placed(axes, reference, within, scale) for reference in panel.references]
    texts, words = [], []
    for own, reference in enumerate(panel.references, first):
        if reference.label:
            texts.append(shorten(reference.label, _LONGEST))
            words.append(_of_line(reference, lines[own], fonts.width(texts[-1]), within, own))
    for (x, y), (_, _, text) in zip(_points(axes, named, scale), named, strict=True):
        texts.append(text)
        words.append(beside(x, y, fonts.width(text)))
    known = [k for k, word in enumerate(words) if word.spots]  # a line may be all outside
    found = places([words[k] for k in known], _marks(axes, panel, scale), within, lines)
    for k, place in zip(known, found, strict=True):
        _annotate(axes, texts[k], place, paint)


def _with_texts(figure: Figure, panel: Panel) -> tuple[Series, ...]:
    return panel.series if figure.drawing in (*_LINES, "scatter") else ()


def _points(axes: Axes, named: list[Any], scale: float) -> Iterator[tuple[float, float]]:
    """Data as points of 1/72 inch."""
    at = np.array([(x, y) for x, y, *_ in named], dtype=float).reshape(-1, 2)
    for x, y in axes.transData.transform(at) * scale:
        yield float(x), float(y)


def _marks(axes: Axes, panel: Panel, scale: float) -> list[tuple[float, float]]:
    marked = [
        (x, y) for s in panel.series if s.has_markers for x, y in zip(s.x, s.y, strict=True)
        if x is not None and y is not None
    ]  # fmt: skip
    return list(_points(axes, marked, scale))


def _drawn(figure: Figure, axes: Axes, panel: Panel, scale: float) -> Iterator[Points]:
    """Every unbroken line of the series."""
    for series in panel.series if figure.drawing in _LINES else ():
        x, y = geometry.finite(series.x), geometry.finite(series.y)
        for run in geometry.runs(np.isfinite(x) & np.isfinite(y)) if series.has_line else ():
            at = geometry.steps(x[run], y[run]) if figure.drawing == "steps" else (x[run], y[run])
            line = axes.transData.transform(np.column_stack(at)) * scale
            yield line[np.isfinite(line).all(axis=1)]


def _placed(axes: Axes, reference: Reference, within: Box, scale: float) -> Points:
    """A reference line as points; a straight one runs through the whole panel."""
    if reference.x and reference.y:
        line = axes.transData.transform(np.column_stack((reference.x, reference.y))) * scale
        return np.asarray(line[np.isfinite(line).all(axis=1)])
    if reference.x:
        at = axes.get_xaxis_transform().transform([(v, end) for v in reference.x for end in (0, 1)])
    else:
        at = axes.get_yaxis_transform().transform([(end, v) for v in reference.y for end in (0, 1)])
    return np.asarray(at, dtype=float) * scale


def _of_line(reference: Reference, line: Points, width: float, within: Box, own: int) -> PlacedWord:
    if reference.x and reference.y:
        return along(line, width, within, own)
    if reference.x:
        return upright(float(line[0, 0]), width, within, own)
    return level(float(line[0, 1]), width, within, own)


def _annotate(axes: Axes, text: str, place: Place, paint: Paint) -> None:
    """A word at its place, with a fine line to what it names where it stands further off."""
    line: dict[str, Any] | None = None
    if place.is_led:
        line = {"arrowstyle": "-", "color": paint.of("soft"), "linewidth": 0.6, "shrinkA": 1.0,
                "shrinkB": 3.0}  # fmt: skip
    x, y = place.at
    axes.annotate(
        text, (x, y), xycoords="figure points",
        xytext=(place.x - x, place.y - y), textcoords="offset points", ha="left",
        va="baseline", color=paint.of("soft"), gid=HALO, zorder=5, arrowprops=line,
        annotation_clip=False,
    )  # fmt: skip
