"""One tree from several sources: the bases that `extends` names, the file itself, then `--set`.

Maps merge, lists and single values replace; what is written later wins.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reportgen.config.bases import base_table
from reportgen.config.environment import Environment
from reportgen.config.faults import Faults, quoted
from reportgen.config.given import Given, from_python
from reportgen.config.yaml.characters import unfit
from reportgen.config.yaml.opening import Unreadable, config_bytes
from reportgen.config.yaml.parsing import DEEPEST, decode, parse
from reportgen.config.yaml.scalars import resolve
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    Items,
    MappingNode,
    Mark,
    Node,
    Scalar,
    dotted,
    size,
)
from reportgen.errors import Path as At
from reportgen.text import LONGEST_VALUE, shorten

MOST_BASES = 32
DEEPEST_BASE = 16


@dataclass
class Layers:
    """Reads sources and stacks them; a base that is named twice is read once."""

    environ: Mapping[str, str]
    faults: Faults
    sources: list[ConfigSource] = field(default_factory=list)
    known: dict[Path, MappingNode] = field(default_factory=dict)
    size: int = 0
    has_gaps: bool = False

    def read(self, config: str | Given, overrides: Sequence[str]) -> MappingNode:
        """The tree of a config, a file or a map, with its bases below and the overrides above."""
        if isinstance(config, str):
            tree = self._config(Path(config).absolute(), config)
        else:
            tree = self._given(config)
        if self.has_gaps:  # without a base nothing can be said of the rest
            raise self.faults.error()
        for override in overrides:
            tree = self._override(tree, override)
        return tree.without("extends")

    def _given(self, given: Given) -> MappingNode:
        source = self.source("config", given.folder.absolute())
        tree = from_python(given, source, self.faults)
        self.size += size(tree)
        tree = self._extended(drop_free_keys(tree), ())
        return merged(self._given(given.below), tree) if given.below else tree

    def source(self, name: str, folder: Path) -> ConfigSource:
        """A new source, after those already read."""
        self.sources.append(ConfigSource(name, len(self.sources), folder))
        return self.sources[-1]

    def _config(self, path: Path, name: str) -> MappingNode:
        """The file that the user named, with its bases below it."""
        source = self.source(name, path.parent)
        try:
            data = config_bytes(path, "")
        except Unreadable as why:
            self.faults.add(Mark(source), str(why))
            raise self.faults.error() from None
        tree = parse(decode(data, source, self.faults), source, self.faults)
        if not isinstance(tree, MappingNode):
            return self._no_table(tree, source)
        self.size = size(tree)
        return self._extended(drop_free_keys(tree), (_normal(path),))

    def _base(self, path: Path, name: str, called: Mark, above: tuple[Path, ...]) -> MappingNode:
        """A file that `extends` names, with its own bases below it; empty if it cannot be had."""
        here = _normal(path)
        if here in self.known:
            return self.known[here]
        if here in above:
            return self._gap(called, f"{name} extends itself; break the circle")
        if len(above) > DEEPEST_BASE or len(self.sources) > MOST_BASES:
            limits = f"at most {MOST_BASES} are read, {DEEPEST_BASE} deep"
            return self._gap(called, f"{name} is one base too many; {limits}")
        source = self.source(name, path.parent)
        try:
            data = config_bytes(path, called.source.name)
            table = base_table(data, source, self.faults, self.size)
        except Unreadable as why:
            return self._gap(called, f"{name}: {why}")
        self.size += size(table)
        self.known[here] = self._extended(drop_free_keys(table), (*above, here))
        return self.known[here]

    def _gap(self, called: Mark, message: str) -> MappingNode:
        """What stands for a base that cannot be had: the rest cannot be judged without it."""
        self.has_gaps = True
        self.faults.add(called, f"extends: {message}")
        return MappingNode(called)

    def _no_table(self, tree: Node | None, source: ConfigSource) -> MappingNode:
        if tree is None or (isinstance(tree, Scalar) and tree.value is None):
            tree = None
            fact = "the file says nothing; `reportgen init DATA` writes a config to start from"
        else:
            what = "a list" if isinstance(tree, Items) else "a single value"
            fact = f"the file holds {what}; a config is a map of keys, the first `version: 1`"
        self.faults.add(tree.mark if tree else Mark(source, 1, 1), fact)
        raise self.faults.error()

    def _extended(self, tree: MappingNode, above: tuple[Path, ...]) -> MappingNode:
        extends = tree.get("extends")
        if extends is None:
            return tree
        bases: list[Scalar] = []
        listed = extends.items if isinstance(extends, Items) else (extends,)
        if len(listed) > MOST_BASES:
            return self._gap(
                extends.mark, f"{len(listed):,} files, and at most {MOST_BASES} are read"
            )
        for node in listed:
            base = Environment(self.environ, (), self.faults).fill(node)
            if isinstance(base, Scalar) and isinstance(base.value, str) and base.value:
                bases.append(base)
            else:
                self.has_gaps = True
                self.faults.add(
                    node.mark, f"extends wants a file or a list of files, not {quoted(base)}"
                )
        below: MappingNode | None = None
        for base in bases:
            source = base.mark.source
            name = str(Path(source.name).parent / base.printed)
            table = self._base(source.folder / str(base.value), name, base.mark, above)
            below = table if below is None else merged(below, table)
        return tree if below is None else merged(below, tree)

    def _override(self, tree: MappingNode, text: str) -> MappingNode:
        source = self.source(f"--set {shorten(text, LONGEST_VALUE)}", Path.cwd())
        name, sign, value = text.partition("=")
        parts = tuple(name.split("."))
        if said := _misset(text, sign, parts):
            self.faults.add(Mark(source), said)
            return tree
        if parts[0] == "extends":
            self.faults.add(Mark(source), "a base is named in the file, not on the command line")
        node = self._typed(value.strip(), source)
        setter = _Setter(source, self.faults)
        changed = setter.put(tree, (), parts, _remarked(node, source))
        return changed if isinstance(changed, MappingNode) else tree

    def _typed(self, value: str, source: ConfigSource) -> Node:
        """A list, map or quoted text as YAML; anything else is one unquoted word."""
        if value.startswith(("[", "{", '"', "'")):
            return parse(value, source, self.faults) or Scalar(Mark(source), None, "")
        return Scalar(Mark(source), resolve(value), value)


@dataclass(frozen=True)
class _Setter:
    """Puts one node at a path, making the maps on the way."""

    source: ConfigSource
    faults: Faults

    def put(self, node: Node | None, done: At, left: At, value: Node) -> Node:
        if not left:
            return value
        mark, part = Mark(self.source), left[0]
        if isinstance(node, Items):
            return self._put_item(node, done, left, value)
        if not isinstance(node, MappingNode):
            if isinstance(node, Scalar) and node.value is not None:
                self.faults.add(mark, f"{dotted(done)} is {quoted(node)} and has no keys to set")
                return node
            node = MappingNode(mark)
        below = self.put(node.get(str(part)), (*done, str(part)), left[1:], value)
        return node.put({str(part): Entry(mark, below)})

    def _put_item(self, node: Items, done: At, left: At, value: Node) -> Node:
        items = list(node.items)
        part = next((i for i in range(len(items)) if str(i) == left[0]), None)
        if part is None:
            self.faults.add(
                Mark(self.source),
                f"{dotted(done)} is a list of {len(items)}; its items are numbered from 0, "
                f"and {left[0]!r} is none of them",
            )
            return node
        items[part] = self.put(items[part], (*done, part), left[1:], value)
        return replace(node, items=tuple(items))


def _misset(text: str, sign: str, parts: Sequence[str]) -> str:
    """Why an override cannot be read at all; empty if it can."""
    if code := unfit(text):
        return f"the character {code} may not stand in a config; remove it"
    if not sign or not all(parts):
        return "wants KEY=VALUE, such as bootstrap.seed=7"
    if len(parts) > DEEPEST:
        return f"the key has {len(parts):,} parts; a config is at most {DEEPEST} levels deep"
    return ""


def _normal(path: Path) -> Path:
    """The path by which a file is known, whichever way it was named."""
    return Path(os.path.realpath(path))


def merged(below: MappingNode, above: MappingNode) -> MappingNode:
    """Two tables as one: tables within merge, anything else is replaced by what is above."""
    entries = dict(below.entries)
    for key, entry in above.entries.items():
        old = entries[key].node if key in entries else None
        if isinstance(old, MappingNode) and isinstance(entry.node, MappingNode):
            entry = Entry(entry.mark, merged(old, entry.node))
        entries[key] = entry
    return MappingNode(above.mark, entries)


def drop_free_keys(node: MappingNode) -> MappingNode:
    """The table less its keys that begin `x-`, at every depth; `meta` stays as it is."""
    return _less(node, whole=("meta",))


def _less(table: MappingNode, whole: Sequence[str] = ()) -> MappingNode:
    entries = {
        key: entry if key in whole else Entry(entry.mark, _dropped(entry.node))
        for key, entry in table.entries.items()
        if not key.startswith("x-")
    }
    return replace(table, entries=entries)


def _dropped(node: Node) -> Node:
    if isinstance(node, MappingNode):
        return _less(node)
    if isinstance(node, Items):
        return replace(node, items=tuple(_dropped(item) for item in node.items))
    return node


def _remarked(node: Node, source: ConfigSource) -> Node:
    """The same tree, placed as a whole: a column within `--set` helps nobody."""
    mark = Mark(source)
    if isinstance(node, Scalar):
        return replace(node, mark=mark)
    if isinstance(node, Items):
        return Items(mark, tuple(_remarked(item, source) for item in node.items))
    entries = {key: Entry(mark, _remarked(e.node, source)) for key, e in node.entries.items()}
    return MappingNode(mark, entries)
