"""Ticks, and zeros on logarithmic axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil, log10, nan, radians, sin
from typing import Any, Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import Transform

from reportgen.records import record
from reportgen.report import axis_places
from reportgen.report.document import Axis, Figure, Panel, Series
from reportgen.report.render import fonts
from reportgen.report.render.draw.marks import Palette, is_horizontal
from reportgen.report.render.draw.svg import Height, PlainText, TextLooks
from reportgen.report.render.fonts import SIZE
from reportgen.text import shorten

ZERO_STRIP_SHARE = 0.09
"""The strip's width as a share of the axis."""
DUST = 1e-6
"""What is smaller, as a share of the largest value, is drawn as zero."""
Strips = tuple["ZeroStrip | None", "ZeroStrip | None"]
_Values = tuple[float | None, ...]


@record
class ZeroStrip:
    """Position of zeros on a logarithmic axis, and the end of the strip around that position."""

    zero: float
    end: float

    def place_zeros(self, values: _Values) -> _Values:
        """Move zeros, and values that have no logarithm, to the place of zeros."""
        return tuple(v if v is None or v > self.end else self.zero for v in values)


def find_zero_strip(axis: Axis, values: Iterable[float | None]) -> ZeroStrip | None:
    """Find the strip of an axis that has one, if a value needs it; near nothing counts as zero."""
    known = [v for v in values if v is not None]
    dust = DUST * max(known, default=0.0)
    above = [v for v in known if v > dust]
    if axis.scale != "log" or not axis.has_zero or not above or len(above) == len(known):
        return None
    low, high = log10(min(above)), log10(max(above))
    step = ZERO_STRIP_SHARE * max(high - low, 1.0)
    return ZeroStrip(10 ** (low - 1.5 * step), 10 ** (low - 0.75 * step))


def find_zero_strips(figure: Figure, panel: Panel, lies: bool) -> Strips:
    """Find the strips of x and of y, of all panels where they share their axes.

    Bounds lie along x where the drawing lies on its side.
    """
    series = [s for p in (figure.panels if figure.shares_axes else (panel,)) for s in p.series]
    x = [v for s in series for v in s.x]
    y = [v for s in series for v in s.y]
    bounds = [v for s in series for v in (*s.low, *s.high, *s.band_low, *s.band_high, *s.base)]
    return find_zero_strip(panel.x, x + bounds * lies), find_zero_strip(
        panel.y, y + bounds * (not lies)
    )


def shift_zeros(panel: Panel, found: Strips, lies: bool) -> Panel:
    """Move the zeros of a panel to their places on logarithmic axes."""
    of_x, of_y = found
    if of_x is None and of_y is None:
        return panel
    of_bounds = of_x if lies else of_y

    def shift_values(values: _Values, strip: ZeroStrip | None) -> _Values:
        return values if strip is None else strip.place_zeros(values)

    def shift_series(series: Series) -> Series:
        return replace(
            series,
            x=shift_values(series.x, of_x),
            y=shift_values(series.y, of_y),
            low=shift_values(series.low, of_bounds),
            high=shift_values(series.high, of_bounds),
            band_low=shift_values(series.band_low, of_bounds),
            band_high=shift_values(series.band_high, of_bounds),
            base=shift_values(series.base, of_bounds),
        )

    return replace(panel, series=tuple(shift_series(series) for series in panel.series))


LINE = 13.0
LENGTH, PAD = 3.0, 3.0
SLANT = 38.0  # degrees
BETWEEN = 1.15  # of the size, from one upright name to the next
BEYOND = 10.0  # points to the right of axes that belong to them
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Name = Literal["x", "y"]


class BareAxes(Axes):
    """Axes on which matplotlib makes no ticks and no edges of its own.

    Each method overrides a private one of matplotlib; a test fails should one of them go.
    """

    def _init_axis(self) -> None:
        self.xaxis = _TicklessX(self, clear=False)
        self.yaxis = _TicklessY(self, clear=False)

    def _gen_axes_spines(self, *_: object) -> dict[str, Any]:
        return {}

    def _gen_axes_patch(self) -> Rectangle:
        return _UnitSquare((0, 0), 1, 1, visible=False)


