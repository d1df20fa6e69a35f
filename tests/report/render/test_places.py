"""Words beside points: clear of each other and of every mark, if there is any room."""

import re
from itertools import combinations

import numpy as np

from reportgen.report.document import Axis, Figure, Panel, Series
from reportgen.report.render.draw.labels import (
    MARK,
    Rectangle,
    _build_word_box,
    make_horizontal_line_word,
    make_line_word,
    make_point_word,
    make_vertical_line_word,
    place_words,
)
from reportgen.report.render.plain import draw_svg
from reportgen.report.render.theme import Theme

INSIDE = Rectangle(0, 0, 480, 235)


def test_ten_long_names_at_one_place_do_not_touch():
    draw = np.random.default_rng(0)
    at = [(240 + 20 * x, 120 + 12 * y) for x, y in draw.standard_normal((10, 2))]
    words = [make_point_word(x, y, 110.0) for x, y in at]
    boxes = [_build_word_box(p, 110.0) for p in place_words(words, at, INSIDE)]
    shared = sum(a.overlap(b) for a, b in combinations(boxes, 2))
    assert shared <= 0.05 * 110 * 9 * 10
    assert all(box.overlap(INSIDE) > 0.9 * 112 * 9 for box in boxes)


def test_a_word_alone_stands_above_its_point_and_near():
    (place,) = place_words([make_point_word(100, 100, 40)], [(100, 100)], INSIDE)
    assert not place.is_led
    assert 100 + MARK < place.y < 110 and place.x == 80


def test_a_word_at_the_edge_stays_inside():
    (place,) = place_words([make_point_word(478, 233, 60)], [(478, 233)], INSIDE)
    assert place.x + 60 <= 480 and place.y + 7 <= 235


def steep(share: float) -> np.ndarray:
    """A line from the lower left, up to a share of the height at the right."""
    return np.array([(0.0, 0.0), (480.0, 235 * share)])


def lengths_inside(place, width, line):
    """How far a line runs under a word."""
    box, along_it = _build_word_box(place, width), np.linspace(0, 1, 2001)[:, None]
    at = line[0] + along_it * (line[1] - line[0])
    inside = (at >= (box.left, box.low)) & (at <= (box.right, box.high))
    return np.hypot(*(line[1] - line[0])) * inside.all(axis=1).mean()


def test_a_word_beside_a_point_leaves_the_line_through_it_free():
    line = np.array([(0.0, 0.0), (480.0, 235.0)])
    (place,) = place_words([make_point_word(240, 117.5, 40)], [(240, 117.5)], INSIDE, [line])
    assert lengths_inside(place, 40, line) < 5


def test_names_of_lines_that_fan_out_lie_on_no_line_and_not_on_each_other():
    lines = [steep(share) for share in (0.5, 0.6, 0.7, 0.8)]
    words = [make_line_word(line, 60, INSIDE, own) for own, line in enumerate(lines)]
    found = place_words(words, [], INSIDE, lines)
    assert all(lengths_inside(place, 60, line) < 3 for place in found for line in lines)
    assert not any(
        _build_word_box(a, 60).overlap(_build_word_box(b, 60)) for a, b in combinations(found, 2)
    )


def test_names_of_upright_lines_side_by_side_stand_apart():
    at = (360.0, 384.0, 392.0)
    lines = [np.array([(x, 0.0), (x, 235.0)]) for x in at]
    words = [make_vertical_line_word(x, 26, INSIDE, own) for own, x in enumerate(at)]
    found = place_words(words, [], INSIDE, lines)
    assert not any(
        _build_word_box(a, 26).overlap(_build_word_box(b, 26)) for a, b in combinations(found, 2)
    )
    assert all(lengths_inside(place, 26, line) == 0 for place in found for line in lines)


def test_the_name_of_a_line_across_gives_way_to_a_curve():
    across, curve = np.array([(0.0, 100.0), (480.0, 100.0)]), np.array([(0.0, 105), (240.0, 100)])
    (place,) = place_words(
        [make_horizontal_line_word(100, 60, INSIDE, 0)], [], INSIDE, [across, curve]
    )
    assert lengths_inside(place, 60, curve) == 0
    assert lengths_inside(place, 60, across) == 0


def test_a_line_that_is_all_outside_has_no_place_for_a_name():
    assert make_line_word(np.array([(500.0, 0.0), (600.0, 50.0)]), 40, INSIDE, 0).spots == ()


def test_names_at_one_point_of_a_figure_are_all_written_apart():
    series = tuple(
        Series("", "reference", (1.0,), (1.0,), texts=(f"a long name {k}",), has_markers=True)
        for k in range(4)
    )
    panel = Panel("", Axis("x", low=0.0, high=2.0), Axis("y", low=0.0, high=2.0), series)
    svg = draw_svg(Figure("f", "line", "t", "c", "d", (panel,)), Theme())
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>a long name \d', svg)
    assert len(set(found)) == 4
    for (x1, y1), (x2, y2) in combinations([(float(x), float(y)) for x, y in found], 2):
        assert abs(x1 - x2) > 50 or abs(y1 - y2) >= 8
