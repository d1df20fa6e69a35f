"""The report as a PDF, by Typst."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from reportgen.errors import OutputError
from reportgen.report import prose
from reportgen.report.document import Document, Span, Text, make_phrase
from reportgen.report.render.fonts import fallback_folder
from reportgen.report.render.outputs import Attachment, select_attachments
from reportgen.report.render.page_length import list_omissions, page_limit, shorten_document
from reportgen.report.render.plain import Plain, convert_document
from reportgen.report.render.templates import INTERVAL, escape_typst_string, fill_template
from reportgen.report.render.theme import Theme, find_fonts_folder
from reportgen.results import Results
from reportgen.results.core import Length
from reportgen.terms import FILES, TABLES
from reportgen.text import LONGEST_QUOTE, format_foreign_error, quote
from reportgen.version import describe_missing_package

FACES = ("Inter", "DejaVu Sans")
FRONT = "decision"
"""The section of page one."""

PAGE, PAGE_OF_SMALL = 100, 118
"""Signs that stand next to each other on a page, of a table's size and of its smaller size."""
SHORT = 24
"""Signs up to which a column is never broken, while long ones keep enough."""
SPLIT = 12
"""Signs from which a title of several words takes two lines."""
LEAST = 14
"""Signs of the page that short columns leave to each long one, or else all share it."""
LONG = 40
"""Signs from which a longer text adds but an eighth to the width of its column."""
MOST_COLUMNS = 8
MOST_UNBROKEN, LINES = 12, 48
"""Rows and lines up to which a table is not broken between two pages."""


def render(
    document: Document,
    results: Results,
    theme: Theme | None = None,
    attached: Sequence[Attachment] = (),
) -> bytes:
    """Render the PDF; everything in it comes from the document, nothing from the machine."""
    theme, length = theme or Theme(), results.report.length
    files = select_attachments(attached, results.report.attached)
    is_beside = any(name.startswith(f"{TABLES}/") for name in results.files)
    data_of = {each.block: each.name for each in (attached if is_beside else files) if each.block}
    document = _add_attachment_line(document, files, attached, results)
    every = list_omissions(shorten_document(document, length)) if length == "standard" else []

    @cache
    def compile_without(fewer: int) -> bytes:
        shown = shorten_document(document, length, every[:fewer])
        has_numbers = length == "full"
        return _compile_pdf(shown, theme, has_numbers=has_numbers, files=files, data_of=data_of)

    most = page_limit(results)
    if not every or count_pages(compile_without(0)) <= most:
        return compile_without(0)
    # Each further cut makes it no longer, so the first that fits is found by halving.
    fewest = bisect_left(
        range(len(every)), True, key=lambda fewer: count_pages(compile_without(fewer)) <= most
    )
    return compile_without(fewest)


def count_pages(made: bytes) -> int:
    """Count the pages of a PDF of ours."""
    return max(int(count) for count in re.findall(rb"/Type\s*/Pages\s*/Count (\d+)", made))


def _add_attachment_line(
    document: Document, files: Sequence[Attachment], all_: Sequence[Attachment], results: Results
) -> Document:
    """Add a line on the attached files at the end of the document's last section."""
    said = [_describe_attachments(files)]
    is_asked = "results" in results.report.attached and any(f.kind == "results" for f in all_)
    if is_asked and not any(file.kind == "results" for file in files):
        said.append(prose.line("document.too_large"))
    if not any(said) or not document.sections:
        return document
    *others, last = document.sections
    head = Span(prose.line("document.attached"), is_strong=True)
    text = Text(make_phrase(head, f" {' '.join(filter(None, said))}"))
    return replace(document, sections=(*others, replace(last, blocks=(*last.blocks, text))))


def _describe_attachments(files: Sequence[Attachment]) -> str:
    """Describe the attached files in a line: those with their own name, and how many tables."""
    named = [file.name for file in files if file.kind != "tables"]
    tables = sum(file.kind == "tables" for file in files)
    if tables:
        named.append(prose.line("document.attached_tables", count=tables))
    return prose.line("document.attached_files", files=", ".join(named)) if named else ""


