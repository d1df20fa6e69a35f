"""Metrics, curves and statistics of the user's own: Python files, run only when allowed."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reportgen.curves import CURVES
from reportgen.errors import ConfigError, Problem
from reportgen.metrics import METRICS
from reportgen.metrics.bucket_statistics import STATISTICS
from reportgen.text import foreign


@contextmanager
def plugins(files: Sequence[tuple[Path, str, str]], is_allowed: bool) -> Iterator[None]:
    """Run each (file, its printed name, place in the config); what it brings exists until the end.

    Without permission nothing is run, and the error says how to give it.
    """
    if files and not is_allowed:
        _, name, place = files[0]
        message = f"plugins run Python code; if you trust {name}, add --allow-plugins"
        raise ConfigError([Problem(message, place=place)])
    registries: tuple[dict[str, Any], ...] = (METRICS, CURVES, STATISTICS)
    before = [dict(registry) for registry in registries]
    try:
        for file, name, place in files:
            _run(file, name, place)
        yield
    finally:
        for registry, entries in zip(registries, before, strict=True):
            registry.clear()
            registry.update(entries)


def _run(file: Path, name: str, place: str) -> None:
    if file.exists() and not file.is_file():
        raise ConfigError([Problem(f"plugin {name} is no regular file", place=place)])
    try:
        runpy.run_path(str(file))
    except (Exception, SystemExit) as error:
        message = f"plugin {name} failed: {type(error).__name__}: {foreign(error)}"
        raise ConfigError([Problem(message, place=place)]) from None
