"""The sample rendered once for all tests here."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from reportgen.report.render import html, markdown, pdf
from tests.report.render import sample_document


@pytest.fixture(scope="session")
def page():
    document = sample_document.sample()
    return html.render(document, sample_document.results()).decode()


@pytest.fixture(scope="session")
def hostile_page():
    document = sample_document.hostile()
    return html.render(document, sample_document.results()).decode()


@pytest.fixture(scope="session")
def paper():
    return pdf.render(sample_document.sample(), sample_document.results())


@pytest.fixture(scope="session")
def hostile_paper():
    return pdf.render(sample_document.hostile(), sample_document.results())


@pytest.fixture(scope="session")
def pull_request():
    document = sample_document.sample()
    return markdown.render(document, sample_document.results()).decode()