def _compile_pdf(
    document: Document,
    theme: Theme,
    *,
    has_numbers: bool,
    files: Sequence[Attachment],
    data_of: Mapping[str, str],
) -> bytes:
    context = _build_context(document, theme, has_numbers=has_numbers)
    context["attached"] = [_convert_attachment(file) for file in files]
    context["data_of"] = data_of
    level = "a-3a" if files else "a-2a"  # files are for the third part of PDF/A alone
    made = _compile(
        context,
        theme,
        files,
        format="pdf",
        pdf_standards=["ua-1", level],
        timestamp=int(_parse_date(document).timestamp()),
    )
    return bytes(made)


def draw_page_one(document: Document, length: Length, theme: Theme, pixels: int) -> bytes:
    """Draw page one as a PNG with so many pixels an inch, without its digest."""
    document = replace(shorten_document(document, length), digest="")
    context = _build_context(document, theme, has_numbers=False)
    context.update(attached=[], data_of={})
    pages = _compile(context, theme, (), format="png", ppi=float(pixels))
    return bytes(pages[0] if isinstance(pages, list) else pages)


def _compile(context: Plain, theme: Theme, files: Sequence[Attachment], **options: Any) -> Any:
    """Fill the template and compile what it gives."""
    source = fill_template("typst", "report.typ", context, template_dir=theme.template_dir)
    world = {"main.typ": source.encode(), **{file.name: file.content for file in files}}
    typst = _import_typst()
    try:
        return typst.compile(world, font_paths=_fonts(theme.fonts), **options)
    except typst.TypstError as error:
        raise OutputError(_format_refusal(error, source, theme.template_dir)) from error


def _convert_attachment(file: Attachment) -> Plain:
    relation = {"config": "source", "evidence": "supplement"}.get(file.kind, "data")
    return {"name": file.name, "media": file.media, "about": file.about, "relation": relation}


def _format_refusal(error: Any, source: str, template_dir: Path | None) -> str:
    """Format Typst's error, at the line of a team's own template where it comes from one."""
    found = re.search(r"┌─ [^\n]*?:(\d+):\d+", str(error.diagnostic))
    wrong = source.split("\n")[int(found.group(1)) - 1] if found else ""
    own = template_dir.glob("typst/*.typ") if template_dir else ()
    for path in sorted(filter(Path.is_file, own)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            typed = re.split(r"\{\{|\{%", line)[0].strip()
            if typed and typed in wrong:
                return (
                    f"{path}:{number}: Typst: {format_foreign_error(error.message)}; correct the "
                    "template"
                )
    return (
        f"{FILES['pdf']}: Typst refused the page: {format_foreign_error(error.message)}: "
        f"{quote(wrong, LONGEST_QUOTE)}"
    )


def _build_context(document: Document, theme: Theme, *, has_numbers: bool) -> Plain:
    content = convert_document(document, theme, is_spelled=True)
    for table in _iter_tables(content):
        _fit(table)
    clock = _parse_date(document)
    return {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "front": FRONT,
        "numbers": [
            {**block["table"], "of": block["title"]}
            for block in _iter_blocks(content)
            if has_numbers and block["kind"] == "figure" and block["table"]
        ],
        "date": content["header"]["date"][:10],
        "clock": {
            part: getattr(clock, part)
            for part in ("year", "month", "day", "hour", "minute", "second")
        },
        "language": content["language"].partition("-")[0] or "en",
        "light": theme.light_palette,
        "faces": ", ".join(map(escape_typst_string, (*FACES, *_list_families(theme.fonts)))),
        "logo": list(theme.logo_content()),
        "logo_format": theme.logo.suffix.lower().lstrip(".") if theme.logo else "",
    }


def _parse_date(document: Document) -> datetime:
    """Return the document's date in UTC; the first day of Unix time where it is not a date."""
    try:
        moment = datetime.fromisoformat(document.header.date)
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _import_typst() -> Any:
    """Import the library here, so that without it the other outputs are made."""
    try:
        return import_module("typst")
    except ImportError:
        raise OutputError(describe_missing_package(FILES["pdf"], "typst")) from None


@lru_cache
def _fonts(extra: Path | None) -> Any:
    folders = [find_fonts_folder(), fallback_folder(), *([extra] if extra else [])]
    return _import_typst().Fonts(
        include_system_fonts=False,
        include_embedded_fonts=False,
        font_paths=[str(folder) for folder in folders],
    )


def _list_families(extra: Path | None) -> tuple[str, ...]:
    if extra is None:
        return ()
    found = _import_typst().Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(extra)]
    )
    return tuple(sorted(found.families()))


def _iter_blocks(content: Plain) -> Iterator[Plain]:
    for section in content["sections"]:
        for block in section["blocks"]:
            yield from block["figures"] if block["kind"] == "pair" else (block,)


