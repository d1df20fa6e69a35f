"""A config as a tree whose every leaf knows who wrote it and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

import yaml

from reportgen.errors import ConfigPath
from reportgen.records import record

Value = str | int | float | bool | None


@record
class ConfigSource:
    """Something that writes config: a file as the user typed it, one `--set`, or a map."""

    name: str
    order: int
    folder: Path


@record
class Mark:
    """A place in a source, from line 1 and column 1; line 0 means the source as a whole.

    In a map of Python there are no lines to speak of: there the place is the path `within` it.
    """

    source: ConfigSource
    line: int = 0
    column: int = 0
    within: str | None = None

    def __str__(self) -> str:
        if self.within is not None:
            return f"{self.source.name}: {self.within}" if self.within else self.source.name
        if not self.line:
            return self.source.name
        return f"{self.source.name}:{self.line}:{self.column}"

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts places as a reader meets them: the main file first, then its bases."""
        return self.source.order, self.line, self.column


@record
class Scalar:
    """One value. `written` is its text; `secret` replaces it wherever it would be printed."""

    mark: Mark
    value: Value
    written: str
    is_plain: bool = True
    secret: str | None = None

    @property
    def safe_text(self) -> str:
        """The text that may be shown to anybody."""
        return self.written if self.secret is None else self.secret


@record
class ListNode:
    """A list of nodes."""

    mark: Mark
    items: tuple[Node, ...]


@record
class Entry:
    """The value of a key, and where the key stands."""

    mark: Mark
    node: Node


@record
class MappingNode:
    """Keys in the order of the file, each with its entry."""

    mark: Mark
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def get(self, key: str) -> Node | None:
        """Return the node under a key, or None."""
        entry = self.entries.get(key)
        return entry.node if entry else None

    def set_nodes(self, **nodes: Node) -> MappingNode:
        """Return the table with these keys set; a new key gets the mark of its node."""
        return self.put({key: Entry(self._place(key, node), node) for key, node in nodes.items()})

    def put(self, entries: Mapping[str, Entry]) -> MappingNode:
        """Return the table with these entries set or replaced."""
        return replace(self, entries={**self.entries, **entries})

    def remove_keys(self, *keys: str) -> MappingNode:
        """Return the table without some keys."""
        left = {key: entry for key, entry in self.entries.items() if key not in keys}
        return replace(self, entries=left)

    def _place(self, key: str, node: Node) -> Mark:
        return self.entries[key].mark if key in self.entries else node.mark


Node = Scalar | ListNode | MappingNode


def make_scalar(value: Value, mark: Mark) -> Scalar:
    """Build a scalar that nobody wrote, marked where it was derived from."""
    word = "null" if value is None else str(value).lower() if isinstance(value, bool) else None
    return Scalar(mark, value, str(value) if word is None else word)


def build_plain_data(node: Node) -> object:
    """Return the tree as plain data, with lists as tuples."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, ListNode):
        return tuple(build_plain_data(item) for item in node.items)
    return {key: build_plain_data(entry.node) for key, entry in node.entries.items()}


def metric_key(use: Node) -> Scalar | None:
    """Return the scalar that names a metric: its label, or else its name."""
    nodes = (get_child(use, key) for key in ("as", "name"))
    texts = (each for each in nodes if isinstance(each, Scalar) and isinstance(each.value, str))
    return next(texts, None)


def count_nodes(node: Node) -> int:
    """Count the values, lists and maps."""
    if isinstance(node, Scalar):
        return 1
    below = node.items if isinstance(node, ListNode) else [e.node for e in node.entries.values()]
    return 1 + sum(map(count_nodes, below))


def get_child(node: Node | None, part: str | int) -> Node | None:
    """Return the node one step down, or None."""
    if isinstance(node, MappingNode):
        return node.get(str(part))
    if isinstance(node, ListNode) and isinstance(part, int) and 0 <= part < len(node.items):
        return node.items[part]
    return None


def get_text(node: Node | None, key: str) -> str | None:
    """Return the text under a key; None if there is none."""
    below = get_child(node, key)
    return below.value if isinstance(below, Scalar) and isinstance(below.value, str) else None


def get_entries(node: Node | None, key: str) -> Mapping[str, Entry]:
    """Return the entries of the map under a key; none for anything else."""
    below = get_child(node, key)
    return below.entries if isinstance(below, MappingNode) else {}


def get_items(node: Node | None, key: str) -> tuple[Node, ...]:
    """Return the items of the list under a key; none for anything else."""
    below = get_child(node, key)
    return below.items if isinstance(below, ListNode) else ()


def find_node(node: Node | None, at: ConfigPath) -> Node | None:
    """Find the node at a path, or None."""
    for part in at:
        node = get_child(node, part)
    return node


def find_mark(root: Node, at: ConfigPath) -> Mark:
    """Find the mark of the node at a path, or of the nearest known node above it.

    A list or map is placed at its key; a single value at itself.
    """
    mark, node = root.mark, root
    for part in at:
        below = get_child(node, part)
        if below is None:
            return mark
        is_named = isinstance(node, MappingNode) and not isinstance(below, Scalar)
        mark = node.entries[str(part)].mark if is_named else below.mark  # type: ignore[union-attr]
        node = below
    return mark


def find_key_mark(root: Node, at: ConfigPath) -> Mark:
    """Find the mark of the key at the end of a path, or of the nearest known node above it."""
    above = find_node(root, at[:-1])
    if isinstance(above, MappingNode) and str(at[-1]) in above.entries:
        return above.entries[str(at[-1])].mark
    return find_mark(root, at)


def iter_scalars(node: Node, at: ConfigPath = ()) -> Iterator[tuple[ConfigPath, Scalar]]:
    """Every single value with its path."""
    if isinstance(node, Scalar):
        yield at, node
    elif isinstance(node, ListNode):
        for index, item in enumerate(node.items):
            yield from iter_scalars(item, (*at, index))
    else:
        for key, entry in node.entries.items():
            yield from iter_scalars(entry.node, (*at, key))


def format_key_path(at: ConfigPath) -> str:
    """Format a path as a person writes it.

    >>> format_key_path(("gates", 0, "value"))
    'gates[0].value'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return text.removeprefix(".")


class _Dumper(yaml.SafeDumper):
    """Safe YAML dumper that writes no anchors for repeated values."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def dump_yaml(value: Mapping[str, object]) -> str:
    r"""Format a map as YAML, with its keys in their order.

    >>> dump_yaml({"task": "regression", "curves": []})
    'task: regression\ncurves: []\n'
    """
    return yaml.dump(dict(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
