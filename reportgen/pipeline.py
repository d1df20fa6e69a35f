"""The whole program, in the order in which it happens."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen import archive, wording
from reportgen.catalogue import vocabulary
from reportgen.config import Loaded, init_config, plugin_files, read_config
from reportgen.data import check_columns, peek, read_dataset
from reportgen.data.dataset import Loaded as Data
from reportgen.errors import ConfigError, OutputError, Problem
from reportgen.gates import judge
from reportgen.inference import infer
from reportgen.inference.cache import Cache
from reportgen.plan import checked_demands, dataset_requests, described, question
from reportgen.plugins import plugins
from reportgen.progress import Progress, Silent
from reportgen.provenance import provenance
from reportgen.render import RENDERERS, Theme
from reportgen.results import Results
from reportgen.sections import document


@dataclass(frozen=True)
class Options:
    """What the command line says beside the config. `folder` is where the report will go."""

    overrides: tuple[str, ...] = ()
    threads: int = 1
    template_dir: Path | None = None
    allow_plugins: bool = False
    use_cache: bool = True
    folder: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """A finished run: the results, the files by name, and which outputs could not be made."""

    results: Results
    files: Mapping[str, bytes]
    failures: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        return wording.headline(self.results)