def place_ticks(
    axes: Axes, name: Name, axis: Axis, count: int, longest: int, strip: ZeroStrip | None = None
) -> None:
    """Settle an axis's ticks: those given, or round numbers, `count` at most; zero in its strip."""
    target = axes.xaxis if name == "x" else axes.yaxis
    target.set_minor_locator(NullLocator())
    if axis.ticks:
        target.set_major_locator(FixedLocator([position for position, _ in axis.ticks]))
        names = {position: shorten(text, longest) for position, text in axis.ticks}
        target.set_major_formatter(FuncFormatter(lambda value, _: names.get(value, "")))
        return
    low, high = sorted(target.get_view_interval())
    places = _find_places(axis, strip.end if strip else low, high, count - (strip is not None))
    zero = strip.zero if strip else 0.0
    target.set_major_locator(FixedLocator([zero, *places] if strip else places))
    target.set_major_formatter(
        FuncFormatter(lambda value, _: format_tick(0.0 if value == zero else value, axis.unit))
    )


def _find_places(axis: Axis, low: float, high: float, most: int) -> list[float]:
    if axis.scale == "log":
        return axis_places.find_log_places(low, high, most)
    if axis.scale == "symlog":
        return axis_places.find_symlog_places(low, high, axis.threshold, most)
    if axis.scale == "probit":
        return axis_places.find_probit_places(low, high, most)
    return axis_places.find_linear_places(low, high, most)


def draw_ticks(
    axes: Axes,
    figure: Figure,
    panel: Panel,
    paint: Palette,
    width: float,
    *,
    names_rows: bool = True,
) -> None:
    """Draw the ticks of both axes, below all marks; limits and place must be settled.

    `width` is the room for the names below the axes, in points. Where rows are shared only the
    first column names them.
    """
    lies, is_matrix = is_horizontal(figure.drawing, panel), figure.drawing == "matrix"
    grids = "" if is_matrix else "xy" if figure.drawing == "scatter" else "x" if lies else "y"
    angle = tick_label_angle(axes, panel, width)
    step = _compute_step(axes, width) if angle > SLANT else 1
    _axis(axes, "x", paint, has_grid="x" in grids, is_named=is_matrix, angle=angle, step=step)
    if names_rows:
        _axis(axes, "y", paint, has_grid="y" in grids, is_named=lies, angle=0.0)
    else:
        axes.yaxis.set_visible(False)


def list_visible_ticks(axes: Axes, name: Name) -> list[tuple[float, str]]:
    """List the ticks inside the axis as (position, text)."""
    target = axes.xaxis if name == "x" else axes.yaxis
    low, high = sorted(target.get_view_interval())
    slack = (high - low) * 1e-9
    places = [v for v in target.get_majorticklocs() if low - slack <= v <= high + slack]
    texts = target.get_major_formatter().format_ticks(places)
    return list(zip(places, texts, strict=True))


def tick_label_angle(axes: Axes, panel: Panel, width: float) -> float:
    """Return the angle of the names below the axes: slanted where too wide to fit side by side.

    Where slanted lines would lie on one another they stand upright.
    """
    ticks = list_visible_ticks(axes, "x")
    widest = max((fonts.text_width(text) for _, text in ticks), default=0.0)
    each = width / max(len(ticks), 1)
    if not panel.x.ticks or widest <= each - 4:
        return 0.0
    return SLANT if each * sin(radians(SLANT)) >= 1.3 * SIZE else 90.0


def _compute_step(axes: Axes, width: float) -> int:
    """Compute the step between upright names that are written, so that none lies on another."""
    return max(ceil(BETWEEN * SIZE * len(list_visible_ticks(axes, "x")) / width), 1)


def tick_label_height(axes: Axes, panel: Panel, width: float) -> float:
    """Return the reach of the names below the axes."""
    angle = tick_label_angle(axes, panel, width)
    if not angle:
        return LINE
    return (
        max(fonts.text_width(text) for _, text in list_visible_ticks(axes, "x"))
        * sin(radians(angle))
        + 10
    )


def format_tick(value: float, unit: str = "") -> str:
    """Format a tick's number: a true minus sign, thousands by commas, no needless exponent.

    An amount of money has its sign before it, and millions by a letter.

    >>> format_tick(-1500.0), format_tick(0.25), format_tick(2e34), format_tick(0.25, "share")
    ('−1,500', '0.25', '2 × 10³⁴', '25%')
    >>> format_tick(-1500.0, "$"), format_tick(2.5, "€"), format_tick(2.5e6, "$"), format_tick(4e10,
    ...     "$")
    ('−$1,500', '€2.5', '$2.5M', '$40bn')
    """
    if unit in ("share", "points"):
        return format_tick(round(100 * value, 10)) + "%" * (unit == "share")
    if unit:
        return _format_money(value, unit)
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-5:
        mantissa, _, exponent = f"{value:.3g}".partition("e")
        raised = str(int(exponent or 0)).translate(_RAISED)
        text = f"{mantissa} × 10{raised}" if exponent else mantissa
    elif size >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{round(value, 8):.6g}"
    return text.replace("-", "−")


