"""Characters and their widths, as fontTools reads them too."""

from pathlib import Path

import matplotlib as mpl
import pytest
from fontTools.ttLib import TTFont

from reportgen.report.render import fonts
from reportgen.report.render.theme import find_fonts_folder

FILES = [
    *sorted(find_fonts_folder().glob("*.ttf")),
    *sorted((Path(mpl.get_data_path()) / "fonts" / "ttf").glob("[!L]*.ttf")),
]
"""All but the font of last resort, which has one glyph for many characters (format 13)."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_font_is_read_as_fonttools_reads_it(path):
    found, known = fonts._read_font(path), TTFont(path)
    names, order = known.getBestCmap(), known.getReverseGlyphMap()
    assert found.glyphs == {code: order[name] for code, name in names.items() if order[name]}
    assert found.units == known["head"].unitsPerEm
    widths = known["hmtx"].metrics
    for code, glyph in found.glyphs.items():
        last = len(found.widths) - 1
        assert found.widths[min(glyph, last)] == widths[names[code]][0]
