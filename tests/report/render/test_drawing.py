"""Figures: text stays text, names are never mathematics, nothing is lost on the way."""

import io
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Picture
from matplotlib.image import imread

from reportgen.report.document import Axis, Figure, Panel, Reference, Series
from reportgen.report.render import fonts
from reportgen.report.render.draw import draw_png, geometry
from reportgen.report.render.draw.svg import PlainText, TextLooks
from reportgen.report.render.draw.ticks import BareAxes
from reportgen.report.render.plain import draw_svg, find_missing_characters
from reportgen.report.render.theme import Theme
from tests.report.render import sample_document


def figure(series, drawing="line", **more):
    panels = (Panel("", Axis("x"), Axis("y"), series),)
    return Figure("f", drawing, "Finding", "Caption", "Numbers", panels, **more)


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def line(label="a", role="baseline", y=(1.0, 2.0, 3.0)):
    return Series(label, role, tuple(float(k) for k in range(len(y))), y)


def test_a_name_is_never_read_as_mathematics():
    assert "$x_1$ \\frac{a}" in texts(draw_svg(figure((line("$x_1$ \\frac{a}"),)), Theme()))


def test_every_series_is_named_beside_its_line_without_overlap():
    series = tuple(line(f"model {k}", f"candidate{k}") for k in range(1, 9))
    svg = draw_svg(figure(series), Theme())
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)"[^>]*>model \d', svg))
    assert len(heights) == 8
    assert min(b - a for a, b in pairwise(heights)) >= 9


def test_in_a_png_the_key_of_a_flat_line_is_level_with_it():
    colours = Theme().light_palette
    png = draw_png(figure((line(y=(2.0, 2.0, 2.0)),)), colours, None, 200)
    pixels = imread(io.BytesIO(png))[:, :, :3]
    painted = np.isclose(pixels, to_rgb(colours["baseline"])).all(axis=2)
    columns = np.flatnonzero(painted.any(axis=0))
    parts = np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)
    (drawn, sample) = (part for part in parts if len(part) > 40)  # a letter is narrower
    of_line, of_sample = (np.flatnonzero(painted[:, part[20]]).mean() for part in (drawn, sample))
    assert of_line == pytest.approx(of_sample, abs=1.0)


@pytest.mark.parametrize("has_equal_axes", [False, True])
def test_a_long_label_of_an_axis_has_two_lines_of_its_own(has_equal_axes):
    """It was cut in the middle."""
    names = "bucket of customers, from the lowest scores to the highest", "mean of all errors, EUR"
    x, y = (f"{name} per customer in the year of the test" for name in names)
    title = f"{x} {y} " * 9 + "end"
    panels = (Panel("one", Axis(x), Axis(y), (line(),)),)
    drawn = replace(
        figure(()), width="half", panels=panels, has_equal_axes=has_equal_axes, title=title
    )
    svg = draw_svg(drawn, Theme())
    found = " ".join(texts(svg))
    assert x in found and y in found
    placed = re.findall(r'<text[^>]* x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</text>', svg)
    assert len({at[:2] for at in placed}) == len(placed)
    assert f">{title}</title>" in svg


def test_a_missing_value_breaks_the_line():
    whole = draw_svg(figure((line(y=(1.0, 4.0, 2.0, 5.0, 3.0)),)), Theme())
    broken = draw_svg(figure((line(y=(1.0, 4.0, None, 5.0, 3.0)),)), Theme())

    def strokes(svg):
        return len(re.findall(r'fill="none" stroke="#595959"', svg))

    assert strokes(broken) == strokes(whole) + 1


