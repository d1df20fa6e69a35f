"""Sections by key: which there are, which a config takes, what stands in each."""

from dataclasses import replace

import pytest

from reportgen.report.document import Fold, SignOff, Table, iter_unfolded
from reportgen.report.sections import SECTIONS, build_document
from reportgen.report.sections.method import build_method_section
from tests.report.sections import results_factory as made


def named(*keys):
    """The report of the wallet with these sections."""
    results = made.wallet()
    return build_document(replace(results, report=replace(results.report, sections=keys)))


def keys_of(report):
    return [section.id for section in report.sections]


def test_a_report_has_the_sections_that_its_config_names_in_the_order_of_the_page():
    assert keys_of(named("data", "basis", "decision")) == ["decision", "basis", "data"]


def test_page_one_is_there_whether_it_is_named_or_not():
    assert keys_of(named("method")) == ["decision", "method"]


def test_without_a_word_on_sections_all_that_have_something_to_say_are_there():
    assert keys_of(named(*SECTIONS)) == keys_of(build_document(made.wallet()))


def test_no_link_leads_to_a_section_that_was_left_out():
    assert "href='#results'" in repr(build_document(made.wallet()))
    assert "href='#results'" not in repr(named("decision", "basis"))


def test_all_comparisons_and_what_made_the_report_are_parts_of_the_reference():
    [reference] = [
        section for section in build_document(made.wallet()).sections if section.id == "reference"
    ]
    assert [b.title for b in reference.blocks if isinstance(b, Fold)][-1] == "All comparisons"
    assert "Resolved config" in [getattr(b, "title", "") for b in iter_unfolded(reference.blocks)]


@pytest.mark.parametrize("make", [made.wallet, made.alone, made.crowd])
def test_the_basis_has_the_lines_to_sign(make):
    [basis] = [section for section in build_document(make()).sections if section.id == "basis"]
    assert isinstance(basis.blocks[-1], SignOff)


def test_the_basis_shows_every_metric_against_every_candidate():
    results = made.crowd(models=4, metrics=5, segments=0)
    [basis] = [section for section in build_document(results).sections if section.id == "basis"]
    matrix = basis.blocks[0]
    assert isinstance(matrix, Table)
    assert (len(matrix.rows), len(matrix.columns)) == (5, 4)


def test_the_full_report_has_the_variance_of_resamples_next_to_that_of_a_formula():
    results = made.wallet()
    first, *others = results.estimates
    both = replace(
        first, bootstrap_variance=0.00103, formula_variance=0.00097, variance_formula="noether"
    )
    blocks = build_method_section(replace(results, estimates=(both, *others))).blocks
    (fold,) = [b for b in blocks if isinstance(b, Fold) and b.title.startswith("Variance")]
    assert fold.is_of_full
    (row,) = fold.blocks[0].rows
    assert [cell.text for cell in row[2:]] == ["0.00103", "0.00097", "noether"]
    assert not any(isinstance(b, Fold) for b in build_method_section(results).blocks)
