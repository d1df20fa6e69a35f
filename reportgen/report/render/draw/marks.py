"""The marks of a panel, one function a kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import floor, inf
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Polygon, StepPatch
from matplotlib.path import Path as Outline

from reportgen.records import record
from reportgen.report.document import Axis, Figure, FigureKind, Mark, Panel, Series
from reportgen.report.render import fonts
from reportgen.report.render.draw import geometry
from reportgen.report.render.draw.geometry import Points
from reportgen.text import shorten

Dash = Literal["-"] | tuple[float, tuple[float, ...]]
_DASHES: Mapping[str, Dash] = {
    "candidate2": (0, (5, 2)),
    "candidate3": (0, (2, 1.3)),
    "candidate4": (0, (6, 1.5, 1.5, 1.5)),
    "candidate5": (0, (3.5, 1.5)),
    "candidate6": (0, (8, 2)),
    "candidate7": (0, (1.2, 1.2)),
    "candidate8": (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)),
    "candidate9": (0, (3, 3)),
    "worse": (0, (4, 1.5)),
    "reference": (0, (3, 2.5)),
}
_MARKERS: Mapping[str, str] = {
    "baseline": "s",
    "candidate1": "o",
    "candidate2": "^",
    "candidate3": "D",
    "candidate4": "v",
    "candidate5": "P",
    "candidate6": "X",
    "candidate7": "<",
    "candidate8": ">",
    "candidate9": "p",
    "worse": "o",
    "reference": "s",
    "other": "o",
}


@record
class Palette:
    """The colours by part, and how far a simplified line may be from the true one."""

    colours: Mapping[str, str]
    tolerance: float

    def colour(self, role: str) -> str:
        """Return the colour of a role, or of another part of the page."""
        return self.colours[role]

    def text_colour(self, role: str) -> str:
        """Return the colour of a role's name; soft where the role is thin and pale."""
        return self.colours["soft" if role == "other" else role]

    def width(self, role: str, is_thin: bool = False) -> float:
        """Return the thickness of the line of a role, in points."""
        return 0.9 if is_thin or role == "other" else 1.7

    def dash(self, role: str) -> Dash:
        """Return the dashes that identify a role without colour."""
        return _DASHES.get(role, "-")

    def marker(self, role: str) -> str:
        """Return the marker that identifies a role without colour."""
        return _MARKERS[role]


def stretch_opacity(role: str) -> float:
    """Return the opacity of a stretch: one of no model is pale."""
    return 0.15 if role == "reference" else 0.55


_FILLED: Mark = "filled"
_TIP = 0.02  # of the axis: from its end to the middle of an arrow


def draw_forest(axes: Axes, panel: Panel, paint: Palette) -> None:
    """Dots and intervals; those that share a row stand a little below each other."""
    in_row = Counter(y for series in panel.series for y in series.y)
    height = 0.5 / max(in_row.values(), default=1)
    placed: Counter[float | None] = Counter()
    for series in panel.series:
        shifts = []
        for row in series.y:
            shifts.append((placed[row] - (in_row[row] - 1) / 2) * height)
            placed[row] += 1
        heights = geometry.make_float_array(series.y) + np.array(shifts)
        cut = _cut_intervals(axes, panel.x, series, heights, paint)
        _whiskers(axes, cut, heights, paint, panel.x)


def _cut_intervals(
    axes: Axes, axis: Axis, series: Series, heights: Points, paint: Palette
) -> Series:
    """Return the series within the ends of the axis, with arrows where its intervals go on."""
    if axis.low is None or axis.high is None:
        return series
    low, high = map(geometry.make_float_array, (series.low, series.high))
    room = _TIP * (axis.high - axis.low)
    first, last = axis.low + room, axis.high - room
    looks = _build_mark_style("filled", series.role, 7.0, paint)
    tips = "><" if axis.is_reversed else "<>"
    for tip, place, is_past in zip(
        tips, (first, last), (low < axis.low, high > axis.high), strict=True
    ):
        at = np.full(int(is_past.sum()), place)
        _add_line(axes, at, heights[is_past], linestyle="", zorder=4, **looks | {"marker": tip})
    low = np.where(low < axis.low, first, np.minimum(low, last))
    high = np.where(high > axis.high, last, np.maximum(high, first))
    return replace(series, low=tuple(low.tolist()), high=tuple(high.tolist()))


