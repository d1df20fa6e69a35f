"""The documentation as a site, built offline: `sphinx-build -n -W docs SITE`."""

import re
from pathlib import Path
from typing import Any

from reportgen.version import __version__

HERE = Path(__file__).parent
STUDIES = HERE.parent / "benchmarks" / "results"
EVIDENCE = HERE / "evidence"
"""Copies of the studies, made at each build."""
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(?!benchmarks/results/[\w-]+\.md)[^)\s]+\)")

project = "reportgen"
release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["style.md"]
html_theme = "furo"
html_title = f"reportgen {release}"
html_show_sourcelink = False
html_copy_source = False
myst_heading_anchors = 4


def convert_links(text: str) -> str:
    """Lead links to studies to their copies; files outside the site are named alone."""
    text = OUTSIDE.sub(r"\1", text.replace("../../benchmarks/results/", "../benchmarks/results/"))
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
        (EVIDENCE / path.name).write_text(start + text, encoding="utf-8")


def setup(app: Any) -> None:
    """Copy the studies and convert links as pages are read."""
    copy_studies()

    def convert(_: Any, name: str, source: list[str]) -> None:
        if not name.startswith("evidence/"):
            source[0] = convert_links(source[0])

    app.connect("source-read", convert)