def test_an_interval_past_the_ends_of_the_axis_has_an_arrow_there():
    rows = ((1.0, "wide"), (2.0, "narrow"), (3.0, "far"))
    low, high = (-9.0, 0.0, 8.0), (9.0, 0.2, 10.0)
    series = Series("a", "candidate1", (0.0, 0.1, 9.0), (1.0, 2.0, 3.0), low, high)

    def find_marks(low, high):
        panel = Panel("", Axis("x", low=low, high=high), Axis("", ticks=rows), (series,))
        svg = draw_svg(Figure("f", "forest", "Finding", "Caption", "Numbers", (panel,)), Theme())
        (frame,) = re.findall(r'<rect x="([\d.]+)" y="7" width="([\d.]+)"', svg)
        left, width = map(float, frame)
        places = re.findall(r'<use x="([\d.]+)" y="([\d.]+)"', svg)
        return sorted((float(y), round((float(x) - left) / width, 2)) for x, y in places)

    assert [x for _, x in find_marks(-10.0, 11.0)] == [0.48, 0.48, 0.9]
    marks = find_marks(-1.0, 1.0)
    assert [x for _, x in marks] == [0.02, 0.5, 0.98, 0.55, 0.98]
    assert marks[0][0] == marks[2][0] < marks[3][0] < marks[4][0]


def test_two_thousand_dots_stay_dots_and_more_become_boxes():
    few = draw_svg(sample_document.scatter("few", 2000), Theme())
    many = draw_svg(sample_document.scatter("many", 2001), Theme())
    assert few.count("h0") == 2000
    assert "h0" not in many
    assert max(len(few), len(many)) <= 40_000


def test_dots_are_half_transparent():
    svg = draw_svg(sample_document.scatter("few", 300), Theme())
    (dots,) = re.findall(r'<path d="[^"]*h0"([^>]*)', svg)
    assert ' opacity="0.5"' in dots and ' fill="none"' in dots


def test_dots_are_in_a_png_too():
    colours = Theme().light_palette
    dots = sample_document.scatter("few", 300)
    png = draw_png(dots, {**colours, "candidate1": "#ff0000"}, None, 100)
    red, green, _ = np.moveaxis(imread(io.BytesIO(png))[:, :, :3], 2, 0)
    assert np.mean(red - green > 0.4) > 0.005


def test_a_text_with_a_halo_has_it_in_a_png_too():
    def count_red(*, has_halo):
        picture, buffer = Picture(figsize=(2, 1), facecolor="#ff0000"), io.BytesIO()
        looks = TextLooks(colour="#ff0000", has_halo=has_halo)
        picture.add_artist(PlainText("diagonal", looks, (0.3, 0.5), picture.transFigure))
        picture.savefig(buffer, format="png", dpi=100)
        return int(np.sum(imread(io.BytesIO(buffer.getvalue()))[:, :, 1] < 0.1))

    assert count_red(has_halo=False) == 200 * 100
    assert count_red(has_halo=True) < 0.98 * 200 * 100


def test_a_character_without_a_glyph_is_spelled_and_reported():
    assert "U+5BA2" in texts(draw_svg(figure((line("客"),)), Theme()))
    found = find_missing_characters(sample_document.hostile())
    assert set("客户钱包模型") == set(found)
    assert find_missing_characters(sample_document.sample()) == ()


def test_simplifying_keeps_the_line_within_its_tolerance():
    x = np.linspace(0, 1, 400)
    points = np.column_stack((x, x**0.4))
    kept = points[geometry.select_shape_points(points, 5e-4, (1.0, 1.0))]
    assert len(kept) < 60
    assert np.abs(np.interp(x, kept[:, 0], kept[:, 1]) - points[:, 1]).max() < 2e-2
    assert kept[0].tolist() == [0, 0] and kept[-1].tolist() == [1, 1]


def test_spread_labels_keep_their_order_and_their_distance():
    wanted = [10.0, 10.0, 10.0, 50.0, 51.0]
    placed = geometry.spread_labels(wanted, 8.0, 0.0, 60.0)
    assert sorted(placed) == placed
    assert min(b - a for a, b in pairwise(placed)) >= 8 - 1e-9
    assert min(placed) >= 0 and max(placed) <= 60


def test_an_undefined_figure_is_still_drawn():
    empty = Series("a", "baseline", (None, None), (None, None))
    for drawing in ("line", "steps", "forest", "bars", "scatter", "matrix"):
        assert "<svg" in draw_svg(figure((empty,), drawing), Theme())


def test_a_histogram_without_bars_is_still_drawn():
    svg = draw_svg(figure((Series("a", "baseline", (), ()),), "histogram"), Theme())
    assert svg.startswith("<svg")


