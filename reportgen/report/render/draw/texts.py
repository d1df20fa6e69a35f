"""Texts in a drawing, each one line at some points from a place."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties
from matplotlib.transforms import Transform

from reportgen.report.render.draw.svg import SvgRenderer, TextLooks
from reportgen.report.render.fonts import ASCENT, DESCENT

_SHARES = {"left": 0.0, "center": 0.5, "right": 1.0}
_DROPS = {"baseline": 0.0, "letters": ASCENT / 2, "middle": (ASCENT - DESCENT) / 2, "top": ASCENT}


class PlainText(Artist):
    """A line of text, `offset` points from a place; matplotlib's own would measure every letter."""

    def __init__(
        self,
        text: str,
        looks: TextLooks,
        place: tuple[float, float],
        transform: Transform,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        zorder: float = 3.0,
    ) -> None:
        super().__init__()
        self.text, self.looks, self.place, self.offset = text, looks, place, offset
        self.zorder = zorder
        self.set_transform(transform)

    def set_clip_path(self, path: Any, transform: Transform | None = None) -> None:
        """Ignore the clip path: texts may reach beyond their axes, and computing one takes time."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw the text."""
        if not self.text:
            return
        looks, turn = self.looks, radians(self.looks.angle)
        point = cast(float, renderer.points_to_pixels(1.0))
        down = _DROPS[looks.va] * looks.size * point
        x, y = np.asarray(self.get_transform().transform(self.place))
        x += self.offset[0] * point + down * sin(turn)
        y += self.offset[1] * point - down * cos(turn)
        if isinstance(renderer, SvgRenderer):
            renderer.write_text(self.text, looks, x, y)
            return
        font = FontProperties(weight=looks.weight, size=looks.size)
        width, _, _ = renderer.get_text_width_height_descent(self.text, font, False)
        back, height = _SHARES[looks.ha] * width, renderer.get_canvas_width_height()[1]
        x, y = x - back * cos(turn), height - y + back * sin(turn)
        gc = renderer.new_gc()
        gc.set_foreground(looks.colour)
        renderer.draw_text(gc, x, y, self.text, font, looks.angle)
        gc.restore()
