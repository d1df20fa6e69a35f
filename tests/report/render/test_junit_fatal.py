"""A warning that the config calls fatal is a failing case."""

from dataclasses import replace
from xml.etree import ElementTree

from reportgen.report.layout import build_document
from reportgen.report.render.junit import render
from reportgen.results.core import Warning
from tests.report.sections import results_factory as made


def test_a_fatal_warning_fails_and_another_does_not_appear():
    fatal = Warning("W103", "A few rows carry much of this metric.", key="mae", is_fatal=True)
    results = replace(made.wallet(), warnings=(fatal, replace(fatal, code="W102", is_fatal=False)))
    suite = ElementTree.fromstring(render(build_document(results), results))[0]
    failing = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failing == ["W103 mae"]
    assert suite.get("failures") == "1"
