"""Text that fits its page: no endless words, no missing glyphs."""

from __future__ import annotations

import re
from collections.abc import Set

from reportgen.text import JOINERS, clean, shorten

LONGEST_LABEL = 200
"""More letters than a figure has room for in a line."""


def capped(text: str, longest: int) -> str:
    """The text with every longer word shortened; scripts without spaces are let be.

    >>> capped("see abcdefghijklmnop", 11)
    'see abcdef…mnop'
    """
    if len(text) <= longest:
        return text
    return re.sub(rf"[^\s\u2e80-\uffff]{{{longest + 1},}}", lambda m: shorten(m[0], longest), text)


def spelled(text: str, known: Set[int]) -> str:
    """The text with every character outside `known` written as its code point.

    >>> spelled("a中", frozenset({ord("a")}))
    'aU+4E2D'
    """
    if text.isascii():
        return text
    return "".join(_spell(sign, known) for sign in text)


def unknown(text: str, known: Set[int]) -> set[str]:
    """The printed characters of the text that are outside `known`."""
    if text.isascii():
        return set()
    strange = {sign for sign in set(text) if ord(sign) not in known}
    return {sign for sign in clean("".join(strange)) if ord(sign) not in JOINERS and sign != "\n"}


def _spell(sign: str, known: Set[int]) -> str:
    if ord(sign) in JOINERS:
        return ""
    if ord(sign) in known or sign == "\n":
        return sign
    return f"U+{ord(sign):04X}"
