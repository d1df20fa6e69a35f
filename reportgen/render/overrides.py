"""A team's own templates: each file replaces a built-in one, or is used by one that does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reportgen.errors import UsageError, did_you_mean
from reportgen.render.resources import templates_folder

FORMATS = ("html", "typst", "markdown")
SUFFIXES = (".html", ".css", ".typ", ".md")


def refuse_unused(folder: Path) -> None:
    """Refuse a folder in which a template would be ignored, or that has none."""
    own = templates_folder()
    known = {f"{kind}/{path.name}" for kind in FORMATS for path in (own / kind).iterdir()}
    found = {path.relative_to(folder).as_posix(): path for path in _templates(folder)}
    if not found:
        raise UsageError(
            f"{folder}: holds no template; one that replaces the forest is html/forest.html in it"
        )
    texts = {name: path.read_text("utf-8", "replace") for name, path in found.items()}
    unused = [name for name in sorted(found) if name not in known and not _is_used(name, texts)]
    if unused:
        raise UsageError(
            *(f"{folder / name}: replaces no template; {did_you_mean(name, known)}"
              for name in unused)
        )  # fmt: skip


def _templates(folder: Path) -> Iterator[Path]:
    """The files that look like templates; a README is none."""
    for path in sorted(folder.rglob("*")):
        is_read = path.stem.lower() == "readme" or path.name.startswith(".")
        if path.suffix in SUFFIXES and path.is_file() and not is_read:
            yield path


def _is_used(name: str, texts: dict[str, str]) -> bool:
    """Whether a file of the same format names it, to include or to extend it."""
    kind, _, own = name.partition("/")
    others = (text for other, text in texts.items() if other != name)
    return kind in FORMATS and bool(own) and any(own in text for text in others)
