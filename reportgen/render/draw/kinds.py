"""The marks of a panel, one function a kind of drawing.

A forest, and bars whose y axis has ticks, lie on their side: x is the value, y the row, the
first row on top. A histogram's x are the edges of its bars, one more than y. A matrix has one
mark a cell, shaded by `size`. Colours and their second signs (dash, marker) follow the role.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path as Outline

from reportgen.document import FigureKind, Panel, Series
from reportgen.render.draw import cells, geometry, rows
from reportgen.render.draw.geometry import Points
from reportgen.render.draw.paint import Paint

BINNED_FROM = 2000
BINS = (48, 36)
BETWEEN = 0.3  # of the colour in the area between two lines
PALE = 1.6  # how much further the edge of a pale band may be from its true place
FINEST_STEPS = 150
"""A staircase of more steps than this is drawn as a line: nobody could see a step."""


def is_lying(kind: FigureKind, panel: Panel) -> bool:
    """Whether rows run down the y axis, the first on top."""
    return kind in ("forest", "dumbbell", "spans", "matrix") or (
        kind == "bars" and bool(panel.y.ticks)
    )


def marks(kind: FigureKind, axes: Axes, panel: Panel, paint: Paint) -> None:
    """Draw every series of the panel."""
    _KINDS[kind](axes, panel, paint)


@dataclass(frozen=True)
class _Frame:
    """What thinning a panel's lines needs: its scales, how much of each axis they take, and which.

    `window` is the part of the x axis that is seen, open where the lines decide.
    """

    scales: tuple[str, str]
    spans: tuple[float, float]
    window: tuple[float, float]
    is_stepped: bool


def _line(axes: Axes, panel: Panel, paint: Paint) -> None:
    _curves(axes, panel, paint, is_stepped=False)


def _steps(axes: Axes, panel: Panel, paint: Paint) -> None:
    _curves(axes, panel, paint, is_stepped=True)


def _curves(axes: Axes, panel: Panel, paint: Paint, *, is_stepped: bool) -> None:
    window = (-inf if panel.x.low is None else panel.x.low,
              inf if panel.x.high is None else panel.x.high)  # fmt: skip
    frame = _Frame((panel.x.scale, panel.y.scale), _spans(panel), window, is_stepped)
    for series in panel.series:
        if series.role != "other":
            _bands(axes, series, paint, frame)
        if series.base:
            _band(axes, series, paint, frame, (series.base, series.y), BETWEEN)
    for depth, series in enumerate(_baseline_first(panel)):
        _stroke(axes, series, paint, frame, depth)
    axes.autoscale()


def _baseline_first(panel: Panel) -> list[Series]:
    """Pale lines at the bottom, then the baseline, so that what is asked about lies on top."""
    return sorted(
        panel.series, key=lambda series: (series.role != "other", series.role != "baseline")
    )


def _stroke(axes: Axes, series: Series, paint: Paint, frame: _Frame, depth: int) -> None:
    x, y = geometry.finite(series.x), geometry.finite(series.y)
    looks: dict[str, Any] = {"color": paint.of(series.role), "zorder": 3 + depth / 100}
    for run in geometry.runs(np.isfinite(x) & np.isfinite(y)) if series.has_line else ():
        points = _thin(frame, x[run], y[run], paint.tolerance)
        axes.plot(
            points[:, 0], points[:, 1], linewidth=paint.width(series.role, series.is_thin),
            linestyle=paint.dash(series.role),
            solid_joinstyle="round", dash_capstyle="butt", **looks,
        )  # fmt: skip
    if series.base:
        foot = replace(series, y=series.base, base=(), has_markers=False, is_thin=True)
        _stroke(axes, foot, paint, frame, depth)
    if series.has_markers:
        size = 4.2 if series.has_line else 3.0
        axes.plot(x, y, linestyle="", marker=paint.marker(series.role), markersize=size,
                  markeredgewidth=0, **looks)  # fmt: skip


def _thin(frame: _Frame, x: Points, y: Points, tolerance: float) -> Points:
    """The line without points that are nearer to it than `tolerance` of the length of an axis."""
    if frame.is_stepped and len(x) <= FINEST_STEPS:
        x, y = geometry.steps(x, y)
    within = geometry.seen_part(x, frame.window)
    x, y = x[within], y[within]
    points = np.column_stack((x, y))
    seen = np.column_stack([geometry.on_scale(scale, side) for scale, side in
                            zip(frame.scales, (x, y), strict=True)])  # fmt: skip
    least = np.nanmin(seen, axis=0, initial=np.inf)  # where a logarithm does not exist
    return points[geometry.kept(np.where(np.isnan(seen), least, seen), tolerance, frame.spans)]


def _spans(panel: Panel) -> tuple[float, float]:
    """How much of each axis the lines of a panel take: what is seen, as far as it can be known."""
    found = []
    for axis, columns in (
        (panel.x, [s.x for s in panel.series]),
        (panel.y, [c for s in panel.series for c in (s.y, s.low, s.high, s.band_low,
                                                     s.band_high, s.base)]),
    ):  # fmt: skip
        values = geometry.on_scale(axis.scale, geometry.finite([v for c in columns for v in c]))
        low, high = (geometry.on_scale(axis.scale, geometry.finite([end]))[0] for end in
                     (axis.low, axis.high))  # fmt: skip
        values = values[np.isfinite(values)]
        top = np.nanmin([values.max(initial=-np.inf), high])
        bottom = np.nanmax([values.min(initial=np.inf), low])
        found.append(max(float(top - bottom), 0.0))
    return found[0], found[1]


def _bands(axes: Axes, series: Series, paint: Paint, frame: _Frame) -> None:
    """The simultaneous band pale, the pointwise one inside it darker."""
    crowd = 0.6 if series.role == "reference" else 1.0
    for low, high, alpha in (
        (series.band_low, series.band_high, 0.10),
        (series.low, series.high, 0.16),
    ):
        if low and high:
            _band(axes, series, paint, frame, (low, high), alpha * crowd)


def _band(
    axes: Axes,
    series: Series,
    paint: Paint,
    frame: _Frame,
    bounds: tuple[tuple[float | None, ...], tuple[float | None, ...]],
    alpha: float,
) -> None:
    x, low, high = (geometry.finite(values) for values in (series.x, *bounds))
    for run in geometry.runs(np.isfinite(x) & np.isfinite(low) & np.isfinite(high)):
        under = _thin(frame, x[run], low[run], PALE * paint.tolerance)
        over = _thin(frame, x[run], high[run], PALE * paint.tolerance)
        corners = np.concatenate((under, over[::-1]))
        # `axes.fill` would look for the limits of every segment as if it were a Bézier curve.
        axes.add_artist(Polygon(corners, facecolor=paint.of(series.role), alpha=alpha,
                                linewidth=0, zorder=2))  # fmt: skip
        axes.update_datalim(corners)


def _bars(axes: Axes, panel: Panel, paint: Paint) -> None:
    lies = is_lying("bars", panel)
    thickness = 0.72 / max(len(panel.series), 1)
    for k, series in enumerate(panel.series):
        shift = (k - (len(panel.series) - 1) / 2) * thickness
        places = geometry.finite(series.y if lies else series.x) + shift
        values = geometry.finite(series.x if lies else series.y)
        grow = axes.barh if lies else axes.bar
        grow(places, values, thickness * 0.92, color=paint.of(series.role), alpha=0.85,
             zorder=3)  # fmt: skip
        _bar_whiskers(axes, series, places, paint, lies=lies)


def _bar_whiskers(axes: Axes, series: Series, places: Points, paint: Paint, *, lies: bool) -> None:
    for low, high, place in zip(series.low, series.high, places, strict=False):
        if low is None or high is None:
            continue
        along, across = (low, high), (place, place)
        axes.plot(
            *((along, across) if lies else (across, along)), color=paint.of("ink"),
            linewidth=1.1, solid_capstyle="round", zorder=4,
        )  # fmt: skip


def _histogram(axes: Axes, panel: Panel, paint: Paint) -> None:
    for depth, series in enumerate(_baseline_first(panel)):
        edges, counts = geometry.finite(series.x), np.nan_to_num(geometry.finite(series.y))
        if not len(counts):
            continue
        if len(edges) == len(counts):
            edges = _edges(edges)
        colour = paint.of(series.role)
        is_behind = series.role == "reference" and len(panel.series) > 1
        axes.stairs(counts, edges, fill=True, color=colour, alpha=0.32 if is_behind else 0.16,
                    linewidth=0, zorder=2)  # fmt: skip
        if is_behind:
            continue
        outlined = sum(other.role != "reference" for other in panel.series)
        axes.stairs(
            counts, edges, color=colour, linewidth=1.4, zorder=3 + depth / 100,
            linestyle=paint.dash(series.role) if outlined > 1 else "-",
        )  # fmt: skip


def _edges(centres: Points) -> Points:
    """The edges around bars that were given by their middles."""
    half = float(np.median(np.diff(centres))) / 2 if len(centres) > 1 else 0.5
    return np.concatenate((centres - half, centres[-1:] + half))


def _scatter(axes: Axes, panel: Panel, paint: Paint) -> None:
    for series in panel.series:
        points = np.column_stack((geometry.finite(series.x), geometry.finite(series.y)))
        points = points[np.isfinite(points).all(axis=1)]
        colour = paint.of(series.role)
        if series.size:
            _counted_boxes(axes, series, colour)
        elif len(points) > BINNED_FROM:
            _boxes(axes, points, colour)
        elif len(points):
            _dots(axes, points, colour)


def _dots(axes: Axes, points: Points, colour: str) -> None:
    """All dots as one path of strokes without length and with round ends: a few bytes each."""
    corners = np.repeat(points, 2, axis=0)
    codes = np.tile([Outline.MOVETO, Outline.LINETO], len(points))
    patch = PathPatch(
        Outline(corners, codes), facecolor="none", edgecolor=colour, linewidth=3.2,
        capstyle="round", alpha=0.5, zorder=3,
    )  # fmt: skip
    axes.add_patch(patch)
    axes.update_datalim(points)
    axes.autoscale_view()


def _boxes(axes: Axes, points: Points, colour: str) -> None:
    """The count in each box of a grid as one of five shades; an empty box stays empty."""
    counts, x_edges, y_edges = geometry.binned(points, BINS)
    shades = np.linspace(0, np.sqrt(counts.max()), 6)
    for level, (low, high) in enumerate(pairwise(shades), start=1):
        wanted = (np.sqrt(counts) > low) & (np.sqrt(counts) <= high)
        outline = [
            _box(x_edges[i], x_edges[i + 1], y_edges[j], y_edges[j + 1])
            for i, j in np.argwhere(wanted)
        ]
        if outline:
            patch = PathPatch(
                Outline.make_compound_path(*outline), facecolor=colour, linewidth=0,
                alpha=0.04 + 0.17 * level, zorder=2,
            )  # fmt: skip
            axes.add_patch(patch)
    axes.update_datalim(points)
    axes.autoscale_view()


def _counted_boxes(axes: Axes, series: Series, colour: str) -> None:
    """Squares around points, as far apart as the nearest two, in five shades by their size."""
    x, y, size = map(geometry.finite, (series.x, series.y, series.size))
    gaps = np.diff(np.unique(np.concatenate([np.unique(side.round(9)) for side in (x, y)])))
    half = float(gaps[gaps > 1e-8].min(initial=1.0)) / 2
    shade = np.ceil(np.sqrt(size / size.max()) * 5)
    for level in np.unique(shade):
        outline = [_box(a - half, a + half, b - half, b + half)
                   for a, b in zip(x[shade == level], y[shade == level], strict=True)]  # fmt: skip
        patch = PathPatch(
            Outline.make_compound_path(*outline), facecolor=colour, linewidth=0,
            alpha=0.04 + 0.17 * level, zorder=2,
        )  # fmt: skip
        axes.add_patch(patch)
    ends = np.array([[x.min() - half, y.min() - half], [x.max() + half, y.max() + half]])
    axes.update_datalim(ends)
    axes.autoscale_view()


def _box(left: float, right: float, bottom: float, top: float) -> Outline:
    corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    return Outline(corners, closed=True)


_KINDS: Mapping[FigureKind, Callable[[Axes, Panel, Paint], None]] = {
    "line": _line,
    "steps": _steps,
    "forest": rows.forest,
    "dumbbell": rows.dumbbell,
    "spans": rows.stretches,
    "bars": _bars,
    "histogram": _histogram,
    "matrix": cells.boxes,
    "scatter": _scatter,
}