def draw_dumbbells(axes: Axes, panel: Panel, paint: Palette) -> None:
    """Draw the marks of a row at the same height, with a grey line between them."""
    ends: dict[float, list[float]] = {}
    for series in panel.series:
        for x, y in zip(series.x, series.y, strict=True):
            if x is not None and y is not None:
                ends.setdefault(y, []).append(x)
    low, high = (np.array([end(places) for places in ends.values()]) for end in (min, max))
    _strokes(
        axes, low, high, np.array(list(ends)), color=paint.colour("other"), linewidth=1.0, zorder=2
    )
    for series in panel.series:
        _whiskers(axes, series, geometry.make_float_array(series.y), paint)


def draw_stretches(axes: Axes, panel: Panel, paint: Palette) -> None:
    """Draw filled stretches of the axis; one of no model is pale."""
    for series in panel.series:
        x, y = geometry.make_float_array(series.x), geometry.make_float_array(series.y)
        if len(x) == 2 and np.isfinite(x).all():
            alpha = stretch_opacity(series.role)
            axes.barh(
                y[:1],
                x[1] - x[0],
                0.8,
                left=x[0],
                color=paint.colour(series.role),
                alpha=alpha,
                linewidth=0,
                zorder=3,
            )


def _whiskers(
    axes: Axes, series: Series, heights: Points, paint: Palette, axis: Axis | None = None
) -> None:
    """Draw the intervals of a series as two paths, its marks as one for each kind and size.

    Where the axis has ends, a mark beyond them is left out.
    """
    colour, x = paint.colour(series.role), geometry.make_float_array(series.x)
    for low, high, thickness in (
        (series.band_low, series.band_high, 0.9),
        (series.low, series.high, 1.9),
    ):
        if low and high:
            ends = [
                np.where(np.isfinite(x), geometry.make_float_array(end), np.nan)
                for end in (low, high)
            ]
            _strokes(
                axes,
                ends[0],
                ends[1],
                heights,
                color=colour,
                linewidth=thickness,
                solid_capstyle="round",
                zorder=3,
            )
    kinds: Sequence[Mark] = series.marks or [_FILLED] * len(x)
    is_shown = np.isfinite(x + heights)
    if axis is not None and axis.low is not None and axis.high is not None:
        is_shown &= (x >= axis.low) & (x <= axis.high)
    looks = list(zip(kinds, _dot_sizes(series).tolist(), strict=True))
    for kind, size in dict.fromkeys(looks):
        mine = np.array([look == (kind, size) for look in looks]) & is_shown
        looks_of_kind = _build_mark_style(kind, series.role, size, paint)
        _add_line(axes, x[mine], heights[mine], linestyle="", zorder=4, **looks_of_kind)


def _strokes(axes: Axes, low: Points, high: Points, heights: Points, **looks: Any) -> None:
    """Level lines from low to high, all as one path; none where an end does not exist."""
    is_known = np.isfinite(low) & np.isfinite(high) & np.isfinite(heights)
    gaps = np.full(int(is_known.sum()), np.nan)
    along = np.column_stack((low[is_known], high[is_known], gaps)).ravel()
    across = np.column_stack((heights[is_known], heights[is_known], gaps)).ravel()
    _add_line(axes, along, across, **looks)


def _build_mark_style(mark: Mark, role: str, size: float, paint: Palette) -> dict[str, Any]:
    """Return the style of a mark of a row: filled, open with the page behind it, or a cross."""
    colour = paint.colour(role)
    if mark == "crossed":
        return {"marker": "x", "markersize": size + 1.5, "color": colour, "markeredgewidth": 1.9}
    edge = 1.3 if mark == "open" else 0.0
    return {
        "marker": paint.marker(role),
        "markersize": size + edge / 2,
        "markeredgewidth": edge,
        "markeredgecolor": colour,
        "markerfacecolor": paint.colour("page") if mark == "open" else colour,
    }


def _dot_sizes(series: Series) -> Points:
    """Marker sizes in points: their areas go with `size`, within what is easy to see."""
    if not series.size:
        return np.full(len(series.x), 5.0)
    size = np.nan_to_num(geometry.make_float_array(series.size))
    largest = float(size.max()) or 1.0
    return np.clip(7.0 * np.sqrt(size / largest), 3.4, 7.0)


