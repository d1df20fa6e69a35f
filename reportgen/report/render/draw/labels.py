"""Words in a figure: names of lines, keys, reference lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import cos, hypot, inf, isfinite, pi, sin
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.transforms import Transform
from numpy.typing import NDArray

from reportgen.records import record
from reportgen.report.document import Figure, Panel, Reference, Series
from reportgen.report.render import fonts
from reportgen.report.render.draw import canvas, geometry, marks, ticks
from reportgen.report.render.draw.canvas import INCH, FigurePlan
from reportgen.report.render.draw.marks import Palette, is_horizontal, stretch_opacity
from reportgen.report.render.draw.svg import PlainText, TextLooks
from reportgen.report.render.draw.ticks import LINE
from reportgen.text import shorten

_LONGEST = 48
_LINES = ("line", "steps")


def write_panel_words(
    picture: Picture, figure: Figure, axes: Axes, panel: Panel, paint: Palette
) -> None:
    """Place the words of a panel, those of lines first, and write them."""
    named = [
        (s.x[k], s.y[k], text)
        for s in _list_labelled_series(figure, panel)
        for k, text in enumerate(s.texts)
        if text and s.x[k] is not None and s.y[k] is not None
    ]
    if not named and not any(reference.label for reference in panel.references):
        return
    within = Rectangle(*map(float, axes.bbox.extents))
    lines = [*_iter_line_points(figure, axes, panel)]
    first = len(lines)
    lines += [_place_reference(axes, reference) for reference in panel.references]
    texts, words = [], []
    for own, reference in enumerate(panel.references, first):
        if reference.label:
            texts.append(shorten(reference.label, _LONGEST))
            words.append(
                _place_line_word(reference, lines[own], fonts.text_width(texts[-1]), within, own)
            )
    for (x, y), (_, _, text) in zip(_iter_points(axes, named), named, strict=True):
        texts.append(text)
        words.append(make_point_word(x, y, fonts.text_width(text)))
    known = [k for k, word in enumerate(words) if word.spots]  # a line may be all outside
    found = place_words([words[k] for k in known], _list_marks(axes, panel), within, lines)
    for k, place in zip(known, found, strict=True):
        _write_word(picture, axes, texts[k], place, paint)


def _list_labelled_series(figure: Figure, panel: Panel) -> tuple[Series, ...]:
    return panel.series if figure.drawing in (*_LINES, "scatter") else ()


def _iter_points(axes: Axes, named: list[Any]) -> Iterator[tuple[float, float]]:
    """Yield data coordinates as points of 1/72 inch."""
    at = np.array([(x, y) for x, y, *_ in named], dtype=float).reshape(-1, 2)
    for x, y in axes.transData.transform(at):
        yield float(x), float(y)


def _list_marks(axes: Axes, panel: Panel) -> list[tuple[float, float]]:
    marked = [
        (x, y)
        for s in panel.series
        if s.has_markers
        for x, y in zip(s.x, s.y, strict=True)
        if x is not None and y is not None
    ]
    return list(_iter_points(axes, marked))


def _iter_line_points(figure: Figure, axes: Axes, panel: Panel) -> Iterator[Points]:
    """Every unbroken line of the series."""
    for series in panel.series if figure.drawing in _LINES else ():
        x, y = geometry.make_float_array(series.x), geometry.make_float_array(series.y)
        for run in geometry.true_runs(np.isfinite(x) & np.isfinite(y)) if series.has_line else ():
            at = (
                geometry.step_corners(x[run], y[run])
                if figure.drawing == "steps"
                else (x[run], y[run])
            )
            line = axes.transData.transform(np.column_stack(at))
            yield line[np.isfinite(line).all(axis=1)]


def _place_reference(axes: Axes, reference: Reference) -> Points:
    """Convert a reference line to points; a straight one runs through the whole panel."""
    if reference.x and reference.y:
        line = axes.transData.transform(np.column_stack((reference.x, reference.y)))
        return np.asarray(line[np.isfinite(line).all(axis=1)])
    if reference.x:
        at = axes.get_xaxis_transform().transform([(v, end) for v in reference.x for end in (0, 1)])
    else:
        at = axes.get_yaxis_transform().transform([(end, v) for v in reference.y for end in (0, 1)])
    return np.asarray(at, dtype=float)


def _place_line_word(
    reference: Reference, line: Points, width: float, within: Rectangle, own: int
) -> PlaceableWord:
    if reference.x and reference.y:
        return make_line_word(line, width, within, own)
    if reference.x:
        return make_vertical_line_word(float(line[0, 0]), width, within, own)
    return make_horizontal_line_word(float(line[0, 1]), width, within, own)


def _write_word(picture: Picture, axes: Axes, text: str, place: WordPlace, paint: Palette) -> None:
    """Write a word at its place, with a fine line to what it names if it is further off."""
    colour, on_paper = paint.colour("soft"), canvas.make_paper_transform(picture)
    if place.is_led:
        line = Line2D(
            *np.transpose(_compute_leader(place, fonts.text_width(text))),
            color=colour,
            linewidth=0.6,
            solid_capstyle="round",
            zorder=5,
            transform=on_paper,
            clip_on=False,
        )
        axes.add_artist(line)
    looks = TextLooks(colour=colour, has_halo=True)
    axes.add_artist(PlainText(text, looks, (place.x, place.y), on_paper, zorder=5))


def _compute_leader(place: WordPlace, width: float) -> list[tuple[float, float]]:
    """Compute the ends of the line from the middle of a word, past its edge, to what it names."""
    middle = place.x + width / 2, place.y + fonts.SIZE * (fonts.ASCENT - fonts.DESCENT) / 2
    right, up = place.at[0] - middle[0], place.at[1] - middle[1]
    half = width / 2 + 2, fonts.SIZE * (fonts.ASCENT + fonts.DESCENT) / 2 + 2
    length = hypot(right, up)
    if not length:
        return [middle, middle]
    first = length * min(h / abs(d) for h, d in zip(half, (right, up), strict=True) if d) + 1
    ends = first / length, 1 - 3 / length
    return [(middle[0] + share * right, middle[1] + share * up) for share in ends]


def draw_words(
    picture: Picture,
    figure: Figure,
    panels: Sequence[Axes],
    plan: FigurePlan,
    paint: Palette,
    *,
    left: float,
) -> None:
    """Write every word of the figure but the tick labels; `left` is the room next to the axes."""
    for axes, panel in zip(panels, figure.panels, strict=True):
        if figure.shares_rows:
            _column_title(picture, figure, axes, panel, paint)
        else:
            _titles(picture, figure, axes, panel, plan.columns, paint, left)
        if is_horizontal(figure.drawing, panel):
            for reference in panel.references:
                _reference(axes, reference, paint)
        else:
            write_panel_words(picture, figure, axes, panel, paint)
        if figure.drawing not in ("line", "steps", "scatter"):
            for series in panel.series:
                _draw_point_texts(axes, figure, panel, series, paint)
    if figure.shares_rows:
        _draw_shared_label(picture, figure, panels[0], plan, paint)
    if plan.keys:
        _keys(picture, figure, plan, paint)
    elif canvas.has_direct_labels(figure):
        for axes, panel in zip(panels, figure.panels, strict=True):
            _draw_direct_labels(picture, axes, figure, panel, paint)


def _titles(
    picture: Picture,
    figure: Figure,
    axes: Axes,
    panel: Panel,
    columns: int,
    paint: Palette,
    left: float,
) -> None:
    box = axes.get_position().width * picture.get_figwidth() * INCH
    soft = TextLooks(colour=paint.colour("soft"))
    above = canvas.count_unit_lines(figure, columns)
    lines = _break_label(panel.y.label, box + left, above)
    for line, text in enumerate(lines, 1):
        _write(axes, text, soft, (0, 1), (-left, 8 + (len(lines) - line) * LINE))
    title = canvas.shorten_to_width(panel.title, box + left, fonts.STRONG)
    looks = TextLooks(colour=paint.colour("ink"), weight=fonts.STRONG)
    _write(axes, title, looks, (0, 1), (-left, 8 + above * LINE))
    most = canvas.count_label_lines(figure, "x", columns)
    lines = _break_label(panel.x.label, box + left, most)
    is_wide = max(map(fonts.text_width, lines)) > box
    looks = replace(soft, ha="right" if is_wide else "center")
    below = ticks.tick_label_height(axes, panel, box) + 4
    for line, text in enumerate(lines, 1):
        at = (4 if is_wide else 0, -below - line * LINE)
        _write(axes, text, looks, (1 if is_wide else 0.5, 0), at)


def _break_label(text: str, width: float, most: int) -> list[str]:
    """Break a label into the lines that it has room for, one or two."""
    if most > 1:
        return canvas.break_into_lines(text, width)
    return [canvas.shorten_to_width(text, width, fonts.REGULAR)]


def _column_title(
    picture: Picture, figure: Figure, axes: Axes, panel: Panel, paint: Palette
) -> None:
    """Draw a title over a narrow column, in two lines where one is too short."""
    width = axes.get_position().width * picture.get_figwidth() * INCH + 2
    unit_lines = any(canvas.has_unit_line(figure, each) for each in figure.panels)
    looks = TextLooks(colour=paint.colour("ink"), weight=fonts.STRONG)
    lines = canvas.break_into_lines(panel.title, width, fonts.STRONG)
    for line, text in enumerate(reversed(lines), int(unit_lines)):
        _write(axes, text, looks, (0, 1), (0, 8 + line * LINE))


def _write(
    axes: Axes,
    text: str,
    looks: TextLooks,
    at: tuple[float, float],
    offset: tuple[float, float],
    transform: Transform | None = None,
    zorder: float = 3,
) -> None:
    """Write a text at so many points from a place, by default given as shares of the axes."""
    made = PlainText(text, looks, at, transform or axes.transAxes, offset=offset, zorder=zorder)
    axes.add_artist(made)


def _draw_shared_label(
    picture: Picture, figure: Figure, axes: Axes, plan: FigurePlan, paint: Palette
) -> None:
    """Draw the label of x once for all panels, in the middle below them."""
    place = axes.get_position()
    text = canvas.shorten_to_width(figure.panels[0].x.label, plan.width * INCH, fonts.REGULAR)
    wide = fonts.text_width(text) / (plan.width * INCH)
    middle = max((place.x0 + 1.0) / 2, wide / 2)
    at = min(middle, 1 - wide / 2) * plan.width * INCH, 4.0
    looks = TextLooks(colour=paint.colour("soft"), ha="center")
    picture.add_artist(PlainText(text, looks, at, canvas.make_paper_transform(picture)))


def _reference(axes: Axes, reference: Reference, paint: Palette) -> None:
    """Name a line above the rows of a drawing that lies on its side, where none is in the way."""
    for value in reference.x if reference.label else ():
        _write_above(
            axes, shorten(reference.label, 48), (value, 1), paint, axes.get_xaxis_transform()
        )


def _write_above(
    axes: Axes, text: str, place: tuple[float, float], paint: Palette, transform: Transform
) -> None:
    """Write a text just above a place, with the page's colour around it."""
    looks = TextLooks(colour=paint.colour("soft"), ha="center", has_halo=True)
    _write(axes, text, looks, place, (0, 4), transform, zorder=5)


