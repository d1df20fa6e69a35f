"""How `primary`, gates and the headline point at a metric.

By its label, its name, or, but for the headline, its name and parameters.

Whatever was written, what follows sees the label: `{metric: pinball, alpha: 0.9}` becomes
`{metric: p90}` where the metrics list `{name: pinball, alpha: 0.9, as: p90}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reportgen.config.faults import Faults, quoted
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import (
    Entry,
    Items,
    MappingNode,
    Node,
    Scalar,
    child,
    find,
    key_of,
    plain,
)

OF_GATES = frozenset(
    [
        "name",
        "rule",
        "metric",
        "model",
        "dataset",
        "segment",
        "margin",
        "value",
        "on",
        "against",
        "inconclusive",
    ]
)


def with_labels(tree: MappingNode, words: Vocabulary, faults: Faults) -> MappingNode:
    """The tree with every metric pointed at by its label."""
    node = tree.get("metrics")
    uses = [use for use in (node.items if isinstance(node, Items) else ()) if _name(use)]

    def labelled(pointer: Node) -> Node:
        return _labelled(pointer, uses, words, faults)

    primary, gates, report = (tree.get(key) for key in ("primary", "gates", "report"))
    headline = child(report, "headline")
    if isinstance(report, MappingNode) and isinstance(headline, Items):
        keys = (_key(item, uses) for item in headline.items)
        tree = tree.has(report=report.has(headline=replace(headline, items=tuple(keys))))
    if primary is not None:
        tree = tree.has(primary=labelled(primary))
    if isinstance(gates, Items):
        tree = tree.has(gates=replace(gates, items=tuple(map(labelled, gates.items))))
    return tree


def _key(node: Node, uses: list[Node]) -> Node:
    """A metric in a list by its label, where its name alone says which one is meant."""
    if not isinstance(node, Scalar) or any(_label(use) == node.value for use in uses):
        return node
    meant = [use for use in uses if _name(use) == node.value]
    if len(meant) != 1:
        return node
    return Scalar(node.mark, _label(meant[0]), _label(meant[0]), secret=node.secret)


def _labelled(pointer: Node, uses: list[Node], words: Vocabulary, faults: Faults) -> Node:
    name = child(pointer, "metric")
    if not isinstance(name, Scalar) or not isinstance(pointer, MappingNode):
        return pointer
    word = words.metrics.get(str(name.value))
    parameters = word.parameters.keys() - OF_GATES if word else frozenset[str]()
    given = {key: e for key, e in pointer.entries.items() if key in parameters}
    if not given and any(_label(use) == name.value for use in uses):
        return pointer
    meant = [use for use in uses if _name(use) == name.value and _has(use, given)]
    pointer = pointer.without(*given)
    if len(meant) == 1:
        label = _label(meant[0])
        return pointer.has(metric=Scalar(name.mark, label, label, secret=name.secret))
    if given:
        faults.settle(name.mark, _unlisted(name, given, len(meant)))
    return pointer


def _unlisted(name: Scalar, given: Mapping[str, Entry], found: int) -> str:
    wanted = ", ".join(f"{key}: {_printed(entry.node)}" for key, entry in given.items())
    if found:
        return f"{found} metrics are {quoted(name)} with {wanted}; name one by its label"
    return (
        f"no metric {quoted(name)} with {wanted} is listed; "
        f"add {{name: {name.printed}, {wanted}}} under `metrics`"
    )


def _has(use: Node, given: Mapping[str, Entry]) -> bool:
    """Whether a metric's parameters are those given, as far as they are given."""
    params = child(use, "params")
    found = ((find(params, (key,)), entry.node) for key, entry in given.items())
    return all(own is not None and plain(own) == plain(other) for own, other in found)


def _printed(node: Node) -> str:
    return node.printed if isinstance(node, Scalar) else "…"


def _name(use: Node) -> str:
    name = child(use, "name")
    return str(name.value) if isinstance(name, Scalar) and name.value is not None else ""


def _label(use: Node) -> str:
    key = key_of(use) if isinstance(use, MappingNode) else None
    return str(key.value) if key else ""
