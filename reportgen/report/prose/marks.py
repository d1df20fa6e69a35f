"""Marks in a message: `**bold**`, `` `code` `` and `[text](#section)`, and no others."""

from __future__ import annotations

import re

from reportgen.report.document import Phrase, Span

_SPECIAL = re.compile(r"([\\*`\[\]])")
_ESCAPED = re.compile(r"\\([\\*`\[\]])")
_MARK = re.compile(
    r"\*\*(?P<strong>(?:\\.|[^\\*])+)\*\*"
    r"|`(?P<code>(?:\\.|[^\\`])+)`"
    r"|\[(?P<link>(?:\\.|[^\\\]])+)\]\((?P<href>[^)\s]+)\)"
)


class Marked(str):
    """Text whose marks are read as marks."""


def escape_marks(value: object) -> str:
    r"""Return a value as text in which nothing is a mark; marked text stays as it is.

    Raises TypeError for None, which no message may print.

    >>> escape_marks("a*b"), escape_marks(Marked("**b**"))
    ('a\\*b', '**b**')
    """
    if value is None:
        raise TypeError("this message prints a value that is missing here")
    return value if isinstance(value, Marked) else _SPECIAL.sub(r"\\\1", str(value))


def parse_marks(text: str) -> Phrase:
    r"""Parse marked text into spans.

    >>> [(s.text, s.is_strong) for s in parse_marks(r"by **+0.02** on \*x\*")]
    [('by ', False), ('+0.02', True), (' on *x*', False)]
    """
    spans, place = [], 0
    for mark in _MARK.finditer(text):
        if mark.start() > place:
            spans.append(Span(_unescape(text[place : mark.start()])))
        if mark["strong"] is not None:
            spans.append(Span(_unescape(mark["strong"]), is_strong=True))
        elif mark["code"] is not None:
            spans.append(Span(_unescape(mark["code"]), is_code=True))
        else:
            spans.append(Span(_unescape(mark["link"]), href=mark["href"]))
        place = mark.end()
    if place < len(text) or not spans:
        spans.append(Span(_unescape(text[place:])))
    return tuple(spans)


def remove_marks(text: str) -> str:
    """Return marked text as plain text, for a terminal, JSON or a table cell."""
    return "".join(span.text for span in parse_marks(text))


def keep_code(text: str) -> str:
    """Return marked text as plain text in which code still stands between backticks."""
    return "".join(f"`{each.text}`" if each.is_code else each.text for each in parse_marks(text))


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