def _iter_tables(content: Plain) -> Iterator[Plain]:
    for block in _iter_blocks(content):
        if block["kind"] == "table":
            yield block
        elif block["kind"] == "figure" and block["table"]:
            yield block["table"]


def _fit(table: Plain) -> None:
    """Lay the table out for the page: too many columns become tables below each other."""
    rest = range(1, len(table["columns"]))
    parts = max(1, -(-len(rest) // (MOST_COLUMNS - 1)))
    ends = [len(rest) * k // parts for k in range(parts + 1)]  # as many columns in each
    table["parts"] = [_part(table, [0, *rest[a:b]]) for a, b in pairwise(ends)]


def _part(table: Plain, chosen: list[int]) -> Plain:
    columns = [
        {**table["columns"][k], "lines": _split_title(table["columns"][k]["title"])} for k in chosen
    ]
    rows = [[row[k] for k in chosen] for row in table["rows"]]
    lengths = [
        _compute_length([*column["lines"], column["note"], *_list_words(rows, k)])
        for k, column in enumerate(columns)
    ]
    is_small = len(chosen) > 6
    size, page = ("7pt", PAGE_OF_SMALL) if is_small else ("8pt", PAGE)
    # What is short is given its room; only long texts share, and break in, what is left.
    shares = [0 if length <= SHORT else length for length in lengths]
    short = sum(length for length in lengths if length <= SHORT)
    if short + LEAST * sum(map(bool, shares)) > page:
        # Nor may what is short leave the long ones none.
        shares = [min(length, SHORT) for length in lengths]
    if sum(lengths) <= page:
        # What is left goes to the texts at the left, so that numbers stand together at the right.
        count = next((k for k, each in enumerate(columns[:-1]) if k and each["is_numeric"]), 1)
        shares = [length if k < count else 0 for k, length in enumerate(lengths)]
    left = page - sum(length for length, share in zip(lengths, shares, strict=True) if not share)
    capacity = [
        share * left // sum(shares) if share else length
        for length, share in zip(lengths, shares, strict=True)
    ]
    widths = [f"{share}fr" if share else "auto" for share in shares]
    rows = [[_keep_intervals(cell, capacity[k]) for k, cell in enumerate(row)] for row in rows]
    is_unbroken = (
        len(rows) <= MOST_UNBROKEN and sum(_count_lines(row, capacity) for row in rows) <= LINES
    )
    return {
        "columns": columns,
        "rows": rows,
        "widths": widths,
        "size": size,
        "is_unbroken": is_unbroken,
    }


def _keep_intervals(cell: Plain, capacity: int) -> Plain:
    """Return the cell with no line end inside an interval that fits into one line."""

    def keep(match: re.Match[str], capacity: int = capacity) -> str:
        text = match.group()
        return text.replace(" ", "\u00a0") if len(text) <= capacity else text

    in_note = partial(keep, capacity=capacity * 8 // 7)  # its signs are smaller
    return {
        **cell,
        "text": INTERVAL.sub(keep, cell["text"]),
        "note": INTERVAL.sub(in_note, cell["note"]),
    }


def _count_lines(row: list[Plain], capacity: list[int]) -> int:
    """Count the lines of a table's row, about."""
    return max(
        (-(-len(cell["text"]) // width) + -(-len(cell["note"]) // width))
        for cell, width in zip(row, capacity, strict=False)
    )


def _split_title(title: str) -> list[str]:
    """Split a column's title into two lines of about the same length, if it has several words.

    >>> _split_title("Against flagging everyone"), _split_title("Model")
    (['Against flagging', 'everyone'], ['Model'])
    """
    words = title.split()
    if len(words) < 2 or len(title) < SPLIT:
        return [title]
    halves = [[" ".join(words[:k]), " ".join(words[k:])] for k in range(1, len(words))]
    return min(halves, key=lambda half: max(map(len, half)))


def _list_words(rows: list[list[Plain]], k: int) -> list[str]:
    return [text for row in rows if k < len(row) for text in (row[k]["text"], row[k]["note"])]


def _compute_length(texts: list[str]) -> int:
    """Compute the width of a column, in signs: 8 to 40, and more where texts are far longer."""
    longest = max(map(len, texts), default=0)
    further = min(max(longest - LONG, 0), 240) // 8
    return max(min(longest, LONG) + further, 8)