LARGEST, SMALLEST = 9.0, 6.5  # points
LEGIBLE = 8.0
"""Panels stand side by side only where their numbers are no smaller."""
APART = 3.0  # points between two numbers
GAP = 14.0  # points between two panels
FEW, MANY = 4, 30  # cells in a row: next to so few names may be long, below so many
_HALF = 0.47  # of a box: a thin gap stays between two
_CORNER = 0.33  # from the middle of a cell to its dot
_DOT = 2.6  # points across


def draw_cells(axes: Axes, panel: Panel, paint: Palette) -> None:
    """Draw a box for each cell, shaded by its size, and a dot in the corner of marked ones.

    Boxes of one shade are one path: in a large matrix most are.
    """
    for series in panel.series:
        size = geometry.make_float_array(series.size or series.y)
        largest = float(np.nanmax(np.abs(size), initial=0.0)) or 1.0
        marks = series.marks or ("open",) * len(series.x)
        dots, shaded = [], dict[tuple[str, float], list[tuple[float, float]]]()
        for x, y, shade, mark in zip(series.x, series.y, size / largest, marks, strict=True):
            if x is None or y is None or not np.isfinite(shade):
                continue
            colour = paint.colour("worse" if shade < 0 else series.role)
            shaded.setdefault((colour, 0.04 + 0.5 * abs(float(shade))), []).append((x, y))
            if mark == "filled":
                dots.append((x + _CORNER, y - _CORNER))
        for (colour, alpha), middles in shaded.items():
            x, y = np.transpose(middles)
            path = _build_boxes(x - _HALF, x + _HALF, y - _HALF, y + _HALF)
            _fill_boxes(axes, path, colour, alpha)
        axes.add_line(
            Line2D(
                [x for x, _ in dots],
                [y for _, y in dots],
                linestyle="",
                marker="o",
                markersize=_DOT,
                markeredgewidth=0,
                color=paint.colour("ink"),
                zorder=5,
            )
        )


def longest_cell_name(figure: Figure, axis: Literal["x", "y"]) -> int:
    """Return the length of a row's or a column's name that fits next to so many cells, in signs."""
    many, is_wide = _count_longest_row(figure), figure.width == "full"
    if axis == "y":
        return 34 if is_wide else 22 if many <= FEW else 14
    return 30 if is_wide and len(figure.panels) == 1 and many <= MANY else 16


def count_panel_columns(figure: Figure, most: int, width: float) -> int:
    """Count the panels, at most `most`, that stand side by side in a figure so wide."""
    longest = longest_cell_name(figure, "y")
    names = {shorten(name, longest) for panel in figure.panels for _, name in panel.y.ticks}
    room = width - max(map(fonts.text_width, names), default=0.0)
    counts = range(most, 1, -1)
    legible = (
        k
        for k in counts
        if cell_font_size(figure, (room / k - GAP) / _count_longest_row(figure)) >= LEGIBLE
    )
    return next(legible, 1)


def cell_font_size(figure: Figure, width: float) -> float:
    """Compute the font size of numbers in cells so wide, equal in all; 0 if the widest has no room.

    A few numbers that are left out would read as cells that hold nothing, so it is all or none.
    """
    texts = [text for panel in figure.panels for s in panel.series for text in s.texts]
    widest = max((fonts.text_width(text, size=1.0) for text in texts), default=0.0)
    if not widest:
        return LARGEST
    fitting = floor(10 * min((width - APART) / widest, LARGEST)) / 10
    return fitting if fitting >= SMALLEST else 0.0


def cell_width(axes: Axes) -> float:
    """Return the width of a cell, in points; the axes must have their place."""
    low, high = axes.get_xlim()
    return float(axes.bbox.width / abs(high - low))


def _count_longest_row(figure: Figure) -> int:
    """Count the cells of the longest row."""
    return max(len(panel.x.ticks) for panel in figure.panels) or 1


BINNED_FROM = 2000
BINS = (48, 36)
BETWEEN = 0.3  # of the colour in the area between two lines
PALE_OPACITY = 1.6  # how much further the edge of a pale band may be from its true place
FINEST_STEPS = 150
"""A staircase of more steps than this is drawn as a line: nobody could see a step."""


def is_horizontal(kind: FigureKind, panel: Panel) -> bool:
    """Return whether rows run down the y axis, the first on top."""
    return kind in ("forest", "dumbbell", "spans", "matrix") or (
        kind == "bars" and bool(panel.y.ticks)
    )


def draw_marks(kind: FigureKind, axes: Axes, panel: Panel, paint: Palette) -> None:
    """Draw every series of the panel."""
    _KINDS[kind](axes, panel, paint)
    if kind != "scatter":  # whose limits are those of its points alone
        axes.autoscale()


