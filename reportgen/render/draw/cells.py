"""The cells of a matrix: its boxes, their dots, and numbers that never run into each other."""

from __future__ import annotations

from math import floor
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from reportgen.document import Figure, Panel
from reportgen.render.draw import fonts, geometry
from reportgen.render.draw.paint import Paint
from reportgen.text import shorten

LARGEST, SMALLEST = 9.0, 6.5  # points
LEGIBLE = 8.0
"""Panels stand side by side only where their numbers are no smaller."""
APART = 3.0  # points between two numbers
GAP = 14.0  # points between two panels
FEW, MANY = 4, 30  # cells in a row: beside so few names may be long, below so many
_HALF = 0.47  # of a box: a thin gap stays between two
_CORNER = 0.33  # from the middle of a cell to its dot
_DOT = 2.6  # points across
_INCH = 72.0


def boxes(axes: Axes, panel: Panel, paint: Paint) -> None:
    """A box for each cell, shaded by its size, and a dot in the corner of those that are marked.

    Boxes of one shade are one path: in a large matrix most are.
    """
    for series in panel.series:
        size = geometry.finite(series.size or series.y)
        largest = float(np.nanmax(np.abs(size), initial=0.0)) or 1.0
        marks = series.marks or ("open",) * len(series.x)
        dots, shaded = [], dict[tuple[str, float], list[tuple[float, float]]]()
        for x, y, shade, mark in zip(series.x, series.y, size / largest, marks, strict=True):
            if x is None or y is None or not np.isfinite(shade):
                continue
            colour = paint.of("worse" if shade < 0 else series.role)
            shaded.setdefault((colour, 0.04 + 0.5 * abs(float(shade))), []).append((x, y))
            if mark == "filled":
                dots.append((x + _CORNER, y - _CORNER))
        for (colour, alpha), middles in shaded.items():
            path = Outline.make_compound_path(*(_box(x, y) for x, y in middles))
            looks: dict[str, Any] = {"alpha": alpha, "zorder": 2}
            axes.add_patch(PathPatch(path, facecolor=colour, linewidth=0, **looks))
        axes.add_line(Line2D([x for x, _ in dots], [y for _, y in dots], linestyle="", marker="o",
                             markersize=_DOT, markeredgewidth=0, color=paint.of("ink"),
                             zorder=5))  # fmt: skip
    axes.autoscale_view()


def _box(x: float, y: float) -> Outline:
    left, right, low, high = x - _HALF, x + _HALF, y - _HALF, y + _HALF
    return Outline([(left, low), (right, low), (right, high), (left, high), (left, low)],
                   closed=True)  # fmt: skip


def longest_name(figure: Figure, axis: Literal["x", "y"]) -> int:
    """How many signs of a row's or a column's name there is room for beside so many cells."""
    many, is_wide = _many(figure), figure.width == "full"
    if axis == "y":
        return 34 if is_wide else 22 if many <= FEW else 14
    return 30 if is_wide and len(figure.panels) == 1 and many <= MANY else 16


def columns(figure: Figure, most: int, width: float) -> int:
    """How many of at most `most` panels stand side by side in a figure so wide."""
    longest = longest_name(figure, "y")
    names = {shorten(name, longest) for panel in figure.panels for _, name in panel.y.ticks}
    room = width - max(map(fonts.width, names), default=0.0)
    counts = range(most, 1, -1)
    legible = (k for k in counts if size(figure, (room / k - GAP) / _many(figure)) >= LEGIBLE)
    return next(legible, 1)


def size(figure: Figure, width: float) -> float:
    """The size of the numbers in cells so wide, the same in all; 0 where the widest has no room.

    A few numbers that are left out would read as cells that hold nothing, so it is all or none.
    """
    texts = [text for panel in figure.panels for s in panel.series for text in s.texts]
    widest = max((fonts.width(text, size=1.0) for text in texts), default=0.0)
    if not widest:
        return LARGEST
    fitting = floor(10 * min((width - APART) / widest, LARGEST)) / 10
    return fitting if fitting >= SMALLEST else 0.0


def width(axes: Axes) -> float:
    """How wide a cell is, in points; the axes must have their place."""
    low, high = axes.get_xlim()
    return float(axes.bbox.width * _INCH / axes.figure.dpi / abs(high - low))


def _many(figure: Figure) -> int:
    """How many cells the longest row has."""
    return max(len(panel.x.ticks) for panel in figure.panels) or 1
