"""JUnit: one case a gate, judged as the gate says."""

from dataclasses import replace
from xml.etree import ElementTree as Xml

from reportgen.report.render import junit
from tests.report.render import sample_document


def cases(results):
    made = junit.render(sample_document.sample(), results)
    return Xml.fromstring(made).find("testsuite")


def test_each_gate_is_a_case_with_its_own_outcome():
    suite = cases(sample_document.results())
    outcomes = [
        "failure"
        if case.find("failure") is not None
        else "skipped"
        if case.find("skipped") is not None
        else "pass"
        for case in suite
    ]
    assert outcomes == ["pass", "failure", "pass", "skipped", "failure"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "2", "1")


def test_a_failure_says_why():
    failed = cases(sample_document.results())[1].find("failure")
    assert "4.9 % to 22.6 %" in failed.get("message")


def test_without_gates_one_case_says_that_the_report_was_made():
    suite = cases(replace(sample_document.results(), gates=()))
    assert [case.get("name") for case in suite] == ["the report was made"]
    assert suite.get("failures") == "0"
