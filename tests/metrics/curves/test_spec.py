"""What a curve is: parameters, and lines that are thinned by their shape."""

from dataclasses import replace

import numpy as np
import pytest

from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.curve import curve, thin_line


@pytest.mark.parametrize("name", CURVES)
def test_every_curve_says_how_it_is_told_and_drawn(name):
    shown = CURVES[name].shown
    assert shown is not None
    assert shown.title
    assert shown.x_label
    assert shown.y_label
    assert shown.reading.endswith(".") or shown.onto


def test_a_curve_without_words_has_the_title_and_labels_of_the_catalogue():
    plain = replace(CURVES["gain"], shown=None, title="Ours {as it is}").presentation
    assert plain.title.format_map({}) == "Ours {as it is}"
    assert (plain.x_label, plain.y_label) == (CURVES["gain"].x_label, CURVES["gain"].y_label)


def test_a_thinned_line_keeps_its_ends_and_its_spike():
    x, y = np.arange(1000.0), np.zeros(1000)
    y[637] = 1.0
    kept_x, kept_y = thin_line(x, y, 10)
    assert len(kept_x) == 10
    assert {0.0, 636.0, 637.0, 638.0, 999.0} <= set(kept_x)
    assert kept_y.max() == 1


def test_a_thinned_curve_stays_within_a_thousandth_of_its_range():
    x = np.linspace(0, 1, 20_000)
    y = np.sqrt(x)
    kept_x, kept_y = thin_line(x, y, 100)
    assert np.all(np.diff(kept_x) > 0)
    # Where it is steep, distance is measured along x.
    off = np.minimum(
        np.abs(np.interp(x, kept_x, kept_y) - y), np.abs(np.interp(y, kept_y, kept_x) - x)
    )
    assert off.max() < 1e-3


def test_a_short_line_is_left_alone():
    x, y = np.arange(5.0), np.ones(5)
    assert thin_line(x, y, 5)[0] is x


def test_a_vertical_line_is_thinned_too():
    kept_x, kept_y = thin_line(np.zeros(50), np.linspace(0, 1, 50), 7)
    assert len(kept_x) == 7
    assert kept_y[0] == 0 and kept_y[-1] == 1


def test_use_spells_out_the_defaults():
    used = CURVES["ranking"].use(buckets=4)
    assert used.params["buckets"] == 4
    assert used.params["edges"] == "fractional"
    assert CURVES["ranking"].params["buckets"] == 10


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="already registered"):
        curve(name="ranking")(CURVES["ranking"].function)
