"""Axes of a figure: sizes, limits, margins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, nan
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox, BboxTransformFrom, Transform

from reportgen.records import record
from reportgen.report.document import Figure, Panel, Reference, Series
from reportgen.report.render import fonts
from reportgen.report.render.draw import geometry, marks, ticks
from reportgen.report.render.draw.marks import Palette, draw_marks, is_horizontal
from reportgen.report.render.draw.ticks import LINE
from reportgen.text import shorten

INCH = 72.0
WIDTHS = {"full": 7.4, "half": 3.6}
TALLEST = 8.4
SQUARE = 235.0  # points, at most a side of axes that are equal
LONGEST_ROW, LONGEST_ONLY_ROW, LONGEST_LABEL = 34, 52, 30
KEY, KEY_GAP, NOTE_GAP = 26.0, 14.0, 5.0
COLUMN_GAP = marks.GAP


@record
class FigurePlan:
    """Size in inches, the grid of panels, and the rows of keys above them, each of names."""

    width: float
    height: float
    columns: int
    rows: int
    panel_height: float
    keys: tuple[tuple[str, ...], ...]

    @property
    def keys_height(self) -> float:
        """Room for the keys, in points."""
        return LINE * len(self.keys) + 6 if self.keys else 0.0


def make_paper_transform(picture: Picture) -> Transform:
    """Return the transform from points on the paper to pixels; it moves with a PNG's margin."""
    width, height = picture.get_size_inches() * INCH
    return BboxTransformFrom(Bbox.from_extents(0, 0, width, height)) + picture.transFigure


def plan_figure(figure: Figure) -> FigurePlan:
    """Compute the size that the figure needs."""
    count = len(figure.panels)
    columns = min(count, 2 if figure.width == "half" or count in (2, 4) else 3)
    if is_horizontal(figure.drawing, figure.panels[0]):
        columns = min(count, 2 if figure.width == "full" else 1)  # row names need room
    if figure.shares_rows:
        columns = min(count, 4 if figure.width == "full" else 1)
    if figure.drawing == "matrix":
        columns = marks.count_panel_columns(figure, columns, WIDTHS[figure.width] * INCH - 8)
    if figure.is_stacked:
        columns = 1
    rows = ceil(count / columns)
    panel_height = max(_panel_height(figure, panel, columns) for panel in figure.panels)
    is_for_phones = figure.width == "half" and is_horizontal(figure.drawing, figure.panels[0])
    if not (is_for_phones and rows > 1):  # there names of rows need more room than a page has
        panel_height = min(panel_height, (TALLEST * INCH - 60) / rows)
    width = WIDTHS[figure.width]
    keys = _key_rows(figure, width * INCH) if _needs_keys(figure) else ()
    made = FigurePlan(width, 0.0, columns, rows, panel_height, keys)
    return replace(made, height=(rows * panel_height + made.keys_height) / INCH)


def make_axes(picture: Picture, figure: Figure, panel: Panel, paint: Palette) -> Axes:
    """Make a panel's axes with everything drawn, limits and ticks set; they are placed later."""
    axes = ticks.BareAxes(picture, (0.1, 0.1, 0.8, 0.8), label=str(len(picture.axes)))
    picture.add_axes(axes)
    _style_axes(axes, figure, panel)
    for strip in panel.strips:
        shade = axes.axvspan if strip.axis == "x" else axes.axhspan
        shade(strip.low, strip.high, color=paint.colour("soft"), alpha=0.13, linewidth=0, zorder=1)
    lies = is_horizontal(figure.drawing, panel)
    of_x, of_y = found = ticks.find_zero_strips(figure, panel, lies)
    draw_marks(figure.drawing, axes, ticks.shift_zeros(panel, found, lies), paint)
    looks: dict[str, Any] = {"color": paint.colour("reference"), "linewidth": 0.7, "zorder": 1}
    if of_x is not None:
        axes.axvline(of_x.end, **looks)
    if of_y is not None:
        axes.axhline(of_y.end, **looks)
    for reference in panel.references:
        _draw_reference(axes, reference, paint)
    _draw_edges(axes, figure, panel, paint)
    _set_limits(axes, figure, panel)
    return axes


