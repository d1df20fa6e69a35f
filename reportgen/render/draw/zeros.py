"""Zeros on a logarithmic axis: they stand in a strip of their own before its lowest value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import log10

from reportgen.document import Axis, Figure, Panel, Series

ROOM = 0.09
"""The strip's width as a share of the axis."""
DUST = 1e-6
"""What is smaller, as a share of the largest value, is drawn as zero."""
Strips = tuple["ZeroStrip | None", "ZeroStrip | None"]
_Values = tuple[float | None, ...]


@dataclass(frozen=True)
class ZeroStrip:
    """Where zeros stand on a logarithmic axis, and the end of the strip around that place."""

    zero: float
    end: float

    def moved(self, values: _Values) -> _Values:
        """The values with zeros, and what has no logarithm, at the place of zeros."""
        return tuple(v if v is None or v > self.end else self.zero for v in values)


def strip_of(axis: Axis, values: Iterable[float | None]) -> ZeroStrip | None:
    """The strip of an axis that has one, if a value needs it; what is next to nothing is zero."""
    known = [v for v in values if v is not None]
    dust = DUST * max(known, default=0.0)
    above = [v for v in known if v > dust]
    if axis.scale != "log" or not axis.has_zero or not above or len(above) == len(known):
        return None
    low, high = log10(min(above)), log10(max(above))
    step = ROOM * max(high - low, 1.0)
    return ZeroStrip(10 ** (low - 1.5 * step), 10 ** (low - 0.75 * step))


def strips(figure: Figure, panel: Panel, lies: bool) -> Strips:
    """The strips of x and of y, of all panels where they share their axes.

    Bounds lie along x where the drawing lies on its side.
    """
    series = [s for p in (figure.panels if figure.shares_axes else (panel,)) for s in p.series]
    x = [v for s in series for v in s.x]
    y = [v for s in series for v in s.y]
    bounds = [v for s in series for v in (*s.low, *s.high, *s.band_low, *s.band_high, *s.base)]
    return strip_of(panel.x, x + bounds * lies), strip_of(panel.y, y + bounds * (not lies))


def with_zeros(panel: Panel, found: Strips, lies: bool) -> Panel:
    """The panel with zeros at their places on logarithmic axes."""
    of_x, of_y = found
    if of_x is None and of_y is None:
        return panel
    of_bounds = of_x if lies else of_y

    def moved(values: _Values, strip: ZeroStrip | None) -> _Values:
        return values if strip is None else strip.moved(values)

    def placed(series: Series) -> Series:
        return replace(
            series,
            x=moved(series.x, of_x),
            y=moved(series.y, of_y),
            low=moved(series.low, of_bounds),
            high=moved(series.high, of_bounds),
            band_low=moved(series.band_low, of_bounds),
            band_high=moved(series.band_high, of_bounds),
            base=moved(series.base, of_bounds),
        )

    return replace(panel, series=tuple(placed(series) for series in panel.series))
