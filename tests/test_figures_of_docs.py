"""One drawing of each kind of figure: small, and the same twice."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def figures():
    spec = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(figures):
    return figures.pages()


def test_every_figure_that_is_chosen_is_drawn_and_no_other(figures, pages):
    chosen = {f"figures/{c}-{name}.svg" for c, names in figures.CHOSEN.items() for name in names}
    chosen |= {f"figures/{figures.ON_REQUEST}", figures.DISCOUNTS}
    assert set(pages) == chosen | {"figures.md"}
    assert all(f"]({name})" in pages["figures.md"] for name in chosen)


def test_the_discounts_are_drawn_as_the_measures_have_them(figures, pages):
    assert "nDCG, DCG 0.63 at 2, 0.29 at 10" in pages[figures.DISCOUNTS]


def test_all_drawings_together_stay_small(pages):
    assert sum(len(text.encode()) for text in pages.values()) < MOST_BYTES


@pytest.mark.full
def test_a_drawing_is_the_same_twice(figures, pages):
    from reportgen.report.render import plain

    for each in (plain._draw_figure, figures.chosen, figures.interpolated):
        each.cache_clear()
    assert figures.pages() == pages


def test_the_gallery_shows_configs_that_there_are(monkeypatch):
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    named = {*module.SHOWN, *module.AFTER.values()}
    assert [name for name in named if not (module.ROOT / f"configs/{name}.yaml").exists()] == []
    monkeypatch.setattr(module, "make_card", lambda config: f"<p>{config}</p>\n")
    page = module.pages()["gallery.md"]
    assert page.count("```") == 2 and all(f"<p>{name}</p>" in page for name in module.SHOWN)
