"""Each output by its name in the config; its module is imported when it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from reportgen.document import Document
from reportgen.outputs import TABLES
from reportgen.render.attachment import Attachment
from reportgen.render.theme import Theme
from reportgen.results import Results

CARRYING = frozenset(("html", "pdf", TABLES))
"""Those that hold what leaves the page."""


def rendered(
    output: str,
    document: Document,
    results: Results,
    theme: Theme,
    attached: Sequence[Attachment] = (),
) -> dict[str, bytes]:
    """The files of one output, by name; `attached` are those that leave the page."""
    module = import_module(f"reportgen.render.{output}")
    files: dict[str, bytes] = module.render(document, results, theme, attached)
    return files


def names(output: str, attached: Sequence[Attachment]) -> tuple[str, ...]:
    """What the files of an output are called."""
    if output == TABLES:
        return tuple(each.path for each in attached if each.path.startswith(f"{TABLES}/"))
    name: str = import_module(f"reportgen.render.{output}").NAME
    return (name,)
