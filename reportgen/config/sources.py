"""Merge the sources of a config: `extends`, the file, overrides, environment variables."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePath

from reportgen.config.schema.config import Config
from reportgen.config.yaml.faults import ProblemList, quote_node
from reportgen.config.yaml.parsing import (
    DEEPEST,
    MOST_NODES,
    Unreadable,
    decode_utf8,
    find_forbidden_character,
    parse_yaml,
    read_config_bytes,
    resolve_scalar,
)
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    ListNode,
    MappingNode,
    Mark,
    Node,
    Scalar,
    count_nodes,
    format_key_path,
    make_scalar,
)
from reportgen.errors import ConfigError, ConfigPath, did_you_mean
from reportgen.records import record
from reportgen.text import LONGEST_VALUE, shorten

VARIABLE_PATTERN = re.compile(
    r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(:(?P<how>[-?])(?P<word>[^{}]*))?\}|(?P<bad>\$\{)"
)


@record
class Environment:
    """The variables that a config may read, and those whose values may be shown."""

    values: Mapping[str, str]
    shown: Collection[str]
    faults: ProblemList

    def fill(self, node: Node) -> Node:
        """Return the tree with its variables filled in, in values only."""
        if isinstance(node, Scalar):
            return self._scalar(node)
        if isinstance(node, ListNode):
            return replace(node, items=tuple(self.fill(item) for item in node.items))
        for key, entry in node.entries.items():
            if "${" in key:
                self.faults.settle(entry.mark, f"{key!r}: variables stand in values, not in keys")
        return replace(
            node, entries={key: Entry(e.mark, self.fill(e.node)) for key, e in node.entries.items()}
        )

    def _scalar(self, node: Scalar) -> Scalar:
        if "${" not in node.written:
            return node
        hidden: list[str] = []
        text = VARIABLE_PATTERN.sub(lambda match: self._value(match, node, hidden), node.written)
        whole = VARIABLE_PATTERN.fullmatch(node.written)
        is_typed = node.is_plain or (whole is not None and whole["name"] is not None)
        secret = VARIABLE_PATTERN.sub(self._mask_variable, node.written) if hidden else None
        return replace(
            node, value=resolve_scalar(text) if is_typed else text, written=text, secret=secret
        )

    def _value(self, match: re.Match[str], node: Scalar, hidden: list[str]) -> str:
        name, how, word = match["name"], match["how"], match["word"]
        if match["bad"]:
            self.faults.settle(
                node.mark,
                "'${' begins no variable: write ${NAME}, ${NAME:-default} or ${NAME:?message}, "
                "or $${ for a plain ${",
            )
            return ""
        if name is None:
            return "${"
        value = self.values.get(name)
        if value is not None and find_forbidden_character(value):
            said = "holds bytes that are no text; set it to UTF-8"
            self.faults.settle(node.mark, f"the environment variable {name} {said}")
            return ""
        if value is not None and (value or not how):
            hidden += [] if name in self.shown else [name]
            return value
        if how == "-":
            return str(word)
        self.faults.settle(node.mark, self._unset(name, how, word))
        return ""

    def _unset(self, name: str, how: str | None, word: str | None) -> str:
        if how == "?" and word:
            return f"the environment variable {name} is not set: {word}"
        near = did_you_mean(name, self.values)
        hint = f" ({near})" if near.startswith("did") else ""
        fact = f"the environment variable {name} is not set{hint}"
        return f"{fact}; set it, or write ${{{name}:-default}}"

    def _mask_variable(self, match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match[0]
        value = self.values.get(name)
        if value is None or (not value and match["how"]):
            return str(match["word"] or "")
        return value if name in self.shown else f"${{{name}}}"


LONGEST_NUMBER = 1000  # bits


@record
class ConfigMapping:
    """A config as a map, the folder that its paths begin at, and another that it extends."""

    config: Mapping[str, object]
    folder: Path
    below: ConfigMapping | None = None


def parse_mapping(given: ConfigMapping, source: ConfigSource, faults: ProblemList) -> MappingNode:
    """Build the tree of a map; invalid values are noted in `faults`, too large a map raises."""
    return _MappingParser(source, faults).table(given.config, ())


@dataclass
class _MappingParser:
    source: ConfigSource
    faults: ProblemList
    count: int = 0

    def node(self, value: object, at: ConfigPath) -> Node:
        mark = self.mark(at)
        if isinstance(value, Mapping):
            return self.table(value, at)
        if isinstance(value, Sequence | set) and not isinstance(value, str | bytes):
            items = sorted(value, key=str) if isinstance(value, set) else value
            return ListNode(mark, tuple(self.node(x, (*at, k)) for k, x in enumerate(items)))
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            value = value.item()  # a number of numpy
        if isinstance(value, PurePath | date):
            value = str(value)
        if isinstance(value, str):
            return self.text(value, mark)
        if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
            self.faults.add(mark, "the number is too large to be computed with")
            return make_scalar(0, mark)
        if value is None or isinstance(value, bool | int | float):
            return make_scalar(value, mark)
        hint = "; give data to reportgen.compare" if hasattr(value, "__len__") else ""
        kind = type(value).__name__
        self.faults.add(mark, f"a config holds no {kind}, only text, numbers, lists and maps{hint}")
        return make_scalar(None, mark)

    def text(self, value: str, mark: Mark) -> Scalar:
        code = find_forbidden_character(value)
        if code:
            self.faults.add(mark, f"the character {code} may not stand in a config; remove it")
        return Scalar(mark, value, value, is_plain=False)

    def table(self, value: Mapping[str, object], at: ConfigPath) -> MappingNode:
        mark = self.mark(at)
        entries = {}
        for key, below in value.items():
            node = self.node(below, (*at, str(key)))
            entries[str(key)] = Entry(self.mark((*at, str(key))), node)
        return MappingNode(mark, entries)

    def mark(self, at: ConfigPath) -> Mark:
        """Return a mark, numbered so that problems come in the order of the map."""
        self.count += 1
        if self.count > 2 * MOST_NODES or len(at) > DEEPEST:
            self.faults.add(Mark(self.source), "the config is too large, or holds itself")
            raise self.faults.error()
        return Mark(self.source, self.count, 0, format_key_path(at))


BASE_KEYS = frozenset((*Config.model_fields, "extends"))
_KEY = re.compile(r"""^["']?([^\s"':#][^"':]*)["']?\s*:(?:\s|$)""", re.MULTILINE)
_NO_CONFIG = "the file is no config: most of its keys are none of this language"


