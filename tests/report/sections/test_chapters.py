"""Sections by key: which there are, which a config takes, what stands in each."""

from dataclasses import replace

from reportgen.report.document import Fold, SignOff, Table
from reportgen.report.layout import SECTIONS, build_document
from reportgen.report.sections.method import build_method_section
from tests.report.sections import results_factory as made


def named(*keys):
    """The report of the wallet with these sections."""
    results = made.wallet()
    return build_document(replace(results, report=replace(results.report, sections=keys)))


def keys_of(report):
    return [section.id for section in report.sections]


def test_a_report_has_the_sections_that_its_config_names_in_the_order_of_the_page():
    assert keys_of(named("data", "results", "decision")) == ["decision", "results", "data"]


def test_page_one_is_there_whether_it_is_named_or_not():
    assert keys_of(named("method")) == ["decision", "method"]


def test_without_a_word_on_sections_all_that_have_something_to_say_are_there():
    assert keys_of(named(*SECTIONS)) == keys_of(build_document(made.wallet()))


def test_no_link_leads_to_a_section_that_was_left_out():
    assert "href='#segments'" in repr(build_document(made.wallet()))
    assert "href='#segments'" not in repr(named("decision", "results"))


def test_those_who_sign_have_their_lines_on_page_one_and_nobody_else_has():
    results = made.wallet()
    for people in (results.report.sign_off, ()):
        report = replace(results.report, sign_off=people)
        front = build_document(replace(results, report=report)).sections[0]
        assert any(isinstance(block, SignOff) for block in front.blocks) == bool(people)


def test_a_status_is_printed_where_it_is_declared_or_somebody_signs():
    results = made.wallet()
    bare = replace(results, report=replace(results.report, sign_off=()), config={})
    assert build_document(bare).header.status == ""
    declared = replace(bare, config={"report": {"status": "DRAFT"}})
    assert build_document(declared).header.status == "DRAFT"
    assert build_document(results).header.status == "DRAFT"


def test_findings_of_a_review_stand_among_the_limitations():
    results = made.wallet()
    finding = {"id": "F-12", "text": "Scores drift.", "severity": "high", "due": "May"}
    front = build_document(replace(results, report=replace(results.report, findings=(finding,))))
    said = "".join(span.text for span in front.sections[0].blocks[-2].items[-1])
    assert said == "Finding F-12: Scores drift. (high, May)"


def test_every_model_and_metric_stands_in_the_first_table_of_results():
    results = made.crowd(models=4, metrics=5, segments=0)
    [found] = [section for section in build_document(results).sections if section.id == "results"]
    assert isinstance(found.blocks[0], Table)
    assert (len(found.blocks[0].rows), len(found.blocks[0].columns)) == (5, 5)


def test_the_full_report_has_the_variance_of_resamples_next_to_that_of_a_formula():
    results = made.wallet()
    first, *others = results.estimates
    both = replace(
        first, bootstrap_variance=0.00103, formula_variance=0.00097, variance_formula="noether"
    )

    def tables(results):
        blocks = build_method_section(results).blocks
        folds = [block for block in blocks if isinstance(block, Fold)]
        assert all(fold.is_of_full for fold in folds)
        return {t.id: t for fold in folds for t in fold.blocks if isinstance(t, Table)}

    (row,) = tables(replace(results, estimates=(both, *others)))["method-variances"].rows
    assert [cell.text for cell in row[2:]] == ["0.00103", "0.000970", "noether"]
    assert "method-variances" not in tables(results)


def test_the_method_says_that_curves_use_fewer_resamples():
    results = made.wallet()
    main = replace(results.datasets[0], replicates=6_318, curve_replicates=1_999)
    text = str(build_method_section(replace(results, datasets=(main, *results.datasets[1:]))))
    assert "6,318, seed" in text and "; curves use the first 1,999" in text
    assert "curves use the first" not in str(build_method_section(results))
