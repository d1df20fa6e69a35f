"""Figures as SVG: the only home of matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure as Picture

from reportgen.report.document import Figure
from reportgen.report.render.draw import canvas, fonts, labels, marks
from reportgen.report.render.draw.marks import Palette

SETTINGS: Mapping[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "reportgen",
    "svg.image_inline": True,
    "text.parse_math": False,
    "text.usetex": False,
    "axes.unicode_minus": True,
    "path.simplify": False,
    "path.sketch": None,
    "font.size": 9.0,
    "axes.linewidth": 0.7,
    "xtick.direction": "out",
    "ytick.direction": "out",
}
"""What a drawing depends on; a reader's own matplotlib settings never reach it."""

BINNED_FROM = marks.BINNED_FROM


def draw_figure(
    figure: Figure, colours: Mapping[str, str], extra_fonts: Path | None, *, tolerance: float = 5e-4
) -> str:
    """Draw the figure as raw SVG, every colour one of `colours`, text kept as text.

    Lines are simplified to within `tolerance` of the length of an axis.
    """
    fonts.register_fonts(extra_fonts)
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a reader may have it
        mpl.rcdefaults()
        mpl.rcParams.update({**SETTINGS, "font.family": fonts.list_font_families(extra_fonts)})
        paint = Palette(colours, tolerance)
        plan = canvas.plan_figure(figure)
        picture = Picture(figsize=(plan.width, plan.height))
        panels = [canvas.make_axes(picture, figure, panel, paint) for panel in figure.panels]
        left = canvas.arrange_panels(picture, figure, panels, plan, paint)
        labels.draw_words(picture, figure, panels, plan, paint, left=left)
        buffer = io.StringIO()
        picture.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return buffer.getvalue()


known_characters = fonts.list_known_characters
fallback_folder = fonts.fallback_folder
