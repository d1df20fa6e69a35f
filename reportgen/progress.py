"""Progress on standard error: a bar on a terminal, a line a stage elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """What the pipeline tells about where it is."""

    def stage(self, title: str, total: int = 0) -> None:
        """Say that a stage begins, with so many steps if they can be counted."""

    def done(self, steps: int) -> None:
        """Say that so many steps of the stage are done."""


class Silent:
    """Says nothing."""

    def stage(self, title: str, total: int = 0) -> None:
        """Say nothing."""

    def done(self, steps: int) -> None:
        """Say nothing."""


class Lines:
    """One line a stage: for logs."""

    def stage(self, title: str, total: int = 0) -> None:
        """Print the stage."""
        print(f"reportgen: {title}", file=sys.stderr, flush=True)

    def done(self, steps: int) -> None:
        """Say nothing: a log needs no bar."""


class Bar:
    """One bar with the time left: for a terminal."""

    def __init__(self, bar: object) -> None:
        from rich.progress import Progress as RichProgress

        assert isinstance(bar, RichProgress)
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def stage(self, title: str, total: int = 0) -> None:
        """Begin a new bar."""
        self._bar.reset(self._task, description=title, total=total or None)

    def done(self, steps: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=steps)


@contextmanager
def progress(is_quiet: bool = False) -> Iterator[Progress]:
    """The kind of progress that suits where standard error goes."""
    if is_quiet:
        yield Silent()
    elif not sys.stderr.isatty():
        yield Lines()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with RichProgress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield Bar(bar)
