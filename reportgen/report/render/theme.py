"""The theme: colours, logo, fonts, own templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from reportgen.errors import OutputError, UsageError, did_you_mean
from reportgen.paths import find_templates_folder, open_regular
from reportgen.records import record
from reportgen.report.prose import load_messages
from reportgen.results import Results


def find_fonts_folder() -> Path:
    """Return the folder of the packaged fonts."""
    return find_templates_folder() / "fonts"


TEMPLATE_FORMATS = ("html", "typst", "markdown")
SUFFIXES = (".html", ".css", ".typ", ".md")


def check_templates(folder: Path) -> None:
    """Refuse a folder in which a template would be ignored, or that has none."""
    own = find_templates_folder()
    known = {f"{kind}/{path.name}" for kind in TEMPLATE_FORMATS for path in (own / kind).iterdir()}
    files = {path.relative_to(folder).as_posix(): path for path in _iter_templates(folder)}
    if not files:
        raise UsageError(
            f"{folder}: holds no template; one that replaces the forest is html/forest.html in it"
        )
    load_messages(folder)  # which refuses messages that replace none
    found = {name: path for name, path in files.items() if not name.startswith("prose/")}
    texts = {name: path.read_text("utf-8", "replace") for name, path in found.items()}
    unused = [name for name in sorted(found) if name not in known and not _is_used(name, texts)]
    if unused:
        raise UsageError(
            *(
                f"{folder / name}: replaces no template; {did_you_mean(name, known)}"
                for name in unused
            )
        )


def _iter_templates(folder: Path) -> Iterator[Path]:
    """Yield the files that look like templates; a README is none."""
    for path in sorted(folder.rglob("*")):
        is_read = path.stem.lower() == "readme" or path.name.startswith(".")
        if path.suffix in SUFFIXES and path.is_file() and not is_read:
            yield path


def _is_used(name: str, texts: dict[str, str]) -> bool:
    """Return whether a file of the same format names it, to include or to extend it."""
    kind, _, own = name.partition("/")
    others = (text for other, text in texts.items() if other != name)
    return kind in TEMPLATE_FORMATS and bool(own) and any(own in text for text in others)


LIGHT: Mapping[str, str] = {
    "ink": "#16191d",
    "soft": "#5b6470",
    "line": "#e3e6ea",
    "page": "#ffffff",
    "panel": "#f7f8fa",
    "accent": "#006ba6",
    "good": "#0a6b4b",
    "good_page": "#e9f6f0",
    "bad": "#a8380a",
    "bad_page": "#fdf0ea",
    "stop": "#b3141f",
    "stop_page": "#fdeeee",
    "open": "#6a5200",
    "open_page": "#fbf5e0",
    "baseline": "#595959",
    "worse": "#d55e00",
    "reference": "#6b7280",
    "other": "#868f99",
    "candidate1": "#0072b2",
    "candidate2": "#4a1a6b",
    "candidate3": "#8f5f00",
    "candidate4": "#7a0033",
    "candidate5": "#b8347a",
    "candidate6": "#3d5a99",
    "candidate7": "#7a4f9e",
    "candidate8": "#007a8a",
    "candidate9": "#6b4a3a",
}
"""Every colour by its part, on white: text at 4.5 to 1 or more.

