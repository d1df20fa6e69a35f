"""The page: one file that needs nothing and runs nothing."""

import base64
import io
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from fontTools.ttLib import TTFont

from reportgen.report.document import (
    Cell,
    Forest,
    Heading,
    Section,
    Table,
    TableColumn,
    Text,
    make_phrase,
)
from reportgen.report.render import fonts, html
from reportgen.report.render.plain import render_forest_axis, render_forest_head
from reportgen.report.render.theme import Theme, find_fonts_folder
from tests.report.render import sample_document
from tests.report.render.reading import Page


def test_no_name_becomes_a_script_or_a_handler(hostile_page):
    for tag, attributes in Page(hostile_page).elements:
        assert tag not in {"iframe", "object", "embed", "form", "base", "link", "script"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]


def test_the_page_asks_the_network_for_nothing(page, hostile_page):
    for tag, attributes in (*Page(page).elements, *Page(hostile_page).elements):
        for name in ("src", "href", "action", "srcset"):
            address = attributes.get(name) or ""
            is_link = tag == "a" and address.startswith(("#", "https://"))
            is_beside = address == "results.json"
            assert not address or is_link or is_beside or address.startswith(("#", "data:"))
    assert not re.findall(r"url\((?!data:|#)", page)


def test_the_policy_stands_before_everything_that_it_rules(page):
    policy = page.index("default-src 'none'; style-src 'unsafe-inline'")
    assert policy < page.index("<style>") < page.index("<title>") + 10_000_000
    assert policy < page.index("<body>")