def _draw_point_texts(
    axes: Axes, figure: Figure, panel: Panel, series: Series, paint: Palette
) -> None:
    """Draw the text at each point: in its cell, at the end of its row, above its bar."""
    lies = is_horizontal(figure.drawing, panel)
    size = (
        marks.cell_font_size(figure, marks.cell_width(axes)) if figure.drawing == "matrix" else 0.0
    )
    for x, y, text in zip(series.x, series.y, series.texts, strict=False):
        if x is None or y is None or not text:
            continue
        if figure.drawing == "matrix":
            if size:
                looks = TextLooks(colour=paint.colour("ink"), ha="center", va="letters", size=size)
                _write(axes, text, looks, (x, y), (0, 0), axes.transData, zorder=5)
        elif lies:
            looks = TextLooks(colour=paint.colour("soft"), va="letters")
            _write(axes, text, looks, (1, y), (6, 0), axes.get_yaxis_transform())
        else:
            _write_above(axes, text, (x, y), paint, axes.transData)


def _draw_direct_labels(
    picture: Picture, axes: Axes, figure: Figure, panel: Panel, paint: Palette
) -> None:
    """Names at the right, each as near as may be to the end of its line, with its dash."""
    edge = axes.get_xlim()[1]
    series = [s for s in panel.series if s.label and _find_visible_end(s, edge) is not None]
    place = axes.get_position()
    height = picture.get_figheight() * INCH
    low, high = place.y0 * height, place.y1 * height
    ends = [
        float(axes.transData.transform(_find_visible_end(s, edge) or (0, 0))[1]) for s in series
    ]
    ends = [min(max(end, low), high) for end in _separate_equal_ends(series, ends)]
    for s, at in zip(
        series, geometry.spread_labels(ends, LINE - 1, low + 3, high - 3), strict=True
    ):
        left = place.x1 * picture.get_figwidth() * INCH + 8
        _key(picture, figure, s, (left, at), paint)
        _draw_note(picture, s, (left + canvas.KEY, at), paint)
    if panel.end_title and series:
        _write(axes, panel.end_title, TextLooks(colour=paint.colour("soft")), (1, 1), (8, 8))


