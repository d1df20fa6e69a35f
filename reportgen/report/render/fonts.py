"""Fonts, widths of texts, and texts that fit; without what draws figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from struct import iter_unpack, unpack_from
from unicodedata import east_asian_width

from reportgen.records import record
from reportgen.report.render.theme import find_fonts_folder
from reportgen.text import JOINERS, clean_text, shorten

REGULAR, STRONG = "normal", "semibold"
INTER = {REGULAR: "Inter-Regular.ttf", STRONG: "Inter-SemiBold.ttf"}
DEJAVU = "DejaVuSans.ttf"
_UNICODE = {*((0, k) for k in range(7)), (3, 1), (3, 10)}  # platform and encoding of a table
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
    return frozenset().union(*(_read_font(path).glyphs for path in files))


def text_width(text: str, *, size: float = SIZE, weight: str = REGULAR) -> float:
    """Return the width of the text, in points."""
    return size * sum(_advance(sign, weight) for sign in text)


def has_glyph(sign: str, weight: str = REGULAR) -> bool:
    """Tell whether a packaged font of this weight has the character."""
    return ord(sign) in _measure_font(weight).glyphs


@lru_cache(maxsize=4096)
def _advance(sign: str, weight: str) -> float:
    """Return the width of one character in parts of the font size; about, where Inter lacks it."""
    font = _measure_font(weight)
    glyph = font.glyphs.get(ord(sign))
    if glyph is None:
        return 1.0 if east_asian_width(sign) in "WF" else 0.65
    return font.widths[min(glyph, len(font.widths) - 1)] / font.units


@lru_cache
def _measure_font(weight: str) -> Font:
    return _read_font(find_fonts_folder() / INTER[weight])


@record
class Font:
    """The glyph of each code point, the widths of glyphs, and the units of the font size."""

    glyphs: Mapping[int, int]
    widths: Sequence[int]
    units: int


def _read_font(path: Path) -> Font:
    """Read what a font says of its characters and their widths; fontTools takes long to load.

    Source: OpenType specification 1.9.1, tables `head`, `hhea`, `hmtx` and `cmap`.
    """
    data = path.read_bytes()
    (count,) = unpack_from(">H", data, 4)
    tables = {tag: at for tag, _, at, _ in iter_unpack(">4s3I", data[12 : 12 + 16 * count])}
    (units,) = unpack_from(">H", data, tables[b"head"] + 18)
    (count,) = unpack_from(">H", data, tables[b"hhea"] + 34)
    widths = unpack_from(">" + "H2x" * count, data, tables[b"hmtx"])
    return Font(_read_glyphs(data, tables[b"cmap"]), widths, units)


def _read_glyphs(data: bytes, at: int) -> Mapping[int, int]:
    """Read the glyphs of all of Unicode (format 12) or of its first plane (format 4)."""
    (count,) = unpack_from(">H", data, at + 2)
    places = {
        unpack_from(">H", data, at + place)[0]: at + place
        for *kind, place in iter_unpack(">HHI", data[at + 4 : at + 4 + 8 * count])
        if tuple(kind) in _UNICODE
    }
    if 12 in places:
        start = places[12] + 16
        (count,) = unpack_from(">I", data, start - 4)
        groups = iter_unpack(">3I", data[start : start + 12 * count])
        return {low + k: first + k for low, high, first in groups for k in range(high - low + 1)}
    return _read_first_plane(data, places[4]) if 4 in places else {}


def _read_first_plane(data: bytes, at: int) -> Mapping[int, int]:
    count = unpack_from(">H", data, at + 6)[0] // 2
    ends = unpack_from(f">{count}H", data, at + 14)
    starts, steps, jumps = (
        unpack_from(f">{count}H", data, at + 16 + 2 * count * k) for k in (1, 2, 3)
    )
    glyphs = {}
    for k, (low, high, step, jump) in enumerate(zip(starts, ends, steps, jumps, strict=True)):
        for code in range(low, high + 1):
            glyph = code
            if jump:  # from its own place in the table to that of the glyph
                own = at + 16 + 6 * count + 2 * k
                (glyph,) = unpack_from(">H", data, own + jump + 2 * (code - low))
            if jump == 0 or glyph:
                glyphs[code] = (glyph + step) % 0x10000
    return {code: glyph for code, glyph in glyphs.items() if glyph}


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
