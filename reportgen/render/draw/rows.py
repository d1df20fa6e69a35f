"""Marks in rows that run down the page: forests, dumbbells, stretches of an axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from reportgen.document import Mark, Panel, Series
from reportgen.render.draw import geometry
from reportgen.render.draw.geometry import Points
from reportgen.render.draw.paint import Paint, opacity

_FILLED: Mark = "filled"


def forest(axes: Axes, panel: Panel, paint: Paint) -> None:
    """Dots and intervals; those that share a row stand a little below each other."""
    in_row = Counter(y for series in panel.series for y in series.y)
    height = 0.5 / max(in_row.values(), default=1)
    placed: Counter[float | None] = Counter()
    for series in panel.series:
        shifts = []
        for row in series.y:
            shifts.append((placed[row] - (in_row[row] - 1) / 2) * height)
            placed[row] += 1
        _whiskers(axes, series, geometry.finite(series.y) + np.array(shifts), paint)


def dumbbell(axes: Axes, panel: Panel, paint: Paint) -> None:
    """Marks of a row at the same height, with a grey line between them."""
    ends: dict[float, list[float]] = {}
    for series in panel.series:
        for x, y in zip(series.x, series.y, strict=True):
            if x is not None and y is not None:
                ends.setdefault(y, []).append(x)
    low, high = (np.array([end(places) for places in ends.values()]) for end in (min, max))
    _strokes(axes, low, high, np.array(list(ends)), color=paint.of("other"), linewidth=1.0,
             zorder=2)  # fmt: skip
    for series in panel.series:
        _whiskers(axes, series, geometry.finite(series.y), paint)


def stretches(axes: Axes, panel: Panel, paint: Paint) -> None:
    """Filled stretches of the axis; one of no model is pale."""
    for series in panel.series:
        x, y = geometry.finite(series.x), geometry.finite(series.y)
        if len(x) == 2 and np.isfinite(x).all():
            alpha = opacity(series.role)
            axes.barh(y[:1], x[1] - x[0], 0.8, left=x[0], color=paint.of(series.role),
                      alpha=alpha, linewidth=0, zorder=3)  # fmt: skip
    axes.autoscale_view()


def _whiskers(axes: Axes, series: Series, heights: Points, paint: Paint) -> None:
    """The intervals of a series as two paths, and its marks as one for each kind and size."""
    colour, x = paint.of(series.role), geometry.finite(series.x)
    for low, high, thickness in (
        (series.band_low, series.band_high, 0.9),
        (series.low, series.high, 1.9),
    ):
        if low and high:
            ends = [np.where(np.isfinite(x), geometry.finite(end), np.nan) for end in (low, high)]
            _strokes(axes, ends[0], ends[1], heights, color=colour, linewidth=thickness,
                     solid_capstyle="round", zorder=3)  # fmt: skip
    kinds: Sequence[Mark] = series.marks or [_FILLED] * len(x)
    looks = list(zip(kinds, _dot_sizes(series).tolist(), strict=True))
    for kind, size in dict.fromkeys(looks):
        mine = np.array([look == (kind, size) for look in looks]) & np.isfinite(x + heights)
        axes.plot(x[mine], heights[mine], linestyle="", zorder=4,
                  **_looks(kind, series.role, size, paint))  # fmt: skip


def _strokes(axes: Axes, low: Points, high: Points, heights: Points, **looks: Any) -> None:
    """Level lines from low to high, all as one path; none where an end does not exist."""
    is_known = np.isfinite(low) & np.isfinite(high) & np.isfinite(heights)
    gaps = np.full(int(is_known.sum()), np.nan)
    along = np.column_stack((low[is_known], high[is_known], gaps)).ravel()
    across = np.column_stack((heights[is_known], heights[is_known], gaps)).ravel()
    axes.plot(along, across, **looks)


def _looks(mark: Mark, role: str, size: float, paint: Paint) -> dict[str, Any]:
    """A mark of a row: filled, open with the page behind it, or a cross."""
    colour = paint.of(role)
    if mark == "crossed":
        return {"marker": "x", "markersize": size + 1.5, "color": colour, "markeredgewidth": 1.9}
    edge = 1.3 if mark == "open" else 0.0
    return {
        "marker": paint.marker(role), "markersize": size + edge / 2, "markeredgewidth": edge,
        "markeredgecolor": colour,
        "markerfacecolor": paint.of("page") if mark == "open" else colour,
    }  # fmt: skip


def _dot_sizes(series: Series) -> Points:
    """Marker sizes in points: their areas go with `size`, within what is easy to see."""
    if not series.size:
        return np.full(len(series.x), 5.0)
    size = np.nan_to_num(geometry.finite(series.size))
    largest = float(size.max()) or 1.0
    return np.clip(7.0 * np.sqrt(size / largest), 3.4, 7.0)
