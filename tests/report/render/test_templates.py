"""Templates: a team may replace any, and a broken one is named with its line."""

import pytest

from reportgen.errors import OutputError
from reportgen.paths import find_templates_folder
from reportgen.report.render import html, markdown, pdf
from reportgen.report.render.theme import Theme, find_fonts_folder
from tests.report.render import sample_document


def written(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Theme(template_dir=folder)


def page(theme, renderer=html):
    return renderer.render(sample_document.sample(), sample_document.results(), theme).decode()


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("title", "Our title"),
        ("header", "<h1>Our header</h1>"),
        ("verdict", "<p>Our verdict</p>"),
        ("section_classes", "<p>Our classes</p>"),
        ("footer", "<p>Our footer</p>"),
    ],
)
def test_an_override_extends_the_built_in_page(tmp_path, block, text):
    source = f'{{% extends "builtin/report.html" %}}{{% block {block} %}}{text}{{% endblock %}}'
    made = page(written(tmp_path, "html/report.html", source))
    assert text in made
    assert "Robustness" in made


def test_a_single_small_file_can_be_replaced(tmp_path):
    made = page(written(tmp_path, "markdown/forest.md", "our forest\n"), markdown)
    assert "our forest" in made and "How sure is that?" not in made


def test_a_syntax_error_is_named_with_file_and_line(tmp_path):
    theme = written(tmp_path, "html/text.html", "<p>fine</p>\n{% if %}\n")
    with pytest.raises(OutputError, match=r"text\.html:2: .*correct the template"):
        page(theme)


def test_a_name_that_does_not_exist_is_named_with_file_and_line(tmp_path):
    theme = written(tmp_path, "html/text.html", "<p>\n\n{{ block.phrases }}</p>\n")
    with pytest.raises(OutputError, match=r"text\.html:3: .*phrases"):
        page(theme)


def test_a_template_cannot_reach_outside_its_sandbox(tmp_path):
    theme = written(tmp_path, "html/text.html", "{{ ''.__class__.__mro__[1].__subclasses__() }}")
    with pytest.raises(OutputError, match=r"text\.html:1"):
        page(theme)


def test_a_template_cannot_be_read_from_elsewhere(tmp_path):
    theme = written(tmp_path, "html/text.html", "{% include '../../../etc/passwd' %}")
    with pytest.raises(OutputError, match=r"text\.html:1: no template"):
        page(theme)


def test_broken_typst_shows_the_line_that_typst_refused(tmp_path):
    theme = written(tmp_path, "typst/text.typ", "#h(1pt)\n#par(\n")
    with pytest.raises(OutputError, match=r"text\.typ:2: Typst: .*correct the template"):
        page(theme, pdf)


def test_a_wrong_theme_colour_is_refused_in_words():
    with pytest.raises(OutputError, match="did you mean 'accent'"):
        Theme(colours={"acent": "#000000"})
    with pytest.raises(OutputError, match="'red' is no colour"):
        Theme(colours={"accent": "red"})


def test_templates_and_fonts_are_found_with_the_licence():
    assert (find_templates_folder() / "html" / "theme.css").is_file()
    assert "SIL OPEN FONT LICENSE" in (find_fonts_folder() / "Inter-LICENSE.txt").read_text()
