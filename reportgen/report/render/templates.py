"""Fill Jinja templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from traceback import extract_tb
from typing import Literal
from urllib.parse import quote

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from jinja2.exceptions import TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from reportgen.errors import OutputError
from reportgen.paths import find_templates_folder
from reportgen.report.prose.compiled import COMPILED
from reportgen.text import format_foreign_error

_LONG_WORD = re.compile(r"[^\s\u200b]{19,}")
NEGATIVE_MONEY = re.compile(r"−[$€£¥₹][\d,.]*\d")
INTERVAL = re.compile(r"(\S*\d\S* to \S*[\d∞]\S*)")
_LINKING = re.compile(
    r"(?<=[@#!])(?=\w)"  # a mention, and numbers of threads and requests
    r"|(?<=:)(?=[/a-z])"  # an address, and a picture by its name
    r"|(?<=/)(?=/)|(?<=www)(?=\.)|(?<=GH-)(?=\d)",  # an address without a scheme, a thread
    re.IGNORECASE,
)
"""Where a page that shows Markdown sees the middle of something that it makes a link of."""
Format = Literal["html", "typst", "markdown"]
BUILTIN = "builtin/"
SECTIONS = "{{ sections_in_blocks }}"
"""Where a page asks for one block per section (`verdict`, `section_scores`, …), for overrides."""


def fill_template(
    kind: Format, name: str, context: Mapping[str, object], *, template_dir: Path | None
) -> str:
    """Fill the template; `context["document"]["sections"]` decides which blocks there are."""
    return make_filler(kind, name, _list_ids(context), template_dir=template_dir)(context)


def make_filler(
    kind: Format, name: str, ids: Sequence[str], *, template_dir: Path | None
) -> Callable[[Mapping[str, object]], str]:
    """Return a function that fills the template for these section ids, its files read once."""
    environment = _build_environment(kind, template_dir, ids)

    def fill(context: Mapping[str, object]) -> str:
        try:
            made = environment.get_template(name).render(context)
            COMPILED.save()
            return made
        except TemplateSyntaxError as error:
            place = f"{error.filename or error.name}:{error.lineno}"
            raise OutputError(
                f"{place}: {format_foreign_error(error.message)}; correct the template"
            ) from error
        except TemplateNotFound as error:
            place = _format_place(error) or name
            raise OutputError(f"{place}: no template {error.name!r}") from error
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            place = _format_place(error)
            if not place:
                raise
            raise OutputError(
                f"{place}: {format_foreign_error(error)}; correct the template"
            ) from error

    return fill


def escape_typst_string(value: object) -> str:
    r"""Text as a Typst string literal, so that no name can be markup.

    >>> escape_typst_string('a "b" #{c}')
    '"a \\"b\\" #{c}"'
    """
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n").replace("\r", "").replace("\t", " ") + '"'


def escape_typst_text(value: object) -> str:
    """Escape like `escape_typst_string`, with places where long words may break."""
    return escape_typst_string(_LONG_WORD.sub(_break_word, str(value)))


def keep_intervals(value: object) -> Markup:
    """Escape a text of HTML, and mark its intervals, so that none ends in another line.

    >>> keep_intervals("+0.07 (+0.03 to +0.11); see <A>")
    Markup('+0.07 <span class="whole">(+0.03 to +0.11);</span> see &lt;A&gt;')
    """
    return Markup(INTERVAL.sub(r'<span class="whole">\1</span>', str(escape(value))))


def keep_signs(value: object) -> Markup:
    """Escape a text of HTML, and keep each minus on the line of its amount of money.

    >>> keep_signs("It costs −$5.30 & more.")
    Markup('It costs <span class="whole">−$5.30</span> &amp; more.')
    """
    return Markup(NEGATIVE_MONEY.sub(r'<span class="whole">\g<0></span>', str(escape(value))))


def mark_breaks(value: object) -> Markup:
    """Escape a text of HTML, and mark where its long words may break.

    >>> mark_breaks("gradient_boosting_of_2025")
    Markup('gradient_<wbr>boosting_<wbr>of_<wbr>2025')
    """
    return Markup(str(escape(_LONG_WORD.sub(_break_word, str(value)))).replace("\u200b", "<wbr>"))


def escape_markdown(value: object) -> str:
    r"""Text of one line in which nothing is markup, an address, a mention or a formula.

    >>> escape_markdown("a_b | <script> $x_1$")
    'a\\_b \\| &lt;script&gt; \\$x\\_1\\$'
    """
    text = _LINKING.sub("\u2060", " ".join(str(value).split()))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_{}\[\]#|~$^=])", r"\\\1", text)
    text = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)
    return re.sub(r"^([-+])(?=\s|$)", r"\\\1", text)


def escape_markdown_span(value: object) -> str:
    """Escape like `escape_markdown`, but keep a space at either end.

    A phrase is made of several spans.
    """
    text = str(value)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return before + escape_markdown(text) + after


def fence_markdown(value: object, language: str) -> str:
    """Lines as typed, in a fence longer than any in them."""
    text = str(value)
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    text = text.replace("##[", "#\u2060#[")  # a command where a build prints the page
    return f"{fence}{re.sub(r'[^a-z0-9]', '', language)}\n{text.rstrip()}\n{fence}"


def escape_markdown_url(value: object) -> str:
    """Escape a web address so that it cannot end the parentheses around it."""
    return quote(str(value), safe="/:?&=%#+,;~@!")


def _break_word(word: re.Match[str]) -> str:
    """Insert a zero-width space after each sign that joins, and in what is long without one."""
    parts = re.findall(r"[^_/.-]{1,12}[_/.-]*|[_/.-]+", word.group())
    return "\u200b".join(parts)


class _Loader(BaseLoader):
    """Files of the team's folder first, then the built-in ones; `builtin/…` only the latter."""

    def __init__(self, kind: Format, template_dir: Path | None, ids: Sequence[str]) -> None:
        self.builtin = find_templates_folder() / kind
        self.folders = [*([template_dir / kind] if template_dir else []), self.builtin]
        self.ids = ids

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        """Return the source, the file it is in, and that it does not change while we run."""
        name = template.removeprefix(BUILTIN)
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise TemplateNotFound(template)
        for folder in [self.builtin] if template.startswith(BUILTIN) else self.folders:
            path = folder / name
            if path.is_file():
                return self._read(path), str(path), lambda: True
        raise TemplateNotFound(template)

    def _read(self, path: Path) -> str:
        try:
            source = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise OutputError(f"{path}:1: is not UTF-8 text ({error.reason})") from error
        return source.replace(SECTIONS, "".join(map(_section_block, self.ids)))


