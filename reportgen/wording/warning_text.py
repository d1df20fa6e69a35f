"""What a warning says of itself: one row a code, all that is written of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.results import Scalar

Line = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class WarningText:
    """A code in words.

    `bare` is the line without numbers, `line` the template with them, used if all are there, and
    `instead` those in its place where their own are; each of `parts` follows if its own numbers
    are there. `meaning`, `matters` and `remedy` make the paragraph that explains the code. Page one
    takes the first of `briefs` whose numbers are there in place of the line, and then
    `consequence`: what it means for a reader who knows no statistics, empty where the line says it.
    `example` is numbers, and the line that they give.
    `topic` is what such a warning is about, where it is said that it was not looked for.
    """

    title: str
    bare: str
    line: str
    parts: tuple[str, ...]
    meaning: str
    matters: str
    remedy: str
    example: tuple[Mapping[str, Scalar], str]
    consequence: str = ""
    briefs: tuple[Line, ...] = ()
    topic: str = ""
    instead: tuple[str, ...] = ()
