"""The bytes of a config file: a regular file of a sane size, or a sentence that says why not."""

from __future__ import annotations

import os
from pathlib import Path

from reportgen.errors import did_you_mean
from reportgen.paths import NotRegular, open_regular

MOST_BYTES = 1_000_000


class Unreadable(Exception):
    """A file that cannot be read as a config; its text says why and what to do."""


def config_bytes(path: Path, caller: str) -> bytes:
    """What the file holds; `caller` is the file that named it, which is no way out of a typo."""
    try:
        return _sane(path)
    except FileNotFoundError:
        known = [name for name in _neighbours(path.parent) if name != Path(caller).name]
        near = did_you_mean(path.name, known)
        hint = near if near.startswith("did") else "check the path"
        raise Unreadable(f"there is no such file; {hint}") from None
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}") from None


def _sane(path: Path) -> bytes:
    if path.is_dir():
        raise Unreadable("this is a folder; name the YAML file in it")
    try:
        with open_regular(path) as file:
            size, data = os.fstat(file.fileno()).st_size, file.read(MOST_BYTES + 1)
    except NotRegular:
        raise Unreadable(
            "this is no regular file but a device, a pipe or a socket; name a file"
        ) from None
    if len(data) > MOST_BYTES:
        raise Unreadable(f"the file has {size:,} bytes; a config has at most {MOST_BYTES:,}")
    return data


def _neighbours(folder: Path) -> list[str]:
    """The YAML files of a folder, as far as it lets itself be read."""
    try:
        return sorted(p.name for p in folder.iterdir() if p.suffix in (".yaml", ".yml"))
    except OSError:
        return []
