"""The plugins of a config, read ahead of all else: its metrics have to exist to be checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from reportgen.config.environment import Environment
from reportgen.config.faults import Faults
from reportgen.config.layers import Layers
from reportgen.config.tree import Items, Scalar, Table


def plugin_files(
    path: str | Path, *, overrides: Sequence[str] = (), environ: Mapping[str, str]
) -> tuple[tuple[Path, str], ...]:
    """Each file under `plugins:` with its place. What else is wrong is told by `read_config`."""
    faults = Faults()
    tree = Environment(environ, (), faults).fill(Layers(environ, faults).read(str(path), overrides))
    named = tree.get("plugins") if isinstance(tree, Table) else None
    return tuple(
        (node.mark.source.folder / node.value, str(node.mark))
        for node in (named.items if isinstance(named, Items) else ())
        if isinstance(node, Scalar) and isinstance(node.value, str)
    )
