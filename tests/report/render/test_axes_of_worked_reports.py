"""Every numeric axis of the worked reports has three to six ticks that can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from reportgen.report import axis_places
from reportgen.report.document import Axis, Figure, Forest, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.render import fonts, plain
from reportgen.report.render.draw import SETTINGS, canvas, list_font_families, register_fonts, ticks
from reportgen.report.render.draw.marks import Palette
from reportgen.report.render.theme import LIGHT
from tests.worked import CONFIGS, results_of

POINTS = 72 / 100  # of a pixel of matplotlib's own resolution


def draw_axes(figure: Figure) -> Iterator[tuple[str, Axis, Axes]]:
    """Yield each numeric axis of a figure after its panels are in place."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**SETTINGS, "font.family": list_font_families(None)})
        register_fonts(None)
        plan, paint = canvas.plan_figure(figure), Palette(LIGHT, 5e-4)
        picture = Picture(figsize=(plan.width, plan.height))
        panels = [canvas.make_axes(picture, figure, panel, paint) for panel in figure.panels]
        canvas.arrange_panels(picture, figure, panels, plan, paint)
        for axes, panel in zip(panels, figure.panels, strict=True):
            for name, axis in (("x", panel.x), ("y", panel.y)):
                if not axis.ticks:
                    yield name, axis, axes


def find_fault(name: ticks.Name, axes: Axes) -> str | None:
    """Find what is wrong with the ticks of an axis."""
    found = ticks.list_visible_ticks(axes, name)
    if not 3 <= len([text for _, text in found if text]) <= 6:
        return f"{len(found)} ticks"
    low, high = sorted((axes.xaxis if name == "x" else axes.yaxis).get_view_interval())
    if low <= 0 <= high and "0" not in {text.strip("%$€") for _, text in found}:
        return "no zero"
    is_x = name == "x"
    spans = []
    for place, text in found:
        middle = POINTS * axes.transData.transform((place, 0) if is_x else (0, place))[1 - is_x]
        half = (fonts.text_width(text) if is_x else ticks.SIZE) / 2
        spans.append((middle - half, middle + half))
    is_printed_over = any(one[1] > two[0] for one, two in pairwise(sorted(spans)))
    return "texts on one another" if is_printed_over else None


@pytest.mark.parametrize("name", CONFIGS)
def test_every_axis_has_three_to_six_ticks_that_can_be_read(name):
    blocks = [b for s in build_document(results_of(name)).sections for b in iter_unfolded(s.blocks)]
    for figure in (block for block in blocks if isinstance(block, Figure)):
        for side, axis, axes in draw_axes(figure):
            fault = find_fault(side, axes)
            assert fault is None, (figure.id, side, axis.scale, fault)
    # The rows of a forest with one tick differ in their units.
    forests = (block for block in blocks if isinstance(block, Forest) and len(block.ticks) > 1)
    for forest in forests:
        svg = plain.render_forest_axis(forest, LIGHT)
        texts = re.findall(r"<text[^>]*>([^<]*)<", svg)
        assert 3 <= len(texts) <= 6 and "0" in texts, texts
        assert all(text == "0" or text[0] in "+−" for text in texts)
        decimals = [text.partition(".")[2] for text in texts if "$" not in text and "." in text]
        assert not decimals or not all(text.endswith("0") for text in decimals), texts


SPANS = st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))


@given(SPANS, st.integers(4, 6))
def test_linear_ticks_are_three_to_six_and_zero_if_it_is_inside(span, most):
    low, length = span
    places = axis_places.find_linear_places(low, low + length, most)
    assert 3 <= len(places) <= 6
    assert not low <= 0 <= low + length or 0 in places


@given(st.floats(-6, 6), st.floats(0.01, 12), st.integers(4, 6))
def test_logarithmic_ticks_are_three_to_six(power, length, most):
    places = axis_places.find_log_places(10**power, 10 ** (power + length), most)
    assert 3 <= len(places) <= 6


@given(st.floats(0.1, 1e5), st.floats(0.1, 1e5), st.floats(0.01, 100), st.integers(4, 6))
def test_ticks_on_both_sides_of_zero_are_three_to_six_with_zero(below, above, threshold, most):
    places = axis_places.find_symlog_places(-below, above, threshold, most)
    assert 3 <= len(places) <= 6 and 0 in places
