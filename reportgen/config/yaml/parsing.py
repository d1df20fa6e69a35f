"""YAML text -> tree, with a place for every key and value, and limits that hold at once.

Built on PyYAML's events rather than on its objects, so that nothing is ever constructed by a
tag, an alias costs nothing until it is counted, and a refused file is refused early.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from reportgen.config.faults import Faults
from reportgen.config.yaml.characters import unfit, whole
from reportgen.config.yaml.scalars import resolve
from reportgen.config.yaml.syntax import said_plainly
from reportgen.config.yaml.tree import ConfigSource, Entry, Items, MappingNode, Mark, Node, Scalar

MOST_NODES = 20_000
MOST_ALIASES = 200
DEEPEST = 32


def decode(data: bytes, source: ConfigSource, faults: Faults) -> str:
    """The text of a file: UTF-8, with or without a byte order mark."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        faults.add(Mark(source, 1, 1), "the file is UTF-16; save it as UTF-8")
        raise faults.error()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        faults.add(
            Mark(source, line, column),
            f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8",
        )
        raise faults.error() from None


def parse(text: str, source: ConfigSource, faults: Faults, before: int = 0) -> Node | None:
    """The tree of one YAML document, or None if there is nothing in it.

    `before` is how many values other files of the same config have. Text that is no YAML, or too
    much of it, raises; tags and duplicate keys are noted in `faults` and the reading goes on.
    """
    try:
        events = yaml.parse(text, Loader=yaml.SafeLoader)
        return _Composer(source, faults, events, nodes=before).document()
    except yaml.YAMLError as error:
        line, column, message = said_plainly(error, text)
        faults.add(Mark(source, line, column), message)
        raise faults.error() from None


@dataclass
class _Built:
    """A node with its size and depth, aliases written out."""

    node: Node
    size: int = 1
    depth: int = 1


@dataclass
class _Composer:
    source: ConfigSource
    faults: Faults
    events: Iterator[Any]
    anchors: dict[str, _Built] = field(default_factory=dict)
    aliases: int = 0
    nodes: int = 0

    def document(self) -> Node | None:
        built = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if built:
                    self.refuse(event, "a second document begins here; a config is one document")
                built = self.build(next(self.events), 1)
        return built.node if built else None

    def build(self, event: Any, depth: int) -> _Built:
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, depth)
        self.count(event, 1)
        if depth > DEEPEST:
            self.refuse(event, f"the nesting is deeper than {DEEPEST} levels; a config is not")
        if event.tag is not None:
            self.faults.add(
                self.mark(event),
                f"the tag {event.tag.replace('tag:yaml.org,2002:', '!!')!r} is refused: "
                "a config has no tags; quotes make text, no quotes make numbers",
            )
        if isinstance(event, yaml.ScalarEvent):
            built = _Built(self.scalar(event))
        elif isinstance(event, yaml.SequenceStartEvent):
            built = self.items(event, depth)
        else:
            built = self.table(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = built
        return built

    def alias(self, event: Any, depth: int) -> _Built:
        built = self.anchors.get(event.anchor)
        if built is None:
            self.refuse(
                event,
                f"the alias *{event.anchor} points to nothing before it; "
                f"write &{event.anchor} at the value that it repeats",
            )
        assert built is not None
        self.aliases += 1
        if self.aliases > MOST_ALIASES or depth + built.depth > DEEPEST:
            self.refuse(event, f"there are too many aliases here; at most {MOST_ALIASES} are read")
        self.count(event, built.size)
        return built

    def items(self, event: Any, depth: int) -> _Built:
        built = []
        while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
            built.append(self.build(item, depth + 1))
        return self.joined(Items(self.mark(event), tuple(b.node for b in built)), built)

    def table(self, event: Any, depth: int) -> _Built:
        entries: dict[str, Entry] = {}
        merged: list[tuple[Mark, Node]] = []
        built = []
        while not isinstance(key := next(self.events), yaml.MappingEndEvent):
            name = self.key(key)
            value = self.build(next(self.events), depth + 1)
            built.append(value)
            if name == "<<":
                merged.append((self.mark(key), value.node))
            elif name in entries:
                self.faults.add(
                    self.mark(key),
                    f"the key {name!r} is already set at line {entries[name].mark.line}; "
                    "remove one of the two",
                )
            else:
                entries[name] = Entry(self.mark(key), value.node)
        for mark, node in merged:
            self.merge(entries, mark, node)
        return self.joined(MappingNode(self.mark(event), entries), built)

    def key(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(event, "a key is one word, not a list, a map or an alias")
        if event.anchor is not None or event.tag is not None:
            self.refuse(event, "a key has no tag and no anchor; put them at values")
        return self.text(event)

    def merge(self, entries: dict[str, Entry], mark: Mark, node: Node) -> None:
        """What `<<` brings in; keys that are written out win, then the first of several."""
        tables = node.items if isinstance(node, Items) else (node,)
        for table in tables:
            if not isinstance(table, MappingNode):
                self.faults.add(mark, "'<<' takes an alias of a map, or a list of them")
                continue
            for key, entry in table.entries.items():
                entries.setdefault(key, entry)

    def scalar(self, event: Any) -> Scalar:
        is_plain, text = event.style is None, self.text(event)
        return Scalar(self.mark(event), resolve(text) if is_plain else text, text, is_plain)

    def text(self, event: Any) -> str:
        """The text of a key or a value, if it is one that files and pages can hold."""
        text = whole(event.value)
        if code := unfit(text):
            self.refuse(event, f"the character {code} may not stand in a config; remove it")
        return text

    def joined(self, node: Node, parts: list[_Built]) -> _Built:
        size = 1 + sum(part.size for part in parts)
        return _Built(node, size, 1 + max((part.depth for part in parts), default=0))

    def count(self, event: Any, size: int) -> None:
        self.nodes += size
        if self.nodes > MOST_NODES:
            self.refuse(
                event, f"the config grows past {MOST_NODES:,} values here, aliases written out"
            )

    def mark(self, event: Any) -> Mark:
        return Mark(self.source, event.start_mark.line + 1, event.start_mark.column + 1)

    def refuse(self, event: Any, message: str) -> None:
        self.faults.add(self.mark(event), message)
        raise self.faults.error()
