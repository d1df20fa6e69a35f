"""Progress on standard error, and the processors that a run may use."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol

from reportgen.text import format_line

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


def count_processors() -> int:
    """Those that the system lets this process run on, or all where it does not tell (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def choose_threads(count: int | None) -> int:
    """Return how many threads to start: `count`, but at most one a processor."""
    return min(count or count_processors(), count_processors())


def explain_threads(count: int | None) -> str:
    """Return a line where fewer threads run than `count`; "" otherwise."""
    most = count_processors()
    if count is None or count <= most:
        return ""
    return f"--threads {count}: {most} used, one for each processor that this process may use"


class Progress(Protocol):
    """Receiver of what the pipeline reports about its progress."""

    def stage(self, title: str, total: int = 0) -> None:
        """Say that a stage begins, with so many steps if they can be counted."""

    def done(self, steps: int) -> None:
        """Say that so many steps of the stage are done."""


class SilentProgress:
    """Says nothing."""

    def stage(self, title: str, total: int = 0) -> None:
        """Say nothing."""

    def done(self, steps: int) -> None:
        """Say nothing."""


SILENT = SilentProgress()


class LineProgress:
    """One line a stage: for logs."""

    def stage(self, title: str, total: int = 0) -> None:
        """Print the stage."""
        print(format_line(f"reportgen: {title}"), file=sys.stderr, flush=True)

    def done(self, steps: int) -> None:
        """Say nothing: a log needs no bar."""


class BarProgress:
    """One bar with the time left: for a terminal."""

    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def stage(self, title: str, total: int = 0) -> None:
        """Begin a new bar."""
        self._bar.reset(self._task, description=format_line(title), total=total or None)

    def done(self, steps: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=steps)


class TimedProgress:
    """Another kind of progress, and the seconds of each stage."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._begun: list[tuple[str, float]] = []

    @property
    def title(self) -> str:
        """The stage that runs now; "" before the first."""
        return self._begun[-1][0] if self._begun else ""

    def stage(self, title: str, total: int = 0) -> None:
        """Show that a stage begins, and when."""
        self._begun.append((title, time.monotonic()))
        self._shown.stage(title, total)

    def done(self, steps: int) -> None:
        """Show that so many steps are done."""
        self._shown.done(steps)

    def format_durations(self) -> str:
        """How long it took, in all and stage by stage, as one line."""
        ends = [*(begun for _, begun in self._begun[1:]), time.monotonic()]
        took = [(title, end - begun) for (title, begun), end in zip(self._begun, ends, strict=True)]
        each = ", ".join(f"{title} {seconds:.1f} s" for title, seconds in took)
        return f"reportgen: done in {sum(seconds for _, seconds in took):.1f} s: {each}"


class _Run:
    """The run on display, for the signal handler."""

    progress: TimedProgress | None = None


@contextmanager
def show_progress(is_quiet: bool = False) -> Iterator[Progress]:
    """Yield the kind of progress display that suits where standard error goes."""
    plain: Progress = SILENT if is_quiet else LineProgress()
    is_bar = not is_quiet and sys.stderr.isatty()
    with _bar() if is_bar else nullcontext(plain) as shown:
        _Run.progress = timed = TimedProgress(shown)
        yield timed
    _Run.progress = None
    if not is_quiet:
        print(format_line(timed.format_durations()), file=sys.stderr, flush=True)


def get_current_stage() -> str:
    """Return the stage of the run that is shown; "" where none is."""
    return _Run.progress.title if _Run.progress else ""


@contextmanager
def _bar() -> Iterator[Progress]:
    """Yield a progress bar that disappears when all is done."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    title = TextColumn("{task.description}", markup=False)
    columns = (title, BarColumn(), TimeRemainingColumn())
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield BarProgress(bar)