def read_base(data: bytes, source: ConfigSource, faults: ProblemList, before: int) -> MappingNode:
    """Read the keys of a base; raise Unreadable if it is no config, its problems if it is broken.

    `before` is how many values the files read so far have.
    """
    own = ProblemList()
    try:
        text = decode_utf8(data, source, own)
        tree = parse_yaml(text, source, own, before)
    except ConfigError:
        found = _KEY.findall(data.decode("utf-8", "replace"))
        if not found or not _are_config_keys(found):
            raise Unreadable(f"the file is no config: {_format_place(own)} it is no YAML") from None
        faults.found |= own.found
        raise faults.error() from None
    if not isinstance(tree, MappingNode):
        raise Unreadable("the file is no config: it holds no map of keys")
    if not _are_config_keys([key for key in tree.entries if not key.startswith("x-")]):
        raise Unreadable(_NO_CONFIG)
    faults.found |= own.found
    return tree


def _are_config_keys(keys: list[str]) -> bool:
    """Tell whether most keys are those of a config; no keys, or `x-` keys alone, are."""
    return 2 * len(BASE_KEYS.intersection(keys)) > len(keys) or not keys


def _format_place(own: ProblemList) -> str:
    mark = min((mark for mark, _ in own.found), key=lambda each: each.order)
    return f"at line {mark.line}" if mark.line else "there"


MOST_BASES = 32
DEEPEST_BASE = 16


