"""The report as one HTML file."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from string import ascii_letters, digits

from reportgen.report.document import Document
from reportgen.report.render.outputs import Attachment
from reportgen.report.render.plain import Plain, convert_document
from reportgen.report.render.templates import fill_template
from reportgen.report.render.theme import LOGO_KINDS, Theme, find_fonts_folder
from reportgen.results import Results
from reportgen.text import escape_json

MOST_HELD = 1_000_000
"""Bytes of files that the page holds itself."""
_KEPT = (ascii_letters + digits + " !$()*+,-./:;=?@[]_{|}~'").encode()
"""The signs that an address of data keeps; all others are spelled by their bytes."""


def render(
    document: Document,
    results: Results,
    theme: Theme | None = None,
    attached: Sequence[Attachment] = (),
) -> bytes:
    """Render the page, with the results as JSON inside it, and links to what leaves it."""
    written = frozenset(results.files)
    return render_page(
        document, theme or Theme(), _json(results), list_links(attached, written)
    ).encode()


def render_page(
    document: Document, theme: Theme, results_json: str = "", files: Sequence[FileLink] = ()
) -> str:
    """Render a document as one page, with the results and links to files if they are given."""
    content = convert_document(document, theme, is_spelled=False, has_narrow=True)
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "date": content["header"]["date"][:10],
        "light": theme.light_palette,
        "dark": theme.dark_palette,
        "fonts": {"regular": _font("Regular"), "strong": _font("SemiBold")},
        "logo": _logo_address(theme),
        "results_json": results_json,
        "files": [asdict(link) for link in files if not link.block],
        "data_of": {link.block: asdict(link) for link in files if link.block},
    }
    page = fill_template("html", "report.html", context, template_dir=theme.template_dir)
    return page.replace("##[", "#&#35;[")  # a command to GitHub's runner, where a build prints it


@dataclass(frozen=True)
class FileLink:
    """A file to be had from the page: its name, its address, what it is, the block it is of."""

    name: str
    href: str
    about: str
    block: str


def list_links(attached: Sequence[Attachment], written: Collection[str]) -> tuple[FileLink, ...]:
    """Link to files in the page itself until they are 1 MB in all, then to those next to it."""
    made, held = [], 0
    for file in sorted(attached, key=lambda each: each.kind == "results"):
        is_small = held + len(file.content) <= MOST_HELD
        href = f"data:{file.media};charset=utf-8,{_quote_bytes(file.content)}" if is_small else ""
        if is_small and held + len(href) <= MOST_HELD:
            held += len(href)
        elif file.path in written:
            href = file.path
        else:
            continue
        made.append(FileLink(file.name, href, file.about, file.block))
    return tuple(made)


def _quote_bytes(content: bytes) -> str:
    """Quote like `quote`, a pass for each sign that is not plain: files are long and signs are few.

    >>> _quote_bytes('50% of "é"'.encode())
    '50%25 of %22%C3%A9%22'
    """
    odd = set(content.translate(None, _KEPT))
    text = content.decode("latin-1").replace("%", "%25")
    for code in sorted(odd - {ord("%")}):
        text = text.replace(chr(code), f"%{code:02X}")
    return text


def _logo_address(theme: Theme) -> str:
    """Return the logo as a `data:` address; empty if there is none."""
    if theme.logo is None:
        return ""
    content = base64.b64encode(theme.logo_content()).decode()
    return f"data:{LOGO_KINDS[theme.logo.suffix.lower()]};base64,{content}"


def _font(weight: str) -> str:
    path = find_fonts_folder() / f"Inter-{weight}.woff2"
    return base64.b64encode(path.read_bytes()).decode()


def _json(results: Results) -> str:
    """Format the results as JSON that cannot end the element it is in.

    Curves and segments are left out, and named so: they would make the page too large for a
    mail; `results.json` has them, and each figure and table its numbers.
    """
    kept = replace(
        results,
        curves=(),
        files=(),  # which there are is known only when the last of them is drawn
        estimates=tuple(e for e in results.estimates if e.segment is None),
        comparisons=tuple(c for c in results.comparisons if c.segment is None),
    )
    held = {**asdict(kept), "left_out": ["curves", "segments"]}
    text = json.dumps(
        _finite(held),
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        default=str,
        allow_nan=False,
    )
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return escape_json(text)


def _finite(value: object) -> object:
    """Return the same value with null for every number that JSON does not have."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
