"""What a command prints: lines for people, and what it was asked for."""

from __future__ import annotations

import click

from reportgen import streams
from reportgen.text import line


def printed(text: str) -> int:
    """Print what a command is asked for; the exit code: 4 where it could not be printed."""
    click.echo(text, nl=not text.endswith("\n"))
    return 4 if streams.lost() else 0


def say(text: str) -> None:
    """One line on standard output, whatever names and values are in it."""
    click.echo(line(text))


def complain(text: str) -> None:
    """Lines on standard error, whatever names and values are in them."""
    for each in text.rstrip("\n").split("\n"):
        click.echo(line(each), err=True)
