"""The report as one HTML file that needs nothing else: no network, no script."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path

from reportgen.document import Document
from reportgen.errors import OutputError
from reportgen.render._plain import Plain, plain
from reportgen.render._resources import fonts_folder
from reportgen.render._templates import filled
from reportgen.render.theme import Theme
from reportgen.results import Results

NAME = "report.html"
MOST_POINTS = 2000
"""Points of curves that the page holds as JSON; more would make it too large for a mail."""


def render(document: Document, results: Results, theme: Theme | None = None) -> dict[str, bytes]:
    """The page, with the results as JSON inside it."""
    theme = theme or Theme()
    content = plain(document, theme, is_spelled=False, has_narrow=True)
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "date": content["header"]["date"][:10],
        "light": theme.light_palette,
        "dark": theme.dark_palette,
        "fonts": {"regular": _font("Regular"), "strong": _font("SemiBold")},
        "logo": logo_address(theme.logo),
        "results_json": _json(replace(results, curves=())),  # points are in results.json
    }
    page = filled("html", "report.html", context, template_dir=theme.template_dir)
    return {NAME: page.encode()}


def logo_address(logo: Path | None) -> str:
    """The logo as a `data:` address; empty if there is none."""
    if logo is None:
        return ""
    kinds = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}
    if logo.suffix.lower() not in kinds:
        raise OutputError(f"theme: logo: {str(logo)!r} is no SVG, PNG or JPEG file")
    try:
        content = logo.read_bytes()
    except OSError as error:
        raise OutputError(f"theme: logo: cannot read {str(logo)!r} ({error.strerror})") from error
    return f"data:{kinds[logo.suffix.lower()]};base64,{base64.b64encode(content).decode()}"


def _font(weight: str) -> str:
    path = fonts_folder() / f"Inter-{weight}.woff2"
    return base64.b64encode(path.read_bytes()).decode()


def _json(results: Results) -> str:
    """The results as JSON that cannot end the element it stands in.

    Long curves are left out and named so: `results.json` has them, and each figure its numbers.
    """
    held = asdict(results)
    if sum(len(curve.x) for curve in results.curves) > MOST_POINTS:
        held["curves"] = []
        held["left_out"] = ["curves"]
    text = json.dumps(
        _finite(held), ensure_ascii=False, sort_keys=True, separators=(",", ":"),
        default=str, allow_nan=False,
    )  # fmt: skip
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    safe = text.encode("utf-8", "backslashreplace").decode()
    return safe.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _finite(value: object) -> object:
    """The same value with null for every number that JSON does not have."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
