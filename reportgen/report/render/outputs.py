"""Attachments, and the choice of the module that renders an output."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from reportgen.report import prose
from reportgen.report.document import Document
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.terms import FILES, TABLES
from reportgen.text import clean_text

Kind = Literal["results", "config", "tables", "evidence"]

MOST_BYTES = 10_000_000
"""Above so much in all the results stay out of a PDF."""
MEDIA = {"csv": "text/csv", "json": "application/json", "yaml": "application/yaml"}


@dataclass(frozen=True)
class Attachment:
    """A file by its `path` in the report's folder; `block` is the figure or table it is of."""

    kind: Kind
    path: str
    content: bytes
    about: str
    block: str = ""

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.rpartition("/")[2]

    @property
    def media(self) -> str:
        """The media type, by the name's ending."""
        return MEDIA[self.name.rpartition(".")[2]]


Value = str | float | int | bool | None
_FORMULA = re.compile(r"(\A|[;\n])( *)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""The start of what a table program takes for a formula, in a file that it splits at , or ;"""


def build_csv(rows: Iterable[Sequence[Value]]) -> bytes:
    """Build UTF-8 with commas and a line feed after each row; nothing in it is a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_format_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _format_cell(value: Value) -> str:
    """Format a value as it is written in a cell.

    >>> _format_cell("a;=1+1"), _format_cell(-0.5), _format_cell(None), _format_cell(True)
    ("a;'=1+1", '-0.5', '', 'true')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | int):
        return repr(value)
    return _FORMULA.sub(r"\1\2'", clean_text(value))


def select_attachments(
    attached: Iterable[Attachment], kinds: Iterable[str]
) -> tuple[Attachment, ...]:
    """Select those of these kinds; without the results where a PDF would be too large."""
    asked = set(kinds)
    found = tuple(each for each in attached if each.kind in asked)
    if sum(len(each.content) for each in found) > MOST_BYTES:
        return tuple(each for each in found if each.kind != "results")
    return found


Render = Callable[[Document, Results, Theme | None, Sequence[Attachment]], bytes]
"""The function `render` of an output's module: it makes the content of the output's file."""
ATTACHING_OUTPUTS = frozenset(("html", "pdf", TABLES))
"""Those that hold what leaves the page."""


def render_output(
    output: str,
    document: Document,
    results: Results,
    theme: Theme,
    attached: Sequence[Attachment] = (),
) -> dict[str, bytes]:
    """Render the files of one output, by name; `attached` are those that leave the page.

    An output is a name in `terms.FILES`, and a module of that name here with a `render`.
    """
    if output == TABLES:
        return {each.path: each.content for each in _list_tables(attached)}
    render: Render = import_module(f"reportgen.report.render.{output}").render
    with prose.use_messages(prose.load_messages(theme.template_dir)):
        return {FILES[output]: render(document, results, theme, attached)}


def pack_files(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Pack files in their order, without dates, so that the same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files:
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return packed.getvalue()


def list_output_files(output: str, attached: Sequence[Attachment]) -> tuple[str, ...]:
    """Return the names of the files of an output."""
    if output == TABLES:
        return tuple(each.path for each in _list_tables(attached))
    return (FILES[output],)


def _list_tables(attached: Sequence[Attachment]) -> list[Attachment]:
    return [each for each in attached if each.path.startswith(f"{TABLES}/")]