def _section_block(section_id: str) -> str:
    """One promised block, on the line of its marker so that line numbers stay true."""
    word = re.sub(r"\W", "_", section_id)
    name = "verdict" if section_id == "decision" else f"section_{word}"
    return (
        f"{{% block {name} scoped %}}{{% with section = sections[{section_id!r}] %}}"
        "{% include 'section.' ~ suffix %}{% endwith %}{% endblock %}"
    )


def _list_ids(context: Mapping[str, object]) -> list[str]:
    sections = context["sections"]
    return list(sections) if isinstance(sections, dict) else []


def _build_environment(kind: Format, template_dir: Path | None, ids: Sequence[str]) -> Environment:
    environment = ImmutableSandboxedEnvironment(
        loader=_Loader(kind, template_dir, ids),
        undefined=StrictUndefined,
        autoescape=kind == "html",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=None if template_dir else COMPILED,
    )
    environment.filters["intervals"] = keep_intervals
    environment.filters["signs"] = keep_signs
    environment.filters["breaks"] = mark_breaks
    environment.filters["s"] = escape_typst_string
    environment.filters["t"] = escape_typst_text
    environment.filters["md"] = escape_markdown
    environment.filters["edged"] = escape_markdown_span
    environment.filters["fenced"] = fence_markdown
    environment.filters["url"] = escape_markdown_url
    environment.globals["suffix"] = {"html": "html", "typst": "typ", "markdown": "md"}[kind]
    return environment


def _format_place(error: BaseException) -> str:
    """Return the last template line that the error went through, as file:line; empty if none."""
    frames = [
        frame
        for frame in extract_tb(error.__traceback__)
        if frame.filename.endswith((".html", ".typ", ".md"))
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