def _add_line(axes: Axes, x: Points, y: Points, **looks: Any) -> None:
    _add(axes, Line2D(x, y, **looks), np.column_stack((x, y)))


def _add(axes: Axes, made: Artist, points: Points) -> None:
    """Add what reaches as far as points; `axes.plot` and `add_patch` would look for its reach.

    They look at each segment by itself, as if it were a Bézier curve.
    """
    axes.add_artist(made)
    axes.update_datalim(points)


@record
class _ThinningFrame:
    """Inputs for thinning a panel's lines: scales, how much of each axis they take, which part.

    `window` is the part of the x axis that is seen, open where the lines decide.
    """

    scales: tuple[str, str]
    spans: tuple[float, float]
    window: tuple[float, float]
    is_stepped: bool


def _line(axes: Axes, panel: Panel, paint: Palette) -> None:
    _curves(axes, panel, paint, is_stepped=False)


def _steps(axes: Axes, panel: Panel, paint: Palette) -> None:
    _curves(axes, panel, paint, is_stepped=True)


def _curves(axes: Axes, panel: Panel, paint: Palette, *, is_stepped: bool) -> None:
    window = (
        -inf if panel.x.low is None else panel.x.low,
        inf if panel.x.high is None else panel.x.high,
    )
    frame = _ThinningFrame(
        (panel.x.scale, panel.y.scale), _compute_spans(panel), window, is_stepped
    )
    for series in panel.series:
        if series.role != "other":
            _bands(axes, series, paint, frame)
        if series.base:
            _band(axes, series, paint, frame, (series.base, series.y), BETWEEN)
    for depth, series in enumerate(_baseline_first(panel)):
        _stroke(axes, series, paint, frame, depth)


def _baseline_first(panel: Panel) -> list[Series]:
    """Pale lines at the bottom, then the baseline, so that what is asked about lies on top."""
    return sorted(
        panel.series, key=lambda series: (series.role != "other", series.role != "baseline")
    )


def _stroke(axes: Axes, series: Series, paint: Palette, frame: _ThinningFrame, depth: int) -> None:
    x, y = geometry.make_float_array(series.x), geometry.make_float_array(series.y)
    looks: dict[str, Any] = {"color": paint.colour(series.role), "zorder": 3 + depth / 100}
    for run in geometry.true_runs(np.isfinite(x) & np.isfinite(y)) if series.has_line else ():
        points = _thin(frame, x[run], y[run], paint.tolerance)
        _add_line(
            axes,
            points[:, 0],
            points[:, 1],
            linewidth=paint.width(series.role, series.is_thin),
            linestyle=paint.dash(series.role),
            solid_joinstyle="round",
            dash_capstyle="butt",
            **looks,
        )
    if series.base:
        foot = replace(series, y=series.base, base=(), has_markers=False, is_thin=True)
        _stroke(axes, foot, paint, frame, depth)
    if series.has_markers:
        size = 4.2 if series.has_line else 3.0
        _add_line(
            axes,
            x,
            y,
            linestyle="",
            marker=paint.marker(series.role),
            markersize=size,
            markeredgewidth=0,
            **looks,
        )


def _thin(frame: _ThinningFrame, x: Points, y: Points, tolerance: float) -> Points:
    """Drop the points of a line that are nearer to it than `tolerance` of the length of an axis."""
    if frame.is_stepped and len(x) <= FINEST_STEPS:
        x, y = geometry.step_corners(x, y)
    within = geometry.visible_part(x, frame.window)
    x, y = x[within], y[within]
    points = np.column_stack((x, y))
    seen = np.column_stack(
        [
            geometry.apply_scale(scale, side)
            for scale, side in zip(frame.scales, (x, y), strict=True)
        ]
    )
    least = np.nanmin(seen, axis=0, initial=np.inf)  # where a logarithm does not exist
    return points[
        geometry.select_shape_points(np.where(np.isnan(seen), least, seen), tolerance, frame.spans)
    ]


