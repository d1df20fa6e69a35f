"""Mask values that came from environment variables wherever they would be printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from traceback import format_exc
from urllib.parse import unquote

from reportgen.config.sources import VARIABLE_PATTERN
from reportgen.config.task_shorthand import map_metric_pointers
from reportgen.config.yaml.faults import ProblemList
from reportgen.config.yaml.tree import (
    Entry,
    ListNode,
    MappingNode,
    Node,
    Scalar,
    find_node,
    get_child,
    get_entries,
    get_items,
    get_text,
    iter_scalars,
)
from reportgen.errors import ConfigError, ConfigPath, InternalError, ReportgenError
from reportgen.text import hide_in_messages

ANY = "*"
FILE_WORDS = ("format", "encoding", "delimiter", "decimal", "thousands", "skip_rows", "sheet")
SHOWN: tuple[tuple[str, ...], ...] = (
    ("report", "title"),
    ("report", "id"),
    ("report", "status"),
    ("report", "decision"),
    ("report", "about"),
    ("report", "headline", ANY),
    ("report", "sign_off", ANY, "date"),
    ("report", "findings", ANY, "due"),
    ("task",),
    ("folds", "question"),
    ("folds", "train_share"),
    ("datasets", ANY, "positive"),
    ("datasets", ANY, "missing"),
    ("datasets", ANY, "role"),
    ("datasets", ANY, "fit"),
    *(("datasets", ANY, key) for key in FILE_WORDS),
    ("datasets", ANY, "duplicates"),
    ("datasets", ANY, "separator"),
    *(("models", ANY, "scores", ANY, key) for key in FILE_WORDS),
    ("models", ANY, "role"),
    ("models", ANY, "version"),
    ("models", ANY, "artifact", "sha256"),
    ("models", ANY, "scale"),
    ("metrics", ANY),
    ("metrics", ANY, "name"),
    ("metrics", ANY, "params", ANY),
    ("curves", ANY),
    ("curves", ANY, "name"),
    ("curves", ANY, "params", ANY),
    ("primary", "metric"),
    ("primary", "margin"),
    ("primary", "dataset"),
    *(
        ("gates", ANY, key)
        for key in ("rule", "metric", "model", "against", "dataset", "segment", "margin", "on")
    ),
    ("gates", ANY, "inconclusive"),
    ("compute", "memory"),
    ("costs", "loss"),
    ("per_class", ANY),
    ("score", "title"),
    ("score", "better"),
    ("score", "unit"),
    ("scores", ANY, "better"),
    ("scores", ANY, "unit"),
    ("judge", "score"),
    ("across", "cliques"),
    ("thresholds", ANY, "maximize"),
    ("thresholds", ANY, "minimize"),
    ("bootstrap", "interval"),
    ("bootstrap", "weights"),
    ("comparisons", ANY),
    ("comparisons", "test", ANY),
    ("theme", "accent"),
    ("theme", "colours", ANY),
    ("warnings", "fatal", ANY),
    ("outputs", ANY),
    ("sections", ANY),
    ("pdf", "attach", ANY),
    ("show_variables", ANY),
)
PATHS: tuple[tuple[str, ...], ...] = (
    ("datasets", ANY, "path"),
    ("datasets", ANY, "sql_file"),
    ("datasets", ANY, "labels", "path"),
    ("datasets", ANY, "qrels", "path"),
    ("datasets", ANY, "letor", "path"),
    ("datasets", ANY, "letor", "groups"),
    ("datasets", ANY, "queries", "path"),
    ("models", ANY, "scores", ANY, "path"),
    ("models", ANY, "run", ANY, "path"),
    ("models", ANY, "lines", ANY, "path"),
    ("models", ANY, "trained_on", "path"),
    ("theme", "logo"),
    ("theme", "fonts"),
    ("plugins", ANY),
    ("previous", "path"),
    ("frozen",),
)
SHORT = 4  # letters below which a text is only looked for in quotes: it stands in many a word


def is_shown_path(at: ConfigPath) -> bool:
    """Return whether the text at a path is shown wherever it came from."""
    return _matches_any(SHOWN, at)


def is_file_path(at: ConfigPath) -> bool:
    """Return whether a file or folder stands at a path."""
    return _matches_any(PATHS, at)


def mask_tree(node: Node, at: ConfigPath = ()) -> Node:
    """Return the tree as it may be printed, with text from the environment as it was written."""
    if isinstance(node, Scalar):
        is_text = node.secret is not None and isinstance(node.value, str)
        return replace(node, value=node.secret) if is_text and not is_shown_path(at) else node
    if isinstance(node, ListNode):
        items = (mask_tree(item, (*at, index)) for index, item in enumerate(node.items))
        return replace(node, items=tuple(items))
    entries = {k: Entry(e.mark, mask_tree(e.node, (*at, k))) for k, e in node.entries.items()}
    return replace(node, entries=entries)


def _matches_any(patterns: tuple[tuple[str, ...], ...], at: ConfigPath) -> bool:
    return any(
        len(pattern) == len(at)
        and all(want in (ANY, part) for want, part in zip(pattern, at, strict=True))
        for pattern in patterns
    )


def rename_hidden(tree: MappingNode, faults: ProblemList) -> MappingNode:
    """Return the tree with references to hidden names replaced by what is printed for them.

    Labels of metrics and columns of segments have such names.
    """
    labels = _collect_labels(tree, faults)
    tests = find_node(tree, ("comparisons", "test"))
    if labels and isinstance(tests, MappingNode):
        entries = {labels.get(key, key): entry for key, entry in tests.entries.items()}
        comparisons = tree.get("comparisons")
        assert isinstance(comparisons, MappingNode)
        tree = tree.set_nodes(
            comparisons=comparisons.set_nodes(test=replace(tests, entries=entries))
        )
    return map_metric_pointers(
        tree,
        lambda name: _rename_metric(name, labels),
        lambda pointer: _rename_gate_segment(_rename_pointer(pointer, labels), tree),
    )


def _collect_labels(tree: MappingNode, faults: ProblemList) -> dict[str, str]:
    """Map each hidden metric label to its printed form, which no other label may have."""
    found: dict[str, str] = {}
    seen: dict[str, object] = {}
    for use in get_items(tree, "metrics"):
        label = get_child(use, "as") or get_child(use, "name")
        if not isinstance(label, Scalar):
            continue
        is_label = get_child(use, "as") is not None
        printed = label.safe_text if is_label else str(label.value)
        if seen.setdefault(printed, label.value) != label.value:
            faults.add(label.mark, f"two metrics are printed as {printed!r}; label one otherwise")
        if is_label and label.secret is not None:
            found[str(label.value)] = label.secret
    return found


def _rename_pointer(node: Node, labels: Mapping[str, str]) -> Node:
    metric = get_child(node, "metric")
    if isinstance(node, MappingNode) and isinstance(metric, Scalar) and metric.value in labels:
        return node.set_nodes(metric=_hide_scalar(metric, labels[str(metric.value)]))
    return node


def _rename_metric(node: Node, labels: Mapping[str, str]) -> Node:
    """Return the name of a metric in a list as it is printed."""
    is_hidden = isinstance(node, Scalar) and node.value in labels
    return _hide_scalar(node, labels[str(node.value)]) if is_hidden else node  # type: ignore[arg-type,union-attr]


def _rename_gate_segment(gate: Node, tree: MappingNode) -> Node:
    """Return a gate whose segment names its column as it is printed."""
    dataset, segment = get_child(gate, "dataset"), get_child(gate, "segment")
    if not (isinstance(gate, MappingNode) and isinstance(dataset, Scalar)):
        return gate
    if not (isinstance(segment, Scalar) and isinstance(segment.value, str)):
        return gate
    column, sign, value = segment.value.partition("=")
    for each in get_items(find_node(tree, ("datasets", str(dataset.value))), "segments"):
        name = get_child(each, "column")
        if isinstance(name, Scalar) and name.value == column and name.secret is not None:
            return gate.set_nodes(segment=_hide_scalar(segment, f"{name.secret}{sign}{value}"))
    return gate


def _hide_scalar(node: Scalar, name: str) -> Scalar:
    return replace(node, value=name, secret=name if node.secret is None else node.secret)


def list_uri_secrets(uri: str) -> list[str]:
    """List what of a URI may not be printed: all of it, its password, and the keys of its query.

    >>> list_uri_secrets("postgresql://me:a%20b@host/db?password=c")[1:]
    ['a%20b', 'a b', 'c']
    """
    if "://" not in uri:
        return [uri]
    rest = uri.partition("://")[2]
    before, at, _ = rest.rpartition("@")
    password = before.partition(":")[2] if at else ""
    pairs = (pair.partition("=") for pair in rest.partition("?")[2].split("&"))
    found = [password, *(value for key, _, value in pairs if "password" in key.lower())]
    return [uri, *dict.fromkeys(form for text in found if text for form in (text, unquote(text)))]


@dataclass
class Secrets:
    """Texts from the environment, each with what is printed for it: a net below messages.

    Messages quote what may be shown in the first place. But other people's code, a plug-in or the
    system, says what it likes.
    """

    known: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def from_tree(tree: MappingNode, environ: Mapping[str, str]) -> Secrets:
        """Collect the secrets of a tree: whole values, and those of single variables."""
        found = Secrets()
        for at, node in iter_scalars(tree):
            if node.secret is None or not isinstance(node.value, str) or is_shown_path(at):
                continue
            found.known[node.value] = node.secret
            for variable in VARIABLE_PATTERN.finditer(node.secret):
                if value := environ.get(variable["name"] or ""):
                    found.known.setdefault(value, variable.group())
        for entry in get_entries(tree, "datasets").values():
            name = get_text(entry.node, "connection") or ""
            for text in list_uri_secrets(environ.get(name, "")):
                found.known.setdefault(text, f"${{{name}}}")
        found.known.pop("", None)
        return found

    def hide(self, message: str) -> str:
        """Return the message with every secret replaced by its printed form, the longest first.

        >>> Secrets({"s3cret": "${KEY}", "a": "${A}"}).hide("a file /s3cret/a, column 'a'")
        "a file /${KEY}/a, column '${A}'"
        """
        forms = {form: p for text, p in self.known.items() for form in (text, repr(text)[1:-1])}
        if not forms:
            return message
        ordered = sorted(forms, key=len, reverse=True)
        patterns = (
            re.escape(f) if len(f) >= SHORT else f"(?<=')({re.escape(f)})(?=')" for f in ordered
        )
        return re.sub("|".join(patterns), lambda found: forms[found.group()], message)

    @contextmanager
    def hide_in_errors(self) -> Iterator[None]:
        """Whatever is raised within tells none of them, be it our fault or the user's."""
        try:
            with hide_in_messages(self.hide):
                yield
        except ConfigError as error:
            problems = [replace(p, message=self.hide(p.message)) for p in error.problems]
            raise ConfigError(problems) from None
        except ReportgenError as error:
            raise type(error)(*map(self.hide, error.lines)) from None
        except Exception as error:
            text = format_exc()
            if (said := self.hide(text)) == text:
                raise
            raise InternalError(said, type(error).__name__) from None
