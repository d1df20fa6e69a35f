"""The report as one HTML file that needs nothing else: no network, no script."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, replace
from math import isfinite

from reportgen.document import Document
from reportgen.outputs import FILES
from reportgen.render.plain import Plain, plain
from reportgen.render.resources import fonts_folder
from reportgen.render.templates import filled
from reportgen.render.theme import LOGO_KINDS, Theme
from reportgen.results import Results
from reportgen.text import in_json

NAME = FILES["html"]


def render(document: Document, results: Results, theme: Theme | None = None) -> dict[str, bytes]:
    """The page, with the results as JSON inside it."""
    return {NAME: page(document, theme or Theme(), _json(results)).encode()}


def page(document: Document, theme: Theme, results_json: str = "") -> str:
    """A document as one page, which holds the results if they are given."""
    content = plain(document, theme, is_spelled=False, has_narrow=True)
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "date": content["header"]["date"][:10],
        "light": theme.light_palette,
        "dark": theme.dark_palette,
        "fonts": {"regular": _font("Regular"), "strong": _font("SemiBold")},
        "logo": _logo_address(theme),
        "results_json": results_json,
    }
    return filled("html", "report.html", context, template_dir=theme.template_dir)


def _logo_address(theme: Theme) -> str:
    """The logo as a `data:` address; empty if there is none."""
    if theme.logo is None:
        return ""
    content = base64.b64encode(theme.logo_content()).decode()
    return f"data:{LOGO_KINDS[theme.logo.suffix.lower()]};base64,{content}"


def _font(weight: str) -> str:
    path = fonts_folder() / f"Inter-{weight}.woff2"
    return base64.b64encode(path.read_bytes()).decode()


def _json(results: Results) -> str:
    """The results as JSON that cannot end the element it stands in.

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
        _finite(held), ensure_ascii=False, sort_keys=True, separators=(",", ":"),
        default=str, allow_nan=False,
    )  # fmt: skip
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return in_json(text)


def _finite(value: object) -> object:
    """The same value with null for every number that JSON does not have."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
