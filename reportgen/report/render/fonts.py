"""Fonts, widths of texts, and texts that fit; without what draws figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from unicodedata import east_asian_width

from reportgen.report.render.theme import find_fonts_folder
from reportgen.text import JOINERS, clean_text, shorten

REGULAR, STRONG = "normal", "semibold"
INTER = {REGULAR: "Inter-Regular.ttf", STRONG: "Inter-SemiBold.ttf"}
DEJAVU = "DejaVuSans.ttf"
SIZE = 9.0
"""The size of most texts in figures, in points."""
ASCENT, DESCENT = 1984 / 2048, 494 / 2048
"""How far Inter reaches above and below the base line, in parts of the font size."""


PRINTABLE = frozenset(map(chr, range(0x20, 0x7F))) | frozenset(
    "\n\xa0£§«°±²³·»½×ÄÅÆÖØÜßàáâäåæçèéêëíîïñóôöøùúûü"
    "–—‘’“”…€₹−×≈≠≤≥∞∂∫∑∏√→←↑↓△▲▽▼◇○⁰¹⁴⁵⁶⁷⁸⁹⁺⁻₀₁₊αβγδθκλμνπρστφχΔΠΣΦ"
)
"""Characters that the packaged fonts have, so that no font need be read to know it.

`Inter-Regular.woff` and `Inter-SemiBold.woff` hold just these, for pages.
"""


def fallback_folder() -> Path:
    """Return the folder of DejaVu Sans: it comes with matplotlib, which need not be loaded."""
    spec = find_spec("matplotlib")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"


def list_extra_fonts(extra: Path | None) -> list[Path]:
    """List the font files in a folder of additional ones."""
    files = sorted(extra.glob("*.[to]tf")) if extra else []
    return [path for path in files if path.is_file()]


@lru_cache
def list_known_characters(extra: Path | None) -> frozenset[int]:
    """Return the code points that some packaged or added font can print."""
    files = [
        find_fonts_folder() / INTER[REGULAR],
        fallback_folder() / DEJAVU,
        *list_extra_fonts(extra),
    ]
    return frozenset().union(*(_read_font(path)[0] for path in files))


def text_width(text: str, *, size: float = SIZE, weight: str = REGULAR) -> float:
    """Return the width of the text, in points."""
    return size * sum(_advance(sign, weight) for sign in text)


def has_glyph(sign: str, weight: str = REGULAR) -> bool:
    """Tell whether a packaged font of this weight has the character."""
    return ord(sign) in _measure_font(weight)[0]


@lru_cache(maxsize=4096)
def _advance(sign: str, weight: str) -> float:
    """Return the width of one character in parts of the font size; about, where Inter lacks it."""
    names, widths, units = _measure_font(weight)
    if ord(sign) not in names:
        return 1.0 if east_asian_width(sign) in "WF" else 0.65
    return float(widths[names[ord(sign)]][0]) / units


@lru_cache
def _measure_font(weight: str) -> tuple[Mapping[int, str], Mapping[str, tuple[int, int]], int]:
    return _read_font(find_fonts_folder() / INTER[weight])


def _read_font(path: Path) -> tuple[Mapping[int, str], Mapping[str, tuple[int, int]], int]:
    """Return the glyph of each code point, the metrics of each glyph, and the units per em."""
    from fontTools.ttLib import TTFont  # here, since loading it takes long and only reports need it

    with TTFont(path) as font:
        return font.getBestCmap(), font["hmtx"].metrics, font["head"].unitsPerEm


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
