"""Each output by its name in the config; its module is imported when it is wanted."""

from __future__ import annotations

from importlib import import_module

from reportgen.document import Document
from reportgen.render.theme import Theme
from reportgen.results import Results


def rendered(output: str, document: Document, results: Results, theme: Theme) -> dict[str, bytes]:
    """The files of one output, by name."""
    module = import_module(f"reportgen.render.{output}")
    files: dict[str, bytes] = module.render(document, results, theme)
    return files
