"""The documentation as a site, built offline: `sphinx-build -n -W docs SITE`."""

import gc
import re
import sys
from pathlib import Path
from typing import Any

from reportgen.version import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
STUDIES = HERE.parent / "benchmarks" / "results"
EVIDENCE = HERE / "evidence"
"""Copies of the studies, made at each build."""
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(?!benchmarks/results/[\w-]+\.md)[^)\s]+\)")
MADE = re.compile(r"\]\(((?:\.\./)?)reference\.md#([\w-]+)\)")

project = "reportgen"
release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["style.md", "reference/site"]
html_theme = "furo"
html_title = f"reportgen {release}"
html_show_sourcelink = False
html_copy_source = False
(HERE / "reference" / "site").mkdir(parents=True, exist_ok=True)
html_extra_path = ["reference/site"]
myst_heading_anchors = 4
# Nodes live as long as their page: collecting garbage among them takes a quarter of the time.
gc.set_threshold(200_000, 50, 100)


def convert_links(text: str) -> str:
    """Lead links to studies and made pages to them; files outside the site are named alone."""
    text = OUTSIDE.sub(r"\1", text.replace("../../benchmarks/results/", "../benchmarks/results/"))
    text = MADE.sub(r"](\1reference/\2.md)", text)
    return text.replace("](../benchmarks/results/", "](evidence/")


def copy_studies() -> None:
    """Copy the studies into the site, with their links to its pages."""
    EVIDENCE.mkdir(exist_ok=True)
    names = sorted(STUDIES.glob("*.md"))
    listed = "\n".join(path.stem for path in names)
    head = "# Studies\n\nWhat was measured, and how to measure it again.\n\n"
    (EVIDENCE / "index.md").write_text(f"{head}```{{toctree}}\n{listed}\n```\n", encoding="utf-8")
    for path in names:
        text = path.read_text(encoding="utf-8").replace("](../../docs/", "](../")
        text = re.sub(r"\[([^\]]+)\]\((?!\.\./[\w-]+\.md)(?![\w-]+\.md)[^)#\s]+\)", r"\1", text)
        title = path.stem.replace("_", " ").capitalize()
        start = "" if text.startswith("# ") else f"# {title}\n\n"
        (EVIDENCE / path.name).write_text(start + MADE.sub(r"](\1reference/\2.md)", text), "utf-8")


def make_pages() -> None:
    """Make the pages about the program, with its figures and reports."""
    import build
    import figures
    import gallery
    import sentences

    for pages in (build.pages(), sentences.pages(), figures.pages(), gallery.pages()):
        build.write_reference(pages)


def setup(app: Any) -> None:
    """Make pages before they are looked for, and convert links as pages are read."""

    def make(_: Any) -> None:
        from sphinx.util.logging import getLogger  # here: tests read this file without Sphinx

        getLogger("reportgen").info("making the reference and nine reports, about a minute")
        copy_studies()
        make_pages()

    def convert(_: Any, name: str, source: list[str]) -> None:
        if name == "reference":
            source[0] = re.sub(r"^## ([\w-]+)$", r"## [\1](reference/\1.md)", source[0], flags=re.M)
        elif not name.startswith(("evidence/", "reference/")):
            source[0] = convert_links(source[0])

    app.connect("builder-inited", make)
    app.connect("source-read", convert)