def test_the_page_has_one_main_heading_and_skips_no_level(page):
    levels = [int(tag[1]) for tag, _ in Page(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_every_table_has_a_caption_and_scoped_headings(page):
    elements = Page(page).elements
    tables = sum(tag == "table" for tag, _ in elements)
    assert tables == sum(tag == "caption" for tag, _ in elements) > 3
    assert all(attributes.get("scope") for tag, attributes in elements if tag == "th")


def test_ids_are_unique_across_figures_and_references_exist(page, hostile_page):
    for text in (page, hostile_page):
        elements = Page(text).elements
        ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        used = re.findall(r"url\(#([^)]+)\)", text)
        used += [a["href"][1:] for _, a in elements if (a.get("href") or "").startswith("#")]
        assert set(used) <= set(ids)


def test_figures_have_no_style_and_small_size(page):
    figures = re.findall(r"<svg.*?</svg>", page, flags=re.S)
    assert len(figures) > 12
    for figure in figures:
        assert "style=" not in figure
        assert "reportgen-" not in figure
        assert len(figure) <= 40_000
        assert 'role="img"' in figure and "<title" in figure


def test_every_figure_colour_changes_in_dark_mode(page):
    for element in re.findall(r"<[a-z]+ [^>]*(?:fill|stroke)=\"#[^>]*>", page):
        assert re.search(r'class="[^"]*[fs]-', element), element


def test_the_page_is_below_a_megabyte(page, hostile_page):
    assert max(len(page.encode()), len(hostile_page.encode())) < 1_000_000


def test_the_page_has_the_fonts_of_its_own_characters(page, hostile_page):
    for text in (page, hostile_page):
        fonts = re.findall(r"url\(data:font/woff;base64,([^)]+)\)", text)
        assert len(fonts) == 2 and sum(map(len, fonts)) < 50_000
        known = TTFont(io.BytesIO(base64.b64decode(fonts[0]))).getBestCmap()
        whole = TTFont(
            io.BytesIO((find_fonts_folder() / "Inter-Regular.ttf").read_bytes())
        ).getBestCmap()
        shown = {ord(sign) for sign in "".join(Page(text).texts["td"])}
        assert shown & set(whole) <= set(known)


@pytest.mark.parametrize("name", fonts.INTER.values())
def test_the_ready_font_has_the_common_characters(name):
    ready = TTFont((find_fonts_folder() / name).with_suffix(".woff"))
    assert set(map(ord, fonts.PRINTABLE)) - {ord("\n")} <= set(ready.getBestCmap())
    assert {"GPOS", "GSUB"} <= set(ready.keys()), "kerning and digits of one width"


def test_a_page_with_rare_characters_makes_a_font_that_has_them():
    rare = "\u0416Ő"  # Inter has the second, no packaged font for pages the first
    assert not fonts.has_glyph("\u0416") and fonts.has_glyph("Ő")
    made = TTFont(io.BytesIO(base64.b64decode(html._encode_font(fonts.REGULAR, frozenset(rare)))))
    assert ord("Ő") in made.getBestCmap()


def test_control_and_bidirectional_characters_are_gone(hostile_page):
    ours = re.sub(r"\u2068([^\u2066-\u2069]*)\u2069", r"\1", hostile_page)  # around one name
    assert not re.findall(r"[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f]", ours)
    assert "agnp.exe" in hostile_page


def test_a_name_too_long_for_a_table_is_shortened_and_kept_whole(hostile_page):
    assert "n" * 200 in [a.get("title") for tag, a in Page(hostile_page).elements if tag == "th"]
    assert all(len(text) < 500 for text in Page(hostile_page).texts["th"])


def test_a_theme_colour_reaches_page_and_figures():
    theme = Theme(colours={"candidate1": "#123456"})
    made = html.render(sample_document.sample(), sample_document.results(), theme)
    text = made.decode()
    assert "--candidate1:#123456" in text
    assert 'stroke="#123456"' in text
    assert "#0072b2" not in text


def test_a_block_may_be_called_as_a_method_of_a_dict_is():
    table = Table("values", "Values.", (TableColumn("Model"),), ((Cell("CLV"),),))
    document = sample_document.sample()
    first = replace(document.sections[0], blocks=(table,))
    made = html.render_page(replace(document, sections=(first, *document.sections[1:])), Theme())
    assert 'id="values"' in made


def test_a_cell_of_a_narrow_page_has_the_note_of_its_column(page):
    """There the head of the table is not seen, in which a unit or a level may stand."""
    assert 'data-of="Difference, 95% CI"' in page
    assert 'data-of="Gradient boosting"' in page


def test_a_row_that_a_number_names_says_on_a_narrow_page_what_it_is():
    """Such as a row of the numbers behind a figure: its first column is what runs over x."""
    columns = TableColumn("Rank k"), TableColumn("Recall")
    table = Table("numbers", "Recall.", columns, ((Cell("5"), Cell("40%")),))
    document = sample_document.sample()
    first = replace(document.sections[0], blocks=(table,))
    made = html.render_page(replace(document, sections=(first, *document.sections[1:])), Theme())
    assert '<th scope="row" role="rowheader" data-of="Rank k">5</th>' in made


def test_a_phone_folds_a_part_with_a_table_and_the_method_and_no_other():
    results = sample_document.results()
    rows = tuple((Cell(f"M{k}"),) for k in range(4))
    table = Table("every", "Values.", (TableColumn("Metric"),), rows, title="Every metric")
    document = replace(
        sample_document.sample(),
        sections=(
            Section(
                "results",
                "Results",
                (
                    table,
                    replace(table, id="few", title="Few", rows=rows[:3]),
                    Heading("Points", "points"),
                    Text(make_phrase("A point.")),
                    Heading("Thresholds", "thresholds"),
                    Table("t", "Whom to flag", (TableColumn("Model"),), ((Cell("B"),),)),
                ),
            ),
            Section("method", "Method", (Text(make_phrase("How.")),)),
        ),
    )
    page = html.render(document, results).decode()
    folds = re.findall(r'<details class="(part-fold[^"]*)"><summary>([^<]*)', page)
    assert folds == [
        ("part-fold named single", "Every metric"),
        ("part-fold named", "Thresholds"),
        ("part-fold", "Show"),
    ]
    assert 'Show<span class="unseen"> Method' in page
    assert "part-fold::details-content{content-visibility:visible}" in page


def test_an_interval_in_a_cell_ends_in_no_other_line_and_no_number_is_hidden_by_its_reason():
    row = (
        Cell("τ-b"),
        Cell("Better", note="+0.07 (+0.03 to +0.11); by far"),
        Cell("undefined", note="where no row, or every row, lies above the cut-off"),
    )
    columns = (TableColumn("Metric"), TableColumn("is", is_numeric=False), TableColumn("B"))
    section = Section("results", "Results", (Table("t", "T", columns, (row,)),))
    document = replace(sample_document.sample(), sections=(section,))
    page = html.render(document, sample_document.results()).decode()
    assert '<small>+0.07 <span class="whole">(+0.03 to +0.11);</span> by far</small>' in page
    assert '<small class="long">where no row' in page
    assert "td.number,.whole{white-space:nowrap}td.number small.long{white-space:normal}" in page


def test_a_long_word_in_the_head_of_a_column_may_break():
    table = Table("t", "T", (TableColumn("gradient_boosting_of_2025"),), ((Cell("0.1"),),))
    section = Section("results", "Results", (table,))
    document = replace(sample_document.sample(), sections=(section,))
    page = html.render(document, sample_document.results()).decode()
    assert "gradient_<wbr>boosting_<wbr>of_<wbr>2025" in page


def test_figures_leave_every_character_to_the_fonts_of_the_reader():
    figures = re.findall(r"<svg.*?</svg>", html.render(*_hostile()).decode(), flags=re.S)
    assert any("客户" in figure for figure in figures)
    assert not any("U+5BA2" in figure for figure in figures)


def _hostile():
    return sample_document.hostile(), sample_document.results()


def test_the_ground_of_a_forest_reaches_beyond_rows_of_several_lines(page):
    for strip in re.findall(r'<svg[^>]*class="strip".*?</svg>', page):
        ground = re.search(r'<rect x="[^"]+" y="([^"]+)" width="[^"]+" height="([^"]+)"', strip)
        if ground:
            assert float(ground[1]) < -40 and float(ground[1]) + float(ground[2]) > 80
    assert re.search(r"\.strip\{[^}]*overflow:visible", page)


def test_the_head_of_a_forest_is_never_wider_than_its_strip():
    forest = next(
        block
        for section in sample_document.sample().sections
        for block in section.blocks
        if isinstance(block, Forest)
    )
    long = replace(forest, right="better than " + "U+5F53" * 10 + " →", margin=None)
    head = render_forest_head(long, Theme().light_palette)
    assert ">better →</text>" in head and 'aria-label="better than' in head


def test_texts_below_a_forest_are_even_where_not_all_stand_apart():
    places = (0.0, -2500.0, -5000.0, -7500.0, -10000.0, -12500.0)
    ticks = tuple((-place, f"−{-place:,.0f} EUR" if place else "0") for place in places)
    forest = Forest("f", "T", "C", "A", "R", -500.0, 13_500.0, ticks, ())
    svg = render_forest_axis(forest, Theme().light_palette)
    assert re.findall(r"<text[^>]*>([^<]*)<", svg) == ["0", "−5,000 EUR", "−10,000 EUR"]
    assert svg.count("V3") == len(ticks)


def test_the_notes_of_a_forest_stand_below_it():
    sample = sample_document.sample()
    first = sample.sections[0]
    blocks = [
        replace(block, notes=("① Set aside: it is constant.",))
        if isinstance(block, Forest)
        else block
        for block in first.blocks
    ]
    document = replace(sample, sections=(replace(first, blocks=tuple(blocks)),))
    page = html.render(document, sample_document.results()).decode()
    assert page.index("forest-foot") < page.index("① Set aside: it is constant.")


def test_a_name_from_right_to_left_reorders_no_number_beside_it():
    cell = Cell("תל אביב 7 (140)")
    table = Table("t", "Where", (TableColumn("Segment"),), ((cell,),))
    document = replace(
        sample_document.sample(), sections=(Section("results", "Results", (table,)),)
    )
    page = html.render(document, sample_document.results()).decode()
    assert "\u2068תל אביב 7\u2069 (140)" in page
