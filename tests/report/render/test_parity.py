"""Page one of a worked report says the same in every output."""

import html
import io
import re
from xml.etree import ElementTree

import pypdf
import pytest

from reportgen.report.conclusion import add_conclusion
from reportgen.report.document import Callout, iter_unfolded
from reportgen.report.layout import build_first_page
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from tests.report.render.reading import Page
from tests.worked import CONFIGS, results_of

SIGNS = re.compile(r"[\s\u200b\u00ad\u2060*`\\|>#]+|\]\([^)]*\)|[\[\]]")
"""What line breaks move about, and the marks of Markdown."""


def squeeze(text):
    return SIGNS.sub("", text)


def list_sentences(results, document):
    """List the sentences under the answer, the answer first, and those of its box."""
    found = results.conclusion
    points = (*found.gain, *found.drawback, *found.unsure)
    [box] = [
        block
        for section in document.sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Callout)
    ]
    body = ("".join(span.text for span in phrase) for phrase in box.body)
    return [found.answer, *points, *(note.note for note in found.set_aside), box.title, *body]


def read_html(content):
    texts = Page(content.decode()).texts
    return " ".join(texts["body"])


def read_markdown(content):
    return html.unescape(content.decode())


def read_pdf(content):
    return " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages)


READERS = {"html": read_html, "markdown": read_markdown, "pdf": read_pdf}


@pytest.mark.full
@pytest.mark.parametrize("name", CONFIGS)
def test_page_one_has_the_same_sentences_in_every_output(name):
    results = add_conclusion(results_of(name))
    document = build_first_page(results)
    for output, read in READERS.items():
        [content] = render_output(output, document, results, Theme()).values()
        text = squeeze(read(content)).lower()
        missing = [s for s in list_sentences(results, document) if squeeze(s).lower() not in text]
        assert not missing, output


@pytest.mark.parametrize("name", CONFIGS)
def test_junit_has_the_answer_and_the_sentences_of_requirements_of_page_one(name):
    results = add_conclusion(results_of(name))
    [content] = render_output("junit", build_first_page(results), results, Theme()).values()
    (answer,) = ElementTree.fromstring(content).iter("property")
    assert (answer.get("name"), answer.get("value")) == ("answer", results.conclusion.answer)
    said = {
        case.attrib["name"]: child.text or child.attrib["message"]
        for case in ElementTree.fromstring(content).iter("testcase")
        for child in case
    }
    for each in results.conclusion.requirements:
        assert said[each.gate] == each.text
