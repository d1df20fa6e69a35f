"""What leaves the page as a file: beside the report, inside the PDF, linked in HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["results", "config", "tables", "evidence"]

MOST_BYTES = 10_000_000
"""Above so much in all the results stay out of a PDF."""
MEDIA = {"csv": "text/csv", "json": "application/json", "yaml": "application/yaml"}


@dataclass(frozen=True)
class Attachment:
    """A file by its `path` in the report's folder; `block` is the figure or table it is of."""

    kind: Kind
    path: str
    content: bytes
    about: str
    block: str = ""

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.rpartition("/")[2]

    @property
    def media(self) -> str:
        """The media type, by the name's ending."""
        return MEDIA[self.name.rpartition(".")[2]]


def carried(attached: Iterable[Attachment], kinds: Iterable[str]) -> tuple[Attachment, ...]:
    """Those of these kinds; without the results where all are more than a PDF should hold."""
    asked = set(kinds)
    found = tuple(each for each in attached if each.kind in asked)
    if sum(len(each.content) for each in found) > MOST_BYTES:
        return tuple(each for each in found if each.kind != "results")
    return found
