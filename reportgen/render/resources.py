"""Where the templates and fonts are, in a checkout, an editable install and a wheel."""

from __future__ import annotations

from pathlib import Path


def templates_folder() -> Path:
    """The built-in templates: inside the package (wheel), else beside it (checkout)."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / "html").is_dir():
            return folder
    raise FileNotFoundError(f"no templates in {package} or beside it")


def fonts_folder() -> Path:
    """The packaged fonts."""
    return templates_folder() / "fonts"
