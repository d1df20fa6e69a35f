"""Words beside points: clear of each other and of every mark, if there is any room."""

import re
from itertools import combinations

import numpy as np

from reportgen.document import Axis, Figure, Panel, Series
from reportgen.render._places import MARK, Box, Word, _box, places
from reportgen.render._plain import drawn
from reportgen.render.theme import Theme

INSIDE = Box(0, 0, 480, 235)


def test_ten_long_names_at_one_place_do_not_touch():
    draw = np.random.default_rng(0)
    at = [(240 + 20 * x, 120 + 12 * y) for x, y in draw.standard_normal((10, 2))]
    words = [Word(x, y, 110.0) for x, y in at]
    boxes = [_box(p, 110.0) for p in places(words, at, INSIDE)]
    shared = sum(a.shared(b) for a, b in combinations(boxes, 2))
    assert shared <= 0.05 * 110 * 9 * 10
    assert all(box.shared(INSIDE) > 0.9 * 112 * 9 for box in boxes)


def test_a_word_alone_stands_above_its_point_and_near():
    (place,) = places([Word(100, 100, 40)], [(100, 100)], INSIDE)
    assert not place.is_led
    assert 100 + MARK < place.y < 110 and place.x == 80


def test_a_word_at_the_edge_stays_inside():
    (place,) = places([Word(478, 233, 60)], [(478, 233)], INSIDE)
    assert place.x + 60 <= 480 and place.y + 7 <= 235


def test_names_at_one_point_of_a_figure_are_all_written_apart():
    series = tuple(
        Series("", "reference", (1.0,), (1.0,), texts=(f"a long name {k}",), has_markers=True)
        for k in range(4)
    )
    panel = Panel("", Axis("x", low=0.0, high=2.0), Axis("y", low=0.0, high=2.0), series)
    svg = drawn(Figure("f", "line", "t", "c", "d", (panel,)), Theme())
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>a long name \d', svg)
    assert len(set(found)) == 4
    for (x1, y1), (x2, y2) in combinations([(float(x), float(y)) for x, y in found], 2):
        assert abs(x1 - x2) > 50 or abs(y1 - y2) >= 8
