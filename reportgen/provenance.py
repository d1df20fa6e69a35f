"""Where a report comes from: versions, the commit, the clock. No path, host or user name."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from reportgen.errors import UsageError
from reportgen.kernels import native
from reportgen.paths import as_text
from reportgen.repository import name_in_repository, repository
from reportgen.text import quoted
from reportgen.version import __version__

LIBRARIES = ("numpy", "scipy", "pandas", "matplotlib", "typst", "jinja2")


def provenance(
    config: Path | None,
    overrides: tuple[str, ...],
    folder: Path | None,
    files: Iterable[Path] = (),
) -> dict[str, object]:
    """What the last section of a report says of its making; a config without a file is None.

    `files` are those that the config was read from.
    """
    return {
        "command": _command(config, overrides),
        "time": clock().isoformat().replace("+00:00", "Z"),
        "git": git_state(config.absolute().parent if config else Path.cwd(), folder),
        "python": platform.python_version(),
        "platform": machine(),
        "versions": versions(),
        "config_files": [_hashed(file) for file in files],
    }


def machine() -> str:
    """The kind of machine: system, processor, and which compiled code ran."""
    kinds = native.kinds()
    code = f"{kinds[-1]} kernels" if kinds else "no compiled kernels"
    return f"{platform.system().lower()} {platform.machine()}, {code}"


def slowed() -> str:
    """What is told before a run that could be fast and is not; empty where there is nothing."""
    if not native.is_stale():
        return ""
    return "the compiled kernels are of other sources, so NumPy does their work: install again"


def _hashed(file: Path) -> dict[str, str]:
    return {"path": name_in_repository(file), "sha256": sha256(file.read_bytes()).hexdigest()}


def versions() -> dict[str, str]:
    """The versions of this program and of the libraries that numbers and pages depend on."""
    return {"reportgen": __version__, **{name: _version(name) for name in LIBRARIES}}


@cache
def _version(library: str) -> str:
    return version(library)


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
            f"SOURCE_DATE_EPOCH is {quoted(epoch)}; it wants whole seconds since 1970, such as "
            "1700000000, or to be unset"
        ) from None


def git_state(here: Path, folder: Path | None) -> dict[str, object]:
    """The commit that `here` stands at, and whether anything but the output differs from it."""
    here = here.resolve()
    found = repository(here)
    commit = found.commit() if found else None
    if found is None or commit is None:
        return {"commit": None, "is_dirty": None}
    out = folder.resolve() if folder else found.top
    is_apart = out != found.top and out.is_relative_to(found.top)
    apart = out.relative_to(found.top) if is_apart else None
    return {"commit": commit, "is_dirty": found.is_changed(commit, apart)}


def _command(config: Path | None, overrides: tuple[str, ...]) -> str:
    """The command that makes the report again, without paths of this machine.

    Of what was set the keys are named: a value may be a secret, and if it is none it stands in
    the resolved config.
    """
    if config is None:
        return "reportgen.run(config)"
    sets = (f"--set {text.partition('=')[0]}=…" for text in overrides)
    return as_text(" ".join(("reportgen run", config.name, *sets)))
