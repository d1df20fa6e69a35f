"""Write drawings as SVG: small, safe, dark-mode aware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import cos, radians, sin
from typing import Any, Literal, cast
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import to_hex
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.patheffects import PathEffectRenderer, withStroke
from matplotlib.transforms import Transform

from reportgen.records import record
from reportgen.report.render.fonts import ASCENT, DESCENT, REGULAR, SIZE, STRONG
from reportgen.text import isolate_names

SVG = "http://www.w3.org/2000/svg"
FONTS = "Inter, DejaVu Sans, sans-serif"
LONG = 12  # steps of a line from which tenths of a point do

_LETTERS = {1: "M", 2: "L", 3: "Q", 4: "C"}  # by matplotlib's code of a step
_LENGTHS = {1: 1, 2: 1, 3: 2, 4: 3}
_CAPS = {"butt": "", "projecting": "square"}
_JOINS = {"round": ""}
_ANCHORS = {"left": "", "center": "middle", "right": "end"}
_WEIGHTS = {REGULAR: "", STRONG: "600"}
PAPER = "#ffffff"  # the background of PNGs
_HALO_WIDTH = 3  # points
_HALO = {"stroke-width": f"{_HALO_WIDTH}", "paint-order": "stroke"}

Looks = dict[str, str]
Side = Literal["left", "center", "right"]
Height = Literal["baseline", "letters", "middle", "top"]


@record(kw_only=True)
class TextLooks:
    """Looks of a text: which point of it stands at its place, its colour, its font, its angle.

    `ha` is its left end, its middle or its right end; `va` its base line, the middle of its tall
    letters, that of all letters, or its top. A halo is of the page's colour.
    """

    colour: str
    ha: Side = "left"
    va: Height = "baseline"
    weight: str = REGULAR
    size: float = SIZE
    angle: float = 0.0
    has_halo: bool = False


class SvgRenderer(RendererBase):
    """A renderer that writes what matplotlib draws, directly in its final form.

    `prefix` begins each id; `colours` maps each part's name to the colour used for it, which gets
    the part's class.
    """

    def __init__(
        self, width: float, height: float, *, prefix: str, colours: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.width, self.height = width, height
        self._prefix, self._page, self._line = prefix, colours["page"], colours["line"]
        self._parts = {colour: name for name, colour in reversed(list(colours.items()))}
        # A page says ids thousands of times: eight digits of the prefix tell figures apart too.
        self._short = f"f{crc32(prefix.encode()):08x}"
        self._elements: list[str | _Path] = []
        self._joint: dict[str, _Path] = {}
        self._clips: dict[str, str] = {}
        self._shapes: dict[str, str] = {}

    def finish(self, *, title: str, description: str) -> str:
        """Return the drawing."""
        names = [f"{self._prefix}-title", f"{self._prefix}-description"]
        made = "".join(each if isinstance(each, str) else each.write() for each in self._elements)
        clips = "".join(
            f'<clipPath id="{name}"><rect{sides} /></clipPath>'
            for sides, name in self._clips.items()
        )
        box = f"0 0 {_write_number(self.width)} {_write_number(self.height)}"
        return (
            f'<svg xmlns="{SVG}" viewBox="{box}" '
            f'role="img" aria-labelledby={quoteattr(" ".join(names))} '
            f'font-family="{FONTS}" font-size="{SIZE:g}" stroke-linejoin="round">'
            f"<title id={quoteattr(names[0])}>{escape(title)}</title>"
            f"<desc id={quoteattr(names[1])}>{escape(description)}</desc>"
            f"{made}{clips and f'<defs>{clips}</defs>'}</svg>"
        )

    def draw_path(
        self, gc: GraphicsContextBase, path: Outline, transform: Transform, rgbFace: Any = None
    ) -> None:
        """Draw a path; one without a fill is cut off at the edge of the paper."""
        stroke, is_open = self._write_stroke(gc), rgbFace is None
        if is_open and not stroke:
            return
        clip = (0.0, 0.0, self.width, self.height) if is_open else None
        outline = path.cleaned(transform, remove_nans=True, clip=clip, curves=True)
        if steps := _write_steps(outline, self.height):
            self._add_path(steps, self._write_clip(gc) | _write_fill(gc, rgbFace) | stroke)

    def draw_markers(
        self,
        gc: GraphicsContextBase,
        marker_path: Outline,
        marker_trans: Transform,
        path: Outline,
        trans: Transform,
        rgbFace: Any = None,
    ) -> None:
        """Draw a marker at each point of a path; ticks become one path."""
        points = np.asarray(trans.transform(path.vertices))
        points = points[np.isfinite(points).all(axis=1)]
        places = [(_write_number(x), _write_number(self.height - y)) for x, y in points.tolist()]
        shape = _write_steps(marker_path.cleaned(marker_trans, remove_nans=True, curves=True))
        clip, fill, stroke = self._write_clip(gc), _write_fill(gc, rgbFace), self._write_stroke(gc)
        if not clip and shape.startswith(("M0 0h", "M0 0v")) and "z" not in shape:
            self._add_path("".join(f"M{x} {y}{shape[4:]}" for x, y in places), stroke)
        elif places:
            name = self._define_shape(shape, self._write_looks(fill | stroke))
            uses = "".join(f'<use x="{x}" y="{y}" href="#{name}" />' for x, y in places)
            self._elements.append(f"<g{_write_attributes(clip)}>{uses}</g>" if clip else uses)

    def write_text(self, text: str, looks: TextLooks, x: float, y: float) -> None:
        """Write a text at a place, which is at the text's left, in its middle or at its right."""
        left, top = _write_number(x), _write_number(self.height - y)
        written = {"x": left, "y": top}
        if looks.angle:
            written["transform"] = f"rotate({_write_number(-looks.angle)} {left} {top})"
        if looks.has_halo:
            written |= {"stroke": self._page, **_HALO}
        written["font-weight"] = _WEIGHTS[looks.weight]
        written["font-size"] = "" if looks.size == SIZE else f"{_write_number(looks.size)}px"
        written["text-anchor"] = _ANCHORS[looks.ha]
        written["fill"] = looks.colour
        content = escape(isolate_names(text))
        self._elements.append(f"<text{self._write_looks(written)}>{content}</text>")

    def _add_path(self, steps: str, looks: Looks) -> None:
        """Add a path; ticks and lines of a grid that look the same become one."""
        written = self._write_looks(looks)
        is_joint = "fill" not in looks or looks.get("stroke") == self._line
        if is_joint and written in self._joint:
            self._joint[written].steps.append(steps)
            return
        self._elements.append(made := _Path([steps], written))
        if is_joint:
            self._joint[written] = made

    def _define_shape(self, shape: str, looks: str) -> str:
        """Return the name of a shape of some looks, which is defined where it first appears."""
        outline = f'd="{shape}"{looks}'
        if outline not in self._shapes:
            self._shapes[outline] = self._make_name()
            self._elements.append(f'<defs><path id="{self._shapes[outline]}" {outline} /></defs>')
        return self._shapes[outline]

    def _write_clip(self, gc: GraphicsContextBase) -> Looks:
        """Return the rectangle beyond which nothing is seen, if there is one."""
        found = gc.get_clip_rectangle()
        if found is None:
            return {}
        left, low, width, height = found.bounds
        sides = {"x": left, "y": self.height - low - height, "width": width, "height": height}
        box = _write_attributes({name: _write_number(side) for name, side in sides.items()})
        if box not in self._clips:
            self._clips[box] = self._make_name()
        return {"clip-path": f"url(#{self._clips[box]})"}

    def _make_name(self) -> str:
        return f"{self._short}-{len(self._clips) + len(self._shapes)}"

    def _write_stroke(self, gc: GraphicsContextBase) -> Looks:
        width, colour, dashes = gc.get_linewidth(), gc.get_rgb(), gc.get_dashes()[1]
        if not width:
            return {}
        join, cap = gc.get_joinstyle(), gc.get_capstyle()
        looks = (
            {}
            if dashes is None
            else {"stroke-dasharray": ",".join(map(_write_number, np.asarray(dashes)))}
        )
        return looks | {
            "stroke": _write_hex(colour),
            "stroke-opacity": "" if gc.get_forced_alpha() else _write_opacity(colour[3]),
            "stroke-width": "" if width == 1.0 else _write_number(width),
            "stroke-linejoin": _JOINS.get(join, join),
            "stroke-linecap": _CAPS.get(cap, cap),
        }

    def _write_looks(self, looks: Looks) -> str:
        """Write attributes with the classes that give colours in dark mode."""
        found = [
            f"{name[0]}-{self._parts[looks[name]]}"
            for name in ("fill", "stroke")
            if looks.get(name) in self._parts
        ]
        return _write_attributes({**looks, "class": " ".join(found)})


