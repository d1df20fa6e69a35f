"""Metrics of the user's own: Python files that the config names, run only when allowed."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import ConfigError, Problem
from reportgen.metrics import METRICS
from reportgen.text import foreign


@contextmanager
def plugins(files: Sequence[tuple[Path, str, str]], is_allowed: bool) -> Iterator[None]:
    """Run each (file, its printed name, place in the config); its metrics exist until the end.

    Without permission nothing is run, and the error says how to give it.
    """
    if files and not is_allowed:
        _, name, place = files[0]
        message = f"plugins run Python code; if you trust {name}, add --allow-plugins"
        raise ConfigError([Problem(message, place=place)])
    before = dict(METRICS)
    try:
        for file, name, place in files:
            _run(file, name, place)
        yield
    finally:
        METRICS.clear()
        METRICS.update(before)


def _run(file: Path, name: str, place: str) -> None:
    if file.exists() and not file.is_file():
        raise ConfigError([Problem(f"plugin {name} is no regular file", place=place)])
    try:
        runpy.run_path(str(file))
    except (Exception, SystemExit) as error:
        message = f"plugin {name} failed: {type(error).__name__}: {foreign(error)}"
        raise ConfigError([Problem(message, place=place)]) from None