def _draw_note(picture: Picture, series: Series, at: tuple[float, float], paint: Palette) -> None:
    """Draw the note of a series after its name."""
    if not series.note:
        return
    x = at[0] + canvas.measure_line_name(series) - fonts.text_width(series.note)
    looks = TextLooks(colour=paint.colour("ink"), va="letters")
    on_paper = canvas.make_paper_transform(picture)
    picture.add_artist(PlainText(series.note, looks, (x, at[1]), on_paper))


def _find_visible_end(series: Series, edge: float) -> tuple[float, float] | None:
    """Find the last visible point of a line: where it leaves the axes, if it goes on."""
    known = [
        (x, y)
        for x, y in zip(series.x, series.y, strict=True)
        if x is not None and y is not None and isfinite(x) and isfinite(y)
    ]
    inside = [point for point in known if point[0] <= edge]
    if not inside or len(inside) == len(known):
        return inside[-1] if inside else None
    (x0, y0), (x1, y1) = inside[-1], known[len(inside)]
    return edge, y0 + (y1 - y0) * (edge - x0) / (x1 - x0)


def _separate_equal_ends(series: Sequence[Series], ends: Sequence[float]) -> list[float]:
    """Separate ends that coincide by which line runs higher on the whole."""
    heights = [float(np.nanmean(geometry.make_float_array(s.y))) for s in series]
    order = {i: rank for rank, i in enumerate(sorted(range(len(series)), key=heights.__getitem__))}
    return [end + 1e-3 * order[i] for i, end in enumerate(ends)]


