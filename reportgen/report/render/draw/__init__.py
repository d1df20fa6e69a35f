"""Figures as SVG or as PNG: the only home of matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib import font_manager
from matplotlib.figure import Figure as Picture
from matplotlib.transforms import Bbox

from reportgen.report.document import Figure
from reportgen.report.render.draw import canvas, labels
from reportgen.report.render.draw.marks import Palette
from reportgen.report.render.draw.svg import PAPER, SvgRenderer
from reportgen.report.render.fonts import (
    DEJAVU,
    INTER,
    REGULAR,
    STRONG,
    fallback_folder,
    list_extra_fonts,
)
from reportgen.report.render.theme import find_fonts_folder

SETTINGS: Mapping[Any, Any] = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "path.simplify": False,
    "path.sketch": None,
    "axes.prop_cycle": cycler(color=["k"]),  # every colour is given: a short cycle costs least
    "font.size": 9.0,
    "axes.linewidth": 0.7,
    "xtick.direction": "out",
    "ytick.direction": "out",
}
"""What a drawing depends on; a reader's own matplotlib settings never reach it."""

FINE, COARSE = 5e-4, 2e-3
"""How far a simplified line may be from the true one, in parts of the length of an axis."""
TEXT, FALLBACK, EXTRA_FONT = "reportgen-text", "reportgen-fallback", "reportgen-extra"
# The families of fonts of figures, by our names.


def draw_svg(
    figure: Figure,
    description: str,
    colours: Mapping[str, str],
    extra_fonts: Path | None,
    *,
    tolerance: float,
) -> str:
    """Draw the figure as SVG, every colour one of `colours`, text kept as text.

    Lines are simplified to within `tolerance` of the length of an axis.
    """
    with _use_settings(extra_fonts):
        picture = _make_picture(figure, Palette(colours, tolerance))
        width, height = picture.get_size_inches() * canvas.INCH
        renderer = SvgRenderer(width, height, prefix=f"figure-{figure.id}", colours=colours)
        picture.draw(renderer)
    return renderer.finish(title=figure.title, description=description)


def draw_png(
    figure: Figure, colours: Mapping[str, str], extra_fonts: Path | None, pixels: int
) -> bytes:
    """Draw the figure on white, with so many pixels an inch."""
    buffer = io.BytesIO()
    with _use_settings(extra_fonts):
        picture = _make_picture(figure, Palette(colours, FINE))
        paper = Bbox.from_bounds(0, 0, *picture.get_size_inches()).padded(0.12)
        looks: Any = {"facecolor": PAPER, "bbox_inches": paper, "metadata": {"Software": None}}
        picture.savefig(buffer, format="png", dpi=pixels, **looks)
    return buffer.getvalue()


def _make_picture(figure: Figure, paint: Palette) -> Picture:
    plan = canvas.plan_figure(figure)
    picture = Picture(figsize=(plan.width, plan.height), dpi=canvas.INCH)
    panels = [canvas.make_axes(picture, figure, panel, paint) for panel in figure.panels]
    left = canvas.arrange_panels(picture, figure, panels, plan, paint)
    labels.draw_words(picture, figure, panels, plan, paint, left=left)
    return picture


@contextmanager
def _use_settings(extra_fonts: Path | None) -> Iterator[None]:
    register_fonts(extra_fonts)
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a reader may have it
        settings: Any = mpl.rcParams  # whose own `update` would check every value again
        dict.update(settings, _list_settings(extra_fonts))
        yield


@lru_cache
def _list_settings(extra_fonts: Path | None) -> dict[str, Any]:
    """List all settings of matplotlib, checked, but the backend: finding it would load pyplot."""
    own: Any = mpl.RcParams({**SETTINGS, "font.family": list_font_families(extra_fonts)})
    usual: Any = mpl.rcParamsDefault
    settings = {**dict(dict.items(usual)), **dict(dict.items(own))}
    settings.pop("backend", None)
    return settings


def list_font_families(extra: Path | None) -> list[str]:
    """List the font families in the order in which a character is looked for."""
    return [TEXT, *([EXTRA_FONT] if extra else []), FALLBACK]


@lru_cache
def register_fonts(extra: Path | None) -> None:
    """Make the fonts known to matplotlib under our names."""
    entries = [
        (TEXT, REGULAR, find_fonts_folder() / INTER[REGULAR]),
        (TEXT, STRONG, find_fonts_folder() / INTER[STRONG]),
        (FALLBACK, REGULAR, fallback_folder() / DEJAVU),
        (FALLBACK, STRONG, fallback_folder() / "DejaVuSans-Bold.ttf"),
        *((EXTRA_FONT, REGULAR, path) for path in list_extra_fonts(extra)),
    ]
    for name, weight, path in entries:
        entry = font_manager.FontEntry(
            fname=str(path),
            name=name,
            style="normal",
            variant="normal",
            weight=weight,
            stretch="normal",
            size="scalable",
        )
        font_manager.fontManager.ttflist.append(entry)