def arrange_panels(
    picture: Picture, figure: Figure, panels: Sequence[Axes], plan: FigurePlan, paint: Palette
) -> float:
    """Give every panel its place, once it is known how wide the text around it is, and its ticks.

    Returns how far the cell of a panel reaches left of its axes.
    """
    if figure.shares_axes or figure.has_equal_axes:
        _share_limits(figure, panels)
    for axes, panel in zip(panels, figure.panels, strict=True):
        if panel.x.is_reversed:
            axes.xaxis.set_inverted(True)
        if panel.y.is_reversed:
            axes.yaxis.set_inverted(True)
        _place_panel_ticks(axes, figure, panel, plan)
    if figure.shares_rows:
        return _arrange_columns(figure, panels, plan, paint)
    pairs = list(zip(panels, figure.panels, strict=True))
    cell = plan.width * INCH / plan.columns
    left = max(_row_names_width(axes) for axes in panels) + 10
    left = max(left, *(_compute_slant_reach(axes, panel, cell - left) for axes, panel in pairs))
    right = _right_margin(figure)
    top = LINE * _count_lines_above(figure, plan.columns) + 7
    below = count_label_lines(figure, "x", plan.columns)
    bottom = max(
        ticks.tick_label_height(axes, panel, cell - left - right)
        + 6
        + (LINE * below + 3 if panel.x.label else 0)
        for axes, panel in zip(panels, figure.panels, strict=True)
    )
    height = plan.height * INCH
    for k, axes in enumerate(panels):
        row, column = divmod(k, plan.columns)
        box_width = cell - left - right
        box_height = plan.panel_height - top - bottom
        x0 = column * cell + left
        y1 = height - plan.keys_height - row * plan.panel_height - top
        if figure.has_equal_axes:
            box_width = box_height = min(box_width, box_height)
        axes.set_position(
            (
                x0 / (plan.width * INCH),
                (y1 - box_height) / height,
                box_width / (plan.width * INCH),
                box_height / height,
            )
        )
        ticks.draw_ticks(axes, figure, figure.panels[k], paint, cell - left - right)
    return left


def _arrange_columns(
    figure: Figure, panels: Sequence[Axes], plan: FigurePlan, paint: Palette
) -> float:
    """Panels of the same rows next to one another, the names of the rows at the left alone."""
    width, height = plan.width * INCH, plan.height * INCH
    left = max(_row_names_width(axes) for axes in panels) + 8
    is_matrix = figure.drawing == "matrix"  # its texts are in its cells
    right = COLUMN_GAP if is_matrix else max(_texts_width(figure) + 8, COLUMN_GAP)
    box_width = (width - left) / plan.columns - right
    top = LINE * _count_lines_above(figure, plan.columns) + 7
    bottom = max(
        ticks.tick_label_height(axes, panel, box_width) + 6
        for axes, panel in zip(panels, figure.panels, strict=True)
    )
    bottom += LINE + 3
    for k, axes in enumerate(panels):
        row, column = divmod(k, plan.columns)
        x0 = left + column * (box_width + right)
        y1 = height - plan.keys_height - row * plan.panel_height - top
        box_height = plan.panel_height - top - bottom
        axes.set_position(
            (x0 / width, (y1 - box_height) / height, box_width / width, box_height / height)
        )
        ticks.draw_ticks(axes, figure, figure.panels[k], paint, box_width, names_rows=column == 0)
    return left


def _texts_width(figure: Figure) -> float:
    """Compute the width of the widest text at the end of a row."""
    texts = [text for panel in figure.panels for s in panel.series for text in s.texts]
    return max((fonts.text_width(text) + 6 for text in texts), default=0.0)