def _compute_spans(panel: Panel) -> tuple[float, float]:
    """Compute the span of each axis that the lines of a panel take, as far as it can be known."""
    found = []
    for axis, columns in (
        (panel.x, [s.x for s in panel.series]),
        (
            panel.y,
            [
                c
                for s in panel.series
                for c in (s.y, s.low, s.high, s.band_low, s.band_high, s.base)
            ],
        ),
    ):
        values = geometry.apply_scale(
            axis.scale, geometry.make_float_array([v for c in columns for v in c])
        )
        low, high = (
            geometry.apply_scale(axis.scale, geometry.make_float_array([end]))[0]
            for end in (axis.low, axis.high)
        )
        values = values[np.isfinite(values)]
        top = np.nanmin([values.max(initial=-np.inf), high])
        bottom = np.nanmax([values.min(initial=np.inf), low])
        found.append(max(float(top - bottom), 0.0))
    return found[0], found[1]


def _bands(axes: Axes, series: Series, paint: Palette, frame: _ThinningFrame) -> None:
    """Draw the simultaneous band pale, the pointwise one inside it darker."""
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
    paint: Palette,
    frame: _ThinningFrame,
    bounds: tuple[tuple[float | None, ...], tuple[float | None, ...]],
    alpha: float,
) -> None:
    x, low, high = (geometry.make_float_array(values) for values in (series.x, *bounds))
    for run in geometry.true_runs(np.isfinite(x) & np.isfinite(low) & np.isfinite(high)):
        under = _thin(frame, x[run], low[run], PALE_OPACITY * paint.tolerance)
        over = _thin(frame, x[run], high[run], PALE_OPACITY * paint.tolerance)
        corners = np.concatenate((under, over[::-1]))
        colour = paint.colour(series.role)
        area = Polygon(corners, facecolor=colour, alpha=alpha, linewidth=0, zorder=2)
        _add(axes, area, corners)


def _bars(axes: Axes, panel: Panel, paint: Palette) -> None:
    lies = is_horizontal("bars", panel)
    thickness = 0.72 / max(len(panel.series), 1)
    for k, series in enumerate(panel.series):
        shift = (k - (len(panel.series) - 1) / 2) * thickness
        places = geometry.make_float_array(series.y if lies else series.x) + shift
        values = geometry.make_float_array(series.x if lies else series.y)
        grow = axes.barh if lies else axes.bar
        grow(
            places, values, thickness * 0.92, color=paint.colour(series.role), alpha=0.85, zorder=3
        )
        _bar_whiskers(axes, series, places, paint, lies=lies)


def _bar_whiskers(
    axes: Axes, series: Series, places: Points, paint: Palette, *, lies: bool
) -> None:
    for low, high, place in zip(series.low, series.high, places, strict=False):
        if low is None or high is None:
            continue
        along, across = (low, high), (place, place)
        _add_line(
            axes,
            *map(np.array, (along, across) if lies else (across, along)),
            color=paint.colour("ink"),
            linewidth=1.1,
            solid_capstyle="round",
            zorder=4,
        )


def _histogram(axes: Axes, panel: Panel, paint: Palette) -> None:
    for depth, series in enumerate(_baseline_first(panel)):
        edges, counts = (
            geometry.make_float_array(series.x),
            np.nan_to_num(geometry.make_float_array(series.y)),
        )
        if not len(counts):
            continue
        if len(edges) == len(counts):
            edges = _build_edges(edges)
        colour = paint.colour(series.role)
        is_behind = series.role == "reference" and len(panel.series) > 1
        looks: dict[str, Any] = {"facecolor": colour, "linewidth": 0, "zorder": 2}
        _add_stairs(axes, counts, edges, fill=True, alpha=0.32 if is_behind else 0.16, **looks)
        if is_behind:
            continue
        outlined = sum(other.role != "reference" for other in panel.series)
        _add_stairs(
            axes,
            counts,
            edges,
            edgecolor=colour,
            linewidth=1.4,
            zorder=3 + depth / 100,
            linestyle=paint.dash(series.role) if outlined > 1 else "-",
        )


def _add_stairs(axes: Axes, counts: Points, edges: Points, **looks: Any) -> None:
    """Add stairs that stand on zero."""
    stairs = StepPatch(counts, edges, baseline=0, **{"fill": False, **looks})
    stairs.sticky_edges.y.append(0.0)
    ends = [(edges.min(), min(counts.min(), 0.0)), (edges.max(), max(counts.max(), 0.0))]
    _add(axes, stairs, np.array(ends))


def _build_edges(centres: Points) -> Points:
    """Compute the edges around bars that were given by their middles."""
    half = float(np.median(np.diff(centres))) / 2 if len(centres) > 1 else 0.5
    return np.concatenate((centres - half, centres[-1:] + half))


