"""Attachments, figures and tables as CSV, and the choice of the module that renders an output."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Literal

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import Cell, Document, Figure, Panel, Series, Table, iter_unfolded
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.terms import FILES, TABLES
from reportgen.text import clean_text, shorten

Kind = Literal["results", "config", "tables", "evidence"]

MOST_BYTES = 10_000_000
"""Above so much in all the results stay out of a PDF."""
MEDIA = {"csv": "text/csv", "json": "application/json", "yaml": "application/yaml"}


@record
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


_LONGEST = 80
_LONGEST_ABOUT = 1000  # a PDF takes no text of more than 32,767 signs
_POINTS = ("x", "y", "low", "high", "band_low", "band_high", "base", "size")


def list_table_files(document: Document, results: Results) -> tuple[Attachment, ...]:
    """One file for each figure and table, and one for estimates and one for comparisons."""
    blocks = (block for section in document.sections for block in iter_unfolded(section.blocks))
    made: dict[str, Attachment] = {}
    for name, items in (("estimates", results.estimates), ("comparisons", results.comparisons)):
        if items:
            path = f"{TABLES}/{name}.csv"
            made[path] = Attachment("tables", path, build_csv(_iter_records(items)), f"All {name}")
    for block in blocks:
        if isinstance(block, Figure | Table):
            path = _find_free_path(block.id, made)
            rows = _iter_figure(block) if isinstance(block, Figure) else _iter_table(block)
            about = clean_text(block.title if isinstance(block, Figure) else block.caption)
            about = shorten(about, _LONGEST_ABOUT)
            made[path] = Attachment("tables", path, build_csv(rows), about, block.id)
    return tuple(made.values())


def _find_free_path(id_: str, taken: Iterable[str]) -> str:
    """Return a path made of the block's name that no other file has."""
    stem = re.sub(r"[^a-z0-9]+", "-", id_.lower()).strip("-")[:_LONGEST].rstrip("-") or "table"
    path, number = f"{TABLES}/{stem}.csv", 1
    while path in taken:
        number += 1
        path = f"{TABLES}/{stem}-{number}.csv"
    return path


_OF_PLACES = ("forest", "matrix", "dumbbell", "spans", "bars")


_SHORT = {"family_size": "k"}


def _iter_records(items: Sequence[object]) -> Iterator[Sequence[Value]]:
    """Results of one kind, a row each, a column for each field."""
    names = [field.name for field in fields(items[0])]  # type: ignore[arg-type]
    yield [_SHORT.get(name, name) for name in names]
    for item in items:
        yield [_convert_value(getattr(item, name)) for name in names]


def _convert_value(value: object) -> Value:
    if value is None or isinstance(value, str | float | int | bool):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _iter_figure(figure: Figure) -> Iterator[Sequence[Value]]:
    """Yield a row for each point: its panel and series, its coordinates, bounds and text.

    Where a coordinate is the place of something that has a name, as of a row of a forest or of a
    cell of a matrix, the name stands next to it.
    """
    panels = (*figure.panels, *figure.more_panels)
    series = [(panel, each) for panel in panels for each in panel.series]
    used = [name for name in _POINTS if any(getattr(each, name) for _, each in series)]
    has_panels = len(panels) > 1
    has_texts = any(each.texts for _, each in series)
    has_dots = figure.drawing == "matrix" and any(each.marks for _, each in series)
    ends = [*(["text"] if has_texts else []), *(["has_dot"] if has_dots else [])]
    named = (
        []
        if figure.drawing not in _OF_PLACES
        else [
            (name, axis)
            for name, axis in (("column", "x"), ("row", "y"))
            if all(_names_all(panel, each, axis) for panel, each in series)
        ]
    )
    head = [*(["panel"] if has_panels else []), "series", *(name for name, _ in named)]
    yield [*head, *used, *ends]
    for panel, each in series:
        for place in range(max(len(each.x), len(each.y))):
            yield [
                *([panel.title] if has_panels else []),
                each.label,
                *(_name_at(panel, each, axis, place) for _, axis in named),
                *(_get_or_none(getattr(each, name), place) for name in used),
                *([_get_or_none(each.texts, place)] if has_texts else []),
                *([_get_or_none(each.marks, place) == "filled"] if has_dots else []),
            ]


def _names_all(panel: Panel, series: Series, axis: str) -> bool:
    """Return whether every place along an axis has a name."""
    names = dict(getattr(panel, axis).ticks)
    return bool(names) and all(each in names for each in getattr(series, axis))


def _name_at(panel: Panel, series: Series, axis: str, place: int) -> Value:
    return dict(getattr(panel, axis).ticks).get(_get_or_none(getattr(series, axis), place))


def _get_or_none(values: Sequence[Value], place: int) -> Value:
    return values[place] if place < len(values) else None


def _iter_table(table: Table) -> Iterator[Sequence[Value]]:
    """Yield the table's rows, for each column its numbers, or else its text, then its notes."""
    columns = [
        column
        for k, head in enumerate(table.columns)
        for column in _iter_columns(head.title, [row[k] for row in table.rows])
    ]
    yield [name for name, _ in columns]
    yield from zip(*(values for _, values in columns), strict=True)


def _iter_columns(title: str, cells: Sequence[Cell]) -> Iterator[tuple[str, list[Value]]]:
    is_number = any(isinstance(cell.value, float | int) for cell in cells)
    yield title, [cell.value if is_number else cell.text for cell in cells]
    if is_number and any(cell.value is None and cell.text.strip("–— ") for cell in cells):
        yield f"{title}, as printed", [cell.text for cell in cells]
    if any(cell.note for cell in cells):
        yield f"{title}, note", [cell.note for cell in cells]
