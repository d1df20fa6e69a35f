"""Read a large JSON text element by element, so that one element at a time is in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Iterator
from typing import Any

Path = tuple[str, ...]
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def iter_members(text: str, lists: Collection[Path]) -> Iterator[tuple[Path, Any]]:
    """Yield each value of a JSON text with its path; of lists at some paths, each element.

    >>> [*iter_members('{"a": {"n": 1, "of": [2, 3]}, "b": [4]}', [("a", "of")])]
    [(('a', 'n'), 1), (('a', 'of'), 2), (('a', 'of'), 3), (('b',), [4])]
    """
    yield from _walk(text, _skip(text, 0), (), lists)


def _walk(
    text: str, at: int, path: Path, lists: Collection[Path]
) -> Generator[tuple[Path, Any], None, int]:
    """Yield the values that begin at a place; return where they end."""
    first = text[at : at + 1]
    if first == "[" and path in lists:
        return (yield from _walk_list(text, at, path))
    if first == "{" and any(each[: len(path)] == path and each != path for each in lists):
        return (yield from _walk_map(text, at, path, lists))
    value, at = _DECODER.raw_decode(text, at)
    yield path, value
    return at


def _walk_list(text: str, at: int, path: Path) -> Generator[tuple[Path, Any], None, int]:
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        value, at = _DECODER.raw_decode(text, at)
        yield path, value
        at = _next(text, at, "]")
    return at + 1


def _walk_map(
    text: str, at: int, path: Path, lists: Collection[Path]
) -> Generator[tuple[Path, Any], None, int]:
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":" or not isinstance(key, str):
            raise json.JSONDecodeError("expecting a key and a colon", text, at)
        at = yield from _walk(text, _skip(text, at + 1), (*path, key), lists)
        at = _next(text, at, "}")
    return at + 1


def _next(text: str, at: int, end: str) -> int:
    """Return where the next member begins, or the end stands."""
    at = _skip(text, at)
    if text[at : at + 1] == end:
        return at
    if text[at : at + 1] != ",":
        raise json.JSONDecodeError("expecting a comma", text, at)
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()