def test_stacked_panels_share_their_left_side():
    panels = tuple(Panel("", Axis(""), Axis(name), (line(),)) for name in ("upper", "lower"))
    made = Figure("f", "line", "Finding", "Caption", "Numbers", panels, is_stacked=True)
    svg = draw_svg(made, Theme())
    upper, lower = (
        re.search(rf'<text x="([\d.]+)" y="([\d.]+)"[^>]*>{name}', svg)
        for name in ("upper", "lower")
    )
    assert upper[1] == lower[1] and float(upper[2]) < float(lower[2])


def test_the_name_of_a_line_at_the_top_stands_below_it():
    def heights(at):
        falling = line(y=(at - 3.0, at - 1.0, at))
        panel = Panel("", Axis("x"), Axis("y"), (falling,), (Reference("zero", y=(at,)),))
        made = Figure("f", "line", "Finding", "Caption", "Numbers", (panel,))
        (name,) = re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>zero', draw_svg(made, Theme()))
        (label,) = re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>y<', draw_svg(made, Theme()))
        return float(name) - float(label)

    assert heights(0.0) > 20  # a line of text and more: clear of the label of the axis


def test_of_many_models_the_others_are_pale_and_share_a_key_on_a_phone():
    others = tuple(line(f"model {k}", "other", (float(k), 2.0, 3.0)) for k in range(6))
    made = figure((line("CLV"), line("RFM", "candidate1"), *others), others="6 other models")
    assert "model 3" in texts(draw_svg(made, Theme()))
    on_phone = texts(draw_svg(replace(made, width="half"), Theme()))
    assert "6 other models" in on_phone and "model 3" not in on_phone


def test_a_pale_line_has_no_band():
    banded = replace(line(role="other"), band_low=(0.0, 1.0, 2.0), band_high=(2.0, 3.0, 4.0))
    assert "f-other" not in draw_svg(figure((banded,)), Theme())
    assert "f-candidate1" in draw_svg(figure((replace(banded, role="candidate1"),)), Theme())


def test_what_is_not_shown_has_an_open_mark_and_what_reverses_a_cross():
    rows = Series(
        "a",
        "candidate1",
        (1.0, 2.0, 3.0),
        (1.0, 2.0, 3.0),
        (0.5, 1.5, 2.5),
        (1.5, 2.5, 3.5),
        marks=("filled", "open", "crossed"),
    )
    svg = draw_svg(figure((rows,), "forest"), Theme())
    assert svg.count('class="f-page s-candidate1"') == 1
    assert "f-good" not in svg and "f-bad" not in svg


def dumbbells(x, **more):
    rows = tuple(float(k + 1) for k in range(len(x)))
    ticks = tuple((row, f"row {row:.0f}") for row in rows)
    panel = Panel(
        "Model",
        Axis("x", scale="log", has_zero=True),
        Axis("", ticks=ticks),
        (
            Series("observed", "baseline", x, rows),
            Series("predicted", "baseline", tuple(2 * v for v in x), rows),
        ),
    )
    return Figure(
        "f",
        "dumbbell",
        "Finding",
        "Caption",
        "Numbers",
        (panel,) * 3,
        shares_axes=True,
        shares_rows=True,
        **more,
    )


def test_zeros_stand_in_a_strip_of_a_logarithmic_axis():
    assert texts(draw_svg(dumbbells((0.0, 1.0, 100.0)), Theme())).count("0") == 3
    assert "0" not in texts(draw_svg(dumbbells((1.0, 10.0, 100.0)), Theme()))


def test_panels_that_share_rows_name_them_once_but_each_on_a_phone():
    wide = texts(draw_svg(dumbbells((1.0, 10.0)), Theme()))
    assert wide.count("row 1") == 1 and wide.count("x") == 1
    assert texts(draw_svg(dumbbells((1.0, 10.0), width="half"), Theme())).count("row 1") == 3


def test_a_line_is_drawn_as_far_as_its_axis_shows_it():
    x = tuple(k / 100 for k in range(101))
    y = tuple(abs((k * 37) % 23 - 11) / 11 for k in range(101))
    series = Series("a", "candidate1", x, y, band_low=y, band_high=tuple(v + 1 for v in y))
    whole = Figure("f", "line", "t", "c", "d", (Panel("", Axis("x"), Axis("y"), (series,)),))
    half = replace(whole, panels=(replace(whole.panels[0], x=Axis("x", low=0.0, high=0.5)),))
    sizes = [len("".join(re.findall(r' d="([^"]*)"', draw_svg(f, Theme())))) for f in (whole, half)]
    assert sizes[1] < 0.7 * sizes[0]