@dataclass
class SourceStack:
    """Reads sources and stacks them; a base that is named twice is read once."""

    environ: Mapping[str, str]
    faults: ProblemList
    sources: list[ConfigSource] = field(default_factory=list)
    known: dict[Path, MappingNode] = field(default_factory=dict)
    size: int = 0
    has_gaps: bool = False

    def read(self, config: str | ConfigMapping, overrides: Sequence[str]) -> MappingNode:
        """Read a config, a file or a map, into a tree with bases below and overrides above."""
        if isinstance(config, str):
            tree = self._config(Path(config).absolute(), config)
        else:
            tree = self._read_mapping(config)
        if self.has_gaps:  # without a base nothing can be said of the rest
            raise self.faults.error()
        for override in overrides:
            tree = self._override(tree, override)
        return tree.remove_keys("extends")

    def _read_mapping(self, given: ConfigMapping) -> MappingNode:
        source = self.source("config", given.folder.absolute())
        tree = parse_mapping(given, source, self.faults)
        self.size += count_nodes(tree)
        tree = self._extend(drop_free_keys(tree), ())
        return merge_trees(self._read_mapping(given.below), tree) if given.below else tree

    def source(self, name: str, folder: Path) -> ConfigSource:
        """Add a new source after those already read, and return it."""
        self.sources.append(ConfigSource(name, len(self.sources), folder))
        return self.sources[-1]

    def _config(self, path: Path, name: str) -> MappingNode:
        """Read the file that the user named, with its bases below it."""
        source = self.source(name, path.parent)
        try:
            data = read_config_bytes(path, "")
        except Unreadable as why:
            self.faults.add(Mark(source), str(why))
            raise self.faults.error() from None
        tree = parse_yaml(decode_utf8(data, source, self.faults), source, self.faults)
        if not isinstance(tree, MappingNode):
            return self._no_table(tree, source)
        self.size = count_nodes(tree)
        return self._extend(drop_free_keys(tree), (_resolve_path(path),))

    def _base(self, path: Path, name: str, called: Mark, above: tuple[Path, ...]) -> MappingNode:
        """Read a file that `extends` names, with its bases below it; empty if it is missing."""
        here = _resolve_path(path)
        if here in self.known:
            return self.known[here]
        if here in above:
            return self._gap(called, f"{name} extends itself; break the circle")
        if len(above) > DEEPEST_BASE or len(self.sources) > MOST_BASES:
            limits = f"at most {MOST_BASES} are read, {DEEPEST_BASE} deep"
            return self._gap(called, f"{name} is one base too many; {limits}")
        source = self.source(name, path.parent)
        try:
            data = read_config_bytes(path, called.source.name)
            table = read_base(data, source, self.faults, self.size)
        except Unreadable as why:
            return self._gap(called, f"{name}: {why}")
        self.size += count_nodes(table)
        self.known[here] = self._extend(drop_free_keys(table), (*above, here))
        return self.known[here]

    def _gap(self, called: Mark, message: str) -> MappingNode:
        """Note a missing base, without which nothing else is checked; return an empty map."""
        self.has_gaps = True
        self.faults.add(called, f"extends: {message}")
        return MappingNode(called)

    def _no_table(self, tree: Node | None, source: ConfigSource) -> MappingNode:
        if tree is None or (isinstance(tree, Scalar) and tree.value is None):
            tree = None
            fact = "the file says nothing; `reportgen init DATA` writes a config to start from"
        else:
            what = "a list" if isinstance(tree, ListNode) else "a single value"
            fact = f"the file holds {what}; a config is a map of keys, the first `version: 1`"
        self.faults.add(tree.mark if tree else Mark(source, 1, 1), fact)
        raise self.faults.error()

    def _extend(self, tree: MappingNode, above: tuple[Path, ...]) -> MappingNode:
        extends = tree.get("extends")
        if extends is None:
            return tree
        bases: list[Scalar] = []
        listed = extends.items if isinstance(extends, ListNode) else (extends,)
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
                    node.mark, f"extends needs a file or a list of files, not {quote_node(base)}"
                )
        below: MappingNode | None = None
        for base in bases:
            source = base.mark.source
            name = str(Path(source.name).parent / base.safe_text)
            table = self._base(source.folder / str(base.value), name, base.mark, above)
            below = table if below is None else merge_trees(below, table)
        return tree if below is None else merge_trees(below, tree)

    def _override(self, tree: MappingNode, text: str) -> MappingNode:
        source = self.source(f"--set {shorten(text, LONGEST_VALUE)}", Path.cwd())
        name, sign, value = text.partition("=")
        parts = tuple(name.split("."))
        if said := _describe_bad_override(text, sign, parts):
            self.faults.add(Mark(source), said)
            return tree
        if parts[0] == "extends":
            self.faults.add(Mark(source), "a base is named in the file, not on the command line")
        node = self._parse_value(value.strip(), source)
        setter = _Setter(source, self.faults)
        changed = setter.put(tree, (), parts, _replace_marks(node, source))
        return changed if isinstance(changed, MappingNode) else tree

    def _parse_value(self, value: str, source: ConfigSource) -> Node:
        """Parse a list, map or quoted text as YAML, and anything else as one unquoted word."""
        if value.startswith(("[", "{", '"', "'")):
            return parse_yaml(value, source, self.faults) or Scalar(Mark(source), None, "")
        return Scalar(Mark(source), resolve_scalar(value), value)


