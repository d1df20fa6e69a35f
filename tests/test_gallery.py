"""The gallery: each kind of figure, small, and the same twice."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_worked_results(gallery):
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery.page()


def test_every_figure_that_is_chosen_is_drawn_and_no_other(gallery):
    wanted = {f"{c}-{name}.svg" for c, names in gallery.CHOSEN.items() for name in names}
    wanted.add(gallery.ON_REQUEST)
    assert {path.name for path in (DOCS / "gallery").glob("*")} == wanted
    assert all(set(gallery.chosen(c)[1]) == set(names) for c, names in gallery.CHOSEN.items())


def test_the_discounts_are_drawn_as_the_measures_have_them(gallery):
    assert (DOCS / "discounts.svg").read_text(encoding="utf-8") == gallery.discounts()
    assert "nDCG, DCG 0.63 at 2, 0.29 at 10" in gallery.discounts()


def test_all_drawings_together_stay_small():
    assert sum(path.stat().st_size for path in (DOCS / "gallery").glob("*.svg")) < MOST_BYTES


@pytest.mark.full
def test_a_drawing_is_the_same_twice(gallery):
    from reportgen.report.render import plain

    first = gallery.drawings()
    plain._draw_figure.cache_clear()
    assert gallery.drawings() == first
