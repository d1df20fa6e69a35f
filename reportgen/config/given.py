"""Python data -> tree: a config that a notebook wrote, each value placed by its path.

Texts are taken as they are, as quoted texts of YAML are; `${VAR}` in them is a variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePath

from reportgen.config.faults import Faults
from reportgen.config.yaml.characters import unfit
from reportgen.config.yaml.parsing import DEEPEST, MOST_NODES
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    Items,
    MappingNode,
    Mark,
    Node,
    Scalar,
    dotted,
    scalar,
)
from reportgen.errors import Path as At

LONGEST_NUMBER = 1000  # bits


@dataclass(frozen=True)
class Given:
    """A config as a map, the folder that its paths begin at, and another that it extends."""

    config: Mapping[str, object]
    folder: Path
    below: Given | None = None


def from_python(given: Given, source: ConfigSource, faults: Faults) -> MappingNode:
    """The tree of a map; what no config can hold is noted in `faults`, too much of it raises."""
    return _Grown(source, faults).table(given.config, ())


@dataclass
class _Grown:
    source: ConfigSource
    faults: Faults
    count: int = 0

    def node(self, value: object, at: At) -> Node:
        mark = self.mark(at)
        if isinstance(value, Mapping):
            return self.table(value, at)
        if isinstance(value, Sequence | set) and not isinstance(value, str | bytes):
            items = sorted(value, key=str) if isinstance(value, set) else value
            return Items(mark, tuple(self.node(x, (*at, k)) for k, x in enumerate(items)))
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            value = value.item()  # a number of numpy
        if isinstance(value, PurePath | date):
            value = str(value)
        if isinstance(value, str):
            return self.text(value, mark)
        if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
            self.faults.add(mark, "the number is too large to be computed with")
            return scalar(0, mark)
        if value is None or isinstance(value, bool | int | float):
            return scalar(value, mark)
        hint = "; give data to reportgen.compare" if hasattr(value, "__len__") else ""
        kind = type(value).__name__
        self.faults.add(mark, f"a config holds no {kind}, only text, numbers, lists and maps{hint}")
        return scalar(None, mark)

    def text(self, value: str, mark: Mark) -> Scalar:
        code = unfit(value)
        if code:
            self.faults.add(mark, f"the character {code} may not stand in a config; remove it")
        return Scalar(mark, value, value, is_plain=False)

    def table(self, value: Mapping[str, object], at: At) -> MappingNode:
        mark = self.mark(at)
        entries = {}
        for key, below in value.items():
            node = self.node(below, (*at, str(key)))
            entries[str(key)] = Entry(self.mark((*at, str(key))), node)
        return MappingNode(mark, entries)

    def mark(self, at: At) -> Mark:
        """A place; numbered, so that problems come in the order of the map."""
        self.count += 1
        if self.count > 2 * MOST_NODES or len(at) > DEEPEST:
            self.faults.add(Mark(self.source), "the config is too large, or holds itself")
            raise self.faults.error()
        return Mark(self.source, self.count, 0, dotted(at))
