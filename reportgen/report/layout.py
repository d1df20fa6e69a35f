"""Lay out results as a document, with a warning where its fonts lack characters."""

from __future__ import annotations

from dataclasses import replace

from reportgen.report import prose
from reportgen.report.document import Document
from reportgen.report.prose.warnings import format_warning
from reportgen.report.render.theme import Theme
from reportgen.report.sections import build_document
from reportgen.results import Results
from reportgen.results.core import Warning

MAX_CHARACTERS = 20


def lay_out_results(results: Results, theme: Theme) -> tuple[Results, Document]:
    """Build the document; W205 is added where its fonts lack characters that it uses."""
    from reportgen.report.render.plain import find_missing_characters  # what draws takes room

    with prose.use_messages(prose.load_messages(theme.template_dir)):
        document = build_document(results)
        missing = find_missing_characters(document, theme)
        if not missing:
            return results, document
        warned = add_glyph_warning(results, missing)
        return warned, build_document(warned)


def add_glyph_warning(results: Results, missing: tuple[str, ...]) -> Results:
    """Add a warning to the results if the report uses characters that none of its fonts has."""
    if not missing:
        return results
    fatal = "W205" in str(results.config.get("warnings", ""))
    numbers = {"characters": " ".join(f"U+{ord(sign):04X}" for sign in missing[:MAX_CHARACTERS])}
    text = format_warning("W205", dict(numbers))
    added = Warning(code="W205", text=text, numbers=dict(numbers), is_fatal=fatal)
    return replace(results, warnings=(*results.warnings, added))
