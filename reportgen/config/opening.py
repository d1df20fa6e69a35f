"""The bytes of a config file: a regular file of a sane size, or a sentence that says why not."""

from __future__ import annotations

import stat
from pathlib import Path

from reportgen.errors import did_you_mean

MOST_BYTES = 1_000_000


class Unreadable(Exception):
    """A file that cannot be read as a config; its text says why and what to do."""


def config_bytes(path: Path, caller: str) -> bytes:
    """What the file holds; `caller` is the file that named it, which is no way out of a typo."""
    try:
        return _regular(path)
    except FileNotFoundError:
        known = [name for name in _neighbours(path.parent) if name != Path(caller).name]
        near = did_you_mean(path.name, known)
        hint = near if near.startswith("did") else "check the path"
        raise Unreadable(f"there is no such file; {hint}") from None
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}") from None


def _regular(path: Path) -> bytes:
    """The bytes of a regular file: a device may have no end, and a pipe no writer."""
    kind = path.stat()
    if stat.S_ISDIR(kind.st_mode):
        raise Unreadable("this is a folder; name the YAML file in it")
    if not stat.S_ISREG(kind.st_mode):
        raise Unreadable("this is no regular file but a device, a pipe or a socket; name a file")
    if kind.st_size > MOST_BYTES:
        raise Unreadable(
            f"the file has {kind.st_size:,} bytes; a config has at most {MOST_BYTES:,}"
        )
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _neighbours(folder: Path) -> list[str]:
    """The YAML files of a folder, as far as it lets itself be read."""
    try:
        return sorted(p.name for p in folder.iterdir() if p.suffix in (".yaml", ".yml"))
    except OSError:
        return []
