"""Colours that can be read, in both modes and by everyone."""

from itertools import combinations

import numpy as np
import pytest

from reportgen.errors import OutputError
from reportgen.report.render import html, pdf
from reportgen.report.render.theme import DARK, LIGHT, Theme
from tests.report.render import sample_document
from tests.report.render.colours import SHARMA, SIGHTS, ciede2000, colour_difference

TEXT = ["ink", "soft", "accent", "good", "bad", "open", "baseline"]
TEXT += [f"candidate{k}" for k in range(1, 10)]


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("part", TEXT)
def test_text_can_be_read_on_page_and_panel(palette, part):
    assert contrast(palette[part], palette["page"]) >= 4.5
    assert contrast(palette[part], palette["panel"]) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("tone", ["good", "bad", "open"])
def test_a_tag_can_be_read_on_its_own_ground(palette, tone):
    assert contrast(palette[tone], palette[f"{tone}_page"]) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_stand_out_from_the_page(palette):
    assert contrast(palette["worse"], palette["page"]) >= 3
    assert contrast(palette["reference"], palette["page"]) >= 3
    assert contrast(palette["other"], palette["page"]) >= 3


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_part_has_a_colour_of_its_own(palette):
    assert set(palette) == set(LIGHT)
    assert len(set(palette.values())) == len(palette)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_models_are_told_apart_by_colour_whatever_one_sees(palette):
    models = ["baseline", "candidate1", "candidate2", "candidate3", "candidate4"]
    found = {
        (sight, one, other): colour_difference(palette[one], palette[other], sight)
        for sight in SIGHTS
        for one, other in combinations(models, 2)
    }
    least = min(found, key=found.get)
    assert found[least] >= 12, (least, found[least])  # the least is 12.3


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("verdict", ["good", "bad"])
def test_no_model_has_the_colour_of_a_verdict(palette, verdict):
    for model in ["baseline", *(f"candidate{k}" for k in range(1, 10))]:
        assert colour_difference(palette[model], palette[verdict], "normal") >= 15, model


def test_the_measure_of_colours_gives_the_published_differences():
    for one, other, difference in SHARMA:
        assert ciede2000(np.array(one), np.array(other)) == pytest.approx(difference, abs=5e-5)


def test_a_logo_stands_in_page_and_pdf(tmp_path):
    logo = tmp_path / "logo.svg"
    logo.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9"/></svg>'
    )
    theme = Theme(logo=logo)
    document, results = sample_document.sample(), sample_document.results()
    assert b'src="data:image/svg+xml;base64,' in html.render(document, results, theme)
    assert pdf.render(document, results, theme).startswith(b"%PDF")


def test_a_logo_that_cannot_be_read_is_named(tmp_path):
    document, results = sample_document.sample(), sample_document.results()
    for name in ("gone.png", "logo.gif"):
        with pytest.raises(OutputError, match=name):
            pdf.render(document, results, Theme(logo=tmp_path / name))
