"""Messages: each is used, each name in it exists, and each shape of a fact reads well."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import OutputError
from reportgen.report import prose
from reportgen.report.facts import StatusCount
from reportgen.report.prose import marks, replacing
from reportgen.report.prose.messages import Catalogue
from reportgen.report.prose.replacing import list_kinds, make_samples


def write_messages(folder, text):
    (folder / "ours.md").write_text(f"# A note to editors\n\nMore of it.\n\n{text}")
    return Catalogue(folder)


def test_every_message_is_used_and_names_what_exists():
    assert list(replacing.find_problems(prose.load_catalogue())) == []


@pytest.mark.parametrize("kind", list_kinds(), ids=lambda kind: kind.__name__)
def test_a_fact_reads_well_in_every_shape(kind):
    texts = {prose.say_plain(fact) for fact in make_samples(kind)}
    assert texts
    gap = re.compile(r"  | [,.;:)]|\( |\(\)|\bNone\b|\bnan\b|\{\{|\}\}|\{%|\.\.|, ,|^\s*$")
    assert [text for text in texts if gap.search(text)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## status_count\n{{ cuont }} of them",
            "'cuont' is undefined; it has count, status",
        ),
        ("## status_count\n{{ count|loud }} of them", "No filter named 'loud'."),
        ("## status_count\n{{ count }}{% if count > 2 %} many{% endif %}", "compares numbers"),
        ("## status_count\n{{ count }} {{ status }}", "has no words of its own"),
        ("## status_count\n{% if count %}some", "Unexpected end of template"),
        ("## nobody.asks\nText", "no fact and no call uses it"),
        (
            "## status_count\n{% if a %}{% if b %}{% if c %}x{% endif %}{% endif %}{% endif %}",
            "nests its conditions too deeply",
        ),
    ],
)
def test_a_wrong_message_is_found_without_filling_it(tmp_path, text, expected):
    problems = list(replacing.find_problems(write_messages(tmp_path, text)))
    assert [each for each in problems if "ours.md:5" in each and expected in each]


def test_a_fact_without_its_message_is_found(tmp_path):
    problems = list(replacing.find_problems(write_messages(tmp_path, "## other\nText")))
    assert "StatusCount: no message 'status_count'" in problems
    assert [each for each in problems if "no message 'requirements.rest'" in each]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ cuont }}", "'cuont' is undefined"),
        ("{{ count|loud }}", "No filter named 'loud'"),
        ("{{ missing }}", "prints a value that is missing here"),
        ("{{ count.__class__ }}", "unsafe"),
        ("{% for x in range(10**9) %}x{% endfor %}", "Range too big"),
    ],
)
def test_an_error_names_the_file_the_line_and_the_message(tmp_path, text, expected):
    catalogue = write_messages(tmp_path, f"## key\n{text}")
    with pytest.raises(OutputError, match=r"ours\.md:5: message 'key': ") as error:
        catalogue.fill("key", {"count": 3, "missing": None})
    assert expected in str(error.value)


def test_an_unknown_message_is_an_error_that_names_it(tmp_path):
    with pytest.raises(OutputError, match="has no message 'key'"):
        Catalogue(tmp_path).fill("key", {})


def test_the_first_wording_that_is_short_enough_is_used(tmp_path):
    catalogue = write_messages(tmp_path, "## key\none two\nthree\n---\none two\n---\none\n")
    assert [catalogue.fill("key", {}, most) for most in (0, 3, 2, 1)] == [
        "one two three",
        "one two three",
        "one two",
        "one",
    ]


def test_a_word_of_another_version_stays_as_it_is():
    assert prose.term("status", "not met") == "not met"
    assert prose.term("status", "waived") == "waived"


@given(st.text(alphabet="ab*`[]()\\_#{}<>&$% ", max_size=20))
def test_a_name_is_never_a_mark_and_never_a_template(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("prose")
    filled = write_messages(folder, "## key\n**{{ name }}** is better").fill("key", {"name": name})
    spans = marks.parse_marks(filled)
    assert not any(span.is_code or span.href for span in spans)
    assert marks.remove_marks(filled).split() == [*name.split(), "is", "better"] or "**" in filled


@given(st.text(max_size=30))
def test_escaped_text_reads_as_it_was(text):
    assert marks.remove_marks(marks.escape_marks(text)) == text


def test_a_status_count_says_the_count_and_the_status():
    assert prose.say_plain(StatusCount(2, "cannot tell")) == "2 “cannot tell”"