No model has the green or the rust of a verdict. The baseline and the first four candidates differ
by CIEDE2000 of 12 or more to normal, deuteranope and protanope sight; dash and marker tell the
rest.
"""

DARK: Mapping[str, str] = {
    "ink": "#e8eaed",
    "soft": "#a2abb6",
    "line": "#2d333b",
    "page": "#14171b",
    "panel": "#1b1f25",
    "accent": "#7cc0ee",
    "good": "#63c9a2",
    "good_page": "#12291f",
    "bad": "#f0946a",
    "bad_page": "#2f1b12",
    "stop": "#ff8f8f",
    "stop_page": "#331719",
    "open": "#e3c566",
    "open_page": "#2b2511",
    "baseline": "#b4bac2",
    "worse": "#ff8a4c",
    "reference": "#8d96a3",
    "other": "#737c88",
    "candidate1": "#3f9fe6",
    "candidate2": "#e3d0ff",
    "candidate3": "#f2cf63",
    "candidate4": "#e8558a",
    "candidate5": "#f08fc0",
    "candidate6": "#93aef0",
    "candidate7": "#b57cf0",
    "candidate8": "#56c5d4",
    "candidate9": "#c4b28e",
}
"""The same parts on the dark page."""

LOGO_KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}
"""What a logo may be, and its media type."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@record
class Theme:
    """Colours by part (`#rrggbb`; `dark` for dark mode), a logo, more fonts, own templates.

    `logo` is an SVG or PNG file, called `logo_name` in messages; `fonts` a folder of TTF files that
    names may need; `template_dir` holds `html/`, `typst/`, `markdown/` and replaces built-in files
    one by one, and in `prose/` messages.
    """

    colours: Mapping[str, str] = field(default_factory=dict)
    dark: Mapping[str, str] = field(default_factory=dict)
    logo: Path | None = None
    logo_name: str = ""
    fonts: Path | None = None
    template_dir: Path | None = None

    def __post_init__(self) -> None:
        for part, colour in (*self.colours.items(), *self.dark.items()):
            if part not in LIGHT:
                raise OutputError(f"theme: unknown colour {part!r}; {did_you_mean(part, LIGHT)}")
            if not _COLOUR.fullmatch(colour):
                raise OutputError(f"theme: {part}: {colour!r} is no colour; write '#0072b2'")

    def logo_content(self) -> bytes:
        """Read the file of the logo; empty if there is none."""
        if self.logo is None:
            return b""
        if self.logo.suffix.lower() not in LOGO_KINDS:
            raise OutputError(f"theme: logo: {self._logo_shown!r} is no SVG, PNG or JPEG file")
        try:
            with open_regular(self.logo) as file:
                return file.read()
        except OSError as error:
            raise OutputError(
                f"theme: logo: cannot read {self._logo_shown!r}: {error.strerror}"
            ) from error

    @property
    def _logo_shown(self) -> str:
        return self.logo_name or (self.logo.name if self.logo else "")

    @property
    def light_palette(self) -> dict[str, str]:
        """Every part with its colour on white paper."""
        return {part: value.lower() for part, value in {**LIGHT, **self.colours}.items()}

    @property
    def dark_palette(self) -> dict[str, str]:
        """Every part with its colour in dark mode; a colour of the team's own stays its own."""
        return {part: value.lower() for part, value in {**DARK, **self.dark}.items()}


def restore_theme(results: Results, template_dir: Path | None) -> Theme:
    """Restore the theme as far as a results.json holds it: colours, but no files."""
    if template_dir is not None:
        check_templates(template_dir)
    written = results.config.get("theme")
    if not isinstance(written, dict):
        return Theme(template_dir=template_dir)
    roles = [model.role for model in results.models]
    colours = assign_colours(written.get("accent"), written.get("colours") or (), roles)
    return Theme(colours=colours, dark=colours, template_dir=template_dir)


def describe_missing_theme(results: Results) -> str:
    """Describe the parts of a theme that a results.json names but does not hold; may be empty.

    A file of that name here need not be the one that the run had, so none is looked for.
    """
    written = results.config.get("theme")
    named = written if isinstance(written, dict) else {}
    found = [f"{key} {named[key]!r}" for key in ("logo", "fonts") if named.get(key)]
    if not found:
        return ""
    are, them = ("are", "them") if len(found) > 1 else ("is", "it")
    return (
        f"holds no files, so the theme's {' and '.join(found)} {are} left out; "
        f"run the config again to have {them}"
    )


def assign_colours(
    accent: str | None, colours: Sequence[str], roles: Sequence[str]
) -> dict[str, str]:
    """Assign colours by part; models take theirs in the order of the models."""
    candidates = (f"candidate{k}" for k in range(1, 10))
    parts = [role if role == "baseline" else next(candidates, "") for role in roles]
    chosen = {part: colour for part, colour in zip(parts, colours, strict=False) if part}
    if accent is not None:
        chosen["accent"] = accent
    return chosen