@record
class _Path:
    """The steps of a path, to which more may come, and its attributes."""

    steps: list[str]
    looks: str

    def write(self) -> str:
        return f'<path d="{"".join(self.steps)}"{self.looks} />'


def _write_fill(gc: GraphicsContextBase, face: Any) -> Looks:
    overall = {"opacity": _write_opacity(gc.get_alpha())} if gc.get_forced_alpha() else {}
    if face is None:
        return {"fill": "none"} | overall
    return {"fill": _write_hex(tuple(face))} | (
        overall or {"fill-opacity": _write_opacity(face[3])}
    )


_write_hex = lru_cache(to_hex)


def _write_opacity(share: float) -> str:
    return "" if share == 1.0 else f"{share:.4g}"


def _write_attributes(looks: Looks) -> str:
    """Write attributes, but none without a value."""
    return "".join(f' {name}="{value}"' for name, value in looks.items() if value)


def _write_number(value: float) -> str:
    """Write a number of points in hundredths."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _write_steps(outline: Outline, height: float = 0.0) -> str:
    """Write an outline, its y down from a height: curves as they are, straight lines as steps.

    Steps from point to point are in hundredths without drift. Long lines have tenths: a twentieth
    of a point is less than the eye or a screen can tell. A stroke without length stays a dot.

    >>> _write_steps(Outline([(10, 0), (10, 5.5), (12, 5), (8, 5), (8, 5)], [1, 2, 2, 2, 79]), 20)
    'M10 20v-5.5l2 .5h-4z'
    """
    every = np.asarray(outline.codes)
    points = np.asarray(outline.vertices)[every != Outline.STOP] * (1, -1) + (0, height)
    codes = every[every != Outline.STOP].tolist()
    if Outline.CURVE3 in codes or Outline.CURVE4 in codes:
        return _write_curves(points.tolist(), codes)
    unit = 10 if codes.count(Outline.LINETO) >= LONG else 100
    places = np.rint(points * unit).astype(int).tolist()
    made: list[str] = []
    is_dot, last, left, top = False, 0, 0, 0
    for code, (x, y) in zip(codes, places, strict=True):
        if code == Outline.MOVETO:
            made.append(f"{'h0' if is_dot else ''}M{_write_short(x, unit)} {_write_short(y, unit)}")
            is_dot = False
        elif code == Outline.CLOSEPOLY:
            made.append("z")
            continue
        elif (x, y) == (left, top):
            is_dot = last == Outline.MOVETO
        else:
            made.append(_write_step(x - left, y - top, unit))
            is_dot = False
        last, left, top = code, x, y
    return "".join(made) + ("h0" if is_dot else "")


def _write_curves(points: Sequence[tuple[float, float]], codes: Sequence[int]) -> str:
    made: list[str] = []
    left = 0  # points of the curve that has begun
    for code, (x, y) in zip(codes, points, strict=True):
        if code == Outline.CLOSEPOLY:
            made.append("z")
            continue
        made.append(f"{' ' if left else _LETTERS[code]}{_write_number(x)} {_write_number(y)}")
        left = (left or _LENGTHS[code]) - 1
    return "".join(made)


@lru_cache(maxsize=4096)
def _write_step(right: int, down: int, unit: int) -> str:
    if not right:
        return f"v{_write_short(down, unit)}"
    if not down:
        return f"h{_write_short(right, unit)}"
    second = _write_short(down, unit)
    return f"l{_write_short(right, unit)}{'' if second.startswith('-') else ' '}{second}"


def _write_short(value: int, unit: int) -> str:
    """Format a number of tenths or hundredths as short as it can be written."""
    sign, size = "-" if value < 0 else "", abs(value)
    if size % unit == 0:
        return f"{sign}{size // unit}"
    text = f"{size / unit:.2f}".rstrip("0")
    return sign + text.removeprefix("0")


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
        if looks.has_halo:
            halo = withStroke(linewidth=_HALO_WIDTH, foreground=PAPER)
            renderer = PathEffectRenderer([halo], renderer)
        renderer.draw_text(gc, x, y, self.text, font, looks.angle)
        gc.restore()
