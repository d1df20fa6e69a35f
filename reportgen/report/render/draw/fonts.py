"""Fonts of figures, widths of texts, and texts that fit."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from pathlib import Path
from unicodedata import east_asian_width

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

from reportgen.report.render.theme import find_fonts_folder
from reportgen.text import JOINERS, clean_text, shorten

TEXT = "reportgen-text"
FALLBACK = "reportgen-fallback"
EXTRA_FONT = "reportgen-extra"
REGULAR, STRONG = "normal", "semibold"  # by name: matplotlib 3.10 prints no other weights


def list_font_families(extra: Path | None) -> list[str]:
    """List the font families in the order in which a character is looked for."""
    return [TEXT, *([EXTRA_FONT] if extra else []), FALLBACK]


def fallback_folder() -> Path:
    """Return the folder of DejaVu Sans: it comes with matplotlib."""
    return Path(mpl.get_data_path()) / "fonts" / "ttf"


@lru_cache
def register_fonts(extra: Path | None) -> None:
    """Make the fonts known to matplotlib under our names."""
    entries = [
        (TEXT, REGULAR, find_fonts_folder() / "Inter-Regular.ttf"),
        (TEXT, STRONG, find_fonts_folder() / "Inter-SemiBold.ttf"),
        (FALLBACK, REGULAR, fallback_folder() / "DejaVuSans.ttf"),
        (FALLBACK, STRONG, fallback_folder() / "DejaVuSans-Bold.ttf"),
        *((EXTRA_FONT, REGULAR, path) for path in _extra_files(extra)),
    ]
    for name, weight, path in entries:
        entry = font_manager.FontEntry(
            fname=str(path),
            name=name,
            style="normal",
            variant="normal",
            weight=weight,
            stretch="normal",
            size="scalable",
        )
        font_manager.fontManager.ttflist.append(entry)


@lru_cache
def list_known_characters(extra: Path | None) -> frozenset[int]:
    """Return the code points that some packaged or added font can print."""
    files = [
        find_fonts_folder() / "Inter-Regular.ttf",
        fallback_folder() / "DejaVuSans.ttf",
        *_extra_files(extra),
    ]
    return frozenset().union(*(FT2Font(str(path)).get_charmap() for path in files))


def text_width(text: str, *, size: float = 9.0, weight: str = REGULAR) -> float:
    """Return the width of the text, in points."""
    return size * sum(_advance(sign, weight) for sign in text)


def _extra_files(extra: Path | None) -> list[Path]:
    found = sorted(extra.glob("*.[to]tf")) if extra else []
    return [path for path in found if path.is_file()]


@lru_cache(maxsize=4096)
def _advance(sign: str, weight: str) -> float:
    """Return the width of one character in parts of the font size; about, where Inter lacks it."""
    font = _face(weight)
    if ord(sign) not in _codes(weight):
        return 1.0 if east_asian_width(sign) in "WF" else 0.65
    glyph = font.load_char(ord(sign), LoadFlags.NO_HINTING)
    return float(glyph.linearHoriAdvance) / 65536 / 100


@lru_cache
def _face(weight: str) -> FT2Font:
    name = "Inter-SemiBold.ttf" if weight == STRONG else "Inter-Regular.ttf"
    font = FT2Font(str(find_fonts_folder() / name))
    font.set_size(100, 72)
    return font


@lru_cache
def _codes(weight: str) -> frozenset[int]:
    return frozenset(_face(weight).get_charmap())


LONGEST_LABEL = 200
"""More letters than a figure has room for in a line."""


def shorten_long_words(text: str, longest: int) -> str:
    """Shorten every longer word of a text; leave scripts without spaces as they are.

    >>> shorten_long_words("see abcdefghijklmnop", 11)
    'see abcdef…mnop'
    """
    if len(text) <= longest:
        return text
    return re.sub(rf"[^\s\u2e80-\uffff]{{{longest + 1},}}", lambda m: shorten(m[0], longest), text)


def spell_unknown(text: str, known: Set[int]) -> str:
    """Write every character of a text outside `known` as its code point.

    >>> spell_unknown("a中", frozenset({ord("a")}))
    'aU+4E2D'
    """
    if text.isascii():
        return text
    return "".join(_spell(sign, known) for sign in text)


def find_unknown(text: str, known: Set[int]) -> set[str]:
    """Find the printed characters of the text that are outside `known`."""
    if text.isascii():
        return set()
    strange = {sign for sign in set(text) if ord(sign) not in known}
    return {
        sign for sign in clean_text("".join(strange)) if ord(sign) not in JOINERS and sign != "\n"
    }


def _spell(sign: str, known: Set[int]) -> str:
    if ord(sign) in JOINERS:
        return ""
    if ord(sign) in known or sign == "\n":
        return sign
    return f"U+{ord(sign):04X}"
