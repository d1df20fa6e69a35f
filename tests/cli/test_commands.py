"""Every command is mentioned where a user looks for it."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reportgen.cli.commands import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def names_of(group: click.Group, above: str = "") -> Iterator[str]:
    """Yield the names of all commands, those of a group after its own."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from names_of(command, f"{above}{name} ")
        else:
            yield f"{above}{name}"


@pytest.mark.guard
@pytest.mark.parametrize("name", list(names_of(cli)))
def test_a_command_is_in_the_docs(name: str) -> None:
    mention = re.compile(rf"\breportgen {re.escape(name)}(?![\w-])")
    if not any(mention.search(page.read_text(encoding="utf-8")) for page in PAGES):
        pytest.fail(f"command {name} is not in docs/")
