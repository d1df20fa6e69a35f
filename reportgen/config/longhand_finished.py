"""A table of scores that were computed elsewhere, in the long form of any other config.

score: {title: ROC AUC, better: higher, unit: "1", bounds: [0, 1]}

    metrics: [{name: finished_score, as: ROC AUC, better: higher, low: 0, high: 1, unit: "1"}]
    across: {}
    datasets: {table: {target: (none), case: {one: dataset, many: datasets}}}
"""

from __future__ import annotations

from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import Entry, Items, MappingNode, Node, Scalar, find, scalar

NO_TARGET = "(none)"
TITLE = "score"


def with_finished(tree: MappingNode, words: Vocabulary) -> MappingNode:
    """The tree of a config of finished scores with its metric, its across and its rows' noun."""
    named = tree.get("task")
    task = words.tasks.get(str(named.value)) if isinstance(named, Scalar) else None
    if task is None or not task.is_of_values or task.first is None:
        return tree
    mark, asked = tree.mark, tree.get("score")
    described = asked if isinstance(asked, MappingNode) else None
    metric = _metric(tree, described, next(iter(task.first.metrics)))
    tree = _default(tree, "metrics", Items(mark, (metric,)))
    tree = _default(tree, "across", MappingNode(mark))
    datasets = tree.get("datasets")
    if not isinstance(datasets, MappingNode):
        return tree
    told = {k: Entry(each.mark, _dataset(each.node)) for k, each in datasets.entries.items()}
    return tree.has(datasets=MappingNode(datasets.mark, told))


def _metric(tree: MappingNode, asked: MappingNode | None, name: str) -> MappingNode:
    """The metric that `score:` describes."""
    mark = tree.mark if asked is None else asked.mark
    node = MappingNode(mark).has(name=scalar(name, mark))
    for key in ("better", "unit") if asked is not None else ():
        given = find(tree, ("score", key))
        node = node.has(**{key: given}) if isinstance(given, Scalar) else node
    ends = None if asked is None else asked.get("bounds")
    if isinstance(ends, Items) and len(ends.items) == 2:
        named = zip(("low", "high"), ends.items, strict=True)
        node = node.has(**{k: each for k, each in named if isinstance(each, Scalar)})
    title = None if asked is None else asked.get("title")
    named_so = title if isinstance(title, Scalar) else scalar(TITLE, mark)
    return node.has(**{"as": named_so})


def _dataset(node: Node) -> Node:
    """A table whose rows are data sets, and that has no target."""
    if not isinstance(node, MappingNode):
        return node
    node = _default(node, "target", scalar(NO_TARGET, node.mark))
    noun = {"one": scalar("dataset", node.mark), "many": scalar("datasets", node.mark)}
    return _default(node, "case", MappingNode(node.mark).has(**noun))


def _default(node: MappingNode, key: str, value: Node) -> MappingNode:
    return node if key in node.entries else node.has(**{key: value})
