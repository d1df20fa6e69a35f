"""The report as one HTML file."""

from __future__ import annotations

import base64
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from types import MappingProxyType

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import Document
from reportgen.report.render import fonts
from reportgen.report.render.outputs import Attachment, pack_files
from reportgen.report.render.plain import Plain, convert_document
from reportgen.report.render.templates import fill_template
from reportgen.report.render.theme import LOGO_KINDS, Theme, find_fonts_folder
from reportgen.results import Results
from reportgen.terms import RESULTS, TABLES

MOST_HELD = 1_000_000
"""Bytes of files that the page holds itself."""
_FONT_PLACES = {fonts.REGULAR: "\0regular", fonts.STRONG: "\0strong"}
"""What stands in the page where a font comes in; no text of a report holds such a sign."""
_SHOWN = "decision"
"""The section of page one, whose tables a phone shows."""
_FOLDED = {"method"}
"""Sections that a phone folds."""
_TALL = {"table", "figure", "pair"}
"""Kinds of blocks that make a part too tall for a phone."""
_FEW_ROWS = 3
"""Rows of a table that a phone shows unasked."""
_FONT_FEATURES = ["kern", "tnum"]


def render(
    document: Document,
    results: Results,
    theme: Theme | None = None,
    attached: Sequence[Attachment] = (),
) -> bytes:
    """Render the page, with a zip of its tables inside it and a link to the results beside it."""
    links = list_links(attached, frozenset(results.files))
    names = {file.block: file.name for file in attached if file.block}
    return render_page(document, theme or Theme(), links, names).encode()


def render_page(
    document: Document,
    theme: Theme,
    files: Sequence[FileLink] = (),
    data_of: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Render a document as one page, with links to files if they are given.

    `data_of` names the file of a figure or table by the block's id.
    """
    content = convert_document(document, theme, is_spelled=False, has_narrow=True)
    for section in content["sections"]:
        section["blocks"] = _fold_parts(section)
    context: Plain = {
        "document": content,
        "sections": {section["id"]: section for section in content["sections"]},
        "date": content["header"]["date"][:10],
        "light": theme.light_palette,
        "dark": theme.dark_palette,
        "fonts": _FONT_PLACES,
        "logo": _logo_address(theme),
        "files": [asdict(link) for link in files],
        "data_of": data_of,
    }
    page = fill_template("html", "report.html", context, template_dir=theme.template_dir)
    signs = frozenset(page)
    for weight, place in _FONT_PLACES.items():
        page = page.replace(place, _encode_font(weight, signs))
    return page.replace("##[", "#&#35;[")  # a command to GitHub's runner, where a build prints it


def _fold_parts(section: Plain) -> list[Plain]:
    """Put each part with a table or a figure into a block that a phone folds, and all of Method.

    What stands under no heading of its own is folded by itself, under its title.
    """
    if section["id"] in _FOLDED:
        return [_fold(section["title"], section["blocks"], is_named=False)]
    made: list[Plain] = []
    parts: list[tuple[Plain | None, list[Plain]]] = [(None, [])]
    for block in section["blocks"]:
        if block["kind"] == "heading":
            parts.append((block, []))
        else:
            parts[-1][1].append(block)
    for heading, blocks in parts:
        if heading is None:
            is_shown = section["id"] == _SHOWN
            made += [
                each if is_shown or not _is_tall(each) else _fold(each["title"], [each])
                for each in blocks
            ]
        elif _TALL.isdisjoint(block["kind"] for block in blocks):
            made += [heading, *blocks]
        else:
            made += [heading, _fold(heading["text"], blocks)]
    return made


def _fold(title: str, blocks: list[Plain], *, is_named: bool = True) -> Plain:
    """Return a block that a phone folds; a single figure or table leaves its title to the fold."""
    is_single = is_named and len(blocks) == 1 and title == blocks[0].get("title")
    return {
        "kind": "part",
        "title": title,
        "blocks": blocks,
        "is_named": is_named,
        "is_single": is_single,
    }


def _is_tall(block: Plain) -> bool:
    """Tell whether a block under no heading is a figure, or a table with a title and many rows."""
    if block["kind"] == "figure":
        return True
    is_open = block["kind"] == "table" and not block["is_folded"]
    return bool(is_open and block["title"] and len(block["rows"]) > _FEW_ROWS)


@record
class FileLink:
    """A file to be had from the page: its name, its address, and what it is."""

    name: str
    href: str
    about: str


def list_links(attached: Sequence[Attachment], written: Collection[str]) -> tuple[FileLink, ...]:
    """Link to the results beside the page, and to the other files as a zip inside it.

    A zip of more than 1 MB is left out: then the link leads to the folder of the tables.
    """
    links = []
    packed = [file for file in attached if file.kind != "results"]
    if packed:
        about = prose.line("document.packed", count=len(packed))
        content = base64.b64encode(pack_files((f.path, f.content) for f in packed)).decode()
        if len(content) <= MOST_HELD:
            href = f"data:application/zip;base64,{content}"
            links.append(FileLink(f"{TABLES}.zip", href, about))
        elif any(name.startswith(f"{TABLES}/") for name in written):
            links.append(FileLink(f"{TABLES}/", f"{TABLES}/", about))
    if RESULTS in written:
        links.append(FileLink(RESULTS, RESULTS, prose.line("document.numbers")))
    return tuple(links)


def _logo_address(theme: Theme) -> str:
    """Return the logo as a `data:` address; empty if there is none."""
    if theme.logo is None:
        return ""
    content = base64.b64encode(theme.logo_content()).decode()
    return f"data:{LOGO_KINDS[theme.logo.suffix.lower()]};base64,{content}"


@lru_cache(maxsize=8)
def _encode_font(weight: str, signs: frozenset[str]) -> str:
    """Return a packaged font as WOFF in base64, with at least these characters that it has."""
    is_rare = any(fonts.has_glyph(sign, weight) for sign in signs - fonts.PRINTABLE)
    ready = (find_fonts_folder() / fonts.INTER[weight]).with_suffix(".woff")
    return base64.b64encode(cut_font(weight, signs) if is_rare else ready.read_bytes()).decode()


def cut_font(weight: str, signs: Iterable[str]) -> bytes:
    """Cut a packaged font to these characters, as WOFF."""
    from fontTools import subset  # takes a while to import, and most pages need none of it

    options = subset.Options(layout_features=_FONT_FEATURES, hinting=False, notdef_outline=True)
    options.recalc_timestamp = False
    whole = (find_fonts_folder() / fonts.INTER[weight]).read_bytes()
    font = subset.load_font(io.BytesIO(whole), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(signs)))
    cutter.subset(font)
    made = io.BytesIO()
    font.flavor = "woff"
    font.save(made)
    return made.getvalue()
