"""The short forms of classification, written out.

threshold: 0.5          thresholds: {threshold: {fixed: 0.5}}
metrics: [recall]       metrics: [{name: recall, at: NAME}], of the first operating point
classes: [a, b]         classes: {a: a, b: b}
columns: "p_{class}"    columns: {"{class}": "p_{class}"}
positive: 1             positive: "1"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reportgen.config.faults import Faults, quoted
from reportgen.config.vocabulary import Word
from reportgen.config.yaml.tree import (
    Entry,
    Items,
    MappingNode,
    Node,
    Scalar,
    find,
    key_mark,
    scalar,
)
from reportgen.text import in_yaml

AT, OF = "at", "of"
EACH = "{class}"


def with_points(tree: MappingNode, faults: Faults) -> MappingNode:
    """The tree with a single threshold as an operating point."""
    single = tree.get("threshold")
    if single is None:
        return tree
    mark = key_mark(tree, ("threshold",))
    if tree.get("thresholds") is not None:
        faults.add(mark, "threshold stands beside thresholds; name it there: {fixed: …}")
        return tree.without("threshold")
    point = MappingNode(mark).has(fixed=single)
    return tree.without("threshold").has(thresholds=MappingNode(mark).has(threshold=point))


def with_classes(tree: MappingNode, faults: Faults) -> MappingNode:
    """The tree with classes as a map from values, as texts, to names."""
    given, entries = tree.get("classes"), {}
    if isinstance(given, MappingNode):
        for value, each in given.entries.items():
            way = f"there is no name for the class; write one, or {in_yaml(value)} once more"
            _refuse_nothing(f"classes.{value}", each.node, way, faults)
        entries = {k: Entry(each.mark, as_text(each.node)) for k, each in given.entries.items()}
        return tree.has(classes=MappingNode(given.mark, entries))
    if not isinstance(given, Items):
        return tree
    for index, item in enumerate(given.items):
        if not isinstance(item, Scalar):
            said = f"classes[{index}] wants the value of a class, not {quoted(item)}"
            faults.add(item.mark, f"{said}; names stand in a map, as in classes: {{no: stayed}}")
            return tree.without("classes")
        way = "there is nothing here; write the value of a class, or remove the item"
        _refuse_nothing(f"classes[{index}]", item, way, faults)
        if item.secret is not None:
            faults.add(item.mark, "a class cannot come from the environment; write it out")
            return tree.without("classes")
        if item.written in entries:
            faults.add(item.mark, f"classes lists {item.written!r} twice; remove one")
        text = item if isinstance(item.value, str) else replace(item, value=item.written)
        entries[item.written] = Entry(item.mark, text)
    return tree.has(classes=MappingNode(given.mark, entries))


def _refuse_nothing(place: str, node: Node, way: str, faults: Faults) -> None:
    """A class, or its name, that YAML reads as no value; nothing else is said of it."""
    if not isinstance(node, Scalar) or node.value is not None or node.secret is not None:
        return
    if node.written:
        way = f"YAML reads {node.written} as no value; if a class is called so, put it in quotes"
        way += f': "{node.written}"'
    faults.settle(node.mark, f"{place}: {way}")


def with_pattern(node: Node) -> Node:
    """A model, or scores of one, whose columns go by one pattern, as a map of one entry."""
    columns = node.get("columns") if isinstance(node, MappingNode) else None
    if not isinstance(node, MappingNode) or not isinstance(columns, Scalar):
        return node
    if not isinstance(columns.value, str) or not columns.value:
        return node
    return node.has(columns=MappingNode(columns.mark, {EACH: Entry(columns.mark, columns)}))


def with_class(node: Node) -> Node:
    """A metric of one class, whose value may be a number, with that as a text."""
    params = node.get("params") if isinstance(node, MappingNode) else None
    of = params.get(OF) if isinstance(params, MappingNode) else None
    if of is None or not isinstance(node, MappingNode) or not isinstance(params, MappingNode):
        return node
    return node.has(params=params.has(of=as_text(of)))


def knows_called_alone(tree: MappingNode) -> bool:
    """Whether the class of some rows is known where a model calls them alone: no curve is."""
    datasets = tree.get("datasets")
    named = datasets.entries if isinstance(datasets, MappingNode) else {}
    said = (find(tree, ("datasets", name, "labelled")) for name in named)
    return any(isinstance(each, Scalar) and each.value == "called" for each in said)


def as_text(node: Node) -> Node:
    """A number, or true or false, as the text that it was written as."""
    if not isinstance(node, Scalar) or isinstance(node.value, str) or node.value is None:
        return node
    return replace(node, value=node.written)


def at_first_point(node: Node, tree: MappingNode, known: Mapping[str, Word]) -> Node:
    """A metric or curve of calls that names no point, nor a threshold, is of the first point."""
    points, name = tree.get("thresholds"), find(node, ("name",))
    word = known.get(str(name.value)) if isinstance(name, Scalar) else None
    params = find(node, ("params",))
    if word is None or AT not in word.parameters or not isinstance(points, MappingNode):
        return node
    if not isinstance(params, MappingNode) or not isinstance(node, MappingNode):
        return node
    if not points.entries or {AT, "threshold"} & params.entries.keys():
        return node
    first = next(iter(points.entries))
    return node.has(params=params.has(at=scalar(first, node.mark)))
