"""Markdown for a pull request: short enough, and nothing in it runs."""

import re
from dataclasses import replace

import pytest

from reportgen.report.document import (
    Cell,
    Document,
    Section,
    Span,
    Table,
    TableColumn,
    Text,
    make_phrase,
)
from reportgen.report.render import markdown
from reportgen.report.render.templates import escape_markdown
from tests.report.render import sample_document


def test_the_verdict_and_every_section_are_there(pull_request):
    assert "### Better: Gradient boosting ranks customers better than CLV." in pull_request
    assert pull_request.count("\n## ") == 8


def test_hostile_names_are_not_markup():
    document = sample_document.hostile()
    text = markdown.render(document, sample_document.results()).decode()
    outside = "".join(text.split("```")[::2])
    assert "<script" not in outside and "<img" not in outside
    assert "\\$x\\_1\\$" in outside
    assert "](javascript" not in outside.replace("\\]", "")
    assert "@everyone" not in outside


def test_a_strong_word_stands_apart_from_what_follows():
    said = make_phrase("told", Span(" half: ", is_strong=True), "as it is")
    document = Document(sample_document.sample().header, (Section("a", "A", (Text(said),)),), "end")
    text = markdown.render(document, sample_document.results()).decode()
    assert "told **half:** as it is" in text


def test_a_long_report_is_cut_by_section_and_says_so():
    rows = tuple((Cell(f"row {k}"), Cell("1.0")) for k in range(3000))
    table = Table("t", "Long", (TableColumn("Name", False), TableColumn("Value")), rows)
    prose = (Text(make_phrase("word " * 750)),) * 12
    sample = sample_document.sample()
    sections = (
        sample.sections[0],
        Section("long", "Long table", (Text(make_phrase("kept words")), table)),
        Section("prose", "Long prose", prose),
        Section("more", "More prose", prose),
    )
    document = Document(sample.header, sections, "end")
    full = sample_document.results()
    standard = replace(full, report=replace(full.report, length="standard"))
    made = markdown.render(document, standard)
    text = made.decode()
    assert len(made) <= 60_000
    assert "ranks customers better than CLV" in text
    assert "Tables and figures are left out here for length" in text and "kept words" in text
    assert "## More prose\n\n*Left out here for length" in text
    assert "row 17" not in text
    whole = markdown.render(document, full).decode()
    assert "row 2999" in whole and whole.count("word ") > 17_900
    assert "full report" not in whole


@pytest.mark.parametrize(
    "name",
    [
        "see Http://x.example",
        "FTP://x",
        "//x.example/a",
        "Www.x.example",
        "score_www.evil.example/x",
        "aGH-7",
        "a @name b",
        "#123",
        "see!45",
        "GH-7",
        "gh-7",
        "me@x.example",
        "mailto:me",
        "an :smile: b",
    ],
)
def test_no_name_becomes_an_address_a_mention_or_a_number_of_a_thread(name):
    made = escape_markdown(name)
    assert made.replace("\u2060", "").replace("\\", "") == name
    links = r"(?i)[a-z]:[/a-z]|//|www\.|[@#!]\w|gh-\d|:[a-z]"
    assert not re.search(links, made.replace("\\", ""))


def test_heads_and_names_of_rows_are_whole():
    head = "Bucket of customers, from the lowest scores to the highest of them"
    name = f"A name of a row that is longer than a cell of a page has room for, {'very ' * 4}long"
    table = Table(
        "t", "Whole", (TableColumn(head, False), TableColumn("Value")), ((Cell(name), Cell("1")),)
    )
    document = Document(sample_document.sample().header, (Section("a", "A", (table,)),), "end")
    text = markdown.render(document, sample_document.results()).decode()
    assert head in text and name in text and "…" not in text