def has_direct_labels(figure: Figure) -> bool:
    """Tell whether names stand next to their lines: there is room in one wide panel only."""
    is_line = figure.drawing in ("line", "steps")
    is_below = len(figure.panels) == 1 or figure.is_stacked
    return is_line and is_below and figure.width == "full"


def measure_line_name(series: Series) -> float:
    """Compute the width of a name at the end of a line, with its note."""
    note = fonts.text_width(series.note) + NOTE_GAP if series.note else 0.0
    return fonts.text_width(shorten(series.label, LONGEST_LABEL), weight=fonts.STRONG) + note


def _panel_height(figure: Figure, panel: Panel, columns: int) -> float:
    below = count_label_lines(figure, "x", columns) if panel.x.label else 0
    around = LINE * (_count_lines_above(figure, columns) + below) + 29
    if is_horizontal(figure.drawing, panel):
        rows = max(len(panel.y.ticks), 1)
        groups = max(Counter(y for s in panel.series for y in s.y).values(), default=1)
        each = 26.0 if figure.drawing == "matrix" else 15.0 + 7.0 * groups
        each = 15.5 if figure.drawing == "dumbbell" else each
        each = 26.0 if figure.drawing == "spans" else each
        each = min(each, max(11.0, 560.0 / rows))
        return rows * each + around + (30 if figure.drawing == "matrix" else 0)
    if figure.has_equal_axes:
        cell = WIDTHS[figure.width] * INCH / columns
        return min(cell - 50, SQUARE) + around
    if figure.is_stacked:
        names = sum(bool(series.label) for series in panel.series)
        return max(125.0, names * (LINE - 1)) + around
    if columns == 1:
        return (175.0 if figure.width == "full" else 145.0) + around
    return 115.0 + around


def _key_rows(figure: Figure, width: float) -> tuple[tuple[str, ...], ...]:
    """Split the names of all series into as many rows as they need."""
    named = [series for panel in figure.panels for series in panel.series if series.label]
    names = [s.label for s in named if s.role != "other"]
    names += [legend_label(figure, s) for s in named if s.role == "other"]
    rows: list[list[str]] = [[]]
    used = 0.0
    for name in dict.fromkeys(names):
        wanted = KEY + fonts.text_width(shorten(name, LONGEST_LABEL), weight=fonts.STRONG) + KEY_GAP
        if used and used + wanted - KEY_GAP > width:
            rows.append([])
            used = 0.0
        rows[-1].append(name)
        used += wanted
    return tuple(map(tuple, rows))


def legend_label(figure: Figure, series: Series) -> str:
    """Return the legend label of a series: its name, or that of all pale series together."""
    return figure.others if series.role == "other" and figure.others else series.label


def _count_lines_above(figure: Figure, columns: int) -> int:
    titles = any(panel.title for panel in figure.panels)
    units = count_unit_lines(figure, columns)
    return int(titles) + units + int(figure.shares_rows and _breaks_titles(figure))


def count_unit_lines(figure: Figure, columns: int) -> int:
    """Return how many lines stand right above the axes: the label of y, or a line's name."""
    if not any(has_unit_line(figure, panel) for panel in figure.panels):
        return 0
    return 1 if figure.shares_rows else count_label_lines(figure, "y", columns)


def count_label_lines(figure: Figure, axis: Literal["x", "y"], columns: int) -> int:
    """Return how many lines the longest label of an axis needs in so many columns of panels."""
    width = WIDTHS[figure.width] * INCH / columns - _right_margin(figure)
    width = min(width, SQUARE) if figure.has_equal_axes else width
    texts = [panel.x.label if axis == "x" else panel.y.label for panel in figure.panels]
    return 1 if figure.shares_rows else max(len(break_into_lines(text, width)) for text in texts)


