"""The files that a glob means: below its folder, and found in a bounded search.

`*`, `?` and `[…]` stand for letters within one name, `**` for any number of folders. Links to
folders are followed where one part of the glob meets them, but not by `**`, which could go round.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

MOST_ENTRIES = 100_000  # files and folders that are looked at


class TooMany(Exception):
    """A glob that would look at more files and folders than can be meant."""


class Climbing(Exception):
    """A glob that leaves its folder."""


def matching(root: Path, pattern: str) -> list[Path]:
    """The regular files below `root` whose path from there the pattern matches, sorted."""
    parts = PurePath(pattern).parts
    if ".." in parts:
        raise Climbing
    return sorted(_found(root, parts), key=Path.as_posix)


def _found(root: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    """Walk with the places in the pattern that each folder may stand at."""
    seen = 0
    folders = [(root, _places({0}, parts))]
    while folders:
        folder, places = folders.pop()
        for entry in _entries(folder):
            seen += 1
            if seen > MOST_ENTRIES:
                raise TooMany
            path, after = folder / entry.name, _after(entry, places, parts)
            if len(parts) in after and entry.is_file():
                yield path
            if (after := after - {len(parts)}) and entry.is_dir():
                folders.append((path, after))


def _after(entry: os.DirEntry[str], places: set[int], parts: tuple[str, ...]) -> set[int]:
    """The places in the pattern after a name that stands at some of them."""
    named = {k + 1 for k in places if parts[k] != "**" and fnmatchcase(entry.name, parts[k])}
    if not entry.is_symlink():
        named |= {k for k in places if parts[k] == "**"}
    return _places(named, parts)


def _places(places: set[int], parts: tuple[str, ...]) -> set[int]:
    """Some places, and those that follow where `**` stands for no folder at all."""
    reached = set(places)
    for k, part in enumerate(parts):
        if k in reached and part == "**":
            reached.add(k + 1)
    return reached


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What a folder holds; nothing where it is not there or may not be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
