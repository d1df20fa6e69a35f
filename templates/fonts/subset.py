"""Make the packaged fonts from Inter's own release; run by hand when Inter changes.

    npm pack inter-ui@4.1.1 && tar xzf inter-ui-4.1.1.tgz
    pip install fonttools brotli
    python subset.py package/web .

Reads the whole static fonts (woff2, TrueType outlines) and writes a TTF for each weight, and a WOFF
with the characters that most pages need.
Contextual alternates are left out on purpose: they would
turn a typed `->` into an arrow.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from reportgen.report.render.fonts import INTER, PRINTABLE
from reportgen.report.render.html import cut_font

RANGES = (
    (0x0020, 0x024F),  # Latin
    (0x02B0, 0x036F),  # modifiers and combining marks
    (0x0370, 0x03FF),  # Greek
    (0x1E00, 0x1EFF),  # Latin, additional
    (0x2000, 0x214F),  # punctuation, super- and subscripts, currencies, letter-like signs
    (0x2150, 0x22FF),  # fractions, arrows, mathematics
    (0x25A0, 0x25FF),  # shapes
    (0x2713, 0x2718),  # ticks and crosses
)
FEATURES = ("kern", "tnum", "ccmp", "locl", "mark", "mkmk", "case", "zero", "cv11", "sups", "subs")


def cut(source: Path, target: Path) -> None:
    """Write the part of a font that reports use; no dates, so that it is the same every time."""
    options = subset.Options(layout_features=list(FEATURES), hinting=False)
    options.recalc_timestamp = False
    options.notdef_outline = True  # a box, not a gap, where no font of the reader helps
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    cutter.subset(font)
    rename(font, target.stem.partition("-")[2])
    subset.save_font(font, str(target), options)


def rename(font: TTFont, weight: str) -> None:
    """Name the family `Inter` in every weight, so that all programs find it by weight."""
    names = {1: "Inter", 2: weight, 4: f"Inter {weight}", 6: f"Inter-{weight}"}
    for number in (16, 17, 25):
        font["name"].removeNames(nameID=number)
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)


if __name__ == "__main__":
    here, there = map(Path, sys.argv[1:])
    for weight, name in INTER.items():
        cut((here / name).with_suffix(".woff2"), there / name)
        (there / name).with_suffix(".woff").write_bytes(cut_font(weight, PRINTABLE))
