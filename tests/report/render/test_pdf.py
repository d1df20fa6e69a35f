"""The PDF says what the page says, in the same bytes every time."""

import io
import os
import re
from dataclasses import replace

import pypdf
import pytest
import typst

from reportgen.report.render import pdf
from tests.report.render import sample_document
from tests.report.render.reading import Page


def squeezed(text: str) -> str:
    """The text without spaces and break places, which line breaks move about."""
    return re.sub(r"[\s\u200b\u00ad\u2060]+", "", text)


def words(paper: bytes) -> str:
    return squeezed("".join(p.extract_text() for p in pypdf.PdfReader(io.BytesIO(paper)).pages))


@pytest.mark.parametrize("element", ["td", "th", "caption", "figcaption", "h3", "dt", "dd"])
def test_what_the_page_says_is_in_the_pdf(page, paper, element):
    found = words(paper)
    pieces = [piece for text in Page(page).texts[element] for piece in text.split(" ")]
    missing = sorted({piece for piece in pieces if squeezed(piece).lower() not in found.lower()})
    assert pieces and not missing


def test_whole_captions_and_figure_titles_are_in_the_pdf(page, paper):
    found = words(paper).lower()
    for element in ("caption", "figcaption", "h3"):
        for text in Page(page).texts[element]:
            assert squeezed(text).lower() in found


def test_the_pdf_declares_both_standards_and_is_tagged(paper):
    reader = pypdf.PdfReader(io.BytesIO(paper))
    metadata = reader.trailer["/Root"]["/Metadata"].get_data().decode()
    assert "<pdfuaid:part>1<" in metadata
    assert "<pdfaid:part>2<" in metadata and "<pdfaid:conformance>A<" in metadata
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]


def test_the_outline_names_every_section(paper):
    reader = pypdf.PdfReader(io.BytesIO(paper))
    titles = [entry["/Title"] for entry in reader.outline if not isinstance(entry, list)]
    assert titles[:3] == ["Decision", "Classes", "Results"]


def test_the_paper_has_its_title_and_its_text_in_reading_order(page, paper):
    reader = pypdf.PdfReader(io.BytesIO(paper))
    assert reader.metadata.title
    assert reader.trailer["/Root"]["/ViewerPreferences"]["/DisplayDocTitle"]
    found, place = words(paper).lower(), 0
    for text in Page(page).texts["figcaption"]:
        place = found.index(squeezed(text).lower(), place)
    assert place > 0


def test_page_one_holds_the_answer_the_forest_and_the_requirements(paper):
    first = pypdf.PdfReader(io.BytesIO(paper)).pages[0].extract_text()
    assert "Gradient boosting ranks customers better" in first
    assert "How sure is that?" in first and "mean absolute error under 40" in first
    assert "All comparisons" not in first


@pytest.mark.full
def test_a_character_without_a_glyph_is_spelled(hostile_paper):
    assert "U+5BA2" in words(hostile_paper)


def test_no_hostile_name_is_markup(hostile_paper):
    found = words(hostile_paper)
    assert '#{1+1}#panic("x")]]>' in found
    assert "$x_1$\\frac{a}{b}" in found


def test_the_pdf_has_only_packaged_fonts(paper):
    fonts = {
        str(font.get_object()["/BaseFont"]).partition("+")[2]
        for page in pypdf.PdfReader(io.BytesIO(paper)).pages
        for font in page["/Resources"]["/Font"].values()
    }
    assert fonts and all(name.startswith(("Inter", "DejaVu")) for name in fonts)


def test_two_renders_are_the_same_bytes(paper):
    again = pdf.render(sample_document.sample(), sample_document.results())
    assert again == paper


def numbered(paper: bytes) -> list[str]:
    """The page numbers that stand at the foot of the pages."""
    pages = pypdf.PdfReader(io.BytesIO(paper)).pages
    return [found[-1] for p in pages if (found := re.findall(r"\d+ / \d+", p.extract_text()))]


def test_pages_are_numbered_in_order_and_page_one_is_one_page(paper):
    found = numbered(paper)
    assert found == [f"{place} / {len(found)}" for place in range(1, len(found) + 1)]
    second = pypdf.PdfReader(io.BytesIO(paper)).pages[1].extract_text()
    assert len(found) > 2 and "Classes" in second


@pytest.mark.parametrize("least", [6, 12])
def test_page_one_is_one_page_however_much_stands_on_it(least):
    whole = sample_document.sample()
    front, rest = whole.sections[0], whole.sections[1:]
    lists = next(b for b in front.blocks if b.kind == "side_by_side")
    longer = replace(
        lists,
        columns=tuple(
            tuple(replace(one, items=one.items * (least // 3)) for one in column)
            for column in lists.columns
        ),
    )
    blocks = tuple(longer if b is lists else b for b in front.blocks)
    made = replace(whole, sections=(replace(front, blocks=blocks), *rest))
    pages = pypdf.PdfReader(io.BytesIO(pdf.render(made, sample_document.results()))).pages
    assert "Classes" in pages[1].extract_text()


def refused_by_typst():
    try:
        typst.compile(b"#nothing-of-that-name")
    except typst.TypstError as error:
        return error
    raise AssertionError("Typst knows it")


def test_no_template_is_looked_for_where_none_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "typst").mkdir()
    (tmp_path / "typst" / "theirs.typ").write_text("#nothing-of-that-name", encoding="utf-8")
    said = pdf._format_refusal(refused_by_typst(), "#nothing-of-that-name", None)
    assert said.startswith("report.pdf: Typst refused the page: ") and "theirs.typ" not in said


def test_only_files_are_templates(tmp_path):
    (tmp_path / "typst").mkdir()
    os.mkfifo(tmp_path / "typst" / "a.typ")
    (tmp_path / "typst" / "b.typ").write_text("#nothing-of-that-name", encoding="utf-8")
    said = pdf._format_refusal(refused_by_typst(), "#nothing-of-that-name", tmp_path)
    assert "b.typ:1: Typst: " in said
