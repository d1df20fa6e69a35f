"""A config file to a checked config, with the metrics that its plugins bring."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath

from reportgen.catalogue import vocabulary
from reportgen.config import Given, Loaded, find_plugins, read_config
from reportgen.plugins import plugins


def read(
    config: Path | Given,
    overrides: Sequence[str],
    allow_plugins: bool,
    stack: ExitStack,
) -> Loaded:
    """The config; until the stack ends metrics of its plugins are registered, secrets kept."""
    open_plugins(config, overrides, allow_plugins, stack)
    loaded = read_config(config, vocabulary(), overrides=overrides, environ=os.environ)
    stack.enter_context(loaded.secrets.kept())
    return loaded


def open_plugins(
    config: Path | Given,
    overrides: Sequence[str],
    allow_plugins: bool,
    stack: ExitStack,
) -> None:
    """Until the stack ends, the metrics of a config's plugins are registered, secrets kept."""
    found = find_plugins(config, overrides=overrides, environ=os.environ)
    files = [(plugin.file, PurePath(plugin.written).name, plugin.place) for plugin in found]
    for plugin in found:
        stack.enter_context(plugin.secrets.kept())
    stack.enter_context(plugins(files, allow_plugins))
