"""The short forms of classification, written out.

threshold: 0.5          thresholds: {threshold: {fixed: 0.5}}
metrics: [recall]       metrics: [{name: recall, at: NAME}], of the first operating point
"""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.config.faults import Faults
from reportgen.config.vocabulary import Word
from reportgen.config.yaml.tree import MappingNode, Node, Scalar, find, key_mark, scalar

AT = "at"


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


def at_first_point(node: Node, tree: MappingNode, known: Mapping[str, Word]) -> Node:
    """A metric of calls that names neither a point nor a threshold is judged at the first point."""
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
