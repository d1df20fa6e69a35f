"""Page one of the worked reports, sentence by sentence."""

from __future__ import annotations

import re

import pytest

from reportgen.report.conclusion import conclude
from tests.report.conclusion.page_ones import PAGE, write_pages
from tests.worked import CONFIGS, results_of

ANSWERS = {
    "wallet": ("yes", ("boosted",)),
    "churn": ("yes", ("forest", "boosted")),
    "digits": ("cannot tell", ()),
    "see-also": ("cannot tell", ()),
}


def test_the_pages_are_as_they_were_read() -> None:
    """Run `python -m tests.report.conclusion.page_ones` after a change, and read what changed."""
    assert PAGE.read_text(encoding="utf-8") == write_pages()


@pytest.mark.parametrize("name", CONFIGS)
def test_an_answer_has_at_most_28_words(name: str) -> None:
    """It is read at a glance."""
    assert 3 <= len(conclude(results_of(name)).answer.split()) <= 28


@pytest.mark.parametrize("name", CONFIGS)
def test_no_sentence_has_a_gap(name: str) -> None:
    """No value is missing from a sentence, and none is longer than two lines."""
    found = conclude(results_of(name))
    for text in (found.answer, found.key_line, *found.gain, *found.drawback, *found.unsure):
        assert text.endswith((".", "?")), text
        assert not re.search(r"None|nan|  | ,|\(\)|\.\.|\*\*|–", text), text


@pytest.mark.parametrize(("name", "expected"), ANSWERS.items())
def test_the_worked_reports_give_the_documented_answers(
    name: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    """The answers that the documentation tells of."""
    made = conclude(results_of(name)).recommendation
    assert (made.answer, made.use) == expected
