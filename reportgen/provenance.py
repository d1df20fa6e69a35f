"""Where a report comes from: versions, the commit, the clock. No path, host or user name."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from reportgen.errors import UsageError
from reportgen.version import __version__

LIBRARIES = ("numpy", "scipy", "pandas", "matplotlib", "typst", "jinja2")


def provenance(config: Path, overrides: tuple[str, ...], folder: Path | None) -> dict[str, object]:
    """What the last section of a report says of its making."""
    return {
        "command": _command(config, overrides),
        "time": clock().isoformat().replace("+00:00", "Z"),
        "git": git_state(config.absolute().parent, folder),
        "python": platform.python_version(),
        "versions": {"reportgen": __version__, **{name: version(name) for name in LIBRARIES}},
    }


def clock() -> datetime:
    """The one clock: SOURCE_DATE_EPOCH if it is set, else now, to the second, in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        if not (epoch.isascii() and epoch.isdecimal()):
            raise ValueError
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):  # no number, or no year that a calendar has
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {epoch[:40]!r}; it wants whole seconds since 1970, such as "
            "1700000000, or to be unset"
        ) from None


def git_state(here: Path, folder: Path | None) -> dict[str, object]:
    """The commit that `here` stands at, and whether anything but the output differs from it."""
    commit = _git(here, "rev-parse", "HEAD")
    if commit is None:
        return {"commit": None, "is_dirty": None}
    changes = _git(here, "status", "--porcelain", "--", ":/", *_without(here, folder))
    return {"commit": commit, "is_dirty": bool(changes)}


def _without(here: Path, folder: Path | None) -> list[str]:
    """The output folder, left out of the question whether anything changed."""
    top = _git(here, "rev-parse", "--show-toplevel")
    if folder is None or top is None or not folder.resolve().is_relative_to(top):
        return []
    return [f":(top,exclude){folder.resolve().relative_to(top).as_posix()}"]


def _command(config: Path, overrides: tuple[str, ...]) -> str:
    """The command that makes the report again, without paths of this machine."""
    sets = (f"--set {name}" for name in overrides)
    return " ".join(("reportgen run", config.name, *sets))


def _git(here: Path, *words: str) -> str | None:
    """What git says, or None where there is no git or no repository."""
    try:
        told = subprocess.run(
            ["git", "-C", str(here), *words], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip()
