"""Parse YAML text into a tree, within limits of size and depth."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from reportgen.config.yaml.faults import ProblemList
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    ListNode,
    MappingNode,
    Mark,
    Node,
    Scalar,
    Value,
)
from reportgen.errors import did_you_mean
from reportgen.paths import NotRegularFile, open_regular
from reportgen.text import format_foreign_error

_UNFIT = re.compile("[\x00\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def join_surrogates(text: str) -> str:
    r"""Return the text with surrogate pairs joined, as JSON writes characters beyond U+FFFF.

    >>> join_surrogates("\ud83d\ude00") == "\U0001f600"
    True
    """
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def find_forbidden_character(text: str) -> str:
    r"""Find a character of a text that may not stand in a config; empty if all may.

    >>> find_forbidden_character("a\0")
    'U+0000'
    """
    found = _UNFIT.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""


MOST_BYTES = 1_000_000


class Unreadable(Exception):
    """A file that cannot be read as a config; its text says why and what to do."""


def read_config_bytes(path: Path, caller: str) -> bytes:
    """Read the bytes of a file; `caller`, the file that named it, is not suggested for a typo."""
    try:
        return _read_regular_file(path)
    except FileNotFoundError:
        known = [name for name in _neighbours(path.parent) if name != Path(caller).name]
        near = did_you_mean(path.name, known)
        hint = near if near.startswith("did") else "check the path"
        raise Unreadable(f"there is no such file; {hint}") from None
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}") from None


def _read_regular_file(path: Path) -> bytes:
    if path.is_dir():
        raise Unreadable("this is a folder; name the YAML file in it")
    try:
        with open_regular(path) as file:
            size, data = os.fstat(file.fileno()).st_size, file.read(MOST_BYTES + 1)
    except NotRegularFile:
        raise Unreadable(
            "this is not a regular file but a device, a pipe or a socket; name a file"
        ) from None
    if len(data) > MOST_BYTES:
        raise Unreadable(f"the file has {size:,} bytes; a config has at most {MOST_BYTES:,}")
    return data


def _neighbours(folder: Path) -> list[str]:
    """List the YAML files of a folder; none if it cannot be read."""
    try:
        return sorted(p.name for p in folder.iterdir() if p.suffix in (".yaml", ".yml"))
    except OSError:
        return []


SCALAR_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
INTEGER = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
INFINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)")
MOST_DIGITS = 300  # beyond it a whole number is no longer finite as a number


def resolve_scalar(text: str) -> Value:
    """Return the value of an unquoted word.

    >>> [resolve_scalar(word) for word in ("012", "1e-3", "no", "~", "0x1F", "2026-11-21")]
    [12, 0.001, 'no', None, 31, '2026-11-21']
    """
    if text in SCALAR_WORDS:
        return SCALAR_WORDS[text]
    if INTEGER.fullmatch(text):
        return int(text) if len(text) <= MOST_DIGITS else float(text)
    if OCTAL.fullmatch(text):
        return _replace_overflow(int(text[2:], 8))
    if HEXADECIMAL.fullmatch(text):
        return _replace_overflow(int(text[2:], 16))
    if NUMBER.fullmatch(text):
        return float(text)
    if infinite := INFINITE.fullmatch(text):
        return float(infinite[1] + "inf")
    return text


def _replace_overflow(number: int) -> Value:
    """Return a whole number, or infinity if it is too large for a float."""
    try:
        float(number)
    except OverflowError:
        return float("inf")
    return number


PLAIN_MESSAGES = {
    "mapping values are not allowed here": "a ':' is not expected here: the line above may lack "
    "its own, or a text that holds ': ' needs quotes",
    "could not find expected ':'": "this is no 'key: value': a ':' is missing here or just above",
    "sequence entries are not allowed here": "a list item '- ' is not expected here: "
    "put it on a line of its own under its key",
    "found character '\\t' that cannot start any token": "a tab is used to indent: "
    "YAML indents by spaces; replace it",
    "did not find expected <document start>": "this does not belong to what stands above: "
    "check its indentation",
    "expected the node content": "a value is missing before this",
    "found unknown escape character": "in double quotes a backslash begins an escape: "
    "use single quotes, or write \\\\",
    "expected alphabetic or numeric character": "a text that begins with '*' or '&' needs quotes",
    "expected <block end>": "the indentation does not fit the lines above: "
    "align this with its neighbours",
    "expected <document start>": "this does not belong to what stands above: check its indentation",
}


def describe_yaml_error(error: yaml.YAMLError, text: str) -> tuple[int, int, str]:
    """Line, column and one clear line for an error of PyYAML."""
    if isinstance(error, ReaderError):
        return _describe_bad_character(error, text)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None or not isinstance(error, yaml.MarkedYAMLError):
        return 1, 1, "this is not YAML; see https://yaml.org for the syntax"
    problem = (error.problem or "") + " " + (error.context or "")
    if "end of stream" in problem and "quoted" in problem and error.context_mark:
        opened = error.context_mark
        return opened.line + 1, opened.column + 1, "the quote that opens here is never closed"
    return mark.line + 1, mark.column + 1, _format_words(error, problem, mark, text)


def _format_words(error: yaml.MarkedYAMLError, problem: str, mark: yaml.Mark, text: str) -> str:
    line = next(islice(text.splitlines(), mark.line, None), "")
    if "'?'" in problem or "mapping keys are not allowed" in problem:
        return "a '?' that stands alone needs quotes"
    if "flow" in problem:
        if "${" in line:
            return 'inside [ ] and { } a variable needs quotes: "${VAR}"'
        opened = error.context_mark.line + 1 if error.context_mark else mark.line + 1
        return f"the bracket opened at line {opened} is not closed, or a comma is missing here"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return PLAIN_MESSAGES["found character '\\t' that cannot start any token"]
    if "cannot start any token" in problem and "\\t" not in problem:
        return f"a text that begins with {line[mark.column : mark.column + 1]!r} needs quotes"
    for theirs, ours in PLAIN_MESSAGES.items():
        if theirs in problem:
            return ours
    return f"this is not YAML: {format_foreign_error(problem)}"


def _describe_bad_character(error: ReaderError, text: str) -> tuple[int, int, str]:
    before = text[: error.position]
    line, column = before.count("\n") + 1, error.position - before.rfind("\n")
    code = error.character if isinstance(error.character, int) else ord(error.character)
    return line, column, f"the character U+{code:04X} may not stand in YAML; remove it"


class _FlowLoader(yaml.SafeLoader):
    """PyYAML, with '?' inside brackets as YAML 1.2 has it (7.3.3): a letter like any other.

    It marks a key only where a space, a bracket or a comma follows. PyYAML lets it end a text.
    """

    _after_key = "\0 \t\r\n\x85\u2028\u2029,[]{}"

    def check_key(self) -> bool:
        return bool(super().check_key()) and self.peek(1) in self._after_key

    def check_plain(self) -> bool:
        is_text = self.peek() == "?" and self.peek(1) not in self._after_key
        return is_text or bool(super().check_plain())

    def scan_plain(self) -> Any:
        if not self.flow_level:
            return super().scan_plain()
        peek = self.peek
        hidden = {"?": "a"}  # the text is cut from the buffer, which keeps it

        def peek_at(index: int = 0) -> str:
            letter: str = peek(index)
            return hidden.get(letter, letter)

        vars(self)["peek"] = peek_at
        try:
            return super().scan_plain()
        finally:
            del vars(self)["peek"]


MOST_NODES = 20_000
MOST_ALIASES = 200
DEEPEST = 32


def decode_utf8(data: bytes, source: ConfigSource, faults: ProblemList) -> str:
    """Decode the text of a file as UTF-8, with or without a byte order mark."""
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


def parse_yaml(
    text: str, source: ConfigSource, faults: ProblemList, before: int = 0
) -> Node | None:
    """Parse one YAML document into a tree; None if there is nothing in it.

    `before` is how many values other files of the same config have. Text that is no YAML, or too
    much of it, raises; tags and duplicate keys are noted in `faults` and the reading goes on.
    """
    try:
        events = yaml.parse(text, Loader=_FlowLoader)
        return _Composer(source, faults, events, nodes=before).document()
    except yaml.YAMLError as error:
        line, column, message = describe_yaml_error(error, text)
        faults.add(Mark(source, line, column), message)
        raise faults.error() from None


@dataclass
class _MeasuredNode:
    """A node with its size and depth, aliases written out."""

    node: Node
    size: int = 1
    depth: int = 1


@dataclass
class _Composer:
    source: ConfigSource
    faults: ProblemList
    events: Iterator[Any]
    anchors: dict[str, _MeasuredNode] = field(default_factory=dict)
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

    def build(self, event: Any, depth: int) -> _MeasuredNode:
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
            built = _MeasuredNode(self.scalar(event))
        elif isinstance(event, yaml.SequenceStartEvent):
            built = self.items(event, depth)
        else:
            built = self.table(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = built
        return built

    def alias(self, event: Any, depth: int) -> _MeasuredNode:
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

    def items(self, event: Any, depth: int) -> _MeasuredNode:
        built = []
        while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
            built.append(self.build(item, depth + 1))
        return self.build_node(ListNode(self.mark(event), tuple(b.node for b in built)), built)

    def table(self, event: Any, depth: int) -> _MeasuredNode:
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
        return self.build_node(MappingNode(self.mark(event), entries), built)

    def key(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(event, "a key is one word, not a list, a map or an alias")
        if event.anchor is not None or event.tag is not None:
            self.refuse(event, "a key has no tag and no anchor; put them at values")
        return self.text(event)

    def merge(self, entries: dict[str, Entry], mark: Mark, node: Node) -> None:
        """Merge what `<<` brings in; keys that are written out win, then the first of several."""
        tables = node.items if isinstance(node, ListNode) else (node,)
        for table in tables:
            if not isinstance(table, MappingNode):
                self.faults.add(mark, "'<<' takes an alias of a map, or a list of them")
                continue
            for key, entry in table.entries.items():
                entries.setdefault(key, entry)

    def scalar(self, event: Any) -> Scalar:
        is_plain, text = event.style is None, self.text(event)
        return Scalar(self.mark(event), resolve_scalar(text) if is_plain else text, text, is_plain)

    def text(self, event: Any) -> str:
        """Return the text of a key or value; refuse characters that files cannot hold."""
        text = join_surrogates(event.value)
        if code := find_forbidden_character(text):
            self.refuse(event, f"the character {code} may not stand in a config; remove it")
        return text

    def build_node(self, node: Node, parts: list[_MeasuredNode]) -> _MeasuredNode:
        size = 1 + sum(part.size for part in parts)
        return _MeasuredNode(node, size, 1 + max((part.depth for part in parts), default=0))

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