def _scatter(axes: Axes, panel: Panel, paint: Palette) -> None:
    for series in panel.series:
        points = np.column_stack(
            (geometry.make_float_array(series.x), geometry.make_float_array(series.y))
        )
        points = points[np.isfinite(points).all(axis=1)]
        colour = paint.colour(series.role)
        if series.size:
            _draw_count_boxes(axes, series, colour)
        elif len(points) > BINNED_FROM:
            _boxes(axes, points, colour)
        elif len(points):
            _dots(axes, points, colour)
    axes.autoscale_view()


def _dots(axes: Axes, points: Points, colour: str) -> None:
    """Draw all dots as one path of strokes with round ends: a few bytes each.

    Their length is just above 0, since matplotlib leaves strokes without length out of PNGs.
    """
    scaled = np.asarray(axes.transScale.transform(points))
    x = scaled[:, 0]
    corners = np.repeat(scaled, 2, axis=0)
    corners[1::2, 0] += 1e-9 * (np.ptp(x) or np.abs(x).max() or 1.0)
    codes = np.tile([Outline.MOVETO, Outline.LINETO], len(points))
    dots = PathPatch(
        Outline(corners, codes),
        facecolor="none",
        edgecolor=colour,
        linewidth=3.2,
        capstyle="round",
        snap=False,
        alpha=0.5,
        transform=axes.transLimits + axes.transAxes,
        zorder=3,
    )
    _add(axes, dots, points)


def _boxes(axes: Axes, points: Points, colour: str) -> None:
    """Draw the count in each box of a grid as one of five shades; leave an empty box empty."""
    counts, x_edges, y_edges = geometry.bin_in_grid(points, BINS)
    shades = np.linspace(0, np.sqrt(counts.max()), 6)
    for level, (low, high) in enumerate(pairwise(shades), start=1):
        wanted = (np.sqrt(counts) > low) & (np.sqrt(counts) <= high)
        i, j = np.nonzero(wanted)
        if len(i):
            boxes = _build_boxes(x_edges[i], x_edges[i + 1], y_edges[j], y_edges[j + 1])
            _shade(axes, boxes, colour, level)
    axes.update_datalim(points)


def _draw_count_boxes(axes: Axes, series: Series, colour: str) -> None:
    """Squares around points, as far apart as the nearest two, in five shades by their size."""
    x, y, size = map(geometry.make_float_array, (series.x, series.y, series.size))
    gaps = np.diff(np.unique(np.concatenate([np.unique(side.round(9)) for side in (x, y)])))
    half = float(gaps[gaps > 1e-8].min(initial=1.0)) / 2
    shade = np.ceil(np.sqrt(size / size.max()) * 5)
    for level in np.unique(shade):
        a, b = x[shade == level], y[shade == level]
        boxes = _build_boxes(a - half, a + half, b - half, b + half)
        _shade(axes, boxes, colour, level)
    ends = np.array([[x.min() - half, y.min() - half], [x.max() + half, y.max() + half]])
    axes.update_datalim(ends)


def _shade(axes: Axes, boxes: Outline, colour: str, level: float) -> None:
    """Fill boxes with one of five shades."""
    _fill_boxes(axes, boxes, colour, 0.04 + 0.17 * level)


def _fill_boxes(axes: Axes, boxes: Outline, colour: str, alpha: float) -> None:
    area = PathPatch(boxes, facecolor=colour, linewidth=0, alpha=alpha, zorder=2)
    _add(axes, area, np.asarray(boxes.vertices))


def _build_boxes(left: Points, right: Points, bottom: Points, top: Points) -> Outline:
    """Build one outline of many boxes from their sides, (n,) each."""
    x = np.column_stack([left, right, right, left, left])
    y = np.column_stack([bottom, bottom, top, top, bottom])
    codes = [Outline.MOVETO, *[Outline.LINETO] * 3, Outline.CLOSEPOLY]
    return Outline(np.column_stack([x.ravel(), y.ravel()]), np.tile(codes, len(x)))


_KINDS: Mapping[FigureKind, Callable[[Axes, Panel, Palette], None]] = {
    "line": _line,
    "steps": _steps,
    "forest": draw_forest,
    "dumbbell": draw_dumbbells,
    "spans": draw_stretches,
    "bars": _bars,
    "histogram": _histogram,
    "matrix": draw_cells,
    "scatter": _scatter,
}