@record
class _Setter:
    """Puts one node at a path, making the maps on the way."""

    source: ConfigSource
    faults: ProblemList

    def put(self, node: Node | None, done: ConfigPath, left: ConfigPath, value: Node) -> Node:
        if not left:
            return value
        mark, part = Mark(self.source), left[0]
        if isinstance(node, ListNode):
            return self._put_item(node, done, left, value)
        if not isinstance(node, MappingNode):
            if isinstance(node, Scalar) and node.value is not None:
                self.faults.add(
                    mark, f"{format_key_path(done)} is {quote_node(node)} and has no keys to set"
                )
                return node
            node = MappingNode(mark)
        below = self.put(node.get(str(part)), (*done, str(part)), left[1:], value)
        return node.put({str(part): Entry(mark, below)})

    def _put_item(self, node: ListNode, done: ConfigPath, left: ConfigPath, value: Node) -> Node:
        items = list(node.items)
        part = next((i for i in range(len(items)) if str(i) == left[0]), None)
        if part is None:
            self.faults.add(
                Mark(self.source),
                f"{format_key_path(done)} is a list of {len(items)}; its items are numbered "
                "from 0, "
                f"and {left[0]!r} is none of them",
            )
            return node
        items[part] = self.put(items[part], (*done, part), left[1:], value)
        return replace(node, items=tuple(items))


def _describe_bad_override(text: str, sign: str, parts: Sequence[str]) -> str:
    """Why an override cannot be read at all; empty if it can."""
    if code := find_forbidden_character(text):
        return f"the character {code} may not stand in a config; remove it"
    if not sign or not all(parts):
        return "needs KEY=VALUE, such as bootstrap.seed=7"
    if len(parts) > DEEPEST:
        return f"the key has {len(parts):,} parts; a config is at most {DEEPEST} levels deep"
    return ""


def _resolve_path(path: Path) -> Path:
    """Return the real path of a file, the same whichever way the file was named."""
    return Path(os.path.realpath(path))


def merge_trees(below: MappingNode, above: MappingNode) -> MappingNode:
    """Two tables as one: tables within merge, anything else is replaced by what is above."""
    entries = dict(below.entries)
    for key, entry in above.entries.items():
        old = entries[key].node if key in entries else None
        if isinstance(old, MappingNode) and isinstance(entry.node, MappingNode):
            entry = Entry(entry.mark, merge_trees(old, entry.node))
        entries[key] = entry
    return MappingNode(above.mark, entries)


def drop_free_keys(node: MappingNode) -> MappingNode:
    """Drop the keys that begin with `x-` at every depth; `meta` stays as it is."""
    return _remove_entries(node, whole=("meta",))


def _remove_entries(table: MappingNode, whole: Sequence[str] = ()) -> MappingNode:
    entries = {
        key: entry if key in whole else Entry(entry.mark, _drop_removed(entry.node))
        for key, entry in table.entries.items()
        if not key.startswith("x-")
    }
    return replace(table, entries=entries)


def _drop_removed(node: Node) -> Node:
    if isinstance(node, MappingNode):
        return _remove_entries(node)
    if isinstance(node, ListNode):
        return replace(node, items=tuple(_drop_removed(item) for item in node.items))
    return node


def _replace_marks(node: Node, source: ConfigSource) -> Node:
    """Return the same tree marked as a whole: a column within `--set` helps nobody."""
    mark = Mark(source)
    if isinstance(node, Scalar):
        return replace(node, mark=mark)
    if isinstance(node, ListNode):
        return ListNode(mark, tuple(_replace_marks(item, source) for item in node.items))
    entries = {key: Entry(mark, _replace_marks(e.node, source)) for key, e in node.entries.items()}
    return MappingNode(mark, entries)
