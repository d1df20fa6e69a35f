"""How much is printed: a memo, the standard report within its pages, or all of it."""

import io
import re
from dataclasses import replace

import pypdf
import pytest

from reportgen.report.document import (
    Cell,
    Document,
    Figure,
    Fold,
    Heading,
    Section,
    Table,
    TableColumn,
    Text,
    iter_unfolded,
    make_phrase,
)
from reportgen.report.render import html, markdown, pdf
from reportgen.report.render.page_length import (
    Omission,
    list_omissions,
    page_limit,
    shorten_document,
)
from tests.report.render import sample_document


def table(name, rows=3):
    """A table whose caption is its name."""
    lines = tuple((Cell(f"{name} {k}"), Cell("1")) for k in range(rows))
    return Table(name, f"Table {name}", (TableColumn("Row", False), TableColumn("Value")), lines)


def report(rows=3, results=2, segments=2):
    """A report with a decision, results and segments, each with tables of so many rows."""
    sample = sample_document.sample()
    shown = [table(f"shown{k}", rows) for k in range(results)]
    return Document(
        sample.header,
        (
            sample.sections[0],
            Section(
                "results",
                "Results",
                (
                    table("matrix"),
                    Text(make_phrase("Said first.")),
                    *shown,
                    Fold("Further", (table("detail"),), is_of_full=True),
                ),
            ),
            Section(
                "segments", "Segments", tuple(table(f"part{k}", rows) for k in range(segments))
            ),
        ),
        "end",
    )


def results_of(length):
    results = sample_document.results()
    return replace(results, report=replace(results.report, length=length))


def names(document):
    return [
        b.id for s in document.sections[1:] for b in iter_unfolded(s.blocks) if isinstance(b, Table)
    ]


def said(document):
    return [b.phrase[0].text for s in document.sections for b in s.blocks if isinstance(b, Text)]


def paper(document, length):
    return pypdf.PdfReader(io.BytesIO(pdf.render(document, results_of(length))))


def text_of(reader):
    return " ".join(page.extract_text() for page in reader.pages)


def test_a_memo_is_the_decision_and_the_tables_of_results():
    figure = next(
        block
        for section in sample_document.sample().sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Figure)
    )
    whole = report()
    results = replace(whole.sections[1], blocks=(*whole.sections[1].blocks, figure))
    made = shorten_document(replace(whole, sections=(whole.sections[0], results)), "memo")
    assert [section.id for section in made.sections] == ["decision", "results"]
    assert names(made) == ["matrix", "shown0", "shown1"]
    assert not [b for s in made.sections[1:] for b in s.blocks if isinstance(b, Figure)]


def test_the_standard_report_leaves_out_what_is_of_the_full_one_and_says_so():
    made = shorten_document(report(), "standard")
    assert names(made) == ["matrix", "shown0", "shown1", "part0", "part1"]
    assert [line for line in said(made) if "leaves out" in line] == [
        "This short version leaves out 1 table. See the HTML report, or print the full report."
    ]


def test_the_full_report_leaves_out_nothing():
    made = shorten_document(report(), "full")
    assert names(made) == ["matrix", "shown0", "shown1", "detail", "part0", "part1"]
    assert not [line for line in said(made) if "leaves out" in line]


def test_results_are_the_first_to_go_their_last_table_first_then_segments():
    order = list_omissions(shorten_document(report(), "standard"))
    assert [cut.id for cut in order] == ["shown1", "shown0", "matrix", "part1", "part0"]
    assert order[0] == Omission("results", "shown1")


def test_what_is_said_stays_where_every_table_goes():
    whole = shorten_document(report(), "standard")
    made = shorten_document(report(), "standard", list_omissions(whole))
    assert names(made) == []
    assert "Said first." in said(made)


def test_a_standard_report_has_at_most_eight_pages():
    long = report(rows=90, results=4, segments=1)
    assert len(paper(long, "full").pages) > 8
    short = paper(long, "standard")
    assert 5 < len(short.pages) <= 8
    assert "shown0 3" in text_of(short) and "shown3 3" not in text_of(short)
    assert "part0 3" in text_of(short)


def test_many_models_or_metrics_may_take_fourteen_pages():
    results = results_of("standard")
    assert page_limit(results) == 8
    assert page_limit(replace(results, models=results.models * 5)) == 14
    assert page_limit(replace(results, metrics=(None,) * 9)) == 14


@pytest.mark.parametrize("length", ["memo", "standard", "full"])
def test_the_page_has_all_of_it_at_every_length(length):
    page = html.render(report(), results_of(length)).decode()
    assert "Table detail" in page and "Table part1" in page


@pytest.mark.parametrize(
    ("length", "found"), [("memo", (1, 0)), ("standard", (1, 0)), ("full", (1, 1))]
)
def test_a_pull_request_gets_as_much_as_the_paper(length, found):
    made = markdown.render(report(), results_of(length)).decode()
    assert ("Table shown0" in made, "Table detail" in made) == tuple(map(bool, found))


@pytest.mark.full
def test_the_numbers_of_figures_are_printed_in_the_full_report_alone():
    sample = sample_document.sample()
    assert "Numbers of the figures" in text_of(paper(sample, "full"))
    assert "Numbers of the figures" not in text_of(paper(sample, "standard"))


def test_the_second_page_says_where_each_section_begins():
    pages = paper(sample_document.sample(), "full").pages
    line = " ".join(pages[1].extract_text().split())
    assert re.search(r"Decision 1 · Classes 2 · Results \d+ · .*Files \d+", line)


def test_the_head_of_a_page_names_its_section():
    sample = sample_document.sample()
    pages = paper(sample, "full").pages
    titles = [*(section.title for section in sample.sections[1:]), "Numbers of the figures"]
    heads = [page.extract_text().split("\n")[0] for page in pages[1:]]
    assert all(any(f"· {title}" in head for title in titles) for head in heads)
    assert "· Classes" in heads[0]


def test_a_heading_goes_with_the_last_of_its_tables():
    made = report()
    parts = (
        Heading("Curves", "curves"),
        Text(make_phrase("Bands: 95%.")),
        table("curve"),
        Heading("Points", "points"),
        Text(make_phrase("Point by point.")),
    )
    results = replace(made.sections[1], blocks=(*made.sections[1].blocks, *parts))
    made = replace(made, sections=(made.sections[0], results))
    whole = shorten_document(made, "standard").sections[1].blocks
    assert parts[0] in whole and parts[1] in whole
    less = shorten_document(made, "standard", {Omission("results", "curve")}).sections[1].blocks
    assert parts[0] not in less and parts[1] not in less
    assert parts[3] in less and parts[4] in less, "nothing of it was left out"
