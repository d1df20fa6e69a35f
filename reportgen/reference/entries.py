"""One thing that can be explained, and how its facts are laid out on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import wrap

WIDTH = 100
TERM = 14


@dataclass(frozen=True)
class ReferenceEntry:
    """Its row in the list of its kind, and a function that tells all that is known of it.

    `aliases` are names that it has elsewhere, by which it is found.
    """

    row: tuple[str, ...]
    tell: Callable[[], str]
    aliases: tuple[str, ...] = ()


def told(head: str, text: str, facts: Mapping[str, str] | None = None) -> str:
    """A heading, a paragraph, and the facts that there are."""
    paragraph = "\n".join(wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  "))
    lines = [_fact(term, value) for term, value in (facts or {}).items() if value]
    return "\n\n".join(filter(None, (head, paragraph, "\n".join(lines))))


def _fact(term: str, value: str) -> str:
    start = f"  {term + ':':<{TERM}}"
    return "\n".join(wrap(value, WIDTH, initial_indent=start, subsequent_indent=" " * len(start)))
