"""Figures as SVG: the only home of matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib import font_manager
from matplotlib.figure import Figure as Picture

from reportgen.report.document import Figure
from reportgen.report.render.draw import canvas, labels, marks
from reportgen.report.render.draw.marks import Palette
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
    "svg.fonttype": "none",
    "svg.hashsalt": "reportgen",
    "svg.image_inline": True,
    "text.parse_math": False,
    "text.usetex": False,
    "axes.unicode_minus": True,
    "path.simplify": False,
    "path.sketch": None,
    "axes.prop_cycle": cycler(color=["k"]),  # every colour is given: a short cycle costs least
    "font.size": 9.0,
    "axes.linewidth": 0.7,
    "xtick.direction": "out",
    "ytick.direction": "out",
}
"""What a drawing depends on; a reader's own matplotlib settings never reach it."""

BINNED_FROM = marks.BINNED_FROM
TEXT, FALLBACK, EXTRA_FONT = "reportgen-text", "reportgen-fallback", "reportgen-extra"
# The families of fonts of figures, by our names.


def draw_figure(
    figure: Figure,
    colours: Mapping[str, str],
    extra_fonts: Path | None,
    *,
    tolerance: float = 5e-4,
    pixels: int | None = None,
) -> bytes:
    """Draw the figure as raw SVG, every colour one of `colours`, text kept as text.

    Lines are simplified to within `tolerance` of the length of an axis. With `pixels` an inch the
    figure is a PNG on white.
    """
    register_fonts(extra_fonts)
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a reader may have it
        mpl.rcdefaults()
        mpl.rcParams.update({**SETTINGS, "font.family": list_font_families(extra_fonts)})
        paint = Palette(colours, tolerance)
        plan = canvas.plan_figure(figure)
        picture = Picture(figsize=(plan.width, plan.height))
        panels = [canvas.make_axes(picture, figure, panel, paint) for panel in figure.panels]
        left = canvas.arrange_panels(picture, figure, panels, plan, paint)
        labels.draw_words(picture, figure, panels, plan, paint, left=left)
        buffer = io.BytesIO()
        if pixels is None:
            picture.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        else:
            looks: Any = {"facecolor": "#fff", "bbox_inches": "tight", "pad_inches": 0.12}
            none = {"Software": None}
            picture.savefig(buffer, format="png", dpi=pixels, metadata=none, **looks)
    return buffer.getvalue()


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
