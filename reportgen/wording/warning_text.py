"""What a coded warning says, part by part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WarningText:
    """A code in words.

    `bare` is the line without numbers, `line` the template with them, used if all are there;
    each of `parts` follows if its own numbers are. `meaning`, `matters` and `remedy` make the
    paragraph that explains the code.
    """

    title: str
    bare: str
    line: str
    parts: tuple[str, ...]
    meaning: str
    matters: str
    remedy: str
