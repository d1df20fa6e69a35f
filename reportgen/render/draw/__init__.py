"""Figures as SVG text: the only home of matplotlib.

`draw` lays out one Figure of the Document; `kinds` draws the marks of a panel, `canvas` the axes
around them, `fonts` measures text. Nothing here knows what a curve means: a new curve brings
data, not drawing code. Figures are made with `matplotlib.figure.Figure`, never with pyplot.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure as Picture

from reportgen.document import Figure
from reportgen.render.draw import canvas, fonts, kinds, labels
from reportgen.render.draw.paint import Paint

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

BINNED_FROM = kinds.BINNED_FROM


def draw(
    figure: Figure, colours: Mapping[str, str], extra_fonts: Path | None, *, tolerance: float = 5e-4
) -> str:
    """The figure as raw SVG, every colour one of `colours`, text kept as text.

    Lines are simplified to within `tolerance` of the length of an axis.
    """
    fonts.register(extra_fonts)
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**SETTINGS, "font.family": fonts.families(extra_fonts)})
        paint = Paint(colours, tolerance)
        plan = canvas.plan(figure)
        picture = Picture(figsize=(plan.width, plan.height))
        panels = [canvas.axes_for(picture, figure, panel, paint) for panel in figure.panels]
        left = canvas.arrange(picture, figure, panels, plan, paint)
        labels.label(picture, figure, panels, plan, paint, left=left)
        buffer = io.StringIO()
        picture.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return buffer.getvalue()


known_characters = fonts.known_characters
fallback_folder = fonts.fallback_folder