def matrix(k, text, *, name="class {}", panels=1, **more):
    ticks = tuple((float(i), name.format(i)) for i in range(1, k + 1))
    cells = [(float(i), float(j)) for i in range(1, k + 1) for j in range(1, k + 1)]
    series = Series(
        "a",
        "candidate1",
        tuple(x for x, _ in cells),
        tuple(y for _, y in cells),
        size=(1.0,) * k**2,
        texts=(text,) * k**2,
        marks=("filled",) + ("open",) * (k**2 - 1),
    )
    axes = Axis("called", ticks=ticks), Axis("is", ticks=ticks)
    each = tuple(Panel(f"panel {p}" * (panels > 1), *axes, (series,)) for p in range(panels))
    return Figure(
        "m", "matrix", "Finding", "Caption", "Numbers", each, shares_rows=panels > 1, **more
    )


def gap(svg, text):
    """The points between neighbouring texts that stand at one height; None where none stands."""
    found = re.findall(rf"<text([^>]*)>{re.escape(text)}</text>", svg)
    x = sorted({float(re.search(r'\bx="([\d.]+)"', each)[1]) for each in found})
    size = {float((re.search(r'font-size="([\d.]+)px"', each) or ["", "9"])[1]) for each in found}
    if not x:
        return None
    return min(b - a for a, b in pairwise(x)) - fonts.text_width(text, size=max(size))


@pytest.mark.parametrize("k", [2, 5, 10, 12, 30])
@pytest.mark.parametrize("text", ["7", "178", "+28.1", "16,093", "1,234,567"])
@pytest.mark.parametrize("panels", [1, 2])
@pytest.mark.parametrize("width", ["full", "half"])
def test_numbers_in_cells_never_run_into_each_other(k, text, panels, width):
    found = gap(draw_svg(matrix(k, text, panels=panels, width=width), Theme()), text)
    assert found is None or found >= 2


@pytest.mark.parametrize(("text", "panels"), [("+28.1", 1), ("16,093", 2)])
def test_the_numbers_of_twelve_classes_with_long_names_are_written(text, panels):
    svg = draw_svg(matrix(12, text, name="Department of goods {}", panels=panels), Theme())
    assert texts(svg).count(text) == panels * 144


def test_a_dot_stands_where_a_number_has_no_room():
    svg = draw_svg(matrix(10, "+28.1", name="Department of goods {}", width="half"), Theme())
    assert texts(svg).count("+28.1") == 0
    assert svg.count("<use") == 1


@pytest.mark.parametrize(("k", "width"), [(30, "full"), (30, "half"), (40, "half")])
def test_upright_names_of_columns_stand_apart(k, width):
    svg = draw_svg(matrix(k, "", name="Department of goods {}", width=width), Theme())
    across = sorted(float(x) for x in re.findall(r"rotate\(-90 ([\d.]+)", svg))
    assert len(across) >= 10
    assert all(b - a >= 9 for a, b in pairwise(across))


def test_characters_that_need_no_look_are_in_the_packaged_fonts():
    missing = {
        sign for sign in fonts.PRINTABLE if ord(sign) not in fonts.list_known_characters(None)
    }
    assert missing == {"\n"}


def test_matplotlib_makes_no_ticks_and_no_edges():
    axes = BareAxes(Picture(), (0.1, 0.1, 0.8, 0.8))
    assert len(axes.spines) == 0 and not axes.patch.get_visible()
    for axis in (axes.xaxis, axes.yaxis):
        assert not len(axis.majorTicks) and not len(axis.minorTicks)


def test_a_drawing_loads_no_pyplot():
    code = (
        "import sys\n"
        "from reportgen.report.render import plain, theme\n"
        "from tests.report.render import sample_document\n"
        "plain.draw_svg(sample_document.scatter('few', 10), theme.Theme())\n"
        "assert 'matplotlib.figure' in sys.modules and 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