def break_into_lines(text: str, width: float, weight: str = fonts.REGULAR) -> list[str]:
    """Break the text into at most two lines between words; the second is shortened to fit."""
    if fonts.text_width(text, weight=weight) <= width:
        return [text]
    words = text.split(" ")
    fits = [
        k
        for k in range(1, len(words))
        if fonts.text_width(" ".join(words[:k]), weight=weight) <= width
    ]
    if not fits:
        return [shorten_to_width(text, width, weight)]
    first, rest = " ".join(words[: fits[-1]]), " ".join(words[fits[-1] :])
    return [first, shorten_to_width(rest, width, weight)]


def shorten_to_width(text: str, width: float, weight: str) -> str:
    """Shorten the text until it is no wider than `width` points."""
    longest = min(len(text), fonts.LONGEST_LABEL)
    while longest > 8 and fonts.text_width(shorten(text, longest), weight=weight) > width:
        longest -= 2
    return shorten(text, longest)


def _breaks_titles(figure: Figure) -> bool:
    """Return whether a title over a column may need a second line."""
    columns = min(len(figure.panels), 4 if figure.width == "full" else 1)
    room = 0.6 * WIDTHS[figure.width] * INCH / columns
    return any(fonts.text_width(p.title, weight=fonts.STRONG) > room for p in figure.panels)


def has_unit_line(figure: Figure, panel: Panel) -> bool:
    """Return whether something stands right above the axes: the y axis's label or a line's name."""
    has_name = any(reference.x and reference.label for reference in panel.references)
    return bool(panel.y.label and not figure.shares_rows) or (
        is_horizontal(figure.drawing, panel) and has_name
    )


def _needs_keys(figure: Figure) -> bool:
    labels = {series.label for panel in figure.panels for series in panel.series if series.label}
    if has_direct_labels(figure):
        return False
    said = {text for panel in figure.panels for _, text in panel.y.ticks}
    said |= {panel.title for panel in figure.panels}
    return len(labels) > 1 and figure.drawing not in ("matrix", "dumbbell") and not labels <= said


def _style_axes(axes: Axes, figure: Figure, panel: Panel) -> None:
    axes.margins(x=0.02 if figure.drawing in ("line", "steps") else 0.04, y=0.05)
    for name, axis in (("x", panel.x), ("y", panel.y)):
        more = {"linthresh": axis.threshold} if axis.scale == "symlog" else {}
        if axis.scale == "probit":
            both = geometry.compute_probits, geometry.invert_probits
            getattr(axes, f"set_{name}scale")("function", functions=both)
        elif axis.scale != "linear":
            getattr(axes, f"set_{name}scale")(axis.scale, **more)


def _draw_edges(axes: Axes, figure: Figure, panel: Panel, paint: Palette) -> None:
    """Draw the lower edge and, unless names of rows stand there, the left one; cells need none."""
    if figure.drawing == "matrix":
        return
    x, y = [0.0, 1.0], [0.0, 0.0]
    if not is_horizontal(figure.drawing, panel):
        x, y = [0.0, 0.0, nan, *x], [0.0, 1.0, nan, *y]
    looks: dict[str, Any] = {"color": paint.colour("reference"), "linewidth": 0.7, "zorder": 2.5}
    axes.add_artist(Line2D(x, y, transform=axes.transAxes, clip_on=False, **looks))


def _draw_reference(axes: Axes, reference: Reference, paint: Palette) -> None:
    x, y, role = reference.x, reference.y, reference.role
    looks: dict[str, Any] = {
        "color": paint.colour(role or "reference"),
        "linewidth": 1.1 if role else 0.9,
        "linestyle": "-" if role else (0, (3, 2.5)),
        "alpha": 0.75 if role else None,
        "zorder": 2.5,
    }
    if x and y:
        axes.plot(x, y, scalex=False, scaley=False, **looks)
        return
    for value in x:
        axes.axvline(value, **looks)
    for value in y:
        axes.axhline(value, **looks)


