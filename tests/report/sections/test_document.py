"""The whole document: what is there, in which order, and what it may never say."""

import re
from dataclasses import fields, is_dataclass, replace

import pytest

from reportgen.report.document import Figure, Table
from reportgen.report.layout import build_document
from reportgen.results import Results
from tests.report.sections import results_factory as made

CASES = {
    "one model": made.alone,
    "two models": made.wallet,
    "ten models": made.crowd,
    "three models": lambda: made.crowd(models=3, metrics=4, segments=5),
}
ORDER = [
    "decision",
    "results",
    "costs",
    "segments",
    "across",
    "robustness",
    "data",
    "method",
    "files",
]


@pytest.fixture(scope="module", params=CASES)
def report(request):
    return build_document(CASES[request.param]())


def strings(node):
    """Every text in a document."""
    if isinstance(node, str):
        yield node
    elif is_dataclass(node):
        for field in fields(node):
            yield from strings(getattr(node, field.name))
    elif isinstance(node, tuple):
        for item in node:
            yield from strings(item)


def nodes(node, kind):
    if isinstance(node, kind):
        yield node
    if is_dataclass(node):
        for field in fields(node):
            yield from nodes(getattr(node, field.name), kind)
    elif isinstance(node, tuple):
        for item in node:
            yield from nodes(item, kind)


def test_sections_stand_in_their_order(report):
    ids = [section.id for section in report.sections]
    assert ids == [id_ for id_ in ORDER if id_ in ids]
    assert {"decision", "results", "data", "method", "files"} <= set(ids)


def test_every_link_leads_to_a_section(report):
    ids = {f"#{section.id}" for section in report.sections}
    assert {text for text in strings(report) if re.fullmatch(r"#[a-z]+", text)} <= ids


def test_no_text_shows_python_or_a_hyphen_for_minus(report):
    texts = [text for text in strings(report.sections[:-1])]
    assert not [t for t in texts if re.search(r"\bNone\b|\bnan\b|\binf\b|[{}]|\.\.", t)]
    assert not [t for t in texts if re.search(r"(^|[ (])-\d", t)]


def test_no_text_has_stray_spaces(report):
    assert not [t for t in strings(report.sections[:-1]) if "  " in t]


def test_tables_are_square_and_named_once(report):
    tables, figures = list(nodes(report, Table)), list(nodes(report, Figure))
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    ids = [block.id for block in (*tables, *figures)]
    assert len(ids) == len(set(ids))
    assert all(len(table.rows) <= 200 for table in tables)


def test_figures_say_their_finding_and_their_numbers(report):
    for figure in nodes(report, Figure):
        assert figure.title and figure.caption
        assert re.search(r"\d", figure.description)
        for panel in figure.panels:
            assert all(len(s.x) == len(s.y) for s in panel.series)
            assert all(len(s.low) in {0, len(s.x)} for s in panel.series)


def test_the_same_results_give_the_same_document():
    assert build_document(made.wallet()) == build_document(made.wallet())


def test_nothing_is_said_of_limitations_that_nobody_stated():
    said = list(strings(build_document(made.crowd(models=2, metrics=2, segments=0))))
    assert not any("No limitations" in text or "Not provided" in text for text in said)


def test_hostile_names_are_only_text():
    hostile = "<script>alert(1)</script> $x_1$ #{} \u202e" + "x" * 200
    results: Results = made.wallet()
    models = tuple(replace(model, label=hostile) for model in results.models)
    texts = list(strings(build_document(replace(results, models=models))))
    assert any("<script>" in text for text in texts)
    assert not any("\u202e" in text for text in texts)
    assert max(text.count("x" * 60) for text in texts) == 0


def test_an_undefined_metric_is_told_everywhere_it_is_asked_for():
    results = made.wallet()
    gone = {
        "value": None,
        "low": None,
        "high": None,
        "status": "undefined",
        "reason": "every y is equal",
    }
    nothing = {
        **gone,
        "difference": None,
        "word": "no result",
        "favours": None,
    }
    del nothing["value"]
    report = build_document(
        replace(
            results,
            estimates=tuple(
                replace(e, **gone) if e.key == "kendall" else e for e in results.estimates
            ),
            comparisons=tuple(
                replace(c, **nothing) if c.key == "kendall" else c for c in results.comparisons
            ),
        )
    )
    answer = report.sections[0].blocks[0]
    assert answer.title == "No verdict: Kendall τ-b is undefined for every model."
    assert any("every y is equal" in text for text in strings(report.sections[2]))


def test_the_header_carries_what_a_meeting_asks_first():
    header = build_document(made.wallet()).header
    assert header.date == "2026-11-21T09:00:00Z"
    assert (header.id, header.status, header.audience) == ("WALLET-2026-11", "DRAFT", "")
    assert build_document(made.wallet()).footer.startswith("Made by reportgen 0.1.0.")
