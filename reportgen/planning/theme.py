"""The theme of a report, from a config or a results.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportgen.config import LoadedConfig
from reportgen.errors import ConfigError, Problem
from reportgen.report.render.theme import Theme, check_templates
from reportgen.results import Results


def load_theme(loaded: LoadedConfig, template_dir: Path | None) -> Theme:
    """Load the theme of a config; its files are found next to the file that names them."""
    written = loaded.config.theme
    _refuse_missing(loaded)
    if template_dir is not None:
        check_templates(template_dir)
    roles = [model.role for model in loaded.config.models.values()]
    colours = _collect_colours(written.accent, written.colours, roles)
    return Theme(
        colours=colours,
        dark=colours,
        logo=loaded.file(("theme", "logo")) if written.logo else None,
        logo_name=written.logo or "",
        fonts=loaded.file(("theme", "fonts")) if written.fonts else None,
        template_dir=template_dir,
    )


def _refuse_missing(loaded: LoadedConfig) -> None:
    """Refuse a missing file of the theme before any work is done."""
    problems = [
        Problem(f"no {kind} {written!r}", ("theme", key), loaded.place(("theme", key)))
        for key, written, kind, is_there in (
            ("logo", loaded.config.theme.logo, "file", Path.is_file),
            ("fonts", loaded.config.theme.fonts, "folder", Path.is_dir),
        )
        if written and not is_there(loaded.file(("theme", key)))
    ]
    if problems:
        raise ConfigError(problems)


def restore_theme(results: Results, template_dir: Path | None) -> Theme:
    """Restore the theme as far as a results.json holds it: colours, but no files."""
    if template_dir is not None:
        check_templates(template_dir)
    written = results.config.get("theme")
    if not isinstance(written, dict):
        return Theme(template_dir=template_dir)
    roles = [model.role for model in results.models]
    colours = _collect_colours(written.get("accent"), written.get("colours") or (), roles)
    return Theme(colours=colours, dark=colours, template_dir=template_dir)


def describe_missing_theme(results: Results) -> str:
    """Describe what of a theme a results.json names but does not hold, in one line; may be empty.

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


def _collect_colours(
    accent: str | None, colours: Sequence[str], roles: Sequence[str]
) -> dict[str, str]:
    """Colours by part, the same in dark mode; the models' colours in the models' order."""
    candidates = (f"candidate{k}" for k in range(1, 10))
    parts = [role if role == "baseline" else next(candidates, "") for role in roles]
    chosen = {part: colour for part, colour in zip(parts, colours, strict=False) if part}
    if accent is not None:
        chosen["accent"] = accent
    return chosen