def _keys(picture: Picture, figure: Figure, plan: FigurePlan, paint: Palette) -> None:
    """One key a name in rows above the panels."""
    series = {
        canvas.legend_label(figure, s): s
        for panel in reversed(figure.panels)
        for s in reversed(panel.series)
    }
    for row, names in enumerate(plan.keys):
        x, y = 1.0, plan.height * INCH - LINE * (row + 0.5)
        for name in names:
            _key(picture, figure, replace(series[name], label=name), (x, y), paint)
            text = shorten(name, canvas.LONGEST_LABEL)
            x += canvas.KEY + fonts.text_width(text, weight=fonts.STRONG) + canvas.KEY_GAP


def _key(
    picture: Picture, figure: Figure, series: Series, at: tuple[float, float], paint: Palette
) -> None:
    """Draw a short sample of the mark and its name, in the colour of the role."""
    (x, y), colour = at, paint.colour(series.role)
    on_paper = canvas.make_paper_transform(picture)
    is_filled = figure.drawing in ("bars", "scatter", "spans")
    has_marker = series.has_markers or figure.drawing == "forest"
    sample = Line2D(
        [x, x + 10, x + 20],
        [y, y, y],
        color=colour,
        linewidth=7 if is_filled else paint.width(series.role, series.is_thin),
        linestyle="-" if is_filled else paint.dash(series.role),
        solid_capstyle="butt",
        marker=paint.marker(series.role) if has_marker else "",
        markevery=[1],
        markersize=4.2,
        markeredgewidth=0,
        transform=on_paper,
        alpha=stretch_opacity(series.role) if figure.drawing == "spans" else None,
    )
    picture.add_artist(sample)
    text = shorten(series.label, canvas.LONGEST_LABEL)
    looks = TextLooks(colour=paint.text_colour(series.role), va="letters", weight=fonts.STRONG)
    picture.add_artist(PlainText(text, looks, (x + canvas.KEY, y), on_paper))


