"""Words in a figure: names beside their lines, keys above panels, reference lines, cell texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D

from reportgen.document import Figure, Panel, Reference, Series
from reportgen.render.draw import canvas, cells, fonts, geometry, ticks, words
from reportgen.render.draw.canvas import INCH, Plan
from reportgen.render.draw.kinds import is_lying
from reportgen.render.draw.paint import Paint, opacity
from reportgen.render.draw.ticks import LINE
from reportgen.render.draw.words import HALO
from reportgen.render.text import LONGEST_LABEL
from reportgen.text import shorten


def label(
    picture: Picture,
    figure: Figure,
    panels: Sequence[Axes],
    plan: Plan,
    paint: Paint,
    *,
    left: float,
) -> None:
    """Write every word of the figure but the tick labels; `left` is the room beside the axes."""
    for axes, panel in zip(panels, figure.panels, strict=True):
        if figure.shares_rows:
            _column_title(picture, figure, axes, panel, paint)
        else:
            _titles(picture, figure, axes, panel, paint, left)
        if is_lying(figure.drawing, panel):
            for reference in panel.references:
                _reference(axes, reference, paint)
        else:
            words.write(picture, figure, axes, panel, paint)
        if figure.drawing not in ("line", "steps", "scatter"):
            for series in panel.series:
                _texts(axes, figure, panel, series, paint)
    if figure.shares_rows:
        _shared_label(picture, figure, panels[0], plan, paint)
    if plan.keys:
        _keys(picture, figure, plan, paint)
    elif canvas.has_direct_labels(figure):
        for axes, panel in zip(panels, figure.panels, strict=True):
            _direct(picture, axes, figure, panel, paint)


def _titles(
    picture: Picture, figure: Figure, axes: Axes, panel: Panel, paint: Paint, left: float
) -> None:
    unit_lines = any(canvas.has_unit_line(figure, each) for each in figure.panels)
    box = axes.get_position().width * picture.get_figwidth() * INCH
    for line, text, weight, colour in (
        (0, panel.y.label, fonts.REGULAR, "soft"),
        (int(unit_lines), panel.title, fonts.STRONG, "ink"),
    ):
        axes.annotate(
            _fitted(text, box + left, weight), (0, 1), xycoords="axes fraction",
            xytext=(-left, 8 + line * LINE), textcoords="offset points", ha="left",
            va="baseline", color=paint.of(colour), fontweight=weight,
        )  # fmt: skip
    text = _fitted(panel.x.label, box + left, fonts.REGULAR)
    is_wide = fonts.width(text) > box
    below = ticks.height(axes, panel, box) + LINE + 4
    axes.annotate(
        text, (1 if is_wide else 0.5, 0), xycoords="axes fraction", xytext=(0, -below),
        textcoords="offset points", ha="right" if is_wide else "center", va="baseline",
        color=paint.of("soft"),
    )  # fmt: skip


def _column_title(picture: Picture, figure: Figure, axes: Axes, panel: Panel, paint: Paint) -> None:
    """A title over a narrow column, in two lines where one is too short."""
    width = axes.get_position().width * picture.get_figwidth() * INCH + 8
    unit_lines = any(canvas.has_unit_line(figure, each) for each in figure.panels)
    for line, text in enumerate(reversed(_in_lines(panel.title, width)), int(unit_lines)):
        axes.annotate(
            text, (0, 1), xycoords="axes fraction", xytext=(0, 8 + line * LINE),
            textcoords="offset points", ha="left", va="baseline", color=paint.of("ink"),
            fontweight=fonts.STRONG,
        )  # fmt: skip


def _in_lines(text: str, width: float) -> list[str]:
    """The text in at most two lines, broken between words; the second is shortened to fit."""
    if fonts.width(text, weight=fonts.STRONG) <= width:
        return [text]
    words = text.split(" ")
    fits = [k for k in range(1, len(words))
            if fonts.width(" ".join(words[:k]), weight=fonts.STRONG) <= width]  # fmt: skip
    if not fits:
        return [_fitted(text, width, fonts.STRONG)]
    first, rest = " ".join(words[: fits[-1]]), " ".join(words[fits[-1] :])
    return [first, _fitted(rest, width, fonts.STRONG)]


def _shared_label(picture: Picture, figure: Figure, axes: Axes, plan: Plan, paint: Paint) -> None:
    """The label of x once for all panels, in the middle below them."""
    place = axes.get_position()
    text = _fitted(figure.panels[0].x.label, plan.width * INCH, fonts.REGULAR)
    wide = fonts.width(text) / (plan.width * INCH)
    middle = max((place.x0 + 1.0) / 2, wide / 2)
    picture.text(
        min(middle, 1 - wide / 2), 4 / (plan.height * INCH), text, ha="center", va="baseline",
        color=paint.of("soft"),
    )  # fmt: skip


def _fitted(text: str, width: float, weight: str) -> str:
    """The text shortened until it is no wider than `width` points."""
    longest = min(len(text), LONGEST_LABEL)
    while longest > 8 and fonts.width(shorten(text, longest), weight=weight) > width:
        longest -= 2
    return shorten(text, longest)


def _reference(axes: Axes, reference: Reference, paint: Paint) -> None:
    """Name a line above the rows of a drawing that lies on its side, where none is in the way."""
    for value in reference.x if reference.label else ():
        axes.annotate(
            shorten(reference.label, 48), (value, 1), xycoords=axes.get_xaxis_transform(),
            xytext=(0, 4), textcoords="offset points", ha="center", va="baseline",
            color=paint.of("soft"), gid=HALO, zorder=5,
        )  # fmt: skip


def _texts(axes: Axes, figure: Figure, panel: Panel, series: Series, paint: Paint) -> None:
    """What is written at each point: in its cell, at the end of its row, above its bar."""
    lies = is_lying(figure.drawing, panel)
    size = cells.size(figure, cells.width(axes)) if figure.drawing == "matrix" else 0.0
    for x, y, text in zip(series.x, series.y, series.texts, strict=False):
        if x is None or y is None or not text:
            continue
        if figure.drawing == "matrix":
            if size:
                axes.annotate(text, (x, y), ha="center", va="center_baseline", fontsize=size,
                              color=paint.of("ink"), zorder=5)  # fmt: skip
        elif lies:
            axes.annotate(text, (1, y), xycoords=axes.get_yaxis_transform(), xytext=(6, 0),
                          textcoords="offset points", ha="left", va="center_baseline",
                          color=paint.of("soft"))  # fmt: skip
        else:
            axes.annotate(text, (x, y), xytext=(0, 4), textcoords="offset points", ha="center",
                          va="baseline", color=paint.of("soft"), gid=HALO, zorder=5)  # fmt: skip


def _direct(picture: Picture, axes: Axes, figure: Figure, panel: Panel, paint: Paint) -> None:
    """Names at the right, each as near as may be to the end of its line, with its dash."""
    edge = axes.get_xlim()[1]
    series = [s for s in panel.series if s.label and _end(s, edge) is not None]
    place = axes.get_position()
    height = picture.get_figheight() * INCH
    low, high = place.y0 * height, place.y1 * height
    ends = [float(axes.transData.transform(_end(s, edge) or (0, 0))[1]) * INCH / picture.dpi
            for s in series]  # fmt: skip
    ends = [min(max(end, low), high) for end in _untied(series, ends)]
    for s, at in zip(series, geometry.spread(ends, LINE - 1, low + 3, high - 3), strict=True):
        left = place.x1 * picture.get_figwidth() * INCH + 8
        _key(picture, figure, s, (left, at), paint)
        _note(picture, s, (left + canvas.KEY, at), paint)
    if panel.end_title and series:
        axes.annotate(
            panel.end_title, (1, 1), xycoords="axes fraction", xytext=(8, 8),
            textcoords="offset points", ha="left", va="baseline", color=paint.of("soft"),
        )  # fmt: skip


def _note(picture: Picture, series: Series, at: tuple[float, float], paint: Paint) -> None:
    """What is said of a series after its name."""
    if not series.note:
        return
    x = at[0] + canvas.width_of_name(series) - fonts.width(series.note)
    picture.text(
        x / (picture.get_figwidth() * INCH), at[1] / (picture.get_figheight() * INCH),
        series.note, va="center_baseline", ha="left", color=paint.of("ink"),
    )  # fmt: skip


def _end(series: Series, edge: float) -> tuple[float, float] | None:
    """The last point of a line that is seen: where it leaves the axes, if it goes on."""
    known = [
        (x, y)
        for x, y in zip(series.x, series.y, strict=True)
        if x is not None and y is not None and isfinite(x) and isfinite(y)
    ]
    inside = [point for point in known if point[0] <= edge]
    if not inside or len(inside) == len(known):
        return inside[-1] if inside else None
    (x0, y0), (x1, y1) = inside[-1], known[len(inside)]
    return edge, y0 + (y1 - y0) * (edge - x0) / (x1 - x0)


def _untied(series: Sequence[Series], ends: Sequence[float]) -> list[float]:
    """Ends that coincide, told apart by which line runs higher on the whole."""
    heights = [float(np.nanmean(geometry.finite(s.y))) for s in series]
    order = {i: rank for rank, i in enumerate(sorted(range(len(series)), key=heights.__getitem__))}
    return [end + 1e-3 * order[i] for i, end in enumerate(ends)]


def _keys(picture: Picture, figure: Figure, plan: Plan, paint: Paint) -> None:
    """One key a name in rows above the panels."""
    series = {
        canvas.key_of(figure, s): s
        for panel in reversed(figure.panels) for s in reversed(panel.series)
    }  # fmt: skip
    for row, names in enumerate(plan.keys):
        x, y = 1.0, plan.height * INCH - LINE * (row + 0.5)
        for name in names:
            _key(picture, figure, replace(series[name], label=name), (x, y), paint)
            text = shorten(name, canvas.LONGEST_LABEL)
            x += canvas.KEY + fonts.width(text, weight=fonts.STRONG) + canvas.KEY_GAP


def _key(
    picture: Picture, figure: Figure, series: Series, at: tuple[float, float], paint: Paint
) -> None:
    """A short sample of the mark and its name, in the colour of the role."""
    width, height = picture.get_figwidth() * INCH, picture.get_figheight() * INCH
    x, y = at[0] / width, at[1] / height
    is_filled = figure.drawing in ("bars", "scatter", "spans")
    has_marker = series.has_markers or figure.drawing == "forest"
    sample = Line2D(
        (x, x + 10 / width, x + 20 / width), (y, y, y),
        color=paint.of(series.role),
        linewidth=7 if is_filled else paint.width(series.role, series.is_thin),
        linestyle="-" if is_filled else paint.dash(series.role), solid_capstyle="butt",
        marker=paint.marker(series.role) if has_marker else "", markevery=[1],
        markersize=4.2, markeredgewidth=0, transform=picture.transFigure,
        alpha=opacity(series.role) if figure.drawing == "spans" else None,
    )  # fmt: skip
    picture.add_artist(sample)
    text = shorten(series.label, canvas.LONGEST_LABEL)
    picture.text(x + canvas.KEY / width, y, text, va="center_baseline", ha="left",
                 color=paint.of_text(series.role), fontweight=fonts.STRONG)  # fmt: skip
