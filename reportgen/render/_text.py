"""Text made safe to print anywhere: no control signs, no endless names, no missing glyphs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set

JOINERS = {0x200C, 0x200D}
"""Zero-width joiners: Persian and Indic words need them, so readers' fonts get them."""


def clean(text: str) -> str:
    r"""The text without control, bidirectional, other invisible signs and lone surrogates.

    A tab becomes a space; a line break stays.

    >>> clean("a\u202eb\x00c\td")
    'abc d'
    """
    if text.isascii() and text.isprintable():
        return text
    kept = (sign for sign in text.replace("\t", " ") if sign == "\n" or _is_printed(sign))
    return "".join(kept)


def shorten(text: str, longest: int) -> str:
    """The text, or its two ends around an ellipsis, in at most `longest` signs.

    Both ends are kept because names in a series often differ only at the end.

    >>> shorten("a_very_long_name_2", 11)
    'a_very…me_2'
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) * 2 // 5
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


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


def _is_printed(sign: str) -> bool:
    code = ord(sign)
    if code in JOINERS:
        return True
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF or 0xFE00 <= code <= 0xFE0F:
        return False  # not characters at all, or selectors between variants of one
    return unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
