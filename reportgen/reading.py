"""A config file to a checked config, with the metrics that its plugins bring."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from reportgen.catalogue import vocabulary
from reportgen.config import Given, Loaded, find_plugins, read_config
from reportgen.plugins import plugins


def read(
    config: Path | Given,
    overrides: Sequence[str],
    allow_plugins: bool,
    stack: ExitStack,
) -> Loaded:
    """The config; metrics of its plugins are registered until the stack ends."""
    found = find_plugins(config, overrides=overrides, environ=os.environ)
    files = [(plugin.file, plugin.place) for plugin in found]
    stack.enter_context(plugins(files, allow_plugins))
    return read_config(config, vocabulary(), overrides=overrides, environ=os.environ)