def _set_limits(axes: Axes, figure: Figure, panel: Panel) -> None:
    if figure.drawing in ("bars", "histogram"):
        _start_at_zero(axes, is_horizontal(figure.drawing, panel))
    if is_horizontal(figure.drawing, panel):
        rows = [position for position, _ in panel.y.ticks] or [0.0]
        axes.set_ylim(max(rows) + 0.6, min(rows) - 0.6)
    if figure.drawing == "matrix" and panel.x.ticks:
        columns = [position for position, _ in panel.x.ticks]
        axes.set_xlim(min(columns) - 0.5, max(columns) + 0.5)
    if panel.x.low is None or panel.x.low != panel.x.high:  # a model without errors has no reach
        axes.set_xlim(panel.x.low, panel.x.high)
    if not is_horizontal(figure.drawing, panel) and (
        panel.y.low is None or panel.y.low != panel.y.high
    ):
        axes.set_ylim(panel.y.low, panel.y.high)


def _start_at_zero(axes: Axes, lies: bool) -> None:
    low, high = axes.get_xlim() if lies else axes.get_ylim()
    place = axes.set_xlim if lies else axes.set_ylim
    place(min(low, 0.0) if low < 0 else 0.0, high)


def _share_limits(figure: Figure, panels: Sequence[Axes]) -> None:
    """One range for all panels; of values, and of their differences, one each."""
    x_limits = [axes.get_xlim() for axes in panels]
    lies = is_horizontal(figure.drawing, figure.panels[0])
    for axes, panel in zip(panels, figure.panels, strict=True):
        alike = [
            other.get_ylim()
            for other, each in zip(panels, figure.panels, strict=True)
            if each.y.unit == panel.y.unit
        ]
        axes.set_xlim(min(a for a, _ in x_limits), max(b for _, b in x_limits))
        if not lies:
            axes.set_ylim(min(a for a, _ in alike), max(b for _, b in alike))


def _place_panel_ticks(axes: Axes, figure: Figure, panel: Panel, plan: FigurePlan) -> None:
    wide = plan.columns == 1 and figure.width == "full"
    narrow = is_horizontal(figure.drawing, panel) or (plan.columns > 1 and figure.width == "half")
    is_matrix = figure.drawing == "matrix"
    longest = marks.longest_cell_name(figure, "x") if is_matrix else LONGEST_LABEL if wide else 16
    of_x, of_y = ticks.find_zero_strips(figure, panel, is_horizontal(figure.drawing, panel))
    count = 6 if wide else 4 if narrow and not figure.shares_rows else 5
    ticks.place_ticks(axes, "x", panel.x, count, longest, of_x)
    wide = wide or figure.shares_rows
    is_only = figure.drawing == "forest" and len(figure.panels) == 1 and figure.width == "full"
    wide_row = LONGEST_ONLY_ROW if is_only else LONGEST_ROW
    longest = wide_row if wide else 22 if plan.columns == 1 or figure.width == "full" else 10
    longest = marks.longest_cell_name(figure, "y") if is_matrix else longest
    ticks.place_ticks(axes, "y", panel.y, 6 if plan.columns == 1 else 5, longest, of_y)


def _row_names_width(axes: Axes) -> float:
    return max(
        (fonts.text_width(text) for _, text in ticks.list_visible_ticks(axes, "y")), default=0.0
    )


def _right_margin(figure: Figure) -> float:
    if has_direct_labels(figure):
        named = [s for panel in figure.panels for s in panel.series if s.label]
        if named:
            return 36 + max(map(measure_line_name, named))
    texts = [text for panel in figure.panels for s in panel.series for text in s.texts]
    if texts and is_horizontal(figure.drawing, figure.panels[0]) and figure.drawing != "matrix":
        return 14 + max(fonts.text_width(text) for text in texts)
    return 12.0


def _compute_slant_reach(axes: Axes, panel: Panel, width: float) -> float:
    """Compute the reach of slanted tick labels to the left of the axes."""
    if ticks.tick_label_angle(axes, panel, width) != ticks.SLANT:
        return 0.0
    return 0.7 * max(fonts.text_width(text) for _, text in ticks.list_visible_ticks(axes, "x"))
