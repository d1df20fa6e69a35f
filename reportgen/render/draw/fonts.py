"""The fonts of figures: the packaged ones under names of our own, and how wide text is.

The names are our own so that a font of the same name on the reader's machine cannot be taken
instead; the SVG pass puts the real names back.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

from reportgen.render.resources import fonts_folder

TEXT = "reportgen-text"
FALLBACK = "reportgen-fallback"
EXTRA = "reportgen-extra"
REGULAR, STRONG = "normal", "semibold"  # by name: matplotlib 3.10 prints no other weights


def families(extra: Path | None) -> list[str]:
    """The family names in the order in which a character is looked for."""
    return [TEXT, *([EXTRA] if extra else []), FALLBACK]


def fallback_folder() -> Path:
    """Where DejaVu Sans is: it comes with matplotlib."""
    return Path(mpl.get_data_path()) / "fonts" / "ttf"


@lru_cache
def register(extra: Path | None) -> None:
    """Make the fonts known to matplotlib under our names."""
    entries = [
        (TEXT, REGULAR, fonts_folder() / "Inter-Regular.ttf"),
        (TEXT, STRONG, fonts_folder() / "Inter-SemiBold.ttf"),
        (FALLBACK, REGULAR, fallback_folder() / "DejaVuSans.ttf"),
        (FALLBACK, STRONG, fallback_folder() / "DejaVuSans-Bold.ttf"),
        *((EXTRA, REGULAR, path) for path in _extra_files(extra)),
    ]
    for name, weight, path in entries:
        entry = font_manager.FontEntry(
            fname=str(path), name=name, style="normal", variant="normal",
            weight=weight, stretch="normal", size="scalable",
        )  # fmt: skip
        font_manager.fontManager.ttflist.append(entry)


@lru_cache
def known_characters(extra: Path | None) -> frozenset[int]:
    """The code points that some packaged or added font can print."""
    files = [
        fonts_folder() / "Inter-Regular.ttf",
        fallback_folder() / "DejaVuSans.ttf",
        *_extra_files(extra),
    ]
    return frozenset().union(*(FT2Font(str(path)).get_charmap() for path in files))


def width(text: str, *, size: float = 9.0, weight: str = REGULAR) -> float:
    """How wide the text is, in points."""
    return size * sum(_advance(sign, weight) for sign in text)


def _extra_files(extra: Path | None) -> list[Path]:
    found = sorted(extra.glob("*.[to]tf")) if extra else []
    return [path for path in found if path.is_file()]


@lru_cache(maxsize=4096)
def _advance(sign: str, weight: str) -> float:
    """The width of one sign in parts of the font size; 0.65 where Inter does not have it."""
    font = _face(weight)
    if ord(sign) not in _codes(weight):
        return 0.65
    glyph = font.load_char(ord(sign), LoadFlags.NO_HINTING)
    return float(glyph.linearHoriAdvance) / 65536 / 100


@lru_cache
def _face(weight: str) -> FT2Font:
    name = "Inter-SemiBold.ttf" if weight == STRONG else "Inter-Regular.ttf"
    font = FT2Font(str(fonts_folder() / name))
    font.set_size(100, 72)
    return font


@lru_cache
def _codes(weight: str) -> frozenset[int]:
    return frozenset(_face(weight).get_charmap())