MARK = 3.5  # half the width of a mark
HEIGHT = 9.0
RINGS = ((0.0, 0.0), (13.0, 26.0), (26.0, 34.0), (42.0, 46.0))  # how much further out; its price
SHARES = (0.5, 0.62, 0.38, 0.74, 0.26, 0.86, 0.14, 0.94, 0.06)  # along the visible line
ROWS = 6  # under each other, next to an upright line
_STEP = 2.0  # between the points that stand for a line
_AROUND = np.array([-4.0, -4.0, 4.0, 4.0])  # a line in here might be taken for the one named
_ON_A_LINE, _NEAR_A_LINE, _ON_A_WORD, _OUTSIDE = 3.0, 0.5, 10.0, 40.0  # a point, or a square point
_THROUGH_A_WORD = 20.0  # a point of the line that leads to another word
_NOBODY = -1  # whose line it is, where it only leads to a word

Points = NDArray[np.float64]


@record
class WordPlace:
    """Start of a word: its left end on its base line; what it names; and what that costs.

    `is_led` says that a line has to lead to what is named.
    """

    x: float
    y: float
    is_led: bool = False
    at: tuple[float, float] = (0.0, 0.0)
    price: float = 0.0


@record
class PlaceableWord:
    """A word of some width and the places where it may stand, all in points of 1/72 inch.

    `own` is the number of the line that it names; none if it names no line.
    """

    width: float
    spots: tuple[WordPlace, ...]
    own: int | None = None