def _format_money(value: float, sign: str) -> str:
    size, of, letter = abs(value), 1.0, ""
    for each, name in ((1e6, "M"), (1e9, "bn")):
        if each <= size < 1e12:
            of, letter = each, name
    minus = "−" if value < 0 else ""
    return f"{minus}{sign}{format_tick(size / of)}{letter}"


class _UnitSquare(Rectangle):
    def get_transform(self) -> Transform:
        """Return how the axes place it: it is where it begins, and what cuts off every artist."""
        return Artist.get_transform(self)


class _TicklessX(XAxis):
    majorTicks = ()  # type: ignore[assignment]
    minorTicks = ()  # type: ignore[assignment]


class _TicklessY(YAxis):
    majorTicks = ()  # type: ignore[assignment]
    minorTicks = ()  # type: ignore[assignment]


def _axis(
    axes: Axes,
    name: Name,
    paint: Palette,
    *,
    has_grid: bool,
    is_named: bool,
    angle: float,
    step: int = 1,
) -> None:
    """One axis; names of rows and columns are in ink and have no marks, numbers are soft."""
    ticks = list_visible_ticks(axes, name)
    (axes.xaxis if name == "x" else axes.yaxis).set_visible(False)
    places = [position for position, _ in ticks]
    if has_grid and places:
        _grid(axes, name, places, paint)
    if not is_named:
        _marks(axes, name, places, paint)
    pad = PAD if is_named else LENGTH + PAD
    colour = paint.colour("ink" if is_named else "soft")
    transform = axes.get_xaxis_transform() if name == "x" else axes.get_yaxis_transform()
    if name == "y":
        looks = TextLooks(colour=colour, ha="right", va="letters")
    elif angle:
        va: Height = "middle" if angle > SLANT else "top"
        looks = TextLooks(colour=colour, ha="right", va=va, angle=angle)
    else:
        looks = TextLooks(colour=colour, ha="center", va="top")
    for position, text in ticks[::step]:
        place, offset = (0.0, position), (-pad, 0.0)
        if name == "x":
            is_number = not is_named and not angle
            left = _compute_overhang(axes, position, text) if is_number else 0.0
            place, offset = (position, 0.0), (-left, -pad)
        axes.add_artist(PlainText(text, looks, place, transform, offset=offset, zorder=0.5))


def _compute_overhang(axes: Axes, position: float, text: str) -> float:
    """Compute the part of the last number below an axis that is cut off at the right, in points."""
    is_last = position >= max(axes.get_xlim())
    return max(fonts.text_width(text) / 2 - BEYOND, 0.0) if is_last else 0.0


def _grid(axes: Axes, name: Name, places: list[float], paint: Palette) -> None:
    """Draw a line through the axes at each place, all as one path."""
    along = [value for place in places for value in (place, place, nan)]
    across = [0.0, 1.0, nan] * len(places)
    if name == "x":
        x, y, transform = along, across, axes.get_xaxis_transform()
    else:
        x, y, transform = across, along, axes.get_yaxis_transform()
    looks: dict[str, Any] = {"color": paint.colour("line"), "linewidth": 0.7, "zorder": 0.5}
    axes.add_artist(Line2D(x, y, transform=transform, **looks))


def _marks(axes: Axes, name: Name, places: list[float], paint: Palette) -> None:
    """Draw a short stroke out of the axes at each place."""
    edge = [0.0] * len(places)
    if name == "x":
        x, y, transform = places, edge, axes.get_xaxis_transform()
    else:
        x, y, transform = edge, places, axes.get_yaxis_transform()
    line = Line2D(
        x,
        y,
        transform=transform,
        linestyle="none",
        marker=TICKDOWN if name == "x" else TICKLEFT,  # type: ignore[arg-type]
        markersize=LENGTH,
        markeredgewidth=0.7,
        clip_on=False,
        color=paint.colour("reference"),
        zorder=0.5,
    )
    axes.add_artist(line)
