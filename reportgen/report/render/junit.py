"""The gates as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from reportgen.report.document import Document
from reportgen.results import Results
from reportgen.results.core import GateResult, Warning
from reportgen.text import collapse_blanks


def render(document: Document, results: Results, *_: object) -> bytes:
    """One case a gate, with where it is written; without gates one says that the report was made.

    The answer is a property of the suite. Where the data do not support a judgement, a case named
    input has an error.

    A warning that the config calls fatal fails the run, so it is a failing case too.
    """
    cases = [_build_case(finding) for finding in results.gates] or [_make_report_case(document)]
    cases = [*_build_input_cases(results), *cases]
    cases += [_fatal(warning) for warning in results.warnings if warning.is_fatal]
    suite = Xml.Element(
        "testsuite", name=collapse_blanks(document.header.title), tests=str(len(cases))
    )
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", str(sum(case.find("error") is not None for case in cases)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suite.set("time", "0")
    if results.conclusion is not None:
        properties = Xml.SubElement(suite, "properties")
        Xml.SubElement(
            properties, "property", name="answer", value=collapse_blanks(results.conclusion.answer)
        )
    suite.extend(cases)
    root = Xml.Element("testsuites")
    root.append(suite)
    Xml.indent(root)
    text: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _build_input_cases(results: Results) -> list[Xml.Element]:
    """Build one case, by default with an error, where the data do not support a judgement."""
    found = results.conclusion
    if found is None or not results.is_stopped:
        return []
    case = Xml.Element("testcase", classname="reportgen.input", name="input", time="0")
    text = collapse_blanks("; ".join(s.advice for s in found.recommendation.stops))
    if results.report.on_stop == "inconclusive":
        Xml.SubElement(case, "skipped", message=text)
    else:
        Xml.SubElement(case, "error", type="no verdict", message=text).text = text
    return [case]


def _build_case(finding: GateResult) -> Xml.Element:
    name = collapse_blanks(finding.name)
    case = Xml.Element("testcase", classname="reportgen.gates", name=name, time="0")
    if finding.line is not None:
        case.set("file", collapse_blanks(finding.file))
        case.set("line", str(finding.line))
    reason = collapse_blanks(finding.reason)
    if finding.is_failure:
        Xml.SubElement(case, "failure", type=finding.status, message=reason).text = reason
    elif finding.status in ("skipped", "not judged") or (
        finding.status == "cannot tell" and finding.inconclusive == "warn"
    ):
        Xml.SubElement(case, "skipped", message=reason)
    else:
        Xml.SubElement(case, "system-out").text = reason
    return case


def _fatal(warning: Warning) -> Xml.Element:
    where = ", ".join(filter(None, (warning.dataset, warning.segment, warning.key, warning.model)))
    name = collapse_blanks(f"{warning.code} {where}".strip())
    case = Xml.Element("testcase", classname="reportgen.warnings", name=name, time="0")
    text = collapse_blanks(warning.text)
    Xml.SubElement(case, "failure", type="fatal warning", message=text).text = text
    return case


def _make_report_case(document: Document) -> Xml.Element:
    case = Xml.Element("testcase", classname="reportgen", name="the report was made", time="0")
    Xml.SubElement(case, "system-out").text = collapse_blanks(document.header.title)
    return case