@record
class Rectangle:
    """A rectangle."""

    left: float
    low: float
    right: float
    high: float

    def overlap(self, other: Rectangle) -> float:
        """Compute the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.high, other.high) - max(self.low, other.low)
        return max(width, 0.0) * max(height, 0.0)


def make_point_word(x: float, y: float, width: float) -> PlaceableWord:
    """Make a word for a point: above, right, left, below and between, then further out."""
    return PlaceableWord(width, tuple(_iter_ring_places(x, y, width, RINGS)))


def make_line_word(line: Points, width: float, within: Rectangle, own: int) -> PlaceableWord:
    """Make a word for a line (k, 2): on either side of it, anywhere on the part that is inside."""
    inside, _ = _list_dots([line], within)
    spots = []
    for order, share in enumerate(SHARES if len(inside) else ()):
        x, y = inside[round(share * (len(inside) - 1))]
        for ring, price in RINGS[:3]:
            for place in _iter_corners(float(x), float(y), width, ring):
                spots.append(WordPlace(*place, ring > 0, (float(x), float(y)), price + order))
    return PlaceableWord(width, tuple(spots), own)


def make_vertical_line_word(x: float, width: float, within: Rectangle, own: int) -> PlaceableWord:
    """Make a word for an upright line: on top on the roomier side, then the other, then lower.

    Where other lines stand on both sides of it, past those, with a line to it.
    """
    is_right = (x - within.left) / (within.right - within.left or 1) < 0.7
    spots = []
    for row in range(ROWS):
        base = within.high - 8 - 12 * row
        for far, price in ((4.0, 0.0), *((4 + ring, price) for ring, price in RINGS[1:])):
            sides = (x + far, x - far - width) if is_right else (x - far - width, x + far)
            for side, left in enumerate(sides):
                at = (x, base + HEIGHT / 3)
                spots.append(WordPlace(left, base, far > 4, at, price + 6 * row + 4 * side))
    return PlaceableWord(width, tuple(spots), own)


def make_horizontal_line_word(y: float, width: float, within: Rectangle, own: int) -> PlaceableWord:
    """Make a word for a line across: above it or below, at its left end, its right end, between.

    Where curves run along it, further off with a line to it.
    """
    room = within.right - within.left - 12 - width
    spots = []
    for ring, price in RINGS:
        for order, share in enumerate((0.0, 1.0, 0.5, 0.25, 0.75)):
            left = within.left + 6 + share * room
            at = (left + width / 2, y)
            for side, up in enumerate((y + 4 + ring, y - 10 - ring)):
                spots.append(WordPlace(left, up, ring > 0, at, price + 3 * order + 2 * side))
    return PlaceableWord(width, tuple(spots), own)


def place_words(
    words: Sequence[PlaceableWord],
    marks: Sequence[tuple[float, float]],
    within: Rectangle,
    lines: Sequence[Points] = (),
) -> list[WordPlace]:
    """Find a place for each word, the first ones first: near what it names if that is free.

    >>> inside = Rectangle(0, 0, 200, 100)
    >>> first, second = place_words([make_point_word(50, 50, 40), make_point_word(55, 50, 40)], [(
    ...     50, 50), (55, 50)],
    ...                        inside)
    >>> _build_word_box(first, 40).overlap(_build_word_box(second, 40))
    0.0
    """
    taken = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in marks]
    dots, owner = _list_dots(lines, within)
    found = []
    for word in words:
        boxes = np.array([_compute_corners(place, word.width) for place in word.spots])
        price = np.array([place.price for place in word.spots], dtype=float)
        price += _OUTSIDE * _compute_outside_areas(
            boxes, within
        ) + _ON_A_WORD * _compute_covered_areas(boxes, taken)
        price += _ON_A_LINE * _compute_crossed_lengths(boxes, dots)
        others = dots if word.own is None else dots[owner != word.own]
        price += _NEAR_A_LINE * _compute_crossed_lengths(boxes + _AROUND, others)
        best, lead = _choose_spot(word, boxes, price, taken)
        taken.append(tuple(boxes[best]))
        dots = np.concatenate([dots, lead])
        owner = np.concatenate([owner, np.full(len(lead), _NOBODY)])
        found.append(word.spots[best])
    return found


def _choose_spot(
    word: PlaceableWord, boxes: Points, price: Points, taken: Sequence[tuple[float, ...]]
) -> tuple[int, Points]:
    """Choose the cheapest spot, the first of several, and the line that leads there.

    A line through other words only raises a price, so lines to more expensive places are not
    computed.
    """
    best, least, lead = 0, inf, np.zeros((0, 2))
    for k in np.argsort(price, kind="stable").tolist():
        if np.round(price[k], 6) > least:
            break
        points = _build_leader_points(word.spots[k], boxes[k])
        total = np.round(price[k] + _THROUGH_A_WORD * _compute_taken_length(points, taken), 6)
        if (total, k) < (least, best):
            best, least, lead = k, total, points
    return best, lead


def _build_leader_points(place: WordPlace, box: Points) -> Points:
    """Points on the line from what is named to the word, if a line has to lead there."""
    if not place.is_led:
        return np.zeros((0, 2))
    start = np.array(place.at)
    end = np.clip(start, box[:2], box[2:])
    count = int(np.hypot(*(end - start)) / _STEP) + 1
    return np.asarray(start + np.linspace(0, 1, count)[:, None] * (end - start))


def _compute_taken_length(dots: Points, taken: Sequence[tuple[float, ...]]) -> float:
    """Compute the length of a line that runs through what is taken."""
    if not taken or not len(dots):
        return 0.0
    return float(_compute_crossed_lengths(np.array(taken, dtype=float), dots).sum())


def _iter_ring_places(
    x: float, y: float, width: float, rings: Sequence[tuple[float, float]]
) -> Iterator[WordPlace]:
    for ring, price in rings:
        for order, step in enumerate((2, 0, 4, 6, 1, 3, 7, 5)):
            right, up = cos(step * pi / 4), sin(step * pi / 4)
            left = x + right * (5 + ring) - width * (1 - right) / 2
            base = y + up * (5 + HEIGHT / 2 + ring) - HEIGHT / 2 + 1
            yield WordPlace(left, base, ring > 0, (x, y), price + order / 10)


def _iter_corners(x: float, y: float, width: float, ring: float) -> Iterator[tuple[float, float]]:
    """With a corner, or the middle of a long side, at a point of a line."""
    for base in (y + 4 + ring, y - HEIGHT - 1 - ring):
        for left in (x - width / 2, x + 2 + ring / 2, x - width - 2 - ring / 2):
            yield left, base


def _compute_outside_areas(boxes: Points, within: Rectangle) -> Points:
    width = np.minimum(boxes[:, 2], within.right) - np.maximum(boxes[:, 0], within.left)
    height = np.minimum(boxes[:, 3], within.high) - np.maximum(boxes[:, 1], within.low)
    whole = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return np.asarray(whole - np.maximum(width, 0.0) * np.maximum(height, 0.0))


def _compute_covered_areas(boxes: Points, taken: Sequence[tuple[float, ...]]) -> Points:
    """Compute the area of each box that lies on what is there."""
    others = np.array(taken, dtype=float).reshape(-1, 4)
    width = np.minimum(boxes[:, None, 2], others[:, 2]) - np.maximum(
        boxes[:, None, 0], others[:, 0]
    )
    height = np.minimum(boxes[:, None, 3], others[:, 3]) - np.maximum(
        boxes[:, None, 1], others[:, 1]
    )
    return np.asarray((np.maximum(width, 0.0) * np.maximum(height, 0.0)).sum(axis=1))


def _compute_crossed_lengths(boxes: Points, dots: Points) -> Points:
    """Compute the length of lines in each box."""
    x, y = dots[:, 0], dots[:, 1]
    across = (x > boxes[:, :1]) & (x < boxes[:, 2:3])
    inside = across & (y > boxes[:, 1:2]) & (y < boxes[:, 3:4])
    return np.asarray(_STEP * inside.sum(axis=1))


def _list_dots(lines: Sequence[Points], within: Rectangle) -> tuple[Points, NDArray[np.intp]]:
    """Points on the lines, `_STEP` apart, as far as they are inside, and of which line each is."""
    starts = np.concatenate([np.zeros((0, 2)), *(line[:-1] for line in lines)])
    ends = np.concatenate([np.zeros((0, 2)), *(line[1:] for line in lines)])
    owner = np.repeat(np.arange(len(lines)), [max(len(line) - 1, 0) for line in lines])
    way = ends - starts
    low, high = np.array([within.left, within.low]), np.array([within.right, within.high])
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low, to_high = (low - starts) / way, (high - starts) / way
    is_still, is_in = way == 0, (starts >= low) & (starts <= high)
    first = np.where(is_still, np.where(is_in, 0.0, 2.0), np.minimum(to_low, to_high))
    last = np.where(is_still, np.where(is_in, 1.0, -1.0), np.maximum(to_low, to_high))
    begin, end = np.maximum(first.max(axis=1), 0.0), np.minimum(last.min(axis=1), 1.0)
    seen = np.flatnonzero(end >= begin)
    length = np.hypot(way[seen, 0], way[seen, 1]) * (end - begin)[seen]
    count = np.ceil(length / _STEP).astype(int) + 1
    which = np.repeat(seen, count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    share = begin[which] + (end - begin)[which] * step / np.repeat(np.maximum(count - 1, 1), count)
    return starts[which] + way[which] * share[:, None], owner[which]


def _compute_corners(place: WordPlace, width: float) -> tuple[float, float, float, float]:
    box = _build_word_box(place, width)
    return box.left, box.low, box.right, box.high


def _build_word_box(place: WordPlace, width: float) -> Rectangle:
    return Rectangle(place.x - 1, place.y - 2, place.x + width + 1, place.y + HEIGHT - 2)
